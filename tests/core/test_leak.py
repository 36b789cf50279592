"""What a reply means (S6.10, H4.1, H4.7, H4.8): concrete cases, hostile values, time linear in the text."""

from __future__ import annotations

import ast
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eukhe.core.guard import Repeat
from eukhe.core.leak import (
    Again,
    Answer,
    Fail,
    Note,
    Notes,
    Offered,
    Rebuilt,
    Reply,
    Run,
    Step,
    Trouble,
    Truncate,
    Unread,
    Why,
    decide,
    note_text,
    scan,
)
from eukhe.core.leak_families import Family

_TOOLS: Mapping[str, Mapping[str, object]] = {
    "read": {"properties": {"path": {"type": "string"}}},
    "functions.read": {},
    "mine.read": {},
}
_READ = '<tool_call>{"name": "read", "arguments": {}}</tool_call>'
_D = "|DSML|"


def _calls(text: str) -> list[tuple[str, object]]:
    found = scan([text], _TOOLS)
    assert isinstance(found, Rebuilt), found
    return [(call.name, json.loads(call.arguments)) for call in found.calls]


def _decide(
    ended: Reply[str] | Repeat, notes: Notes, offered: Offered = MappingProxyType({})
) -> Step[str]:
    return decide(ended, notes, offered)


def _relaxed(text: str) -> object:
    """Read Python literals, as a relaxed dialect does."""
    return ast.literal_eval(text)


@dataclass(frozen=True)
class _Says:
    """A parser with one answer."""

    answer: object

    def __call__(self, text: str) -> object:
        return self.answer


def test_calls_run_whatever_the_stop_reason_but_length() -> None:
    for stop in ("stop", "toolUse", "error", ""):
        assert decide(Reply((), (1, 2), stop), Notes(), {}) == Run(
            (1, 2), (), rebuilt=False, stop="toolUse"
        )
    assert decide(Reply((), (1, 2), "length"), Notes(), {}) == Truncate((1, 2), (), rebuilt=False)


def test_a_cut_stream_is_retried_with_its_period_and_last_line() -> None:
    repeat = Repeat(77, 7, "and again")
    assert _decide(repeat, Notes(3, 2)) == Again(
        Note(Trouble.REPEATING, 4, 7, "and again"), Notes(4, 0)
    )
    assert _decide(repeat, Notes(8, 0)) == Fail(Trouble.REPEATING, 7, "and again")


def test_an_empty_reply_is_retried_until_the_notes_are_spent() -> None:
    notes, texts = Notes(), set()
    for attempt in range(1, 9):
        step = _decide(Reply((" \n",), (), "stop"), notes)
        assert isinstance(step, Again)
        assert step.note == Note(Trouble.EMPTY, attempt)
        notes = step.notes
        texts.add(note_text(step.note))
    assert len(texts) == 8, "the same request never goes out twice unchanged"
    assert _decide(Reply((" \n",), (), "stop"), notes) == Fail(Trouble.EMPTY)
    assert _decide(Reply((), (), "length"), notes) == Fail(Trouble.LENGTH)


def test_a_whole_name_goes_before_a_prefix_and_the_longest_name_wins() -> None:
    kimi = "<|tool_call_begin|>{}:0<|tool_call_argument_begin|>{{}}<|tool_call_end|>"
    assert _calls(kimi.format("functions.read")) == [("functions.read", {})]
    assert _calls(kimi.format("functions.mine.read")) == [("mine.read", {})]
    assert _calls(kimi.format("other.read")) == [("read", {})]
    assert isinstance(scan([_READ.replace("read", "other.read")], _TOOLS), Unread)


