"""S4b.2 to S4b.4: leaves of a settings document, the setter, limits that fail closed; the plainest reading.

A Bool starts as false, and a map holds whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from eukhe_spec.config.documents import (
    Disk,
    Group,
    Mark,
    Object,
    Put,
    PutIn,
    Refused,
    Value,
    read,
    write,
)
from eukhe_spec.contracts import ensure

__all__ = [
    "Error",
    "Flat",
    "Flip",
    "Given",
    "Leaf",
    "Map",
    "Path",
    "Place",
    "Reading",
    "Rejected",
    "Said",
    "Saved",
    "Setting",
    "in_flight",
    "leaves",
    "malformed",
    "save",
]


@dataclass(frozen=True)
class Path:
    """Where a value is: a key, or a key in the object at a key."""

    key: int
    sub: int | None


class Flat(Enum):
    """A type whose values are no objects."""

    BOOL = "Bool"
    NAT = "Nat"
    NAT_OR_OFF = "NatOrOff"
    TEXT = "Text"


class Map(Enum):
    """The type of an object that is one value: its members are whole numbers."""

    MAP = "Map"


@dataclass(frozen=True)
class Setting:
    """A declared setting: its path, its type, and whether only the global config sets it."""

    path: Path
    kind: Flat | Map
    own: bool


class Error(Enum):
    """Why a value does not apply: the errors of a cvar."""

    UNDECLARED = "Undeclared"
    BAD_VALUE = "BadValue"
    GLOBAL = "Global"
    NOT_BOOL = "NotBool"


class Flip(Enum):
    """A toggle."""

    FLIP = "toggle"


Given: TypeAlias = int | Mark | Group | Flip


class Place(Enum):
    """Which layer says something."""

    GLOBAL = "global config"
    PROJECT = "project config"
    WITHHELD = "withheld project config"


@dataclass(frozen=True)
class Said:
    """A layer sets or toggles the setting at a path."""

    path: Path
    given: Given
    place: Place


@dataclass(frozen=True)
class Leaf:
    """A leaf of a document: its path and its value."""

    path: Path
    value: Value


@dataclass(frozen=True)
class Reading:
    """Which leaves apply, and which are named, with the error."""

    applied: tuple[Leaf, ...]
    named: tuple[tuple[Leaf, Error], ...]


def _declared(settings: tuple[Setting, ...], path: Path) -> Setting | None:
    return next((one for one in settings if one.path == path), None)


def _holds(kind: Flat | Map, value: Value) -> bool:
    match kind:
        case Flat.BOOL:
            return value in (Mark.TRUE, Mark.FALSE)
        case Flat.NAT:
            return isinstance(value, int)
        case Flat.NAT_OR_OFF:
            return isinstance(value, int) or value in (Mark.OFF, Mark.NONE)
        case Flat.TEXT:
            return value in (Mark.OFF, Mark.NONE, Mark.TEXT)
        case Map.MAP:
            return isinstance(value, Group) and all(isinstance(one, int) for _, one in value.inner)


def _error(settings: tuple[Setting, ...], path: Path, given: Given, project: bool) -> Error | None:
    """Return why a set of a path is not valid in the global layer, or in the project's."""
    setting = _declared(settings, path)
    if setting is None:
        return Error.UNDECLARED
    if setting.own and project:
        return Error.GLOBAL
    if isinstance(given, Flip):
        return None if setting.kind is Flat.BOOL else Error.NOT_BOOL
    return None if _holds(setting.kind, given) else Error.BAD_VALUE


def _leaves(settings: tuple[Setting, ...], document: Object) -> tuple[Leaf, ...]:
    """A leaf is a value that is not an object, or the whole value of a setting (S4b.3)."""
    found: tuple[Leaf, ...] = ()
    for key, value in document.members:
        whole = Path(key, None)
        if isinstance(value, Group) and _declared(settings, whole) is None:
            found += tuple([Leaf(Path(key, sub), one) for sub, one in value.inner])
        else:
            found += (Leaf(whole, value),)
    return found


