"""Google's generateContent on the scripted server: what a strict one demands of a request, and its chunks.

with ChatServer([said(part("hello"))], api=GENERATE) as server: ...
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from tests.servers.api import Api
from tests.servers.script import Reply

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["GENERATE", "call", "chunk", "part", "said", "sse", "thought"]

Part = dict[str, Any]
Chunk = dict[str, Any]

_PATH = re.compile(r"/v1(beta)?(/[a-z0-9./_-]+)?/models/[^/?]+:streamGenerateContent\?alt=sse")
_FIELDS = {
    *("contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "safetySettings"),
    *("cachedContent", "serviceTier", "labels"),
}
_GENERATION = {
    *("temperature", "topP", "topK", "maxOutputTokens", "stopSequences", "seed", "thinkingConfig"),
}
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")
_STAND_IN = "skip_thought_signature_validator"


def _problems(method: str, path: str, headers: Mapping[str, str], raw: bytes) -> Iterator[str]:
    """Yield what is wrong with a request."""
    if method != "POST" or not _PATH.fullmatch(path):
        yield f"no such path: {method} {path}"
    if headers.get("content-type") != "application/json":
        yield "the content type is not application/json"
    if "x-goog-api-key" in headers and "authorization" in headers:
        yield "two keys"
    body = json.loads(raw.decode("utf-8"))
    yield from (f'Unknown name "{field}"' for field in body.keys() - _FIELDS)
    generation = body.get("generationConfig", {})
    yield from (f'Unknown name "{field}"' for field in generation.keys() - _GENERATION)
    yield from _thinking(generation.get("thinkingConfig", {}))
    yield from _tools(body)
    yield from _contents(body.get("contents", []))
    for item in body.get("systemInstruction", {}).get("parts", ()):
        if not item.get("text"):
            yield "systemInstruction: an empty part"


def _thinking(thinking: Mapping[str, Any]) -> Iterator[str]:
    if "thinkingBudget" in thinking and "thinkingLevel" in thinking:
        yield "You can only set one of thinking budget and thinking level"
    if thinking.get("thinkingLevel", "LOW") not in ("MINIMAL", "LOW", "MEDIUM", "HIGH"):
        yield "Invalid value at thinking_level"
    if thinking.get("thinkingBudget", 0) < -1:
        yield "The thinking budget is invalid"


def _tools(body: Mapping[str, Any]) -> Iterator[str]:
    names = []
    for tool in body.get("tools", ()):
        for declared in tool["functionDeclarations"]:
            names.append(declared["name"])
            if "parametersJsonSchema" not in declared or not declared.get("description"):
                yield f"{declared['name']}: no description or schema"
    calling = body.get("toolConfig", {}).get("functionCallingConfig")
    if calling is not None:
        if not names:
            yield "toolConfig without tools"
        if calling["mode"] not in ("AUTO", "ANY", "NONE", "VALIDATED"):
            yield f"mode {calling['mode']}"
        if not set(calling.get("allowedFunctionNames", ())) <= set(names):
            yield "allowedFunctionNames names no tool"


def _contents(contents: list[Any]) -> Iterator[str]:
    if not contents or contents[0]["role"] != "user":
        yield "contents: the first is not the user's"
    open_calls: list[tuple[str, str | None]] = []
    before, answers = "", False
    for number, content in enumerate(contents):
        role, parts = content["role"], content.get("parts")
        if role not in ("user", "model") or not parts:
            yield f"contents[{number}]: {role} without parts"
            continue
        found = [part["functionResponse"] for part in parts if "functionResponse" in part]
        if role == before and not answers:
            yield f"contents[{number}]: roles must alternate"
        before, answers = role, bool(found)
        given = [(one["name"], one.get("id")) for one in found]
        if given != open_calls:
            yield f"contents[{number}]: the responses {given} do not fit the calls {open_calls}"
        if found and len(found) != len(parts):
            yield f"contents[{number}]: responses and other parts"
        calls = [part["functionCall"] for part in parts if "functionCall" in part]
        open_calls = [(one["name"], one.get("id")) for one in calls]
        for one in parts:
            yield from (f"contents[{number}]: {what}" for what in _part(one, role))
    if open_calls:
        yield f"no responses of {open_calls}"
    if before == "model":
        yield "contents: the last is not the user's"


def _part(item: Mapping[str, Any], role: str) -> Iterator[str]:
    kinds = item.keys() & {"text", "inlineData", "functionCall", "functionResponse"}
    signature = item.get("thoughtSignature", "")
    if len(kinds) != 1:
        yield f"a part of the kinds {sorted(kinds)}"
    if item.get("text") == "" and not signature:
        yield "an empty text part"
    if signature and not (_BASE64.fullmatch(signature) or signature == _STAND_IN):
        yield "thoughtSignature is no base64"
    if role == "user" and (signature or item.get("thought") or "functionCall" in item):
        yield "a part of the model"
    for name in ("functionCall", "functionResponse"):
        if name in item and not re.fullmatch(r"[a-zA-Z_][\w.:-]{0,63}", item[name]["name"]):
            yield f"{item[name]['name']} is no name"
    if "functionCall" in item and not isinstance(item["functionCall"]["args"], dict):
        yield "args is no object"
    if "functionResponse" in item:
        response = item["functionResponse"]["response"]
        if not isinstance(response, dict) or not response.keys() <= {"output", "error"}:
            yield "response is neither an output nor an error"


def _error(status: int, message: str, _code: str) -> dict[str, Any]:
    words = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 500: "INTERNAL"}
    return {"error": {"code": status, "message": message, "status": words[status]}}


def part(text: str, *, signature: str = "") -> Part:
    """A text part."""
    return {"text": text, **({"thoughtSignature": signature} if signature else {})}


def thought(text: str, *, signature: str = "") -> Part:
    """A part of a summary of thoughts."""
    return {**part(text, signature=signature), "thought": True}


def call(name: str, args: object, *, id: str = "", signature: str = "") -> Part:  # noqa: A002 -- the field's name
    """A call."""
    found: Part = {"functionCall": {"name": name, "args": args, **({"id": id} if id else {})}}
    return {**found, **({"thoughtSignature": signature} if signature else {})}


def chunk(*parts: Part, finish: str = "", **more: Any) -> Chunk:
    """A chunk of a reply."""
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    return {
        "candidates": [candidate],
        "modelVersion": "served-model",
        "responseId": "resp_1",
        **more,
    }


def said(
    *parts: Part, finish: str = "STOP", usage: Mapping[str, Any] | None = None, **reply: Any
) -> Reply:
    """A reply of these parts, one a chunk, and the finish reason with the counts in the last."""
    counts = usage or {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    chunks = [chunk(one) for one in parts]
    return sse(*chunks, chunk(finish=finish, usageMetadata=counts), **reply)


def sse(*chunks: Chunk | bytes, **reply: Any) -> Reply:
    """A reply that sends these chunks."""
    return Reply(parts=list(map(_event, chunks)), **reply)


def _event(one: Chunk | bytes) -> bytes:
    return one if isinstance(one, bytes) else f"data: {json.dumps(one)}\r\n\r\n".encode()


#: The protocol.
GENERATE = Api(_problems, "/v1beta", ("x-goog-api-key", ""), _error)
