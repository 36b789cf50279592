"""Patterns of paths: `*`, `?`, `[...]` in a part, `**` for any number of parts, `{a,b}` for either."""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_PATTERN = 1000
"""Characters of a pattern."""

_MAX_BRANCHES = 64
"""Patterns that the braces of one may stand for."""

_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")

_ANY = None
"""The part `**`."""


class BadGlobError(ValueError):
    """A pattern that is none; the text says why."""


@dataclass(frozen=True, slots=True)
class Glob:
    """A pattern, made ready.

    Attributes:
        branches: the patterns that its braces stand for, each part by part; None for `**`.
    """

    branches: tuple[tuple[re.Pattern[str] | None, ...], ...]

    @classmethod
    def of(cls, pattern: str) -> Glob:
        """Make a pattern ready. One without `/` is one for the name, at any depth; a `/` at its start is no part.

        Raises:
            BadGlobError: it is empty, too long, cannot be read, or stands for too many.
        """
        if not pattern.strip("/"):
            raise BadGlobError("the pattern is empty")
        if len(pattern) > MAX_PATTERN:
            raise BadGlobError(f"the pattern is longer than {MAX_PATTERN} characters")
        return cls(tuple(_parts(one) for one in _branches(pattern)))

    def matches(self, parts: Sequence[str]) -> bool:
        """Whether a path, part by part, is one of the pattern's."""
        return any(_matches(branch, parts) for branch in self.branches)


def _branches(pattern: str) -> list[str]:
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        one = waiting.pop()
        braces = _BRACES.search(one)
        if braces is None:
            done.append(one)
        else:
            head, tail = one[: braces.start()], one[braces.end() :]
            waiting += [f"{head}{part}{tail}" for part in braces.group(1).split(",")]
        if len(done) + len(waiting) > _MAX_BRANCHES:
            raise BadGlobError(f"the braces stand for more than {_MAX_BRANCHES} patterns")
    return done


def _parts(pattern: str) -> tuple[re.Pattern[str] | None, ...]:
    names = [part for part in pattern.split("/") if part not in ("", ".")]
    if "/" not in pattern.rstrip("/"):
        names.insert(0, "**")
    if names[-1:] == ["**"]:
        names.append("*")  # what is below, not the directory itself
    parts: list[re.Pattern[str] | None] = []
    for name in names:
        if name == "**":
            if parts[-1:] != [_ANY]:
                parts.append(_ANY)
        else:
            try:
                parts.append(re.compile(fnmatch.translate(name)))
            except re.error as error:
                raise BadGlobError(f"{name!r} is no pattern: {error}") from error
    return tuple(parts)


def _matches(pattern: Sequence[re.Pattern[str] | None], parts: Sequence[str]) -> bool:
    """By the set of places in the pattern that the parts so far can have led to: no pattern makes it slow."""
    states = _closed(pattern, {0})
    for part in parts:
        after: set[int] = set()
        for state in states:
            if state == len(pattern):
                continue
            one = pattern[state]
            if one is _ANY:
                after.add(state)
            elif one.match(part):
                after.add(state + 1)
        states = _closed(pattern, after)
        if not states:
            return False
    return len(pattern) in states


def _closed(pattern: Sequence[re.Pattern[str] | None], states: set[int]) -> set[int]:
    """The places, and those behind a `**` that stands for nothing."""
    behind = {s + 1 for s in states if s < len(pattern) and pattern[s] is _ANY}
    return states | behind
