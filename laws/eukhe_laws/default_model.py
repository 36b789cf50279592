"""The laws of the saved default model (S6); why a default is not used is restated by sets."""

from __future__ import annotations

from typing import Protocol

from eukhe_bridge import default_model as bridge
from eukhe_laws.engine.agree import Agree
from eukhe_laws.engine.domain import Scope
from eukhe_laws.engine.law import law
from eukhe_spec import default_model as spec
from eukhe_spec.default_model import Failed, Model, Reason, Resolution, Row, Saved, World


class DefaultModel(Protocol):
    """The functions under law."""

    def resolve(self, world: World, saved: Saved) -> Resolution: ...
    def memory(self, world: World, saved: Saved) -> Model | Failed: ...


SPEC: DefaultModel = spec
CORE: DefaultModel = bridge.CORE

#: Where spec and core are compared.
AGREEMENT = {name: Agree(Scope(2, 1), Scope(3, 4)) for name in ("resolve", "memory")}

_ONE = Scope(2, 1)
_SCOPE = Scope(2, 1, over=(("catalog", Scope(2, 2)), ("saved", Scope(2, 1))))
_WIDE = Scope(3, 5)
_UNSET = Saved(None, None)


def _usable(world: World) -> set[Model]:
    """Every model that can be used: in the catalog, enabled, with credentials."""
    usable = {one for one in world.catalog if {one.provider} & set(world.keyed)}
    return usable if world.enabled is None else usable & set(world.enabled)


def _model(saved: Saved) -> Model | None:
    if saved.provider is None or saved.model is None:
        return None
    return Model(saved.provider, saved.model)


def _unkeyed(world: World, saved: Saved) -> bool:
    return saved.provider is not None and not {saved.provider} & set(world.keyed)


def _why(world: World, saved: Saved) -> Reason | None:
    """Restate the reason by the sets that a usable default is in."""
    model = _model(saved)
    if model is not None and model in _usable(world):
        return None
    if _unkeyed(world, saved):
        return Reason.NO_CREDENTIALS
    if model is None:
        return Reason.INCOMPLETE
    return Reason.NOT_ENABLED if {model} <= set(world.catalog) else Reason.NOT_IN_CATALOG


@law(
    section="S6",
    scope=_SCOPE,
    wide=_WIDE,
    given=lambda S, world, saved: saved != _UNSET,
    reach={
        "honoured": lambda S, world, saved: _why(world, saved) is None,
        "not in the catalog": lambda S, world, saved: _why(world, saved) is Reason.NOT_IN_CATALOG,
        "not enabled": lambda S, world, saved: _why(world, saved) is Reason.NOT_ENABLED,
        "incomplete": lambda S, world, saved: _why(world, saved) is Reason.INCOMPLETE,
    },
)
def default_honoured_or_reported(S: DefaultModel, world: World, saved: Saved) -> bool:
    """A session starts on the saved default, or one row names the saved default and the reason it was not used
    (S6 saved default).
    """
    found = S.resolve(world, saved)
    why = _why(world, saved)
    if why is None:
        return found.model is not None and found.model == _model(saved)
    return found.row == Row(saved, why, found.model)


@law(
    section="S6",
    scope=_ONE,
    wide=_WIDE,
    given=lambda S, world, model: model in _usable(world),
)
def default_quiet_when_honoured(S: DefaultModel, world: World, model: Model) -> bool:
    """When the saved default is used, no row is shown."""
    found = S.resolve(world, Saved(model.provider, model.id))
    return found == Resolution(model, None, False)


@law(section="S6", scope=_SCOPE, wide=_WIDE)
def default_quiet_when_unset(S: DefaultModel, world: World) -> bool:
    """With no saved default, no row is shown."""
    found = S.resolve(world, _UNSET)
    return found.row is None and not found.unusable


@law(
    section="S6",
    scope=_SCOPE,
    wide=_WIDE,
    given=lambda S, world, saved: _unkeyed(world, saved),
    reach={
        "another could be used": lambda S, world, saved: bool(set(world.startup) & _usable(world)),
        "not in the catalog either": lambda S, world, saved: _model(saved) not in world.catalog,
    },
)
def default_unkeyed_never_moves(S: DefaultModel, world: World, saved: Saved) -> bool:
    """A saved default whose provider has no credentials never moves to another provider: the session opens with no
    model and the typed error.
    """
    row = Row(saved, Reason.NO_CREDENTIALS, None)
    return S.resolve(world, saved) == Resolution(None, row, True)


@law(
    section="S6",
    scope=Scope(2, 2, over=(("catalog", Scope(2, 2)), ("enabled", Scope(1, 1)), ("keyed", _ONE))),
    wide=_WIDE,
    given=lambda S, world, saved: not _unkeyed(world, saved) and _why(world, saved) is not None,
    reach={
        "a choice": lambda S, world, saved: len(set(world.startup) & _usable(world)) > 1,
        "none is left": lambda S, world, saved: not set(world.startup) & _usable(world),
        "unset": lambda S, world, saved: saved == _UNSET,
    },
    ours=True,
)
def default_next_startup_in_its_place(S: DefaultModel, world: World, saved: Saved) -> bool:
    """What takes the place of a saved default, or of none, is the first startup default that can be used; without
    one, the session opens with no model, and not with the typed error (S6 saved default 1 and 3).
    """
    found = S.resolve(world, saved)
    usable = [one for one in world.startup if one in _usable(world)]
    return found.model == (usable[0] if usable else None) and not found.unusable


@law(
    section="S6",
    scope=_SCOPE,
    wide=_WIDE,
    reach={"fails": lambda S, world, saved: _why(world, saved) is not None},
    ours=True,
)
def default_memory_never_swaps(S: DefaultModel, world: World, saved: Saved) -> bool:
    """The memory compactor uses the saved default, or fails with it and the reason (S6 saved default 4)."""
    why = _why(world, saved)
    return S.memory(world, saved) == (_model(saved) if why is None else Failed(saved, why))
