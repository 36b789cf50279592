"""The reference model of the repetition guard (S6.5): where a stream of chunks is cut.

A chunk is a number: only equality counts. How text becomes chunks is modelled apart, on characters that are told
by their length in bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from eukhe_spec.contracts import ensure

__all__ = ["Char", "Cut", "chunks", "cut", "longest_period"]


@dataclass(frozen=True)
class Cut:
    """Where a stream is cut.

    Attributes:
        at: How many chunks the guard read, the one that cut included.
        period: The period of the window, in chunks; the smallest when there are several.
        last: The last chunk.
    """

    at: int
    period: int
    last: int


def longest_period(k: int) -> int:
    """Return the longest period that counts for a window of `k` chunks: `k / 4`, at least 1 (S6.5)."""
    return max(1, k // 4)


def _periodic(window: tuple[int, ...], period: int) -> bool:
    """Each chunk in the window, after the first `period`, is equal to the chunk `period` before it (S6.5)."""
    return all(window[place] == window[place - period] for place in range(period, len(window)))


@ensure(
    lambda k, result: result is None or (result.at >= k and result.period <= longest_period(k)),
    "a window is k chunks, and a period is at most a quarter of it (S6.5)",
)
def cut(chunks: tuple[int, ...], k: int) -> Cut | None:
    """Find the first window of `k` chunks that is periodic, and cut the stream there (S6.5).

    Args:
        chunks: The chunks of the whole stream, in order.
        k: The window, in chunks; 0 turns the guard off.

    Returns:
        The cut; `None` when no window is periodic.
    """
    for at in range(k, len(chunks) + 1 if k > 0 else 0):
        window = chunks[at - k : at]
        for period in range(1, longest_period(k) + 1):
            if _periodic(window, period):
                return Cut(at, period, chunks[at - 1])
    return None


class Char(IntEnum):
    """A character: the line end, a blank, or a letter; the value of a blank or a letter is its length in bytes.

    The line end is 0, because it belongs to no chunk.
    """

    NEWLINE = 0
    BLANK = 1
    TWO = 2
    THREE = 3
    FOUR = 4


Line = tuple[Char, ...]


def _lines(text: Line) -> tuple[Line, ...]:
    """Split the text at its line ends; the last line is the one that is not ended."""
    lines: tuple[Line, ...] = ((),)
    for char in text:
        lines = (*lines, ()) if char == Char.NEWLINE else (*lines[:-1], (*lines[-1], char))
    return lines


def _head(line: Line, limit: int) -> Line:
    """Return the longest beginning, of a line longer than `limit`, that is at most `limit` bytes long."""
    return max((line[:size] for size in range(len(line)) if sum(line[:size]) <= limit), key=len)


def _pieces(line: Line, limit: int) -> tuple[Line, ...]:
    """A line longer than `limit` ends a chunk at that length; the remaining text starts the next one (S6.5)."""
    pieces: tuple[Line, ...] = ()
    for _ in range(len(line)):
        if sum(line) > limit:
            head = _head(line, limit)
            pieces, line = (*pieces, head), line[len(head) :]
    return (*pieces, line)


@ensure(
    lambda limit, result: all(0 < sum(chunk) <= limit for chunk in result),
    "a chunk is at most as long as the limit, and is not empty (S6.5)",
)
def chunks(deltas: tuple[Line, ...], limit: int) -> tuple[Line, ...]:
    """Split the text of one block into chunks: its complete lines that are not blank (S6.5).

    Args:
        deltas: The deltas of the block; where they are split does not matter.
        limit: The longest chunk, in bytes; at least the longest character.

    Returns:
        The chunks, in order. The line that is not ended gives the pieces it is longer by.
    """
    *ended, last = _lines(tuple([char for delta in deltas for char in delta]))
    pieces = [piece for line in ended for piece in _pieces(line, limit)]
    pieces += _pieces(last, limit)[:-1]
    return tuple([piece for piece in pieces if any(char > Char.BLANK for char in piece)])
