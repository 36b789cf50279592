"""What every area's bridge is made of: scenarios, two transcripts, the rules that must be reached."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Generic, TypeVar

__all__ = ["Bridge", "Difference", "Outcome", "run"]

X = TypeVar("X")


@dataclass(frozen=True)
class Bridge(Generic[X]):
    """An area's bridge.

    Attributes:
        area: The area.
        rules: The rules of the area; a run in which one is reached by no scenario fails.
        scenarios: Yields `count` scenarios from a seeded generator, the edge cases first.
        spec: Runs one scenario through the spec and gives its transcript, lines of text.
        core: Runs the same scenario through the core, with the core's own types, and gives its transcript.
        reached: Names the rules that a scenario reached, told from the scenario and the spec's transcript.
        count: How many scenarios a run takes.
    """

    area: str
    rules: tuple[str, ...]
    scenarios: Callable[[Random, int], Iterator[X]]
    spec: Callable[[X], str]
    core: Callable[[X], str]
    reached: Callable[[X, str], frozenset[str]]
    count: int = 300


@dataclass(frozen=True)
class Difference:
    """A scenario whose transcripts differ: its number, what it is, and the unified diff."""

    number: int
    scenario: str
    diff: str


@dataclass(frozen=True)
class Outcome:
    """What a run found.

    Attributes:
        area: The area.
        seed: The seed of the scenarios.
        scenarios: How many ran.
        rules: How many scenarios reached each rule, in the order of the bridge's list.
        differences: The scenarios whose transcripts differ.
        spec: The whole transcript of the spec.
        core: The whole transcript of the core.
    """

    area: str
    seed: int
    scenarios: int
    rules: tuple[tuple[str, int], ...]
    differences: tuple[Difference, ...]
    spec: str
    core: str

    @property
    def missed(self) -> tuple[str, ...]:
        """The rules that no scenario reached."""
        return tuple(name for name, count in self.rules if count == 0)

    @property
    def ok(self) -> bool:
        """Whether every transcript is equal and every rule was reached."""
        return not self.differences and not self.missed


def _bytes(transcript: str) -> bytes:
    """The bytes that are compared; scenarios hold lone surrogates too, which plain UTF-8 refuses."""
    return transcript.encode("utf-8", "surrogatepass")


def run(bridge: Bridge[X], seed: int = 1, count: int | None = None) -> Outcome:
    """Run an area's scenarios through spec and core and compare the transcripts byte for byte.

    Args:
        bridge: The area's bridge.
        seed: The seed of the scenarios.
        count: How many scenarios; the bridge's own count when `None`.

    Raises:
        KeyError: `reached` names a rule that the bridge does not list.
    """
    counts: Counter[str] = Counter(dict.fromkeys(bridge.rules, 0))
    differences: list[Difference] = []
    specs: list[str] = []
    cores: list[str] = []
    number = 0
    wanted = bridge.count if count is None else count
    for number, scenario in enumerate(bridge.scenarios(Random(seed), wanted), start=1):
        expected, actual = bridge.spec(scenario), bridge.core(scenario)
        head = f"# scenario {number}\n"
        specs.append(head + expected)
        cores.append(head + actual)
        for rule in bridge.reached(scenario, expected):
            if rule not in counts:
                raise KeyError(f"{bridge.area}: reached names the unlisted rule {rule!r}")
            counts[rule] += 1
        if _bytes(expected) != _bytes(actual):
            diff = difflib.unified_diff(
                expected.splitlines(), actual.splitlines(), "spec", "core", lineterm=""
            )
            differences.append(Difference(number, repr(scenario), "\n".join(diff)))
    return Outcome(
        bridge.area,
        seed,
        number,
        tuple((name, counts[name]) for name in bridge.rules),
        tuple(differences),
        "".join(specs),
        "".join(cores),
    )
