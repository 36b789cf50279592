"""The reference model of the saved default model (S6): on which model a session starts that no request pins."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from eukhe_spec.contracts import ensure

__all__ = [
    "Failed",
    "Model",
    "Reason",
    "Resolution",
    "Row",
    "Saved",
    "World",
    "memory",
    "resolve",
    "used",
]


@dataclass(frozen=True)
class Model:
    """A model: its provider and its id."""

    provider: int
    id: int


@dataclass(frozen=True)
class Saved:
    """The settings `defaultProvider` and `defaultModel`; with neither, no default is saved."""

    provider: int | None
    model: int | None


@dataclass(frozen=True)
class World:
    """What a resolution looks at.

    Attributes:
        catalog: The models of the catalog.
        enabled: The models that `enabledModels` includes; None when it is not set.
        keyed: The providers with credentials.
        startup: The startup defaults, the first to be taken first.
    """

    catalog: tuple[Model, ...]
    enabled: tuple[Model, ...] | None
    keyed: tuple[int, ...]
    startup: tuple[Model, ...]


class Reason(Enum):
    """Why a saved default is not used."""

    NO_CREDENTIALS = "its provider has no credentials"
    INCOMPLETE = "provider or model is missing"
    NOT_IN_CATALOG = "the catalog does not have it"
    NOT_ENABLED = "enabledModels does not include it"


@dataclass(frozen=True)
class Row:
    """The row that a session shows: the saved default, why it is not used, the model in its place."""

    saved: Saved
    reason: Reason
    instead: Model | None


@dataclass(frozen=True)
class Resolution:
    """On which model a session starts.

    Attributes:
        model: The model; None when the session opens with no model.
        row: The row, if one is shown.
        unusable: Whether the resolution is the typed error with the login hint.
    """

    model: Model | None
    row: Row | None
    unusable: bool


def _enabled(world: World, model: Model) -> bool:
    return world.enabled is None or model in world.enabled


def used(world: World, saved: Saved) -> Model | Reason:
    """Return the model of a saved default, or why it is not used (S6 saved default 1 and 2).

    Args:
        world: What is there.
        saved: The saved default.
    """
    if saved.provider is not None and saved.provider not in world.keyed:
        return Reason.NO_CREDENTIALS
    if saved.provider is None or saved.model is None:
        return Reason.INCOMPLETE
    model = Model(saved.provider, saved.model)
    if model not in world.catalog:
        return Reason.NOT_IN_CATALOG
    return model if _enabled(world, model) else Reason.NOT_ENABLED


def _next(world: World) -> Model | None:
    """Return the first startup default that can be used."""
    usable = [
        one
        for one in world.startup
        if one in world.catalog and one.provider in world.keyed and _enabled(world, one)
    ]
    return usable[0] if usable else None


@ensure(
    lambda world, saved, result: (
        (result.row is None)
        == (saved == Saved(None, None) or isinstance(used(world, saved), Model))
    ),
    "eukhe never moves past the saved default in silence (S6)",
)
def resolve(world: World, saved: Saved) -> Resolution:
    """Say on which model a session starts that no request pins (S6 saved default 1 to 3).

    Args:
        world: What is there.
        saved: The saved default.
    """
    if saved == Saved(None, None):
        return Resolution(_next(world), None, False)
    match used(world, saved):
        case Model() as model:
            return Resolution(model, None, False)
        case Reason.NO_CREDENTIALS as why:
            return Resolution(None, Row(saved, why, None), True)
        case why:
            instead = _next(world)
            return Resolution(instead, Row(saved, why, instead), False)


@dataclass(frozen=True)
class Failed:
    """The memory compactor fails its call: the saved default, and why it is not used."""

    saved: Saved
    reason: Reason


def memory(world: World, saved: Saved) -> Model | Failed:
    """Return the model of the memory compactor without `memory.model` (S6 saved default 4).

    Args:
        world: What is there.
        saved: The saved default.
    """
    found = used(world, saved)
    return Failed(saved, found) if isinstance(found, Reason) else found
