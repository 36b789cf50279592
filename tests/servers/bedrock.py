"""Bedrock's Converse on the scripted server: what a strict one demands, and the frames that it sends."""

from __future__ import annotations

import json
import re
import struct
import zlib
from typing import TYPE_CHECKING, Any

from tests.servers.api import Api
from tests.servers.script import Reply

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = [
    "BEDROCK",
    "SIGNED",
    "call",
    "events",
    "exception",
    "frame",
    "frames",
    "said",
    "text",
    "thought",
]

Event = tuple[str, dict[str, Any]]
USAGE = {
    "inputTokens": 100,
    "outputTokens": 20,
    "totalTokens": 190,
    "cacheReadInputTokens": 40,
    "cacheWriteInputTokens": 30,
    "cacheDetails": [{"ttl": "5m", "inputTokens": 20}, {"ttl": "1h", "inputTokens": 10}],
}


def text(*pieces: str) -> list[dict[str, Any]]:
    """The deltas of a text block."""
    return [{"text": piece} for piece in pieces]


def thought(*pieces: str, signature: str = "", redacted: str = "") -> list[dict[str, Any]]:
    """The deltas of a reasoning block."""
    found: list[dict[str, Any]] = [{"text": piece} for piece in pieces]
    if signature:
        found.append({"signature": signature})
    if redacted:
        found.append({"redactedContent": redacted})
    return [{"reasoningContent": one} for one in found]


def call(name: str, *pieces: str, id_: str = "tooluse_1") -> list[dict[str, Any]]:
    """The start and the deltas of a tool use."""
    start = {"start": {"toolUse": {"toolUseId": id_, "name": name}}}
    return [start, *({"toolUse": {"input": piece}} for piece in pieces)]


def events(*blocks: list[dict[str, Any]], stop: str = "", **metadata: Any) -> list[Event]:
    """The events of a reply, in the real order."""
    found: list[Event] = [("messageStart", {"role": "assistant"})]
    for index, block in enumerate(blocks):
        for part in block:
            at = {"contentBlockIndex": index}
            if "start" in part:
                found.append(("contentBlockStart", {**at, **part}))
            else:
                found.append(("contentBlockDelta", {**at, "delta": part}))
        found.append(("contentBlockStop", {"contentBlockIndex": index}))
    uses = any("start" in block[0] for block in blocks if block)
    found.append(("messageStop", {"stopReason": stop or ("tool_use" if uses else "end_turn")}))
    found.append(("metadata", {"usage": USAGE, "metrics": {"latencyMs": 1}, **metadata}))
    return found


def said(*blocks: list[dict[str, Any]], **more: Any) -> Reply:
    """A reply of these blocks."""
    return frames(events(*blocks, **more))


def frames(found: Iterable[Event | bytes], **more: Any) -> Reply:
    """A reply that sends these events, a frame each."""
    parts = tuple(one if isinstance(one, bytes) else frame(*one) for one in found)
    return Reply(parts=parts, content_type="application/vnd.amazon.eventstream", **more)


def frame(name: str, value: Mapping[str, Any]) -> bytes:
    """One event as a frame."""
    return _frame({":event-type": name, ":message-type": "event"}, _encoded(value))


def exception(name: str, value: Mapping[str, Any]) -> bytes:
    """An exception inside a stream as a frame."""
    return _frame({":exception-type": name, ":message-type": "exception"}, _encoded(value))


