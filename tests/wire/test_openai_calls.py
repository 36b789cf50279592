"""Tool calls: fragments of every broken kind become the calls that the model meant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eukhe.wire.events import Event, ToolCallDelta, ToolCallEnd, ToolCallStart
from eukhe.wire.messages import StopReason, ToolCall
from tests.servers.chat import Call, Reply, delta
from tests.wire.helpers import message, read

Fragment = Mapping[str, Any]


def _events(*fragments: Fragment, finish: str = "tool_calls") -> list[Event]:
    """Read fragments, one a chunk."""
    chunks = [delta({"tool_calls": [fragment]}) for fragment in fragments]
    events, error = read(Reply(chunks=[*chunks, delta({}, finish)]).body("m"))
    assert error == ""
    return events


def _calls(*fragments: Fragment) -> list[tuple[str, str, str]]:
    return [(call.id, call.name, call.arguments) for call in message(_events(*fragments)).calls]


def _part(name: str | None = None, arguments: object = None, **more: object) -> Fragment:
    function: dict[str, object] = {}
    if name is not None:
        function["name"] = name
    if arguments is not None:
        function["arguments"] = arguments
    return {"function": function, **more}


def test_fragments_are_joined_by_index() -> None:
    assert _calls(
        _part("a", "", index=0, id="x"),
        _part("b", "", index=1, id="y"),
        _part(None, '{"p"', index=0),
        _part(None, "{}", index=1),
        _part(None, ":1}", index=0),
    ) == [("x", "a", '{"p":1}'), ("y", "b", "{}")]


def test_the_events_tell_start_deltas_and_ends_in_order() -> None:
    events = _events(_part("a", "{", index=0, id="x"), _part(None, "}", index=0))
    assert events[1:-1] == [
        ToolCallStart(0, "x", "a"),
        ToolCallDelta(0, "{"),
        ToolCallDelta(0, "}"),
        ToolCallEnd(0, ToolCall("x", "a", "{}")),
    ]


def test_a_late_name_holds_the_start_back_and_loses_nothing() -> None:
    events = _events(_part(None, "{", index=0, id="x"), _part("a", "}", index=0))
    assert events[1:-2] == [
        ToolCallStart(0, "x", "a"),
        ToolCallDelta(0, "{"),
        ToolCallDelta(0, "}"),
    ]


def test_a_late_id_is_the_calls_id() -> None:
    events = _events(_part("a", "{", index=0), _part(None, "}", index=0, id="x"))
    assert events[1] == ToolCallStart(0, "", "a")
    assert message(events).calls == (ToolCall("x", "a", "{}"),)


@pytest.mark.parametrize(
    ("fragments", "calls"),
    [
        pytest.param(
            [
                _part("a", "{", id="x"),
                _part("b", "{", id="y"),
                _part(None, "}", id="x"),
                _part(None, "}", id="y"),
            ],
            [("x", "a", "{}"), ("y", "b", "{}")],
            id="no index, an id on each delta",
        ),
        pytest.param(
            [_part("a", "{", id="x"), _part(None, "}")],
            [("x", "a", "{}")],
            id="no index, the id only in the first delta",
        ),
        pytest.param(
            [_part("a", "{"), _part(None, "}", id="x")],
            [("x", "a", "{}")],
            id="no index, the id only in the last delta",
        ),
        pytest.param(
            [_part("a", "{"), _part(None, '"p":'), _part(None, "{}}")],
            [("call_0", "a", '{"p":{}}')],
            id="neither: a nested object does not begin a call",
        ),
        pytest.param(
            [_part("a", '{"p":1}'), _part(None, '{"p":2}')],
            [("call_0", "a", '{"p":1}'), ("call_1", "", '{"p":2}')],
            id="neither: an object after a complete one begins a call",
        ),
        pytest.param(
            [_part("a", '{"p":1}'), _part("b", '{"p":1}')],
            [("call_0", "a", '{"p":1}'), ("call_1", "b", '{"p":1}')],
            id="neither: another name begins a call",
        ),
        pytest.param(
            [_part("a", "{}", index=0, id="x"), _part("b", "{}", index=0, id="y")],
            [("x", "a", "{}"), ("y", "b", "{}")],
            id="one index for all, another id",
        ),
        pytest.param(
            [
                _part("a", "{", index=0, id="x"),
                _part("b", "{", index=0, id="y"),
                _part(None, "}", index=0, id="x"),
                _part(None, "}", index=0, id="y"),
            ],
            [("x", "a", "{}"), ("y", "b", "{}")],
            id="one index for all, ids that take turns",
        ),
        pytest.param(
            [_part("a", '{"p":1}', index=0), _part("a", '{"p":2}', index=0)],
            [("call_0", "a", '{"p":1}'), ("call_1", "a", '{"p":2}')],
            id="one index for all, no ids, whole calls",
        ),
        pytest.param(
            [_part("a", "{", index=0, id="x"), _part("a", "}", index=0, id="x")],
            [("x", "a", "{}")],
            id="id and name on each delta",
        ),
        pytest.param(
            [_part("a", "{}", index=0, id="x"), _part("b", "{}", index=1, id="x")],
            [("x", "a", "{}"), ("call_0", "b", "{}")],
            id="one id for two calls",
        ),
        pytest.param(
            [_part("a", "{}", index="1", id=7)],
            [("7", "a", "{}")],
            id="the index is a text and the id a number",
        ),
        pytest.param(
            [_part("a", {"p": "é"}, index=0, id="x")],
            [("x", "a", '{"p": "é"}')],
            id="the arguments are an object",
        ),
        pytest.param([_part("a", None, index=0, id="x")], [("x", "a", "{}")], id="no arguments"),
        pytest.param([_part("a", "", index=0, id="x")], [("x", "a", "{}")], id="empty arguments"),
        pytest.param(
            [_part("a", "null", index=0, id="x")], [("x", "a", "{}")], id="null arguments"
        ),
        pytest.param(
            [
                _part("a", '{"p"', index=0, id="x"),
                _part(None, ":1}", index=0),
                _part(None, '{"p":1}', index=0),
            ],
            [("x", "a", '{"p":1}')],
            id="the whole arguments once more",
        ),
        pytest.param(
            [
                _part("a", '{"p":', index=0, id="x"),
                _part(None, '{"p":', index=0),
                _part(None, "1}}", index=0),
            ],
            [("x", "a", '{"p":{"p":1}}')],
            id="a repeated piece of an open object is no repetition",
        ),
        pytest.param(
            [_part("a", '{"p": "\ud83d', index=0, id="x"), _part(None, '\ude00"}', index=0)],
            [("x", "a", '{"p": "😀"}')],
            id="a character cut in two",
        ),
        pytest.param(
            [_part("a", '{"p": ', index=0, id="x")],
            [("x", "a", '{"p": ')],
            id="cut arguments stay raw",
        ),
        pytest.param(
            [{"index": 0, "id": "x", "function": None}], [("x", "", "{}")], id="no function at all"
        ),
    ],
)
def test_broken_fragments(fragments: list[Fragment], calls: list[tuple[str, str, str]]) -> None:
    assert _calls(*fragments) == calls


def test_a_function_call_of_the_old_kind_is_read() -> None:
    chunks = [
        delta({"function_call": {"name": "a", "arguments": "{"}}),
        delta({"function_call": {"arguments": "}"}}, "function_call"),
    ]
    reply = message(read(Reply(chunks=chunks).body("m"))[0])
    assert reply.calls == (ToolCall("call_0", "a", "{}"),)
    assert reply.stop is StopReason.TOOL_USE


def test_arguments_with_a_number_that_is_no_json_fail_the_reply() -> None:
    body = b'data: {"choices":[{"delta":{"tool_calls":[{"function":{"name":"a","arguments":{"p":NaN}}}]}}]}\n\n'
    assert read([body])[1] == "the model's tool arguments hold a number that is no JSON"


def test_a_call_with_bytes_that_are_not_utf8_fails_the_reply() -> None:
    body = b'data: {"choices":[{"delta":{"tool_calls":[{"function":{"name":"a","arguments":"\xff"}}]}}]}\n\n'
    assert read([body])[1] == "the server sent a tool call with bytes that are not UTF-8"


_SAMPLE = st.builds(
    Call,
    name=st.sampled_from(["read", "bash"]),
    arguments=st.dictionaries(st.text(max_size=3), st.text(max_size=6) | st.integers(), max_size=3),
    id=st.none() | st.just(""),
    split=st.integers(0, 4),
)


@given(st.lists(_SAMPLE, max_size=4))
@settings(deadline=None)
def test_calls_come_back_as_they_were_sent_however_they_are_split(calls: list[Call]) -> None:
    events, error = read(Reply(calls=calls).body("m"))
    assert error == ""
    got = message(events).calls
    assert [(call.name, call.arguments) for call in got] == [
        (call.name, call.text) for call in calls
    ]
    assert len({call.id for call in got}) == len(calls)
    for index, call in enumerate(got):
        pieces = (e.arguments for e in events if isinstance(e, ToolCallDelta) and e.index == index)
        assert "".join(pieces) == call.arguments
