"""Strings and numbers of the relaxed dialect (S6 argument repair, 1): what their characters mean."""

from __future__ import annotations

import json
import math
import re

__all__ = [
    "LITERALS",
    "MAX_DEPTH",
    "as_json",
    "read_number",
    "read_string",
    "without_lone_escapes",
    "word_fault",
]

MAX_DEPTH = 128
"""Objects and lists that may stand in one another, the outermost one counted."""

_LENIENT = json.JSONDecoder(strict=False)
"""Reads strings that hold raw control characters."""

_LONE = re.compile(r'\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})')
"""A backslash that begins no escape of JSON, in a text without pairs of backslashes."""

_RADIX = re.compile(r"0(?:[xX](?P<hex>[0-9a-fA-F]++)|[bB](?P<binary>[01]++))")
_WHOLE = re.compile(r"([+-]?+[0-9]++)\.?+")
_DECIMAL = re.compile(r"[+-]?+(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?+[0-9]++)?+")


LITERALS = {
    "true": True,
    "True": True,
    "false": False,
    "False": False,
    "null": None,
    "None": None,
}
"""JSON's and Python's."""

# What a next field or value could begin with. A colon is harmless in an address, in a drive's path and before the
# slash of the first word (`host:/path`).
_HIDES = re.compile(
    r'["{\[]|\A:|:(?![/\\])|[ \t][^ \t]*:/(?!/)|[ \t][^ \t]{2,}:\\',
)
_NO_VALUES = frozenset({"NaN", "Infinity", "undefined"})


def word_fault(word: str) -> tuple[str, int] | None:
    """Why an unquoted value cannot be taken, and at which of its characters; None when it can."""
    if word in _NO_VALUES:
        return f"{word} is no value of JSON", 0
    hidden = _HIDES.search(word)
    return (
        None if hidden is None else ("an unquoted value could hide the next field", hidden.start())
    )


def without_lone_escapes(text: str) -> str:
    r"""The text with every backslash doubled that begins no JSON escape: `\d` becomes `\\d`."""
    if "\\" not in text:
        return text
    if "\\\\" not in text:
        return _LONE.sub(r"\\\\", text)
    # A run of backslashes pairs up from its left, and so does the split.
    return "\\\\".join(
        _LONE.sub(r"\\\\", part) if "\\" in part else part for part in text.split("\\\\")
    )


def read_string(content: str) -> str:
    r"""What a string means, by the characters between its quotes, of either kind.

    The escapes are those of JSON and `\'`. Any other backslash is itself.
    """
    if "\\" not in content:
        return content
    if '"' not in content and "\\'" not in content:
        mended = without_lone_escapes(content)
    else:
        mended = "\\\\".join(map(_mended, content.split("\\\\")))
    value, _ = _LENIENT.raw_decode(f'"{mended}"')
    return value if isinstance(value, str) else content


def _mended(part: str) -> str:
    """A part without pairs of backslashes as it stands between the quotes of JSON."""
    plain = part.replace("\\'", "'").replace('\\"', '"').replace('"', '\\"')
    return _LONE.sub(r"\\\\", plain)


def read_number(token: str) -> int | float | None:
    """The finite number that JavaScript reads in a token, or None.

    A sign, a leading or trailing dot, an exponent, leading zeros (decimal), `0x` and `0b` without a sign.
    A number with a dot or an exponent is a float, as in `json`; `5.` is the integer 5. Integers are exact.
    """
    try:
        if radix := _RADIX.fullmatch(token):
            digits, base = (radix["hex"], 16) if radix["hex"] else (radix["binary"], 2)
            value = int(digits, base)
            return value if math.isfinite(float(value)) else None
        if whole := _WHOLE.fullmatch(token):
            return int(whole[1])
        if _DECIMAL.fullmatch(token):
            number = float(token)
            return number if math.isfinite(number) else None
    except (ValueError, OverflowError):  # more digits than Python converts; above every float
        return None
    return None


def as_json(value: object, limit: int) -> str:
    """The JSON of a value, cut to `limit` characters; only so much of it is written."""
    pieces: list[str] = []
    size = 0
    for piece in json.JSONEncoder(ensure_ascii=False).iterencode(value):
        pieces.append(piece)
        size += len(piece)
        if size >= limit:
            break
    return "".join(pieces)[:limit]
