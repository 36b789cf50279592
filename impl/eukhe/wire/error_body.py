"""What a server says when it refuses: error bodies of every shape, read into one `WireError`.

Shapes: `{"error": {"message", "type", "code"}}` (OpenAI and most), the same keys flat (older vLLM),
`{"error": text}` (Ollama), `{"detail": text or list}` (FastAPI), `{"message": text}`, `{"errors": [...]}`, a list
around any of these (Google), an upstream text in `error.metadata.raw` (OpenRouter), plain text, a proxy's HTML
page, nothing at all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.resets import resets_of
from eukhe.wire.retry_after import details_of, said_wait
from eukhe.wire.unicode import encodable

__all__ = [
    "NO_STATUSES",
    "Said",
    "classify",
    "failed",
    "is_error",
    "one_line",
    "page_title",
    "read_said",
    "refused",
]

_SHOWN = 600
NO_STATUSES: Mapping[str, int] = MappingProxyType({})
_FOR_A_MOMENT = (ErrorKind.RATE_LIMIT, ErrorKind.OVERLOADED)

# Signs in the text of an error, in lower case. They are compiled when an error comes, which most runs never see.

_OVERFLOW = (
    r"prompt is too long|request_too_large|exceeds the context window|context_length_exceeded"
    r"|input token count.*exceeds the maximum|input is too long for requested model|maximum prompt length is"
    r"|reduce the length of the messages|maximum context length is|exceed_context_size_error"
    r"|exceeds? the available context size|greater than the context length|exceeded max context length"
    r"|too large for model with \d+ maximum context length|exceeded model token limit"
    r"|context window exceeds limit|exceeds the limit of \d+"
)
_THROTTLED = (
    r"rate.?limit|too many requests|too many tokens, please wait|throttl|resource.?exhausted"
)
_UNPAID = (
    r"insufficient_quota|insufficient.?(balance|credit|funds)|exceeded your current quota|quota exceeded|billing"
    r"|out of credits?|out of budget|usage_limit_reached|usage_not_included|usage limit|payment required"
)
_BUSY = r"overloaded|loading model|unavailable|at capacity"
_FILTERED = r"content_filter|content management policy|responsibleaipolicyviolation"


class Said(NamedTuple):
    """What an error body says.

    Attributes:
        message: The text for a person, in one line; empty for none.
        code: The error's code or type, the more telling one; empty for none.
        status: A number that the body gives as its code, when it looks like an HTTP status.
        words: Everything above in lower case, to look for signs in.
    """

    message: str
    code: str
    status: int | None
    words: str


def refused(status: int, body: bytes) -> WireError:
    """Make the error of a reply whose status is not 2xx.

    Args:
        status: The HTTP status.
        body: The body, or its start.
    """
    value = _json(body)
    said = read_said(value)
    if not said.message:
        text = body.decode("utf-8", "replace")
        said = said._replace(message=one_line(page_title(text) or text), words=text[:4096].lower())
    kind = classify(status, said, empty=not body.strip())
    what = said.message or "no text"
    return _with_details(
        WireError(
            kind,
            f"the server answered {status}: {what}",
            status=status,
            provider_message=said.message,
            code=said.code,
        ),
        value,
    )


def _with_details(error: WireError, value: object) -> WireError:
    """The error with what Google's details say: a quota that comes back soon, or one of the day."""
    wait, spent = details_of(value)
    if spent:
        error.kind, error.should_retry = ErrorKind.PAYMENT_REQUIRED, False
    elif wait is not None:
        error.retry_after = wait
        if error.kind is ErrorKind.PAYMENT_REQUIRED:
            error.kind = ErrorKind.RATE_LIMIT
    if error.retry_after is None and error.kind in _FOR_A_MOMENT:
        error.retry_after = said_wait(error.provider_message)
    return error


def failed(value: object, statuses: Mapping[str, int] = NO_STATUSES) -> WireError:
    """Make the error that a server put into its stream.

    Args:
        value: The error object, or what came in its place.
        statuses: The HTTP statuses that the API's error codes stand for.
    """
    said = read_said(value)
    if said.status is None:
        said = said._replace(status=statuses.get(said.code))
    what = said.message or said.code or _spelled(value)
    return _with_details(
        WireError(
            classify(None, said),
            f"the server failed during the reply: {what}",
            status=said.status,
            provider_message=said.message,
            code=said.code,
        ),
        value,
    )


def is_error(value: Mapping[str, object]) -> bool:
    """Whether a JSON object that came where a reply was expected is an error."""
    if value.get("error") or value.get("object") == "error":
        return True
    return "choices" not in value and any(value.get(key) for key in ("detail", "message", "errors"))


