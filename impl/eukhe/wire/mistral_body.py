"""The request body of Mistral's chat: content in chunks, thinking among them, ids of nine letters and digits."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from eukhe.wire.affinity import cache_key
from eukhe.wire.chat_form import (
    ChatForm,
    chat_messages,
    result_text,
    sent_calls,
    tool_fields,
)
from eukhe.wire.history import UniqueIds, origin_of, sent_name
from eukhe.wire.messages import TextBlock, ThinkingBlock
from eukhe.wire.payload import body_bytes
from eukhe.wire.strict_tools import OPENAI_SUBSET, strict_plan

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from eukhe.wire.history import Answered
    from eukhe.wire.messages import AssistantMessage, ToolSpec
    from eukhe.wire.request import Request
    from eukhe.wire.strict_tools import Strict

__all__ = ["API", "Compat", "body"]

API: Final = "mistral-conversations"

Fields: TypeAlias = "dict[str, object]"

_ID: Final = re.compile(r"[A-Za-z0-9]{9}")


@dataclass(frozen=True, slots=True)
class Compat:
    """What differs between servers. It is data of the model's host, found by whoever builds the request.

    Attributes:
        strict: Whether the server takes strict tool schemas.
        strict_cap: How many of them; None for any number.
        forced_choice: Whether the model takes a forced tool choice.
        named_choice: Whether the server takes a tool choice by name.
        assistant_after_result: Whether a user message may not follow a tool message at once.
        cache_key: Whether the server finds the cache of a session by a key.
    """

    strict: bool = True
    strict_cap: int | None = None
    forced_choice: bool = True
    named_choice: bool = True
    assistant_after_result: bool = False
    cache_key: bool = False


def body(request: Request, compat: Compat) -> bytes:
    """Return the request body: UTF-8 JSON, its keys always in the same order, so that prompt caches hit.

    Raises:
        WireError: `INVALID_REQUEST`: a value that JSON cannot carry, or a tool that cannot be strict as it must.
    """
    options = request.options
    fields: Fields = {
        "model": request.model,
        "messages": list(_messages(request, compat)),
        "stream": True,
    }
    if request.tools:
        plans = strict_plan(request, compat, OPENAI_SUBSET)
        tools = [_tool(tool, strict) for tool, strict in zip(request.tools, plans, strict=True)]
        fields |= tool_fields(request, tools, compat)
    optional = {
        "max_tokens": options.max_tokens,
        "temperature": options.temperature,
        "top_p": options.top_p,
        "stop": list(options.stop) or None,
        "random_seed": options.seed,
        "reasoning_effort": options.reasoning_effort,
        "prompt_cache_key": cache_key(request) if compat.cache_key else None,
    }
    return body_bytes(fields, optional, options.extra)


def _tool(tool: ToolSpec, strict: Strict | None) -> Fields:
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.schema if strict is None else strict.schema,
        "strict": strict is not None,
    }
    return {"type": "function", "function": function}


def _messages(request: Request, compat: Compat) -> Iterator[Fields]:
    origin = origin_of(request, API)
    form = ChatForm(
        "system",
        compat.assistant_after_result,
        UniqueIds(_ID, prefix="", length=9).of,
        lambda message, ids: _assistant(message, ids, own=message.origin == origin),
        _result,
        lambda url: url,
    )
    return chat_messages(request.messages, form)


def _assistant(message: AssistantMessage, ids: Mapping[str, str], *, own: bool) -> Fields:
    """A reply as it goes back; its thinking goes back to its own model only."""
    content: object = message.text
    if own and message.thinking:
        content = list(_chunks(message))
    sent: Fields = {"role": "assistant", "content": content, "prefix": False}
    if message.calls:
        sent["tool_calls"] = sent_calls(message, ids)
    return sent


def _chunks(message: AssistantMessage) -> Iterator[Fields]:
    kept = [one for block in message.content for one in _kept(block.replay)]
    for block in message.content:
        match block:
            case ThinkingBlock(rest):
                # The pieces that it came in, each with its signature; what they do not spell goes without.
                while kept and rest.startswith(kept[0][0]):
                    text, signature = kept.pop(0)
                    rest = rest.removeprefix(text)
                    yield _thought(text, signature)
                if rest:
                    yield _thought(rest, None)
            case TextBlock(text) if text:
                yield {"type": "text", "text": text}
            case _:
                pass


def _kept(replay: str) -> Iterator[tuple[str, object]]:
    """The pieces of thinking that the reader keeps, and their signatures."""
    try:
        kept = json.loads(replay) if replay else {}
    except ValueError:
        return
    details = kept.get("reasoning_details") if isinstance(kept, dict) else None
    for one in details if isinstance(details, list) else ():
        if isinstance(one, dict) and isinstance(text := one.get("text"), str) and text:
            yield text, one.get("signature")


def _thought(text: str, signature: object) -> Fields:
    more = {"signature": signature} if isinstance(signature, str) else {}
    return {"type": "thinking", "thinking": [{"type": "text", "text": text}], **more}


def _result(answer: Answered, ids: Mapping[str, str]) -> Fields:
    call, result = answer
    return {
        "role": "tool",
        "tool_call_id": ids[call.id],
        "name": sent_name(call.name),
        "content": result_text(result),
    }
