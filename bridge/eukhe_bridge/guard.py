"""The bridge of `guard` (S6.5): streams of lines in random deltas, the observed loop among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from eukhe.core import guard as core
from eukhe_bridge.kit import Bridge
from eukhe_spec import guard as spec
from eukhe_spec.guard import Char, Cut

__all__ = ["BRIDGE", "CORE"]


_CHARS = {Char.NEWLINE: "\n", Char.BLANK: " ", Char.TWO: "é", Char.THREE: "\ud800", Char.FOUR: "🜂"}
_BACK = {text: char for char, text in _CHARS.items()}


class _Recorder(core.Window):
    """A window that keeps every chunk and cuts nothing: it shows what the guard makes of a text."""

    def __init__(self) -> None:
        super().__init__(1)
        self.chunks: list[str] = []

    def push(self, chunk: str) -> None:
        self.chunks.append(chunk)


class _Core:
    """The core under the spec's signatures: a chunk is a line that shows its number, a character is a real one."""

    def chunks(
        self, deltas: tuple[tuple[Char, ...], ...], limit: int
    ) -> tuple[tuple[Char, ...], ...]:
        guard = core.Guard(1, limit)
        guard.window = recorder = _Recorder()
        for delta in deltas:
            guard.feed(0, "".join([_CHARS[char] for char in delta]))
        found = recorder.chunks
        return tuple(tuple(_BACK[text] for text in chunk) for chunk in found)

    def cut(self, chunks: tuple[int, ...], k: int) -> Cut | None:
        guard = core.Guard(k)
        for chunk in chunks:
            found = guard.feed(0, f"{chunk}\n")
            if found is not None:
                return Cut(found.at, found.period, int(found.last))
        return None


CORE = _Core()


@dataclass(frozen=True)
class Scenario:
    """A stream: its chunks as numbers, the window, and how its text is written and split.

    Attributes:
        chunks: The chunks, which the spec reads.
        k: The window.
        wide: How many of the lowest chunk numbers are pieces of a line without an end, exactly as long as a chunk.
        blanks: After how many chunks each a blank line comes; 0 for none.
        seed: The seed of the deltas' lengths.
    """

    chunks: tuple[int, ...]
    k: int
    wide: int = 0
    blanks: int = 0
    seed: int = 0


#: Characters of one, two, three and four bytes: a chunk of 4096 bytes holds so many of each.
_ALPHABET = ("a", "é", "語", "🜂")


