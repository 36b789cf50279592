"""The final parse of tool-call arguments (S6 argument repair, 1 and 2).

Strict JSON first; then strict JSON again with the escapes in strings put right; then the relaxed dialect. Each
reads the whole text: what was cut is never completed. `arguments_preview` shows a text that still comes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from typing import NoReturn, TypeAlias

from eukhe.core.arguments_relaxed import read_relaxed
from eukhe.core.arguments_text import MAX_DEPTH, without_lone_escapes

__all__ = ["SHOWN_CHARACTERS", "Parsed", "Reading", "Unparsed", "first_characters", "parse"]

SHOWN_CHARACTERS = 512
"""How much of a text that is no JSON object the model gets to see again (rule 2)."""


class Reading(Enum):
    """How a text was read.

    Attributes:
        STRICT: as JSON; an empty text counts as `{}`.
        ESCAPED: as JSON, after the escapes in its strings were put right.
        RELAXED: as the relaxed dialect.
    """

    STRICT = "strict"
    ESCAPED = "escaped"
    RELAXED = "relaxed"


@dataclass(frozen=True, slots=True)
class Parsed:
    """The text is an object.

    Attributes:
        value: the object.
        reading: how the text was read; anything but `STRICT` is a repair.
    """

    value: dict[str, object]
    reading: Reading


@dataclass(frozen=True, slots=True)
class Unparsed:
    """The text is no object; no key of it stays.

    Attributes:
        error: why no parse reads it.
        raw: its first 512 characters.
    """

    error: str
    raw: str

    @property
    def arguments(self) -> dict[str, object]:
        """What stands in the place of the arguments."""
        return {"__parseError": self.error, "__rawJson": self.raw}


Outcome: TypeAlias = Parsed | Unparsed


def parse(text: str) -> Outcome:
    """Read a whole text as one object.

    Args:
        text: what the model wrote; white space alone means no arguments, `{}`.

    Returns:
        The object, or why there is none. Nothing raises, and the time is linear in the text.
    """
    if not text or text.isspace():
        return Parsed({}, Reading.STRICT)
    try:
        try:
            value, reading = _STRICT.decode(text), Reading.STRICT
        except ValueError:
            value, reading = _ESCAPED.decode(without_lone_escapes(text)), Reading.ESCAPED
    except RecursionError:
        return _unparsed(f"more than {MAX_DEPTH} objects and lists are nested", text)
    except ValueError:
        return _relaxed(text)
    if not isinstance(value, dict):
        return _unparsed(f"the arguments are JSON, but {_kind(value)}, not an object", text)
    if len(text) > 2 * MAX_DEPTH and _is_deep(value, text):
        return _unparsed(f"more than {MAX_DEPTH} objects and lists are nested", text)
    return Parsed(value, reading)


def first_characters(text: str, limit: int = SHOWN_CHARACTERS) -> str:
    """The first `limit` characters, one less where the cut would fall into a surrogate pair."""
    cut = text[:limit]
    pair = "\ud800" <= cut[-1:] <= "\udbff" and "\udc00" <= text[limit : limit + 1] <= "\udfff"
    return cut[:-1] if pair else cut


def _relaxed(text: str) -> Outcome:
    value = read_relaxed(text)
    if isinstance(value, dict):
        return Parsed(value, Reading.RELAXED)
    return _unparsed(str(value), text)


def _unparsed(error: str, text: str) -> Unparsed:
    return Unparsed(error, first_characters(text))


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _finite(token: str) -> float:
    value = float(token)
    if value - value:  # infinity less itself is NaN, which is true
        raise ValueError("a number is not finite")
    return value


_STRICT = json.JSONDecoder(parse_constant=_no_constant, parse_float=_finite)
_ESCAPED = json.JSONDecoder(parse_constant=_no_constant, parse_float=_finite, strict=False)

_SCAN_COST = 32
"""Looking at a value costs about as much as counting a bracket in so many characters."""


def _is_deep(value: dict[str, object], text: str) -> bool:
    """Whether more than `MAX_DEPTH` containers stand in one another, level by level.

    Depth costs nothing where there are few brackets: the walk ends as soon as fewer are left in the text than
    levels. Counting them is put off until there is more to look at than to count.
    """
    level: list[dict[str, object] | list[object]] = [value]
    seen, brackets = 1, -1
    for depth in range(1, MAX_DEPTH + 1):
        if brackets < 0 and sum(map(len, level)) * _SCAN_COST > len(text):
            brackets = text.count("{") + text.count("[")
        if brackets >= 0 and depth + brackets - seen <= MAX_DEPTH:
            return False
        level = [
            child
            for node in level
            for child in (node.values() if isinstance(node, dict) else node)
            if isinstance(child, dict) or isinstance(child, list)  # noqa: SIM101 - a tuple is slower
        ]
        if not level:
            return False
        seen += len(level)
    return True


def _kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case str():
            return "a string"
        case list():
            return "an array"
        case _:
            return "a number"
