"""The laws of local tiny models (S9): the chain of a role, the pick, the election of the worker."""

from __future__ import annotations

from typing import Annotated, Protocol

from eukhe_bridge import tiny as bridge
from eukhe_laws.engine.domain import Among, Scope
from eukhe_laws.engine.law import law
from eukhe_spec import tiny as spec
from eukhe_spec.tiny import (
    Election,
    Event,
    Exit,
    Need,
    Outcome,
    Picked,
    Role,
    Unavailable,
)

#: A chain of a few models, none of them twice.
Chain = Annotated[
    tuple[int, ...], Among(((), (0,), (1,), (2,), (0, 1), (1, 0), (2, 0), (0, 1, 2), (2, 1, 0)))
]


class Tiny(Protocol):
    """The functions under law."""

    def builtin(self, local: Chain, session: int | None, text: bool) -> tuple[int, ...]: ...
    def chain(self, role: Role, priority: Chain) -> tuple[int, ...]: ...
    def pick(self, models: tuple[int, ...], available: tuple[int, ...]) -> Picked | Unavailable: ...
    def elect(self, events: tuple[Event, ...]) -> Election: ...


SPEC: Tiny = spec
CORE: Tiny = bridge.CORE

_MODELS = Scope(3, 4)
_EVENTS = Scope(3, 5)


def _needs(events: tuple[Event, ...]) -> list[int]:
    return [event.tag for event in events if isinstance(event, Need)]


@law(section="S9", scope=_MODELS)
def tiny_pick_in_chain(S: Tiny, models: tuple[int, ...], available: tuple[int, ...]) -> bool:
    """A task uses only a model of its chain that is available (roles 3)."""
    found = S.pick(models, available)
    return not isinstance(found, Picked) or (found.model in models and found.model in available)


@law(
    section="S9",
    scope=Scope(3, 2),
    given=lambda S, before, model, after, available: (
        model in available and not set(before) & set(available)
    ),
    reach={
        "not the first of the chain": lambda S, before, model, after, available: len(before) > 0
    },
)
def tiny_pick_first(
    S: Tiny,
    before: tuple[int, ...],
    model: int,
    after: tuple[int, ...],
    available: tuple[int, ...],
) -> bool:
    """A task uses the first available model of its chain (roles 3)."""
    return S.pick((*before, model, *after), available) == Picked(model)


@law(
    section="S9",
    scope=_MODELS,
    given=lambda S, models, available: not set(models) & set(available),
    reach={
        "something is available": lambda S, models, available: len(models) > 1 <= len(available)
    },
)
def tiny_pick_unavailable(S: Tiny, models: tuple[int, ...], available: tuple[int, ...]) -> bool:
    """With no model of the chain available, the task fails as Unavailable (roles 3)."""
    return S.pick(models, available) == Unavailable(models)


@law(section="S9", scope=_EVENTS)
def tiny_every_need_served(S: Tiny, events: tuple[Event, ...]) -> bool:
    """Each need gets exactly one outcome: started, joined or replaced (worker 1-4)."""
    outcomes = S.elect(events).outcomes
    return len(outcomes) == len(_needs(events)) and all(
        isinstance(outcome, Outcome) for outcome in outcomes
    )


@law(
    section="S9",
    scope=_EVENTS,
    reach={
        "no need since the last exit": lambda S, events: events[-1:] == (Exit(),),
        "a need since the last exit": lambda S, events: Exit() in events and events[-1] != Exit(),
    },
)
def tiny_worker_current(S: Tiny, events: tuple[Event, ...]) -> bool:
    """After any events, the worker runs with the tag of the last need since the last exit (worker 3)."""
    exits = [place for place, event in enumerate(events) if isinstance(event, Exit)]
    since = events[exits[-1] + 1 :] if exits else events
    return S.elect(events).worker == ([None, *_needs(since)])[-1]


@law(section="S9", scope=_EVENTS)
def tiny_same_tag_joins(S: Tiny, events: tuple[Event, ...], tag: int) -> bool:
    """A need with the tag of the running worker joins it (worker 2)."""
    return S.elect((*events, Need(tag), Need(tag))).outcomes[-1] is Outcome.JOINED


@law(
    section="S9",
    scope=_EVENTS,
    given=lambda S, events, running, tag: running != tag,
    ours=True,
)
def tiny_other_tag_replaces(S: Tiny, events: tuple[Event, ...], running: int, tag: int) -> bool:
    """A need with another tag than the running worker's replaces it (worker 3)."""
    return S.elect((*events, Need(running), Need(tag))).outcomes[-1] is Outcome.REPLACED


@law(section="S9", scope=_EVENTS, ours=True)
def tiny_no_worker_starts(S: Tiny, events: tuple[Event, ...], tag: int) -> bool:
    """A need with no live worker starts one, at first and after each exit (worker 4)."""
    first = S.elect((Need(tag), *events)).outcomes[0]
    again = S.elect((*events, Exit(), Need(tag))).outcomes[-1]
    return first is again is Outcome.STARTED


@law(section="S9", scope=Scope(5), ours=True)
def tiny_chain_primary_first(S: Tiny, primary: int, priority: Chain, rest: Chain) -> bool:
    """The role's own model comes first, then its fallback chain when it is set (roles 1)."""
    own = 9 + primary
    return S.chain(Role(own, rest), priority) == (own, *rest) and S.chain(
        Role(None, rest), priority
    ) == tuple(rest)


@law(section="S9", scope=Scope(5), ours=True)
def tiny_chain_empty_is_primary_only(S: Tiny, primary: int | None, priority: Chain) -> bool:
    """An explicit `[]` keeps the role on its primary model only (roles 1)."""
    return S.chain(Role(primary, ()), priority) == (() if primary is None else (primary,))


@law(section="S9", scope=Scope(5), ours=True)
def tiny_chain_unset_is_builtin(S: Tiny, primary: int, priority: Chain) -> bool:
    """An unset fallback chain is the built-in priority (roles 1)."""
    own = 9 + primary
    return (S.chain(Role(None, None), priority), S.chain(Role(own, None), priority)) == (
        priority,
        (own, *priority),
    )


@law(section="S9", scope=Scope(5), ours=True)
def tiny_builtin_ends_with_the_session(S: Tiny, local: Chain, session: int, text: bool) -> bool:
    """The built-in priority is the catalog models of the role, then, for text, the session's model (roles 1)."""
    own = 9 + session
    return S.builtin(local, own, text) == (*local, *((own,) * text)) and S.builtin(
        local, None, text
    ) == tuple(local)