def read_said(value: object) -> Said:
    """Read a JSON error body of any shape; what is none gives an empty text."""
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, str):
        return _said(value, "", None)
    if not isinstance(value, dict):
        return _said("", "", None)
    inner = value.get("error") or value.get("errors") or value
    if isinstance(inner, list):
        inner = inner[0] if inner else {}
    if isinstance(inner, str):
        return _said(inner, _code(value), value.get("code"))
    if not isinstance(inner, dict):
        return _said("", "", None)
    message = _text(inner.get("message")) or _text(inner.get("detail")) or _text(inner.get("error"))
    metadata = inner.get("metadata")
    if isinstance(metadata, dict) and (raw := _text(metadata.get("raw"))):
        message = f"{message}: {raw}" if message else raw
    if resets := resets_of(inner):
        message = f"{message} ({resets})"
    return _said(message, _code(inner), inner.get("code"))


def classify(status: int | None, said: Said, *, empty: bool = False) -> ErrorKind:
    """Return the kind of an error: what the text says outright, then what the status says.

    Args:
        status: The HTTP status; `None` or 200 inside a stream, where the body's own number takes its place.
        said: What the body says.
        empty: Whether there was no body: with 400 and 413 one provider says so that the prompt is too long.
    """
    if status is None or status < 300:
        status = said.status
    throttled = _says(_THROTTLED, said)
    if _says(_UNPAID, said) or status == 402:
        return ErrorKind.PAYMENT_REQUIRED
    if not throttled and (_says(_OVERFLOW, said) or (empty and status in (400, 413))):
        return ErrorKind.CONTEXT_OVERFLOW
    if _says(_FILTERED, said):
        return ErrorKind.SAFETY
    match status:
        case None:
            if throttled:
                return ErrorKind.RATE_LIMIT
            return ErrorKind.OVERLOADED if _says(_BUSY, said) else ErrorKind.SERVER
        case 401:
            return ErrorKind.AUTH
        case 403:
            return ErrorKind.PERMISSION
        case 404 | 405:
            return ErrorKind.NOT_FOUND
        case 408 | 504:
            return ErrorKind.TIMEOUT
        case 409 | 424:
            return ErrorKind.SERVER
        case 429:
            return ErrorKind.RATE_LIMIT
        case 501:
            return ErrorKind.INVALID_REQUEST
        case 503 | 529:
            return ErrorKind.OVERLOADED
        case _ if status >= 500:
            return ErrorKind.OVERLOADED if _says(_BUSY, said) else ErrorKind.SERVER
        case _:
            return ErrorKind.INVALID_REQUEST


def one_line(text: str, limit: int = _SHOWN) -> str:
    """Return `text` fit for a line of a terminal: no control character, no run of blanks, cut at `limit`."""
    printable = "".join(
        c if c.isprintable() else " " for c in encodable(text[: 4 * limit], instead="\ufffd")
    )
    line = " ".join(printable.split())
    return line if len(line) <= limit else line[: limit - 1] + "\u2026"


def _said(message: str, code: str, number: object) -> Said:
    status = number if isinstance(number, int) and 400 <= number <= 599 else None
    return Said(
        one_line(message), one_line(code, 100), status, f"{message[:4096]} {code[:100]}".lower()
    )


def _says(signs: str, said: Said) -> bool:
    return re.search(signs, said.words, re.DOTALL) is not None


def _code(value: dict[str, object]) -> str:
    for key in ("code", "type", "status"):
        found = value.get(key)
        if isinstance(found, str) and found:
            return found
    return ""


def _text(value: object) -> str:
    """Read a text that may be a list of FastAPI's complaints or an object with a message."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "; ".join(filter(None, map(_text, value[:5])))
    if isinstance(value, dict):
        place = value.get("loc")
        where = ".".join(map(str, place)) + ": " if isinstance(place, list) else ""
        text = _text(value.get("msg") or value.get("message"))
        return where + text if text else ""
    return ""


def _spelled(value: object) -> str:
    """An error that says nothing in words, as it came."""
    try:
        return one_line(json.dumps(value), 200)
    except RecursionError:  # it could just be read
        return "it sent an error that says nothing"


def _json(body: bytes) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def page_title(text: str) -> str:
    """Return what an HTML page is called, or empty when it is no page."""
    if text.lstrip()[:1] != "<":
        return ""
    found = re.search(r"<(title|h1)[^<>]*>([^<]*)", text, re.IGNORECASE)
    return f"a web page, {found[2].strip()!r}" if found else "a web page"
