"""The scenarios of `config`: every writer over every state of a file, then random ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Final, TypeAlias

from eukhe_spec.config import (
    Broken,
    Change,
    Directory,
    Disk,
    Drop,
    DropIn,
    Entry,
    Flat,
    Flip,
    Given,
    Group,
    Item,
    Listed,
    Listing,
    Map,
    Mark,
    Missing,
    Object,
    Path,
    Place,
    Put,
    PutIn,
    Said,
    Server,
    Servers,
    Setting,
    Text,
    Value,
    Version,
)

__all__ = ["Limits", "Project", "Read", "Save", "Scenario", "Sessions", "Writing", "scenarios"]


@dataclass(frozen=True)
class Writing:
    """A writer changes a document."""

    stamped: bool
    disk: Disk
    change: Change


@dataclass(frozen=True)
class Read:
    """A settings document is read as a layer."""

    settings: tuple[Setting, ...]
    document: Object
    project: bool


@dataclass(frozen=True)
class Save:
    """A setter writes after another writer changed the file."""

    settings: tuple[Setting, ...]
    loaded: Disk
    disk: Disk
    path: Path
    given: Given
    project: bool
    above: tuple[Said, ...]


@dataclass(frozen=True)
class Limits:
    """The layers set the in-flight limits."""

    said: tuple[tuple[Place, Value], ...]


@dataclass(frozen=True)
class Project:
    """A project: where it is, what it holds, what the layers trust and which MCP servers they declare."""

    directory: Directory
    listings: tuple[Listing, ...]
    items: tuple[Item, ...]
    servers: tuple[Servers, ...]


@dataclass(frozen=True)
class Sessions:
    """What names the sessions directory."""

    flag: Text
    variable: Text
    legacy: Text
    setting: Text


Scenario: TypeAlias = Writing | Read | Save | Limits | Project | Sessions

_TABLE: Final = (
    Setting(Path(0, None), Flat.BOOL, False),
    Setting(Path(1, 0), Flat.NAT_OR_OFF, False),
    Setting(Path(1, 1), Flat.NAT, True),
    Setting(Path(2, None), Map.MAP, False),
)
_DOCUMENT: Final = Object(
    Version.ABSENT,
    ((3, Group(((0, Mark.TEXT),))), (1, Group(((1, 4), (0, Mark.OFF)))), (0, Mark.TRUE)),
)
_DISKS: Final[tuple[Disk, ...]] = (
    Missing.MISSING,
    *Broken,
    _DOCUMENT,
    *(Object(version, _DOCUMENT.members) for version in Version),
    Object(Version.ABSENT, ((1, 3),)),
)
_CHANGES: Final[tuple[Change, ...]] = (
    Put(0, 5),
    Put(2, Group(((0, 1),))),
    PutIn(1, 0, 9),
    PutIn(2, 1, Mark.NULL),
    Drop(0),
    Drop(2),
    DropIn(1, 1),
    DropIn(1, 2),
)
_LAYERS: Final = tuple(Place)


def _edges() -> Iterator[Scenario]:
    for stamped, disk, change in product((False, True), _DISKS, _CHANGES):
        yield Writing(stamped, disk, change)
    for disk, path in product(_DISKS, (Path(0, None), Path(1, 0))):
        given: Given = Flip.FLIP if path.sub is None else 7
        yield Save(_TABLE, Missing.MISSING, disk, path, given, False, ())
    yield Limits(())
    for value in (5, Mark.NULL, Mark.TEXT, Group(((0, Mark.FRACTION), (1, 0)))):
        yield Limits(((Place.GLOBAL, value),))
    yield Sessions(*[Text.EMPTY] * 4)


def _unique(rng: Random, keys: int, most: int) -> list[int]:
    return rng.sample(range(keys), rng.randrange(min(keys, most) + 1))


def _scalar(rng: Random) -> int | Mark:
    return rng.randrange(50) if rng.random() < 0.4 else rng.choice(tuple(Mark))


def _value(rng: Random) -> Value:
    if rng.random() < 0.35:
        whole = rng.random() < 0.5
        return Group(
            tuple((sub, rng.randrange(9) if whole else _scalar(rng)) for sub in _unique(rng, 4, 4))
        )
    return _scalar(rng)


def _object(rng: Random) -> Object:
    version = rng.choice((Version.ABSENT, Version.ABSENT, Version.KNOWN))
    return Object(version, tuple((key, _value(rng)) for key in _unique(rng, 7, 6)))


def _disk(rng: Random) -> Disk:
    if rng.random() < 0.15:
        return rng.choice((*_DISKS[:4], Object(Version.OTHER, ((0, 1),))))
    return _object(rng)


def _change(rng: Random) -> Change:
    key, sub = rng.randrange(6), rng.randrange(4)
    return rng.choice(
        (Put(key, _value(rng)), PutIn(key, sub, _scalar(rng)), Drop(key), DropIn(key, sub))
    )


def _settings(rng: Random) -> tuple[Setting, ...]:
    paths = [Path(0, None), Path(1, 0), Path(1, 1), Path(2, None), Path(4, 0), Path(5, None)]
    kinds: list[Flat | Map] = [*Flat, *Map]
    return tuple(
        Setting(path, rng.choice(kinds if path.sub is None else list(Flat)), rng.random() < 0.25)
        for path in rng.sample(paths, rng.randrange(2, 6))
    )


def _given(rng: Random, kind: Flat | Map) -> Given:
    if rng.random() < 0.2:
        return Flip.FLIP
    if rng.random() < 0.3:
        return _value(rng)
    good: dict[Flat | Map, tuple[Value, ...]] = {
        Flat.BOOL: (Mark.TRUE, Mark.FALSE),
        Flat.NAT: (0, 12),
        Flat.NAT_OR_OFF: (3, Mark.OFF, Mark.NONE),
        Flat.TEXT: (Mark.TEXT, Mark.OFF),
        Map.MAP: (Group(((0, 1),)), Group(())),
    }
    return rng.choice(good[kind])


def _save(rng: Random) -> Save:
    settings = _settings(rng)
    one = rng.choice(settings)
    path = one.path if rng.random() < 0.9 else Path(6, None)
    above = tuple(
        Said(rng.choice(settings).path, _given(rng, one.kind), rng.choice(_LAYERS))
        for _ in range(rng.randrange(6))
    )
    given = _given(rng, one.kind)
    return Save(settings, _disk(rng), _disk(rng), path, given, rng.random() < 0.4, above)


def _project(rng: Random) -> Project:
    def parts() -> tuple[int, ...]:
        return tuple(rng.randrange(2) for _ in range(rng.randrange(4)))

    listings = tuple(
        Listing(
            rng.choice(_LAYERS),
            tuple(Listed(rng.random() < 0.8, parts()) for _ in range(rng.randrange(4))),
        )
        for _ in range(rng.randrange(4))
    )
    servers = tuple(
        Servers(
            rng.choice(_LAYERS),
            tuple(
                Entry(name, Server(rng.choice((None, 1, 2)), rng.choice((None, 3))))
                for name in _unique(rng, 4, 3)
            ),
        )
        for _ in range(rng.randrange(4))
    )
    items = tuple(rng.choice(tuple(Item)) for _ in range(rng.randrange(6)))
    return Project(Directory(parts()), listings, items, servers)


def _drawn(rng: Random) -> Scenario:
    match rng.randrange(6):
        case 0:
            return Writing(rng.random() < 0.3, _disk(rng), _change(rng))
        case 1:
            return Read(_settings(rng), _object(rng), rng.random() < 0.5)
        case 2:
            return _save(rng)
        case 3:
            said = [(rng.choice(_LAYERS), _value(rng)) for _ in range(rng.randrange(4))]
            return Limits(tuple(said))
        case 4:
            return _project(rng)
        case _:
            return Sessions(*[rng.choice(tuple(Text)) for _ in range(4)])


def scenarios(rng: Random, count: int) -> Iterator[Scenario]:
    """Yield the edge cases, then random scenarios."""
    edges = tuple(_edges())
    for number in range(count):
        yield edges[number] if number < len(edges) else _drawn(rng)
