"""The laws of reasoning depth (S10): the offered levels, the clamp, the cycle and the session's level.

Every domain here is finite and enumerated whole. A session sees a model by the levels it offers alone, so its laws
range over the 128 ladders that there are, and over no catalog model. The two laws "after open and any actions" are
inductions, checked step by step: open gives a settled session, any one action on any settled session gives one
again, and a settled session stores and shows what it sends.
"""

from __future__ import annotations

from typing import Protocol

from eukhe_bridge import effort as bridge
from eukhe_laws._effort import (
    AnyAction,
    AnySession,
    Edge,
    Extended,
    Ladder,
    Offered,
    Opening,
    Step,
    Stored,
    To,
    entry,
    fitted,
    nearest,
    settled,
)
from eukhe_laws.engine.domain import Scope
from eukhe_laws.engine.law import law
from eukhe_spec import effort as spec
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
    Unset,
)


class Effort(Protocol):
    """The functions under law."""

    def offered(self, model: Model) -> tuple[Level, ...]: ...
    def clamp(self, offered: Ladder, level: Level) -> Level: ...
    def cycle(self, offered: Ladder, level: Level, direction: Direction) -> Level | None: ...
    def settle(self, offered: Offered, stored: Level | None, default: Level | None) -> Level: ...
    def open_session(
        self, offered: Offered, stored: Level | None, default: Level | None
    ) -> Session: ...
    def act(self, session: AnySession, action: AnyAction) -> Session: ...
    def sent(self, session: AnySession) -> Level: ...
    def shown(self, session: AnySession) -> Level | Unset: ...


SPEC: Effort = spec
CORE: Effort = bridge.CORE


# The ladder of a model.


@law(section="S10")
def effort_offered_plain(S: Effort, ladder: LevelMap) -> bool:
    """A model without reasoning offers `off` only, with any map (ladder 1)."""
    return S.offered(Model(False, ladder)) == (Level.OFF,)


@law(section="S10", given=lambda S, ladder, level: entry(ladder, level) is Entry.NULL)
def effort_offered_null(S: Effort, ladder: LevelMap, level: Level) -> bool:
    """A reasoning model never offers a level with a `null` entry (ladder 2)."""
    return level not in S.offered(Model(True, ladder))


@law(
    section="S10",
    reach={
        "xhigh": lambda S, model, level: Level.XHIGH is level in S.offered(model),
        "max": lambda S, model, level: Level.MAX is level in S.offered(model),
    },
)
def effort_offered_ext(S: Effort, model: Model, level: Extended) -> bool:
    """A model offers `xhigh` or `max` only with a wire entry for it (ladder 2)."""
    wired = model.reasoning and entry(model.map, level) is Entry.WIRE
    return wired or level not in S.offered(model)


@law(
    section="S10",
    given=lambda S, ladder, level: (
        entry(ladder, level) is Entry.WIRE
        or (entry(ladder, level) is Entry.MISSING and level not in (Level.XHIGH, Level.MAX))
    ),
    reach={"high without an entry": lambda S, ladder, level: ladder.high is Entry.MISSING},
)
def effort_offered_kept(S: Effort, ladder: LevelMap, level: Level) -> bool:
    """A reasoning model offers each level that its map keeps: a wire entry, or a missing entry
    below `xhigh` (ladder 2).
    """
    return level in S.offered(Model(True, ladder))


@law(
    section="S10",
    reach={
        "all seven": lambda S, model: len(S.offered(model)) == 7,
        "`off` only, with reasoning": lambda S, model: (
            model.reasoning and S.offered(model) == (Level.OFF,)
        ),
        "no level": lambda S, model: S.offered(model) == (),
    },
)
def effort_offered_asc(S: Effort, model: Model) -> bool:
    """The offered levels go up the ladder strictly: no level comes two times (ladder)."""
    ranks = [int(level) for level in S.offered(model)]
    return all(ranks[i] < ranks[i + 1] for i in range(len(ranks) - 1))


# The clamp.


@law(section="S10", given=lambda S, model, level: S.offered(model) != ())
def effort_clamp_offered(S: Effort, model: Model, level: Level) -> bool:
    """When the model offers a level, the clamp of each level is an offered level. Thus a model
    switch lands on an offered level (clamp 2, session 2).
    """
    offered = S.offered(model)
    switched = S.act(Session(None, level), Switch(offered))
    return S.clamp(offered, level) in offered and switched.stored in offered


@law(section="S10", given=lambda S, model, level: level in S.offered(model))
def effort_clamp_keeps(S: Effort, model: Model, level: Level) -> bool:
    """The clamp does not change an offered level (clamp 1)."""
    return S.clamp(S.offered(model), level) is level


@law(section="S10", reach={"no level": lambda S, model, level: S.offered(model) == ()})
def effort_clamp_idem(S: Effort, model: Model, level: Level) -> bool:
    """A second clamp changes nothing, also when the model offers no level (clamp 3)."""
    offered = S.offered(model)
    once = S.clamp(offered, level)
    return S.clamp(offered, once) is once


