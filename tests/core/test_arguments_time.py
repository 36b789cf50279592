"""Texts made to be slow: the time to read them grows with their length, not with its square.

Ten times the text takes about ten times as long. The bound is far from that, and far from the hundred times of a
square; processor time counts, and the least of some runs, so a busy machine does not decide.
"""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING

import pytest

from eukhe.core.arguments import parse
from eukhe.core.arguments_preview import Preview

if TYPE_CHECKING:
    from collections.abc import Callable

_SMALL, _FACTOR, _BOUND = 20_000, 10, 40.0


def _least(run: Callable[[], object]) -> float:
    def once() -> float:
        start = time.process_time()
        run()
        return time.process_time() - start

    gc.collect()
    gc.disable()  # its passes over many lists are no part of the reading
    try:
        return min(once() for _ in range(3))
    finally:
        gc.enable()


def _grows_linearly(make: Callable[[int], Callable[[], object]]) -> None:
    """Retry with larger texts until the times can be told from the clock's noise."""
    size = _SMALL
    while (small := _least(make(size))) < 0.004 and size < 1_000_000:
        size *= 2
    assert _least(make(size * _FACTOR)) < _BOUND * max(small, 0.001)


@pytest.mark.parametrize(
    ("start", "unit", "end"),
    [
        ("", "[", ""),
        ("{", ",", "}"),
        ("{", "/**/", "}"),
        ("{", "//\n", "}"),
        ("{'a':'", "'", "'}"),
        ("{'a':'", "' ", "x'}"),
        ("{'a':'", "'/*", "'}"),
        ("{'a':'", "'/*", "*/ x'}"),
        ("{'a':'", "'//", "\n x'}"),
        ("{'a':'", "/*'/**/ ", "x'}"),
        ("{'a':'", "'/*'//\n'*/", " x'}"),
        ('{"a":"', "\\", '"}'),
        ('{a:"', "\\d", '"}'),
        ("{a:'", '\\\\\\"', "'}"),
        ("{a:[", '"\\q",', "]}"),
        ("{a:[", "ab,", "]}"),
        ("{a:", " a:", "/\n}"),
        ("{a:", "a://b ", "\n}"),
        ('{"a":', "9", "}"),
        ('{"a":0x', "f", "}"),
        ('{"a":1.', "0", "}"),
        ('{"a":[', "1e5,", "1]}"),
        ('{"a":[', "[[[]]],", "1]}"),
        ('{"a":1', " ", "x"),
    ],
)
def test_the_final_parse_takes_linear_time(start: str, unit: str, end: str) -> None:
    def make(size: int) -> Callable[[], object]:
        text = start + unit * (size // len(unit)) + end
        return lambda: parse(text)

    _grows_linearly(make)


@pytest.mark.parametrize(
    ("start", "unit"),
    [
        ('{"a":"', "x"),
        ('{"a":"', "\\n"),
        ('{"a":[', "1,"),
        ("{'a':'", "' "),
        ("{a:", "w "),
        ('{"a":1', "1"),
        ("{/*", "* "),
        ("{//", "/"),
        ("{", " "),
        ('{"', "k"),
        ('{"a"', " "),
        ('{"a":{"b":[', '{"c":"d"},'),
    ],
)
def test_all_previews_of_a_stream_together_take_linear_time(start: str, unit: str) -> None:
    def make(size: int) -> Callable[[], object]:
        text = start + unit * (size // len(unit))
        pieces = [text[at : at + 4] for at in range(0, len(text), 4)]

        def run() -> None:
            preview = Preview()
            for piece in pieces:
                preview.feed(piece)
                if preview.due:
                    preview.value()

        return run

    _grows_linearly(make)