@ensure(
    lambda result: not {leaf for leaf, _ in result.named} & set(result.applied),
    "no leaf both applies and is named (S4b.3)",
)
def leaves(settings: tuple[Setting, ...], document: Object, project: bool) -> Reading:
    """Say of each leaf of a settings document whether it applies, or which error names it (S4b.3).

    Args:
        settings: The declared settings.
        document: The document.
        project: Whether it is the project's, else it is the global one.
    """
    found = [
        (leaf, _error(settings, leaf.path, leaf.value, project))
        for leaf in _leaves(settings, document)
    ]
    return Reading(
        tuple([leaf for leaf, error in found if error is None]),
        tuple([(leaf, error) for leaf, error in found if error is not None]),
    )


@dataclass(frozen=True)
class Rejected:
    """The setter refuses the value."""

    error: Error


@dataclass(frozen=True)
class Saved:
    """The setter writes this document.

    Attributes:
        contents: The document.
        shadowed: Which of the higher layers' sets is the one that counts instead; None when this one does.
    """

    contents: Object
    shadowed: int | None


def _flipped(settings: tuple[Setting, ...], document: Object, path: Path, project: bool) -> Mark:
    """The opposite of what the document itself says of a Bool."""
    says = Leaf(path, Mark.TRUE) in leaves(settings, document, project).applied
    return Mark.FALSE if says else Mark.TRUE


def _shadow(settings: tuple[Setting, ...], path: Path, above: tuple[Said, ...]) -> int | None:
    """Return the highest valid set of the same setting, by its place among them."""
    found = [
        place
        for place, one in enumerate(above)
        if one.path == path
        and one.place is not Place.WITHHELD
        and _error(settings, path, one.given, one.place is Place.PROJECT) is None
    ]
    return found[-1] if found else None


def save(
    settings: tuple[Setting, ...],
    loaded: Disk,  # noqa: ARG001 -- the rule itself: the loaded copy plays no part
    disk: Disk,
    path: Path,
    given: Given,
    project: bool,
    above: tuple[Said, ...],
) -> Rejected | Refused | Saved:
    """Set a setting in the document that is on disk now (S4b.2).

    Args:
        settings: The declared settings.
        loaded: The copy that the setter loaded before.
        disk: What is on disk when it writes.
        path: The setting.
        given: The value, or a toggle of what the document says.
        project: Whether it is the project's document.
        above: What higher layers say, lowest first.
    """
    document = read(False, disk)
    if isinstance(document, Refused):
        return document
    error = _error(settings, path, given, project)
    if error is not None:
        return Rejected(error)
    value = given
    if isinstance(value, Flip):
        value = _flipped(settings, document, path, project)
    done = write(False, disk, _change(path, value))
    if isinstance(done, Refused):
        return done
    return Saved(done.contents, _shadow(settings, path, above))


def _change(path: Path, value: Value) -> Put | PutIn:
    match path.sub, value:
        case int() as sub, int() | Mark() as scalar:
            return PutIn(path.key, sub, scalar)
        case _:
            return Put(path.key, value)


def in_flight(said: tuple[tuple[Place, Value], ...], provider: int) -> int | None:
    """Return how many requests a provider may have in flight; None for no limit (S4b.4).

    Args:
        said: What the config sets `providerMaxInFlight` to, lowest layer first; it is a global setting.
        provider: The provider.
    """
    match _rules(said):
        case Group(inner):
            entries = [value for name, value in inner if name == provider]
            return _limit(entries[0]) if entries else None
        case _:
            return 1


def _limit(entry: int | Mark) -> int:
    """A whole number is the limit, anything else limits to 1: the closed side."""
    return entry if isinstance(entry, int) else 1


def _rules(said: tuple[tuple[Place, Value], ...]) -> Value:
    """Return the last global set, well formed or not; with none, no provider has a limit."""
    return ([Group(())] + [value for place, value in said if place is Place.GLOBAL])[-1]


def malformed(said: tuple[tuple[Place, Value], ...]) -> tuple[int, ...]:
    """Return the providers whose entry is no whole number, for the settings error (S4b.4)."""
    match _rules(said):
        case Group(inner):
            return tuple([name for name, value in inner if not isinstance(value, int)])
        case _:
            return ()
