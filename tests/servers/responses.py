"""OpenAI's Responses on the scripted server: what a strict one demands of a request, and the events that it sends.

with ChatServer([said("hello")], api=RESPONSES) as server: ...
"""

from __future__ import annotations

import base64
import json
import re
from typing import TYPE_CHECKING, Any

from tests.servers.api import Api
from tests.servers.script import Reply

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = [
    "AZURE",
    "CODEX",
    "RESPONSES",
    "call",
    "chatgpt_token",
    "events",
    "reasoning",
    "said",
    "sse",
    "text",
]

Item = dict[str, Any]
USAGE = {
    "input_tokens": 100,
    "input_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 10},
    "output_tokens": 20,
    "output_tokens_details": {"reasoning_tokens": 5},
    "total_tokens": 120,
}


def text(said: str, *, id_: str = "msg_1", phase: str | None = None) -> Item:
    """A message item."""
    part = {"type": "output_text", "text": said, "annotations": []}
    more = {} if phase is None else {"phase": phase}
    return {"type": "message", "id": id_, "role": "assistant", "content": [part], **more}


def reasoning(*summary: str, id_: str = "rs_1", encrypted: str | None = "sealed") -> Item:
    """A reasoning item."""
    parts = [{"type": "summary_text", "text": one} for one in summary]
    return {"type": "reasoning", "id": id_, "summary": parts, "encrypted_content": encrypted}


def call(name: str, arguments: str, *, call_id: str = "call_1", id_: str = "fc_1") -> Item:
    """A function call item."""
    return {
        "type": "function_call",
        "id": id_,
        "call_id": call_id,
        "name": name,
        "arguments": arguments,
    }


def said(*texts: str, **more: Any) -> Reply:
    """A reply of one message; each text is one delta."""
    return sse(events([text("".join(texts))], pieces={0: texts}, **more))


def sse(found: Iterable[Mapping[str, Any] | bytes], **more: Any) -> Reply:
    """A reply that sends these events."""
    parts = tuple(one if isinstance(one, bytes) else _event(one) for one in found)
    return Reply(parts=parts, **more)


def events(
    items: Iterable[Item],
    *,
    pieces: Mapping[int, Iterable[str]] | None = None,
    status: str = "completed",
    usage: Mapping[str, Any] | None = USAGE,
    **response: Any,
) -> list[dict[str, Any]]:
    """The events of a response, in the real order; `pieces` are the deltas of an item's text by its place."""
    items = list(items)
    base = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "gpt-x",
        "status": "in_progress",
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    found: list[dict[str, Any]] = [
        {"type": "response.created", "response": {**base, "output": []}},
        {"type": "response.in_progress", "response": {**base, "output": []}},
    ]
    for place, item in enumerate(items):
        cut = None if pieces is None or place not in pieces else list(pieces[place])
        found += _item_events(place, item, cut)
    whole = {**base, "status": status, "output": items, "usage": usage, **response}
    found.append({"type": f"response.{status}", "response": whole})
    return [{**event, "sequence_number": number} for number, event in enumerate(found)]


def chatgpt_token(account: object = "acc-1") -> str:
    """An access token of a ChatGPT sign-in."""
    claims = json.dumps({"https://api.openai.com/auth": {"chatgpt_account_id": account}, "x": "ü"})
    middle = base64.urlsafe_b64encode(claims.encode()).decode().rstrip("=")
    return f"head.{middle}.signature"


