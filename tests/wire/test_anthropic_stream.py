"""Anthropic's Messages, heard from a server: every kind of event, and every way in which a reply goes wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eukhe.wire.errors import ErrorKind
from eukhe.wire.events import (
    Done,
    Start,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    UsageUpdate,
)
from eukhe.wire.messages import StopReason, TextBlock, ThinkingBlock, ToolCall, Usage
from eukhe.wire.request import Limits
from tests.servers.anthropic import call, event, events, said, text, thinking
from tests.servers.chat import Reply
from tests.wire.anthropic_helpers import ORIGIN, ask, asked, read
from tests.wire.helpers import KEY, QUICK, cut, failure, message

_START = event(events()[0])


def _raw(*found: dict[str, Any] | bytes) -> Reply:
    return Reply(parts=[one if isinstance(one, bytes) else event(one) for one in found])


def test_every_kind_of_event_is_heard_in_order() -> None:
    found = ask(said(thinking("Let me ", "see."), text("On ", "it."), call("bash", '{"a"', ": 1}")))
    assert [type(one) for one in found] == [
        *(Start, UsageUpdate, ThinkingDelta, ThinkingDelta, TextDelta, TextDelta),
        *(ToolCallStart, ToolCallDelta, ToolCallDelta, UsageUpdate, ToolCallEnd, Done),
    ]
    assert found[0] == Start("served-model", "msg_1")
    assert found[6] == ToolCallStart(0, "toolu_1", "bash")
    reply = message(found)
    assert reply.content == (
        ThinkingBlock("Let me see.", "", '{"signature": "c2ln"}'),
        TextBlock("On it."),
        ToolCall("toolu_1", "bash", '{"a": 1}'),
    )
    assert (reply.stop, reply.origin) == (StopReason.TOOL_USE, ORIGIN)
    assert (reply.served, reply.response_id) == ("served-model", "msg_1")


def test_a_call_without_arguments_has_an_empty_object() -> None:
    for pieces in ((), ("",)):
        assert message(ask(said(call("bash", *pieces)))).calls == (
            ToolCall("toolu_1", "bash", "{}"),
        )


def test_arguments_that_come_whole_at_the_start_are_taken() -> None:
    block = {"type": "tool_use", "id": "t", "name": "bash", "input": {"command": "ls"}}
    found = ask(said([{"type": "content_block_start", "content_block": block}]))
    assert message(found).calls == (ToolCall("t", "bash", '{"command": "ls"}'),)
    assert ToolCallDelta(0, '{"command": "ls"}') in found


def test_redacted_thinking_is_kept_whole_for_the_replay() -> None:
    block = {"type": "redacted_thinking", "data": "c2VhbGVk"}
    found = ask(said([{"type": "content_block_start", "content_block": block}], text("hi")))
    assert message(found).content == (
        ThinkingBlock("", "", '{"data": "c2VhbGVk"}'),
        TextBlock("hi"),
    )
    assert message(found).thinking == ""


def test_each_thinking_block_keeps_its_own_signature() -> None:
    reply = message(ask(said(thinking("a", signature="s1"), thinking("b", signature="s2"))))
    assert [block.replay for block in reply.content if isinstance(block, ThinkingBlock)] == [
        '{"signature": "s1"}',
        '{"signature": "s2"}',
    ]


def test_a_signature_that_comes_in_pieces_is_joined() -> None:
    block = [*thinking("a", signature="s1"), thinking(signature="s2")[-1]]
    assert message(ask(said(block))).content == (ThinkingBlock("a", "", '{"signature": "s1s2"}'),)


def test_counts_overwrite_only_what_they_name() -> None:
    start = {
        "input_tokens": 7,
        "cache_read_input_tokens": 100,
        "cache_creation_input_tokens": 30,
        "cache_creation": {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 20},
        "service_tier": "priority",
    }
    end = {
        "output_tokens": 42,
        "input_tokens": None,
        "output_tokens_details": {"thinking_tokens": 9},
    }
    reply = message(ask(said(text("a"), start=start, usage=end)))
    assert reply.usage == Usage(7, 42, 100, 30, 9, cache_write_1h=20)
    assert reply.service_tier == "priority"


def test_counts_that_lie_do_no_harm() -> None:
    start = {
        "input_tokens": -5,
        "cache_read_input_tokens": "many",
        "cache_creation_input_tokens": 5,
        "cache_creation": {"ephemeral_1h_input_tokens": 10**30},
        "service_tier": ["x"],
    }
    reply = message(ask(said(text("a"), start=start, usage={"output_tokens": True})))
    assert reply.usage == Usage(0, 0, 0, 5, cache_write_1h=5)


@pytest.mark.parametrize(
    ("stop", "found"),
    [
        ("end_turn", StopReason.STOP),
        ("stop_sequence", StopReason.STOP),
        ("pause_turn", StopReason.STOP),
        ("tool_use", StopReason.STOP),
        ("max_tokens", StopReason.LENGTH),
        ("model_context_window_exceeded", StopReason.LENGTH),
    ],
)
def test_stop_reasons(stop: str, found: StopReason) -> None:
    assert message(ask(said(text("a"), stop=stop))).stop is found


def test_calls_decide_the_stop_reason_and_a_reply_that_was_cut_stays_cut() -> None:
    assert message(ask(said(call("bash"), stop="end_turn"))).stop is StopReason.TOOL_USE
    assert message(ask(said(call("bash"), stop="max_tokens"))).stop is StopReason.LENGTH


def test_a_refusal_fails_with_its_reason() -> None:
    end = {
        "type": "message_delta",
        "delta": {
            "stop_reason": "refusal",
            "stop_details": {"category": "cyber", "explanation": "I may not."},
        },
    }
    error = failure(ask(_raw(_START, end, {"type": "message_stop"})))
    assert (error.kind, error.code) == (ErrorKind.SAFETY, "refusal")
    assert error.message == "the model refused to answer: cyber: I may not."
    assert not error.transient


def test_a_stop_reason_that_nobody_knows_is_an_error() -> None:
    error = failure(ask(said(text("a"), stop="tired\x1b[31m")))
    assert (error.kind, error.code) == (ErrorKind.SERVER, "tired [31m")


@pytest.mark.parametrize(
    ("code", "kind", "transient"),
    [
        ("overloaded_error", ErrorKind.OVERLOADED, True),
        ("api_error", ErrorKind.SERVER, True),
        ("rate_limit_error", ErrorKind.RATE_LIMIT, True),
        ("timeout_error", ErrorKind.TIMEOUT, True),
        ("invalid_request_error", ErrorKind.INVALID_REQUEST, False),
        ("authentication_error", ErrorKind.AUTH, False),
        ("billing_error", ErrorKind.PAYMENT_REQUIRED, False),
        ("permission_error", ErrorKind.PERMISSION, False),
        ("not_found_error", ErrorKind.NOT_FOUND, False),
        ("request_too_large", ErrorKind.CONTEXT_OVERFLOW, False),
    ],
)
def test_an_error_in_the_stream_has_its_kind(code: str, kind: ErrorKind, transient: bool) -> None:
    said_so = {"type": "error", "error": {"type": code, "message": "no luck"}}
    unnamed = b"data: %b\n\n" % json.dumps(said_so).encode()
    for reply in (_raw(_START, said_so), _raw(_START, unnamed), Reply(json=said_so)):
        error = failure(ask(reply))
        assert (error.kind, error.code, error.transient) == (kind, code, transient)
        assert error.message.endswith("no luck")


def test_a_prompt_that_is_too_long_is_an_overflow() -> None:
    body = {"type": "error", "error": {"type": "invalid_request_error"}}
    body["error"]["message"] = "prompt is too long: 210000 tokens > 200000 maximum"  # type: ignore[index]  # a dict
    error = failure(ask(Reply(status=400, json=body)))
    assert error.kind is ErrorKind.CONTEXT_OVERFLOW


def test_a_refusal_of_the_server_says_when_to_come_back() -> None:
    body = {"type": "error", "error": {"type": "rate_limit_error", "message": "slow down"}}
    error = failure(ask(Reply(status=429, headers={"Retry-After": "7"}, json=body)))
    assert (error.kind, error.retry_after) == (ErrorKind.RATE_LIMIT, 7.0)


def test_what_is_not_known_is_ignored() -> None:
    strange: list[dict[str, Any]] = [
        {"type": "content_block_start", "index": 0, "content_block": {"type": "server_tool_use"}},
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "input_json_delta", "partial_json": "{}"},
        },
        {"type": "content_block_delta", "index": 0, "delta": {"type": "citations_delta"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "moon_phase", "phase": "full"},
    ]
    first, *rest = events(text("hi"))
    found = ask(_raw(first, b": keep-alive\n\n", *strange, *rest))
    assert message(found).content == (TextBlock("hi"),)


def test_blocks_whose_deltas_are_mixed_stay_apart() -> None:
    a, b = text("a1", "a2"), text("b1", "b2")
    mixed = [{**a[0], "index": 0}, {**b[0], "index": 1}]
    mixed += [
        {**one, "index": i} for pair in zip(a[1:], b[1:], strict=True) for i, one in enumerate(pair)
    ]
    first, *_, delta, stop = events()
    assert message(ask(_raw(first, *mixed, delta, stop))).content == (
        TextBlock("a1a2"),
        TextBlock("b1b2"),
    )


def test_a_delta_without_its_block_is_taken() -> None:
    first, *_, delta, stop = events()
    lone = {**text("hi")[1], "index": 7}
    assert message(ask(_raw(first, lone, delta, stop))).text == "hi"


@pytest.mark.parametrize("missing", [1, 2, 3, 4])
def test_a_stream_that_is_cut_off_fails(missing: int) -> None:
    parts = [event(one) for one in events(text("hello"))]
    found = ask(Reply(parts=parts[: -1 - missing]))
    error = failure(found)
    assert error.kind is ErrorKind.STREAM_ENDED
    assert error.transient


def test_a_reply_whose_stop_reason_came_is_complete() -> None:
    parts = [event(one) for one in events(text("hello"))]
    assert message(ask(Reply(parts=parts[:-1]))).text == "hello"
    assert message(ask(Reply(parts=parts[:-1], end="reset"))).text == "hello"


def test_the_part_of_a_failed_reply_is_kept() -> None:
    found = ask(said(thinking("hm"), text("hello"), sent=700, end="cut"))
    last = found[-1]
    assert not isinstance(last, Done)
    assert last.partial.stop is StopReason.ERROR  # type: ignore[union-attr]  # Failed is what is left
    assert last.partial.thinking == "hm"  # type: ignore[union-attr]  # as above


def test_a_server_that_goes_silent_times_out() -> None:
    error = failure(ask(said(text("hello"), sent=300, end="hang"), timeouts=QUICK))
    assert error.kind is ErrorKind.TIMEOUT


def test_a_reply_that_is_not_streamed_is_read_whole() -> None:
    whole = {
        "id": "msg_9",
        "type": "message",
        "role": "assistant",
        "model": "served-model",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "text", "text": "hi"},
            {"type": "tool_use", "id": "t", "name": "bash", "input": {"a": 1}},
        ],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 3, "output_tokens": 4},
    }
    reply = message(ask(Reply(json=whole)))
    assert reply.content == (
        ThinkingBlock("hm", "", '{"signature": "s"}'),
        TextBlock("hi"),
        ToolCall("t", "bash", '{"a": 1}'),
    )
    assert reply.usage == Usage(3, 4)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(json={"hello": 1}),
        Reply(json=[1]),
        Reply(raw=b"<html><title>Login</title></html>", content_type="text/html"),
        Reply(raw=b""),
        Reply(raw=b"data: [DONE]\n\n"),
        Reply(raw=b'event: message_stop\ndata: {"type":"message_stop"}\n\n'),
        Reply(raw=b"data: {nope\n\ndata: x\n\n"),
        Reply(raw=b"data: [1]\n\n"),
        Reply(raw=b'data: {"type": "error", "error": null}\n\n'),
        _raw({"type": "message_start", "message": 7}, {"type": "message_delta", "delta": 3}),
    ],
)
def test_what_is_no_reply_fails_and_never_raises(reply: Reply) -> None:
    assert failure(ask(reply)).message


def test_hostile_shapes_are_survived() -> None:
    first, *_, delta, stop = events()
    strange: list[dict[str, Any]] = [
        {"type": "content_block_start"},
        {"type": "content_block_start", "index": [1], "content_block": {"type": "text", "text": 5}},
        {"type": "content_block_start", "index": {}, "content_block": {"type": ["text"]}},
        {
            "type": "content_block_delta",
            "index": [1],
            "delta": {"type": "text_delta", "text": None},
        },
        {
            "type": "content_block_delta",
            "index": 1,
            "delta": {"type": "signature_delta", "signature": 1},
        },
        {
            "type": "content_block_start",
            "index": 2,
            "content_block": {"type": "tool_use", "input": 3},
        },
        {"type": ["message_stop"]},
        {"type": "message_delta", "delta": {"stop_reason": 5}, "usage": [1]},
    ]
    reply = message(ask(_raw(first, *strange, delta, stop)))
    assert reply.calls == (ToolCall("call_0", "", "{}"),)


def test_a_call_with_bytes_that_are_no_text_is_not_run() -> None:
    raw = b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":'
    raw += b'{"type":"input_json_delta","partial_json":"\xff"}}\n\n'
    first = {**call("bash")[0], "index": 0}
    error = failure(ask(_raw(_START, first, raw)))
    assert error.kind is ErrorKind.PROTOCOL


def test_limits_hold() -> None:
    error = failure(ask(said(text("x" * 5000)), limits=Limits(event=1000)))
    assert error.message.endswith("than 1000 bytes, which is not read")
    assert error.kind is ErrorKind.PROTOCOL


def test_the_key_is_never_shown() -> None:
    body = {"type": "error", "error": {"type": "authentication_error", "message": f"bad {KEY}"}}
    for reply in (Reply(status=401, json=body), _raw(_START, body)):
        error = failure(ask(reply))
        assert KEY not in f"{error!r} {error} {error.provider_message}"
        assert "[hidden]" in error.message
    error = failure(ask(Reply(raw=b""), asked(headers={"x-own": "a\nb"})))
    assert "'x-own'" in error.message


@given(st.lists(st.integers(0, 2000), max_size=12), st.text(max_size=30))
def test_where_the_bytes_are_cut_changes_nothing(places: list[int], tail: str) -> None:
    parts = events(
        thinking("Grüße 🦉", tail or "x"), text("héllo", "🎈"), call("bash", '{"a": "é🎈"}')
    )
    body = "".join(
        f"event: {one['type']}\ndata: {json.dumps(one, ensure_ascii=False)}\n\n" for one in parts
    ).encode("utf-8", "replace")
    assert read(cut(body, places)) == read([body])
    assert read([body])[1] == ""
