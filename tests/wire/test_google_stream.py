"""Google's generateContent, heard from a server: every kind of part, and every way in which a reply goes wrong."""

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
from eukhe.wire.messages import (
    AssistantMessage,
    StopReason,
    TextBlock,
    ThinkingBlock,
    ToolCall,
    Usage,
)
from eukhe.wire.request import Limits
from tests.servers.chat import ChatServer, Reply
from tests.servers.google import GENERATE, call, chunk, part, said, sse, thought
from tests.wire.google_helpers import ORIGIN, ask, asked, read
from tests.wire.helpers import KEY, QUICK, cut, failure, message

QUOTA = "You exceeded your current quota, please check your plan and billing details."


def _error(code: int, status: str, said_so: str, *details: dict[str, Any]) -> dict[str, Any]:
    return {"error": {"code": code, "message": said_so, "status": status, "details": list(details)}}


def _wait(delay: str) -> dict[str, Any]:
    return {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}


def _quota(name: str) -> dict[str, Any]:
    kind = "type.googleapis.com/google.rpc.QuotaFailure"
    return {"@type": kind, "violations": [{"quotaId": name}]}


def test_every_kind_of_part_is_heard_in_order() -> None:
    found = ask(
        said(thought("Let me "), thought("see."), part("On "), part("it."), call("bash", {"a": 1}))
    )
    assert [type(one) for one in found] == [
        *(Start, ThinkingDelta, ThinkingDelta, TextDelta, TextDelta, ToolCallStart, ToolCallDelta),
        *(UsageUpdate, ToolCallEnd, Done),
    ]
    assert found[0] == Start("served-model", "resp_1")
    reply = message(found)
    assert reply.content == (
        ThinkingBlock("Let me see."),
        TextBlock("On it."),
        ToolCall("call_0", "bash", '{"a": 1}'),
    )
    assert (reply.stop, reply.origin) == (StopReason.TOOL_USE, ORIGIN)
    assert (reply.served, reply.response_id) == ("served-model", "resp_1")


def test_signatures_stay_with_their_part() -> None:
    reply = message(
        ask(
            said(
                thought("hm", signature="c2ln"),
                part("a"),
                part("b", signature="Yg=="),
                part("c"),
                call("bash", {}, signature="Yw=="),
                part("", signature="ZA=="),
            )
        )
    )
    assert reply.content == (
        ThinkingBlock("hm", "", '{"thoughtSignature": "c2ln"}'),
        TextBlock("ab", '{"thoughtSignature": "Yg=="}'),
        TextBlock("c"),
        ToolCall("call_0", "bash", "{}", '{"thoughtSignature": "Yw=="}'),
        TextBlock("", '{"thoughtSignature": "ZA=="}'),
    )
    assert reply.text == "abc"


def test_a_signature_that_the_api_would_refuse_is_not_kept() -> None:
    reply = message(ask(said(part("a", signature="no base64!"), part("", signature=":"))))
    assert reply.content == (TextBlock("a"),)


def test_a_call_keeps_the_id_that_it_was_given_and_gets_one_where_it_has_none() -> None:
    calls = message(
        ask(
            said(
                call("a", {}, id="x1"),
                call("b", {}),
                call("c", None, id="x1"),
                call("d", {"n": [1, None, "é"]}),
            )
        )
    ).calls
    assert [one.id for one in calls] == ["x1", "call_0", "call_1", "call_2"]
    assert [one.replay for one in calls] == ['{"id": "x1"}', "", "", ""]
    assert [one.arguments for one in calls] == ["{}", "{}", "{}", '{"n": [1, null, "é"]}']


def test_a_minted_id_is_none_that_the_conversation_has() -> None:
    old = AssistantMessage((ToolCall("call_0", "bash", "{}"),))
    assert message(ask(said(call("a", {})), asked(old))).calls[0].id == "call_1"


def test_the_last_counts_are_those_of_the_reply() -> None:
    last = {
        "promptTokenCount": 100,
        "cachedContentTokenCount": 60,
        "toolUsePromptTokenCount": 3,
        "candidatesTokenCount": 20,
        "thoughtsTokenCount": 7,
        "totalTokenCount": 130,
        "trafficType": "ON_DEMAND_PRIORITY",
    }
    first = chunk(part("a"), usageMetadata={"promptTokenCount": 100})
    reply = message(ask(sse(first, chunk(finish="STOP", usageMetadata=last))))
    assert reply.usage == Usage(43, 27, 60, 0, 7)
    assert reply.service_tier == "priority"


def test_counts_that_lie_do_no_harm() -> None:
    lies = {"promptTokenCount": 5, "cachedContentTokenCount": 9, "candidatesTokenCount": "many"}
    reply = message(ask(said(part("a"), usage={**lies, "serviceTier": 7, "trafficType": []})))
    assert (reply.usage, reply.service_tier) == (Usage(0, 0, 9), "")


def test_stop_reasons() -> None:
    assert message(ask(said(part("a")))).stop is StopReason.STOP
    assert message(ask(said(part("a"), finish="MAX_TOKENS"))).stop is StopReason.LENGTH
    assert message(ask(said(call("b", {}), finish="MAX_TOKENS"))).stop is StopReason.LENGTH
    assert message(ask(said(call("b", {}), finish="STOP"))).stop is StopReason.TOOL_USE


