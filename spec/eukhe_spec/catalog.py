"""The reference model of the built-in catalog (C1): the union of the bundled and the compiled models.

The data of a model, from its name to its limits, is one number here, and so is each optional field.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

from eukhe_spec.contracts import ensure

__all__ = ["Bundle", "Catalog", "Damage", "Entry", "Foreign", "catalog", "union"]


V = TypeVar("V")


@dataclass(frozen=True)
class Entry:
    """A model of a source. A model is its provider and its id.

    Attributes:
        provider: The provider.
        id: The id.
        api: The wire API.
        base_url: The base URL.
        data: `name`, `reasoning`, `input`, `cost`, `contextWindow` and `maxTokens`.
        levels: `thinkingLevelMap`, if the entry has it.
        compat: `compat`, if the entry has it.
        featured: `featured`, if the entry has it.
        headers: `headers`, if the entry has them.
    """

    provider: int
    id: int
    api: int
    base_url: int
    data: int
    levels: int | None
    compat: int | None
    featured: bool | None
    headers: int | None


class Damage(Enum):
    """There is no bundled catalog, or it could not be read."""

    MISSING = "missing"
    DAMAGED = "damaged"


Bundle = tuple[Entry, ...] | Damage


def _of(entries: tuple[Entry, ...], provider: int, id: int) -> Entry | None:  # noqa: A002 -- the field's name
    """Return a source's entry of a model: the first, if it says a model twice."""
    return next((one for one in entries if (one.provider, one.id) == (provider, id)), None)


def _or(own: V | None, other: V | None) -> V | None:
    return other if own is None else own


def _merged(bundled: Entry, compiled: Entry | None) -> Entry:
    """The bundled entry, its missing optional fields filled by a compiled entry of the same api (C1.2)."""
    if compiled is None or compiled.api != bundled.api:
        return bundled
    return Entry(
        bundled.provider,
        bundled.id,
        bundled.api,
        bundled.base_url,
        bundled.data,
        _or(bundled.levels, compiled.levels),
        _or(bundled.compat, compiled.compat),
        _or(bundled.featured, compiled.featured),
        _or(bundled.headers, compiled.headers),
    )


def _once(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """The entries of a source, each model once."""
    return tuple(
        [
            one
            for place, one in enumerate(entries)
            if _of(entries[:place], one.provider, one.id) is None
        ]
    )


@ensure(
    lambda result: len({(one.provider, one.id) for one in result}) == len(result),
    "each model is in the catalog one time (C1.1)",
)
def union(bundled: tuple[Entry, ...], compiled: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """Unite the two sources (C1.1 to C1.4).

    Args:
        bundled: The bundled entries, in bundled order.
        compiled: The compiled entries, in compiled order.
    """
    first = [_merged(one, _of(compiled, one.provider, one.id)) for one in _once(bundled)]
    rest = [one for one in _once(compiled) if _of(bundled, one.provider, one.id) is None]
    return (*first, *rest)


@dataclass(frozen=True)
class Foreign:
    """A bundled model whose wire API this client does not have, which damages the bundle."""

    provider: int
    id: int
    api: int


@dataclass(frozen=True)
class Catalog:
    """The catalog, and what damaged the bundle when it is a wire API."""

    models: tuple[Entry, ...]
    foreign: Foreign | None


def catalog(bundle: Bundle, compiled: tuple[Entry, ...], transports: tuple[int, ...]) -> Catalog:
    """Return the built-in catalog (C1.5).

    Args:
        bundle: The bundled catalog, as the strict parse gives it.
        compiled: The compiled catalog.
        transports: The wire APIs that the client compiles in; a bundle with another one is damaged.
    """
    if isinstance(bundle, Damage):
        return Catalog(union((), compiled), None)
    foreign = [one for one in bundle if one.api not in transports]
    if foreign:
        first = foreign[0]
        return Catalog(union((), compiled), Foreign(first.provider, first.id, first.api))
    return Catalog(union(bundle, compiled), None)
