"""Values of the bridges of `effort` and `ladder`: levels and maps between spec and core, and generated models."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from random import Random

from eukhe.core import effort as core
from eukhe.core.ladder import LevelMap as CoreMap
from eukhe_spec import effort as spec
from eukhe_spec.effort import Entry, Level, LevelMap

__all__ = [
    "EDGES",
    "LEVELS",
    "NAMES",
    "NATIVE",
    "Machine",
    "back",
    "machines",
    "native",
    "native_map",
    "read_map",
    "spec_map",
]

#: Spec level to core level, and the other way round.
NATIVE = {level: core.Level[level.name] for level in Level}
LEVELS = {found: level for level, found in NATIVE.items()}

_STRINGS = tuple((found, f"wire {level.name}") for level, found in NATIVE.items())
NAMES = tuple(found.value for found in NATIVE.values())


@cache
def native(levels: tuple[Level, ...] | None) -> tuple[core.Level, ...] | None:
    """Give levels as the core has them."""
    return None if levels is None else tuple(NATIVE[level] for level in levels)


def back(levels: tuple[core.Level, ...]) -> tuple[Level, ...]:
    """Give the core's levels as the spec has them."""
    return tuple([LEVELS[level] for level in levels])


def native_map(levels: LevelMap) -> dict[str, str | None]:
    """Give a map as the core has it: each wire entry gets a string that names its level."""
    missing, null = Entry.MISSING, Entry.NULL
    return {
        name: None if entry is null else string
        for (name, string), entry in zip(_STRINGS, spec.entries(levels), strict=True)
        if entry is not missing
    }


def spec_map(levels: CoreMap) -> LevelMap:
    """Give the core's map as the spec has it, whatever its strings."""

    def entry(name: str) -> Entry:
        if name not in levels:
            return Entry.MISSING
        return Entry.NULL if levels[name] is None else Entry.WIRE

    return LevelMap(*(entry(name) for name in NAMES))


@dataclass(frozen=True)
class Machine:
    """A model of a scenario: whether it reasons, and its map as JSON would give it.

    Attributes:
        reasoning: Whether it reasons.
        map: Names and strings; names that are no level must have no effect.
        listed: Whether it is in the catalog.
    """

    reasoning: bool
    map: tuple[tuple[str, str | None], ...]
    listed: bool = True


def read_map(pairs: tuple[tuple[str, str | None], ...]) -> LevelMap:
    """Read a scenario's map as the spec has it."""
    return spec_map(dict(pairs))


_NULLS = tuple((name, None) for name in NAMES)

#: The edge models: no reasoning, no map, `off` only, no level, one level, explicit ends, and the shipped ladders.
EDGES: tuple[Machine, ...] = (
    Machine(False, ()),
    Machine(False, (("max", "max"), ("off", None))),
    Machine(True, ()),
    Machine(True, _NULLS[1:]),
    Machine(True, _NULLS),
    Machine(True, (*_NULLS[:3], ("medium", ""), *_NULLS[4:])),
    Machine(True, (("xhigh", "xhigh"), ("max", "max"))),
    Machine(True, (("off", "none"), ("minimal", None), ("high", None), ("xhigh", "xhigh"))),
    Machine(True, (("minimal", None), ("low", None), ("medium", None), ("ultra", "x"))),
    Machine(True, (("off", None), ("minimal", None), ("xhigh", "élevé\u2028"))),
    Machine(True, (("off", "none"),), listed=False),
)
_STRANGE = ("none", "x", "", "é", "\u2028", "\ud800", "null")


def machines(rng: Random) -> Machine:
    """Draw a model: each entry missing, `null` or a string, and now and then a name that is no level."""
    keep = rng.random()
    pairs = [
        (name, rng.choice(_STRANGE) if rng.random() < 0.5 else None)
        for name in (*NAMES, "ultra", "OFF")
        if rng.random() < keep
    ]
    rng.shuffle(pairs)
    return Machine(rng.random() < 0.85, tuple(pairs), listed=rng.random() < 0.85)