def _encoded(value: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(value).encode()


def _frame(headers: Mapping[str, str], payload: bytes) -> bytes:
    packed = b"\x05:bool\x00" + b"\x04:int\x04\x00\x00\x00\x07"  # types that a client passes over
    for name, value in {**headers, ":content-type": "application/json"}.items():
        packed += struct.pack(">B", len(name)) + name.encode() + b"\x07"
        packed += struct.pack(">H", len(value)) + value.encode()
    prelude = struct.pack(">II", 16 + len(packed) + len(payload), len(packed))
    body = prelude + struct.pack(">I", zlib.crc32(prelude)) + packed + payload
    return body + struct.pack(">I", zlib.crc32(body))


def problems(method: str, path: str, headers: Mapping[str, str], raw: bytes) -> Iterator[str]:
    """Yield what Bedrock refuses."""
    if method != "POST" or not re.fullmatch(r"/model/[A-Za-z0-9_.%~-]+/converse-stream", path):
        yield f"no such path: {method} {path}"
    if headers.get("accept") != "application/vnd.amazon.eventstream":
        yield "the answer cannot be an event stream"
    body = json.loads(raw.decode("utf-8"))
    known = {
        *("messages", "system", "inferenceConfig", "toolConfig", "additionalModelRequestFields"),
    }
    for name in sorted(body.keys() - known):
        yield f"unexpected field: {name}"
    tools = body.get("toolConfig", {}).get("tools", [])
    for tool in tools:
        spec = tool.get("toolSpec")
        if spec is None and "cachePoint" not in tool:
            yield "a tool is neither a spec nor a cache point"
        elif spec and not (
            spec.get("description") and spec["inputSchema"]["json"]["type"] == "object"
        ):
            yield f"{spec.get('name')}: no description or schema"
    if "toolConfig" in body and not any("toolSpec" in tool for tool in tools):
        yield "toolConfig without a tool"
    text_ = json.dumps(body["messages"])
    if ("toolUse" in text_ or "toolResult" in text_) and not tools:
        yield "toolConfig is needed where messages hold tool use"
    if json.dumps(body).count('"cachePoint"') > 4:
        yield "more than four cache points"
    yield from _messages(body["messages"])


def _messages(messages: list[Any]) -> Iterator[str]:
    before, open_calls = "assistant", set[str]()
    for number, message in enumerate(messages):
        role, content = message["role"], message["content"]
        if role == before:
            yield f"messages[{number}]: roles must alternate"
        before = role
        results = [block["toolResult"]["toolUseId"] for block in content if "toolResult" in block]
        if set(results) != open_calls or len(results) != len(open_calls):
            yield f"messages[{number}]: the results are not those of the calls before"
        kinds = [next(iter(block)) for block in content]
        if "toolResult" in kinds[len(results) :]:
            yield f"messages[{number}]: results come first"
        open_calls = set()
        if not content or kinds == ["cachePoint"]:
            yield f"messages[{number}] is empty"
        for block in content:
            yield from _block(number, role, block)
            if "toolUse" in block:
                open_calls.add(block["toolUse"]["toolUseId"])
    if open_calls:
        yield f"no results of {sorted(open_calls)}"
    if before == "assistant" and messages:
        yield "the last message is not the user's"


def _block(number: int, role: str, block: Mapping[str, Any]) -> Iterator[str]:
    ((kind, value),) = block.items()
    allowed = {
        "user": {"text", "image", "toolResult", "cachePoint"},
        "assistant": {"text", "toolUse", "reasoningContent"},
    }
    if kind not in allowed[role]:
        yield f"messages[{number}]: {kind} of {role}"
    match kind:
        case "text" if not value.strip():
            yield f"messages[{number}]: a blank text"
        case "toolUse" | "toolResult":
            if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", value["toolUseId"]):
                yield f"messages[{number}]: {value['toolUseId']!r} is no id"
            if kind == "toolUse" and not isinstance(value["input"], dict):
                yield f"messages[{number}]: the input is no object"
            if kind == "toolUse" and not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", value["name"]):
                yield f"messages[{number}]: {value['name']!r} is no tool name"
            if kind == "toolResult" and not value["content"]:
                yield f"messages[{number}]: a result without content"
        case "reasoningContent":
            signed = value.get("reasoningText", {}).get("signature")
            if not (signed or value.get("redactedContent")):
                yield f"messages[{number}]: reasoning without a signature"


def signed_problems(
    method: str, path: str, headers: Mapping[str, str], raw: bytes
) -> Iterator[str]:
    """Yield what Bedrock refuses in a request that is to be signed."""
    form = r"AWS4-HMAC-SHA256 Credential=AKID/\d{8}/([a-z0-9-]+)/bedrock/aws4_request, .*"
    if not re.fullmatch(form, headers.get("authorization", "")):
        yield "the request is not signed"
    if not re.fullmatch(r"\d{8}T\d{6}Z", headers.get("x-amz-date", "")):
        yield "there is no date"
    yield from problems(method, path, headers, raw)


BEDROCK = Api(problems, "")
SIGNED = Api(signed_problems, "")
