"""On which model a session starts: the saved default over the real catalog, credentials and scope (S6)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from eukhe.core.default_model import Ref, Resolution, Saved, World, resolve
from eukhe.core.quirks import provider_default
from eukhe.models.patterns import matching

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from eukhe.models.credentials import Credentials
    from eukhe.models.local import Running
    from eukhe.models.registry import Registry

__all__ = ["NoModel", "saved_default", "start", "startup_defaults", "usable"]

_SHOWN: Final = 3


def saved_default(values: Mapping[str, object]) -> Saved:
    """Return the saved default of some settings."""
    provider, model = values.get("defaultProvider"), values.get("defaultModel")
    return Saved(
        provider if isinstance(provider, str) else "", model if isinstance(model, str) else ""
    )


def startup_defaults(registry: Registry) -> Iterator[Ref]:
    """The default model of each provider that has one, in the order of the registry (S6.11)."""
    for provider in registry.ids:
        model = provider_default(registry.quirks.rulebook, provider)
        if model is not None:
            yield Ref(provider, model)


def start(registry: Registry, credentials: Credentials, values: Mapping[str, object]) -> Resolution:
    """Say on which model a session starts that no request pins.

    Args:
        registry: The models.
        credentials: Which providers have credentials.
        values: The settings `defaultProvider`, `defaultModel` and `enabledModels`.
    """
    scope = values.get("enabledModels")
    enabled = (
        matching(registry, map(str, scope)) if isinstance(scope, (list, tuple)) and scope else None
    )
    world = World(registry, enabled, credentials, startup_defaults(registry))
    return resolve(world, saved_default(values))


def usable(registry: Registry, credentials: Credentials) -> tuple[Ref, ...]:
    """Return a few models whose provider has credentials, one a provider."""
    keyed = (provider for provider in registry.ids if provider in credentials)
    first = (
        Ref(provider, registry.ids[provider][0]) for provider in keyed if registry.ids[provider]
    )
    return tuple(islice(first, _SHOWN))


@dataclass(frozen=True, slots=True)
class NoModel:
    """A session that has no model, and what to do about it.

    Attributes:
        resolution: What the saved default came to.
        usable: Some models whose provider has credentials.
        running: Servers that answer on this machine.
    """

    resolution: Resolution
    usable: tuple[Ref, ...]
    running: tuple[Running, ...] = ()

    @classmethod
    def of(cls, resolution: Resolution, registry: Registry, credentials: Credentials) -> NoModel:
        """Look for what could be used; with nothing configured, on this machine as well."""
        known = usable(registry, credentials)
        if known or resolution.row is not None:
            return cls(resolution, known)
        from eukhe.models.local import running_servers  # only who has nothing pays for it

        return cls(resolution, known, running_servers())

    @property
    def message(self) -> str:
        """What to do, in a sentence."""
        if self.resolution.error is not None:
            return self.resolution.error.hint
        if self.usable:
            names = ", ".join(map(str, self.usable))
            return (
                f"choose a model with --model, or save one with `eukhe model default ID`, such as {names}; "
                "`eukhe model list` shows all"
            )
        if self.running:
            return "; ".join(one.message for one in self.running)
        return (
            "log in with `eukhe auth set PROVIDER`, or add a provider to models.json, or name a server with "
            "--base-url and --model"
        )
