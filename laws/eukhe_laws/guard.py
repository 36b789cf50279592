"""The laws of the repetition guard (S6.5).

A loop is restated here by slices (a window is periodic when it equals itself moved by the period); the model
compares place by place. The longest period is restated as well, because a law that asked the model for it would
move with a bug in it.
"""

from __future__ import annotations

from typing import Annotated, Protocol

from eukhe_bridge import guard as bridge
from eukhe_laws.engine.domain import Among, Range, Scope, Sized
from eukhe_laws.engine.law import law
from eukhe_spec import guard as spec
from eukhe_spec.guard import Char, Cut

#: A window of 1 to 13 chunks: periods up to 3 count.
Window = Annotated[int, Range(1, 13)]
#: A window in which a period of two counts.
TwoPeriods = Annotated[int, Range(8, 13)]
#: A block of a loop.
Block = Annotated[tuple[int, ...], Sized(1, 3)]
#: A delta of up to three characters.
Delta = Annotated[tuple[Char, ...], Sized(0, 3)]
#: The longest chunk: small, so that short texts exceed it.
Limit = Annotated[int, Range(4, 7)]
#: A few chunks before or after a loop.
Few = Annotated[tuple[int, ...], Sized(0, 2)]


class Guard(Protocol):
    """The functions under law."""

    def chunks(self, deltas: tuple[Delta, ...], limit: Limit) -> tuple[tuple[Char, ...], ...]: ...
    def cut(self, chunks: tuple[int, ...], k: Window) -> Cut | None: ...


SPEC: Guard = spec
CORE: Guard = bridge.CORE


def _loops(chunks: tuple[int, ...], period: int) -> bool:
    return chunks[period:] == chunks[: len(chunks) - period]


def _quarter(k: int) -> int:
    """A quarter of the window, at least 1, found by counting fours."""
    return len(range(4, k + 1, 4)) or 1


def _first(chunks: tuple[int, ...], k: int) -> Cut | None:
    """The first periodic window, by slices of the whole stream."""
    windows = [(end, chunks[end - k : end]) for end in range(k, len(chunks) + 1)]
    found = [
        (end, period)
        for end, window in windows
        for period in range(1, _quarter(k) + 1)
        if _loops(window, period)
    ]
    return Cut(*min(found), chunks[min(found)[0] - 1]) if found else None


def _chunked(text: tuple[Char, ...], limit: int) -> tuple[tuple[Char, ...], ...]:
    """The chunks, read character by character: one that does not fit ends the chunk before it."""
    found: list[tuple[Char, ...]] = []
    line: tuple[Char, ...] = ()
    for char in text:
        if char is Char.NEWLINE or sum(line) + char > limit:
            found.append(line)
            line = ()
        if char is not Char.NEWLINE:
            line = (*line, char)
    return tuple([one for one in found if set(one) - {Char.BLANK}])


def _stream(before: tuple[int, ...], block: tuple[int, ...], k: int) -> tuple[int, ...]:
    return before + (block * k)[:k]


@law(
    section="S6.5",
    control=("k",),
    reach={"long": lambda S, before, chunk, k, after: k > 8},
)
def guard_cuts_repeats(S: Guard, before: Few, chunk: int, k: Window, after: Few) -> bool:
    """A stream that repeats a chunk `k` times in a row is cut (S6.5)."""
    return S.cut((*before, *([chunk] * k), *after), k) is not None


@law(
    section="S6.5",
    scope=Scope(2),
    control=("k",),
    given=lambda S, before, block, k, after: len(block) <= _quarter(k),
    reach={
        "a period of two": lambda S, before, block, k, after: len(set(block[:2])) == 2,
        "a period of three": lambda S, before, block, k, after: (
            len(block) == 3 and not _loops(block * 2, 1)
        ),
    },
)
def guard_cuts_loops(S: Guard, before: Few, block: Block, k: Window, after: Few) -> bool:
    """A stream with a window of `k` chunks that is periodic, with a period of at most `k / 4` (at least 1),
    is cut (S6.5).
    """
    return S.cut(_stream(before, block, k) + after, k) is not None


