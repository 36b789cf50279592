"""The request body of Anthropic's Messages: blocks, roles that alternate, thinking as it came, cache marks.

What a model thought goes back to the same provider, API and model only, its signature unchanged; the thinking of
another one is left out.
"""

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
    from eukhe.wire.messages import Origin, ToolSpec, UserBlock
    from eukhe.wire.request import Options, Request
    from eukhe.wire.strict_tools import Strict

__all__ = [
    "API",
    "Compat",
    "body",
    "call_names",
    "maps_forced_choice",
    "thinks_by_budget",
]

API: Final = "anthropic-messages"

Block: TypeAlias = "dict[str, object]"

_MAX_TOKENS: Final = 8192
_ID: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_EMPTY: Final = "(empty message)"


@dataclass(frozen=True, slots=True)
class Compat:
    """What differs between servers and models. It is data, found by whoever builds the request.

    Attributes:
        bearer: Whether the key goes in `Authorization` and not in `x-api-key`.
        long_cache: Whether what is marked can stay in the cache for an hour.
        cache_tools: Whether a mark may stand on a tool.
        eager_tools: Whether tools say that their arguments shall come while they are written; else a beta says so.
        strict: Whether the server takes strict tool schemas.
        strict_cap: How many of them; None for any number.
        temperature: Whether the model takes sampling parameters.
        forced_choice: Whether the model takes a forced choice at all.
        empty_signature: Whether thinking without a signature goes back with an empty one.
        result_id: Whether a result bears an id of its own.
        session_header: The header that bears the session's name; empty for none.
        copilot: Whether the host is GitHub Copilot, which wants headers of its own.
    """

    bearer: bool = False
    long_cache: bool = True
    cache_tools: bool = True
    eager_tools: bool = True
    strict: bool = False
    strict_cap: int | None = None
    temperature: bool = True
    forced_choice: bool = True
    empty_signature: bool = False
    result_id: bool = False
    session_header: str = ""
    copilot: bool = False


def thinks_by_budget(options: Options) -> bool:
    """Whether a request asks for manual extended thinking, which has a budget of tokens."""
    thinking = options.extra.get("thinking")
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
    messages = list(_messages(request, compat))
    fields: dict[str, object] = {
        "model": request.model,
        "max_tokens": options.max_tokens or _MAX_TOKENS,
    }
    system: list[Block] = [
        {"type": "text", "text": message.text}
        for message in request.messages
        if isinstance(message, SystemMessage) and says(message.text)
    ]
    if system:
        fields["system"] = _marked(system, options, compat)
    tools = list(_tools(request, compat))
    if tools:
        fields["tools"] = _marked(tools, options, compat) if compat.cache_tools else tools
        if choice := _choice(request, compat):
            fields["tool_choice"] = choice
    # Where the request before put its mark the cache is found for certain; from the last one the server looks back
    # over some blocks only.
    for message in [one for one in messages if one["role"] == "user"][-2:]:
        message["content"] = _marked(_blocks(message), options, compat)
    fields |= {"messages": messages, "stream": True}
    if options.stop:
        fields["stop_sequences"] = list(options.stop)
    if compat.temperature and options.extra.get("thinking") in (None, {"type": "disabled"}):
        sampling = {"temperature": options.temperature, "top_p": options.top_p}
        fields |= present(sampling)
    fields |= options.extra
    if thinks_by_budget(options) and (_lacks_thinking(messages) or _no_room(fields)):
        # The server refuses both: to think on in the middle of tool calls that were made without thinking, and a
        # budget that leaves nothing of the reply.
        fields["thinking"] = {"type": "disabled"}
    return json_bytes(fields)


def call_names(request: Request) -> Iterator[str]:
    """Yield the names of the tools that the conversation has called, each once."""
    calls = (
        call
        for message in request.messages
        if isinstance(message, AssistantMessage)
        for call in message.calls
    )
    yield from dict.fromkeys(sent_name(call.name) for call in calls)


def _marked(blocks: Sequence[Block], options: Options, compat: Compat) -> list[Block]:
    """The blocks with a cache mark on the last one."""
    if options.cache == "none" or not blocks:
        return list(blocks)
    hour = options.cache == "long" and compat.long_cache
    mark = {"type": "ephemeral"} | ({"ttl": "1h"} if hour else {})
    return [*blocks[:-1], {**blocks[-1], "cache_control": mark}]


def _tools(request: Request, compat: Compat) -> Iterator[Block]:
    if not request.tools:
        # A conversation with calls needs their tools, though none is on offer now.
        for name in call_names(request):
            yield {"name": name, "input_schema": {"type": "object"}}
    plans = strict_plan(request, compat, ANTHROPIC_SUBSET)
    for tool, strict in zip(request.tools, plans, strict=True):
        yield _tool(tool, strict, compat)


def _tool(tool: ToolSpec, strict: Strict | None, compat: Compat) -> Block:
    sent: Block = {"name": tool.name, "description": tool.description}
    if strict is not None:
        return {**sent, "input_schema": strict.schema, "strict": True}
    sent["input_schema"] = tool.schema
    if compat.eager_tools:
        sent["eager_input_streaming"] = True
    return sent


