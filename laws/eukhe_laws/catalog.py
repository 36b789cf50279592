"""The laws of the built-in model catalog (C1). A source may say a model twice: then the first entry counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Protocol

from eukhe_bridge import catalog as bridge
from eukhe_laws.engine.agree import Agree
from eukhe_laws.engine.domain import Among, Scope
from eukhe_laws.engine.law import law
from eukhe_spec import catalog as spec
from eukhe_spec.catalog import Bundle, Catalog, Damage, Entry, Foreign


class Union(Protocol):
    """The functions under law."""

    def union(
        self, bundled: tuple[Entry, ...], compiled: tuple[Entry, ...]
    ) -> tuple[Entry, ...]: ...
    def catalog(
        self, bundle: Bundle, compiled: tuple[Entry, ...], transports: tuple[int, ...]
    ) -> Catalog: ...


SPEC: Union = spec
CORE: Union = bridge.CORE

_WIDE = Scope(2, 5)

_MODELS = ((0, 0), (0, 1), (1, 0))
_GAPS: tuple[tuple[int | None, int | None, bool | None, int | None], ...] = (
    (None, None, None, None),
    (0, 1, False, 2),
    (3, None, None, 4),
    (None, 5, True, None),
)
_KNOWN = tuple(
    Entry(*model, api, 5 + kind, 9 + 4 * api + kind, levels, compat, featured, headers)
    for model in _MODELS
    for api in (0, 1)
    for kind, (levels, compat, featured, headers) in enumerate(_GAPS)
)
#: Entries of few models: two APIs, and different gaps in the optional fields.
Known = Annotated[Entry, Among(_KNOWN)]
#: What another source says of a model: the same entries, of one model, for a law makes it the other's.
Other = Annotated[Entry, Among(_KNOWN[: 2 * len(_GAPS)])]
#: Two entries of each of few models.
Brief = Annotated[
    Entry,
    Among(tuple(Entry(*model, 0, 5, data, *_GAPS[0]) for model in _MODELS for data in (6, 7))),
]
#: A source of few models.
Source = tuple[Brief, ...]

#: Where spec and core are compared.
AGREEMENT = {
    "union": Agree(Scope(1, 1), _WIDE),
    "catalog": Agree(Scope(1, 1), _WIDE),
}


def _key(entry: Entry) -> tuple[int, int]:
    return entry.provider, entry.id


def _keys(entries: tuple[Entry, ...]) -> list[tuple[int, int]]:
    return [_key(one) for one in entries]


def _without(entries: tuple[Entry, ...], entry: Entry) -> tuple[Entry, ...]:
    """The entries of other models than this one's."""
    return tuple(one for one in entries if _key(one) != _key(entry))


def _found(models: tuple[Entry, ...], entry: Entry) -> list[Entry]:
    return [one for one in models if _key(one) == _key(entry)]


def _optional(entry: Entry) -> tuple[int | None, ...]:
    return entry.levels, entry.compat, entry.featured, entry.headers


def _chosen(entry: Entry, which: list[bool]) -> list[int | None]:
    """Some of the optional fields."""
    return [value for value, chosen in zip(_optional(entry), which, strict=True) if chosen]


@law(section="C1", scope=Scope(2, 2), wide=_WIDE)
def union_keeps_every_model(S: Union, bundled: Source, compiled: Source) -> bool:
    """Each model of either source is in the catalog (C1.1)."""
    return set(_keys(S.union(bundled, compiled))) >= {*_keys(bundled), *_keys(compiled)}


@law(
    section="C1",
    scope=Scope(2, 2),
    wide=_WIDE,
    reach={
        "in both": lambda S, bundled, compiled: bool(set(_keys(bundled)) & set(_keys(compiled))),
        "twice in one": lambda S, bundled, compiled: len(set(_keys(bundled))) < len(bundled),
    },
)
def union_each_once(S: Union, bundled: Source, compiled: Source) -> bool:
    """Each model is in the catalog one time (C1.1)."""
    models = _keys(S.union(bundled, compiled))
    return len(set(models)) == len(models)


@law(section="C1", scope=Scope(2, 1), wide=_WIDE, ours=True)
def union_adds_no_model(S: Union, bundled: Source, compiled: Source) -> bool:
    """A model of the catalog is in a source (C1.1)."""
    return set(_keys(S.union(bundled, compiled))) <= {*_keys(bundled), *_keys(compiled)}