def test_markup_in_a_value_is_not_read() -> None:
    value = 'see `<tool_call>` and\n```\n</tool_call> "x'
    hermes = json.dumps({"name": "read", "arguments": {"path": value}})
    assert _calls(f"<tool_call>{hermes}</tool_call>") == [("read", {"path": value})]
    coder = f"<function=read><parameter=path>{value}</parameter></function>"
    assert _calls(coder) == [("read", {"path": value})]
    dsml = (
        f'<{_D}invoke name="read"><{_D}parameter name="path" string="true">{value}'
        f"</{_D}parameter></{_D}invoke>"
    )
    assert _calls(dsml) == [("read", {"path": value})]


def test_a_call_that_is_cut_in_a_value_does_not_take_the_next_one_in() -> None:
    whole = "<function=read><parameter=path>b</parameter></function>"
    cut = "<function=read><parameter=path>a"
    assert scan([f"{cut}{whole}"], _TOOLS) == Unread(Family.CODER, Why.UNPARSED, 0, 0)
    open_ = f'<{_D}invoke name="read"><{_D}parameter name="path" string="true">'
    whole = f"{open_}b</{_D}parameter></{_D}invoke>"
    assert scan([f"w {open_}a{whole}"], _TOOLS) == Unread(Family.DSML, Why.UNPARSED, 0, 2)


def test_a_glm_call_shares_its_opener_and_is_retried() -> None:
    text = "<tool_call>read\n<arg_key>path</arg_key><arg_value>a</arg_value></tool_call>"
    assert isinstance(scan([text], _TOOLS), Unread)


def test_the_caller_s_parser_reads_the_objects() -> None:
    text = "<tool_call>{'name': 'read'}</tool_call>"
    assert isinstance(scan([text], _TOOLS), Unread)
    found = scan([text], _TOOLS, lambda text: json.loads(text.replace("'", '"')))
    assert isinstance(found, Rebuilt)
    odd = """<tool_call>{'name': 'read', 'arguments': {'path': 'a"'}}</tool_call> and "more\""""
    found = scan([odd], _TOOLS, _relaxed)
    assert isinstance(found, Rebuilt)
    assert (found.calls[0].arguments, found.texts) == ('{"path": "a\\""}', (' and "more"',))
    wrongs: tuple[object, ...] = (
        {"name": "read", "arguments": {"path": object()}},
        [],
        "x",
        5,
        {"name": []},
    )
    for wrong in wrongs:
        assert isinstance(scan([text], _TOOLS, _Says(wrong)), Unread)


def test_a_leak_with_no_note_left_is_the_answer() -> None:
    step = _decide(Reply(("<tool_call>{",), (), "length"), Notes(8, 0))
    assert isinstance(step, Answer)
    assert step.cut
    assert step.leak == Unread(Family.HERMES, Why.UNPARSED, 0, 0)


_HOSTILE = {
    "openers": "<tool_call>",
    "openers with a brace": "<tool_call>{",
    "functions": "<function=read>",
    "function heads": "<function =",
    "sections": "<tool_calls><read",
    "sections that never close": "<tool_calls><read/>",
    "stripped invokes": '<tool_calls><invoke name="read">',
    "kimi calls": "<|tool_call_begin|>read<|tool_call_argument_begin|>",
    "kimi sections": "<|tool_calls_section_begin|>",
    "dsml": f"<{_D}",
    "dsml openers": f"<{_D}tool_calls>",
    "bars": "< | | ",
    "angle brackets": "<",
    "backticks": "` ",
    "odd backticks": "`` ` ``` ",
    "one run": "`",
    "tildes": "~~~ ",
    "fences": "```\n",
    "fences with an info": "```x\n",
    "growing fences": "".join("\n" + "`" * (3 + size) + "x" for size in range(300)),
    "growing runs": "".join("`" * (1 + size) + "x" for size in range(300)),
    "closers": "`<`/tool_call>",
    "spaces": "<tool_calls> \n",
    "white space": " \n",
    "good calls": _READ,
    "good calls and space": f"{_READ}\n\n",
}


