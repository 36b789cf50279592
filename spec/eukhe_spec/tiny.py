"""The reference model of local tiny models (S9): the chain of a role, the pick, and the election of the worker.

A model and a launch tag are numbers: only equality counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from eukhe_spec.contracts import ensure

__all__ = [
    "Election",
    "Event",
    "Exit",
    "Need",
    "Outcome",
    "Picked",
    "Role",
    "Unavailable",
    "builtin",
    "chain",
    "elect",
    "pick",
]


@dataclass(frozen=True)
class Role:
    """What the settings say of a role.

    Attributes:
        primary: `modelRoles.<role>`; `None` when it is not set.
        fallback: `retry.fallbackChains.<role>`; `None` when it is not set, which is not the same as `[]`.
    """

    primary: int | None
    fallback: tuple[int, ...] | None


def builtin(local: tuple[int, ...], session: int | None, text: bool) -> tuple[int, ...]:
    """Return the built-in priority: the catalog models of the role, then the session's model (S9 roles 1).

    Args:
        local: The catalog models of the role, in its order.
        session: The session's provider model, if it has one.
        text: Whether the role takes text; only such a role can use a provider model.
    """
    return local if session is None or not text else (*local, session)


def chain(role: Role, priority: tuple[int, ...]) -> tuple[int, ...]:
    """Return the chain of a role: its primary model, then its fallback chain or the built-in one (S9 roles 1)."""
    first = () if role.primary is None else (role.primary,)
    return first + (priority if role.fallback is None else role.fallback)


@dataclass(frozen=True)
class Picked:
    """The task uses this model."""

    model: int


@dataclass(frozen=True)
class Unavailable:
    """No model of the chain is available: the task fails and names the chain (S9 roles 3)."""

    chain: tuple[int, ...]


@ensure(
    lambda models, available, result: (
        isinstance(result, Unavailable) or (result.model in models and result.model in available)
    ),
    "a task never uses a model outside the chain (S9 roles 3)",
)
def pick(models: tuple[int, ...], available: tuple[int, ...]) -> Picked | Unavailable:
    """Pick the first available model of a chain (S9 roles 3)."""
    usable = [model for model in models if model in available]
    return Picked(usable[0]) if usable else Unavailable(models)


@dataclass(frozen=True)
class Need:
    """A process needs a worker with this launch tag."""

    tag: int


@dataclass(frozen=True)
class Exit:
    """The worker exits: it was idle, it crashed, it was stopped."""


Event = Need | Exit


class Outcome(Enum):
    """How a need is served (S9 worker 2 to 4)."""

    STARTED = "started"
    JOINED = "joined"
    REPLACED = "replaced"


@dataclass(frozen=True)
class Election:
    """After some events: the tag of the running worker, and the outcome of each need, in order."""

    worker: int | None
    outcomes: tuple[Outcome, ...]


def elect(events: tuple[Event, ...]) -> Election:
    """Let needs and exits happen to one model's worker, which does not run at first (S9 worker 1 to 4)."""
    worker: int | None = None
    outcomes: tuple[Outcome, ...] = ()
    for event in events:
        match event:
            case Exit():
                worker = None
            case Need(tag):
                if worker is None:
                    outcome = Outcome.STARTED
                elif worker == tag:
                    outcome = Outcome.JOINED
                else:
                    outcome = Outcome.REPLACED
                worker, outcomes = tag, (*outcomes, outcome)
    return Election(worker, outcomes)
