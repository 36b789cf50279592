"""The registry: the built-in catalog with `models.json` on top of it, and what each model offers (S6, S10).

One registry serves every view: `eukhe model list`, the menu, the session. It is made of what was read, and reads a
provider's models when they are asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from eukhe.core import ladder
from eukhe.core.catalog import Cost, Entry
from eukhe.core.default_model import Ref
from eukhe.core.quirks import query, service_tiers, setting, targets
from eukhe.core.quirks_directives import THINKING_LADDER
from eukhe.models.addresses import address_of
from eukhe.models.builtin import BuiltIn
from eukhe.models.compat import effective
from eukhe.models.compiled import key_of
from eukhe.models.custom import FILE, Diagnostic, load_models_json
from eukhe.models.overlap import FamilyOverlap
from eukhe.models.rulebook import Quirks, shipped_quirks
from eukhe.models.subscription import MOVED_API, is_moved, subscriptions
from eukhe.settings.auth import AuthStorage

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from eukhe.core.effort import Level
    from eukhe.core.quirks_directives import Directive
    from eukhe.core.quirks_types import ModelKey
    from eukhe.models.custom import CustomProvider, ModelsConfig, Override

__all__ = ["Model", "Registry", "Source"]

T = TypeVar("T", bound="bool | str")


class Source(Enum):
    """Where a model's row comes from, in words."""

    COMPILED = "the compiled catalog"
    BUNDLED = "the bundled catalog"
    CUSTOM = "models.json"
    OVERRIDDEN = "the built-in catalog, changed by models.json"


@dataclass(frozen=True)
class Model:
    """A model of the registry.

    Attributes:
        entry: Its row.
        source: Where the row comes from.
        origin: Whether the rulebook's ladder applies to it (S10 ladder 0).
        explicit_max_tokens: Whether the user gave the longest reply, so that no ceiling of ours applies.
        quirks: The rulebook.
        environ: The environment, of which a wire API of a cloud reads the account; it can hold keys.
    """

    entry: Entry
    source: Source
    origin: ladder.Origin
    explicit_max_tokens: bool
    quirks: Quirks
    environ: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

    @property
    def ref(self) -> Ref:
        """The model's provider and id."""
        return Ref(self.entry.provider, self.entry.id)

    @cached_property
    def key(self) -> ModelKey:
        """What the rulebook is asked with."""
        return key_of(self.entry)

    @cached_property
    def ladder(self) -> ladder.LevelMap:
        """The chosen ladder (S10 ladder 0)."""
        rule = setting(None, query(self.quirks.rulebook, self.key, THINKING_LADDER), None)
        entry = self.entry
        return ladder.ladder_of(self.origin, entry.reasoning, entry.thinking_level_map, rule)

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """The offered levels, in ladder order (S10); nobody else computes them."""
        return ladder.offered(self.entry.reasoning, self.ladder, self.quirks.ladders)

    @cached_property
    def tiers(self) -> tuple[str, ...]:
        """The service tiers that the model honours, `default` first (S6.8)."""
        return service_tiers(self.quirks.rulebook, self.key)

    def sends(self, level: Level) -> str | None:
        """The wire string of a level; None for the wire API's own form (S10 ladder 2)."""
        return ladder.wire(self.entry.reasoning, self.ladder, level)

    def setting(self, directive: Directive[T], default: T) -> T:
        """What a wire API uses: `compat`, else the rulebook, else its default (S6.1)."""
        return effective(self.quirks.rulebook, self.key, self.entry.compat, directive, default)

    @property
    def overlap(self) -> FamilyOverlap | None:
        """The families that match the model, when more than one does (S6.2)."""
        found = targets(self.quirks.rulebook, self.key).overlap
        return FamilyOverlap(self.entry.id, found) if found else None


