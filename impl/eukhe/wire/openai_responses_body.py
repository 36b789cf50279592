"""The request body of OpenAI's Responses: input items, flat tools, and what a stateless client sends back.

Nothing is stored at the server, so the reasoning of earlier replies goes back as the items that came, encrypted
content and all, each before what it led to. Its ids are sent only together with it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from eukhe.core.arguments import parse_object, sent_text
from eukhe.wire.affinity import cache_key
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
from eukhe.wire.openai_responses_items import CUSTOM
from eukhe.wire.payload import body_bytes
from eukhe.wire.strict_tools import OPENAI_SUBSET, strict_plan

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from eukhe.wire.affinity import Affinity
    from eukhe.wire.history import Answered
    from eukhe.wire.messages import Origin, ToolSpec, UserBlock
    from eukhe.wire.request import Request
    from eukhe.wire.strict_tools import Strict

__all__ = ["API", "Compat", "body"]

API: Final = "openai-responses"

Item: TypeAlias = "dict[str, object]"

_LEAST_TOKENS: Final = 16
_MARKS: Final = 4
_MARK: Final = {"prompt_cache_breakpoint": {"mode": "explicit"}}
_CALL_ID: Final = re.compile(r"[!-{}~]{1,64}")
_MESSAGE_ID: Final = re.compile(r"msg_[!-~]{1,60}")
_ITEM_ID: Final = re.compile(r"(?:fc|ctc)_[!-~]{1,60}")
_NO_INSTRUCTIONS: Final = "Follow the instructions of the user."


@dataclass(frozen=True, slots=True)
class Compat:
    """What differs between servers. It is data of the model's host, found by whoever builds the request.

    Attributes:
        api: The wire API that replies come from.
        system: The role of instructions, or `instructions` for the field of that name.
        strict: Whether the server takes strict tool schemas.
        strict_cap: How many of them; None for any number.
        loose: What a tool without a strict schema says of `strict`.
        max_output_tokens: Whether the server lets the length of a reply be limited.
        says_store: Whether to say that the server shall store nothing.
        cache_breakpoints: Whether to mark where the server shall cache the prompt (S6.13).
        cache_key: Whether the server finds the cache of a session by a key.
        long_cache: Whether the server can be asked to keep the cache for longer.
        affinity: How the host wants to be told the session.
        copilot: Whether the host is GitHub Copilot, which wants headers of its own.
    """

    api: str = API
    system: Literal["developer", "system", "instructions"] = "developer"
    strict: bool = True
    strict_cap: int | None = None
    loose: Literal[False] | None = False
    max_output_tokens: bool = True
    says_store: bool = True
    cache_breakpoints: bool = False
    cache_key: bool = True
    long_cache: bool = True
    affinity: Affinity = ""
    copilot: bool = False


def body(request: Request, compat: Compat) -> bytes:
    """Return the request body: UTF-8 JSON, its keys always in the same order, so that prompt caches hit.

    Raises:
        WireError: `INVALID_REQUEST`: a value that JSON cannot carry, or a tool that cannot be strict as it must.
    """
    options = request.options
    instructions, items = _input(request, compat)
    fields: dict[str, object] = {"model": request.model}
    if instructions is not None:
        fields["instructions"] = instructions
    fields |= {"input": items, "stream": True}
    if compat.says_store:
        fields["store"] = False
    if request.tools:
        plans = strict_plan(request, compat, OPENAI_SUBSET)
        fields["tools"] = [
            _tool(tool, strict, compat) for tool, strict in zip(request.tools, plans, strict=True)
        ]
        if options.tool_choice is not None:
            fields["tool_choice"] = _choice(options.tool_choice)
        if options.parallel_tool_calls is not None:
            fields["parallel_tool_calls"] = options.parallel_tool_calls
    if options.max_tokens is not None and compat.max_output_tokens:
        fields["max_output_tokens"] = max(options.max_tokens, _LEAST_TOKENS)
    effort = options.reasoning_effort
    long = compat.long_cache and options.cache == "long"
    optional = {
        "prompt_cache_key": cache_key(request) if compat.cache_key else None,
        **(_long(compat) if long else {}),
        "temperature": options.temperature,
        "top_p": options.top_p,
        "reasoning": None if effort is None else {"effort": effort},
    }
    return body_bytes(fields, optional, options.extra)


def _long(compat: Compat) -> Item:
    """What asks for a cache that lasts: models with explicit marks have their own word for it."""
    if compat.cache_breakpoints:
        return {"prompt_cache_options": {"ttl": "12h"}}
    return {"prompt_cache_retention": "24h"}


def _tool(tool: ToolSpec, strict: Strict | None, compat: Compat) -> Item:
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.schema if strict is None else strict.schema,
        "strict": compat.loose if strict is None else True,
    }


def _choice(choice: str) -> object:
    if choice.startswith("tool:"):
        return {"type": "function", "name": choice.removeprefix("tool:")}
    return choice


def _input(request: Request, compat: Compat) -> tuple[str | None, list[Item]]:
    """The instructions where they have a field, and the items."""
    origin = origin_of(request, compat.api)
    unique, ids = UniqueIds(_CALL_ID), dict[str, str]()
    items: list[Item] = []
    ends: list[Item] = []  # the parts that a prompt which goes on from here would share, up to them
    told: list[str] = []
    for message in rounds(request.messages):
        match message:
            case SystemMessage(text):
                if compat.system == "instructions" and not items:
                    told += [text] if text else []
                elif text:
                    role = "developer" if compat.system == "instructions" else compat.system
                    items.append(_system(role, text, compat))
            case UserMessage(content):
                parts = list(_parts(content)) or [_text("(empty message)")]
                items.append({"role": "user", "content": parts})
                ends.append(parts[-1])
            case AssistantMessage():
                ids = unique.of(message)
                items += _assistant(message, ids, origin, len(items))
            case answers:
                outputs = [_output(answer, ids, compat) for answer in answers]
                items += outputs
                last = outputs[-1]["output"]
                if isinstance(last, list):
                    ends.append(last[-1])
    if compat.cache_breakpoints and request.options.cache != "none":
        first = items[0]["content"] if items and items[0].get("role") == compat.system else None
        marked = [first[0]] if isinstance(first, list) else []
        for part in (*marked, *ends[len(marked) - _MARKS :]):
            part |= _MARK
    if compat.system != "instructions":
        return None, items
    return "\n\n".join(told) or _NO_INSTRUCTIONS, items


def _system(role: str, text: str, compat: Compat) -> Item:
    return {"role": role, "content": [_text(text)] if compat.cache_breakpoints else text}


def _text(text: str) -> Item:
    return {"type": "input_text", "text": text}


def _parts(content: Sequence[UserBlock]) -> Iterator[Item]:
    for block in content:
        match block:
            case ImageBlock(data, media_type):
                url = f"data:{media_type};base64,{data}"
                yield {"type": "input_image", "detail": "auto", "image_url": url}
            case TextBlock(text) if text:
                yield _text(text)


def _assistant(
    message: AssistantMessage, ids: Mapping[str, str], origin: Origin, place: int
) -> list[Item]:
    """A reply as items; reasoning goes back to its own model only, with what it led to."""
    own = message.origin == origin
    thoughts = [_kept(b.replay) for b in message.content if isinstance(b, ThinkingBlock) and own]
    whole = own and None not in thoughts  # ids refer to reasoning, so without it they are not sent
    items: list[Item] = []
    kept = iter(thoughts)
    for block in message.content:
        match block:
            case ThinkingBlock():
                if (item := next(kept, None)) is not None:
                    items.append(item)
            case TextBlock() if block.text:
                items.append(_said(block, f"msg_{place + len(items)}", whole=whole))
            case ToolCall():
                items.append(_call(block, ids[block.id], whole=whole))
            case _:
                pass
    return list(_leading(items))


def _leading(items: list[Item]) -> Iterator[Item]:
    """The items without reasoning that leads to none of them: a server refuses it."""
    for place, item in enumerate(items):
        after = (one["type"] for one in items[place:] if one["type"] != "reasoning")
        if item["type"] != "reasoning" or next(after, "compaction") != "compaction":
            yield item


def _kept(replay: str) -> Item | None:
    """The item that a thinking block came as; None for one that a stateless server could not read again."""
    item = _object(replay)
    match item.get("type"):
        case "compaction":
            return item
        case "reasoning" if item.get("encrypted_content") or item.get("content"):
            return item
    return None


def _said(block: TextBlock, minted: str, *, whole: bool) -> Item:
    came = _object(block.replay) if whole else {}
    item_id = came.get("id")
    own_id = isinstance(item_id, str) and _MESSAGE_ID.fullmatch(item_id)
    text = block.text.removeprefix("\n\n") if came.get("joined") else block.text
    item: Item = {
        "type": "message",
        "role": "assistant",
        "id": item_id if own_id else minted,
        "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
    }
    if "phase" in came:
        item["phase"] = came["phase"]
    return item


def _call(call: ToolCall, call_id: str, *, whole: bool) -> Item:
    item_id = call.id.partition("|")[2]
    item: Item = {"type": "function_call"}
    if whole and _ITEM_ID.fullmatch(item_id):
        item["id"] = item_id
    if call.replay == CUSTOM:
        text = (parse_object(call.arguments) or {}).get("input")
        said = text if isinstance(text, str) else call.arguments
        return {
            **item,
            "type": CUSTOM,
            "call_id": call_id,
            "name": sent_name(call.name),
            "input": said,
        }
    name, arguments = sent_name(call.name), sent_text(call.arguments)
    return {**item, "call_id": call_id, "name": name, "arguments": arguments}


def _output(answer: Answered, ids: Mapping[str, str], compat: Compat) -> Item:
    call, result = answer
    parts = list(_parts(result.content)) or [_text(NO_OUTPUT)]
    plain = all(isinstance(block, TextBlock) for block in result.content)
    simple = plain and not compat.cache_breakpoints
    kind = "custom_tool_call_output" if call.replay == CUSTOM else "function_call_output"
    output: object = (result.text or NO_OUTPUT) if simple else parts
    return {"type": kind, "call_id": ids[call.id], "output": output}


def _object(text: str) -> Item:
    """The object that a text spells; empty for none."""
    try:
        value = json.loads(text) if text else None
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {}
