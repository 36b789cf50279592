"""Mistral's chat: content chunks, thinking that goes back with its signature, ids of nine characters."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eukhe.wire.errors import ErrorKind
from eukhe.wire.events import Done, TextDelta, ThinkingDelta, ToolCallDelta
from eukhe.wire.messages import (
    AssistantMessage,
    ImageBlock,
    Message,
    Origin,
    StopReason,
    TextBlock,
    ThinkingBlock,
    ToolCall,
    ToolResultMessage,
    ToolSpec,
    Usage,
    UserMessage,
)
from eukhe.wire.mistral_body import Compat, body
from eukhe.wire.mistral_conversations import stream
from eukhe.wire.mistral_events import MistralReader
from eukhe.wire.request import Options, Request
from tests.servers.chat import ChatServer, Reply
from tests.servers.mistral import MISTRAL, call, problems, said, thinking
from tests.wire.asking import ask, heard, read, recorded
from tests.wire.conversations import any_messages, any_replies
from tests.wire.helpers import HELLO, KEY, QUICK, cut, failure, message

_HERE = Origin("mistral-conversations", "p", "m")
_ASK = Request("", "m", HELLO, api_key=KEY, provider="p")
_TOOL = ToolSpec(
    "read",
    "",
    {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
)
_RICH = said(
    [thinking("hm "), thinking("ok", signature="sig", closed=True)],
    "Zwölf ",
    [{"type": "text", "text": "€"}],
    calls=[call("read", '{"a": "é", "b": null}')],
)


def _sent(*messages: Message, compat: Compat | None = None, **more: Any) -> Any:
    request = Request("http://h", "m", messages or HELLO, provider="p", **more)
    raw = body(request, compat or Compat())
    headers = {"content-type": "application/json"}
    assert list(problems("POST", "/v1/chat/completions", headers, raw)) == []
    return json.loads(raw)


def test_the_request_as_mistral_gets_it() -> None:
    options = Options(max_tokens=9, seed=1, session="s-1", tool_choice="tool:read")
    request = replace(_ASK, tools=(_TOOL,), options=options)
    for base in ("", "/v1", "/v1/"):
        with ChatServer([said("ok")], api=MISTRAL) as server:
            heard(stream(replace(request, base_url=server.base_url + base)))
            assert server.problems == ()
            got = server.requests[0]
    assert (got.headers["authorization"], got.headers["x-affinity"]) == (f"Bearer {KEY}", "s-1")
    assert got.body["tools"][0]["function"]["strict"] is True
    assert (got.body["max_tokens"], got.body["random_seed"]) == (9, 1)
    assert got.body["tool_choice"] == {"type": "function", "function": {"name": "read"}}
    assert b"s-1" not in got.raw


def test_content_chunks_are_thinking_and_text() -> None:
    events = ask(stream, _RICH, MISTRAL, replace(_ASK, tools=(_TOOL,)))
    thought = [event.text for event in events if isinstance(event, ThinkingDelta)]
    spoken = [event.text for event in events if isinstance(event, TextDelta)]
    assert (thought, spoken) == (["hm ", "ok"], ["Zwölf ", "€"])
    assert ToolCallDelta(0, '{"a": "é", "b": null}') in events
    reply = message(events)
    assert (reply.thinking, reply.text) == ("hm ok", "Zwölf €")
    assert reply.calls == (ToolCall("AbCdEf123", "read", '{"a": "é"}'),)
    assert (reply.stop, reply.origin) == (StopReason.TOOL_USE, _HERE)
    assert reply.usage == Usage(input=40, output=20, cache_read=60)


@given(st.lists(st.integers(0, 1500), max_size=6))
@settings(deadline=None, max_examples=40)
def test_the_reply_does_not_depend_on_where_the_bytes_are_cut(places: list[int]) -> None:
    whole = b"".join(_RICH.body("m"))
    assert read(MistralReader(_HERE), cut(whole, places)) == read(MistralReader(_HERE), [whole])


def test_thinking_goes_back_with_its_signature_to_its_own_model_only() -> None:
    with ChatServer([_RICH, said("done"), said("done")], api=MISTRAL) as server:
        request = replace(_ASK, base_url=server.base_url)
        reply = message(heard(stream(request)))
        talk = (*HELLO, reply, ToolResultMessage.of(reply.calls[0], "r"))
        heard(stream(replace(request, messages=talk)))
        heard(stream(replace(request, messages=talk, model="other")))
        assert server.problems == ()
        own, other = (one.body["messages"][1] for one in server.requests[1:])
    assert own["content"] == [
        {
            "type": "thinking",
            "thinking": [{"type": "text", "text": "hm ok"}],
            "signature": "sig",
        },
        {"type": "text", "text": "Zwölf €"},
    ]
    assert other["content"] == "Zwölf €"
    assert (own["tool_calls"][0]["id"], own["prefix"]) == ("AbCdEf123", False)


def test_each_block_of_thinking_keeps_its_own_signature() -> None:
    two = said(
        [thinking("a", signature="1", closed=True), thinking("b", signature="2", closed=True)],
        "x",
        [thinking("c")],
        "y",
    )
    reply = message(ask(stream, two, MISTRAL, _ASK))
    sent = _sent(*HELLO, reply, *HELLO)["messages"][1]["content"]
    told = [
        part.get("text") or (part["thinking"][0]["text"], part.get("signature")) for part in sent
    ]
    assert told == [("a", "1"), ("b", "2"), "x", ("c", None), "y"]


def test_a_damaged_replay_is_no_chunk() -> None:
    for replay in ("{", "[]", '{"reasoning_details": 7}', '{"reasoning_details": [7]}'):
        old = AssistantMessage((ThinkingBlock("hm", "", replay), TextBlock("a")), origin=_HERE)
        content = _sent(*HELLO, old, *HELLO)["messages"][1]["content"]
        assert content[0]["thinking"] == [{"type": "text", "text": "hm"}]


def test_ids_of_other_apis_are_mapped_to_nine_characters_alike() -> None:
    one = ToolCall("call_1|fc_1", "read", "{}")
    sent = _sent(*HELLO, AssistantMessage((one,)), ToolResultMessage.of(one, "r"))["messages"]
    assert sent[1]["tool_calls"][0]["id"] == sent[2]["tool_call_id"]
    assert len(sent[2]["tool_call_id"]) == 9


@pytest.mark.parametrize("id_", ["null", ""])
def test_an_id_that_is_none_is_minted(id_: str) -> None:
    two = [call("read", "{}", id_=id_), call("read", "{}", id_=id_, index=1)]
    ids = [one.id for one in message(ask(stream, said(calls=two), MISTRAL, _ASK)).calls]
    assert ids == ["call_0", "call_1"]


def test_pictures_of_results_follow_in_a_user_message() -> None:
    one = ToolCall("AbCdEf123", "read", "{}")
    result = ToolResultMessage("AbCdEf123", "read", (ImageBlock("aGk=", "image/png"),))
    talk = (*HELLO, AssistantMessage((one,)), result, UserMessage.of("go on"))
    picture = {"type": "image_url", "image_url": "data:image/png;base64,aGk="}
    sent = _sent(*talk)["messages"][2:]
    assert [m["role"] for m in sent] == ["tool", "user", "user"]
    assert sent[1]["content"] == [picture]
    bridged = _sent(*talk, compat=Compat(assistant_after_result=True))["messages"][2:]
    assert [m["role"] for m in bridged] == ["tool", "assistant", "user", "user"]


@pytest.mark.parametrize(
    ("finish", "stop"),
    [
        ("stop", StopReason.STOP),
        ("length", StopReason.LENGTH),
        ("model_length", StopReason.LENGTH),
    ],
)
def test_the_finish_reason_says_why_a_reply_ended(finish: str, stop: StopReason) -> None:
    assert message(ask(stream, said("ok", finish=finish), MISTRAL, _ASK)).stop is stop


def test_a_reply_that_the_server_gave_up_is_an_error() -> None:
    assert failure(ask(stream, said("ok", finish="error"), MISTRAL, _ASK)).kind is ErrorKind.SERVER


@pytest.mark.parametrize(
    ("reply", "kind", "told"),
    [
        (
            Reply(
                status=422,
                json={"detail": [{"loc": ["body", "model"], "msg": "no such", "type": "x"}]},
            ),
            ErrorKind.INVALID_REQUEST,
            "body.model: no such",
        ),
        (
            Reply(
                status=400,
                json={
                    "object": "error",
                    "message": "Prompt too large for model with 8 maximum context length",
                    "type": "invalid_request_error",
                    "code": "3051",
                },
            ),
            ErrorKind.CONTEXT_OVERFLOW,
            "too large",
        ),
        (Reply(status=401, json={"message": f"bad {KEY}"}), ErrorKind.AUTH, "[hidden]"),
        (said("ab", sent=300, end="cut"), ErrorKind.STREAM_ENDED, "closed"),
        (
            Reply(chunks=[{"object": "error", "message": "boom", "type": "server"}]),
            ErrorKind.SERVER,
            "boom",
        ),
    ],
)
def test_a_refusal_is_an_error_of_its_kind_and_shows_no_key(
    reply: Reply, kind: ErrorKind, told: str
) -> None:
    error = failure(ask(stream, reply, MISTRAL, replace(_ASK, timeouts=QUICK)))
    assert error.kind is kind
    assert told in error.message
    assert KEY not in f"{error!r}"


def test_a_whole_reply_that_was_not_streamed_is_read() -> None:
    content = [thinking("hm"), {"type": "text", "text": "ok"}]
    choice = {"index": 0, "message": {"content": content}, "finish_reason": "stop"}
    reply = message(ask(stream, Reply(json={"id": "1", "choices": [choice]}), MISTRAL, _ASK))
    assert (reply.thinking, reply.text) == ("hm", "ok")


_JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["type", "text", "thinking", "x"]), inner, max_size=3)
    ),
    max_leaves=5,
)
_PARTS = st.lists(
    _JUNK
    | st.fixed_dictionaries(
        {"type": st.sampled_from(["thinking", "text", "x"])},
        optional={"thinking": _JUNK, "text": _JUNK, "signature": _JUNK, "closed": _JUNK},
    ),
    max_size=3,
)
_DELTAS = st.fixed_dictionaries({}, optional={"content": _JUNK | _PARTS, "tool_calls": _JUNK})


@given(st.lists(_DELTAS, max_size=5), st.sampled_from(["stop", "model_length", "tool_calls"]))
@settings(deadline=None, max_examples=150)
def test_a_lying_server_gives_a_reply_that_can_be_sent_again(
    deltas: list[Any], finish: str
) -> None:
    chunks = [{"choices": [{"index": 0, "delta": one}]} for one in deltas]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    out, error = read(MistralReader(_HERE), [b"".join(Reply(chunks=chunks).body("m"))])
    assert error == ""
    assert isinstance(out[-1], Done)
    calls = out[-1].message.calls
    results = [ToolResultMessage.of(one, "r") for one in calls]
    _sent(*HELLO, out[-1].message, *results, *HELLO)


_TEXTS = st.text(max_size=2)
_KEPT = st.sampled_from(["", "{", "[]"])
_REPLIES = any_replies(
    st.builds(TextBlock, _TEXTS) | st.builds(ThinkingBlock, _TEXTS, st.just(""), _KEPT),
    st.builds(ToolCall, st.sampled_from(["x", "AbCdEf123", "y|z"]), st.just("read"), st.just("")),
    _HERE,
    Origin(),
)
_MESSAGES = any_messages(
    _TEXTS,
    st.tuples(st.builds(TextBlock, _TEXTS)),
    _REPLIES,
    st.builds(ToolResultMessage, st.sampled_from(["x", "y|z"]), st.just("read"), st.just(())),
)


@given(st.lists(_MESSAGES, max_size=7), st.booleans())
@settings(deadline=None, max_examples=150)
def test_any_conversation_is_sent_in_a_form_that_mistral_takes(
    messages: list[Message], bridge: bool
) -> None:
    _sent(*HELLO, *messages, compat=Compat(assistant_after_result=bridge))


def test_the_same_request_gives_the_same_bytes() -> None:
    one = ToolCall("call_1|fc_1", "read", "{}")
    request = replace(_ASK, messages=(*HELLO, AssistantMessage((one,))), tools=(_TOOL,))
    assert body(request, Compat()) == body(request, Compat())
    assert recorded(stream, said("ok"), MISTRAL, request).raw == body(request, Compat())