@pytest.mark.parametrize(
    ("finish", "kind"),
    [
        ("SAFETY", ErrorKind.SAFETY),
        ("RECITATION", ErrorKind.SAFETY),
        ("PROHIBITED_CONTENT", ErrorKind.SAFETY),
        ("SPII", ErrorKind.SAFETY),
        ("MALFORMED_FUNCTION_CALL", ErrorKind.SERVER),
        ("UNEXPECTED_TOOL_CALL", ErrorKind.SERVER),
        ("OTHER", ErrorKind.SERVER),
        ("MOON", ErrorKind.SERVER),
    ],
)
def test_every_other_finish_reason_is_an_error(finish: str, kind: ErrorKind) -> None:
    last = chunk(finish=finish)
    last["candidates"][0]["finishMessage"] = "because"
    error = failure(ask(sse(chunk(part("a")), last)))
    assert (error.kind, error.code, error.provider_message) == (kind, finish, "because")
    assert error.message.endswith(": because")


def test_a_prompt_that_the_filter_refuses_is_an_error() -> None:
    feedback = {"blockReason": "PROHIBITED_CONTENT", "blockReasonMessage": "no"}
    error = failure(ask(sse({"promptFeedback": feedback})))
    assert error.kind is ErrorKind.SAFETY
    assert error.message == "the provider's filter refused the prompt (PROHIBITED_CONTENT): no"


def test_an_unspecified_finish_reason_is_none() -> None:
    first = chunk(part("a"), finish="FINISH_REASON_UNSPECIFIED")
    assert failure(ask(sse(first))).kind is ErrorKind.STREAM_ENDED
    assert message(ask(sse(first, chunk(finish="STOP")))).text == "a"


@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize(
    ("status", "body", "kind", "wait"),
    [
        (
            429,
            _error(429, "RESOURCE_EXHAUSTED", QUOTA, _wait("34.07s")),
            ErrorKind.RATE_LIMIT,
            34.07,
        ),
        (429, _error(429, "RESOURCE_EXHAUSTED", QUOTA), ErrorKind.PAYMENT_REQUIRED, None),
        (
            429,
            _error(429, "RESOURCE_EXHAUSTED", QUOTA, _quota("RequestsPerDayPerModel"), _wait("9s")),
            ErrorKind.PAYMENT_REQUIRED,
            None,
        ),
        (
            429,
            _error(429, "RESOURCE_EXHAUSTED", QUOTA, _quota("RequestsPerMinute"), _wait("9s")),
            ErrorKind.RATE_LIMIT,
            9.0,
        ),
        (503, _error(503, "UNAVAILABLE", "The model is overloaded."), ErrorKind.OVERLOADED, None),
        (500, _error(500, "INTERNAL", "oops"), ErrorKind.SERVER, None),
        (504, _error(504, "DEADLINE_EXCEEDED", "late"), ErrorKind.TIMEOUT, None),
        (400, _error(400, "INVALID_ARGUMENT", "bad"), ErrorKind.INVALID_REQUEST, None),
        (
            400,
            _error(
                400,
                "INVALID_ARGUMENT",
                "The input token count (9) exceeds the maximum number of tokens allowed (8).",
            ),
            ErrorKind.CONTEXT_OVERFLOW,
            None,
        ),
        (403, _error(403, "PERMISSION_DENIED", "no"), ErrorKind.PERMISSION, None),
        (404, _error(404, "NOT_FOUND", "no such model"), ErrorKind.NOT_FOUND, None),
    ],
)
def test_errors_have_their_kind_and_their_wait(
    status: int, body: dict[str, Any], kind: ErrorKind, wait: float | None, wrapped: bool
) -> None:
    shape: Any = [body] if wrapped else body
    refused = failure(ask(Reply(status=status, json=shape)))
    assert (refused.kind, refused.retry_after) == (kind, wait)
    assert refused.code == body["error"]["status"]
    inside = failure(ask(Reply(json=shape)))
    assert (inside.kind, inside.retry_after) == (kind, wait)
    if not wrapped:
        broken = failure(ask(sse(chunk(part("a")), body)))
        assert (broken.kind, broken.retry_after, broken.status) == (kind, wait, status)


def test_details_of_any_shape_are_survived() -> None:
    for details in (
        7,
        [7, {"@type": 3}, _wait("soon"), _wait("-1s"), _quota("x") | {"violations": 1}],
    ):
        body = {"error": {"code": 429, "message": "slow", "status": "X", "details": details}}
        error = failure(ask(Reply(status=429, json=body)))
        assert (error.kind, error.retry_after) == (ErrorKind.RATE_LIMIT, None)


def test_the_header_says_more_about_the_wait_than_the_body() -> None:
    body = _error(429, "RESOURCE_EXHAUSTED", "slow", _wait("9s"))
    assert (
        failure(ask(Reply(status=429, headers={"Retry-After": "2"}, json=body))).retry_after == 2.0
    )


