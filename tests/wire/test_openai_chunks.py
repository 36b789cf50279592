"""Chunks of Chat Completions: text, thinking, usage, finish reasons and errors, wherever the bytes are cut."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eukhe.wire.events import Start, TextDelta, ThinkingDelta, UsageUpdate
from eukhe.wire.messages import StopReason, TextBlock, ThinkingBlock, ToolCall, Usage
from tests.servers.chat import Call, Reply, delta
from tests.wire.helpers import cut, message, read

_RICH = b"".join(
    Reply(
        thinking=["Let ", "me see 🤔"],
        text=["Zwölf ", "€", " 😀"],
        calls=[Call("bash", {"command": "ls é"}, split=3), Call("read", {"path": "x"})],
        usage=(120, 7),
    ).body("m")
)
_RICH_RESULT = read([_RICH])


def _read(*chunks: Any, **more: Any) -> Any:
    return message(read(Reply(chunks=chunks, **more).body("m"))[0])


def _error(*chunks: Any, **more: Any) -> str:
    return read(Reply(chunks=chunks, **more).body("m"))[1]


def test_the_rich_reply_is_read() -> None:
    events, error = _RICH_RESULT
    assert error == ""
    assert message(events).content == (
        ThinkingBlock("Let me see 🤔", "reasoning_content"),
        TextBlock("Zwölf € 😀"),
        ToolCall("call_0", "bash", '{"command": "ls \\u00e9"}'),
        ToolCall("call_1", "read", '{"path": "x"}'),
    )
    assert message(events).usage == Usage(input=120, output=7)
    assert message(events).stop is StopReason.TOOL_USE
    assert events[0] == Start("m", "chatcmpl-1")


@given(st.lists(st.integers(0, len(_RICH)), max_size=20))
@settings(deadline=None)
def test_the_events_are_the_same_wherever_the_bytes_are_cut(places: list[int]) -> None:
    assert read(cut(_RICH, places)) == _RICH_RESULT


def test_the_events_are_the_same_byte_by_byte() -> None:
    assert read(_RICH[at : at + 1] for at in range(len(_RICH))) == _RICH_RESULT


@given(st.integers(0, len(_RICH) - 1))
@settings(deadline=None)
def test_a_reply_that_is_cut_off_gives_what_came_and_never_a_wrong_end(length: int) -> None:
    events, error = read([_RICH[:length]])
    whole, _ = _RICH_RESULT
    if error:
        assert events == whole[: len(events)]
    else:
        assert message(events).content == message(whole).content


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning", "reasoning_text"])
def test_thinking_is_read_from_each_field_and_remembers_it(field: str) -> None:
    reply = _read(
        delta({field: "a", "content": None}), delta({field: "b"}), delta({"content": "c"}, "stop")
    )
    assert reply.content == (ThinkingBlock("ab", field), TextBlock("c"))


def test_thinking_that_changes_its_field_goes_into_two_blocks() -> None:
    reply = _read(delta({"reasoning_content": "a"}), delta({"reasoning": "b"}, "stop"))
    assert reply.content == (
        ThinkingBlock("a", "reasoning_content"),
        ThinkingBlock("b", "reasoning"),
    )


def test_thinking_in_two_fields_is_read_once() -> None:
    reply = _read(delta({"reasoning_content": "a", "reasoning": "a", "content": ""}, "stop"))
    assert reply.content == (ThinkingBlock("a", "reasoning_content"),)


def test_reasoning_details_are_joined_and_kept_for_the_replay() -> None:
    def details(*items: Any, **more: Any) -> Any:
        return delta({"reasoning_details": list(items), **more})

    reply = _read(
        details({"type": "reasoning.text", "text": "a", "index": 0, "signature": None}),
        details({"type": "reasoning.text", "text": "b", "index": 0, "signature": "s"}),
        details({"type": "reasoning.encrypted", "data": "e", "index": 1}),
        delta({"content": "c"}, "stop"),
    )
    assert reply.thinking == "ab"
    assert json.loads(reply.content[0].replay) == {
        "reasoning_details": [
            {"type": "reasoning.text", "text": "ab", "index": 0, "signature": "s"},
            {"type": "reasoning.encrypted", "data": "e", "index": 1},
        ]
    }


def test_text_and_thinking_that_alternate_stay_in_order() -> None:
    reply = _read(
        delta({"content": "a"}),
        delta({"reasoning": "b"}),
        delta({"content": "c"}),
        delta({"content": "d"}, "stop"),
    )
    assert reply.content == (TextBlock("a"), ThinkingBlock("b", "reasoning"), TextBlock("cd"))


def test_a_refusal_and_content_parts_are_text() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "other"}, {"type": "text", "text": "b"}]
    assert _read(delta({"content": parts}), delta({"refusal": "c"}, "stop")).text == "abc"


def test_a_character_cut_between_two_deltas_is_joined() -> None:
    chunks = [
        r'{"choices":[{"delta":{"content":"\ud83d"}}]}',
        r'{"choices":[{"delta":{"content":"\ude00"}}]}',
    ]
    events, _ = read(Reply(chunks=[*chunks, delta({}, "stop")]).body("m"))
    assert [event for event in events if isinstance(event, TextDelta)] == [TextDelta("😀")]


def test_half_a_character_at_the_end_is_replaced() -> None:
    half = r'{"choices":[{"delta":{"FIELD":"\ud83d"}}]}'
    events, _ = read(Reply(chunks=[half.replace("FIELD", "content"), delta({}, "stop")]).body("m"))
    assert message(events).text == "\ufffd"
    events, _ = read(
        Reply(chunks=[half.replace("FIELD", "reasoning"), delta({}, "stop")]).body("m")
    )
    assert ThinkingDelta("\ufffd") in events
    assert message(events).content == (ThinkingBlock("\ufffd", "reasoning"),)


def test_bytes_that_are_not_utf8_are_replaced_in_text() -> None:
    assert message(
        read([b'data: {"choices":[{"delta":{"content":"a\xff"},"finish_reason":"stop"}]}\n\n'])[0]
    ).text == ("a\ufffd")


@pytest.mark.parametrize(
    ("finish", "calls", "stop"),
    [
        ("stop", False, StopReason.STOP),
        ("end", False, StopReason.STOP),
        ("tool_calls", False, StopReason.STOP),
        ("function_call", False, StopReason.STOP),
        ("length", False, StopReason.LENGTH),
        ("stop", True, StopReason.TOOL_USE),
        ("tool_calls", True, StopReason.TOOL_USE),
        ("length", True, StopReason.LENGTH),
    ],
)
def test_the_stop_reason_follows_from_the_calls_except_for_length(
    finish: str, calls: bool, stop: StopReason
) -> None:
    reply = Reply(text="a", calls=[Call("b", {})] if calls else [], finish=finish)
    assert message(read(reply.body("m"))[0]).stop is stop


@pytest.mark.parametrize(
    ("finish", "says"),
    [
        ("content_filter", "the provider's filter cut the reply"),
        ("error", "the server ended the reply with the finish reason 'error'"),
        ("network_error", "the server ended the reply with the finish reason 'network_error'"),
        ("never heard", "the server ended the reply with the finish reason 'never heard'"),
    ],
)
def test_any_other_finish_reason_is_an_error(finish: str, says: str) -> None:
    assert read(Reply(text="a", finish=finish).body("m"))[1] == says


def test_an_empty_finish_reason_is_none() -> None:
    assert _read(delta({"content": "a"}, ""), delta({"content": "b"}, "stop")).text == "ab"


def test_a_stream_without_a_finish_reason_is_cut_off_unless_the_server_is_known_to_send_none() -> (
    None
):
    body = list(Reply(text="a", finish="").body("m"))
    assert read(body)[1] == "the stream ended before the reply was complete"
    assert message(read(body, needs_finish=False)[0]).text == "a"
    assert (
        read(body[:-1], needs_finish=False)[1] == "the stream ended before the reply was complete"
    )


def test_the_end_marker_may_be_missing_after_a_finish_reason() -> None:
    assert message(read(Reply(text="a", done=False).body("m"))[0]).text == "a"


def test_nothing_after_the_end_marker_is_read() -> None:
    assert _read(delta({"content": "a"}, "stop"), " [DONE] ", delta({"content": "b"})).text == "a"


def test_other_choices_missing_choices_and_unknown_objects_are_ignored() -> None:
    other = {"choices": [{"index": 1, "delta": {"content": "no"}, "finish_reason": "length"}]}
    reply = _read(
        {"id": "x"},
        other,
        {"choices": []},
        {"choices": None},
        {},
        {"choices": [{"delta": None}]},
        delta({"content": "a"}, "stop"),
    )
    assert (reply.text, reply.stop) == ("a", StopReason.STOP)


def test_details_that_json_cannot_carry_back_are_not_kept() -> None:
    details = [{"type": "reasoning.text", "text": "hm", "index": float("nan")}]
    reply = _read(delta({"reasoning_details": details}), delta({"content": "a"}, "stop"))
    assert reply.content == (ThinkingBlock("hm"), TextBlock("a"))


def test_empty_events_are_ignored() -> None:
    assert _read("", " ", delta({"content": "a"}, "stop")).text == "a"


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        (
            {
                "prompt_tokens": 100,
                "completion_tokens": 20,
                "prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 10},
                "completion_tokens_details": {"reasoning_tokens": 5},
            },
            Usage(input=30, output=20, cache_read=60, cache_write=10, reasoning=5),
        ),
        (
            {"prompt_tokens": 100, "completion_tokens": 20, "prompt_cache_hit_tokens": 60},
            Usage(input=40, output=20, cache_read=60),
        ),
        (
            {"prompt_tokens": 100, "completion_tokens": 20, "cached_tokens": 60},
            Usage(input=40, output=20, cache_read=60),
        ),
        (
            {"prompt_tokens": 1e999, "completion_tokens": -3, "prompt_tokens_details": None},
            Usage(),
        ),
        ({"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": 9}}, Usage(cache_read=9)),
        ({"prompt_tokens": True, "completion_tokens": "7"}, Usage()),
        ({"prompt_tokens": 5, "cost": 0.25}, Usage(input=5, cost=0.25)),
        ({"cost": 0}, Usage(cost=0.0)),
        (
            {"cost": 0.1, "is_byok": True, "cost_details": {"upstream_inference_cost": 2}},
            Usage(cost=2.1),
        ),
        ({"cost": 0.1, "is_byok": True, "cost_details": {}}, Usage()),
        ({"cost": -1}, Usage()),
        ({"cost": True}, Usage()),
        ({"cost": {"total": 1}}, Usage()),
        ({"cost": 1e999}, Usage()),
        ({"cost": 10**400}, Usage()),
    ],
)
def test_token_counts_are_read_in_each_spelling(usage: dict[str, Any], counts: Usage) -> None:
    assert _read(
        delta({"content": "a"}, "stop", usage={"prompt_tokens": 1}), {"choices": [], "usage": usage}
    ).usage == (counts)


def test_usage_inside_the_choice_and_on_each_chunk_is_read_and_told_when_it_changes() -> None:
    inside = delta({"content": "b"}, "stop")
    inside["choices"][0]["usage"] = {"prompt_tokens": 3, "completion_tokens": 2}
    first = delta({"content": "a"}, usage={"prompt_tokens": 3, "completion_tokens": 1})
    events, _ = read(Reply(chunks=[first, first, inside]).body("m"))
    assert [event.usage.output for event in events if isinstance(event, UsageUpdate)] == [1, 2]


def test_no_usage_is_none() -> None:
    assert message(read(Reply(text="a", usage=None).body("m"))[0]).usage is None


@pytest.mark.parametrize(
    ("chunk", "says"),
    [
        ({"error": {"message": "boom", "code": 502}}, "boom"),
        ({"error": "boom"}, "boom"),
        ({"object": "error", "message": "boom"}, "boom"),
        ({"detail": "boom"}, "boom"),
        (delta({}, "error", error={"message": "boom"}), "boom"),
    ],
)
@pytest.mark.parametrize("late", [False, True])
def test_an_error_object_in_the_stream_fails_the_reply(chunk: Any, says: str, late: bool) -> None:
    before = [delta({"content": "a"})] if late else []
    assert _error(*before, chunk) == f"the server failed during the reply: {says}"


def test_an_error_event_fails_the_reply_whether_or_not_it_is_json() -> None:
    assert read([b"event: error\ndata: boom\n\n"])[1] == "the server failed during the reply: boom"
    assert (
        read([b'event: error\ndata: {"message":"boom"}\n\n'])[1]
        == "the server failed during the reply: boom"
    )


def test_an_error_line_that_is_no_event_fails_the_reply_with_its_text() -> None:
    start = b"".join(Reply(text="a", finish="", usage=None, done=False).body("m"))
    assert (
        read([start + b'{"error":{"message":"boom"}}\n'])[1]
        == "the server failed during the reply: boom"
    )


@pytest.mark.parametrize("data", ["{", "hello", "[1, 2", '{"a":1} x'])
def test_an_event_that_is_not_json_fails_the_reply(data: str) -> None:
    assert _error(data) == f"the server sent an event that is not JSON: {data}"


@pytest.mark.parametrize("data", ["7", "null", '"a"', "[]"])
def test_an_event_that_is_no_object_fails_the_reply(data: str) -> None:
    assert _error(data) == f"the server sent an event that is no object: {data}"


def test_an_event_that_is_nested_too_deeply_fails_the_reply() -> None:
    assert "not JSON" in _error("[" * 200_000)


_WORDS = st.sampled_from(
    ["choices", "delta", "content", "tool_calls", "function", "index", "id", "name", "arguments"]
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_WORDS, inner, max_size=3),
    max_leaves=14,
)
_SHAPED = st.builds(
    lambda content, call: {"choices": [{"delta": {"content": content, "tool_calls": [call]}}]},
    _JSON,
    st.fixed_dictionaries({}, optional={"index": _JSON, "id": _JSON, "function": _JSON}),
)


@given(st.lists(_JSON | _SHAPED, max_size=4))
@settings(deadline=None, max_examples=300)
def test_no_object_breaks_the_reader(chunks: list[Any]) -> None:
    events, error = read(Reply(chunks=[json.dumps(chunk) for chunk in chunks]).body("m"))
    assert error
    for event in events:
        repr(event).encode()


def test_half_an_event_at_the_end_is_a_stream_that_was_cut_off() -> None:
    body = b"".join(Reply(text="a", usage=None, done=False).body("m"))
    assert read([body[:-40]])[1] == "the stream ended before the reply was complete"
    assert read([body[:40]])[1] == "the server ended the stream without a reply"
    assert message(read([body + b'data: {"usa'])[0]).text == "a"
    assert read([b"data: hello"])[1] == "the server sent an event that is not JSON: hello"