def _item_events(place: int, item: Item, pieces: list[str] | None) -> Iterator[dict[str, Any]]:
    at = {"output_index": place, "item_id": item["id"]}
    empty = {**item, "status": "in_progress"}
    match item["type"]:
        case "message":
            yield {"type": "response.output_item.added", **at, "item": {**empty, "content": []}}
            part = item["content"][0]
            where = {**at, "content_index": 0}
            yield {"type": "response.content_part.added", **where, "part": {**part, "text": ""}}
            for piece in pieces if pieces is not None else [part["text"]]:
                yield {"type": "response.output_text.delta", **where, "delta": piece}
            yield {"type": "response.output_text.done", **where, "text": part["text"]}
            yield {"type": "response.content_part.done", **where, "part": part}
        case "reasoning":
            gone: Item = {"summary": [], "encrypted_content": None}
            yield {"type": "response.output_item.added", **at, "item": {**empty, **gone}}
            for number, part in enumerate(item["summary"]):
                where = {**at, "summary_index": number}
                name = "response.reasoning_summary"
                yield {"type": f"{name}_part.added", **where, "part": {**part, "text": ""}}
                yield {"type": f"{name}_text.delta", **where, "delta": part["text"]}
                yield {"type": f"{name}_text.done", **where, "text": part["text"]}
                yield {"type": f"{name}_part.done", **where, "part": part}
        case "function_call":
            yield {"type": "response.output_item.added", **at, "item": {**empty, "arguments": ""}}
            name = "response.function_call_arguments"
            for piece in pieces if pieces is not None else [item["arguments"]]:
                yield {"type": f"{name}.delta", **at, "delta": piece}
            yield {"type": f"{name}.done", **at, "arguments": item["arguments"]}
        case _:
            yield {"type": "response.output_item.added", **at, "item": empty}
    yield {"type": "response.output_item.done", **at, "item": {**item, "status": "completed"}}


def _event(value: Mapping[str, Any]) -> bytes:
    try:
        data = json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        data = json.dumps(value).encode()  # half a character can only be spelled as an escape
    return b"event: %s\ndata: %s\n\n" % (str(value.get("type", "x")).encode(), data)


def problems(method: str, path: str, headers: Mapping[str, str], raw: bytes) -> Iterator[str]:
    """Yield what OpenAI refuses in a request of a client that stores nothing."""
    if path.partition("?")[0] != "/v1/responses":
        yield f"no such path: {path}"
    yield from _common(method, headers, raw)
    if "instructions" in json.loads(raw) and not json.loads(raw)["instructions"]:
        yield "instructions is empty"


def azure_problems(method: str, path: str, headers: Mapping[str, str], raw: bytes) -> Iterator[str]:
    """Yield what Azure refuses."""
    if path != "/openai/v1/responses?api-version=v1":
        yield f"no such path: {path}"
    if "authorization" in headers:
        yield "the key stands in authorization"
    yield from _common(method, headers, raw)


def codex_problems(method: str, path: str, headers: Mapping[str, str], raw: bytes) -> Iterator[str]:
    """Yield what the ChatGPT backend refuses."""
    if path != "/codex/responses":
        yield f"no such path: {path}"
    for name in ("chatgpt-account-id", "originator", "openai-beta"):
        if not headers.get(name):
            yield f"the header {name} is missing"
    yield from _common(method, headers, raw)
    body = json.loads(raw)
    if not body.get("instructions"):
        yield "instructions are needed"
    if body.get("store") is not False:
        yield "store must be false"
    for name in ("max_output_tokens", "previous_response_id", "prompt_cache_options"):
        if name in body:
            yield f"unsupported parameter: {name}"
    if b"prompt_cache_breakpoint" in raw:
        yield "unsupported parameter: prompt_cache_breakpoint"


def _common(method: str, headers: Mapping[str, str], raw: bytes) -> Iterator[str]:
    if method != "POST":
        yield f"the method is {method}, not POST"
    if headers.get("content-type") != "application/json":
        yield "the content type is not application/json"
    body = json.loads(raw.decode("utf-8"))
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield "model is not a name"
    if body.get("max_output_tokens", 16) < 16:
        yield "max_output_tokens is below 16"
    if body.get("stream") is not True:
        yield "this server only streams"
    for tool in body.get("tools", ()):
        yield from _tool(tool)
    if not isinstance(body.get("input"), list) or not body["input"]:
        yield "input is not a list with an item"
        return
    yield from _input(body["input"])