@law(
    section="C1",
    scope=Scope(2, 1),
    wide=_WIDE,
    reach={
        "another api": lambda S, entry, other, before, after: entry.api != other.api,
        "another base URL": lambda S, entry, other, before, after: entry.base_url != other.base_url,
    },
)
def union_bundled_wins(S: Union, entry: Known, other: Other, before: Source, after: Source) -> bool:
    """When both sources have a model, api, baseUrl, data and each optional field that the bundled entry has come
    from the bundled entry (C1.2).
    """
    twin = replace(other, provider=entry.provider, id=entry.id)
    models = S.union((*_without(before, entry), entry), (*_without(after, entry), twin))
    has = [own is not None for own in _optional(entry)]
    return [
        (one.api, one.base_url, one.data, _chosen(one, has)) for one in _found(models, entry)
    ] == [(entry.api, entry.base_url, entry.data, _chosen(entry, has))]


@law(
    section="C1",
    scope=Scope(2, 1),
    wide=_WIDE,
    reach={
        "a gap": lambda S, entry, other, before, after: (
            entry.api == other.api and entry.levels is None and other.levels is not None
        ),
        "another api": lambda S, entry, other, before, after: (
            entry.api != other.api and entry.headers is None and other.headers is not None
        ),
    },
)
def union_fills_optional_same_api(
    S: Union, entry: Known, other: Other, before: Source, after: Source
) -> bool:
    """An optional field that the bundled entry lacks comes from the compiled entry exactly when both use the
    same api (C1.2).
    """
    twin = replace(other, provider=entry.provider, id=entry.id)
    again = replace(twin, levels=9, compat=9, featured=True, headers=9)  # the first entry counts
    models = S.union((entry, *_without(before, entry)), (twin, *_without(after, entry), again))
    gaps = [own is None for own in _optional(entry)]
    filler = twin if entry.api == twin.api else entry
    return [_chosen(one, gaps) for one in _found(models, entry)] == [_chosen(filler, gaps)]


@law(section="C1", scope=Scope(2, 1), wide=_WIDE)
def union_single_source_unchanged(
    S: Union, entry: Known, compiled: bool, beside: Source, other: tuple[Known, ...]
) -> bool:
    """A model that only one source has comes from it with no change (C1.3)."""
    own, rest = (entry, *beside), _without(other, entry)
    models = S.union(rest, own) if compiled else S.union(own, rest)
    return _found(models, entry) == [entry]


@law(
    section="C1",
    scope=Scope(2, 2),
    wide=_WIDE,
    reach={
        "a model of both after one of its own": lambda S, bundled, compiled: (
            len(compiled) == 2
            and _key(compiled[0]) not in _keys(bundled)
            and _key(compiled[1]) in _keys(bundled)
        )
    },
)
def union_order(S: Union, bundled: Source, compiled: Source) -> bool:
    """The order is the bundled entries in bundled order, then the compiled models the bundle lacks, in
    compiled order (C1.4).
    """
    order = list(dict.fromkeys((*_keys(bundled), *_keys(compiled))))
    return _keys(S.union(bundled, compiled)) == order


#: A bundle that cannot be used by a client with the APIs 1 and 2: none, a damaged one, one with another API.
Unusable = Annotated[
    Bundle,
    Among(
        (
            *Damage,
            (Entry(0, 0, 0, 5, 5, None, None, None, None),),
            (
                Entry(0, 0, 1, 5, 5, 1, None, None, None),
                Entry(0, 1, 7, 5, 5, None, None, None, None),
                Entry(1, 1, 6, 5, 5, None, None, None, None),
            ),
        )
    ),
]


@law(section="C1", scope=Scope(2, 2), wide=_WIDE)
def union_damaged_bundle_is_compiled(S: Union, bundle: Unusable, compiled: Source) -> bool:
    """With no bundle, or a damaged one, the catalog is the compiled catalog (C1.5)."""
    first = dict(zip(_keys(compiled[::-1]), compiled[::-1], strict=True))
    wanted = tuple(first[key] for key in dict.fromkeys(_keys(compiled)))
    return S.catalog(bundle, compiled, (1, 2)).models == wanted


@law(
    section="C1",
    scope=Scope(2, 1),
    wide=_WIDE,
    reach={
        "foreign": lambda S, bundled, compiled, foreign: foreign is not None and foreign.api > 1
    },
    ours=True,
)
def union_foreign_transport_is_damage(
    S: Union,
    bundled: Source,
    compiled: Source,
    foreign: Annotated[
        Entry | None,
        Among((None, *(Entry(2, 3, api, 0, 0, None, None, None, None) for api in (0, 2, 3)))),
    ],
) -> bool:
    """A bundle in which a model needs a wire API that the client does not have is damaged, and the first such
    model is named; any other bundle is used (C1, the bundled catalog).
    """
    bundle = bundled if foreign is None else (*bundled, foreign)
    bad = [Foreign(one.provider, one.id, one.api) for one in bundle if one.api not in (0, 1)]
    wanted = S.union(() if bad else bundle, compiled)
    return S.catalog(bundle, compiled, (0, 1)) == Catalog(wanted, bad[0] if bad else None)
