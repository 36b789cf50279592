"""Where a text may be that is not in a file exactly: the line that comes nearest, and what differs."""

from __future__ import annotations

import time

_LOOKED_AT = 20_000
"""Lines of the file that are compared."""

_COMPARED = 200
"""Characters of a line that are compared and shown."""

_TIME = 1.0
"""Seconds that the search for the most lines that are the same may take, and that for a likeness."""

_LIKE = 0.6
"""The likeness, of 1, below which a line is no help."""


def where_it_may_be(data: bytes, old: bytes) -> str:
    """A sentence for the model.

    Args:
        data: the file.
        old: the text, which is not in it.
    """
    lines = _lines(data, _LOOKED_AT)
    wanted = _lines(old, _LOOKED_AT)
    if all(not line.strip() for line in wanted):
        return "It is white space alone: give a line with text beside it."
    return _same_start(lines, wanted) or _same_words(lines, wanted) or _likeness(lines, wanted)


def _lines(text: bytes, most: int) -> list[str]:
    return [part.decode("utf-8", "replace").rstrip("\r") for part in text.split(b"\n", most)[:most]]


def _same_start(lines: list[str], wanted: list[str]) -> str:
    """The place where most lines from the first on are the same."""
    best, at = 0, 0
    until = time.monotonic() + _TIME
    for start, line in enumerate(lines):
        # The text may begin in the middle of a line.
        if not wanted[0] or not line.endswith(wanted[0]):
            continue
        if time.monotonic() > until:
            break  # where all lines are alike, each place would be compared to its end
        same = 1
        while (
            same < len(wanted) and start + same < len(lines) and lines[start + same] == wanted[same]
        ):
            same += 1
        if same > best:
            best, at = same, start
    if best == 0 or best == len(wanted):
        return ""
    first = f"Its first {best} lines are" if best > 1 else "Its first line is"
    where = f"{first} at line {at + 1}, but line {best + 1} of it is {_shown(wanted[best])}"
    if at + best >= len(lines):
        return f"{where}, and the file ends there."
    return f"{where} where the file's line {at + best + 1} is {_shown(lines[at + best])}."


def _same_words(lines: list[str], wanted: list[str]) -> str:
    """The first line that differs in white space alone."""
    position = next(number for number, line in enumerate(wanted) if line.strip())
    words = wanted[position].split()
    for number, line in enumerate(lines):
        if line.split() == words and line != wanted[position]:
            return (
                f"Line {number + 1} of the file, {_shown(line)}, differs from line {position + 1} of it "
                "in white space alone."
            )
    return ""


def _likeness(lines: list[str], wanted: list[str]) -> str:
    import difflib  # a run in which every edit fits does not pay for it

    line = max(wanted, key=lambda one: len(one.strip()))
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(line.strip()[:_COMPARED])
    until = time.monotonic() + _TIME
    best, at = _LIKE, -1
    for number, one in enumerate(lines):
        if time.monotonic() > until:
            break
        matcher.set_seq1(one.strip()[:_COMPARED])
        if matcher.real_quick_ratio() <= best or matcher.quick_ratio() <= best:
            continue
        if (ratio := matcher.ratio()) > best:
            best, at = ratio, number
    if at < 0:
        return "No line of the file is like it: read the file again."
    return f"The nearest is line {at + 1}: {_shown(lines[at])}."


def _shown(line: str) -> str:
    cut = line if len(line) <= _COMPARED else f"{line[:_COMPARED]}\u2026"
    return repr(cut)
