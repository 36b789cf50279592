"""What the APIs of the form of Chat Completions share: the order of messages, calls, results, the tool choice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from eukhe.core.arguments import sent_text
from eukhe.wire.history import NO_OUTPUT, rounds, sent_name
from eukhe.wire.messages import (
    AssistantMessage,
    ImageBlock,
    SystemMessage,
    TextBlock,
    UserMessage,
)
from eukhe.wire.tool_choice import fitting_choice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from eukhe.wire.history import Answered
    from eukhe.wire.messages import Message, ToolResultMessage, UserBlock
    from eukhe.wire.request import Request

__all__ = ["ChatForm", "ChoiceCompat", "chat_messages", "result_text", "sent_calls", "tool_fields"]

Fields: TypeAlias = "dict[str, object]"

_SEE_IMAGE: Final = "(see the image in the next message)"
_AFTER_RESULTS: Final = "I have the results."


@dataclass(frozen=True, slots=True)
class ChatForm:
    """How one of these APIs spells what is its own.

    Attributes:
        system_role: The role of instructions.
        assistant_after_result: Whether a user message may not follow a tool message at once.
        ids: Gives the ids that the calls of a reply are sent with; it gets the replies in their order.
        assistant: Spells a reply, with the ids of its calls.
        result: Spells a result, with the ids of the calls of the reply before it.
        image_url: Spells the `data:` address of a picture.
    """

    system_role: str
    assistant_after_result: bool
    ids: Callable[[AssistantMessage], Mapping[str, str]]
    assistant: Callable[[AssistantMessage, Mapping[str, str]], Fields]
    result: Callable[[Answered, Mapping[str, str]], Fields]
    image_url: Callable[[str], object]


class ChoiceCompat(Protocol):
    """What differs between servers in the tool choices that they take."""

    @property
    def forced_choice(self) -> bool:
        """Whether the model takes a forced tool choice."""

    @property
    def named_choice(self) -> bool:
        """Whether the server takes a tool choice by name."""


def chat_messages(messages: Sequence[Message], form: ChatForm) -> Iterator[Fields]:
    """Yield the messages of a request: each call is followed by its result at once, pictures come after results.

    Args:
        messages: The conversation.
        form: How the API spells them.
    """
    after_results = False
    ids: Mapping[str, str] = {}
    for message in rounds(messages):
        bridge = after_results and form.assistant_after_result
        after_results = isinstance(message, tuple)
        match message:
            case SystemMessage(text):
                if text:
                    yield {"role": form.system_role, "content": text}
            case UserMessage(content):
                if bridge:
                    yield {"role": "assistant", "content": _AFTER_RESULTS}
                yield {"role": "user", "content": _user(content, form)}
            case AssistantMessage():
                ids = form.ids(message)
                yield form.assistant(message, ids)
            case answers:
                yield from (form.result(answer, ids) for answer in answers)
                found = [block for answer in answers for block in answer.result.content]
                if pictures := [block for block in found if isinstance(block, ImageBlock)]:
                    if form.assistant_after_result:
                        yield {"role": "assistant", "content": _AFTER_RESULTS}
                    yield {"role": "user", "content": _user(pictures, form)}
                    after_results = False


def sent_calls(message: AssistantMessage, ids: Mapping[str, str]) -> list[Fields]:
    """Return the calls of a reply as they go back.

    Args:
        message: The reply.
        ids: The id that each call is sent with, by its own.
    """
    return [
        {
            "id": ids[call.id],
            "type": "function",
            "function": {
                "name": sent_name(call.name),
                "arguments": sent_text(call.arguments),
            },
        }
        for call in message.calls
    ]


def result_text(result: ToolResultMessage) -> str:
    """Return the text of a result; a word in its place where it has none, since pictures come later."""
    pictured = any(isinstance(block, ImageBlock) for block in result.content)
    return result.text or (_SEE_IMAGE if pictured else NO_OUTPUT)


def tool_fields(request: Request, tools: list[Fields], compat: ChoiceCompat) -> Fields:
    """Return the fields of the tools on offer and of how they may be called.

    Args:
        request: The request; it offers tools.
        tools: They, as the API spells them.
        compat: What the server takes.
    """
    options = request.options
    fields: Fields = {"tools": tools}
    choice = fitting_choice(
        options.tool_choice, request.tools, forced=compat.forced_choice, named=compat.named_choice
    )
    if choice is not None:
        fields["tool_choice"] = _choice(choice)
    if options.parallel_tool_calls is not None:
        fields["parallel_tool_calls"] = options.parallel_tool_calls
    return fields


def _choice(choice: str) -> object:
    if choice.startswith("tool:"):
        return {"type": "function", "function": {"name": choice.removeprefix("tool:")}}
    return choice


def _user(content: Sequence[UserBlock], form: ChatForm) -> str | list[Fields]:
    if all(isinstance(block, TextBlock) for block in content):
        text = "".join(block.text for block in content if isinstance(block, TextBlock))
        return text or "(empty message)"
    return [_part(block, form) for block in content if isinstance(block, ImageBlock) or block.text]


def _part(block: UserBlock, form: ChatForm) -> Fields:
    match block:
        case TextBlock(text):
            return {"type": "text", "text": text}
        case ImageBlock(data, media_type):
            url = form.image_url(f"data:{media_type};base64,{data}")
            return {"type": "image_url", "image_url": url}
