"""The read-modify-write decision about config documents (S4b.1).

The shell takes the lock, reads the file and parses it; `write` says what to write, or why nothing is written; the
shell writes it whole and lets the lock go. Nothing that was read is changed: only the objects on the way to the
change are copied.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias, overload

__all__ = [
    "AUTH",
    "CONNECTIONS",
    "SETTINGS",
    "Change",
    "Disk",
    "Document",
    "Drop",
    "Fault",
    "Format",
    "Invalid",
    "Missing",
    "Outcome",
    "Parsed",
    "Put",
    "Refused",
    "Unchanged",
    "Unreadable",
    "Write",
    "read",
    "write",
]

#: A document: keys and JSON values, in the order of the file.
Document: TypeAlias = dict[str, object]


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of document.

    Attributes:
        name: The name of its file.
        stamped: Whether every such document says its version; the others may.
        version: The version that this eukhe knows.
    """

    name: str
    stamped: bool = False
    version: int = 1


SETTINGS: Final = Format("settings.json")
AUTH: Final = Format("auth.json")
CONNECTIONS: Final = Format("mcp-connections.json", stamped=True)


@dataclass(frozen=True, slots=True)
class Missing:
    """There is no file."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """The file cannot be read, and why."""

    why: str


@dataclass(frozen=True, slots=True)
class Invalid:
    """The file is no valid JSON, and why, with its line and column."""

    why: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """The JSON value that the file holds."""

    value: object


Disk: TypeAlias = Missing | Unreadable | Invalid | Parsed


@dataclass(frozen=True, slots=True)
class Put:
    """Set a key.

    Attributes:
        within: The keys of the objects on the way to it; those that are not there are made.
        key: The key.
        value: A JSON value.
    """

    within: tuple[str, ...]
    key: str
    value: object


@dataclass(frozen=True, slots=True)
class Drop:
    """Remove a key.

    Attributes:
        within: The keys of the objects on the way to it; they stay, also when they get empty.
        key: The key.
    """

    within: tuple[str, ...]
    key: str


Change: TypeAlias = Put | Drop


class Fault(Enum):
    """Why nothing is written."""

    UNREADABLE = "cannot be read"
    INVALID = "is not valid JSON"
    NOT_OBJECT = "does not hold a JSON object"
    VERSION = "has a version that this eukhe does not know"
    BLOCKED = "holds a value where the change needs an object"


@dataclass(frozen=True, slots=True)
class Refused:
    """The document stays as it is.

    Attributes:
        fault: The rule.
        why: What the reader said, the version that was found, or the path of the change.
    """

    fault: Fault
    why: str

    def message(self, file: str) -> str:
        """Return the error in a sentence; `file` is the path that the user knows."""
        return f"{file} {self.fault.value} ({self.why}): nothing was written, repair the file first"


@dataclass(frozen=True, slots=True)
class Write:
    """Write these contents."""

    contents: Document


@dataclass(frozen=True, slots=True)
class Unchanged:
    """Write nothing: what the change removes is not there."""


Outcome: TypeAlias = Write | Unchanged | Refused


def read(format: Format, disk: Disk) -> Document | Refused:  # noqa: A002 -- the requirement's word
    """Return the document, or why it is none; only a file that is not there reads as empty (S4b.1).

    Args:
        format: The kind of document.
        disk: What the shell found.
    """
    match disk:
        case Missing():
            return {"version": format.version} if format.stamped else {}
        case Unreadable(why):
            return Refused(Fault.UNREADABLE, why)
        case Invalid(why):
            return Refused(Fault.INVALID, why)
        case Parsed(dict() as document):
            version = document.get("version", None if format.stamped else format.version)
            if type(version) is int and version == format.version:
                return document
            return Refused(Fault.VERSION, _said(version))
        case Parsed(value):
            return Refused(Fault.NOT_OBJECT, type(value).__name__)


def _said(version: object) -> str:
    """Show a version that is not known: a number of sane length, else what it is instead."""
    if type(version) is int and version.bit_length() < 64:
        return f"version {version}"
    return "no version" if version is None else type(version).__name__


@overload
def write(format: Format, disk: Disk, change: Put) -> Write | Refused: ...
@overload
def write(format: Format, disk: Disk, change: Change) -> Outcome: ...
def write(format: Format, disk: Disk, change: Change) -> Outcome:  # noqa: A002 -- the requirement's word
    """Apply a change to what is on disk (S4b.1).

    Args:
        format: The kind of document.
        disk: What the shell found, under the lock of the file.
        change: The change.

    Returns:
        What to write, in the order of the file, a new key at the end; or that there is nothing to write; or why
        the document must stay as it is.
    """
    document = read(format, disk)
    if isinstance(document, Refused):
        return document
    contents = place = dict(document)
    puts = isinstance(change, Put)
    for name in change.within:
        inner = place.get(name, {})
        if not isinstance(inner, dict):
            path = ".".join((*change.within, change.key))
            return Refused(Fault.BLOCKED, path) if puts else Unchanged()
        place[name] = place = dict(inner)
    if isinstance(change, Put):
        place[change.key] = change.value
    elif place.pop(change.key, _ABSENT) is _ABSENT:
        return Unchanged()
    return Write(contents)


#: What is not in a document, whatever the document holds.
_ABSENT: Final = object()
