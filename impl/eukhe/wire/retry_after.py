"""How long a server asks to wait: from the headers of its reply, from Google's details of an error, from words."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["details_of", "retry_after", "said_wait", "should_retry"]

_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds to wait: `retry-after-ms` first, then `retry-after` in seconds or as an HTTP date.

    Args:
        headers: The headers, names in any case that the mapping answers to (lower case is asked for).
        now: Seconds since the epoch. A date is measured from the server's own `date` header when it sent one, so
            that a wrong clock on this side does no harm.

    Returns:
        At least 0, or `None` when the server asks for nothing that can be read.
    """
    if (wait := _seconds(headers.get("retry-after-ms", ""))) is not None:
        return wait / 1000
    text = headers.get("retry-after", "")
    if (wait := _seconds(text)) is not None:
        return wait
    if (then := _date(text)) is None:
        return None
    started = _date(headers.get("date", ""))
    return max(0.0, then - (now if started is None else started))


def said_wait(text: str) -> float | None:
    """Return the seconds that a message names, as in `Please try again in 1m2.5s`; `None` for none.

    Args:
        text: The message of an error.
    """
    number = r"\d{1,6}(?:\.\d{1,6})?"
    spans = rf"(?:{number} ?(?:ms|s|m|h)[a-z]*[ ,]*)+"
    found = re.search(rf"\b(?:try again|retry) (?:in|after) ({spans})", text, re.IGNORECASE)
    if found is None:
        return None
    parts = re.findall(rf"({number}) ?(ms|s|m|h)", found[1].lower())
    return float(sum(float(count) * _UNITS[unit] for count, unit in parts))


def should_retry(headers: Mapping[str, str]) -> bool | None:
    """Return the server's own word on a retry (`x-should-retry`), or `None`."""
    return {"true": True, "false": False}.get(headers.get("x-should-retry", "").strip().lower())


def details_of(value: object) -> tuple[float | None, bool]:
    """Return what the details of Google's errors say: the seconds to wait, and whether the day's quota is spent.

    Args:
        value: The error body, in a list of one or not.
    """
    if isinstance(value, list):
        value = value[0] if value else None
    error = value.get("error") if isinstance(value, dict) else None
    details = error.get("details") if isinstance(error, dict) else None
    wait, spent = None, False
    for detail in details if isinstance(details, list) else ():
        kind = str(detail.get("@type")).rpartition(".")[2] if isinstance(detail, dict) else ""
        if kind == "RetryInfo":
            wait = _seconds(str(detail.get("retryDelay")).removesuffix("s"))
        elif kind == "QuotaFailure":
            spent = "PerDay" in str(detail.get("violations"))
    return wait, spent


def _seconds(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _date(text: str) -> float | None:
    if not text:
        return None
    from email.utils import parsedate_to_datetime  # only a reply with a date pays for the import

    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, OverflowError, TypeError):
        return None
