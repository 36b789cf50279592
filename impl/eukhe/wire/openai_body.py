"""The request body of Chat Completions: the conversation and the options, in the form that strict servers take."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from eukhe.core.arguments import sent_text
from eukhe.wire.messages import (
    AssistantMessage,
    ImageBlock,
    Origin,
    StopReason,
    SystemMessage,
    TextBlock,
    ThinkingBlock,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from eukhe.wire.payload import json_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eukhe.wire.messages import ToolSpec, UserBlock
    from eukhe.wire.request import Request

__all__ = ["API", "Compat", "body", "origin_of"]

API = "openai-completions"

_ID_LIMIT = 40
_NO_RESULT = "error: this call was not run"
_NO_OUTPUT = "(no output)"
_SEE_IMAGE = "(see the image in the next message)"


@dataclass(frozen=True, slots=True)
class Compat:
    """What differs between servers. It is data of the model's host, found by whoever builds the request.

    Attributes:
        max_tokens_field: The field of the reply's token limit. Servers other than OpenAI know `max_tokens`.
        system_role: The role of instructions.
        usage_in_stream: Whether to ask for token counts in the stream (`stream_options`).
        empty_tools: Whether to send `tools: []` when the history has calls and no tool is offered now.
        name_in_result: Whether a tool message bears the tool's name.
        thinking_replay: Whether thinking goes back in the field it came in.
        needs_finish: Whether a stream without a finish reason is cut off.
    """

    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    system_role: Literal["system", "developer"] = "system"
    usage_in_stream: bool = True
    empty_tools: bool = False
    name_in_result: bool = False
    thinking_replay: bool = True
    needs_finish: bool = True


def origin_of(request: Request) -> Origin:
    """Return the origin that replies to `request` have."""
    return Origin(API, request.provider, request.model)


def body(request: Request, compat: Compat) -> bytes:
    """Return the request body: UTF-8 JSON, its keys always in the same order, so that prompt caches hit.

    Raises:
        WireError: `INVALID_REQUEST`: a value that JSON cannot carry, for example an infinite temperature.
    """
    options = request.options
    fields: dict[str, object] = {
        "model": request.model,
        "messages": list(_messages(request, compat)),
        "stream": True,
    }
    if compat.usage_in_stream:
        fields["stream_options"] = {"include_usage": True}
    if request.tools:
        fields["tools"] = [_tool(tool) for tool in request.tools]
        if options.tool_choice is not None:
            fields["tool_choice"] = _choice(options.tool_choice)
        if options.parallel_tool_calls is not None:
            fields["parallel_tool_calls"] = options.parallel_tool_calls
    elif compat.empty_tools and any(
        m.calls for m in request.messages if isinstance(m, AssistantMessage)
    ):
        fields["tools"] = []
    optional = {
        compat.max_tokens_field: options.max_tokens,
        "temperature": options.temperature,
        "top_p": options.top_p,
        "stop": list(options.stop) or None,
        "seed": options.seed,
        "reasoning_effort": options.reasoning_effort,
    }
    fields |= {name: value for name, value in optional.items() if value is not None}
    fields |= options.extra
    return json_bytes(fields)


def _tool(tool: ToolSpec) -> dict[str, object]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.schema}
    return {"type": "function", "function": function}


def _choice(choice: str) -> object:
    if choice.startswith("tool:"):
        return {"type": "function", "function": {"name": choice.removeprefix("tool:")}}
    return choice


def _messages(request: Request, compat: Compat) -> Iterator[dict[str, object]]:
    """Yield the messages: each call is followed by its result at once, and failed replies are left out."""
    origin = origin_of(request)
    open_calls: dict[str, ToolCall] = {}
    pictures: list[ImageBlock] = []
    for message in request.messages:
        if not isinstance(message, ToolResultMessage):
            yield from _settle(open_calls, pictures, compat)
        match message:
            case SystemMessage(text):
                if text:
                    yield {"role": compat.system_role, "content": text}
            case UserMessage(content):
                yield {"role": "user", "content": _user(content)}
            case AssistantMessage():
                sent = _assistant(message, origin, compat)
                if sent is not None:
                    open_calls.update((call.id, call) for call in message.calls)
                    yield sent
            case ToolResultMessage(call_id, _, content):
                if (call := open_calls.pop(call_id, None)) is not None:
                    images = [block for block in content if isinstance(block, ImageBlock)]
                    pictures += images
                    yield _result(
                        call, message.text or (_SEE_IMAGE if images else _NO_OUTPUT), compat
                    )
    yield from _settle(open_calls, pictures, compat)


def _settle(
    open_calls: dict[str, ToolCall], pictures: list[ImageBlock], compat: Compat
) -> Iterator[dict[str, object]]:
    """Close a tool round: calls without a result get one, then the pictures of the results follow."""
    for call in open_calls.values():
        yield _result(call, _NO_RESULT, compat)
    if pictures:
        yield {"role": "user", "content": _user(pictures)}
    open_calls.clear()
    pictures.clear()


def _user(content: Sequence[UserBlock]) -> str | list[dict[str, object]]:
    if all(isinstance(block, TextBlock) for block in content):
        text = "".join(block.text for block in content if isinstance(block, TextBlock))
        return text or "(empty message)"
    return [_part(block) for block in content if isinstance(block, ImageBlock) or block.text]


def _part(block: UserBlock) -> dict[str, object]:
    match block:
        case TextBlock(text):
            return {"type": "text", "text": text}
        case ImageBlock(data, media_type):
            return {"type": "image_url", "image_url": {"url": f"data:{media_type};base64,{data}"}}


def _assistant(
    message: AssistantMessage, origin: Origin, compat: Compat
) -> dict[str, object] | None:
    """Return a reply as it goes back; `None` for one that failed, or that holds neither text nor call."""
    if message.stop in (StopReason.ERROR, StopReason.ABORTED) or not (
        message.text or message.calls
    ):
        return None
    sent: dict[str, object] = {"role": "assistant", "content": message.text or None}
    if compat.thinking_replay and message.origin == origin:
        for block in message.content:
            if isinstance(block, ThinkingBlock):
                if block.field:
                    sent[block.field] = f"{sent.get(block.field, '')}{block.text}"
                if block.replay:
                    sent |= json.loads(block.replay)
    if message.calls:
        sent["tool_calls"] = [
            {
                "id": _wire_id(call.id),
                "type": "function",
                "function": {
                    "name": call.name or "unnamed",
                    "arguments": sent_text(call.arguments),
                },
            }
            for call in message.calls
        ]
    return sent


def _result(call: ToolCall, text: str, compat: Compat) -> dict[str, object]:
    sent: dict[str, object] = {"role": "tool", "tool_call_id": _wire_id(call.id), "content": text}
    if compat.name_in_result:
        sent["name"] = call.name
    return sent


def _wire_id(call_id: str) -> str:
    """Return an id of at most 40 characters; the same id always gives the same."""
    if len(call_id) <= _ID_LIMIT:
        return call_id
    import hashlib  # only a long id pays for the import

    return "call_" + hashlib.sha256(call_id.encode("utf-8", "replace")).hexdigest()[:32]
