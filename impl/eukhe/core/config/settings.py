"""The leaves of a settings document, its setter, and the in-flight limits (S4b.2 to S4b.4).

Whether a leaf applies is decided where every layer is put on the others (`eukhe.core.cvar.over`): here a document
becomes the entries of its layer, each leaf one entry, so that none can be lost on the way.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from eukhe.core.config.documents import SETTINGS, Disk, Document, Put, Refused, read, write
from eukhe.core.cvar import (
    Cvar,
    CvarError,
    Entry,
    Kind,
    Place,
    Registry,
    Type,
    accept,
    base,
    judge,
    over,
)

__all__ = [
    "IN_FLIGHT",
    "InFlight",
    "Persisted",
    "Saved",
    "Shadowed",
    "in_flight",
    "leaves",
    "save",
]

#: The id of the in-flight limits.
IN_FLIGHT: Final = "providerMaxInFlight"

_OBJECT: Final = Type(Kind.UNIT)


def _tree(registry: Registry) -> dict[str, object]:
    """Return the declarations as a tree of the words of their ids; of `a` and `a.b` the shorter owns the value."""
    tree: dict[str, object] = {}
    for cvar in registry.values():
        node = tree
        *within, last = cvar.id.split(".")
        for word in within:
            inner = node.setdefault(word, {})
            if not isinstance(inner, dict):
                break
            node = inner
        else:
            node[last] = cvar
    return tree


def _name(path: Iterable[str]) -> str:
    """Return the id of a path; a key that holds a dot is quoted, because it is no two keys."""
    return ".".join(json.dumps(key) if "." in key else key for key in path)


def leaves(registry: Registry, document: Document, place: Place, origin: str) -> tuple[Entry, ...]:
    """Return the leaves of a settings document as the entries of a layer, in the order of the file (S4b.3).

    A leaf is a value that is not an object, or the whole value of a cvar; the version is the document's own. Put
    on the layers below, each leaf applies or is refused by name.

    Args:
        registry: The declarations.
        document: The document.
        place: The layer that it makes.
        origin: The file, for messages.
    """
    found: list[Entry] = []
    settings = {key: value for key, value in document.items() if key != "version"}
    waiting: list[tuple[tuple[str, ...], object, object]] = [((), _tree(registry), settings)]
    while waiting:
        path, node, value = waiting.pop()
        if isinstance(node, Cvar) or not isinstance(value, dict):
            found.append(Entry(_name(path), value, place, origin))
            continue
        inside = node if isinstance(node, dict) else {}
        waiting += [
            ((*path, key), inside.get(key), inner) for key, inner in reversed(value.items())
        ]
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Saved:
    """The setter writes these contents, and the setting has the new value."""

    contents: Document


@dataclass(frozen=True, slots=True)
class Shadowed:
    """The setter writes these contents, but a higher layer sets the same setting.

    Attributes:
        contents: What to write.
        by: The set that counts instead; its origin is the file.
    """

    contents: Document
    by: Entry


Persisted: TypeAlias = Saved | Shadowed


def save(
    registry: Registry, disk: Disk, entry: Entry, above: Sequence[Entry]
) -> Persisted | Refused | CvarError:
    """Set a setting in the settings document that is on disk now (S4b.2).

    No copy that was loaded before comes in, so none can go out.

    Args:
        registry: The declarations.
        disk: What the shell found, under the lock of the file.
        entry: The set: the id, a JSON value, a `Word` or `FLIP`, and the layer that the document makes. A toggle
            flips what the document itself says.
        above: The entries of the layers above the document, lowest first.
    """
    document = read(SETTINGS, disk)
    if isinstance(document, Refused):
        return document
    own = over(base(registry), leaves(registry, document, entry.place, entry.origin))
    value = judge(registry, own.values, entry)
    if isinstance(value, CvarError):
        return value
    *within, key = entry.id.split(".")
    done = write(SETTINGS, disk, Put(tuple(within), key, value))
    if isinstance(done, Refused):
        return done
    for higher in reversed(above):
        if higher.id == entry.id and higher.place is not Place.WITHHELD:
            ruled = judge(registry, {entry.id: value}, higher)
            if not isinstance(ruled, CvarError):
                return Shadowed(done.contents, higher)
    return Saved(done.contents)


@dataclass(frozen=True, slots=True)
class InFlight:
    """How many requests each provider may have in flight.

    Attributes:
        each: The limit of providers that are not named; None for no limit.
        named: The limits by provider.
        malformed: The providers whose entry is no whole number, so that the limit is 1.
    """

    each: int | None
    named: Mapping[str, int]
    malformed: tuple[str, ...]

    def of(self, provider: str) -> int | None:
        """Return the limit of a provider; None for no limit."""
        return self.named.get(provider, self.each)


def in_flight(entries: Iterable[Entry]) -> InFlight:
    """Return the in-flight limits, which fail closed (S4b.4).

    Args:
        entries: Every entry of the config, lowest layer first, also those that do not apply: of the global ones
            the last one that sets the limits rules, well formed or not.
    """
    said: object = {}
    for entry in entries:
        if entry.id == IN_FLIGHT and entry.place is Place.GLOBAL:
            said = entry.given
    said = accept(_OBJECT, said)
    if not isinstance(said, dict):
        return InFlight(1, {}, ())
    whole = {name: type(value) is int and value >= 0 for name, value in said.items()}
    named = {name: value if whole[name] else 1 for name, value in said.items()}
    return InFlight(None, named, tuple(name for name in named if not whole[name]))
