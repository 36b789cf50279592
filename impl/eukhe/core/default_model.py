"""The saved default model (S6): on which model a session starts that no request pins, and what it shows.

Eukhe never moves past the saved default in silence: it is used, or a row says why not and what is in its place.
One whose provider has no credentials is never left for another provider.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Final

__all__ = [
    "UNSET",
    "DefaultUnusable",
    "NoMemoryModel",
    "Reason",
    "Ref",
    "Resolution",
    "Row",
    "Saved",
    "World",
    "memory",
    "resolve",
]


@dataclass(frozen=True, slots=True)
class Ref:
    """A model: its provider and its id."""

    provider: str
    id: str

    def __str__(self) -> str:
        return f"{self.provider}/{self.id}"


@dataclass(frozen=True, slots=True)
class Saved:
    """The settings `defaultProvider` and `defaultModel`; empty where one is not set."""

    provider: str = ""
    model: str = ""

    def __str__(self) -> str:
        return f"{self.provider or '(no provider)'}/{self.model or '(no model)'}"


#: No saved default.
UNSET: Final = Saved()


@dataclass(frozen=True, slots=True)
class World:
    """What a resolution looks at.

    Attributes:
        catalog: The models of the catalog, `models.json` included.
        enabled: The models that `enabledModels` includes; None when it is not set.
        keyed: The providers with credentials.
        startup: The startup defaults, the first to be taken first.
    """

    catalog: Container[Ref]
    enabled: Container[Ref] | None
    keyed: Container[str]
    startup: Iterable[Ref]


class Reason(Enum):
    """Why a saved default is not used, in words."""

    NO_CREDENTIALS = "its provider has no credentials"
    INCOMPLETE = "defaultProvider and defaultModel are not both set"
    NOT_IN_CATALOG = "the catalog does not have it"
    NOT_ENABLED = "enabledModels does not include it"


@dataclass(frozen=True, slots=True)
class Row:
    """The `eukhe.default_model` row; it is shown, the model does not see it.

    Attributes:
        saved: The saved default.
        reason: Why it is not used.
        instead: The model in its place; None when the session has no model.
    """

    saved: Saved
    reason: Reason
    instead: Ref | None

    @property
    def message(self) -> str:
        """The row in a sentence."""
        place = (
            f"this session runs on {self.instead}" if self.instead else "this session has no model"
        )
        return f"The saved default model {self.saved} is not used, because {self.reason.value}: {place}."


@dataclass(frozen=True, slots=True)
class DefaultUnusable:
    """The provider of the saved default has no credentials, and no other takes its place."""

    saved: Saved

    @property
    def hint(self) -> str:
        """What to do, in a sentence."""
        return (
            f"To use {self.saved}, run `eukhe auth set {self.saved.provider}`; "
            "to use another model, run `eukhe model default` or give `--model`."
        )


@dataclass(frozen=True, slots=True)
class Resolution:
    """On which model a session starts.

    Attributes:
        model: The model; None when the session opens with no model.
        row: The row to show; None for none.
        error: The typed error that the session's first request gets; None for none.
    """

    model: Ref | None
    row: Row | None = None
    error: DefaultUnusable | None = None


@dataclass(frozen=True, slots=True)
class NoMemoryModel:
    """The memory compactor fails its call: it never takes another model than the saved default.

    Attributes:
        saved: The saved default; `UNSET` when there is none.
        reason: Why it is not used.
    """

    saved: Saved
    reason: Reason

    @property
    def message(self) -> str:
        """The failure in a sentence."""
        return (
            f"The chat memory cannot use the saved default model {self.saved}, because {self.reason.value}: "
            "set memory.model."
        )


def _miss(world: World, saved: Saved) -> Reason | None:
    """Return the first reason that holds. Credentials come first: what they miss must move to nothing else."""
    model = Ref(saved.provider, saved.model)
    misses = {
        Reason.NO_CREDENTIALS: bool(saved.provider) and saved.provider not in world.keyed,
        Reason.INCOMPLETE: not (saved.provider and saved.model),
        Reason.NOT_IN_CATALOG: model not in world.catalog,
        Reason.NOT_ENABLED: world.enabled is not None and model not in world.enabled,
    }
    return next((reason for reason, missed in misses.items() if missed), None)


def resolve(world: World, saved: Saved) -> Resolution:
    """Say on which model a session starts that no request pins (S6 saved default 1 to 3).

    Args:
        world: What is there.
        saved: The saved default; `UNSET` for none.
    """
    reason = _miss(world, saved)
    if reason is None:
        return Resolution(Ref(saved.provider, saved.model))
    if reason is Reason.NO_CREDENTIALS:
        return Resolution(None, Row(saved, reason, None), DefaultUnusable(saved))
    usable = (one for one in world.startup if not _miss(world, Saved(one.provider, one.id)))
    instead = next(usable, None)
    return Resolution(instead, None if saved == UNSET else Row(saved, reason, instead))


def memory(world: World, saved: Saved) -> Ref | NoMemoryModel:
    """Return the model of the memory compactor when `memory.model` is not set (S6 saved default 4).

    Args:
        world: What is there.
        saved: The saved default; `UNSET` for none.
    """
    reason = _miss(world, saved)
    return NoMemoryModel(saved, reason) if reason else Ref(saved.provider, saved.model)
