"""Values of leaked tool calls (S6.10): JSON, values that are typed by the tool's schema, and tool names."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NoReturn, TypeAlias

__all__ = [
    "Offered",
    "Parse",
    "Reading",
    "json_text",
    "offered_name",
    "read_value",
    "strict_object",
]

#: The tools that the request offered: the name of each, and the JSON schema of its parameters.
Offered: TypeAlias = Mapping[str, Mapping[str, object]]

#: Reads the text of an object; what is no `Mapping` says that the text is none. It raises nothing.
Parse: TypeAlias = Callable[[str], object]


class Reading(Enum):
    """How the raw text of a parameter becomes a value.

    Attributes:
        TEXT: The value is the text.
        JSON: The value is JSON; a text that is none stays a text.
        TYPED: By the declared type; a parameter that declares none is a text (Qwen3-Coder).
        GUESSED: By the declared type; a parameter that declares none is read as JSON (DSML).
    """

    TEXT = "text"
    JSON = "json"
    TYPED = "typed"
    GUESSED = "guessed"


@dataclass(frozen=True, slots=True)
class _Json:
    """A value that was read from JSON, to tell null from a text that is no JSON."""

    value: object


#: Words that models write in any case: Python's spellings are common.
_WORDS = {"true": _Json(True), "false": _Json(False), "null": _Json(None)}


def strict_object(text: str) -> object:
    """Read strict JSON, without NaN, infinities and numbers that are too large.

    Returns:
        The value; `None` for a text that is no JSON.
    """
    found = _decode(text)
    return found.value if found is not None else None


def json_text(value: object) -> str | None:
    """Write arguments as JSON; `None` for values that JSON cannot say."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return None


def read_value(raw: str, reading: Reading, rule: object) -> object:
    """Read the raw text of a parameter (S6.10).

    Args:
        raw: The text between the tags.
        reading: How its family writes values.
        rule: The parameter's schema, or anything else when the tool declares none.

    Returns:
        The value; the raw text where it is none of the declared types, so that validation reports it.
    """
    kinds = _kinds(rule)
    if reading is Reading.TEXT or (reading is Reading.TYPED and not kinds):
        return raw
    if reading is Reading.JSON or not kinds:
        found = _decode(raw)
        return raw if found is None else found.value
    found = _WORDS.get(raw.strip().lower()) or _decode(raw)
    if found is None:
        return raw
    if found.value is None:
        return raw if "string" in kinds and "null" not in kinds else None
    return found.value if any(_fits(found.value, kind) for kind in kinds) else raw


def offered_name(written: str, offered: Offered, *, dotted: bool) -> str:
    """Find the offered tool that a leaked call names.

    Args:
        written: The name as the markup has it.
        offered: The offered tools.
        dotted: Whether any prefix up to a dot may stand before the name (Kimi), or `functions.` alone.

    Returns:
        The name, the longest one when several fit; empty when the tool is not offered.
    """
    if written in offered:
        return written
    if dotted:
        return max((name for name in offered if written.endswith(f".{name}")), key=len, default="")
    plain = written.removeprefix("functions.")
    return plain if plain in offered else ""


def _decode(text: str) -> _Json | None:
    try:
        return _Json(json.loads(text, parse_constant=_refuse, parse_float=_finite))
    except (ValueError, RecursionError):
        return None


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError("the number is too large")
    return value


def _kinds(rule: object) -> frozenset[str]:
    """Return the types that a parameter declares, by `type` or by the branches of a union."""
    if not isinstance(rule, Mapping):
        return frozenset()
    found: set[str] = set()
    for one in (rule, *_listed(rule.get("anyOf")), *_listed(rule.get("oneOf"))):
        named = one.get("type") if isinstance(one, Mapping) else None
        found.update(kind for kind in (named, *_listed(named)) if isinstance(kind, str))
    return frozenset(found)


def _listed(value: object) -> tuple[object, ...]:
    return tuple(value) if isinstance(value, list | tuple) else ()


def _fits(value: object, kind: str) -> bool:
    """Whether a value that is not null is of a declared type; a JSON string is no declared string's text."""
    match kind:
        case "integer":
            return type(value) is int or (isinstance(value, float) and value.is_integer())
        case "number":
            return type(value) in (int, float)
        case "boolean":
            return isinstance(value, bool)
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, dict)
    return False
