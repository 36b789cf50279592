"""S4b.1: reading, changing and writing a config document; the plainest reading.

A key is a number, an object is a tuple of keys and values in the order of the file, and an object in an object
holds scalars only. The version stands apart from the other keys.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias, TypeVar, overload

from eukhe_spec.contracts import ensure

__all__ = [
    "Broken",
    "Change",
    "Disk",
    "Drop",
    "DropIn",
    "Group",
    "Mark",
    "Missing",
    "Object",
    "Outcome",
    "Put",
    "PutIn",
    "Reason",
    "Refused",
    "Scalar",
    "Unchanged",
    "Value",
    "Version",
    "Write",
    "read",
    "write",
]

V = TypeVar("V")


class Mark(Enum):
    """A scalar that is no whole number, and a list, of which nothing more is asked."""

    NULL = "null"
    TRUE = "true"
    FALSE = "false"
    NEGATIVE = "negative"
    FRACTION = "fraction"
    OFF = "off"
    NONE = "none"
    TEXT = "text"
    LIST = "list"


Scalar: TypeAlias = int | Mark


@dataclass(frozen=True)
class Group:
    """An object in a document, no key twice."""

    inner: tuple[tuple[int, Scalar], ...]


Value: TypeAlias = int | Mark | Group


class Version(Enum):
    """What a document says of its version: nothing, the known one, another number, a huge one, or no number."""

    ABSENT = "absent"
    KNOWN = "known"
    OTHER = "other"
    HUGE = "huge"
    ODD = "odd"


@dataclass(frozen=True)
class Object:
    """A document that is an object: its version and its members, no key twice."""

    version: Version
    members: tuple[tuple[int, Value], ...]


class Missing(Enum):
    """There is no file."""

    MISSING = "missing"


class Broken(Enum):
    """A file that cannot be read, is no JSON, or holds no object."""

    UNREADABLE = "unreadable"
    INVALID = "invalid"
    NOT_OBJECT = "not-object"


Disk: TypeAlias = Missing | Broken | Object


@dataclass(frozen=True)
class Put:
    """Set the value of a key."""

    key: int
    value: Value


@dataclass(frozen=True)
class PutIn:
    """Set a value in the object at a key."""

    key: int
    sub: int
    value: Scalar


@dataclass(frozen=True)
class Drop:
    """Remove a key."""

    key: int


@dataclass(frozen=True)
class DropIn:
    """Remove a key from the object at a key."""

    key: int
    sub: int


Change: TypeAlias = Put | PutIn | Drop | DropIn


class Reason(Enum):
    """Why nothing is written."""

    UNREADABLE = "unreadable"
    INVALID = "invalid"
    NOT_OBJECT = "not-object"
    VERSION = "version"
    BLOCKED = "blocked"


@dataclass(frozen=True)
class Write:
    """Write this document."""

    contents: Object


class Unchanged(Enum):
    """Nothing to write: what the change removes is not there."""

    UNCHANGED = "unchanged"


@dataclass(frozen=True)
class Refused:
    """Write nothing, return the error."""

    reason: Reason


Outcome: TypeAlias = Write | Unchanged | Refused


def read(stamped: bool, disk: Disk) -> Object | Refused:
    """Read a document as its writer does: only a file that is not there reads as empty (S4b.1).

    Args:
        stamped: Whether every document of this kind says its version.
        disk: What is on disk.
    """
    match disk:
        case Missing.MISSING:
            return Object(Version.KNOWN if stamped else Version.ABSENT, ())
        case Broken.UNREADABLE:
            return Refused(Reason.UNREADABLE)
        case Broken.INVALID:
            return Refused(Reason.INVALID)
        case Broken.NOT_OBJECT:
            return Refused(Reason.NOT_OBJECT)
        case Object(version=Version.KNOWN):
            return disk
        case Object(version=Version.ABSENT):
            return Refused(Reason.VERSION) if stamped else disk
        case Object():
            return Refused(Reason.VERSION)


def _find(members: tuple[tuple[int, V], ...], key: int) -> V | None:
    return next((value for name, value in members if name == key), None)


def _with(members: tuple[tuple[int, V], ...], key: int, value: V) -> tuple[tuple[int, V], ...]:
    """Set a key where it stands, or at the end."""
    if all(name != key for name, _ in members):
        return (*members, (key, value))
    return tuple([(name, value if name == key else old) for name, old in members])


def _without(members: tuple[tuple[int, V], ...], key: int) -> tuple[tuple[int, V], ...]:
    return tuple([(name, value) for name, value in members if name != key])


def _apply(members: tuple[tuple[int, Value], ...], change: Change) -> tuple[tuple[int, Value], ...]:
    """Change an object; a change in what is no object changes nothing here."""
    group = _find(members, change.key)
    match change, group:
        case Put(key, value), _:
            return _with(members, key, value)
        case PutIn(key, sub, scalar), None:
            return _with(members, key, Group(((sub, scalar),)))
        case PutIn(key, sub, scalar), Group(inner):
            return _with(members, key, Group(_with(inner, sub, scalar)))
        case Drop(key), _:
            return _without(members, key)
        case DropIn(key, sub), Group(inner):
            return _with(members, key, Group(_without(inner, sub)))
        case _:
            return members


def _blocked(document: Object, change: Change) -> bool:
    """Whether a value would have to be thrown away to make room for the object that holds the change."""
    group = _find(document.members, change.key)
    return isinstance(change, PutIn) and not (group is None or isinstance(group, Group))


@overload
def write(stamped: bool, disk: Disk, change: Put | PutIn) -> Write | Refused: ...
@overload
def write(stamped: bool, disk: Disk, change: Change) -> Outcome: ...
@ensure(
    lambda disk, result: not isinstance(disk, Broken) or isinstance(result, Refused),
    "a document that could not be read is never written (S4b.1)",
)
def write(stamped: bool, disk: Disk, change: Change) -> Outcome:
    """Read a document under its lock, apply a change, and say what to write (S4b.1).

    Args:
        stamped: Whether every document of this kind says its version.
        disk: What is on disk.
        change: The change.
    """
    document = read(stamped, disk)
    if isinstance(document, Refused):
        return document
    if _blocked(document, change):
        return Refused(Reason.BLOCKED)
    members = _apply(document.members, change)
    if isinstance(change, Drop | DropIn) and members == document.members:
        return Unchanged.UNCHANGED
    return Write(Object(document.version, members))