@law(
    section="S10",
    ours=True,
    given=lambda S, offered, level: offered != () and level not in offered,
    reach={
        "up, with one down as near": lambda S, offered, level: (
            level - 1 in offered and level + 1 in offered
        ),
        "down": lambda S, offered, level: level > max(offered),
    },
)
def effort_clamp_up_first(S: Effort, offered: Ladder, level: Level) -> bool:
    """A level that is not offered goes to the first offered level up the ladder, and down only
    when none is up (clamp 2).
    """
    return S.clamp(offered, level) is nearest(offered, level)


@law(section="S10", ours=True)
def effort_clamp_none_off(S: Effort, level: Level) -> bool:
    """When no level is offered, the clamp is `off` (clamp 3)."""
    return S.clamp((), level) is Level.OFF


# The cycle.


@law(
    section="S10",
    given=lambda S, model, level, direction: len(S.offered(model)) < 2,
    reach={
        "one level, and another one stored": lambda S, model, level, direction: (
            len(S.offered(model)) == 1 and level not in S.offered(model)
        )
    },
)
def effort_cycle_still(S: Effort, model: Model, level: Level, direction: Direction) -> bool:
    """With fewer than two offered levels, a cycle step changes nothing (cycle 1)."""
    offered = S.offered(model)
    before = Session(offered, level)
    return S.cycle(offered, level, direction) is None and (
        S.act(before, Cycle(direction)) == before
    )


@law(section="S10", given=lambda S, model, level: level in S.offered(model)[:-1])
def effort_cycle_next(S: Effort, model: Model, level: Level) -> bool:
    """Forward from an offered level goes to the next offered level (cycle 2)."""
    offered = S.offered(model)
    following = offered[offered.index(level) + 1]
    return S.cycle(offered, level, Direction.FORWARD) is following


@law(
    section="S10",
    given=lambda S, model, level: len(S.offered(model)) > 1 and level is S.offered(model)[-1],
)
def effort_cycle_wrap(S: Effort, model: Model, level: Level) -> bool:
    """Forward from the last offered level goes to the first (cycle 2)."""
    offered = S.offered(model)
    return S.cycle(offered, level, Direction.FORWARD) is offered[0]


@law(section="S10", given=lambda S, model, level: level in S.offered(model)[1:])
def effort_cycle_prev(S: Effort, model: Model, level: Level) -> bool:
    """Backward from an offered level goes to the offered level before it (cycle 2)."""
    offered = S.offered(model)
    preceding = offered[offered.index(level) - 1]
    return S.cycle(offered, level, Direction.BACKWARD) is preceding


@law(
    section="S10",
    given=lambda S, model, level: len(S.offered(model)) > 1 and level is S.offered(model)[0],
)
def effort_cycle_wrap_back(S: Effort, model: Model, level: Level) -> bool:
    """Backward from the first offered level goes to the last (cycle 2)."""
    offered = S.offered(model)
    return S.cycle(offered, level, Direction.BACKWARD) is offered[-1]


def _there_and_back(
    S: Effort, model: Model, level: Level, there: Direction, back: Direction
) -> bool:
    """Take two steps of a session from an offered level and see that it is as before."""
    before = Session(S.offered(model), level)
    return S.act(S.act(before, Cycle(there)), Cycle(back)) == before


@law(section="S10", given=lambda S, model, level: level in S.offered(model))
def effort_cycle_inverse(S: Effort, model: Model, level: Level) -> bool:
    """From an offered level, a backward step cancels a forward step (cycle 3)."""
    return _there_and_back(S, model, level, Direction.FORWARD, Direction.BACKWARD)


@law(section="S10", given=lambda S, model, level: level in S.offered(model))
def effort_cycle_inverse_back(S: Effort, model: Model, level: Level) -> bool:
    """From an offered level, a forward step cancels a backward step (cycle 3)."""
    return _there_and_back(S, model, level, Direction.BACKWARD, Direction.FORWARD)


@law(
    section="S10",
    ours=True,
    given=lambda S, offered, level, direction: len(offered) > 1 and level not in offered,
)
def effort_cycle_from_clamp(S: Effort, offered: Ladder, level: Level, direction: Direction) -> bool:
    """From a level that is not offered, a cycle step starts at its clamp (cycle 2)."""
    place = offered.index(nearest(offered, level))
    ahead, behind = (*offered, offered[0])[place + 1], offered[place - 1]
    wanted = ahead if direction is Direction.FORWARD else behind
    return S.cycle(offered, level, direction) is wanted


@law(section="S10", ours=True, given=lambda S, offered: len(offered) > 1)
def effort_cycle_lap(S: Effort, offered: Ladder) -> bool:
    """Forward visits each offered level one time in each lap, in ladder order (cycle 3)."""
    session, visited = Session(offered, offered[-1]), []
    for _ in offered:
        session = S.act(session, Cycle(Direction.FORWARD))
        visited.append(session.stored)
    return tuple(visited) == offered


# The session.


@law(section="S10")
def effort_unset_default(S: Effort, offered: Offered) -> bool:
    """An unset level shows as `default`, never as `off` (session 4)."""
    return S.shown(Session(offered, None)) is Unset.DEFAULT


