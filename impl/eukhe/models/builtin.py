"""The built-in catalog: the union of the bundled and the compiled models (C1), asked for by provider."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from eukhe.core.catalog import catalog, union
from eukhe.models.bundled import bundle_path, load_bundle
from eukhe.models.compiled import compiled, compiled_ids, every_compiled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.core.catalog import Entry
    from eukhe.models.bundled import Bundle

__all__ = ["BuiltIn"]


@dataclass(frozen=True)
class BuiltIn:
    """The built-in catalog.

    Without a bundle nothing is read before it is asked for, and then one provider's file.

    Attributes:
        bundle: The bundled catalog as it was found.
    """

    bundle: Bundle

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> BuiltIn:
        """Return the catalog of this program."""
        return cls(load_bundle(bundle_path(environ)))

    @cached_property
    def ids(self) -> Mapping[str, tuple[str, ...]]:
        """The ids of each provider: the bundled ones first, then those that only the compiled catalog has."""
        found: dict[str, dict[str, None]] = {}
        for one in self.bundle.models or ():
            found.setdefault(one.provider, {})[one.id] = None
        for provider, ids in compiled_ids().items():
            found.setdefault(provider, {}).update(dict.fromkeys(ids))
        return {provider: tuple(ids) for provider, ids in found.items()}

    def models(self, provider: str) -> tuple[Entry, ...]:
        """Return the models of a provider."""
        own = tuple(one for one in self.bundle.models or () if one.provider == provider)
        return union(own, compiled(provider)) if own else compiled(provider)

    def every(self) -> tuple[Entry, ...]:
        """Return all models, in the order of the catalog."""
        everything = every_compiled()
        apis = {one.api for one in everything}  # the strict parse lets no other one in
        return catalog(self.bundle.models, everything, apis).models
