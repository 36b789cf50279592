"""The conversation as eukhe holds it: the same values for every wire API and every provider.

A wire API turns these values into its own request body and builds an `AssistantMessage` from the reply. Tool
arguments stay the raw text that the model wrote: whether the text is JSON, and what it means, is decided where
tools are run.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.core.arguments_repair import Repair

__all__ = [
    "AssistantBlock",
    "AssistantMessage",
    "ImageBlock",
    "Message",
    "Origin",
    "StopReason",
    "SystemMessage",
    "TextBlock",
    "ThinkingBlock",
    "ToolCall",
    "ToolResultMessage",
    "ToolSpec",
    "Usage",
    "UserBlock",
    "UserMessage",
]


class StopReason(StrEnum):
    """Why a reply ended, in the words that sessions store.

    `TOOL_USE` is set by the presence of calls, not by the server's word: several servers say `stop` with calls
    (S6.10). `LENGTH` stays `LENGTH` with calls, and then none of them may run.
    """

    STOP = "stop"
    LENGTH = "length"
    TOOL_USE = "toolUse"
    ERROR = "error"
    ABORTED = "aborted"


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Text.

    Attributes:
        text: The text.
        replay: As that of a `ThinkingBlock`, for what a model's own API attaches to its text.
    """

    text: str
    replay: str = ""


@dataclass(frozen=True, slots=True)
class ThinkingBlock:
    """What a model thought, and what its own API needs to take it back.

    Attributes:
        text: The thinking text; empty when the provider shows none.
        field: The wire field that the text came in, where an API has several; it goes back in the same.
        replay: JSON text that the same provider, API and model gets back unchanged (signatures, encrypted
            reasoning); empty for none. Nobody else may read it.
    """

    text: str
    field: str = ""
    replay: str = ""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call that the model asks for.

    Attributes:
        id: The id that the result names; never empty, and no two calls of one reply share it.
        name: The tool's name as the model wrote it; it may be no tool that exists, or empty.
        arguments: The raw argument text. `{}` when the model gave none.
        replay: As that of a `ThinkingBlock`, for what a model's own API attaches to its calls.
    """

    id: str
    name: str
    arguments: str
    replay: str = ""


@dataclass(frozen=True, slots=True)
class ImageBlock:
    """A picture.

    Attributes:
        data: The file's bytes in base64.
        media_type: For example `image/png`.
    """

    data: str
    media_type: str


UserBlock = TextBlock | ImageBlock
AssistantBlock = TextBlock | ThinkingBlock | ToolCall


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request, as the server counted them.

    Attributes:
        input: Prompt tokens that no cache served: reads and writes of the cache are not in it.
        output: Tokens of the reply, thinking included.
        cache_read: Prompt tokens that the cache served.
        cache_write: Prompt tokens that were written to the cache.
        reasoning: The part of `output` that was thinking; 0 where the server does not tell.
        cost: What the request costs in US dollars; `None` where no price is known.
        cache_write_1h: The part of `cache_write` that stays for an hour.
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int = 0
    cost: float | None = None
    cache_write_1h: int = 0

    @property
    def total(self) -> int:
        """Every token of the request and the reply."""
        return self.input + self.output + self.cache_read + self.cache_write


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a reply came from; thinking is replayed to the same origin only.

    Attributes:
        api: The wire API, for example `openai-completions`.
        provider: The provider's name in the settings, or empty.
        model: The model id that was asked for.
    """

    api: str = ""
    provider: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True)
class SystemMessage:
    """Instructions to the model.

    Attributes:
        text: The instructions.
    """

    text: str


@dataclass(frozen=True, slots=True)
class UserMessage:
    """What the user, or the harness in the user's place, says.

    Attributes:
        content: Text and pictures, in order.
    """

    content: tuple[UserBlock, ...]

    @classmethod
    def of(cls, text: str) -> UserMessage:
        """Make a message of one text."""
        return cls((TextBlock(text),))

    @property
    def text(self) -> str:
        """The text blocks, joined."""
        return "".join(block.text for block in self.content if isinstance(block, TextBlock))


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    """One reply of a model.

    Attributes:
        content: Text, thinking and calls, in the order they began.
        stop: Why it ended. `ERROR` and `ABORTED` mark a partial reply, which is never sent back to a model.
        usage: The tokens, or `None` when the server told none.
        origin: Where it came from.
        served: The model name that the server gave, which may differ from the one asked for; empty for none.
        response_id: The server's id of the reply; empty for none.
        service_tier: The service tier that the server says it served the reply at; empty for none.
    """

    content: tuple[AssistantBlock, ...]
    stop: StopReason = StopReason.STOP
    usage: Usage | None = None
    origin: Origin = Origin()
    served: str = ""
    response_id: str = ""
    service_tier: str = ""

    @property
    def text(self) -> str:
        """The text blocks, joined."""
        return "".join(block.text for block in self.content if isinstance(block, TextBlock))

    @property
    def thinking(self) -> str:
        """The thinking blocks, joined."""
        return "".join(block.text for block in self.content if isinstance(block, ThinkingBlock))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls, in order."""
        return tuple(block for block in self.content if isinstance(block, ToolCall))


@dataclass(frozen=True, slots=True)
class ToolResultMessage:
    """What one tool call gave.

    Attributes:
        call_id: The id of the call.
        tool: The tool's name.
        content: Text and pictures, in order.
        is_error: Whether the call failed, was refused or never ran.
        warnings: What was put right in the call's arguments (`argument_repaired`); no model gets to see it.
    """

    call_id: str
    tool: str
    content: tuple[UserBlock, ...]
    is_error: bool = False
    warnings: tuple[Repair, ...] = ()

    @classmethod
    def of(
        cls,
        call: ToolCall,
        text: str,
        *,
        is_error: bool = False,
        warnings: tuple[Repair, ...] = (),
    ) -> ToolResultMessage:
        """Make the result of `call` with one text."""
        return cls(call.id, call.name, (TextBlock(text),), is_error, warnings)

    @property
    def text(self) -> str:
        """The text blocks, joined."""
        return "".join(block.text for block in self.content if isinstance(block, TextBlock))


Message = SystemMessage | UserMessage | AssistantMessage | ToolResultMessage


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model sees it.

    Attributes:
        name: 1 to 64 of `A-Z a-z 0-9 _ -`.
        description: What it does and when to use it.
        schema: The JSON Schema of its arguments (an object schema).
        priority: The higher, the sooner it gets a strict schema where a server takes few (S6.4).
        strict: Whether it requires a strict schema: a request that cannot give it one is refused.
    """

    name: str
    description: str
    schema: Mapping[str, object]
    priority: int = 0
    strict: bool = False
