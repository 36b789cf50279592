"""The reference model of reasoning depth (S10): levels, offered levels, clamp, cycle and the session's level.

A wire string is abstracted to `Entry.WIRE`: which string it is plays no part in any decision. The session sees a
model by the levels it offers and by nothing else, so a model outside the catalog is `None`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, IntEnum
from itertools import pairwise
from typing import TypeAlias

from eukhe_spec.contracts import ensure

__all__ = [
    "LADDER",
    "Action",
    "Cycle",
    "Direction",
    "Entry",
    "Level",
    "LevelMap",
    "Model",
    "Session",
    "Set",
    "Switch",
    "Unset",
    "act",
    "clamp",
    "cycle",
    "entries",
    "offered",
    "open_session",
    "sent",
    "settle",
    "shown",
]


class Level(IntEnum):
    """A thinking level; the order of the members is the order of the ladder."""

    OFF = 0
    MINIMAL = 1
    LOW = 2
    MEDIUM = 3
    HIGH = 4
    XHIGH = 5
    MAX = 6


LADDER = (
    Level.OFF,
    Level.MINIMAL,
    Level.LOW,
    Level.MEDIUM,
    Level.HIGH,
    Level.XHIGH,
    Level.MAX,
)


class Entry(Enum):
    """What a `thinkingLevelMap` says about one level: nothing, `null`, or a wire string."""

    MISSING = "missing"
    NULL = "null"
    WIRE = "wire"


@dataclass(frozen=True)
class LevelMap:
    """A `thinkingLevelMap`: one entry a level. A map in which each entry is missing says nothing."""

    off: Entry
    minimal: Entry
    low: Entry
    medium: Entry
    high: Entry
    xhigh: Entry
    max: Entry


@dataclass(frozen=True)
class Model:
    """A model as S10 sees it: whether it reasons, and its chosen ladder."""

    reasoning: bool
    map: LevelMap


class Direction(Enum):
    """The way of a cycle step."""

    FORWARD = "forward"
    BACKWARD = "backward"


class Unset(Enum):
    """What the display shows for an unset level."""

    DEFAULT = "default"


@dataclass(frozen=True)
class Session:
    """The level of a session's main conversation.

    Attributes:
        offered: The levels that the session's model offers; `None` when the model is not in the catalog.
        stored: The stored level; `None` when it is unset.
    """

    offered: tuple[Level, ...] | None
    stored: Level | None


@dataclass(frozen=True)
class Switch:
    """The user switches to a model that offers these levels; `None` for one outside the catalog."""

    offered: tuple[Level, ...] | None


@dataclass(frozen=True)
class Set:
    """The user asks for a level."""

    level: Level


@dataclass(frozen=True)
class Cycle:
    """The user takes a cycle step."""

    direction: Direction


Action: TypeAlias = Switch | Set | Cycle


def entries(levels: LevelMap) -> tuple[Entry, ...]:
    """Return the entries in ladder order."""
    return (
        levels.off,
        levels.minimal,
        levels.low,
        levels.medium,
        levels.high,
        levels.xhigh,
        levels.max,
    )


def _keeps(level: Level, entry: Entry) -> bool:
    """Say whether a reasoning model keeps a level (S10 ladder 2)."""
    return entry is Entry.WIRE or (entry is Entry.MISSING and level <= Level.HIGH)


@ensure(
    lambda result: all(a < b for a, b in pairwise(result)),
    "offered levels go up the ladder, each once: else `next` and `before` mean nothing",
)
def offered(model: Model) -> tuple[Level, ...]:
    """Return the levels that a model offers with the shipped default ladders (S10 ladder 1 to 3).

    Args:
        model: The model with its chosen ladder.
    """
    if not model.reasoning:
        return (Level.OFF,)
    says = entries(model.map)
    return tuple(level for level in LADDER if _keeps(level, says[level]))


@ensure(
    lambda result, offered: result in (offered or (Level.OFF,)),
    "a request with a level that the model does not offer fails at the provider",
)
def clamp(offered: tuple[Level, ...], level: Level) -> Level:
    """Move a level to one that the model offers (S10 clamp).

    Args:
        offered: The offered levels, in ladder order.
        level: Any level.
    """
    up = tuple(one for one in offered if one >= level)  # begins with the level itself (clamp 1)
    down = reversed(offered)  # looked at only when nothing is up the ladder: then all of it is down
    return (*up, *down, Level.OFF)[0]


@ensure(
    lambda result, offered: result in (offered if len(offered) > 1 else (None,)),
    "a step stays within the offered levels, and says so when there is nowhere to go",
)
def cycle(offered: tuple[Level, ...], level: Level, direction: Direction) -> Level | None:
    """Return the level one cycle step away, or `None` when the step changes nothing (S10 cycle).

    Args:
        offered: The offered levels, in ladder order.
        level: The current level, offered or not.
        direction: Forward or backward.
    """
    if len(offered) < 2:
        return None
    start = clamp(offered, level)
    match direction:
        case Direction.FORWARD:
            return (*(one for one in offered if one > start), offered[0])[0]
        case Direction.BACKWARD:
            return (offered[-1], *(one for one in offered if one < start))[-1]


def _fit(offered: tuple[Level, ...] | None, level: Level) -> Level:
    """Clamp a level to the session's model; without a catalog model keep it (S10 session 1, 2, 4)."""
    return level if offered is None else clamp(offered, level)


def settle(offered: tuple[Level, ...] | None, stored: Level | None, default: Level | None) -> Level:
    """Return the level on which open settles (S10 session 1).

    Args:
        offered: The levels of the session's model; `None` without a catalog model.
        stored: The stored level, if any.
        default: The setting `defaultThinkingLevel`, if any.
    """
    if stored is not None:
        return _fit(offered, stored)
    if default is not None:
        return _fit(offered, default)
    return _fit(offered, Level.MEDIUM)


def open_session(
    offered: tuple[Level, ...] | None, stored: Level | None, default: Level | None
) -> Session:
    """Open a session: it stores the settled level (S10 session 1)."""
    return Session(offered, settle(offered, stored, default))


def _current(session: Session) -> Level:
    """Return the level from which a cycle step starts: the one that the runtime sends (S10 session 3)."""
    return Level.OFF if session.stored is None else session.stored


@ensure(
    lambda result, session, action: (
        result.offered == (action.offered if isinstance(action, Switch) else session.offered)
    ),
    "only a switch changes the model; set and cycle concern the level alone",
)
def act(session: Session, action: Action) -> Session:
    """Return the session after one action (S10 session 2). A switch leaves an unset level unset.

    Args:
        session: The session before.
        action: A model switch, a set or a cycle step.
    """
    match action:
        case Switch(offered=new):
            stored = session.stored
            return Session(new, stored if stored is None else _fit(new, stored))
        case Set(level=level):
            return replace(session, stored=_fit(session.offered, level))
        case Cycle(direction=direction):
            step = cycle(session.offered or (), _current(session), direction)
            return session if step is None else replace(session, stored=step)


def sent(session: Session) -> Level:
    """Return the level that requests send: the stored one, else `off`, clamped to the model (S10 session 3)."""
    return _fit(session.offered, _current(session))


def shown(session: Session) -> Level | Unset:
    """Return what the display shows: the stored level clamped to the model, or `default` (S10 session 4)."""
    if session.stored is None:
        return Unset.DEFAULT
    return _fit(session.offered, session.stored)
