"""The types of cvars (S4): which JSON values a type holds, and how a word of a cfg file becomes one.

A value is what `json.loads` gives. Nothing here raises: a value or a word of the wrong type is `BAD`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import Enum
from typing import Final

__all__ = ["BAD", "Bad", "Kind", "Type", "Word", "accept", "holds", "show", "wants"]


class Kind(Enum):
    """The kinds of types, by the names that users see."""

    BOOL = "Bool"
    NAT = "Nat"
    POS_NAT = "PosNat"
    NAT_OR_OFF = "NatOrOff"
    LIMIT = "Limit"
    TEXT = "Text"
    ENUM = "Enum"
    LIST = "List"
    MAP = "Map"
    UNIT = "Unit"


@dataclass(frozen=True, slots=True)
class Type:
    """The type of a cvar.

    Attributes:
        kind: The kind.
        choices: The words of an Enum.
        of: The kind of a List's items or of a Map's values.
        unset: Whether the default may be None: nothing is set. A Bool always has a value, so that it toggles.
    """

    kind: Kind
    choices: tuple[str, ...] = ()
    of: Kind = Kind.TEXT
    unset: bool = False


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a cfg file or of a command, before it is read as the type of its cvar."""

    text: str


class Bad(Enum):
    """The type of `BAD`."""

    BAD = "BadValue"


#: No value: what a wrong word or a value of another type is accepted as.
BAD: Final = Bad.BAD

_ITEMS: Final = Type(Kind.TEXT)
_BOOLS: Final = {"true": True, "false": False}
_WHOLE: Final = re.compile(r"[0-9]{1,15}")  # every JSON reader keeps a number of 15 digits exactly
_LONE: Final = re.compile("[\ud800-\udfff]")  # half a character: no file can hold it

_WANTS: Final = {
    Kind.BOOL: "true or false",
    Kind.NAT: "a whole number",
    Kind.POS_NAT: "a whole number from 1",
    Kind.NAT_OR_OFF: "a whole number, off or none",
    Kind.LIMIT: "a whole number from 1, or unlimited",
    Kind.TEXT: "a text",
    Kind.ENUM: "one of ",
    Kind.LIST: "a list",
    Kind.MAP: "an object",
    Kind.UNIT: "an object",
}


def _whole(value: object, least: int) -> bool:
    return type(value) is int and least <= value < 10**15


def _fits(kind: Kind, type: Type, value: object) -> bool:  # noqa: A002 -- the requirement's word
    match kind:
        case Kind.BOOL:
            return isinstance(value, bool)
        case Kind.NAT:
            return _whole(value, 0)
        case Kind.POS_NAT:
            return _whole(value, 1)
        case Kind.NAT_OR_OFF:
            return _whole(value, 0) or value in ("off", "none")
        case Kind.LIMIT:
            return _whole(value, 1) or value == "unlimited"
        case Kind.TEXT:
            return isinstance(value, str) and not _LONE.search(value)
        case Kind.ENUM:
            return value in type.choices
        case Kind.LIST:
            return isinstance(value, list) and all(_fits(type.of, _ITEMS, one) for one in value)
        case Kind.MAP:
            return isinstance(value, dict) and all(
                _fits(type.of, _ITEMS, one) for one in value.values()
            )
        case Kind.UNIT:
            return isinstance(value, dict)


def holds(type: Type, value: object) -> bool:  # noqa: A002 -- the requirement's word
    """Say whether a value has a type; None never has, it is only a default."""
    return _fits(type.kind, type, value)


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return BAD


def accept(type: Type, given: object) -> object:  # noqa: A002 -- the requirement's word
    """Return the value of a type that a JSON value or a `Word` gives, or `BAD`.

    Args:
        type: The type of the cvar.
        given: A JSON value, or a word: `true` and `false` for a Bool, digits for a number, JSON for a List, a Map
            and a Unit, else the text itself.
    """
    if isinstance(given, Word):
        match type.kind:
            case Kind.TEXT | Kind.ENUM:
                given = given.text
            case Kind.BOOL:
                given = _BOOLS.get(given.text)
            case Kind.LIST | Kind.MAP | Kind.UNIT:
                given = _json(given.text)
            case _:
                given = int(given.text) if _WHOLE.fullmatch(given.text) else given.text
    return given if holds(type, given) else BAD


def show(value: object) -> str:
    """Return the word that gives a value back, unquoted."""
    return value if isinstance(value, str) else json.dumps(value)


def wants(type: Type) -> str:  # noqa: A002 -- the requirement's word
    """Say which values a type holds, for a message."""
    return f"{_WANTS[type.kind]}{', '.join(type.choices)}"
