"""The progress check (S5.8): what is work, when a goal pauses and what it says, and hostile values."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eukhe.core import progress
from eukhe.core.canonical import canonical
from eukhe.core.progress import Call, Ledger, Mark, Note, Pause, Proceed, Said
from eukhe_bridge import kit
from eukhe_bridge import progress as bridge

HOSTILE = settings(derandomize=True, database=None, deadline=None, max_examples=200)

READ = Call(
    "call_1", 1000, "Let me look.", "read", {"path": "a.py", "limit": 5}, "x = 1", error=False
)


def _follow(works: list[int], cap: int) -> list[Proceed | Pause]:
    """Check a goal at continuations that find this much work."""
    found: list[Proceed | Pause] = []
    last: Mark | None = None
    for work in works:
        found.append(progress.check(last, "run", "goal", work, cap))
        last = found[-1].mark
    return found


def test_a_goal_without_progress_pauses_at_the_stall_cap() -> None:
    checks = _follow([4, 4, 4, 4], 0)
    assert [type(one) for one in checks] == [Proceed, Proceed, Proceed, Pause]
    last = checks[-1]
    assert isinstance(last, Pause)
    assert last.reason == (
        "No progress: 3 goal continuations in a row made no tool call with a new result"
    )


def test_the_continuation_tells_how_long_the_stall_is_and_where_the_goal_pauses() -> None:
    first, second, *_ = _follow([4, 4, 4], 5)
    assert isinstance(first, Proceed)
    assert first.note is None
    assert isinstance(second, Proceed)
    assert second.note == (
        "1 goal continuations in a row made no tool call with a new result. "
        "At 5 the goal pauses. Take one concrete step now, with a tool."
    )


def test_new_work_clears_the_count() -> None:
    assert [one.mark.count for one in _follow([4, 4, 4, 5, 5], 3)] == [0, 1, 2, 0, 1]


def test_work_that_shrank_after_a_rewind_is_no_new_work() -> None:
    assert [one.mark.count for one in _follow([4, 2, 3], 9)] == [0, 1, 0]


@pytest.mark.parametrize(("run", "goal"), [("next run", "goal"), ("run", "next goal")])
def test_a_new_run_or_goal_has_the_full_cap_again(run: str, goal: str) -> None:
    last = Mark("run", "goal", 4, 2)
    assert progress.check(last, run, goal, 4, 3) == Proceed(Mark(run, goal, 4, 0), None)


@pytest.mark.parametrize(
    "other",
    [
        replace(READ, tool="bash"),
        replace(READ, arguments={"path": "a.py", "limit": 6}),
        replace(READ, arguments={"path": "a.py", "limit": "5"}),
        replace(READ, result="x = 2"),
        replace(READ, error=True),
        Note("note", 1000, "x = 1", accepted=True),
    ],
)
def test_another_tool_argument_result_or_error_flag_is_work(other: progress.Item) -> None:
    assert Ledger([READ, other]).work == 2


@pytest.mark.parametrize(
    "other",
    [
        replace(READ, id="call_2"),
        replace(READ, at=2000),
        replace(READ, text="Let me look again."),
        replace(READ, arguments={"limit": 5, "path": "a.py"}),
        Said(1000, "x = 1"),
        Note("note", 1000, "done", accepted=False),
    ],
)
def test_what_is_around_a_call_is_no_work(other: progress.Item) -> None:
    assert Ledger([READ, other]).work == 1


def test_the_ledger_keeps_the_same_few_bytes_however_long_a_result_is() -> None:
    ledger = Ledger([replace(READ, result="x" * 5_000_000)])
    (digest,) = ledger._acts
    assert len(digest) == 16


def test_the_bridge_finds_no_difference_and_reaches_every_rule() -> None:
    found = kit.run(bridge.BRIDGE)
    assert found.scenarios >= 300
    assert (found.differences, found.missed) == ((), ())


TEXT = st.sampled_from(["", "a\u2028b", "\ud800", "ä" * 5000]) | st.text(max_size=9)
INTS = st.integers(-3, 5) | st.sampled_from([10**4000, -(10**4000)])
JSON = st.recursive(
    st.none() | st.booleans() | INTS | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
ODD = st.binary(max_size=3) | st.builds(object) | st.frozensets(st.integers(), max_size=2)
CALLS = st.builds(Call, TEXT, INTS, TEXT, TEXT, JSON | ODD, TEXT, st.booleans())
ITEMS = CALLS | st.builds(Note, TEXT, INTS, TEXT, st.booleans()) | st.builds(Said, INTS, TEXT)
MARKS = st.none() | st.builds(Mark, TEXT, TEXT, st.integers(), st.integers(0, 9))


@HOSTILE
@given(st.lists(ITEMS, max_size=6))
def test_no_session_raises_and_doing_it_all_again_is_no_work(items: list[progress.Item]) -> None:
    assert Ledger(items).work == Ledger(items + items).work <= len(items)


@HOSTILE
@given(MARKS, TEXT, TEXT, st.integers(), st.integers(-3, 9))
def test_no_check_raises(last: Mark | None, run: str, goal: str, work: int, cap: int) -> None:
    found = progress.check(last, run, goal, work, cap)
    assert (found.mark.run, found.mark.goal, found.mark.work) == (run, goal, work)


def test_arguments_nested_deeper_than_python_recurses_are_read() -> None:
    deep: object = 0
    for _ in range(100_000):
        deep = [deep]
    assert Ledger([replace(READ, arguments=deep), READ]).work == 2


def test_a_number_with_more_digits_than_python_prints_is_read() -> None:
    one, two = replace(READ, arguments=10**5000), replace(READ, arguments=10**5000 + 1)
    assert Ledger([one, two]).work == 2


@HOSTILE
@given(JSON, JSON)
def test_canonical_bytes_are_equal_exactly_when_the_values_are(one: object, two: object) -> None:
    assert (canonical(one) == canonical(two)) == (_strict(one) == _strict(two))


def _strict(value: object) -> object:
    """Give a value that `==` compares as JSON does: types count, the order of keys does not."""
    match value:
        case dict():
            return ("dict", {key: _strict(inner) for key, inner in value.items()})
        case list():
            return ("list", [_strict(inner) for inner in value])
        case float():
            return ("float", repr(value))
        case _:
            return (type(value).__name__, value)


@pytest.mark.parametrize(
    ("one", "two"),
    [([["a"], "b"], [["a", "b"]]), (["ab"], ["a", "b"]), ([True], [1]), ([1.0], [1]), (["1"], [1])],
)
def test_canonical_bytes_never_run_into_each_other(one: object, two: object) -> None:
    assert canonical(one) != canonical(two)
