"""AWS's binary event stream, read from bytes that may be cut anywhere: each frame is given on as an event.

A frame is, big endian: its length, the length of its headers, the CRC-32 of these eight bytes, the headers, the
payload, and the CRC-32 of all before it.
"""

from __future__ import annotations

import json
import struct
import zlib
from typing import TYPE_CHECKING, Final

from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.reply import no_stream
from eukhe.wire.sse import SseEvent, too_long

if TYPE_CHECKING:
    from eukhe.wire.events import Event
    from eukhe.wire.reply import Reader
    from eukhe.wire.request import Limits

__all__ = ["EXCEPTION", "FrameReader"]

#: What stands before the name of an exception where other events have their type.
EXCEPTION: Final = "!"

_PRELUDE: Final = 12
_CHECKSUM: Final = 4
#: How many bytes the value of a header has, by its type; None where two bytes before it say so.
_SIZES: Final = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 6: None, 7: None, 8: 8, 9: 16}
_TEXT: Final = 7


class FrameReader:
    """Reads the bytes of a reply into the events of a reader.

    A body that begins like JSON or a web page is no event stream: it is read whole, as the error that it is.

    Args:
        reply: What reads the events: the payload, under the name of the event's type.
        limits: How much to hold.
        content_type: The content type, for messages only.
    """

    def __init__(self, reply: Reader, limits: Limits, content_type: str) -> None:
        self._reply = reply
        self._limits = limits
        self._type = content_type
        self._held = bytearray()
        self._plain: bool | None = None
        self._size = 0

    def feed(self, chunk: bytes, out: list[Event]) -> None:
        """Take the next bytes and append what they complete to `out`.

        Raises:
            WireError: What the server sent is no reply, or an error of its own.
        """
        self._size += len(chunk)
        if self._size > self._limits.reply:
            raise too_long("a reply", self._limits.reply)
        self._held += chunk
        if self._plain is None and self._held:
            self._plain = self._held[0] in b"{[<"
        if self._plain:
            if len(self._held) > self._limits.body:
                raise too_long("a reply", self._limits.body)
            return
        while not self._reply.ended and (frame := self._next()) is not None:
            self._reply.read(_event(frame), out)

    def close(self, out: list[Event]) -> None:
        """Say that no more bytes come; half a frame at the end is told by what is missing.

        Raises:
            WireError: As `feed` does.
        """
        if not self._plain or self._reply.ended:
            return
        body = bytes(self._held)
        try:
            value = json.loads(body)
        except (ValueError, RecursionError):
            value = None
        if value is None or not self._reply.whole(value, out):
            raise no_stream(body, self._type, "Bedrock")

    def _next(self) -> bytes | None:
        """The next whole frame, or None while it is not there."""
        if len(self._held) < _PRELUDE:
            return None
        size, headers, checksum = struct.unpack_from(">III", self._held)
        if zlib.crc32(self._held[:8]) != checksum or size < _PRELUDE + headers + _CHECKSUM:
            raise _damaged()
        if size > self._limits.event:
            raise too_long("an event", self._limits.event)
        if len(self._held) < size:
            return None
        frame = bytes(self._held[:size])
        del self._held[:size]
        (checksum,) = struct.unpack_from(">I", frame, size - _CHECKSUM)
        if zlib.crc32(frame[:-_CHECKSUM]) != checksum:
            raise _damaged()
        return frame


def _event(frame: bytes) -> SseEvent:
    """The event of a frame: its payload, and the type of the event or of the exception."""
    (size,) = struct.unpack_from(">I", frame, 4)
    headers = _headers(frame[_PRELUDE : _PRELUDE + size])
    payload = frame[_PRELUDE + size : -_CHECKSUM]
    match headers.get(":message-type", "event"):
        case "event":
            name = headers.get(":event-type", "")
        case "exception":
            name = EXCEPTION + headers.get(":exception-type", "")
        case _:  # an error, whose words stand in the headers
            name = EXCEPTION + headers.get(":error-code", "")
            payload = payload or json.dumps({"message": headers.get(":error-message", "")}).encode()
    try:
        return SseEvent(payload.decode() or "{}", name)
    except UnicodeDecodeError:
        return SseEvent(payload.decode("utf-8", "replace"), name, damaged=True)


def _headers(raw: bytes) -> dict[str, str]:
    """The headers that are text; those of other types are passed over."""
    found: dict[str, str] = {}
    at = 0
    try:
        while at < len(raw):
            size = raw[at]
            name = raw[at + 1 : at + 1 + size].decode("utf-8", "replace")
            kind = raw[at + 1 + size]
            at += size + 2
            length = _SIZES[kind]
            if length is None:
                (length,) = struct.unpack_from(">H", raw, at)
                at += 2
            if at + length > len(raw):
                raise _damaged()
            if kind == _TEXT:
                found[name] = raw[at : at + length].decode("utf-8", "replace")
            at += length
    except (IndexError, KeyError, struct.error):
        raise _damaged() from None
    return found


def _damaged() -> WireError:
    return WireError(ErrorKind.PROTOCOL, "the server sent a damaged event stream")