def _piece(chunk: int) -> str:
    """A chunk as a piece of a line without an end: as many characters as fit, its own character first."""
    filler = _ALPHABET[chunk % 4]
    return filler * (core.MAX_CHUNK_BYTES // len(filler.encode()))


def _text(scenario: Scenario) -> str:
    parts: list[str] = []
    for number, chunk in enumerate(scenario.chunks, start=1):
        parts.append(_piece(chunk) if chunk < scenario.wide else f"line {chunk}\n")
        if scenario.blanks and number % scenario.blanks == 0 and chunk >= scenario.wide:
            parts.append("\n  \t\n")
    if scenario.wide and scenario.chunks and scenario.chunks[-1] < scenario.wide:
        parts.append("x")  # what ends the last piece is that the line is longer
    return "".join(parts)


def _deltas(text: str, seed: int) -> Iterator[str]:
    rng, start = Random(seed), 0
    while start < len(text):
        size = rng.choice((1, 2, 3, 7, 40, 900, 5000))
        yield text[start : start + size]
        start += size


_LOOP = tuple(range(7))

_EDGES = (
    Scenario((), 4),
    Scenario((1, 1, 1, 1), 0),
    Scenario((1,), 1),
    Scenario((1, 1), 2),
    Scenario((9,) * 5 + (1, 2) * 8, 8),
    *(Scenario((11, 12, *(_LOOP * 20)), k) for k in (27, 28, 32, 64)),
    Scenario(_LOOP * 20, 64),
    Scenario((*range(20, 33), *(_LOOP * 20)), 64),
    Scenario((*(_LOOP * 8), 99, *(_LOOP * 8)), 64),
    Scenario(tuple(range(17)) * 8, 64),
    Scenario(tuple(range(16)) * 8, 64),
    Scenario((0,) * 70, 64, wide=1),
    Scenario((0, 1, 2, 3) * 4, 16, wide=4),
    Scenario((3,) * 20, 16, wide=4),
    Scenario((5,) * 20, 16, blanks=1),
    Scenario(tuple(range(200)), 16),
)


def _scenarios(rng: Random, count: int) -> Iterator[Scenario]:
    yield from _EDGES[:count]
    for _ in range(count - len(_EDGES)):
        k = rng.choice((1, 2, 3, 4, 5, 7, 8, 12, 16, 32, 64))
        before = [rng.randrange(4) + 10 for _ in range(rng.randrange(6))]
        period = rng.randrange(1, 5)
        block = [rng.randrange(3) + 10 for _ in range(period)]
        cycle = (block * (k + 4))[: k + rng.randrange(-2, 3)]
        if rng.random() < 0.4 and cycle:
            cycle[rng.randrange(len(cycle))] = 20
        after = [rng.randrange(4) + 10 for _ in range(rng.randrange(6))]
        yield Scenario(
            tuple(before + cycle + after), k, 0, rng.choice((0, 0, 1, 3)), rng.randrange(10**6)
        )


def _spec(scenario: Scenario) -> str:
    found = spec.cut(scenario.chunks, scenario.k)
    if found is None:
        return "not cut\n"
    last = found.last
    shown = _piece(last)[:8] if last < scenario.wide else f"line {last}"
    return f"cut at {found.at}, period {found.period}, last {shown}\n"


def _core(scenario: Scenario) -> str:
    guard = core.Guard(scenario.k)
    for delta in _deltas(_text(scenario), scenario.seed):
        found = guard.feed("text", delta)
        if found is not None:
            last = found.last
            shown = last if len(last) < 20 else last[:8]
            return f"cut at {found.at}, period {found.period}, last {shown}\n"
    return "not cut\n"


def _reached(scenario: Scenario, transcript: str) -> frozenset[str]:
    cut = transcript.startswith("cut")
    k, chunks = scenario.k, scenario.chunks
    period = int(transcript.split("period ")[1].split(",")[0]) if cut else 0
    at = int(transcript.split()[2].rstrip(",")) if cut else 0
    found = {
        "off": k == 0,
        "fewer chunks than the window": len(chunks) < k,
        "one chunk k times": cut and period == 1 and k > 1,
        "a cycle": cut and period > 1,
        "the longest period": cut and 1 < period == k // 4,
        "a period longer than a quarter": not cut and len(chunks) == 136 and k == 64,
        "a window of one": cut and k == 1,
        "cut at the first window": cut and at == k,
        "cut later": cut and at > k,
        "one chunk differs": not cut and 20 in chunks,
        "a line without an end": cut and scenario.wide > 0,
        "characters of several bytes": cut and scenario.wide > 1,
        "blank lines": cut and scenario.blanks > 0,
        "the observed loop": cut and k == 64 and period == 7,
        "varied text": not cut and len(set(chunks)) == len(chunks) > k,
    }
    return frozenset(name for name, seen in found.items() if seen)


BRIDGE = Bridge(
    area="guard",
    rules=(
        "off",
        "fewer chunks than the window",
        "one chunk k times",
        "a cycle",
        "the longest period",
        "a period longer than a quarter",
        "a window of one",
        "cut at the first window",
        "cut later",
        "one chunk differs",
        "a line without an end",
        "characters of several bytes",
        "blank lines",
        "the observed loop",
        "varied text",
    ),
    scenarios=_scenarios,
    spec=_spec,
    core=_core,
    reached=_reached,
)
