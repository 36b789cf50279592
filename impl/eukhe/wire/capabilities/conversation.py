"""A conversation in the form of each API that an operation takes one in: what is counted, and what is compacted.

Thinking is left out: what a provider needs of it to go on says nothing of the conversation's content.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from eukhe.core.arguments import sent_text
from eukhe.wire.history import Answered, rounds
from eukhe.wire.messages import (
    AssistantMessage,
    ImageBlock,
    SystemMessage,
    TextBlock,
    ToolCall,
    UserMessage,
)
from eukhe.wire.openai_body import Compat, body
from eukhe.wire.request import Request

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from eukhe.wire.messages import Message, ToolSpec, UserBlock

__all__ = ["Said", "anthropic", "chat", "google", "has_pictures", "responses"]

Part = dict[str, object]


class Said(NamedTuple):
    """A conversation as an API takes it.

    Attributes:
        system: The instructions of all system messages; empty for none.
        rows: Everything else, in order.
    """

    system: str
    rows: list[Part]


def has_pictures(messages: Sequence[Message]) -> bool:
    """Whether a message of the user or a result of a tool holds a picture."""
    blocks = (
        block for one in messages if not isinstance(one, SystemMessage) for block in one.content
    )
    return any(isinstance(block, ImageBlock) for block in blocks)


def _system(messages: Sequence[Message]) -> str:
    return "\n\n".join(one.text for one in messages if isinstance(one, SystemMessage) and one.text)


def chat(model: str, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Part:
    """Return the fields `model`, `messages` and `tools` of Chat Completions."""
    whole = json.loads(body(Request("", model, tuple(messages), tuple(tools)), Compat()))
    return {key: whole[key] for key in ("model", "messages", "tools") if key in whole}


# The Responses API: items.


def responses(messages: Sequence[Message]) -> Said:
    """Return the input items of the Responses API."""
    return Said(_system(messages), list(_items(messages)))


def _items(messages: Sequence[Message]) -> Iterator[Part]:
    for one in rounds(messages):
        match one:
            case UserMessage(content):
                yield {"role": "user", "content": list(map(_input, content))}
            case AssistantMessage():
                if one.text:
                    said = {"type": "output_text", "text": one.text, "annotations": []}
                    yield {"type": "message", "role": "assistant", "content": [said]}
                for call in one.calls:
                    arguments = sent_text(call.arguments)
                    item = {"type": "function_call", "call_id": call.id, "name": call.name}
                    yield {**item, "arguments": arguments}
            case SystemMessage():
                pass
            case _:
                for call, result in one:
                    output = list(map(_input, result.content))
                    yield {"type": "function_call_output", "call_id": call.id, "output": output}


def _input(block: UserBlock) -> Part:
    match block:
        case TextBlock():
            return {"type": "input_text", "text": block.text}
        case ImageBlock(data, media_type):
            return {"type": "input_image", "image_url": f"data:{media_type};base64,{data}"}


# The Messages API.


def anthropic(messages: Sequence[Message]) -> Said:
    """Return the messages of the Messages API."""
    return Said(_system(messages), list(_turns(messages)))


def _turns(messages: Sequence[Message]) -> Iterator[Part]:
    for one in rounds(messages):
        match one:
            case UserMessage(content):
                yield {"role": "user", "content": _blocks(content)}
            case AssistantMessage():
                said = [{"type": "text", "text": one.text}] if one.text.strip() else []
                uses = [
                    {"type": "tool_use", "id": call.id, "name": call.name, "input": _object(call)}
                    for call in one.calls
                ]
                yield {"role": "assistant", "content": [*said, *uses]}
            case SystemMessage():
                pass
            case _:
                yield {"role": "user", "content": list(map(_tool_result, one))}


def _tool_result(answered: Answered) -> Part:
    call, result = answered
    found: Part = {
        "type": "tool_result",
        "tool_use_id": call.id,
        "content": _blocks(result.content),
    }
    return {**found, "is_error": True} if result.is_error else found


def _blocks(content: Sequence[UserBlock]) -> list[Part]:
    return [_block(block) for block in content if isinstance(block, ImageBlock) or block.text]


def _block(block: UserBlock) -> Part:
    match block:
        case TextBlock():
            return {"type": "text", "text": block.text}
        case ImageBlock(data, media_type):
            source = {"type": "base64", "media_type": media_type, "data": data}
            return {"type": "image", "source": source}


def _object(call: ToolCall) -> Mapping[str, object]:
    found = json.loads(sent_text(call.arguments))
    return found if isinstance(found, dict) else {}


# The Gemini API.


def google(messages: Sequence[Message]) -> Said:
    """Return the contents of the Gemini API."""
    return Said(_system(messages), list(_contents(messages)))


def _contents(messages: Sequence[Message]) -> Iterator[Part]:
    for one in rounds(messages):
        match one:
            case UserMessage(content):
                yield {"role": "user", "parts": _parts(content)}
            case AssistantMessage():
                said: list[Part] = [{"text": one.text}] if one.text else []
                calls = [
                    {"functionCall": {"name": call.name, "args": _object(call)}}
                    for call in one.calls
                ]
                yield {"role": "model", "parts": [*said, *calls]}
            case SystemMessage():
                pass
            case _:
                pictures = [
                    block
                    for answered in one
                    for block in answered.result.content
                    if isinstance(block, ImageBlock)
                ]
                yield {"role": "user", "parts": [*map(_response, one), *_parts(pictures)]}


def _response(answered: Answered) -> Part:
    call, result = answered
    key = "error" if result.is_error else "output"
    return {"functionResponse": {"name": call.name, "response": {key: result.text}}}


def _parts(content: Sequence[UserBlock]) -> list[Part]:
    found: list[Part] = []
    for block in content:
        match block:
            case TextBlock() if block.text:
                found.append({"text": block.text})
            case ImageBlock(data, media_type):
                found.append({"inlineData": {"mimeType": media_type, "data": data}})
            case _:
                pass
    return found