@law(section="S10", given=lambda S, offered, stored, default: offered != ())
def effort_settle_offered(
    S: Effort, offered: Ladder, stored: Level | None, default: Level | None
) -> bool:
    """When the model offers a level, open settles on an offered level (session 1)."""
    opened = S.open_session(offered, stored, default)
    return S.settle(offered, stored, default) in offered and opened.stored in offered


def _after(S: Effort, moment: Opening | Step) -> Session:
    if isinstance(moment, Opening):
        return S.open_session(moment.offered, moment.stored, moment.default)
    return S.act(moment.session, moment.action)


def _admits(S: Effort, moment: Opening | Step) -> bool:
    return isinstance(moment, Opening) or settled(moment.session)


_MOMENTS = {
    "open without a catalog model": lambda S, moment: (
        isinstance(moment, Opening) and moment.offered is None
    ),
    "open with no level offered": lambda S, moment: (
        isinstance(moment, Opening) and moment.offered == ()
    ),
    "an action that moves the level": lambda S, moment: (
        isinstance(moment, Step) and S.act(*_pair(moment)).stored != moment.session.stored
    ),
    "an action without a catalog model": lambda S, moment: (
        isinstance(moment, Step) and moment.session.offered is None
    ),
}


def _pair(moment: Step) -> tuple[Session, Action]:
    return moment.session, moment.action


@law(section="S10", given=_admits, reach=_MOMENTS)
def effort_stored_is_sent(S: Effort, moment: Opening | Step) -> bool:
    """After open and any actions, the session stores the level that it sends (session 1-3)."""
    after = _after(S, moment)
    return settled(after) and after.stored is S.sent(after)


@law(section="S10", given=_admits, reach=_MOMENTS)
def effort_shown_is_sent(S: Effort, moment: Opening | Step) -> bool:
    """After open and any actions, the display shows the level that the session sends (session
    4).
    """
    after = _after(S, moment)
    return settled(after) and S.shown(after) is S.sent(after)


@law(section="S10", ours=True)
def effort_settle_order(
    S: Effort, offered: Offered, stored: Level | None, default: Level | None
) -> bool:
    """Open takes the stored level, else the default, else `medium`, and clamps it to a catalog
    model (session 1).
    """
    wanted = next(one for one in (stored, default, Level.MEDIUM) if one is not None)
    settled = fitted(offered, wanted)
    return S.settle(offered, stored, default) is settled and (
        S.open_session(offered, stored, default) == Session(offered, settled)
    )


@law(section="S10", ours=True)
def effort_switch_clamps(S: Effort, session: AnySession, offered: Offered) -> bool:
    """A switch clamps the stored level to the new model, keeps it without a catalog model, and
    leaves an unset one (session 2).
    """
    stored = None if session.stored is None else fitted(offered, session.stored)
    return S.act(session, Switch(offered)) == Session(offered, stored)


@law(section="S10", ours=True)
def effort_set_clamps(S: Effort, session: AnySession, level: Level) -> bool:
    """A set stores the requested level, clamped to the model, and as it is without a catalog
    model (session 2).
    """
    stored = fitted(session.offered, level)
    return S.act(session, Set(level)) == Session(session.offered, stored)


@law(section="S10", ours=True)
def effort_cycle_sets(S: Effort, session: AnySession, direction: Direction) -> bool:
    """A cycle step sets the level that the step from the sent level gives; without a catalog
    model it changes nothing (session 2).
    """
    current = Level.OFF if session.stored is None else session.stored
    step = S.cycle(session.offered or (), current, direction)
    wanted = session if step is None else Session(session.offered, step)
    return S.act(session, Cycle(direction)) == wanted


@law(section="S10", ours=True)
def effort_sent_clamped(S: Effort, session: AnySession) -> bool:
    """The stored level, else `off`, is sent clamped to the model, and as it is without a
    catalog model (session 3).
    """
    current = Level.OFF if session.stored is None else session.stored
    return S.sent(session) is fitted(session.offered, current)


@law(section="S10", ours=True)
def effort_shown_clamped(S: Effort, session: Stored) -> bool:
    """A stored level is shown clamped to the model, and as it is without a catalog model
    (session 4).
    """
    return session.stored is not None and (
        S.shown(session) is fitted(session.offered, session.stored)
    )


# Sequences of actions over models with maps: the induction's claim, run from end to end.


def _seen(S: Effort, model: Model | None) -> tuple[Level, ...] | None:
    return None if model is None else S.offered(model)


@law(section="S10", ours=True, scope=Scope(size=2), wide=Scope(size=12))
def effort_run_sends(
    S: Effort, model: Edge, stored: Level | None, actions: tuple[To | Set | Cycle, ...]
) -> bool:
    """Along any actions over models with maps, the level that is stored, sent and shown stays
    one, and an offered one (session 1-4).
    """
    session = S.open_session(_seen(S, model), stored, None)
    for action in actions:
        move = Switch(_seen(S, action.model)) if isinstance(action, To) else action
        session = S.act(session, move)
        model = action.model if isinstance(action, To) else model
    stands = session.offered == _seen(S, model) and settled(session)
    return stands and session.stored is S.sent(session) is S.shown(session)
