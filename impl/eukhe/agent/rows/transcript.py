"""Messages as rows of a conversation, and rows as the messages that a model gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from eukhe.wire.messages import (
    AssistantBlock,
    AssistantMessage,
    ImageBlock,
    Message,
    Origin,
    StopReason,
    TextBlock,
    ThinkingBlock,
    ToolCall,
    ToolResultMessage,
    Usage,
    UserBlock,
    UserMessage,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eukhe.core.arguments_repair import Repair
    from eukhe.session.nodes import Entry
    from eukhe.session.tree import Json

USER, ASSISTANT, TOOL_RESULT, ERROR = "user", "assistant", "tool_result", "eukhe.error"
"""Kinds of rows."""

RETRY, FAILOVER = "eukhe.retry", "eukhe.failover"
"""Kinds of rows about a request that failed and went out again; no model sees them."""

_UNSENT = (StopReason.ERROR, StopReason.ABORTED)


def user_to_json(message: UserMessage) -> dict[str, Json]:
    """A user's message as the body of a row."""
    return {"content": [_user_block_to_json(block) for block in message.content]}


def assistant_to_json(message: AssistantMessage) -> dict[str, Json]:
    """A reply as the body of a row."""
    body: dict[str, Json] = {
        "content": [_block_to_json(block) for block in message.content],
        "stop": message.stop.value,
        "origin": {
            "api": message.origin.api,
            "provider": message.origin.provider,
            "model": message.origin.model,
        },
    }
    if message.usage is not None:
        body["usage"] = usage_to_json(message.usage)
    if message.served:
        body["served"] = message.served
    if message.response_id:
        body["responseId"] = message.response_id
    if message.service_tier:
        body["serviceTier"] = message.service_tier
    return body


def usage_to_json(usage: Usage) -> dict[str, Json]:
    """The tokens of a request, and what they cost, as they stand in a row."""
    told: dict[str, Json] = {
        "input": usage.input,
        "output": usage.output,
        "cacheRead": usage.cache_read,
        "cacheWrite": usage.cache_write,
        "reasoning": usage.reasoning,
    }
    if usage.cache_write_1h:
        told["cacheWrite1h"] = usage.cache_write_1h
    if usage.cost is not None:
        told["cost"] = usage.cost
    return told


def result_to_json(message: ToolResultMessage) -> dict[str, Json]:
    """A tool result as the body of a row."""
    body: dict[str, Json] = {
        "callId": message.call_id,
        "tool": message.tool,
        "content": [_user_block_to_json(block) for block in message.content],
        "isError": message.is_error,
    }
    if message.warnings:
        body["warnings"] = [repair.to_json() for repair in message.warnings]
    return body


def from_entry(entry: Entry) -> Message | None:
    """The message of a row; None when the row is no message."""
    body = entry.body
    match entry.kind:
        case "user":
            return UserMessage(_user_blocks(body))
        case "assistant":
            return AssistantMessage(
                tuple(_blocks(body)),
                _stop(body.get("stop")),
                _usage(body.get("usage")),
                _origin(body.get("origin")),
                _text(body, "served"),
                _text(body, "responseId"),
                _text(body, "serviceTier"),
            )
        case "tool_result":
            return ToolResultMessage(
                _text(body, "callId"),
                _text(body, "tool"),
                _user_blocks(body),
                body.get("isError") is True,
                tuple(_repairs(body)),
            )
    return None


def messages_of(entries: Iterable[Entry]) -> tuple[Message, ...]:
    """The messages that go to the model: a reply that failed or was aborted is not among them."""
    found = (from_entry(entry) for entry in entries)
    return tuple(message for message in found if message is not None and is_sent(message))


def is_sent(message: Message) -> bool:
    """Whether a model gets to see the message again."""
    return not (isinstance(message, AssistantMessage) and message.stop in _UNSENT)


def open_calls(messages: Sequence[Message]) -> tuple[ToolCall, ...]:
    """Calls of the last reply that have no result: their process ended before it was stored."""
    answered: set[str] = set()
    for message in reversed(messages):
        if isinstance(message, ToolResultMessage):
            answered.add(message.call_id)
        elif isinstance(message, AssistantMessage):
            return tuple(call for call in message.calls if call.id not in answered)
        else:
            break
    return ()


def _user_block_to_json(block: UserBlock) -> dict[str, Json]:
    match block:
        case TextBlock(text=text):
            return {"type": "text", "text": text}
        case ImageBlock(data=data, media_type=media_type):
            return {"type": "image", "data": data, "mediaType": media_type}


def _block_to_json(block: AssistantBlock) -> dict[str, Json]:
    form: dict[str, Json]
    match block:
        case TextBlock(text=text):
            form = {"type": "text", "text": text}
        case ThinkingBlock(text=text, field=field):
            form = {"type": "thinking", "text": text}
            if field:
                form["field"] = field
        case ToolCall(id=call_id, name=name, arguments=arguments):
            form = {"type": "toolCall", "id": call_id, "name": name, "arguments": arguments}
    if block.replay:
        form["replay"] = block.replay
    return form


def _items(body: Mapping[str, Json], key: str) -> Iterable[Mapping[str, Json]]:
    value = body.get(key)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return (item for item in value if isinstance(item, Mapping))
    return ()


def _text(body: Mapping[str, Json], key: str) -> str:
    value = body.get(key)
    return value if isinstance(value, str) else ""


def _user_blocks(body: Mapping[str, Json]) -> tuple[UserBlock, ...]:
    blocks: list[UserBlock] = []
    for item in _items(body, "content"):
        if item.get("type") == "text":
            blocks.append(TextBlock(_text(item, "text")))
        elif item.get("type") == "image":
            blocks.append(ImageBlock(_text(item, "data"), _text(item, "mediaType")))
    return tuple(blocks)


def _blocks(body: Mapping[str, Json]) -> Iterable[AssistantBlock]:
    for item in _items(body, "content"):
        match item.get("type"):
            case "text":
                yield TextBlock(_text(item, "text"), _text(item, "replay"))
            case "thinking":
                yield ThinkingBlock(
                    _text(item, "text"), _text(item, "field"), _text(item, "replay")
                )
            case "toolCall":
                yield ToolCall(
                    _text(item, "id"),
                    _text(item, "name"),
                    _text(item, "arguments"),
                    _text(item, "replay"),
                )


def _repairs(body: Mapping[str, Json]) -> Iterable[Repair]:
    """The repairs among the warnings of a row; a warning of another kind is left alone."""
    for item in _items(body, "warnings"):
        from eukhe.core.arguments_repair import Repair, What  # few results have one

        try:
            what = What(item.get("what"))
        except ValueError:
            continue
        if item.get("type") == "argument_repaired":
            yield Repair(what, _text(item, "path"), _text(item, "from"), _text(item, "to"))


def _stop(value: Json) -> StopReason:
    try:
        return StopReason(value)  # type: ignore[arg-type]  # any other value raises ValueError
    except ValueError:
        return StopReason.ERROR


def _usage(value: Json) -> Usage | None:
    if not isinstance(value, Mapping):
        return None

    def count(key: str) -> int:
        found = value.get(key)
        return found if isinstance(found, int) else 0

    cost = value.get("cost")
    return Usage(
        count("input"),
        count("output"),
        count("cacheRead"),
        count("cacheWrite"),
        count("reasoning"),
        float(cost) if isinstance(cost, (int, float)) else None,
        count("cacheWrite1h"),
    )


def _origin(value: Json) -> Origin:
    if not isinstance(value, Mapping):
        return Origin()
    return Origin(_text(value, "api"), _text(value, "provider"), _text(value, "model"))
