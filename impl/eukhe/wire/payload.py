"""JSON in and out of a wire API: an event of a stream as an object, a token count, the bytes of a body."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from eukhe.core.arguments_json import is_deep
from eukhe.wire.error_body import NO_STATUSES, failed, one_line
from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.unicode import encodable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.wire.sse import SseEvent

__all__ = ["body_bytes", "count", "json_bytes", "kept_text", "read_object"]

_SCAN = json.JSONDecoder().raw_decode


def read_object(
    event: SseEvent, statuses: Mapping[str, int] = NO_STATUSES
) -> dict[str, object] | None:
    """Return the object of a server-sent event; None for a blank one and for the end marker `[DONE]`.

    Args:
        event: The event.
        statuses: The HTTP statuses that the API's error codes stand for.

    Raises:
        WireError: `PROTOCOL` for what is no object; the error that an event of the name `error` bears.
    """
    data = event.data
    try:
        value = _load(data)
    except (ValueError, RecursionError):
        if data.strip() in ("", "[DONE]"):
            return None
        if event.name == "error":
            raise failed(data, statuses) from None
        raise WireError(
            ErrorKind.PROTOCOL,
            f"the server sent an event that is not JSON: {one_line(data, 200)}",
        ) from None
    if not isinstance(value, dict):
        raise WireError(
            ErrorKind.PROTOCOL,
            f"the server sent an event that is no object: {one_line(data, 200)}",
        )
    if event.name == "error":
        raise failed(value, statuses)
    return value


def count(value: object) -> int:
    """Return a count of tokens; what is missing, negative or no number is 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def kept_text(value: dict[str, object] | list[object]) -> str:
    """Return the JSON text of what a server is to get back later; empty for what cannot be sent back.

    Python reads numbers that JSON does not have (`NaN`, `1e999`) and nesting that it cannot write again in a
    deeper place; kept, they would spoil every later request.
    """
    try:
        text = json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return ""
    return "" if is_deep(value, text) else text


def present(values: Mapping[str, object]) -> dict[str, object]:
    """Return the fields that have a value; None stands for none."""
    return {name: value for name, value in values.items() if value is not None}


def body_bytes(
    fields: Mapping[str, object], optional: Mapping[str, object], extra: Mapping[str, object]
) -> bytes:
    """Return a request body of what is always in it, of what is set, and of what wins over both.

    Args:
        fields: The fields that are in it.
        optional: Fields that are in it where their value is not None.
        extra: The user's own (`Options.extra`).

    Raises:
        WireError: As `json_bytes` does.
    """
    return json_bytes({**fields, **present(optional), **extra})


def json_bytes(fields: Mapping[str, object]) -> bytes:
    """Return a request body: UTF-8 JSON, its keys in the order given, so that prompt caches hit.

    Raises:
        WireError: `INVALID_REQUEST`: a value that JSON cannot carry, for example an infinite temperature.
    """
    try:
        text = json.dumps(fields, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (ValueError, TypeError, RecursionError) as error:
        raise WireError(
            ErrorKind.INVALID_REQUEST, f"the request cannot be written as JSON: {error}"
        ) from None
    return encodable(text).encode()


def _load(data: str) -> object:
    """Read JSON; the decoder's own method first, which is faster than `json.loads` by what that checks before."""
    try:
        value, end = _SCAN(data)
    except ValueError:
        end = -1
    return value if end == len(data) else json.loads(data)
