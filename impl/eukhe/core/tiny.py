"""Local tiny models (S9): which model a role's task uses, and how a process comes to its worker."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from enum import Enum

__all__ = ["Served", "Tag", "Unavailable", "chain", "pick", "serve"]


@dataclass(frozen=True, slots=True)
class Unavailable:
    """No model of a role's chain is available (S9 roles 3).

    Attributes:
        chain: The models that were tried, in order.
    """

    chain: tuple[str, ...]


def chain(
    local: Sequence[str],
    *,
    primary: str | None = None,
    fallback: Sequence[str] | None = None,
    session: str | None = None,
) -> tuple[str, ...]:
    """Return the chain of a role (S9 roles 1).

    Args:
        local: The catalog models of the role, in the role's order.
        primary: `modelRoles.<role>`; `None` when it is not set.
        fallback: `retry.fallbackChains.<role>`; `None` when it is not set, and then the built-in priority takes
            its place. An empty one keeps the role on its primary model.
        session: The session's provider model, for a role that takes text; else `None`.

    Returns:
        The models in the order in which they are tried.
    """
    rest = [*local, session] if fallback is None else fallback
    return tuple([model for model in (primary, *rest) if model is not None])


def pick(models: Sequence[str], available: Container[str]) -> str | Unavailable:
    """Return the first available model of a chain (S9 roles 3).

    Args:
        models: The chain.
        available: The local models that are installed, and the session's provider model when it is usable.
    """
    return next((one for one in models if one in available), Unavailable(tuple(models)))


@dataclass(frozen=True, slots=True)
class Tag:
    """The launch tag of a worker: a worker with another one is stale (S9 worker 1).

    Attributes:
        build: The build of eukhe.
        device: The device that inference runs on.
        dtype: The number type of the weights.
    """

    build: str
    device: str
    dtype: str

    def __str__(self) -> str:
        return f"{self.build}|onnx|{self.device}|{self.dtype}"


class Served(Enum):
    """How a need for a worker is met (S9 worker 2 to 4)."""

    STARTED = "started"
    JOINED = "joined"
    REPLACED = "replaced"


def serve(answer: str | None, tag: str) -> Served:
    """Decide what a process does that needs a worker (S9 worker 2 to 4).

    Args:
        answer: The launch tag with which a live worker answered `ping`; `None` when no worker answered.
        tag: The launch tag that the process needs.

    Returns:
        `JOINED`: use it. `REPLACED`: send `shutdown`, then start one. `STARTED`: start one.
    """
    if answer is None:
        return Served.STARTED
    return Served.JOINED if answer == tag else Served.REPLACED
