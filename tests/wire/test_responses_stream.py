"""Responses over a loopback socket: what goes out, what fails and how, what it leaves behind."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from eukhe.wire.errors import ErrorKind
from eukhe.wire.events import Event, TextDelta
from eukhe.wire.messages import StopReason, ToolResultMessage, ToolSpec, UserMessage
from eukhe.wire.openai_responses import Compat, stream
from eukhe.wire.request import Limits, Options, Request
from tests.servers.chat import ChatServer, Reply
from tests.servers.responses import RESPONSES, call, events, reasoning, said, sse, text
from tests.wire.asking import ask, heard, recorded
from tests.wire.helpers import HELLO, KEY, QUICK, failure, message

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

_ASK = Request("", "m", HELLO, api_key=KEY, provider="p")
_TOOL = ToolSpec(
    "read",
    "",
    {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
)


def asked(reply: Reply, request: Request = _ASK, **compat: Any) -> list[Event]:
    return ask(partial(stream, compat=Compat(**compat)), reply, RESPONSES, request)


def test_the_request_as_a_server_gets_it() -> None:
    options = Options(session="s" * 65, cache="long")
    request = replace(_ASK, options=options, headers={"X-Title": "t"})
    compat = Compat(affinity="openai")
    got = recorded(partial(stream, compat=compat), said("ok"), RESPONSES, request)
    assert (got.path, got.headers["authorization"]) == ("/v1/responses", f"Bearer {KEY}")
    assert (got.headers["x-title"], got.headers["accept"]) == ("t", "text/event-stream")
    for name in ("session_id", "x-client-request-id", "x-session-affinity"):
        assert got.headers[name] == "s" * 65
    assert len(got.body["prompt_cache_key"]) == 64
    assert got.body["prompt_cache_retention"] == "24h"
    assert KEY.encode() not in got.raw


def test_nothing_of_a_session_is_sent_where_nothing_is_to_be_cached() -> None:
    options = Options(session="s", cache="none")
    compat = Compat(affinity="openai", cache_breakpoints=True)
    request = replace(_ASK, options=options)
    got = recorded(partial(stream, compat=compat), said("ok"), RESPONSES, request)
    assert "session_id" not in got.headers
    assert set(got.body) == {"model", "input", "stream", "store"}
    assert b"breakpoint" not in got.raw


@pytest.mark.parametrize("piece", [1, 7, 4096])
def test_the_reply_is_the_same_however_it_is_cut(piece: int) -> None:
    found = events([reasoning("hm 🤔"), text("Zwölf €"), call("read", '{"a": "é", "b": null}')])
    request = replace(_ASK, tools=(_TOOL,))
    reply = message(asked(sse(found, piece=piece), request))
    assert (reply.thinking, reply.text, reply.stop) == ("hm 🤔", "Zwölf €", StopReason.TOOL_USE)
    assert json.loads(reply.calls[0].arguments) == {"a": "é"}
    assert reply == message(asked(sse(found), request))


def test_a_whole_conversation_goes_back_and_forth() -> None:
    first = events([reasoning("hm"), call("read", '{"a": "x", "b": null}')])
    with ChatServer([sse(first), said("done")], api=RESPONSES) as server:
        request = replace(_ASK, base_url=server.base_url, tools=(_TOOL,))
        reply = message(heard(stream(request)))
        result = ToolResultMessage.of(reply.calls[0], "r")
        request = replace(request, messages=(*HELLO, reply, result))
        assert message(heard(stream(request))).text == "done"
        assert server.problems == ()
        second = server.requests[1].body["input"]
    kinds = [item.get("type") for item in second]
    assert kinds == [None, "reasoning", "function_call", "function_call_output"]
    assert second[1] == reasoning("hm")
    assert (second[2]["id"], second[2]["call_id"]) == ("fc_1", "call_1")


@pytest.mark.parametrize("end", ["cut", "reset", "whole"])
def test_a_stream_that_breaks_off_keeps_what_came(end: Any) -> None:
    found = events([text("Hello there")], pieces={0: ["Hello ", "there"]})
    body = b"".join(sse(found).body(""))
    place = body.index(b"there")
    got = asked(Reply(parts=(body,), sent=place, end=end))
    assert failure(got).kind in (ErrorKind.STREAM_ENDED, ErrorKind.NETWORK)
    partial_reply = getattr(got[-1], "partial", None)
    assert partial_reply is not None
    assert (partial_reply.text, partial_reply.stop) == ("Hello ", StopReason.ERROR)


def test_another_item_in_the_place_of_reasoning_is_not_taken_for_what_was_thought() -> None:
    found = events([reasoning("hm"), text("Hello")])
    found[-1]["response"]["output"][0] = text("x")
    reply = message(asked(sse(found)))
    sealed = {"type": "reasoning", "id": "rs_1", "encrypted_content": "sealed"}
    assert sealed.items() <= json.loads(reply.content[0].replay).items()
    assert "content" not in json.loads(reply.content[0].replay)


def test_a_connection_that_breaks_after_the_end_costs_nothing() -> None:
    found = sse(events([text("ok")]))
    size = len(b"".join(found.body("")))
    assert message(asked(replace(found, sent=size, end="reset"))).text == "ok"


@pytest.mark.parametrize(
    ("reply", "kind", "said_"),
    [
        (
            Reply(
                status=401,
                json={"error": {"message": f"Incorrect key {KEY}", "code": "invalid_api_key"}},
            ),
            ErrorKind.AUTH,
            "[hidden]",
        ),
        (
            Reply(
                status=429,
                headers={"retry-after": "7"},
                json={"error": {"code": "rate_limit_exceeded", "message": "slow"}},
            ),
            ErrorKind.RATE_LIMIT,
            "slow",
        ),
        (
            Reply(status=429, json={"error": {"code": "insufficient_quota", "message": "pay"}}),
            ErrorKind.PAYMENT_REQUIRED,
            "pay",
        ),
        (
            Reply(
                status=400,
                json={"error": {"code": "context_length_exceeded", "message": "too long"}},
            ),
            ErrorKind.CONTEXT_OVERFLOW,
            "too long",
        ),
        (Reply(json={"hello": 1}), ErrorKind.PROTOCOL, "event stream"),
    ],
)
def test_a_refusal_is_an_error_of_its_kind_and_shows_no_key(
    reply: Reply, kind: ErrorKind, said_: str
) -> None:
    error = failure(asked(reply))
    assert error.kind is kind
    assert said_ in error.message
    assert KEY not in f"{error} {error.provider_message} {error!r}"
    assert error.retry_after == (7.0 if kind is ErrorKind.RATE_LIMIT else None)


def test_a_server_that_goes_silent_or_never_ends_is_left() -> None:
    found = sse(events([text("ok")]), sent=300, end="hang")
    error = failure(asked(found, replace(_ASK, timeouts=QUICK)))
    assert error.kind is ErrorKind.TIMEOUT
    error = failure(asked(said("x" * 5000), replace(_ASK, limits=Limits(reply=3000))))
    assert error.kind is ErrorKind.PROTOCOL


def test_a_tool_that_cannot_be_strict_as_it_must_fails_before_anything_is_sent() -> None:
    tool = ToolSpec("t", "", {"type": "object", "not": {}}, strict=True)
    with ChatServer([said("ok")], api=RESPONSES) as server:
        request = replace(_ASK, base_url=server.base_url, tools=(tool,))
        error = failure(heard(stream(request)))
        assert server.requests == []
    assert error.kind is ErrorKind.INVALID_REQUEST


def test_closing_the_stream_closes_the_connection() -> None:
    found = events([text("ab")], pieces={0: ["a", "b"]})
    body = b"".join(sse(found).body(""))

    async def run(events_: AsyncGenerator[Event, None]) -> None:
        async with aclosing(events_) as opened:
            async for event in opened:
                if isinstance(event, TextDelta):
                    return

    reply = Reply(parts=(body,), sent=body.index(b'"b"'), end="hang")
    with ChatServer([reply], api=RESPONSES) as server:
        request = Request(server.base_url, "m", (UserMessage.of("x"),))
        asyncio.run(run(stream(request)))
        assert server.hung_up.wait(5)


def test_importing_the_wire_api_imports_no_http_client() -> None:
    import subprocess
    import sys

    code = "import sys, eukhe.wire.openai_responses; print(*{'httpx', 'ssl'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
