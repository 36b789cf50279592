"""What can go wrong between eukhe and a model's server: one error class, told apart by its kind.

A wire API does not raise these: the last event of a stream is `Done` or `Failed`, and `Failed` carries the error.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum

__all__ = ["ErrorKind", "WireError", "ended_early"]


class ErrorKind(StrEnum):
    """What kind of failure it was; retry, compaction and the exit code follow from it."""

    INVALID_REQUEST = "invalid_request"
    """The server refuses the request as it is (400, 413, 422), or it cannot be sent at all."""
    AUTH = "auth"
    """The key is missing, wrong or unusable (401)."""
    PERMISSION = "permission"
    """The key may not do this (403)."""
    PAYMENT_REQUIRED = "payment_required"
    """Out of credit, quota or budget, whatever the status was."""
    SAFETY = "safety"
    """The provider's filter cut the reply."""
    NOT_FOUND = "not_found"
    """No such model or no such address (404, 405), or the server redirects."""
    CONTEXT_OVERFLOW = "context_overflow"
    """The conversation does not fit the model's context window."""
    RATE_LIMIT = "rate_limit"
    """Too many requests or tokens (429)."""
    OVERLOADED = "overloaded"
    """The server is up but busy or still loading the model (503, 529)."""
    SERVER = "server"
    """The server failed (any other 5xx, or an error inside the stream)."""
    NETWORK = "network"
    """No connection, or it was reset."""
    TIMEOUT = "timeout"
    """The server did not connect or went silent for too long (also 408)."""
    PROTOCOL = "protocol"
    """The reply is not what the wire API defines: no event stream, no JSON, a line above the limit."""
    STREAM_ENDED = "stream_ended"
    """The stream ended before the reply was complete."""
    STREAM_REPEATING = "stream_repeating"
    """The reply repeated itself and was cut (S6.5)."""


_PERMANENT = frozenset(
    {
        ErrorKind.INVALID_REQUEST,
        ErrorKind.AUTH,
        ErrorKind.PERMISSION,
        ErrorKind.PAYMENT_REQUIRED,
        ErrorKind.SAFETY,
        ErrorKind.NOT_FOUND,
        ErrorKind.CONTEXT_OVERFLOW,
    }
)


@dataclass(eq=False)
class WireError(Exception):
    """A request failed.

    Attributes:
        kind: The kind.
        message: What happened, in one line for a user. It never holds a key.
        status: The HTTP status, or `None` when there was no reply.
        provider_message: What the server itself said, or empty.
        code: The server's own error code or type, or empty.
        retry_after: Seconds that the server asks to wait, or `None`.
        should_retry: The server's own word on a retry (`x-should-retry`), or `None`.
        url: The address, without user name, password and query.
        model: The model that was asked for.
    """

    kind: ErrorKind
    message: str
    status: int | None = None
    provider_message: str = ""
    code: str = ""
    retry_after: float | None = None
    should_retry: bool | None = None
    url: str = ""
    model: str = ""

    def __reduce__(self) -> tuple[object, ...]:
        values = (getattr(self, item.name) for item in fields(self))
        return type(self), tuple(values)

    def __str__(self) -> str:
        return self.message

    @property
    def transient(self) -> bool:
        """Whether the same request may succeed later; the server's own word decides when it gave one."""
        if self.kind in (ErrorKind.CONTEXT_OVERFLOW, ErrorKind.PAYMENT_REQUIRED):
            return False
        if self.should_retry is not None:
            return self.should_retry
        return self.kind not in _PERMANENT


def ended_early(*, begun: bool) -> WireError:
    """Return the error of a stream that ended before its reply was complete.

    Args:
        begun: Whether anything of the reply came.
    """
    return WireError(
        ErrorKind.STREAM_ENDED,
        "the stream ended before the reply was complete"
        if begun
        else "the server ended the stream without a reply",
    )
