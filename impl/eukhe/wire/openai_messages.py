"""The conversation as Chat Completions takes it: each call is followed by its result at once."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final, TypeAlias

from eukhe.core.arguments import sent_text
from eukhe.wire.history import NO_OUTPUT, UniqueIds, rounds, sent_name
from eukhe.wire.messages import (
    AssistantMessage,
    ImageBlock,
    SystemMessage,
    TextBlock,
    ThinkingBlock,
    UserMessage,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from eukhe.wire.history import Answered
    from eukhe.wire.messages import Message, Origin, UserBlock
    from eukhe.wire.openai_body import Compat

__all__ = ["messages_of"]

Fields: TypeAlias = "dict[str, object]"

_ID: Final = re.compile(r".{1,40}", re.DOTALL)
_SEE_IMAGE: Final = "(see the image in the next message)"
_AFTER_RESULTS: Final = "I have the results."


def messages_of(messages: Sequence[Message], origin: Origin, compat: Compat) -> Iterator[Fields]:
    """Yield the messages of a request.

    Args:
        messages: The conversation.
        origin: Where the replies of this request come from.
        compat: What differs at the server.
    """
    after_results = False
    ids: Mapping[str, str] = {}
    for message in rounds(messages):
        bridge = after_results and compat.assistant_after_result
        after_results = isinstance(message, tuple)
        match message:
            case SystemMessage(text):
                if text:
                    yield {"role": compat.system_role, "content": text}
            case UserMessage(content):
                if bridge:
                    yield {"role": "assistant", "content": _AFTER_RESULTS}
                yield {"role": "user", "content": _user(content)}
            case AssistantMessage():
                ids = UniqueIds(_ID).of(
                    message
                )  # in a reply; over several, some servers look at their form
                yield _assistant(message, ids, origin, compat)
            case answers:
                yield from (_result(answer, ids, compat) for answer in answers)
                pictures = [
                    block
                    for answer in answers
                    for block in answer.result.content
                    if isinstance(block, ImageBlock)
                ]
                if pictures:
                    if compat.assistant_after_result:
                        yield {"role": "assistant", "content": _AFTER_RESULTS}
                    yield {"role": "user", "content": _user(pictures)}
                    after_results = False


def _user(content: Sequence[UserBlock]) -> str | list[Fields]:
    if all(isinstance(block, TextBlock) for block in content):
        text = "".join(block.text for block in content if isinstance(block, TextBlock))
        return text or "(empty message)"
    return [_part(block) for block in content if isinstance(block, ImageBlock) or block.text]


def _part(block: UserBlock) -> Fields:
    match block:
        case TextBlock(text):
            return {"type": "text", "text": text}
        case ImageBlock(data, media_type):
            return {"type": "image_url", "image_url": {"url": f"data:{media_type};base64,{data}"}}


def _assistant(
    message: AssistantMessage, ids: Mapping[str, str], origin: Origin, compat: Compat
) -> Fields:
    """A reply as it goes back. Its thinking goes back to its own origin only, in the field it came in."""
    text, own = message.text, message.origin == origin
    if own and compat.thinking_as_text and message.thinking:
        text = "\n\n".join(filter(None, (message.thinking, text)))
    sent: Fields = {"role": "assistant", "content": text or None}
    if own and compat.thinking_replay and not compat.thinking_as_text:
        for block in message.content:
            if isinstance(block, ThinkingBlock):
                if block.field:
                    sent[block.field] = f"{sent.get(block.field, '')}{block.text}"
                if block.replay:
                    sent |= json.loads(block.replay)
    if compat.reasoning_content:
        sent.setdefault("reasoning_content", "")
    if message.calls:
        sent["tool_calls"] = [
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
    return sent


def _result(answer: Answered, ids: Mapping[str, str], compat: Compat) -> Fields:
    call, result = answer
    pictured = any(isinstance(block, ImageBlock) for block in result.content)
    text = result.text or (_SEE_IMAGE if pictured else NO_OUTPUT)
    sent: Fields = {"role": "tool", "tool_call_id": ids[call.id], "content": text}
    if compat.name_in_result:
        sent["name"] = sent_name(call.name)
    return sent
