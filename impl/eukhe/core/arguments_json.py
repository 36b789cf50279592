"""JSON as `json` reads it, without NaN and infinities, and without nesting that could end a caller's stack."""

from __future__ import annotations

import json
from typing import NoReturn

from eukhe.core.arguments_text import MAX_DEPTH, without_lone_escapes

__all__ = ["escaped", "is_deep", "json_value", "strict"]


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _finite(token: str) -> float:
    value = float(token)
    # One comparison with constants: this is the only Python code that runs for a number.
    if -1.7976931348623157e308 <= value <= 1.7976931348623157e308:
        return value
    raise ValueError("a number is not finite")


_STRICT = json.JSONDecoder(parse_constant=_no_constant, parse_float=_finite)
_ESCAPED = json.JSONDecoder(parse_constant=_no_constant, parse_float=_finite, strict=False)


def strict(text: str) -> object:
    """Read a text as strict JSON; of a key that comes twice the last value counts.

    Raises:
        ValueError: it is none.
        RecursionError: it is nested deeper than Python reads.
    """
    if text.startswith("{"):
        # `decode` would first look for white space around, which arguments seldom have.
        value, end = _STRICT.raw_decode(text)
        if end == len(text) or not text[end:].strip(_SPACE):
            return value
    return _STRICT.decode(text)


def escaped(text: str) -> object:
    """Read a text as strict JSON whose strings may hold raw control characters and invalid escapes.

    Raises:
        ValueError: it is none.
        RecursionError: it is nested deeper than Python reads.
    """
    return _ESCAPED.decode(without_lone_escapes(text))


def json_value(text: str) -> object:
    """The value of a JSON text, if need be with mended escapes; None for any other text and for `null`."""
    try:
        try:
            value = strict(text)
        except ValueError:
            value = escaped(text)
    except (ValueError, RecursionError):
        return None
    return None if isinstance(value, (dict, list)) and is_deep(value, text) else value


_CONTAINERS = frozenset((dict, list))
_SPACE = " \t\n\r"
_SCAN_COST = 32
"""Looking at a value costs about as much as counting a bracket in so many characters."""


def is_deep(value: dict[str, object] | list[object], text: str) -> bool:
    """Whether more than `MAX_DEPTH` containers stand in one another, level by level.

    Depth costs nothing where there are few brackets: the walk ends as soon as fewer are left in the text than
    levels. Counting them is put off until there is more to look at than to count.
    """
    if len(text) <= 2 * MAX_DEPTH:  # a level takes two brackets
        return False
    level: list[dict[str, object] | list[object]] = [value]
    seen, brackets = 1, -1
    for depth in range(1, MAX_DEPTH + 1):
        if brackets < 0 and sum(map(len, level)) * _SCAN_COST > len(text):
            brackets = text.count("{") + text.count("[")
        if brackets >= 0 and depth + brackets - seen <= MAX_DEPTH:
            return False
        level = [
            child  # type: ignore[misc]  # a container by its type; `isinstance` takes twice as long
            for node in level
            for child in (node.values() if type(node) is dict else node)
            if type(child) in _CONTAINERS
        ]
        if not level:
            return False
        seen += len(level)
    return True
