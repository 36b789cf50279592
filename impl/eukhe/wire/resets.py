"""When a limit that is spent comes back, as an error body says it: `resets_at`, or `resets_in_seconds`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["resets_of"]

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400


def resets_of(error: Mapping[str, object]) -> str:
    """Return when the limit that an error tells of resets, in words for a user; empty when it does not say.

    Args:
        error: The error object.
    """
    if _is_number(at := error.get("resets_at")):
        from datetime import UTC, datetime  # only a spent limit pays for the import

        try:
            then = datetime.fromtimestamp(float(str(at)), UTC)
        except (ValueError, OverflowError, OSError):
            return ""
        return f"it resets at {then:%Y-%m-%d %H:%M} UTC"
    if _is_number(left := error.get("resets_in_seconds")):
        seconds = float(str(left))
        return f"it resets in {_span(int(seconds))}" if 0 <= seconds < 1000 * _DAY else ""
    return ""


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _span(seconds: int) -> str:
    if seconds >= _DAY:
        return f"{seconds // _DAY} d {seconds % _DAY // _HOUR} h"
    if seconds >= _HOUR:
        return f"{seconds // _HOUR} h {seconds % _HOUR // _MINUTE} min"
    return f"{-(-seconds // _MINUTE)} min"
