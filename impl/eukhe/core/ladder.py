"""A model's thinking ladder (S6.9, S10 ladder 0 to 2): which `thinkingLevelMap` is chosen and what it offers.

Every ladder is data that the caller brings: the model's own map, the rulebook's ladder for its family and the
rulebook's default ladders. Computed once a model; sessions then work on the offered levels (`eukhe.core.effort`).
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

from eukhe.core.effort import LADDER, Level

__all__ = [
    "EMPTY",
    "NULLS",
    "SHIPPED",
    "Defaults",
    "LevelMap",
    "Origin",
    "chosen",
    "ladder_of",
    "offered",
    "wire",
]

#: A `thinkingLevelMap`: a wire string keeps the level and is sent, `None` removes it. Keys that are no level
#: have no effect. `Level` is a `str`, so a map read from JSON serves as it is.
LevelMap = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Defaults:
    """The default ladders (`thinking_defaults` of the rulebook).

    Attributes:
        reasoning: The levels of a reasoning model where its chosen ladder has no entry.
        plain: The levels of a model without reasoning.
    """

    reasoning: AbstractSet[str]
    plain: AbstractSet[str]


class Origin(Enum):
    """Where a model comes from, which decides whether the rulebook's ladder applies to it (S10 ladder 0)."""

    BUILT_IN = "built-in"
    CUSTOM = "custom"
    MOVED = "moved"  # an xAI model that a stored subscription moved to another wire API


#: The shipped default ladders.
SHIPPED = Defaults(
    reasoning=frozenset(("off", "minimal", "low", "medium", "high")),
    plain=frozenset(("off",)),
)

#: A map without an entry: the default ladder gives every level.
EMPTY: LevelMap = MappingProxyType({})

#: A map that removes every level.
NULLS: LevelMap = MappingProxyType(dict.fromkeys(LADDER))

#: What stands for the rulebook's ladder where the rulebook has none.
_WITHOUT_RULE = MappingProxyType(
    {Origin.BUILT_IN: EMPTY, Origin.CUSTOM: EMPTY, Origin.MOVED: NULLS}
)


def chosen(explicit: LevelMap | None, rule: LevelMap | None) -> LevelMap:
    """Return the chosen ladder: the explicit map, else the rulebook's ladder, else one without an entry (S6.9).

    Args:
        explicit: The model's own `thinkingLevelMap`; `None` for none. An empty map is a map.
        rule: The rulebook's ladder as far as it applies to the model; `None` for none.
    """
    return next((one for one in (explicit, rule) if one is not None), EMPTY)


def ladder_of(
    origin: Origin, reasoning: bool, explicit: LevelMap | None, rule: LevelMap | None
) -> LevelMap:
    """Return the chosen ladder of a model (S10 ladder 0; S6.9 for a moved xAI model).

    Args:
        origin: Where the model comes from; one that is built in keeps the ladder of its catalog.
        reasoning: Whether it reasons.
        explicit: Its own `thinkingLevelMap`; `None` for none.
        rule: What the rulebook has for its family; `None` for nothing.
    """
    applies = origin is Origin.MOVED or (origin is Origin.CUSTOM and reasoning)
    found = rule if applies and rule is not None else _WITHOUT_RULE[origin]
    return chosen(explicit, found)


def offered(reasoning: bool, ladder: LevelMap, defaults: Defaults) -> tuple[Level, ...]:
    """Return the levels that a model offers, in ladder order (S6.9; S10 ladder 1, 2).

    Args:
        reasoning: Whether the model reasons.
        ladder: Its chosen ladder; without effect when it does not reason.
        defaults: The default ladders.
    """
    kept = defaults.plain
    if reasoning:
        removed = {level for level, string in ladder.items() if string is None}
        kept = (defaults.reasoning | ladder.keys()) - removed
    return tuple(level for level in LADDER if level in kept)


def wire(reasoning: bool, ladder: LevelMap, level: Level) -> str | None:
    """Return the wire string that a request sends for a level; `None` for the wire API's own form (S10 ladder 2).

    Args:
        reasoning: Whether the model reasons; the map of one that does not has no effect.
        ladder: Its chosen ladder.
        level: The level that the request sends.
    """
    return ladder.get(level) if reasoning else None
