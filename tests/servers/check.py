"""What the chat server demands of a request: the rules that strict servers hold a client to."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@dataclass(frozen=True)
class Recorded:
    """A request that came in.

    Attributes:
        method: The method.
        path: The path, query included.
        headers: The headers, names in lower case.
        raw: The body as it came.
        problems: What a strict server would refuse it for.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    raw: bytes
    problems: tuple[str, ...] = ()

    @property
    def body(self) -> Any:
        """The body, read as JSON."""
        return json.loads(self.raw)


def problems(method: str, path: str, headers: Mapping[str, str], raw: bytes) -> Iterator[str]:
    """Yield what is wrong with a request."""
    if method != "POST":
        yield f"the method is {method}, not POST"
    if not path.partition("?")[0].endswith("/chat/completions"):
        yield f"no such path: {path}"
    if headers.get("content-type", "").partition(";")[0] != "application/json":
        yield "the content type is not application/json"
    try:
        body = json.loads(raw.decode("utf-8"), parse_constant=_refuse)
    except ValueError as error:
        yield f"the body is not JSON: {error}"
        return
    if not isinstance(body, dict):
        yield "the body is not an object"
        return
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield "model is not a name"
    if not isinstance(body.get("stream", False), bool):
        yield "stream is not a bool"
    yield from _tools(body)
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        yield "messages is not a list with an item"
    else:
        yield from _messages(messages)


def _tools(body: Mapping[str, Any]) -> Iterator[str]:
    if "tools" not in body:
        if "tool_choice" in body:
            yield "tool_choice without tools"
        return
    if not isinstance(body["tools"], list) or not body["tools"]:
        yield "tools is not a list with an item"
        return
    for tool in body["tools"]:
        function = tool.get("function", {})
        if tool.get("type") != "function" or not isinstance(function, dict):
            yield "a tool is not a function"
        elif not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", str(function.get("name"))):
            yield f"{function.get('name')!r} is no tool name"
        elif not isinstance(function.get("parameters"), dict):
            yield f"the parameters of {function['name']} are not a schema"


def _messages(messages: list[Any]) -> Iterator[str]:
    open_calls: list[str] = []
    for number, message in enumerate(messages):
        role = message.get("role") if isinstance(message, dict) else None
        content = message.get("content") if isinstance(message, dict) else None
        if role == "tool":
            if message.get("tool_call_id") not in open_calls:
                yield f"messages[{number}] answers no open call"
            else:
                open_calls.remove(message["tool_call_id"])
            if not content or not (isinstance(content, str) or _is_marked(content)):
                yield f"messages[{number}] has no text"
            continue
        if open_calls:
            yield f"messages[{number}] comes before the results of {', '.join(open_calls)}"
            open_calls = []
        match role:
            case "system" | "developer":
                if not (isinstance(content, str) or _is_marked(content)):
                    yield f"messages[{number}]: the content is not a text"
            case "user":
                if not isinstance(content, str | list) or not content:
                    yield f"messages[{number}]: the content is neither a text nor parts"
            case "assistant":
                calls = message.get("tool_calls")
                if calls is not None and (not isinstance(calls, list) or not calls):
                    yield f"messages[{number}]: tool_calls is not a list with an item"
                    continue
                if not calls and not (
                    content and (isinstance(content, str) or _is_marked(content))
                ):
                    yield f"messages[{number}]: neither a text nor a call"
                for call in calls or ():
                    if not call.get("id") or call["id"] in open_calls or len(call["id"]) > 40:
                        yield f"messages[{number}]: {call.get('id')!r} is no id of a call"
                    name = str(call.get("function", {}).get("name"))
                    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
                        yield f"messages[{number}]: {name!r} is no name of a call"
                    if not isinstance(call.get("function", {}).get("arguments"), str):
                        yield f"messages[{number}]: the arguments are not a text"
                    open_calls.append(call.get("id", ""))
            case _:
                yield f"messages[{number}]: {role!r} is no role"
    if open_calls:
        yield f"no results of {', '.join(open_calls)}"


def _is_marked(content: Any) -> bool:
    """Whether the content is a text with a cache mark, which only a list of parts can bear."""
    parts = content if isinstance(content, list) and len(content) == 1 else [{}]
    return (
        bool(parts[0].get("text")) and parts[0].get("cache_control", {}).get("type") == "ephemeral"
    )


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")