def _tool(tool: Any) -> Iterator[str]:
    if tool.get("type") != "function" or "function" in tool:
        yield "a tool is not a flat function"
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", str(tool.get("name"))):
        yield f"{tool.get('name')!r} is no tool name"
    if "strict" not in tool:
        yield f"{tool.get('name')} does not say whether it is strict"
    schema = tool.get("parameters")
    if not isinstance(schema, dict):
        yield f"the parameters of {tool.get('name')} are not a schema"
    elif tool.get("strict") and not _is_strict(schema):
        yield f"the schema of {tool['name']} is not strict"


def _is_strict(schema: Mapping[str, Any]) -> bool:
    properties = schema.get("properties", {})
    closed = schema.get("additionalProperties") is False
    objects = [one for one in properties.values() if one.get("type") == "object"]
    return closed and list(properties) == schema.get("required") and all(map(_is_strict, objects))


def _input(items: list[Any]) -> Iterator[str]:
    open_calls: dict[str, str] = {}
    before = None
    for number, item in enumerate(items):
        kind, role = item.get("type", "message"), item.get("role")
        if before == "reasoning" and kind not in (
            "reasoning",
            "message",
            "function_call",
            "custom_tool_call",
        ):
            yield f"input[{number - 1}]: reasoning without the item that it led to"
        if kind == "message" and role != "assistant" and before == "reasoning":
            yield f"input[{number - 1}]: reasoning without the item that it led to"
        match kind:
            case "message":
                if open_calls and role != "assistant":  # a reply can have text after its calls
                    yield f"input[{number}] comes before the outputs of {', '.join(open_calls)}"
                    open_calls = {}
                yield from _message(number, item)
            case "reasoning":
                if not item.get("encrypted_content"):
                    yield f"input[{number}]: {item.get('id')} is not stored"
                if "status" in item or not isinstance(item.get("summary"), list):
                    yield f"input[{number}]: no reasoning item"
            case "function_call" | "custom_tool_call":
                call_id = item.get("call_id")
                if not isinstance(call_id, str) or not 0 < len(call_id) <= 64:
                    yield f"input[{number}]: {call_id!r} is no call id"
                if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", str(item.get("name"))):
                    yield f"input[{number}]: {item.get('name')!r} is no name of a call"
                if call_id in open_calls:
                    yield f"input[{number}]: {call_id} is there twice"
                if not str(item.get("id", "fc_")).startswith(("fc_", "ctc_")):
                    yield f"input[{number}]: {item['id']!r} is no item id"
                open_calls[str(call_id)] = kind
            case "function_call_output" | "custom_tool_call_output":
                if open_calls.pop(item.get("call_id"), "") != kind.removesuffix("_output"):
                    yield f"input[{number}] answers no open call"
                if not item.get("output"):
                    yield f"input[{number}] has no output"
            case "compaction":
                pass
            case _:
                yield f"input[{number}]: {kind!r} is no item"
        before = kind
    if open_calls:
        yield f"no outputs of {', '.join(open_calls)}"
    if before == "reasoning":
        yield "reasoning is the last item"


def _message(number: int, item: Any) -> Iterator[str]:
    content, role = item.get("content"), item.get("role")
    if role not in ("user", "system", "developer", "assistant"):
        yield f"input[{number}]: {role!r} is no role"
    kinds = {"output_text"} if role == "assistant" else {"input_text", "input_image"}
    if isinstance(content, str):
        parts: list[Any] = []
    else:
        parts = content or [{}]
    if content == "" or not all(part.get("type") in kinds for part in parts):
        yield f"input[{number}]: the content is wrong"
    if role == "assistant" and not str(item.get("id")).startswith("msg_"):
        yield f"input[{number}]: {item.get('id')!r} is no message id"
    if any(part.get("type") == "input_text" and not part.get("text") for part in parts):
        yield f"input[{number}]: an empty text"


RESPONSES = Api(problems)
AZURE = Api(azure_problems, "", ("api-key", ""))
CODEX = Api(codex_problems, "")