def test_what_is_not_known_is_ignored() -> None:
    strange: list[Any] = [
        {"executableCode": {"code": "1"}},
        {"inlineData": {"mimeType": "image/png", "data": "aGk="}},
        {"moon": "full"},
        {"text": 5},
        {"functionCall": "x"},
        7,
    ]
    first = chunk(*strange, groundingMetadata={"a": 1})
    odd: dict[str, Any] = {
        "candidates": [{"index": 0, "content": {"parts": 3}}],
        "usageMetadata": [1],
    }
    found = ask(
        sse(
            b": keep-alive\r\n\r\n",
            first,
            odd,
            {"candidates": []},
            chunk(part("hi"), finish="STOP"),
        )
    )
    assert message(found).content == (TextBlock("hi"),)


@pytest.mark.parametrize("wait", [0, 1])
def test_a_stream_that_is_cut_off_fails(wait: int) -> None:
    parts = [chunk(part("hello"))][:wait]
    error = failure(ask(sse(*parts)))
    assert error.kind is ErrorKind.STREAM_ENDED
    assert error.transient


def test_a_reply_whose_finish_reason_came_is_complete() -> None:
    assert message(ask(sse(chunk(part("a"), finish="STOP"), end="reset"))).text == "a"


def test_an_end_marker_of_a_proxy_is_understood() -> None:
    assert (
        message(ask(sse(chunk(part("a"), finish="STOP"), b"data: [DONE]\n\n", b"data: {\n\n"))).text
        == "a"
    )
    assert failure(ask(sse(b"data: [DONE]\n\n"))).kind is ErrorKind.STREAM_ENDED


def test_chunks_that_come_as_one_list_are_read() -> None:
    whole = [chunk(part("a")), chunk(part("b"), finish="STOP")]
    assert message(ask(Reply(json=whole))).text == "ab"
    assert message(ask(Reply(json=whole[1]))).text == "b"


@pytest.mark.parametrize(
    "reply",
    [
        Reply(json={"hello": 1}),
        Reply(json=[1]),
        Reply(json=[]),
        Reply(raw=b"<html><title>Login</title></html>", content_type="text/html"),
        Reply(raw=b""),
        Reply(raw=b"data: {nope\n\ndata: x\n\n"),
        Reply(raw=b"data: [1]\n\n"),
        Reply(raw=b'data: {"error": "no"}\n\n'),
        sse({"candidates": [{"content": None, "finishReason": 5}]}),
    ],
)
def test_what_is_no_reply_fails_and_never_raises(reply: Reply) -> None:
    assert failure(ask(reply)).message


def test_arguments_that_are_no_json_fail() -> None:
    raw = b'data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"a","args":{"n":%b}}}]}}]}\n\n'
    for value in (b"NaN", b"1e999", b'"\xff"'):
        assert failure(ask(sse(raw % value))).kind is ErrorKind.PROTOCOL


def test_a_server_that_goes_silent_times_out_and_limits_hold() -> None:
    silent = said(part("hello"), sent=100, end="hang")
    assert failure(ask(silent, timeouts=QUICK)).kind is ErrorKind.TIMEOUT
    error = failure(ask(said(part("x" * 5000)), limits=Limits(event=1000)))
    assert error.kind is ErrorKind.PROTOCOL


def test_the_key_is_sent_in_its_header_and_never_shown() -> None:
    with ChatServer([said(part("hi"))], api=GENERATE) as server:
        from tests.wire.google_helpers import collect

        collect(asked(base_url=server.base_url))
        assert server.requests[0].headers["x-goog-api-key"] == KEY
        assert server.requests[0].path == "/v1beta/models/m:streamGenerateContent?alt=sse"
    body = _error(400, "INVALID_ARGUMENT", f"API key not valid: {KEY}")
    for reply in (Reply(status=400, json=body), sse(body)):
        error = failure(ask(reply))
        assert KEY not in f"{error!r} {error} {error.provider_message}"
        assert "[hidden]" in error.message


@given(st.lists(st.integers(0, 1500), max_size=12), st.text(max_size=30))
def test_where_the_bytes_are_cut_changes_nothing(places: list[int], tail: str) -> None:
    chunks = [
        chunk(thought("Grüße 🦉")),
        chunk(part(tail or "x"), call("bash", {"a": "é🎈"})),
        chunk(finish="STOP"),
    ]
    body = "".join(f"data: {json.dumps(one, ensure_ascii=False)}\r\n\r\n" for one in chunks).encode(
        "utf-8", "replace"
    )
    assert read(cut(body, places)) == read([body])
    assert read([body])[1] == ""


def test_a_code_point_in_two_chunks_is_joined() -> None:
    raw = [
        b'data: {"candidates":[{"content":{"parts":[{"text":"\\ud83c"}]}}]}\n\n',
        b'data: {"candidates":[{"content":{"parts":[{"text":"\\udf88"}]},"finishReason":"STOP"}]}\n\n',
    ]
    assert message(ask(sse(*raw))).text == "🎈"
    assert message(ask(sse(raw[0], chunk(finish="STOP")))).text == "\ufffd"
