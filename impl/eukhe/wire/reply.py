"""The body of a reply: an event stream, one whole JSON reply, or neither.

What it is follows from its first byte and not from the content type: servers and proxies send event streams as
`text/plain` and error objects as `text/event-stream`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Protocol

from eukhe.wire.error_body import failed, is_error, one_line, page_title
from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.sse import BOM, SseReader, too_long

if TYPE_CHECKING:
    from eukhe.wire.events import Event
    from eukhe.wire.messages import AssistantMessage
    from eukhe.wire.request import Limits
    from eukhe.wire.sse import SseEvent

__all__ = ["Framing", "Reader", "ReplyReader", "no_stream"]


class Reader(Protocol):
    """Reads the objects of one reply of a wire API into events.

    Attributes:
        finish: The reason that the server gave for the end of the reply; empty for none yet. With one, the reply
            is complete even when the connection breaks after it.
        ended: Whether the server said that nothing more comes; reading stops then.
        begun: Whether any object came.
    """

    finish: str
    ended: bool
    begun: bool

    def read(self, event: SseEvent, out: list[Event]) -> None:
        """Take one server-sent event and append what it says to `out`.

        Raises:
            WireError: What came is none of the API's objects, or an error.
        """

    def whole(self, value: object, out: list[Event]) -> bool:
        """Take a whole reply that was not streamed; False for what is none.

        Raises:
            WireError: The value is an error.
        """

    def end(self, out: list[Event]) -> None:
        """Say that the stream is over and append the ends of its calls and `Done` to `out`.

        Raises:
            WireError: The reply is not complete, or is no success.
        """

    def partial(self) -> AssistantMessage:
        """Return what has come so far, as the part of a failed reply."""


class Framing(Protocol):
    """Reads the bytes of a reply into its objects."""

    def feed(self, chunk: bytes, out: list[Event], /) -> None:
        """Take the next bytes and append what they complete to `out`.

        Raises:
            WireError: What the server sent is no reply, or an error of its own.
        """

    def close(self, out: list[Event], /) -> None:
        """Say that no more bytes come.

        Raises:
            WireError: As `feed` does.
        """


class ReplyReader:
    """Reads the bytes of a reply into events.

    Args:
        reply: What reads its objects.
        limits: How much to hold.
        content_type: The content type, for messages only.
    """

    def __init__(self, reply: Reader, limits: Limits, content_type: str) -> None:
        self._reply = reply
        self._limits = limits
        self._type = content_type
        self._held = bytearray()
        self._sse: SseReader | None = None
        self._whole = False
        self._size = 0

    def feed(self, chunk: bytes, out: list[Event]) -> None:
        """Take the next bytes and append what they complete to `out`.

        Raises:
            WireError: What the server sent is no reply, or an error of its own.
        """
        self._size += len(chunk)
        if self._size > self._limits.reply:
            raise too_long("a reply", self._limits.reply)
        if self._sse is None:
            self._held += chunk
            if not self._whole:
                start = bytes(self._held).removeprefix(BOM).lstrip()[:1]
                if not start or BOM.startswith(self._held):
                    self._check(self._limits.event)
                    return
                self._whole = start in (b"{", b"[", b"<")
            if self._whole:
                self._check(self._limits.body)
                return
            self._sse = SseReader(self._limits.event)
            chunk = bytes(self._held)
            self._held.clear()
        items: list[SseEvent] = []
        try:
            self._sse.feed(chunk, items)
        finally:
            self._read(items, out)

    def close(self, out: list[Event]) -> None:
        """Say that no more bytes come.

        Raises:
            WireError: As `feed` does.
        """
        if self._reply.ended:
            return
        if self._whole:
            self._read_whole(bytes(self._held), out)
        elif self._sse is not None:
            items: list[SseEvent] = []
            self._sse.close(items)
            try:
                self._read(items, out)
            except WireError as error:
                # Half an object at the end is a stream that was cut off, which is told by what is missing.
                cut_off = items[0].data.lstrip().startswith("{")
                if error.kind is not ErrorKind.PROTOCOL or not cut_off:
                    raise
            if not self._reply.finish and self._sse.stray:
                self._explain(self._sse.stray)

    def _read(self, items: list[SseEvent], out: list[Event]) -> None:
        for item in items:
            self._reply.read(item, out)
            if self._reply.ended:
                return

    def _read_whole(self, body: bytes, out: list[Event]) -> None:
        try:
            value = json.loads(body)
        except (ValueError, RecursionError):
            raise self._no_stream(body) from None
        if not self._reply.whole(value, out):
            raise self._no_stream(body)

    def _explain(self, line: bytes) -> None:
        """Raise what a stray line says: an error object, or that this is no event stream."""
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict) and is_error(value):
            raise failed(value)
        if not self._reply.begun:
            raise self._no_stream(line)

    def _no_stream(self, body: bytes) -> WireError:
        return no_stream(body, self._type, "an API")

    def _check(self, limit: int) -> None:
        if len(self._held) > limit:
            raise too_long("a reply", limit)


def no_stream(body: bytes, content_type: str, wanted: str) -> WireError:
    """Return the error of a body that is no event stream: what it is, in words of its own.

    Args:
        body: How it begins, or all of it.
        content_type: Its content type, or empty.
        wanted: What the base URL should lead to.
    """
    text = body[:4096].decode("utf-8", "replace")
    what = page_title(text) or one_line(text, 200)
    kind = one_line(content_type, 80) or "no content type"
    return WireError(
        ErrorKind.PROTOCOL,
        f"the server did not answer with an event stream ({kind}): {what}; does the base URL lead to {wanted}?",
    )
