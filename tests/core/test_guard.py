"""The repetition guard (S6.5): chunks, windows, memory."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eukhe.core.guard import MAX_CHUNK_BYTES, Guard, Repeat
from eukhe_bridge.guard import CORE
from eukhe_spec import guard as spec


def _feed(guard: Guard, *deltas: str) -> Repeat | None:
    for delta in deltas:
        found = guard.feed(0, delta)
        if found is not None:
            return found
    return None


_LOOP = [f"thought {number}\n" for number in range(7)]


def test_the_observed_thinking_loop_is_cut_at_its_77th_line() -> None:
    # Seven lines before the loop, then the cycle of seven: line 77 completes the first window of 64 in the loop.
    head = [f"before {number}\n" for number in range(13)]
    found = _feed(Guard(64), *head, *(_LOOP * 200))
    assert found == Repeat(77, 7, _LOOP[(77 - 13 - 1) % 7].rstrip("\n"))


def test_a_cycle_longer_than_a_quarter_of_the_window_is_not_cut() -> None:
    cycle = [f"line {number}\n" for number in range(17)]
    assert _feed(Guard(64), *(cycle * 30)) is None
    assert _feed(Guard(68), *(cycle * 30)) is not None


def test_a_single_differing_line_restarts_the_window() -> None:
    found = _feed(Guard(8), *["a\n"] * 7, "b\n", *["a\n"] * 7)
    assert found is None
    assert _feed(Guard(8), *["a\n"] * 7, "b\n", *["a\n"] * 8) == Repeat(16, 1, "a")


def test_a_loop_with_no_newline_is_cut_in_bounded_chunks() -> None:
    found = _feed(Guard(4), *["ab" * 512] * 40)
    assert found == Repeat(4, 1, "ab" * 2048)


@pytest.mark.parametrize("character", ["a", "é", "語", "🜂", "\ud800"])
def test_a_long_line_is_chunked_on_character_boundaries(character: str) -> None:
    width = len(character.encode("utf-8", "surrogatepass"))
    found = _feed(Guard(1), "x" + character * MAX_CHUNK_BYTES)
    assert found is not None
    assert found.last == "x" + character * ((MAX_CHUNK_BYTES - 1) // width)


def test_a_line_of_exactly_the_limit_is_one_chunk() -> None:
    line = "x" * MAX_CHUNK_BYTES
    assert _feed(Guard(2), line + "\n", line + "\n") == Repeat(2, 1, line)
    assert _feed(Guard(2), line, "\n", "y\n") is None


def test_blank_lines_are_no_chunks() -> None:
    assert _feed(Guard(3), "a\n\n", " \t\na\n", "\r\n\n\na\n") == Repeat(3, 1, "a")
    assert _feed(Guard(2), *[" " * 10_000] * 9) is None


def test_each_block_has_a_partial_line_of_its_own() -> None:
    guard = Guard(3)
    assert guard.feed("text", "a") is None
    assert guard.feed("thinking", "b") is None
    assert guard.feed("text", "\na\n") is None
    assert guard.feed("thinking", "\n") is None
    assert guard.feed("text", "a\na\n") is None
    assert guard.feed("text", "a\n") == Repeat(6, 1, "a")


def test_the_guard_keeps_a_quarter_of_the_window() -> None:
    guard = Guard(64)
    for number in range(20_000):
        guard.feed(0, f"{number % 17}\n")
        chunks, counters, partials = guard.kept()
        assert chunks <= 16
        assert counters <= 16
        assert partials == 1


def test_the_guard_cuts_where_the_model_does() -> None:
    """Every stream of three chunk values up to 8 chunks, for every k up to 12."""
    for size in range(9):
        for chunks in product(range(3), repeat=size):
            for k in range(13):
                assert CORE.cut(chunks, k) == spec.cut(chunks, k), (chunks, k)


def test_a_window_larger_than_any_list_is_a_window() -> None:
    assert _feed(Guard(10**30), *["a\n"] * 500) is None


@settings(derandomize=True, database=None, deadline=None, max_examples=300)
@given(
    st.lists(st.text(st.characters(codec=None), max_size=40) | st.just("loop\n"), max_size=60),
    st.integers(-2, 12),
)
def test_where_deltas_are_split_does_not_matter(parts: list[str], k: int) -> None:
    text = "".join(parts)
    whole = _feed(Guard(k), text)
    assert _feed(Guard(k), *text) == whole