def _choice(request: Request, compat: Compat) -> Block:
    """The tool choice; empty for the server's own. A forced one that cannot be sent is left out (S6.3)."""
    options = request.options
    if not request.tools:
        return {"type": "none"}
    wanted = options.tool_choice
    if _forces(wanted) and not maps_forced_choice(options, compat):
        warn_unsent(request, by_budget=thinks_by_budget(options))
        wanted = None
    choice: Block = {}
    match wanted:
        case "auto" | "none":
            choice = {"type": wanted}
        case "required":
            choice = {"type": "any"}
        case str():
            choice = {"type": "tool", "name": wanted.removeprefix("tool:")}
    if options.parallel_tool_calls is False and wanted != "none":
        choice = {"type": "auto", **choice, "disable_parallel_tool_use": True}
    return choice


def _forces(choice: str | None) -> bool:
    return choice is not None and (choice == "required" or choice.startswith("tool:"))


def _messages(request: Request, compat: Compat) -> Iterator[Block]:
    """Yield the messages: the first is the user's, and neighbours of one role are one message."""
    origin = origin_of(request, API)
    role, content = "user", list[Block]()
    unique, ids = UniqueIds(_ID), dict[str, str]()
    for item in rounds(request.messages):
        match item:
            case SystemMessage():
                continue
            case UserMessage(blocks):
                speaker, said = "user", list(_user(blocks))
            case AssistantMessage():
                ids = unique.of(item)
                speaker, said = "assistant", list(_assistant(item, ids, origin, compat))
            case _:
                speaker, said = "user", [_result(answered, ids, compat) for answered in item]
        if speaker != role:
            yield {"role": role, "content": content or [{"type": "text", "text": _EMPTY}]}
            role, content = speaker, []
        content += said
    yield {"role": role, "content": content or [{"type": "text", "text": _EMPTY}]}


def _user(blocks: Sequence[UserBlock]) -> Iterator[Block]:
    """Yield a user's blocks; texts that hold nothing but blanks are refused by the server."""
    sent = [block for block in blocks if isinstance(block, ImageBlock) or says(block.text)]
    for block in sent or [TextBlock(_EMPTY)]:
        yield _part(block)


def _part(block: UserBlock) -> Block:
    match block:
        case TextBlock(text=text):
            return {"type": "text", "text": text}
        case ImageBlock(data, media_type):
            source = {"type": "base64", "media_type": media_type, "data": data}
            return {"type": "image", "source": source}


def _assistant(
    message: AssistantMessage, ids: Mapping[str, str], origin: Origin, compat: Compat
) -> Iterator[Block]:
    own = message.origin == origin
    for block in message.content:
        match block:
            case TextBlock(text=text):
                if says(text):
                    yield {"type": "text", "text": text}
            case ThinkingBlock():
                if own:
                    yield from _thinking(block, compat)
            case ToolCall():
                yield {
                    "type": "tool_use",
                    "id": ids[block.id],
                    "name": sent_name(block.name),
                    "input": json.loads(sent_text(block.arguments)),
                }


def _thinking(block: ThinkingBlock, compat: Compat) -> Iterator[Block]:
    """Yield thinking as it came; without its signature the server takes it only where it signs nothing."""
    signed = json.loads(block.replay) if block.replay else {}
    if "data" in signed:
        yield {"type": "redacted_thinking", "data": signed["data"]}
    elif signed or (compat.empty_signature and block.text):
        signature = signed.get("signature", "")
        yield {"type": "thinking", "thinking": block.text, "signature": signature}


def _result(answered: Answered, ids: Mapping[str, str], compat: Compat) -> Block:
    result = answered.result
    wire_id = ids[answered.call.id]
    sent: Block = {"type": "tool_result", "tool_use_id": wire_id}
    if compat.result_id:
        sent["id"] = wire_id
    blocks = [block for block in result.content if isinstance(block, ImageBlock) or block.text]
    texts = [block.text for block in blocks if isinstance(block, TextBlock)]
    if len(texts) == len(blocks):
        text = "".join(texts)
        sent["content"] = text if says(text) else NO_OUTPUT
    else:
        sent["content"] = [_part(b) for b in blocks if isinstance(b, ImageBlock) or says(b.text)]
    if result.is_error:
        sent["is_error"] = True
    return sent


def _lacks_thinking(messages: Sequence[Block]) -> bool:
    """Whether the conversation stands in the middle of tool calls whose reply began without thinking."""
    if len(messages) < 2 or messages[-1]["role"] != "user":
        return False
    if all(block["type"] != "tool_result" for block in _blocks(messages[-1])):
        return False
    return _blocks(messages[-2])[0]["type"] not in ("thinking", "redacted_thinking")


def _no_room(fields: Block) -> bool:
    thinking, most = fields["thinking"], fields["max_tokens"]
    budget = thinking.get("budget_tokens") if isinstance(thinking, dict) else None
    return isinstance(budget, int) and isinstance(most, int) and budget >= most


def _blocks(message: Block) -> list[Block]:
    content = message["content"]
    return content if isinstance(content, list) else []
