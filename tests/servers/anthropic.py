"""A Messages server on loopback, as strict about requests as Anthropic's, every byte of its replies scripted.

with MessagesServer([said(text("hello"))]) as server:
    ...  # server.base_url (no path), then server.requests and server.problems
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from tests.servers.api import Api
from tests.servers.script import Reply

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["MESSAGES", "call", "event", "events", "said", "signatures", "text", "thinking"]

Event = dict[str, Any]

_KINDS = {
    "user": {"text", "image", "tool_result"},
    "assistant": {"text", "tool_use", "thinking", "redacted_thinking"},
}


def _problems(method: str, path: str, headers: Mapping[str, str], raw: bytes) -> Iterator[str]:
    """Yield what is wrong with a request."""
    if (method, path) != ("POST", "/v1/messages"):
        yield f"no such path: {method} {path}"
    if headers.get("content-type") != "application/json":
        yield "the content type is not application/json"
    if headers.get("anthropic-version") != "2023-06-01":
        yield "anthropic-version is missing"
    if "x-api-key" in headers and "authorization" in headers:
        yield "two keys"
    body = json.loads(raw.decode("utf-8"))
    for field in ("model", "max_tokens", "messages"):
        if not body.get(field):
            yield f"{field}: Field required"
    known = {
        *(
            "model",
            "max_tokens",
            "messages",
            "system",
            "stream",
            "temperature",
            "top_p",
            "top_k",
        ),
        *("stop_sequences", "tools", "tool_choice", "thinking", "output_config", "metadata"),
        "service_tier",
    }
    yield from (f"{field}: Extra inputs are not permitted" for field in body.keys() - known)
    yield from _thinking(body)
    yield from _tools(body)
    yield from _messages(body.get("messages", []), body)
    marks = str(raw).count('"cache_control"')
    if marks > 4:
        yield f"{marks} cache marks, and 4 are permitted"


def signatures(body: Mapping[str, Any]) -> list[str]:
    """Return the signatures and the sealed thinking of a request, in order."""
    return [
        block.get("signature", block.get("data"))
        for message in body["messages"]
        for block in message["content"]
        if block["type"] in ("thinking", "redacted_thinking")
    ]


def _error(_status: int, message: str, code: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": code, "message": message}, "request_id": "req_1"}


def _thinking(body: Mapping[str, Any]) -> Iterator[str]:
    thinking = body.get("thinking", {"type": "disabled"})
    kind, budget = thinking.get("type"), thinking.get("budget_tokens", 0)
    if kind == "enabled":
        if budget < 1024:
            yield "thinking.budget_tokens: must be at least 1024"
        if body.get("max_tokens", 0) <= budget:
            yield "`max_tokens` must be greater than `thinking.budget_tokens`"
        if body.get("tool_choice", {}).get("type") in ("any", "tool"):
            yield "Thinking may not be enabled when tool_choice forces tool use"
    if kind not in ("enabled", "adaptive", "disabled"):
        yield f"thinking.type: {kind}"
    if kind != "disabled" and body.get("temperature", 1) != 1:
        yield "`temperature` may only be set to 1 when thinking is enabled"


def _tools(body: Mapping[str, Any]) -> Iterator[str]:
    tools = body.get("tools", [])
    if not tools and "tool_choice" in body:
        yield "tool_choice may only be given with tools"
    used = any(
        block["type"] in ("tool_use", "tool_result")
        for message in body.get("messages", [])
        for block in message["content"]
    )
    if used and not tools:
        yield "Requests which include `tool_use` or `tool_result` blocks must define tools"
    for tool in tools:
        if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", tool.get("name", "")):
            yield f"tools: {tool.get('name')} is no name"
        if tool.get("input_schema", {}).get("type") != "object":
            yield "tools: input_schema.type must be object"
    if sum(bool(tool.get("strict")) for tool in tools) > 20:
        yield "too many strict tools"


def _messages(messages: list[Any], body: Mapping[str, Any]) -> Iterator[str]:
    if messages and messages[0]["role"] != "user":
        yield "messages: the first is not the user's"
    before, open_calls = "", list[str]()
    every = [block["id"] for m in messages for block in m["content"] if block["type"] == "tool_use"]
    if len(set(every)) < len(every):
        yield "messages: `tool_use` ids must be unique"
    for number, message in enumerate(messages):
        role, content = message["role"], message["content"]
        if role == before:
            yield f"messages.{number}: roles must alternate"
        before = role
        if not isinstance(content, list) or not content:
            yield f"messages.{number}: content is empty"
            continue
        results = [block["tool_use_id"] for block in content if block["type"] == "tool_result"]
        if results != open_calls:
            yield f"messages.{number}: results of {results}, and calls {open_calls} are open"
        first = [block["type"] for block in content[: len(results)]]
        if first != ["tool_result"] * len(results):
            yield f"messages.{number}: results must come first"
        open_calls = [block["id"] for block in content if block["type"] == "tool_use"]
        for block in content:
            yield from (f"messages.{number}: {what}" for what in _block(block, role))
    if open_calls:
        yield f"no results of {open_calls}"
    if messages and messages[-1]["role"] != "user":
        yield "messages: the last is not the user's"
    if (
        body.get("thinking", {}).get("type") == "enabled"
        and len(messages) > 1
        and messages[-1]["content"][0]["type"] == "tool_result"
        and not messages[-2]["content"][0]["type"].endswith("thinking")
    ):
        yield "Expected `thinking` or `redacted_thinking`, but found another block"


def _block(block: Mapping[str, Any], role: str) -> Iterator[str]:
    kind = block["type"]
    if kind not in _KINDS[role]:
        yield f"{role} has no block {kind}"
    match kind:
        case "text" if not block["text"].strip():
            yield "text content blocks must be non-empty"
        case "tool_use" if not isinstance(block["input"], dict):
            yield "tool_use.input is no object"
        case "thinking" if "signature" not in block or "cache_control" in block:
            yield "thinking: a signature is required, and no mark"
        case "tool_result" if block.get("is_error") and not block.get("content"):
            yield "content cannot be empty if `is_error` is true"
        case "image" if block["source"]["type"] == "base64" and not block["source"]["data"]:
            yield "image: no data"
    if kind == "tool_use" and not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", block["id"]):
        yield f"tool_use.id: {block['id']} should match pattern '^[a-zA-Z0-9_-]+$'"
    if kind == "tool_use" and not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", block["name"]):
        yield f"tool_use.name: {block['name']}"


def event(data: Mapping[str, Any]) -> bytes:
    """Return the bytes of an event."""
    return f"event: {data['type']}\ndata: {json.dumps(data)}\n\n".encode()


def events(
    *blocks: Iterable[Event],
    stop: str = "end_turn",
    usage: Mapping[str, Any] | None = None,
    start: Mapping[str, Any] | None = None,
) -> list[Event]:
    """Return the events of a reply of `blocks`.

    Args:
        blocks: Each the events of one block, without their index.
        stop: The stop reason.
        usage: The counts of the end.
        start: The counts of the start.
    """
    counts = {"input_tokens": 10, "output_tokens": 1, **(start or {})}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "served-model"}
    found: list[Event] = [
        {"type": "message_start", "message": {**message, "content": [], "usage": counts}},
        {"type": "ping"},
    ]
    for index, block in enumerate(blocks):
        found += [{**one, "index": index} for one in block]
        found.append({"type": "content_block_stop", "index": index})
    end = {"stop_reason": stop, "stop_sequence": None}
    found.append({"type": "message_delta", "delta": end, "usage": usage or {"output_tokens": 5}})
    return [*found, {"type": "message_stop"}]


def said(
    *blocks: Iterable[Event],
    stop: str | None = None,
    usage: Mapping[str, Any] | None = None,
    start: Mapping[str, Any] | None = None,
    **reply: Any,
) -> Reply:
    """Return a reply of the server."""
    whole = [list(block) for block in blocks]
    calls = any(block[0]["content_block"]["type"] == "tool_use" for block in whole)
    reason = stop or ("tool_use" if calls else "end_turn")
    parts = [event(one) for one in events(*whole, stop=reason, usage=usage, start=start)]
    return Reply(parts=parts, **reply)


def text(*pieces: str) -> list[Event]:
    """Return the events of a text."""
    return [
        {"type": "content_block_start", "content_block": {"type": "text", "text": ""}},
        *(_delta("text_delta", "text", piece) for piece in pieces),
    ]


def thinking(*pieces: str, signature: str = "c2ln") -> list[Event]:
    """Return the events of thinking."""
    block = {"type": "thinking", "thinking": "", "signature": ""}
    found = [
        {"type": "content_block_start", "content_block": block},
        *(_delta("thinking_delta", "thinking", piece) for piece in pieces),
    ]
    return [*found, _delta("signature_delta", "signature", signature)] if signature else found


def call(name: str, *pieces: str, id: str = "toolu_1") -> list[Event]:  # noqa: A002 -- the field's name
    """Return the events of a call."""
    block = {"type": "tool_use", "id": id, "name": name, "input": {}}
    return [
        {"type": "content_block_start", "content_block": block},
        *(_delta("input_json_delta", "partial_json", piece) for piece in pieces),
    ]


def _delta(kind: str, field: str, piece: str) -> Event:
    return {"type": "content_block_delta", "delta": {"type": kind, field: piece}}


#: The protocol; its paths begin with `/v1`.
MESSAGES = Api(_problems, "", ("x-api-key", ""), _error)
