"""The events of one reply, the same for every wire API.

A stream yields `Start` at most once and first, then deltas in the order they came, and as its last event exactly
one of `Done` and `Failed`. Text in deltas is always encodable: no lone surrogate reaches a listener.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eukhe.wire.errors import WireError
    from eukhe.wire.messages import AssistantMessage, StopReason, ToolCall, Usage

__all__ = [
    "Done",
    "Event",
    "Failed",
    "PromptProgress",
    "Start",
    "TextDelta",
    "ThinkingDelta",
    "ToolCallDelta",
    "ToolCallEnd",
    "ToolCallStart",
    "UsageUpdate",
]


@dataclass(frozen=True, slots=True)
class Start:
    """The server began to reply.

    Attributes:
        model: The model name that the server gave; empty for none.
        response_id: The server's id of the reply; empty for none.
    """

    model: str = ""
    response_id: str = ""


@dataclass(frozen=True, slots=True)
class PromptProgress:
    """The server works on the prompt, before the first token (S6.7).

    Attributes:
        total: Tokens of the prompt.
        cache: Those of them that the server's cache had.
        processed: Those that are done so far, the cached ones included.
        time_ms: Milliseconds since the server began with the prompt.
    """

    total: int
    cache: int
    processed: int
    time_ms: int


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More text.

    Attributes:
        text: The piece, never empty.
    """

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    """More thinking.

    Attributes:
        text: The piece, never empty.
    """

    text: str


@dataclass(frozen=True, slots=True)
class ToolCallStart:
    """A call began: its name is known.

    Attributes:
        index: The number of the call in this reply, from 0.
        id: The id as far as it is known: it can be empty here, `ToolCallEnd` has the final one.
        name: The tool's name.
    """

    index: int
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """More raw argument text of a call.

    Attributes:
        index: The number of the call.
        arguments: The piece, never empty.
    """

    index: int
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolCallEnd:
    """A call is complete. These come at the end of the stream, in the order of their numbers.

    Attributes:
        index: The number of the call.
        call: The call with its final id and whole argument text.
    """

    index: int
    call: ToolCall


@dataclass(frozen=True, slots=True)
class UsageUpdate:
    """The server told its token counts; the last one counts.

    Attributes:
        usage: The counts so far.
    """

    usage: Usage


@dataclass(frozen=True, slots=True)
class Done:
    """The reply is complete.

    Attributes:
        message: The whole reply, with its stop reason and usage.
    """

    message: AssistantMessage

    @property
    def stop(self) -> StopReason:
        """Why the reply ended."""
        return self.message.stop


@dataclass(frozen=True, slots=True)
class Failed:
    """The request failed, before or during the reply.

    Attributes:
        error: What happened.
        partial: What came before the failure, with stop reason `ERROR`; its content is empty when nothing came.
    """

    error: WireError
    partial: AssistantMessage


Event = (
    Start
    | PromptProgress
    | TextDelta
    | ThinkingDelta
    | ToolCallStart
    | ToolCallDelta
    | ToolCallEnd
    | UsageUpdate
    | Done
    | Failed
)
