"""The reference model of a model's thinking ladder (S6.9, S10 ladder 0 to 2): which map is chosen, what it offers.

The ladders are data: the explicit map, the rulebook's ladder and the default ladders come in as arguments.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from eukhe_spec.contracts import ensure
from eukhe_spec.effort import LADDER, Entry, Level, LevelMap, entries

__all__ = [
    "EMPTY",
    "NULLS",
    "Defaults",
    "Origin",
    "chosen",
    "ladder_of",
    "offered",
    "shipped",
    "wire",
]


@dataclass(frozen=True)
class Defaults:
    """The default ladders of the rulebook (`thinking_defaults`): levels in any order.

    Attributes:
        reasoning: The levels of a reasoning model where its chosen ladder has no entry.
        plain: The levels of a model without reasoning.
    """

    reasoning: tuple[Level, ...]
    plain: tuple[Level, ...]


class Origin(Enum):
    """Where a model comes from, which decides whether the rulebook's ladder applies to it."""

    BUILT_IN = "built-in"
    CUSTOM = "custom"
    MOVED = "moved"  # an xAI model that a stored subscription moved to another wire API


EMPTY = LevelMap(
    Entry.MISSING,
    Entry.MISSING,
    Entry.MISSING,
    Entry.MISSING,
    Entry.MISSING,
    Entry.MISSING,
    Entry.MISSING,
)

NULLS = LevelMap(Entry.NULL, Entry.NULL, Entry.NULL, Entry.NULL, Entry.NULL, Entry.NULL, Entry.NULL)


def shipped() -> Defaults:
    """Return the default ladders that the rulebook ships: `off` to `high`, and `off` (S6.9)."""
    return Defaults(
        reasoning=(Level.OFF, Level.MINIMAL, Level.LOW, Level.MEDIUM, Level.HIGH),
        plain=(Level.OFF,),
    )


def chosen(explicit: LevelMap | None, rule: LevelMap | None) -> LevelMap:
    """Return the chosen ladder: the explicit map, else the rulebook's, else one without an entry (S6.9).

    Args:
        explicit: The model's own `thinkingLevelMap`, if any.
        rule: The rulebook's ladder as far as it applies to the model, if any.
    """
    if explicit is not None:
        return explicit
    if rule is not None:
        return rule
    return EMPTY


def ladder_of(
    origin: Origin, reasoning: bool, explicit: LevelMap | None, rule: LevelMap | None
) -> LevelMap:
    """Return the chosen ladder of a model (S10 ladder 0; S6.9 for a moved xAI model).

    Args:
        origin: Where the model comes from.
        reasoning: Whether it reasons.
        explicit: Its own `thinkingLevelMap`, if any.
        rule: What the rulebook has for its family, if anything.
    """
    match origin:
        case Origin.BUILT_IN:
            return chosen(explicit, rule=None)
        case Origin.CUSTOM:
            return chosen(explicit, rule if reasoning else None)
        case Origin.MOVED:
            return chosen(explicit, NULLS if rule is None else rule)


@ensure(
    lambda result: all(a < b for a, b in pairwise(result)),
    "whatever order the rulebook lists its levels in, clients show them up the ladder, each once",
)
def offered(reasoning: bool, ladder: LevelMap, defaults: Defaults) -> tuple[Level, ...]:
    """Return the levels that a model offers, in ladder order (S6.9; S10 ladder 1, 2).

    Args:
        reasoning: Whether the model reasons.
        ladder: Its chosen ladder; without effect when it does not reason.
        defaults: The default ladders.
    """
    if not reasoning:
        return tuple(level for level in LADDER if level in defaults.plain)
    says = entries(ladder)
    return tuple(
        level
        for level in LADDER
        if says[level] is Entry.WIRE
        or (says[level] is Entry.MISSING and level in defaults.reasoning)
    )


def wire(reasoning: bool, ladder: LevelMap, level: Level) -> Level | None:
    """Name the level whose wire string a request sends; `None` for the wire API's own form (S10 ladder 2).

    Args:
        reasoning: Whether the model reasons; the map of one that does not has no effect.
        ladder: Its chosen ladder.
        level: The level that the request sends.
    """
    entry = entries(ladder)[level]
    return level if reasoning and entry is Entry.WIRE else None
