"""The built-in model catalog (C1): the union of the bundled models and the compiled ones.

One pass over each source: a dict keyed by provider and id keeps the order in which models are first met, so the
bundled ones come first, and a compiled entry either fills gaps of the bundled one or is new.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

__all__ = ["Catalog", "Cost", "Entry", "Foreign", "catalog", "union"]


@dataclass(frozen=True, slots=True)
class Cost:
    """Prices in US dollars a million tokens."""

    input: float = 0.0
    output: float = 0.0
    cache_read: float = 0.0
    cache_write: float = 0.0


@dataclass(frozen=True, slots=True)
class Entry:
    """A model as one source has it. A model is its provider and its id.

    Attributes:
        provider: The provider's id.
        id: The model's id.
        api: The wire API.
        base_url: The base URL of the API.
        name: The name that is shown.
        reasoning: Whether the model reasons.
        input: What it takes: `text`, `image`.
        cost: Its prices.
        context_window: In tokens.
        max_tokens: The longest reply, in tokens.
        thinking_level_map: The wire string of each level, None where a level is removed; None for no map.
        compat: What the wire API has to mind; None when the entry says nothing.
        featured: Whether the menu shows it first; None when the entry does not say.
        headers: Headers to send; None when the entry has none.
    """

    provider: str
    id: str
    api: str
    base_url: str
    name: str
    reasoning: bool
    input: tuple[str, ...]
    cost: Cost
    context_window: int
    max_tokens: int
    thinking_level_map: Mapping[str, str | None] | None = None
    compat: Mapping[str, object] | None = None
    featured: bool | None = None
    headers: Mapping[str, str] | None = None


#: The fields that a source may leave out, each filled by the other source.
_OPTIONAL = ("thinking_level_map", "compat", "featured", "headers")


def _filled(bundled: Entry, compiled: Entry) -> Entry:
    """Fill the optional fields that a bundled entry lacks, from one of the same API (C1.2)."""
    if bundled.api != compiled.api:
        return bundled
    missing = {
        name: getattr(compiled, name) for name in _OPTIONAL if getattr(bundled, name) is None
    }
    return replace(bundled, **missing)


def union(bundled: Iterable[Entry], compiled: Iterable[Entry]) -> tuple[Entry, ...]:
    """Unite the two sources (C1.1 to C1.4).

    Args:
        bundled: The bundled entries, in bundled order; of two for a model the first counts.
        compiled: The compiled entries, in compiled order; likewise.

    Returns:
        Each model once: the bundled ones in bundled order, then the compiled ones that the bundle lacks.
    """
    found: dict[tuple[str, str], Entry] = {}
    for one in bundled:
        found.setdefault((one.provider, one.id), one)
    merged: set[tuple[str, str]] = set()
    for one in compiled:
        key = (one.provider, one.id)
        if key not in merged:
            merged.add(key)
            found[key] = _filled(found.get(key, one), one)
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class Foreign:
    """A bundled entry names a wire API that this client does not have, so the bundle is damaged (C1)."""

    provider: str
    id: str
    api: str

    @property
    def message(self) -> str:
        """The damage in a sentence."""
        return (
            f"The bundled catalog is not used: {self.provider}/{self.id} needs the wire API {self.api}, "
            "which this eukhe does not have. Install the catalog that belongs to it."
        )


@dataclass(frozen=True, slots=True)
class Catalog:
    """The built-in catalog.

    Attributes:
        models: The models, in order.
        foreign: What damaged the bundle, when it is a wire API; else None.
    """

    models: tuple[Entry, ...]
    foreign: Foreign | None = None


def catalog(
    bundle: Collection[Entry] | None, compiled: Iterable[Entry], transports: Collection[str]
) -> Catalog:
    """Return the built-in catalog (C1.5).

    Args:
        bundle: The bundled entries; None when there is no bundle, or its strict parse failed.
        compiled: The compiled entries.
        transports: The wire APIs that this client has.
    """
    bundled = bundle or ()
    for one in bundled:
        if one.api not in transports:
            return Catalog(union((), compiled), Foreign(one.provider, one.id, one.api))
    return Catalog(union(bundled, compiled))
