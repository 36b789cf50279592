"""Responses read without a socket: every kind of event, and what servers leave out, add and get wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.events import (
    Done,
    Event,
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
    Origin,
    StopReason,
    TextBlock,
    ThinkingBlock,
    ToolCall,
    Usage,
)
from eukhe.wire.openai_responses_events import ResponseReader
from tests.servers.responses import call, events, reasoning, sse, text
from tests.wire.asking import read
from tests.wire.helpers import cut

ORIGIN = Origin("openai-responses", "p", "m")
RICH = [
    reasoning("first", "second"),
    text("Let me look.", phase="commentary"),
    call("bash", '{"command": "ls"}'),
    call("read", '{"path": "é"}', call_id="call_2", id_="fc_2"),
]


def run(found: list[Any], **more: Any) -> tuple[list[Event], str]:
    return read(ResponseReader(ORIGIN, **more), [b"".join(sse(found).body(""))])


def message(found: list[Any], **more: Any) -> AssistantMessage:
    out, error = run(found, **more)
    assert error == ""
    assert isinstance(out[-1], Done)
    return out[-1].message


def error(found: list[Any]) -> WireError:
    reader = ResponseReader(ORIGIN)
    body = b"".join(sse(found).body(""))
    from eukhe.wire.reply import ReplyReader
    from eukhe.wire.request import Limits

    bytes_ = ReplyReader(reader, Limits(), "")
    with pytest.raises(WireError) as caught:
        bytes_.feed(body, [])
        bytes_.close([])
        reader.end([])
    return caught.value


def only(found: list[Any], *kinds: str) -> list[Any]:
    """The events without those of some kinds."""
    return [event for event in found if event["type"].removeprefix("response.") not in kinds]


def test_a_whole_reply_gives_every_event_in_order() -> None:
    out, said = run(events(RICH, service_tier="flex"))
    assert said == ""
    usage = Usage(input=30, output=20, cache_read=60, cache_write=10, reasoning=5)
    one = ToolCall("call_1|fc_1", "bash", '{"command": "ls"}')
    two = ToolCall("call_2|fc_2", "read", '{"path": "é"}')
    assert out[:-1] == [
        Start("gpt-x", "resp_1"),
        ThinkingDelta("first"),
        ThinkingDelta("\n\n"),
        ThinkingDelta("second"),
        TextDelta("Let me look."),
        ToolCallStart(0, "call_1|fc_1", "bash"),
        ToolCallDelta(0, '{"command": "ls"}'),
        ToolCallStart(1, "call_2|fc_2", "read"),
        ToolCallDelta(1, '{"path": "é"}'),
        UsageUpdate(usage),
        ToolCallEnd(0, one),
        ToolCallEnd(1, two),
    ]
    assert isinstance(out[-1], Done)
    reply = out[-1].message
    thought, spoken, *calls = reply.content
    assert isinstance(thought, ThinkingBlock)
    assert isinstance(spoken, TextBlock)
    assert (thought.text, spoken.text, calls) == ("first\n\nsecond", "Let me look.", [one, two])
    assert json.loads(thought.replay) == reasoning("first", "second")
    assert json.loads(spoken.replay) == {"id": "msg_1", "phase": "commentary"}
    assert (reply.stop, reply.usage, reply.origin) == (StopReason.TOOL_USE, usage, ORIGIN)
    assert (reply.served, reply.response_id, reply.service_tier) == ("gpt-x", "resp_1", "flex")


@given(st.lists(st.integers(0, 6000), max_size=8))
@settings(deadline=None, max_examples=60)
def test_the_events_do_not_depend_on_where_the_bytes_are_cut(places: list[int]) -> None:
    body = b"".join(sse(events([*RICH, text("Zwölf 🤔 €")])).body(""))
    whole = read(ResponseReader(ORIGIN), [body])
    assert read(ResponseReader(ORIGIN), cut(body, places)) == whole
    assert whole[1] == ""


def test_a_stream_of_final_items_alone_is_read_as_well() -> None:
    found = events(RICH)
    deltas = [e["type"].removeprefix("response.") for e in found if "output_index" in e]
    wanted = message(found)
    for gone in (
        {kind for kind in deltas if kind != "output_item.done"},
        {kind for kind in deltas if not kind.startswith("output_item")},
        set(deltas),
    ):
        assert message(only(found, *gone)) == wanted, gone


def test_what_the_deltas_missed_is_told_from_the_final_item() -> None:
    found = events([text("Hello there")], pieces={0: ["Hel", "lo"]})
    out, _ = run(found)
    assert [e.text for e in out if isinstance(e, TextDelta)] == ["Hel", "lo", " there"]


def test_text_that_was_told_stays_when_the_final_item_says_another() -> None:
    assert message(events([text("right")], pieces={0: ["wrong"]})).text == "wrong"


def test_the_final_arguments_count() -> None:
    found = events([call("bash", '{"command": "ls"}')], pieces={0: ['{"comm', "XX"]})
    out, _ = run(found)
    assert [e.arguments for e in out if isinstance(e, ToolCallDelta)] == ['{"comm', "XX"]
    assert message(found).calls[0].arguments == '{"command": "ls"}'
    short = events([call("bash", '{"command": "ls"}')], pieces={0: ['{"comm']})
    out, _ = run(short)
    assert "".join(e.arguments for e in out if isinstance(e, ToolCallDelta)) == '{"command": "ls"}'


def test_a_call_without_arguments_has_an_empty_object() -> None:
    assert message(events([call("ls", "")])).calls[0].arguments == "{}"


def test_raw_thinking_of_an_open_model_is_thinking_and_goes_back_as_content() -> None:
    item: Any = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": None}
    whole = {**item, "content": [{"type": "reasoning_text", "text": "hmm"}]}
    at = {"output_index": 0, "item_id": "rs_1"}
    found = [
        {"type": "response.output_item.added", **at, "item": item},
        {"type": "response.reasoning_text.delta", **at, "delta": "h"},
        {"type": "response.reasoning_summary_text.delta", **at, "delta": "not shown"},
        {"type": "response.reasoning_text.delta", **at, "delta": "m"},
        {"type": "response.reasoning_text.done", **at, "text": "hmm"},
        {"type": "response.output_item.done", **at, "item": whole},
        *events([whole, text("ok")])[-1:],
    ]
    block = message(found).content[0]
    assert isinstance(block, ThinkingBlock)
    assert block.text == "hmm"
    assert json.loads(block.replay) == {k: v for k, v in whole.items() if v is not None}


def test_encrypted_content_that_only_the_response_has_is_copied_into_the_reasoning() -> None:
    found = events([reasoning("x"), text("ok")])
    for event in found[:-1]:
        if event.get("item", {}).get("type") == "reasoning":
            event["item"] = {**event["item"], "encrypted_content": None}
    block = message(found).content[0]
    assert json.loads(getattr(block, "replay", ""))["encrypted_content"] == "sealed"
    found = events([reasoning("x"), text("ok")])
    found[-1]["response"]["output"] = [reasoning("x", encrypted=None), text("ok")]
    block = message(found).content[0]
    assert json.loads(getattr(block, "replay", ""))["encrypted_content"] == "sealed"


def test_a_refusal_is_text() -> None:
    item = {"type": "message", "id": "msg_1", "role": "assistant"}
    part = {"type": "refusal", "refusal": "I will not."}
    at = {"output_index": 0, "content_index": 0}
    found = [
        {"type": "response.output_item.added", **at, "item": {**item, "content": []}},
        {"type": "response.refusal.delta", **at, "delta": "I will"},
        {"type": "response.refusal.done", **at, "refusal": "I will not."},
        {"type": "response.output_item.done", **at, "item": {**item, "content": [part]}},
        *events([])[-1:],
    ]
    assert message(found).text == "I will not."


def test_two_messages_are_set_apart_and_a_message_after_a_call_is_not() -> None:
    two = message(events([text("One.", phase="commentary"), text("Two.", id_="msg_2")]))
    assert two.text == "One.\n\nTwo."
    assert json.loads(getattr(two.content[1], "replay", ""))["joined"] is True
    reply = message(events([text("One."), call("ls", "{}"), text("Two.", id_="msg_2")]))
    assert reply.text == "One.Two."


def test_a_custom_tool_gets_its_text_as_one_argument() -> None:
    item = {
        "type": "custom_tool_call",
        "id": "ctc_1",
        "call_id": "c",
        "name": "patch",
        "input": 'a "b"\n',
    }
    at = {"output_index": 0, "item_id": "ctc_1"}
    found = [
        {"type": "response.output_item.added", **at, "item": {**item, "input": ""}},
        {"type": "response.custom_tool_call_input.delta", **at, "delta": 'a "'},
        {"type": "response.custom_tool_call_input.delta", **at, "delta": 'b"\n'},
        {"type": "response.custom_tool_call_input.done", **at, "input": 'a "b"\n'},
        {"type": "response.output_item.done", **at, "item": item},
        *events([item])[-1:],
    ]
    out, _ = run(found)
    assert [e for e in out if isinstance(e, ToolCallDelta)] == [
        ToolCallDelta(0, '{"input": "a \\"b\\"\\n"}')
    ]
    (made,) = message(found).calls
    assert made == ToolCall("c|ctc_1", "patch", '{"input": "a \\"b\\"\\n"}', "custom_tool_call")


def test_unknown_events_items_and_hosted_tools_are_ignored() -> None:
    search = {"type": "web_search_call", "id": "ws_1", "action": {"type": "search"}}
    found = events([search, text("ok")])
    odd: list[Any] = [
        {"type": "response.web_search_call.searching", "output_index": 0},
        {"type": "response.output_text.annotation.added", "output_index": 1, "annotation": {}},
        {"type": "response.hologram.delta", "output_index": 7, "delta": "x"},
        {"type": "keepalive"},
        {"type": 7},
        {"type": "response.output_text.delta", "output_index": "1", "delta": "x"},
        {"type": "response.output_text.delta", "output_index": 1, "delta": 5},
        {"type": "response.output_item.added", "output_index": 9, "item": "x"},
        b": a comment\n\n",
        b"data: \n\n",
    ]
    mixed = [*found[:-1], *odd, found[-1], {"type": "response.after", "x": 1}]
    assert message(mixed) == message(found)


def test_an_event_is_known_by_its_name_when_its_data_do_not_say() -> None:
    found = events([text("ok")])
    parts = []
    for event in found:
        rest = {key: value for key, value in event.items() if key != "type"}
        parts.append(f"event: {event['type']}\ndata: {json.dumps(rest)}\n\n".encode())
    assert message(parts) == message(found)


def test_a_compaction_item_goes_back_unchanged() -> None:
    item = {"type": "compaction", "id": "cmp_1", "encrypted_content": "z"}
    block = message(events([item, text("ok")])).content[0]
    assert isinstance(block, ThinkingBlock)
    assert json.loads(block.replay) == item


def test_calls_that_share_an_id_are_told_apart() -> None:
    two = [call("a", "{}"), call("b", "{}", id_="fc_2"), call("c", "{}", call_id="", id_="fc_3")]
    ids = [one.id for one in message(events(two), taken=frozenset({"call_0"})).calls]
    assert ids[0] == "call_1|fc_1"
    assert len({one.partition("|")[0] for one in ids}) == 3
    assert "call_0" not in ids


def test_what_strictness_added_is_taken_out_of_the_call() -> None:
    own = {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a"]}
    reply = message(events([call("x", '{"a":1,"b":null}')]), strict={"x": own})
    assert json.loads(reply.calls[0].arguments) == {"a": 1}


def test_half_a_character_waits_for_the_other_half() -> None:
    found = events([text("🤔!")], pieces={0: ["\ud83e", "\udd14!"]})
    out, _ = run(found)
    assert [e.text for e in out if isinstance(e, TextDelta)] == ["🤔!"]
    alone = events([text("a\ud83e")])
    assert message(alone).text == "a\ufffd"


@pytest.mark.parametrize(
    ("status", "more", "stop"),
    [
        ("completed", {}, StopReason.STOP),
        ("done", {"status": "completed"}, StopReason.STOP),
        ("incomplete", {"incomplete_details": {"reason": "max_output_tokens"}}, StopReason.LENGTH),
    ],
)
def test_the_status_says_why_a_reply_ended(
    status: str, more: dict[str, Any], stop: StopReason
) -> None:
    found = events([text("ok")], status=status)
    found[-1]["response"] |= more
    assert message(found).stop is stop


def test_a_reply_that_hit_the_limit_keeps_its_stop_with_calls() -> None:
    found = events([call("bash", '{"comm')], status="incomplete")
    found[-1]["response"]["incomplete_details"] = {"reason": "max_output_tokens"}
    assert message(found).stop is StopReason.LENGTH


@pytest.mark.parametrize(
    ("status", "more", "kind", "said"),
    [
        (
            "incomplete",
            {"incomplete_details": {"reason": "content_filter"}},
            ErrorKind.SAFETY,
            "filter",
        ),
        ("incomplete", {"incomplete_details": {"reason": "odd"}}, ErrorKind.SERVER, "odd"),
        ("incomplete", {"incomplete_details": None}, ErrorKind.SERVER, "incomplete"),
        ("cancelled", {}, ErrorKind.SERVER, "cancelled"),
        ("failed", {"error": None}, ErrorKind.SERVER, "does not say why"),
        (
            "failed",
            {"error": {"code": "server_error", "message": "boom"}},
            ErrorKind.SERVER,
            "boom",
        ),
        (
            "failed",
            {"error": {"code": "rate_limit_exceeded", "message": "slow down"}},
            ErrorKind.RATE_LIMIT,
            "slow down",
        ),
        (
            "failed",
            {"error": {"code": "invalid_prompt", "message": "no"}},
            ErrorKind.INVALID_REQUEST,
            "no",
        ),
        (
            "failed",
            {"error": {"code": "invalid_image_url", "message": "no"}},
            ErrorKind.INVALID_REQUEST,
            "no",
        ),
        (
            "failed",
            {"error": {"code": "image_too_large", "message": "no"}},
            ErrorKind.INVALID_REQUEST,
            "no",
        ),
        ("failed", {"error": {"code": "bio_policy", "message": "no"}}, ErrorKind.SAFETY, "no"),
        (
            "failed",
            {"error": {"code": "misalignment_policy_violation", "message": "no"}},
            ErrorKind.SAFETY,
            "no",
        ),
        (
            "failed",
            {"error": {"code": "vector_store_timeout", "message": "late"}},
            ErrorKind.TIMEOUT,
            "late",
        ),
        (
            "failed",
            {"error": {"code": "context_length_exceeded", "message": "too long"}},
            ErrorKind.CONTEXT_OVERFLOW,
            "too long",
        ),
    ],
)
def test_a_reply_that_failed_is_an_error_of_its_kind(
    status: str, more: dict[str, Any], kind: ErrorKind, said: str
) -> None:
    found = events([text("half")], status=status)
    found[-1]["response"] |= more
    caught = error(found)
    assert caught.kind is kind
    assert said in caught.message


@pytest.mark.parametrize(
    "event",
    [
        {"type": "error", "code": "server_error", "message": "boom", "param": None},
        {"type": "error", "error": {"code": "server_error", "message": "boom"}},
        {"error": {"type": "server_error", "message": "boom"}},
        {"detail": "boom"},
        b'event: error\ndata: {"code":"server_error","message":"boom"}\n\n',
        b"event: error\ndata: boom\n\n",
    ],
)
def test_an_error_in_the_stream_ends_it(event: Any) -> None:
    caught = error([*events([text("half")])[:5], event])
    assert caught.kind is ErrorKind.SERVER
    assert "boom" in caught.message


@pytest.mark.parametrize("kept", range(len(events(RICH)) - 1))
def test_a_stream_without_its_last_event_is_cut_off(kept: int) -> None:
    caught = error(events(RICH)[:kept])
    assert caught.kind is ErrorKind.STREAM_ENDED


def test_half_of_the_last_event_is_a_stream_that_was_cut_off() -> None:
    body = b"".join(sse(events([text("ok")])).body(""))
    _, said = read(ResponseReader(ORIGIN), [body[: len(body) // 2]])
    assert "ended before" in said


def test_a_whole_response_that_was_not_streamed_is_read() -> None:
    found = events(RICH)
    body = json.dumps(found[-1]["response"]).encode()
    out, said = read(ResponseReader(ORIGIN), [body])
    assert said == ""
    assert isinstance(out[-1], Done)
    assert out[-1].message == message(found)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"error": {"message": "boom"}}', "boom"),
        (b'{"detail": "boom"}', "boom"),
        (b'{"hello": 1}', "did not answer with an event stream"),
        (b"[]", "failed during the reply"),
        (b"<html><title>Proxy</title>", "a web page, 'Proxy'"),
        (b"data: 7\n\n", "an event that is no object"),
        (b"data: {\n\ndata: {}\n\n", "not JSON"),
        (b"", "without a reply"),
    ],
)
def test_what_is_no_response_is_said(body: bytes, said: str) -> None:
    out, message_ = read(ResponseReader(ORIGIN), [body])
    assert said in message_
    assert not any(isinstance(event, Done) for event in out)


def test_a_call_with_bytes_that_are_not_utf_8_never_runs() -> None:
    found = events([call("bash", "{}")])
    body = b"".join(sse(found).body("")).replace(b'"delta": "{}"', b'"delta": "\xff"')
    _, said = read(ResponseReader(ORIGIN), [body])
    assert "not UTF-8" in said
    spoken = b"".join(sse(events([text("ok")], pieces={0: ["a", "b"]})).body(""))
    out, said = read(ResponseReader(ORIGIN), [spoken.replace(b'"delta": "a"', b'"delta": "\xff"')])
    assert said == ""
    assert TextDelta("\ufffd") in out


_JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
_KEYS = ("output_index", "item", "delta", "text", "arguments", "response", "content", "error")
_KINDS = sorted({event["type"] for event in events(RICH)} | {"error", "response.failed"})
_ITEMS = st.fixed_dictionaries(
    {"type": st.sampled_from(["message", "reasoning", "function_call", "compaction", "x"])},
    optional=dict.fromkeys(
        ("id", "call_id", "name", "arguments", "content", "summary", "encrypted_content"), _JUNK
    ),
)


@given(
    st.lists(
        st.builds(
            lambda kind, more: {"type": kind, **more},
            st.sampled_from(_KINDS),
            st.fixed_dictionaries(
                {},
                optional={
                    **dict.fromkeys(_KEYS, _JUNK),
                    "output_index": st.integers(-1, 2),
                    "item": _ITEMS,
                    "response": st.fixed_dictionaries(
                        {}, optional={"output": st.lists(_ITEMS, max_size=2), "usage": _JUNK}
                    ),
                },
            ),
        ),
        max_size=8,
    )
)
@settings(deadline=None, max_examples=300)
def test_a_lying_server_gives_a_reply_or_an_error_and_nothing_else(found: list[Any]) -> None:
    out, said = run(found)
    assert isinstance(out[-1], Done) if said == "" else said
    for event in out:
        if isinstance(event, Done):
            ids = [one.id for one in event.message.calls]
            assert all(ids)
            assert len(set(ids)) == len(ids)
            json.dumps(event.message.text).encode()