@law(
    section="S6.5",
    scope=Scope(3, 6),
    wide=Scope(2, 14),
    control=("k",),
    given=lambda S, chunks, k: _first(chunks, k) is None,
    reach={
        "longer than the window": lambda S, chunks, k: len(chunks) > k > 1,
        "a loop that is too short": lambda S, chunks, k: len(chunks) > 3 and len(set(chunks)) == 1,
    },
)
def guard_keeps_others(S: Guard, chunks: tuple[int, ...], k: Window) -> bool:
    """A stream with no window of `k` chunks that is periodic, with a period of at most `k / 4` (at least 1),
    is not cut (S6.5).
    """
    return S.cut(chunks, k) is None


@law(
    section="S6.5",
    scope=Scope(2),
    control=("k", "broken"),
    given=lambda S, before, block, k, broken: broken < k > 1,
    ours=True,
)
def guard_keeps_broken_loops(
    S: Guard, before: Few, block: Block, k: Window, broken: Annotated[int, Range(0, 12)]
) -> bool:
    """A window in which one chunk differs from the loop it would be is not cut (S6.5)."""
    window = list((block * k)[:k])
    window[broken] = other = max(block) + 1
    return S.cut((*[other + 1 + place for place in range(len(before))], *window), k) is None


@law(
    section="S6.5",
    scope=Scope(2),
    control=("k",),
    given=lambda S, before, block, k, after: len(block) <= _quarter(k),
    ours=True,
)
def guard_reports_first(S: Guard, before: Few, block: Block, k: Window, after: Few) -> bool:
    """The cut is at the first periodic window and gives its smallest period and the last chunk (S6.5)."""
    chunks = _stream(before, block, k) + after
    return S.cut(chunks, k) == _first(chunks, k)


@law(
    section="S6.5",
    scope=Scope(2),
    control=("k",),
    given=lambda S, before, block, k: len(block) > _quarter(k) and k > 1,
    ours=True,
)
def guard_keeps_long_periods(S: Guard, before: Few, block: Block, k: Window) -> bool:
    """A loop whose every period is longer than a quarter of a window of two chunks or more is not cut (S6.5)."""
    marked = tuple([50 + chunk * len(block) + place for place, chunk in enumerate(block)])
    return S.cut((*range(20, 20 + len(before)), *(marked * k)), k) is None


@law(section="S6.5", scope=Scope(2, 4), ours=True)
def guard_zero_is_off(S: Guard, chunks: tuple[int, ...]) -> bool:
    """A window of 0 chunks turns the guard off (S6.5)."""
    return S.cut(chunks, 0) is None


@law(section="S6.5", scope=Scope(2, 4), control=("more",), ours=True)
def guard_keeps_short_streams(
    S: Guard, chunks: tuple[int, ...], more: Annotated[int, Among((1, 2, 10**6, 10**30))]
) -> bool:
    """A stream of fewer chunks than the window is not cut, however large the window (S6.5)."""
    return S.cut(chunks, len(chunks) + more) is None


@law(
    section="S6.5",
    scope=Scope(2, 2),
    wide=Scope(2, 6),
    control=("limit",),
    reach={
        "a cut line": lambda S, deltas, limit: len(S.chunks(deltas, limit)) > 1,
        "a blank line": lambda S, deltas, limit: (Char.NEWLINE, Char.BLANK, Char.NEWLINE) in deltas,
    },
    ours=True,
)
def guard_chunks_exact(S: Guard, deltas: tuple[Delta, ...], limit: Limit) -> bool:
    """A chunk is a complete line, not blank; a longer one is cut at the limit, on a character boundary (S6.5)."""
    return S.chunks(deltas, limit) == _chunked(sum(deltas, ()), limit)
