"""The unified diff of an edit, made from the places that it changes, so that a large file costs no more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eukhe.tools.edit_match import Edit

MAX_DIFF = 16 * 1024
"""Characters of a diff, before the last note."""

_CONTEXT = 3
"""Lines that are shown around a change."""

_MAX_LINE = 500
"""Characters that are shown of a line."""


@dataclass(frozen=True, slots=True)
class _Change:
    """Whole lines of the file, and what takes their place.

    Attributes:
        start: where the lines begin in the file.
        end: where they end.
        after: the lines in their place.
    """

    start: int
    end: int
    after: bytes


def unified_diff(edit: Edit, name: str) -> str:
    """The change as text: every hunk, or as much as there is room for.

    Args:
        edit: the change.
        name: the file's path as messages show it.
    """
    shown = [f"--- {name}", f"+++ {name}"]
    room = MAX_DIFF
    for line in _hunk_lines(edit):
        room -= len(line) + 1
        if room < 0:
            shown.append("[the rest of the diff is not shown]")
            break
        shown.append(line)
    return "\n".join(shown)


def _hunk_lines(edit: Edit) -> Iterator[str]:
    data = edit.data
    number, at, grown = 1, 0, 0
    for hunk in _hunks(edit):
        start, end = _back(data, hunk[0].start), _forward(data, hunk[-1].end)
        number += data.count(b"\n", at, start)
        before = len(_lines(data[start:end]))
        more = sum(len(_lines(c.after)) - len(_lines(data[c.start : c.end])) for c in hunk)
        yield f"@@ -{_span(number, before)} +{_span(number + grown, before + more)} @@"
        at = start
        for change in hunk:
            yield from _marked(" ", data[at : change.start])
            yield from _marked("-", data[change.start : change.end])
            yield from _marked("+", change.after)
            at = change.end
        yield from _marked(" ", data[at:end])
        number += data.count(b"\n", start, at)
        grown += more


def _hunks(edit: Edit) -> Iterator[list[_Change]]:
    """The changes, those together whose context meets."""
    hunk: list[_Change] = []
    for change in _changes(edit):
        if hunk and _back(edit.data, change.start) > _forward(edit.data, hunk[-1].end):
            yield hunk
            hunk = []
        hunk.append(change)
    if hunk:
        yield hunk


def _changes(edit: Edit) -> Iterator[_Change]:
    """The places as whole lines, those together that share a line."""
    data, length = edit.data, len(edit.old)
    start = end = done = 0
    after: list[bytes] = []
    for place in edit.places:
        if after and place < end:
            after += [data[done:place], edit.new]
        else:
            if after:
                yield _trimmed(data, start, end, b"".join((*after, data[done:end])))
            start = data.rfind(b"\n", 0, place) + 1
            after = [data[start:place], edit.new]
        done = place + length
        # The line after a line end belongs to it: the new text may have none.
        end = data.find(b"\n", done) + 1 or len(data)
    yield _trimmed(data, start, end, b"".join((*after, data[done:end])))


def _trimmed(data: bytes, start: int, end: int, text: bytes) -> _Change:
    """The change without the lines at its two ends that stay as they are."""
    before, after = _lines(data[start:end]), _lines(text)
    most = min(len(before), len(after))
    head = 0
    while head < most and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < most - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    return _Change(
        start + sum(map(len, before[:head])),
        end - sum(map(len, before[len(before) - tail :])),
        b"".join(after[head : len(after) - tail]),
    )


def _lines(text: bytes) -> list[bytes]:
    """The lines with their ends; only a line feed ends one, as everywhere in the tools."""
    *whole, last = text.split(b"\n")
    lines = [line + b"\n" for line in whole]
    return [*lines, last] if last else lines


def _back(data: bytes, at: int) -> int:
    for _ in range(_CONTEXT):
        at = data.rfind(b"\n", 0, max(at - 1, 0)) + 1
    return at


def _forward(data: bytes, at: int) -> int:
    for _ in range(_CONTEXT):
        at = data.find(b"\n", at) + 1 or len(data)
    return at


def _span(number: int, count: int) -> str:
    return f"{number if count else number - 1},{count}"


def _marked(mark: str, text: bytes) -> Iterator[str]:
    for line in _lines(text):
        shown = line.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8", "replace")
        if len(shown) > _MAX_LINE:
            shown = f"{shown[:_MAX_LINE]}\u2026"
        yield mark + shown
        if not line.endswith(b"\n"):
            yield "\\ No newline at end of file"