@pytest.mark.parametrize("piece", _HOSTILE.values(), ids=_HOSTILE)
def test_a_megabyte_of_hostile_text_is_scanned_in_linear_time(piece: str) -> None:
    start = time.process_time()
    scan([piece * (1_000_000 // len(piece))], _TOOLS)
    assert time.process_time() - start < 20, "a scan that is not linear takes hours"


@pytest.mark.parametrize("piece", ["<tool_call>", "```\n<tool_call>{", "[", "`` ` ``` "])
def test_ten_megabytes_behind_a_fence_an_opener_or_a_bracket_are_scanned(piece: str) -> None:
    text = piece * (10_000_000 // len(piece))
    start = time.process_time()
    assert scan([f"~~~\n{text}"], _TOOLS) is None
    scan([f"w {text}"], _TOOLS)
    assert isinstance(scan([f"<tool_call>{{{text}"], _TOOLS), Unread)
    assert time.process_time() - start < 60, "a scan that is not linear takes hours"


def test_runs_of_backticks_without_a_partner_cost_nothing() -> None:
    lone = "x".join("`" * size for size in range(2, 1000))
    start = time.process_time()
    scan([lone + "x" + "` " * 500_000], _TOOLS)
    assert time.process_time() - start < 20, "each run looked through all that follow"


def test_brackets_nested_too_deep_do_not_parse() -> None:
    deep = "[" * 1_000_000
    for text in (
        f"<tool_call>{{{deep}",
        f'<tool_call>{{"name": "read", "arguments": {{"a": {deep}}}}}</tool_call>',
        _READ.replace("{}", f'{{"path": {"[" * 900}{"]" * 900}}}'),
        f"<|tool_call_begin|>read<|tool_call_argument_begin|>{deep}<|tool_call_end|>",
    ):
        assert isinstance(scan([text], _TOOLS), Unread | Rebuilt)
    typed = f'<{_D}invoke name="read"><{_D}parameter name="n" string="false">{deep}</{_D}parameter></{_D}invoke>'
    assert _calls(typed) == [("read", {"n": deep})]


_PARTS = st.sampled_from(
    (*_HOSTILE.values(), *"<>/`~|={}[]\"'\n\r\t \ud800\u2028é0", "</parameter>", "</function>")
)
_SCHEMAS: st.SearchStrategy[object] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=3)
    | st.sampled_from(("string", "null")),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(("properties", "path", "type", "anyOf", "oneOf", "k")),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@settings(derandomize=True, database=None, deadline=None, max_examples=300)
@given(
    st.lists(st.lists(_PARTS, max_size=12).map("".join), max_size=3),
    st.dictionaries(
        st.sampled_from(("read", "", "a.b")), st.dictionaries(st.text(max_size=3), _SCHEMAS)
    ),
    st.sampled_from(("stop", "length", "", "\ud800")),
    st.integers(-3, 12),
    st.integers(-3, 12),
)
def test_any_reply_has_a_step(
    texts: list[str], tools: dict[str, dict[str, object]], stop: str, spent: int, leaks: int
) -> None:
    step = _decide(Reply(tuple(texts), (), stop), Notes(spent, leaks), tools)
    assert isinstance(step, Run | Truncate | Answer | Again | Fail)


@settings(derandomize=True, database=None, deadline=None, max_examples=300)
@given(_SCHEMAS, st.sampled_from(("1", "true", "null", "[1]", "x", "\ud800", "1e999", "9" * 5000)))
def test_any_schema_types_a_value(schema: object, raw: str) -> None:
    text = f"<function=t><parameter=k>{raw}</parameter></function>"
    found = scan([text], {"t": {"properties": {"k": schema}}})
    assert isinstance(found, Rebuilt)
    assert list(json.loads(found.calls[0].arguments)) == ["k"]


@settings(derandomize=True, database=None, deadline=None, max_examples=200)
@given(st.sampled_from(tuple(Trouble)), st.integers(), st.integers(), st.text())
def test_any_note_has_a_text(trouble: Trouble, attempt: int, period: int, last: str) -> None:
    assert str(attempt) in note_text(Note(trouble, attempt, period, last))
