"""What the laws of `config` are stated over: ingredients of documents, and the rules restated by dicts.

Nothing here comes from the model's helpers: a law that shared them would move with their mistakes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypeAlias

from eukhe_laws.engine.domain import Among, Range
from eukhe_spec.config import (
    Broken,
    Change,
    Drop,
    DropIn,
    Error,
    Flat,
    Flip,
    Given,
    Group,
    Map,
    Mark,
    Missing,
    Object,
    Path,
    Place,
    Put,
    PutIn,
    Setting,
    Value,
    Version,
)

__all__ = [
    "AnyDoc",
    "Bit",
    "Doc",
    "Drops",
    "Few",
    "Foreign",
    "Sets",
    "SetsIn",
    "Table",
    "blocked",
    "changed",
    "document",
    "error_of",
    "group",
    "known",
    "leaves_of",
    "others",
    "target",
]

#: A key of a document; both are settings, or the way to one.
Key: TypeAlias = Annotated[int, Range(0, 1)]
#: Any key: one that is declared, the way to a setting, one that is not declared, and one that reads like a path.
AnyKey: TypeAlias = Annotated[int, Range(0, 3)]
Sub: TypeAlias = Annotated[int, Range(0, 1)]
#: A few scalars: what they are plays no part in a write, only that they stay.
Few: TypeAlias = int | Annotated[Mark, Among((Mark.TRUE,))]


@dataclass(frozen=True)
class Inner:
    """A member of an object in a document."""

    sub: Sub
    value: int


@dataclass(frozen=True)
class Top:
    """A member of a document."""

    key: Key
    value: Few | tuple[Inner, ...]


@dataclass(frozen=True)
class Doc:
    """What a document is made from; of members with one key the first stays."""

    known: bool
    members: tuple[Top, ...]


@dataclass(frozen=True)
class Bit:
    """A member of an object, of any kind."""

    sub: Sub
    value: int | Mark


@dataclass(frozen=True)
class AnyTop:
    """A member of a document, at any key and of any kind."""

    key: AnyKey
    value: int | Mark | tuple[Bit, ...]


@dataclass(frozen=True)
class AnyDoc:
    """What a settings document is made from; of members with one key the first stays."""

    known: bool
    members: tuple[AnyTop, ...]


def group(inner: tuple[Inner | Bit, ...]) -> Group:
    """Make an object of members; of those with one key the first stays."""
    return Group(tuple(({one.sub: one.value for one in reversed(inner)}).items())[::-1])


def _value(value: int | Mark | tuple[Inner | Bit, ...]) -> Value:
    return group(value) if isinstance(value, tuple) else value


def document(doc: Doc | AnyDoc) -> Object:
    """Make a document of its ingredients."""
    listed: tuple[Top | AnyTop, ...] = doc.members
    members = {one.key: _value(one.value) for one in reversed(listed)}
    return Object(Version.KNOWN if doc.known else Version.ABSENT, tuple(members.items())[::-1])


@dataclass(frozen=True)
class Foreign:
    """A document of another version, or with a version that is no number."""

    version: Annotated[Version, Among((Version.OTHER, Version.HUGE, Version.ODD))]
    members: tuple[Top, ...]


def known(disk: Missing | Doc | Foreign | Broken) -> Missing | Broken | Object:
    """Make what is on disk of its ingredients."""
    match disk:
        case Doc():
            return document(disk)
        case Foreign(version, members):
            return Object(version, document(Doc(True, members)).members)
        case _:
            return disk


@dataclass(frozen=True)
class Sets:
    """Set a key."""

    key: Key
    value: Few | tuple[Inner, ...]

    def change(self) -> Put:
        """Return the change."""
        return Put(self.key, _value(self.value))


@dataclass(frozen=True)
class SetsIn:
    """Set a key in an object."""

    key: Key
    sub: Sub
    value: Few

    def change(self) -> PutIn:
        """Return the change."""
        return PutIn(self.key, self.sub, self.value)


@dataclass(frozen=True)
class Drops:
    """Remove a key, or a key in an object."""

    key: Key
    sub: Sub | None

    def change(self) -> Drop | DropIn:
        """Return the change."""
        return Drop(self.key) if self.sub is None else DropIn(self.key, self.sub)


def target(change: Change) -> Path:
    """Return what a change changes."""
    match change:
        case PutIn(key, sub, _) | DropIn(key, sub):
            return Path(key, sub)
        case Put(key) | Drop(key):
            return Path(key, None)


Tree: TypeAlias = dict[int, "int | Mark | dict[int, int | Mark]"]


def _tree(document: Object) -> Tree:
    return {
        key: dict(value.inner) if isinstance(value, Group) else value
        for key, value in document.members
    }


def _back(version: Version, tree: Tree) -> Object:
    return Object(
        version,
        tuple(
            (key, Group(tuple(value.items())) if isinstance(value, dict) else value)
            for key, value in tree.items()
        ),
    )


def blocked(document: Object, change: Change) -> bool:
    """Whether a change is in a value that is no object."""
    found = dict(document.members).get(change.key)
    return isinstance(change, PutIn) and isinstance(found, int | Mark)


def changed(document: Object, change: Change) -> Object:
    """Restate a change by dicts, which keep their order; one that finds nothing gives the document."""
    tree = _tree(document)
    match change:
        case Put(key, value):
            tree[key] = dict(value.inner) if isinstance(value, Group) else value
        case PutIn(key, sub, one):
            inner = tree.setdefault(key, {})
            if isinstance(inner, dict):
                inner[sub] = one
        case Drop(key):
            tree.pop(key, None)
        case DropIn(key, sub):
            found = tree.get(key)
            if isinstance(found, dict):
                found.pop(sub, None)
    return _back(document.version, tree)


def others(document: Object, path: Path) -> list[tuple[object, ...]]:
    """List everything in a document but what is at a path, in order."""
    found: list[tuple[object, ...]] = [(document.version,)]
    for key, value in document.members:
        if isinstance(value, Group):
            found += [(key, sub, one) for sub, one in value.inner if path != Path(key, sub)]
        elif key != path.key:
            found.append((key, value))
    return [one for one in found if path.sub is not None or one[0] != path.key or len(one) == 1]


@dataclass(frozen=True)
class Table:
    """The declared settings: one at key 0, one in the object at key 1; nothing else is declared.

    Attributes:
        top: The type of the first.
        own: Whether it is global.
        sub: The type of the second.
        sub_own: Whether it is global.
    """

    top: Flat | Map
    own: bool
    sub: Flat
    sub_own: bool

    def settings(self) -> tuple[Setting, ...]:
        """Return the declarations."""
        return (
            Setting(Path(0, None), self.top, self.own),
            Setting(Path(1, 0), self.sub, self.sub_own),
        )


_NO_NUMBER = {
    Flat.BOOL: (Mark.TRUE, Mark.FALSE),
    Flat.NAT: (),
    Flat.NAT_OR_OFF: (Mark.OFF, Mark.NONE),
    Flat.TEXT: (Mark.OFF, Mark.NONE, Mark.TEXT),
}


def _held(kind: Flat | Map, value: Value) -> bool:
    """Restate which values a type holds, by listing them."""
    if isinstance(value, Group):
        return kind is Map.MAP and {type(one) for _, one in value.inner} <= {int}
    if isinstance(value, int):
        return kind in (Flat.NAT, Flat.NAT_OR_OFF)
    return isinstance(kind, Flat) and value in _NO_NUMBER[kind]


def error_of(table: Table, path: Path, given: Given, place: Place) -> Error | None:
    """Restate why a set does not apply (S4b.3, S4.2)."""
    declared = {Path(0, None): (table.top, table.own), Path(1, 0): (table.sub, table.sub_own)}
    if path not in declared:
        return Error.UNDECLARED
    kind, own = declared[path]
    if own and place is not Place.GLOBAL:
        return Error.GLOBAL
    if given is Flip.FLIP:
        return None if kind is Flat.BOOL else Error.NOT_BOOL
    return None if _held(kind, given) else Error.BAD_VALUE


def leaves_of(document: Object) -> list[tuple[Path, Value]]:
    """Restate what the leaves are: key 0 is a setting, so its value is one whole; other objects are opened."""
    found: list[tuple[Path, Value]] = []
    for key, value in document.members:
        match value:
            case Group(inner) if key > 0:
                found += [(Path(key, sub), one) for sub, one in inner]
            case _:
                found.append((Path(key, None), value))
    return found
