"""The request body of Bedrock's Converse: blocks in messages that alternate, results first in the user's."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from eukhe.core.arguments import sent_text
from eukhe.wire.history import NO_OUTPUT, UniqueIds, origin_of, rounds, sent_name
from eukhe.wire.messages import (
    AssistantMessage,
    ImageBlock,
    SystemMessage,
    TextBlock,
    ThinkingBlock,
    ToolCall,
    UserMessage,
)
from eukhe.wire.payload import json_bytes, present
from eukhe.wire.strict_tools import ANTHROPIC_SUBSET, strict_plan
from eukhe.wire.tool_choice import warn_unsent
from eukhe.wire.unicode import says

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from eukhe.wire.history import Answered
    from eukhe.wire.messages import UserBlock
    from eukhe.wire.request import Options, Request

__all__ = ["API", "Compat", "body", "maps_forced_choice"]

API: Final = "bedrock-converse-stream"

Block: TypeAlias = "dict[str, object]"

_ID: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_IMAGES: Final = {
    "image/png": "png",
    "image/jpeg": "jpeg",
    "image/gif": "gif",
    "image/webp": "webp",
}


@dataclass(frozen=True, slots=True)
class Compat:
    """What differs between models. It is data of the rulebook, found by whoever builds the request.

    Attributes:
        cache_points: Whether to mark where the prompt is to be cached (S6.13).
        strict: Whether the model takes strict tool schemas.
        strict_cap: How many of them; None for any number.
        forced_choice: Whether the model takes a forced tool choice at all.
        temperature: Whether the model takes sampling settings.
        long_cache: Whether the cache can be kept for an hour.
    """

    cache_points: bool = False
    strict: bool = False
    strict_cap: int | None = None
    forced_choice: bool = True
    temperature: bool = True
    long_cache: bool = True


def thinks_by_budget(options: Options) -> bool:
    """Whether a request asks for manual extended thinking, which has a budget of tokens."""
    fields = options.extra.get("additionalModelRequestFields")
    thinking = fields.get("thinking") if isinstance(fields, dict) else None
    return isinstance(thinking, dict) and thinking.get("type") == "enabled"


def maps_forced_choice(options: Options, compat: Compat) -> bool:
    """Whether a request can carry a forced choice: never under manual extended thinking (S6.3)."""
    return compat.forced_choice and not thinks_by_budget(options)


def body(request: Request, compat: Compat) -> bytes:
    """Return the request body: UTF-8 JSON, its keys always in the same order, so that prompt caches hit.

    Raises:
        WireError: `INVALID_REQUEST`: a value that JSON cannot carry, or a tool that cannot be strict as it must.
    """
    options = request.options
    point = _point(options, compat)
    messages = list(_messages(request))
    system: list[Block] = [
        {"text": message.text}
        for message in request.messages
        if isinstance(message, SystemMessage) and says(message.text)
    ]
    if messages and messages[-1]["role"] == "user":
        _content(messages[-1]).extend(point)
    fields: Block = {"messages": messages}
    if system:
        fields["system"] = [*system, *point]
    sampling = {"temperature": options.temperature, "topP": options.top_p}
    config = {
        "maxTokens": options.max_tokens,
        "stopSequences": list(options.stop) or None,
        **(sampling if compat.temperature and not thinks_by_budget(options) else {}),
    }
    if known := present(config):
        fields["inferenceConfig"] = known
    if tools := _tools(request, compat):
        fields["toolConfig"] = {"tools": [*tools, *point], **_choice(request, compat)}
    fields |= options.extra
    if thinks_by_budget(options) and (_lacks_thinking(messages) or _no_room(options)):
        # The server refuses both: to think on amid tool calls that were made without thinking, and a budget that
        # leaves no room for the answer.
        extra = fields["additionalModelRequestFields"]
        known = extra if isinstance(extra, dict) else {}
        fields["additionalModelRequestFields"] = {**known, "thinking": {"type": "disabled"}}
    return json_bytes(fields)


def _lacks_thinking(messages: Sequence[Block]) -> bool:
    """Whether the last reply waits for its results and was made without thinking."""
    if len(messages) < 2 or "toolResult" not in _content(messages[-1])[0]:
        return False
    return "reasoningContent" not in _content(messages[-2])[0]


def _no_room(options: Options) -> bool:
    fields = options.extra["additionalModelRequestFields"]
    budget = fields["thinking"]["budget_tokens"] if isinstance(fields, dict) else 0
    return options.max_tokens is not None and options.max_tokens <= budget


def _point(options: Options, compat: Compat) -> list[Block]:
    """A cache point, or none."""
    if not compat.cache_points or options.cache == "none":
        return []
    hour = {"ttl": "1h"} if compat.long_cache and options.cache == "long" else {}
    return [{"cachePoint": {"type": "default", **hour}}]


def _tools(request: Request, compat: Compat) -> list[Block]:
    """The tools on offer; those that only history knows where none is, since it may not stand without."""
    found: list[Block] = []
    for tool, strict in zip(
        request.tools, strict_plan(request, compat, ANTHROPIC_SUBSET), strict=True
    ):
        schema = tool.schema if strict is None else strict.schema
        spec: Block = {
            "name": tool.name,
            "description": tool.description or tool.name,
            "inputSchema": {"json": schema},
        }
        found.append({"toolSpec": spec if strict is None else {**spec, "strict": True}})
    if found:
        return found
    replies = (m for m in rounds(request.messages) if isinstance(m, AssistantMessage))
    names = dict.fromkeys(sent_name(call.name) for reply in replies for call in reply.calls)
    schema = {"json": {"type": "object"}}
    return [
        {"toolSpec": {"name": name, "description": "Not on offer now.", "inputSchema": schema}}
        for name in names
    ]


def _choice(request: Request, compat: Compat) -> Block:
    """The tool choice; empty for the server's own. A forced one that cannot be sent is left out (S6.3).

    There is no word for none: a reply that calls all the same is dealt with where calls are run.
    """
    wanted = request.options.tool_choice
    if not request.tools or wanted in (None, "none"):
        return {}
    if wanted == "auto":
        return {"toolChoice": {"auto": {}}}
    if not maps_forced_choice(request.options, compat):
        warn_unsent(request, by_budget=thinks_by_budget(request.options))
        return {}
    if wanted == "required":
        return {"toolChoice": {"any": {}}}
    return {"toolChoice": {"tool": {"name": wanted.removeprefix("tool:")}}}


def _messages(request: Request) -> Iterator[Block]:
    """The messages: roles alternate, and the first is the user's."""
    origin = origin_of(request, API)
    unique, ids = UniqueIds(_ID), dict[str, str]()
    waiting: Block | None = None
    for message in rounds(request.messages):
        match message:
            case SystemMessage():
                continue
            case UserMessage(content):
                role, blocks = "user", list(_user(content)) or [{"text": "(empty message)"}]
            case AssistantMessage():
                ids, own = unique.of(message), message.origin == origin
                role, blocks = "assistant", list(_assistant(message, ids, own=own))
            case answers:
                role, blocks = "user", [_result(answer, ids) for answer in answers]
        if not blocks:
            continue
        if waiting is not None and waiting["role"] == role:
            _content(waiting).extend(blocks)
            continue
        if waiting is not None:
            yield waiting
        elif role == "assistant":
            yield {"role": "user", "content": [{"text": "(the conversation goes on)"}]}
        waiting = {"role": role, "content": blocks}
    if waiting is not None:
        yield waiting


