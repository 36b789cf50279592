"""Reading the JSON of a reply field by field: what is not of its type is as if it were not there."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from eukhe.wire.errors import ErrorKind, WireError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["flag", "malformed", "number", "object_at", "objects", "text", "texts", "whole"]

_MOST = 2**63


def object_at(row: Mapping[str, object], key: str) -> Mapping[str, object]:
    """Return the object at a key, or an empty one."""
    value = row.get(key)
    return value if isinstance(value, dict) else {}


def objects(row: Mapping[str, object], key: str) -> list[dict[str, object]]:
    """Return the objects of the list at a key; what else the list holds is left out."""
    value = row.get(key)
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def text(row: Mapping[str, object], key: str) -> str:
    """Return the text at a key, or an empty one."""
    value = row.get(key)
    return value if isinstance(value, str) else ""


def texts(row: Mapping[str, object], key: str) -> tuple[str, ...]:
    """Return the texts of the list at a key."""
    value = row.get(key)
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def flag(row: Mapping[str, object], key: str) -> bool | None:
    """Return the truth value at a key, or None."""
    value = row.get(key)
    return value if isinstance(value, bool) else None


def whole(row: Mapping[str, object], key: str) -> int | None:
    """Return the whole number of at least 0 at a key, or None."""
    value = row.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if (
        isinstance(value, float) and not value.is_integer()
    ):  # infinity and NaN are no integers either
        return None
    return int(value) if 0 <= value < _MOST else None


def number(row: Mapping[str, object], key: str) -> float | None:
    """Return the finite number at a key, or None; a text that spells one counts."""
    value = row.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def malformed(what: str) -> WireError:
    """Return the error of a reply that does not hold what it should."""
    return WireError(ErrorKind.PROTOCOL, f"the server answered with something else than {what}")
