"""The final parse of tool-call arguments (S6 argument repair, 1 and 2).

Strict JSON first; then strict JSON again with the escapes in strings put right; then the relaxed dialect. Each
reads the whole text: what was cut is never completed. `arguments_preview` shows a text that still comes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from eukhe.core.arguments_json import escaped, is_deep, strict
from eukhe.core.arguments_text import MAX_DEPTH

__all__ = [
    "SHOWN_CHARACTERS",
    "Parsed",
    "Reading",
    "Unparsed",
    "first_characters",
    "parse",
    "parse_object",
    "sent_text",
]

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
            value, reading = strict(text), Reading.STRICT
        except ValueError:
            value, reading = escaped(text), Reading.ESCAPED
    except RecursionError:
        return _unparsed(f"more than {MAX_DEPTH} objects and lists are nested", text)
    except ValueError:
        return _relaxed(text)
    if not isinstance(value, dict):
        return _unparsed(f"the arguments are JSON, but {_kind(value)}, not an object", text)
    if is_deep(value, text):
        return _unparsed(f"more than {MAX_DEPTH} objects and lists are nested", text)
    return Parsed(value, reading)


def parse_object(text: str) -> dict[str, object] | None:
    """Read a whole text as one object, or None: the parse for whoever needs no reason."""
    outcome = parse(text)
    return outcome.value if isinstance(outcome, Parsed) else None


def sent_text(text: str) -> str:
    """Argument text as it goes back to a server in the history: always a JSON object.

    Strict JSON goes back byte for byte, what was repaired as the object that it was read as, and what could not be
    read as `{"__parseError": ..., "__rawJson": ...}` (rule 2).
    """
    outcome = parse(text)
    match outcome:
        case Parsed(reading=Reading.STRICT) if text and not text.isspace():
            return text
        case Parsed(value=value):
            return json.dumps(value, ensure_ascii=False)
        case Unparsed(arguments=arguments):
            return json.dumps(arguments, ensure_ascii=False)


def first_characters(text: str, limit: int = SHOWN_CHARACTERS) -> str:
    """The first `limit` characters, one less where the cut would fall into a surrogate pair."""
    cut = text[:limit]
    pair = "\ud800" <= cut[-1:] <= "\udbff" and "\udc00" <= text[limit : limit + 1] <= "\udfff"
    return cut[:-1] if pair else cut


def _relaxed(text: str) -> Outcome:
    from eukhe.core.arguments_relaxed import read_relaxed  # most texts never pay for the import

    value = read_relaxed(text)
    if isinstance(value, dict):
        return Parsed(value, Reading.RELAXED)
    return _unparsed(str(value), text)


def _unparsed(error: str, text: str) -> Unparsed:
    return Unparsed(error, first_characters(text))


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
