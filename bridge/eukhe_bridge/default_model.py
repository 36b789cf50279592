"""The bridge of `default_model` (S6): the core under the spec's signatures, and worlds over few models."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from eukhe.core import default_model as core
from eukhe_bridge.kit import Bridge
from eukhe_spec import default_model as spec
from eukhe_spec.default_model import Model, Saved, World

__all__ = ["BRIDGE", "CORE", "Scenario"]


def _provider(provider: int | None) -> str:
    return "" if provider is None else f"anbieter-{provider} é"


def _id(id_: int | None) -> str:
    return "" if id_ is None else f"org/model:{id_}"


def _number(text: str) -> int | None:
    digits = [one for one in text if one.isdigit()]
    return int("".join(digits)) if digits else None


def _ref(model: Model) -> core.Ref:
    return core.Ref(_provider(model.provider), _id(model.id))


def _model(ref: core.Ref) -> Model:
    return Model(_number(ref.provider) or 0, _number(ref.id) or 0)


def _world(world: World) -> core.World:
    enabled = world.enabled
    return core.World(
        {_ref(one): None for one in world.catalog},
        None if enabled is None else frozenset(_ref(one) for one in enabled),
        frozenset(_provider(one) for one in world.keyed),
        (_ref(one) for one in world.startup),
    )


def _saved(saved: Saved) -> core.Saved:
    return core.Saved(_provider(saved.provider), _id(saved.model))


def _back(saved: core.Saved) -> Saved:
    return Saved(_number(saved.provider), _number(saved.model))


def _reason(reason: core.Reason) -> spec.Reason:
    return spec.Reason[reason.name]


def _row(row: core.Row) -> spec.Row:
    """Read a row back.

    Raises:
        ValueError: its message does not say what takes the place of the saved default.
    """
    place = f"runs on {row.instead}" if row.instead else "has no model"
    if place not in row.message:
        raise ValueError(f"the row says {row.message!r}, and not {place!r}")
    instead = _model(row.instead) if row.instead else None
    return spec.Row(_back(row.saved), _reason(row.reason), instead)


class _Core:
    """The core under the spec's signatures."""

    def resolve(self, world: World, saved: Saved) -> spec.Resolution:
        found = core.resolve(_world(world), _saved(saved))
        return spec.Resolution(
            _model(found.model) if found.model else None,
            _row(found.row) if found.row else None,
            found.error is not None and _back(found.error.saved) == saved,
        )

    def memory(self, world: World, saved: Saved) -> Model | spec.Failed:
        match core.memory(_world(world), _saved(saved)):
            case core.Ref() as ref:
                return _model(ref)
            case core.NoMemoryModel(found, reason):
                return spec.Failed(_back(found), _reason(reason))


CORE = _Core()


@dataclass(frozen=True)
class Scenario:
    """A world and a saved default."""

    world: World
    saved: Saved


_A, _B, _C = Model(0, 0), Model(0, 1), Model(1, 0)
_ALL = (_A, _B, _C)

_EDGES = (
    Scenario(World((), None, (), ()), Saved(None, None)),
    Scenario(World(_ALL, None, (0, 1), (_C, _A)), Saved(None, None)),
    Scenario(World(_ALL, None, (0, 1), (_C, _A)), Saved(0, 0)),
    Scenario(World(_ALL, None, (1,), (_C, _A)), Saved(0, 0)),
    Scenario(World((_C,), None, (1,), (_C, _A)), Saved(0, 0)),
    Scenario(World((_B, _C), None, (0, 1), (_C, _B)), Saved(0, 0)),
    Scenario(World(_ALL, (_B, _C), (0, 1), (_A, _B, _C)), Saved(0, 0)),
    Scenario(World(_ALL, (), (0, 1), (_A, _B)), Saved(0, 0)),
    Scenario(World(_ALL, None, (0, 1), (_C,)), Saved(0, None)),
    Scenario(World(_ALL, None, (0, 1), (_C,)), Saved(None, 0)),
    Scenario(World(_ALL, None, (1,), (_C,)), Saved(0, None)),
    Scenario(World((_B,), None, (0,), ()), Saved(0, 0)),
)


def _scenarios(rng: Random, count: int) -> Iterator[Scenario]:
    yield from _EDGES[:count]

    def some(least: int) -> tuple[Model, ...]:
        return tuple(
            Model(rng.randrange(3), rng.randrange(3)) for _ in range(rng.randrange(least, 7))
        )

    for _ in range(count - len(_EDGES)):
        enabled = None if rng.random() < 0.4 else some(1)
        keyed = tuple(rng.randrange(3) for _ in range(rng.randrange(1, 4)))
        saved = Saved(
            rng.choice((None, 0, 1, 2, 2)) if rng.random() < 0.4 else 0,
            rng.choice((None, 0, 1, 2)),
        )
        yield Scenario(World(some(2), enabled, keyed, some(0)), saved)


def _transcript(subject: Any, one: Scenario) -> str:
    found = subject.resolve(one.world, one.saved)
    lines = [f"model {found.model}", f"row {found.row}", f"unusable {found.unusable}"]
    return "\n".join([*lines, f"memory {subject.memory(one.world, one.saved)}", ""])


def _spec(one: Scenario) -> str:
    return _transcript(spec, one)


def _core(one: Scenario) -> str:
    return _transcript(CORE, one)


def _reached(one: Scenario, transcript: str) -> frozenset[str]:
    unset = one.saved == Saved(None, None)
    empty = transcript.startswith("model None")
    reasons = {name: f"Reason.{name}" in transcript for name in spec.Reason.__members__}
    swapped = not empty and not unset and "row None" not in transcript
    found = {
        "unset: a startup default": unset and not empty,
        "unset: no model": unset and empty,
        "honoured": not unset and "row None" in transcript,
        "swapped: not in the catalog": swapped and reasons["NOT_IN_CATALOG"],
        "swapped: not enabled": swapped and reasons["NOT_ENABLED"],
        "swapped: incomplete": swapped and reasons["INCOMPLETE"],
        "swapped: not the first startup default": swapped
        and f"model {one.world.startup[0]}" not in transcript,
        "unusable: no credentials": "unusable True" in transcript,
        "unusable: not in the catalog either": "unusable True" in transcript
        and all(
            (model.provider, model.id) != (one.saved.provider, one.saved.model)
            for model in one.world.catalog
        ),
        "no other model": empty and not unset and "unusable False" in transcript,
        "memory: the saved default": "memory Model" in transcript,
        "memory: fails": "memory Failed" in transcript,
    }
    return frozenset(name for name, seen in found.items() if seen)


BRIDGE: Bridge[Scenario] = Bridge(
    "default_model",
    (
        "unset: a startup default",
        "unset: no model",
        "honoured",
        "swapped: not in the catalog",
        "swapped: not enabled",
        "swapped: incomplete",
        "swapped: not the first startup default",
        "unusable: no credentials",
        "unusable: not in the catalog either",
        "no other model",
        "memory: the saved default",
        "memory: fails",
    ),
    _scenarios,
    _spec,
    _core,
    _reached,
    count=400,
)
