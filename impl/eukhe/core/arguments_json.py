"""JSON as `json` reads it, without NaN and infinities, and without nesting that could end a caller's stack."""

from __future__ import annotations

import json
import re
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
_FINITE = json.JSONDecoder(parse_constant=_no_constant)
"""Reads floats in C, infinite ones too: for texts that hold none."""

_ESCAPED = json.JSONDecoder(parse_constant=_no_constant, parse_float=_finite, strict=False)


def strict(text: str) -> object:
    """Read a text as strict JSON; of a key that comes twice the last value counts.

    Raises:
        ValueError: it is none.
        RecursionError: it is nested deeper than Python reads.
    """
    decoder = _FINITE if _has_many_floats(text) and not _could_overflow(text) else _STRICT
    if text.startswith("{"):
        # `decode` would first look for white space around, which arguments seldom have.
        value, end = decoder.raw_decode(text)
        if end == len(text) or not text[end:].strip(_SPACE):
            return value
    return decoder.decode(text)


_SHORT, _SAMPLE, _STEP = 64, 256, 64
"""Characters: too short for many floats; looked at of a text, or one in so many if that is more."""

_EXPONENT = {letter: re.compile(f"{letter}[+0-9][0-9]") for letter in "eE"}
"""Exponents from 10 on, by the letter that a search can begin with."""

_RUN = 149
"""Digits: a number of up to twice as many with an exponent below 10 is finite; more hold a whole row of them."""


def _has_many_floats(text: str) -> bool:
    """Whether it costs less to see by the text that all numbers are finite than to look at each float.

    A guess by a sample of the text: there are many dots, and an `e` to stop at is no more common.
    """
    size = len(text)
    if size < _SHORT:
        return False
    sample = text[:: min(size // _SAMPLE + 1, _STEP)]
    dots = sample.count(".")
    return dots * 64 > len(sample) and sample.count("e") <= dots


def _could_overflow(text: str) -> bool:
    """Whether a number of the text could be above every float; False only when none is."""
    for letter, exponent in _EXPONENT.items():
        if letter in text and exponent.search(text) is not None:
            return True
    rows = range(0, len(text) - _RUN, _RUN) if len(text) > 2 * _RUN else ()
    return any(text[at : at + _RUN].isdigit() for at in rows)


def escaped(text: str) -> object:
    """Read a text as strict JSON whose strings may hold raw control characters and invalid escapes.

    Raises:
        ValueError: it is none.
        RecursionError: it is nested deeper than Python reads.
    """
    return _ESCAPED.decode(without_lone_escapes(text))


def json_value(text: str, depth: int = MAX_DEPTH) -> object:
    """The value of a JSON text, if need be with mended escapes; None for any other text and for `null`.

    Args:
        text: the text.
        depth: objects and lists that may stand in one another; what is deeper is none either.
    """
    try:
        try:
            value = strict(text)
        except ValueError:
            value = escaped(text)
    except (ValueError, RecursionError):
        return None
    return None if isinstance(value, (dict, list)) and is_deep(value, text, depth) else value


_CONTAINERS = frozenset((dict, list))
_SPACE = " \t\n\r"
_SCAN_COST = 72
"""Looking at a value costs about as much as counting a bracket in so many characters."""


def is_deep(value: dict[str, object] | list[object], text: str, limit: int = MAX_DEPTH) -> bool:
    """Whether more than `limit` containers stand in one another, level by level.

    Depth costs nothing where there are few brackets: the walk ends as soon as fewer are left in the text than
    levels. Counting them is put off until there is more to look at than to count.
    """
    if len(text) <= 2 * limit:  # a level takes two brackets
        return False
    level: list[dict[str, object] | list[object]] = [value]
    seen, brackets = 1, -1
    for depth in range(1, limit + 1):
        if brackets < 0 and sum(map(len, level)) * _SCAN_COST > len(text):
            brackets = text.count("{") + text.count("[")
        if brackets >= 0 and depth + brackets - seen <= limit:
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
