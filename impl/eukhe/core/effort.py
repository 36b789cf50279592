"""Reasoning depth (S10): the thinking level that a session stores, sends and shows.

The offered levels of a model come from `eukhe.core.ladder`, once a model. Here they are a tuple in ladder
order, which is also what `availableThinkingLevels` serves; `None` stands for a model that is not in the catalog.
A level is found in the tuple by bisection on its rank, so the clamp and the cycle need no case analysis.
"""

from __future__ import annotations

from bisect import bisect_left
from enum import Enum, StrEnum
from types import MappingProxyType

__all__ = [
    "DEFAULT",
    "LADDER",
    "Direction",
    "Level",
    "clamp",
    "cycle",
    "fit",
    "sent",
    "settle",
    "shown",
    "step",
    "switch",
]


class Level(StrEnum):
    """A thinking level, spelled as in settings and maps; the order of the members is the ladder's (S10)."""

    OFF = "off"
    MINIMAL = "minimal"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    XHIGH = "xhigh"
    MAX = "max"


class Direction(Enum):
    """The way of a cycle step; the value is the step's length along the offered levels."""

    FORWARD = 1
    BACKWARD = -1


#: The levels in ladder order.
LADDER: tuple[Level, ...] = tuple(Level)

#: What the display shows for an unset level.
DEFAULT = "default"

_RANK = MappingProxyType({level: rank for rank, level in enumerate(LADDER)})


def _seat(offered: tuple[Level, ...], level: Level) -> int:
    """Return the place of the level's clamp among `offered`, which is not empty (S10 clamp 1, 2).

    Bisection gives the first offered level not below `level`; past the end, the last one is the nearest down.
    """
    place = bisect_left(offered, _RANK[level], key=_RANK.__getitem__)
    return min(place, len(offered) - 1)


def clamp(offered: tuple[Level, ...], level: Level) -> Level:
    """Move a level to one that the model offers (S10 clamp).

    Args:
        offered: The offered levels, in ladder order.
        level: Any level.

    Returns:
        The level itself when it is offered, else the first offered level up the ladder, else the first one down;
        `off` when the model offers no level.
    """
    return offered[_seat(offered, level)] if offered else Level.OFF


def cycle(offered: tuple[Level, ...], level: Level, direction: Direction) -> Level | None:
    """Return the level one cycle step away (S10 cycle).

    Args:
        offered: The offered levels, in ladder order.
        level: The current level; one that is not offered stands at its clamp.
        direction: Forward or backward; both wrap.

    Returns:
        The new level; `None` when fewer than two levels are offered, so that the step changes nothing.
    """
    if len(offered) < 2:
        return None
    return offered[(_seat(offered, level) + direction.value) % len(offered)]


def fit(offered: tuple[Level, ...] | None, level: Level) -> Level:
    """Return the level that a session keeps when `level` is asked for: what a set stores (S10 session 2).

    Args:
        offered: The levels of the session's model; `None` without a catalog model, which keeps the level.
        level: The requested level.
    """
    return level if offered is None else clamp(offered, level)


def settle(offered: tuple[Level, ...] | None, stored: Level | None, default: Level | None) -> Level:
    """Return the level that open stores (S10 session 1).

    Args:
        offered: The levels of the session's model; `None` without a catalog model.
        stored: The stored level; `None` when it is unset.
        default: The setting `defaultThinkingLevel`; `None` when it is unset, which means `medium`.
    """
    return fit(offered, stored or default or Level.MEDIUM)


def switch(offered: tuple[Level, ...] | None, stored: Level | None) -> Level | None:
    """Return the level that a switch to another model stores (S10 session 2).

    Args:
        offered: The levels of the new model; `None` when it is not in the catalog.
        stored: The level before; an unset one stays unset.
    """
    return stored and fit(offered, stored)


def step(
    offered: tuple[Level, ...] | None, stored: Level | None, direction: Direction
) -> Level | None:
    """Return the level that a cycle step stores, or `None` when it changes nothing (S10 session 2).

    Args:
        offered: The levels of the session's model; `None` without a catalog model, where a step changes nothing.
        stored: The level before; an unset one counts as `off`, which is what is sent.
        direction: Forward or backward.
    """
    return cycle(offered or (), stored or Level.OFF, direction)


def sent(offered: tuple[Level, ...] | None, stored: Level | None) -> Level:
    """Return the level that a request sends: the stored one, else `off`, clamped to the model (S10 session 3).

    Args:
        offered: The levels of the request's model; `None` without a catalog model.
        stored: The stored level; `None` when it is unset.
    """
    return fit(offered, stored or Level.OFF)


def shown(offered: tuple[Level, ...] | None, stored: Level | None) -> str:
    """Return what the display shows: the stored level clamped to the model, or `default` (S10 session 4).

    Args:
        offered: The levels of the session's model; `None` without a catalog model.
        stored: The stored level; `None` when it is unset.
    """
    return fit(offered, stored) if stored else DEFAULT
