"""The bridge of `catalog` (C1): the core under the spec's signatures, and generated catalogs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from eukhe.core import catalog as core
from eukhe_bridge.kit import Bridge
from eukhe_spec import catalog as spec
from eukhe_spec.catalog import Bundle, Damage, Entry

__all__ = ["BRIDGE", "CORE", "Scenario"]


def _map(key: str, value: int | None) -> dict[str, str] | None:
    """Make an optional map that tells its number; 0 is an empty one, which is there all the same."""
    if value is None:
        return None
    return {key: str(value)} if value else {}


def _number(found: Any) -> int | None:
    return None if found is None else int(next(iter(found.values()), "0"))


def _native(entry: Entry) -> core.Entry:
    """Make a real entry: one number of data becomes six fields that differ with it."""
    data = entry.data
    return core.Entry(
        provider=f"provider-{entry.provider}",
        id=f"org/é-{entry.id}",
        api=f"api-{entry.api}",
        base_url=f"https://example.org/v-{entry.base_url}",
        name=f"Name-{data}",
        reasoning=data % 2 == 1,
        input=("text", "image")[: 1 + data % 2],
        cost=core.Cost(float(data), 2.0 * data),
        context_window=1000 + data,
        max_tokens=500 + data,
        thinking_level_map=_map("low", entry.levels),
        compat=_map("maxTokensField", entry.compat),
        featured=entry.featured,
        headers=_map("x-from", entry.headers),
    )


def _last(text: str) -> int:
    return int(text.rpartition("-")[2])


def _entry(found: core.Entry) -> Entry:
    """Read an entry back.

    Raises:
        ValueError: its fields do not belong together.
    """
    entry = Entry(
        _last(found.provider),
        _last(found.id),
        _last(found.api),
        _last(found.base_url),
        _last(found.name),
        _number(found.thinking_level_map),
        _number(found.compat),
        found.featured,
        _number(found.headers),
    )
    if _native(entry) != found:
        raise ValueError(f"the fields of {found} do not belong together")
    return entry


class _Core:
    """The core under the spec's signatures."""

    def union(self, bundled: tuple[Entry, ...], compiled: tuple[Entry, ...]) -> tuple[Entry, ...]:
        found = core.union(map(_native, bundled), map(_native, compiled))
        return tuple(_entry(one) for one in found)

    def catalog(
        self, bundle: Bundle, compiled: tuple[Entry, ...], transports: tuple[int, ...]
    ) -> spec.Catalog:
        native = None if isinstance(bundle, Damage) else [_native(one) for one in bundle]
        apis = {f"api-{one}" for one in transports}
        found = core.catalog(native, map(_native, compiled), apis)
        models = tuple(_entry(one) for one in found.models)
        if found.foreign is None:
            return spec.Catalog(models, None)
        foreign = found.foreign
        named = spec.Foreign(_last(foreign.provider), _last(foreign.id), _last(foreign.api))
        return spec.Catalog(models, named)


CORE = _Core()


@dataclass(frozen=True)
class Scenario:
    """Two sources and the wire APIs of a client."""

    bundle: Bundle
    compiled: tuple[Entry, ...]
    transports: tuple[int, ...]


_FULL = Entry(0, 0, 0, 1, 1, 1, 1, True, 1)
_BARE = Entry(0, 0, 0, 2, 2, None, None, None, None)
_OTHER_API = Entry(0, 0, 1, 3, 3, 3, 3, False, 3)
_OTHER = Entry(1, 0, 0, 4, 4, None, 0, False, None)

_EDGES = (
    Scenario((), (), ()),
    Scenario(Damage.MISSING, (_FULL, _OTHER), (0,)),
    Scenario(Damage.DAMAGED, (_OTHER, _FULL), (0,)),
    Scenario((_BARE,), (_FULL,), (0,)),
    Scenario((_FULL,), (_BARE,), (0,)),
    Scenario((_BARE,), (_OTHER_API,), (0, 1)),
    Scenario((_OTHER,), (_FULL,), (0,)),
    Scenario((_OTHER, _FULL), (_FULL, Entry(2, 2, 0, 5, 5, None, None, None, None)), (0,)),
    Scenario((_BARE, _OTHER_API), (_OTHER,), (0,)),
    Scenario((_BARE, _FULL), (_OTHER_API, _FULL), (0, 1)),
)


def _scenarios(rng: Random, count: int) -> Iterator[Scenario]:
    yield from _EDGES[:count]

    def optional() -> int | None:
        return rng.choice((None, 0, 1, 2))

    def entries() -> tuple[Entry, ...]:
        return tuple(
            Entry(
                rng.randrange(3),
                rng.randrange(3),
                rng.randrange(2),
                rng.randrange(4),
                rng.randrange(9),
                optional(),
                optional(),
                rng.choice((None, False, True)),
                optional(),
            )
            for _ in range(rng.randrange(9))
        )

    for _ in range(count - len(_EDGES)):
        bundle = rng.choice(tuple(Damage)) if rng.random() < 0.1 else entries()
        yield Scenario(bundle, entries(), (0, 1) if rng.random() < 0.8 else (1,))


def _transcript(subject: Any, one: Scenario) -> str:
    found = subject.catalog(one.bundle, one.compiled, one.transports)
    return "".join(f"{line}\n" for line in (f"foreign {found.foreign}", *found.models))


def _spec(one: Scenario) -> str:
    return _transcript(spec, one)


def _core(one: Scenario) -> str:
    return _transcript(CORE, one)


def _reached(one: Scenario, transcript: str) -> frozenset[str]:
    bundle = () if isinstance(one.bundle, Damage) else one.bundle
    foreign = not transcript.startswith("foreign None")
    own = [(entry.provider, entry.id) for entry in bundle]
    other = [(entry.provider, entry.id) for entry in one.compiled]
    pairs = [
        (mine, next(entry for entry in one.compiled if (entry.provider, entry.id) == key))
        for key, mine in zip(own, bundle, strict=True)
        if key in other and not foreign
    ]
    lacks = [
        (mine, entry)
        for mine, entry in pairs
        if (mine.levels is None and entry.levels is not None)
        or (mine.headers is None and entry.headers is not None)
    ]
    found = {
        "no bundle": one.bundle is Damage.MISSING,
        "a damaged bundle": one.bundle is Damage.DAMAGED,
        "a bundle with a foreign transport": foreign,
        "only in the bundle": bool(set(own) - set(other)) and not foreign,
        "only compiled": bool(set(other) - set(own)),
        "in both, the same api": any(mine.api == entry.api for mine, entry in pairs),
        "in both, another api": any(mine.api != entry.api for mine, entry in pairs),
        "a gap is filled": any(mine.api == entry.api for mine, entry in lacks),
        "a gap stays": any(mine.api != entry.api for mine, entry in lacks),
        "an empty map is no gap": any(
            mine.compat == 0 and entry.compat and mine.api == entry.api for mine, entry in pairs
        ),
        "a source says a model twice": len(set(own)) < len(own) and not foreign,
        "empty": not bundle and not one.compiled,
    }
    return frozenset(name for name, seen in found.items() if seen)


BRIDGE: Bridge[Scenario] = Bridge(
    "catalog",
    (
        "no bundle",
        "a damaged bundle",
        "a bundle with a foreign transport",
        "only in the bundle",
        "only compiled",
        "in both, the same api",
        "in both, another api",
        "a gap is filled",
        "a gap stays",
        "an empty map is no gap",
        "a source says a model twice",
        "empty",
    ),
    _scenarios,
    _spec,
    _core,
    _reached,
)