@dataclass(frozen=True)
class Registry:
    """All models.

    Attributes:
        built_in: The built-in catalog.
        custom: What `models.json` says.
        quirks: The rulebook.
        environ: The environment.
        subscriptions: The providers that a subscription is stored for.
    """

    built_in: BuiltIn
    custom: ModelsConfig
    quirks: Quirks
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    subscriptions: frozenset[str] = frozenset()

    @classmethod
    def of(cls, agent_dir: Path, environ: Mapping[str, str]) -> Registry:
        """Return the registry of a user.

        Args:
            agent_dir: Where `models.json` and `auth.json` are.
            environ: The environment.
        """
        built_in = BuiltIn.of(environ)
        custom = _noted(load_models_json(agent_dir / FILE, environ), built_in)
        found = subscriptions(AuthStorage.of(agent_dir))
        return cls(built_in, custom, shipped_quirks(), environ, found)

    @property
    def messages(self) -> tuple[str, ...]:
        """What is wrong with the catalogs and `models.json`, for the user."""
        damage = self.built_in.bundle.message
        found = tuple(one.text for one in self.custom.diagnostics)
        return (damage, *found) if damage else found

    @cached_property
    def ids(self) -> Mapping[str, tuple[str, ...]]:
        """The ids of every provider, built-in ones first; reads no provider's models."""
        found = dict(self.built_in.ids)
        for provider, one in self.custom.providers.items():
            own = (model.id for model in one.models)
            found[provider] = tuple(dict.fromkeys((*found.get(provider, ()), *own)))
        return found

    def models(self, provider: str) -> tuple[Model, ...]:
        """Return the models of a provider; none for one that is not there."""
        bundled = {(one.provider, one.id) for one in self.built_in.bundle.models or ()}
        custom = self.custom.providers.get(provider)
        found: dict[str, Model] = {}
        for entry in self.built_in.models(provider):
            known = (entry.provider, entry.id) in bundled
            source = Source.BUNDLED if known else Source.COMPILED
            found[entry.id] = self._built_in(entry, source, custom)
        origin = ladder.Origin.BUILT_IN if found else ladder.Origin.CUSTOM
        for entry in () if custom is None else custom.models:
            given = custom is not None and entry.id in custom.explicit
            model = Model(_under(entry, custom), Source.CUSTOM, origin, given, self.quirks)
            found[entry.id] = self._completed(model, provider)
        return tuple(map(self._placed, found.values()))

    def every(self) -> tuple[Model, ...]:
        """Return all models, provider by provider."""
        return tuple(model for provider in self.ids for model in self.models(provider))

    def find(self, ref: Ref) -> Model | None:
        """Return a model, or None for one that is not there."""
        if ref not in self:
            return None
        return next(one for one in self.models(ref.provider) if one.entry.id == ref.id)

    def __contains__(self, ref: object) -> bool:
        return isinstance(ref, Ref) and ref.id in self.ids.get(ref.provider, ())

    def _placed(self, model: Model) -> Model:
        """A model with the address that the environment gives it."""
        entry = replace(model.entry, base_url=address_of(model.entry, self.environ))
        return replace(model, entry=entry, environ=self.environ)

    def _built_in(self, entry: Entry, source: Source, custom: CustomProvider | None) -> Model:
        origin = ladder.Origin.BUILT_IN
        if is_moved(entry.provider, self.subscriptions):
            entry, origin = replace(entry, api=MOVED_API), ladder.Origin.MOVED
        if custom is None:
            return Model(entry, source, origin, False, self.quirks)
        override = custom.overrides.get(entry.id)
        changed = _under(entry, custom)
        changed = replace(changed, base_url=custom.base_url or entry.base_url)
        if override is not None:
            changed = _overridden(changed, override)
        if changed != entry:
            source = Source.OVERRIDDEN
        explicit = override is not None and override.max_tokens is not None
        return Model(changed, source, origin, explicit, self.quirks)

    def _completed(self, model: Model, provider: str) -> Model:
        """A model that is added to a built-in provider inherits its API and address."""
        entry = model.entry
        if entry.api and entry.base_url:
            return model
        first = next(iter(self.built_in.models(provider)))
        moved = not entry.api and is_moved(provider, self.subscriptions)
        api = MOVED_API if moved else entry.api or first.api
        whole = replace(entry, api=api, base_url=entry.base_url or first.base_url)
        origin = ladder.Origin.MOVED if moved else model.origin
        return replace(model, entry=whole, origin=origin)


def _noted(custom: ModelsConfig, built_in: BuiltIn) -> ModelsConfig:
    """Tell the overrides of models that are not there: they change nothing."""
    more = [
        Diagnostic(
            custom.path,
            f"providers.{provider}",
            f"providers.{provider}.modelOverrides.{id_}: {provider} has no model of this id, so nothing is "
            "changed; a new model goes into `models`",
            dropped=False,
        )
        for provider, one in custom.providers.items()
        for id_ in one.overrides
        if id_ not in built_in.ids.get(provider, ())
    ]
    return replace(custom, diagnostics=(*custom.diagnostics, *more)) if more else custom


def _under(entry: Entry, custom: CustomProvider | None) -> Entry:
    """An entry over what its provider says for all: its own `compat` and headers win."""
    if custom is None:
        return entry
    compat = {**custom.compat, **(entry.compat or {})}
    headers = _headers(custom.headers, entry.headers or {})
    return replace(entry, compat=compat or None, headers=headers or None)


def _headers(low: Mapping[str, str], high: Mapping[str, str]) -> dict[str, str]:
    """Headers over others; names are compared without case."""
    names = {name.lower() for name in high}
    return {name: value for name, value in low.items() if name.lower() not in names} | dict(high)


def _overridden(entry: Entry, by: Override) -> Entry:
    parts = {name: getattr(entry.cost, name) for name in Cost.__dataclass_fields__}
    levels = {**(entry.thinking_level_map or {}), **by.thinking_level_map}
    compat = {**(entry.compat or {}), **by.compat}
    headers = _headers(entry.headers or {}, by.headers)
    return replace(
        entry,
        name=by.name or entry.name,
        reasoning=entry.reasoning if by.reasoning is None else by.reasoning,
        input=by.input or entry.input,
        cost=Cost(**{**parts, **by.cost}),
        context_window=by.context_window or entry.context_window,
        max_tokens=by.max_tokens or entry.max_tokens,
        thinking_level_map=levels or entry.thinking_level_map,
        compat=compat or None,
        headers=headers or None,
    )
