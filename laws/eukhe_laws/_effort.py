"""What the laws of `effort` and `ladder` range over: every ladder, session and action; and the rules of S10 anew.

Nothing here comes from the model: a law that shared its helpers would move with its mistakes.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product
from typing import Annotated

from eukhe_laws.engine.domain import Among
from eukhe_spec.effort import (
    Action,
    Cycle,
    Direction,
    Entry,
    Level,
    LevelMap,
    Model,
    Session,
    Set,
    Switch,
)

__all__ = [
    "LADDERS",
    "AnyAction",
    "AnySession",
    "Edge",
    "Extended",
    "Ladder",
    "Offered",
    "Opening",
    "Step",
    "Stored",
    "To",
    "entry",
    "fitted",
    "nearest",
    "settled",
]

_FIELDS = tuple(level.name.lower() for level in Level)

#: Every ladder that a model can offer.
LADDERS = tuple(one for size in range(8) for one in combinations(tuple(Level), size))
_CATALOG: tuple[tuple[Level, ...] | None, ...] = (None, *LADDERS)
_STORED: tuple[Level | None, ...] = (None, *Level)
_ACTIONS: tuple[Action, ...] = (
    *(Cycle(way) for way in Direction),
    *(Set(level) for level in Level),
    *(Switch(offered) for offered in _CATALOG),
)

#: Any offered levels, in ladder order.
Ladder = Annotated[tuple[Level, ...], Among(LADDERS)]
#: The levels of a session's model; `None` for a model outside the catalog.
Offered = Annotated[tuple[Level, ...] | None, Among(_CATALOG)]
#: Any session, its level stored or unset.
AnySession = Annotated[Session, Among(tuple(Session(*one) for one in product(_CATALOG, _STORED)))]
#: Any session with a stored level.
Stored = Annotated[Session, Among(tuple(Session(*one) for one in product(_CATALOG, Level)))]
#: Any action: a cycle step, a set, or a switch to any model.
AnyAction = Annotated[Action, Among(_ACTIONS)]
#: The two levels that need an explicit entry.
Extended = Annotated[Level, Among((Level.XHIGH, Level.MAX))]


def entry(levels: LevelMap, level: Level) -> Entry:
    """Look an entry up by the level's name, on a way of its own."""
    found: Entry = getattr(levels, _FIELDS[level])
    return found


def nearest(offered: tuple[Level, ...], level: Level) -> Level:
    """Restate the clamp by distances up, then down; the model does it by order."""
    if level in offered:
        return level
    above = [one - level for one in offered if one > level]
    below = [level - one for one in offered if one < level]
    if above:
        return Level(level + min(above))
    return Level(level - min(below)) if below else Level.OFF


def fitted(offered: tuple[Level, ...] | None, level: Level) -> Level:
    """Restate what a session keeps of a level: the clamp, and the level itself without a catalog model."""
    return level if offered is None else nearest(offered, level)


@dataclass(frozen=True)
class Opening:
    """The base of the induction: open, whatever was stored."""

    offered: Offered
    stored: Level | None
    default: Level | None


@dataclass(frozen=True)
class Step:
    """The step of the induction: one action on a session."""

    session: Stored
    action: AnyAction


def settled(session: Session) -> bool:
    """Say what open gives and actions keep: a stored level that the model offers, when the model is known."""
    offered, stored = session.offered, session.stored
    return stored is not None and (offered is None or stored in (offered or (Level.OFF,)))


_GONE, _KEPT, _WIRE = Entry.NULL, Entry.MISSING, Entry.WIRE
_EDGES: tuple[Model | None, ...] = (
    None,
    Model(False, LevelMap(_GONE, _KEPT, _KEPT, _KEPT, _KEPT, _KEPT, _WIRE)),
    Model(True, LevelMap(*[_KEPT] * 7)),
    Model(True, LevelMap(*[_GONE] * 7)),
    Model(True, LevelMap(_KEPT, *[_GONE] * 6)),
    Model(True, LevelMap(_WIRE, _GONE, _WIRE, _WIRE, _GONE, _WIRE, _KEPT)),
    Model(True, LevelMap(_GONE, _GONE, _KEPT, _KEPT, _KEPT, _WIRE, _WIRE)),
)
#: No catalog model; or none of reasoning, no entry, no level, `off` only, gaps in the middle, no `off`.
Edge = Annotated[Model | None, Among(_EDGES)]


@dataclass(frozen=True)
class To:
    """A switch to a model that is known by its map."""

    model: Edge
