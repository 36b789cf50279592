"""What every benchmark shares: a line of the result, its bar, and how lines are printed.

A benchmark is a module of this package with `NAME` and `run() -> list[Line]`. It measures both sides of a ratio in
one run on one machine, in turns, so that the ratio and not the seconds is the result.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["Bar", "Line", "at_least", "at_most", "in_turns", "show"]


@dataclass(frozen=True, slots=True)
class Bar:
    """What a ratio has to reach.

    Attributes:
        limit: The ratio.
        lower: Whether the ratio has to be at least `limit`; else at most.
    """

    limit: float
    lower: bool

    def met(self, ratio: float) -> bool:
        """Whether `ratio` reaches the bar."""
        return ratio >= self.limit if self.lower else ratio <= self.limit

    def __str__(self) -> str:
        return f"{'at least' if self.lower else 'at most'} {self.limit:g}"


def at_least(limit: float) -> Bar:
    """Return the bar that a ratio of `limit` or more reaches."""
    return Bar(limit, lower=True)


def at_most(limit: float) -> Bar:
    """Return the bar that a ratio of `limit` or less reaches."""
    return Bar(limit, lower=False)


@dataclass(frozen=True, slots=True)
class Line:
    """One ratio.

    Attributes:
        what: What is compared with what, for example `stream loop / openai SDK`.
        ratio: The ratio of ours to the other.
        bar: What it has to reach; `None` for a number that is only shown.
        detail: The measured values on both sides, with their unit.
    """

    what: str
    ratio: float
    bar: Bar | None = None
    detail: str = ""

    @property
    def met(self) -> bool:
        """Whether the bar is reached, or there is none."""
        return self.bar is None or self.bar.met(self.ratio)


def in_turns(sides: Sequence[Callable[[], object]], rounds: int) -> list[list[float]]:
    """Run every side once a round and return the seconds of each: a slow moment hits all sides alike."""
    seconds: list[list[float]] = [[] for _ in sides]
    for _ in range(rounds):
        for side, taken in zip(sides, seconds, strict=True):
            start = time.perf_counter()
            side()
            taken.append(time.perf_counter() - start)
    return seconds


def spread(seconds: Sequence[float]) -> str:
    """Return the least and the median of some times, in milliseconds."""
    return f"min {min(seconds) * 1e3:.0f} ms, median {statistics.median(seconds) * 1e3:.0f} ms"


def show(name: str, lines: Sequence[Line]) -> None:
    """Print the lines of one benchmark."""
    sys.stdout.write(f"{name}\n")
    for line in lines:
        verdict = "" if line.bar is None else f"  {line.bar}: {'met' if line.met else 'MISSED'}"
        detail = f"  ({line.detail})" if line.detail else ""
        sys.stdout.write(f"  {line.what}: {line.ratio:.2f}{verdict}{detail}\n")
    sys.stdout.flush()