def _content(message: Block) -> list[Block]:
    content = message["content"]
    return content if isinstance(content, list) else []


def _user(content: Sequence[UserBlock]) -> Iterator[Block]:
    for block in content:
        match block:
            case TextBlock(text) if says(text):
                yield {"text": text}
            case ImageBlock(data, media_type) if media_type in _IMAGES:
                yield {"image": {"format": _IMAGES[media_type], "source": {"bytes": data}}}
            case ImageBlock(_, media_type):
                yield {"text": f"(a picture of the type {media_type}, which the model cannot see)"}
            case _:
                pass


def _assistant(message: AssistantMessage, ids: Mapping[str, str], *, own: bool) -> Iterator[Block]:
    """A reply as it goes back: thinking to its own model only, where it was signed."""
    for block in message.content:
        match block:
            case TextBlock(text) if says(text):
                yield {"text": text}
            case ThinkingBlock() if own:
                yield from _thought(block)
            case ToolCall():
                arguments = _document(json.loads(sent_text(block.arguments)))
                use = {
                    "toolUseId": ids[block.id],
                    "name": sent_name(block.name),
                    "input": arguments,
                }
                yield {"toolUse": use}
            case _:
                pass


def _thought(block: ThinkingBlock) -> Iterator[Block]:
    try:
        kept = json.loads(block.replay) if block.replay else {}
    except ValueError:
        kept = {}
    found = kept if isinstance(kept, dict) else {}
    if redacted := found.get("redactedContent"):
        yield {"reasoningContent": {"redactedContent": redacted}}
    elif signature := found.get("signature"):
        signed = {"text": block.text, "signature": signature}
        yield {"reasoningContent": {"reasoningText": signed}}


def _result(answer: Answered, ids: Mapping[str, str]) -> Block:
    call, result = answer
    content = list(_user(result.content)) or [{"text": NO_OUTPUT}]
    status = "error" if result.is_error else "success"
    return {"toolResult": {"toolUseId": ids[call.id], "content": content, "status": status}}


def _document(value: object) -> object:
    """A value as AWS takes it: it refuses a property without a name."""
    if isinstance(value, dict):
        return {name or "_": _document(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_document(item) for item in value]
    return value
