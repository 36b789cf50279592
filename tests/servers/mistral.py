"""Mistral's chat on the scripted server: what a strict one demands of a request, and the chunks that it sends."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from tests.servers.api import Api
from tests.servers.script import Reply

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["MISTRAL", "call", "said", "thinking"]

Part = dict[str, Any]


def thinking(text: str, *, signature: str | None = None, closed: bool | None = None) -> Part:
    """A chunk of thinking."""
    part: Part = {"type": "thinking", "thinking": [{"type": "text", "text": text}]}
    if signature is not None:
        part["signature"] = signature
    return part if closed is None else {**part, "closed": closed}


def call(name: str, arguments: str, *, id_: str = "AbCdEf123", index: int = 0) -> Part:
    """A tool call, which comes whole."""
    function = {"name": name, "arguments": arguments}
    return {"id": id_, "type": "function", "index": index, "function": function}


def said(
    *contents: str | list[Part], calls: list[Part] | None = None, finish: str = "", **more: Any
) -> Reply:
    """A reply; each content is one delta: a text, or a list of chunks."""
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "total_tokens": 120,
        "num_cached_tokens": 60,
    }
    chunks = [_chunk({"role": "assistant", "content": ""})]
    chunks += [_chunk({"content": content}) for content in contents]
    if calls:
        chunks.append(_chunk({"content": "", "tool_calls": calls}))
    finish = finish or ("tool_calls" if calls else "stop")
    chunks.append({**_chunk({"content": ""}, finish), "usage": usage})
    return Reply(chunks=chunks, **more)


def _chunk(delta: Part, finish: str | None = None) -> Part:
    return {
        "id": "cmpl-1",
        "object": "chat.completion.chunk",
        "model": "mistral-x",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


def problems(method: str, path: str, headers: Mapping[str, str], raw: bytes) -> Iterator[str]:
    """Yield what Mistral refuses."""
    if (method, path) != ("POST", "/v1/chat/completions"):
        yield f"no such path: {method} {path}"
    if headers.get("content-type") != "application/json":
        yield "the content type is not application/json"
    body = json.loads(raw.decode("utf-8"))
    known = {
        *("model", "messages", "stream", "tools", "tool_choice", "parallel_tool_calls"),
        *("max_tokens", "temperature", "top_p", "stop", "random_seed", "prompt_mode"),
        *("reasoning_effort", "prompt_cache_key"),
    }
    for name in sorted(body.keys() - known):
        yield f"extra_forbidden: {name}"
    for tool in body.get("tools", ()):
        if not isinstance(tool["function"].get("strict"), bool):
            yield f"{tool['function'].get('name')} does not say whether it is strict"
    yield from _messages(body.get("messages") or [])


def _messages(messages: list[Part]) -> Iterator[str]:
    open_calls: list[str] = []
    if not messages:
        yield "no messages"
    for number, message in enumerate(messages):
        role, content = message.get("role"), message.get("content")
        if role == "tool":
            if message.get("tool_call_id") not in open_calls:
                yield f"messages[{number}] answers no open call"
            else:
                open_calls.remove(message["tool_call_id"])
            if not content or not message.get("name"):
                yield f"messages[{number}] has no content or name"
            continue
        if open_calls:
            yield f"messages[{number}] comes before the results of {', '.join(open_calls)}"
            open_calls = []
        if role not in ("system", "user", "assistant"):
            yield f"messages[{number}]: {role!r} is no role"
        if not content and not message.get("tool_calls"):
            yield f"messages[{number}]: neither content nor calls"
        for part in content if isinstance(content, list) else ():
            if part.get("type") not in ("text", "image_url", "thinking"):
                yield f"messages[{number}]: {part.get('type')!r} is no chunk"
            if part.get("type") == "text" and not part.get("text"):
                yield f"messages[{number}]: an empty text"
        for one in message.get("tool_calls") or ():
            if not re.fullmatch(r"[A-Za-z0-9]{9}", str(one.get("id"))) or one["id"] in open_calls:
                yield f"messages[{number}]: {one.get('id')!r} is no id of a call"
            if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", str(one["function"].get("name"))):
                yield f"messages[{number}]: {one['function'].get('name')!r} is no name of a call"
            json.loads(one["function"]["arguments"])
            open_calls.append(one["id"])
    if open_calls:
        yield f"no results of {', '.join(open_calls)}"


MISTRAL = Api(problems, "")
