"""Server-sent events, read from bytes that may be cut anywhere.

The reader follows the WHATWG rules for line ends, comments, fields and the byte order mark, with three differences
that model servers call for: an event that the end of the stream cuts off is still an event (some proxies omit the
last blank line), an event may not grow above a limit, and `id` and `retry` are ignored, since a reply cannot be
taken up again.

Bytes that are not UTF-8 become U+FFFD, as WHATWG says, and the event is marked `damaged`, so that whoever would
act on its text can refuse to.
"""

from __future__ import annotations

from typing import NamedTuple

from eukhe.wire.errors import ErrorKind, WireError

__all__ = ["BOM", "SseEvent", "SseReader"]

BOM = b"\xef\xbb\xbf"
_STRAY_LIMIT = 64 * 1024


class SseEvent(NamedTuple):
    """One event. A named tuple, since one is made for every token of a reply.

    Attributes:
        data: The data lines, joined with line feeds.
        name: The event's name; empty for none.
        damaged: Whether bytes that are not UTF-8 were replaced.
    """

    data: str
    name: str = ""
    damaged: bool = False


class SseReader:
    """An incremental reader: bytes in, events out.

    The events do not depend on where the bytes are cut.

    Args:
        limit: The most bytes of one event, line ends aside; also of any single line.

    Attributes:
        stray: The start of the first line that is no line of an event stream; empty for none.
    """

    __slots__ = (
        "_after_cr",
        "_data",
        "_head",
        "_limit",
        "_name",
        "_size",
        "_stray_size",
        "_tail",
        "stray",
    )

    def __init__(self, limit: int) -> None:
        self.stray = b""
        self._limit = limit
        self._head: bytes | None = b""
        self._tail = bytearray()
        self._after_cr = False
        self._data: list[bytes] = []
        self._size = 0
        self._name = b""
        self._stray_size = 0

    def feed(self, chunk: bytes, out: list[SseEvent]) -> None:
        """Take the next bytes and append the events that they complete to `out`.

        A list and not a generator: it is the fastest way to hand on one event a token, and what came before an
        error is in it all the same.

        Raises:
            WireError: `PROTOCOL`: an event or a line above the limit, or too many bytes that are no event stream.
        """
        if self._head is not None:
            chunk = self._head + chunk
            if len(chunk) < len(BOM) and BOM.startswith(chunk):
                self._head = chunk
                return
            self._head = None
            chunk = chunk.removeprefix(BOM)
        if self._after_cr and chunk:
            self._after_cr = False
            chunk = chunk.removeprefix(b"\n")
        has_cr = b"\r" in chunk
        if has_cr or b"\n" in chunk:
            if self._tail:
                chunk = bytes(self._tail) + chunk
                self._tail.clear()
            if has_cr:
                self._after_cr = chunk.endswith(b"\r")
                lines = chunk.splitlines()
                if not chunk.endswith((b"\r", b"\n")):
                    self._tail += lines.pop()
            else:
                lines = chunk.split(b"\n")
                self._tail += lines.pop()
            self._lines(lines, out)
        else:
            self._tail += chunk
        self._check(len(self._tail))

    def close(self, out: list[SseEvent]) -> None:
        """Say that no more bytes come, and append the event that was cut off, if there is one.

        Raises:
            WireError: As `feed` does.
        """
        if self._head:
            self._tail += self._head
        self._head = b""
        lines = [bytes(self._tail), b""] if self._tail else [b""]
        self._tail.clear()
        self._lines(lines, out)

    def _lines(self, lines: list[bytes], out: list[SseEvent]) -> None:
        data, limit = self._data, self._limit
        for line in lines:
            if not line:
                if data:
                    out.append(self._event())
                self._name = b""
            elif line.startswith(b"data:"):
                self._size += len(line)
                if self._size > limit:
                    raise too_long("an event", self._limit)
                data.append(line[6:] if line.startswith(b"data: ") else line[5:])
            else:
                self._check(len(line))
                self._other(line)

    def _other(self, line: bytes) -> None:
        """Read a line that is neither blank nor data with a colon."""
        field, _, value = line.partition(b":")
        match field:
            case b"" | b"id" | b"retry":
                pass
            case b"data":
                self._size += len(line)
                self._data.append(b"")
            case b"event":
                self._name = value.removeprefix(b" ")
            case _:
                self.stray = self.stray or line[:4096]
                self._stray_size += len(line)
                if self._stray_size > _STRAY_LIMIT:
                    raise WireError(ErrorKind.PROTOCOL, "the reply is not an event stream")

    def _event(self) -> SseEvent:
        raw = self._data[0] if len(self._data) == 1 else b"\n".join(self._data)
        self._data.clear()
        self._size = 0
        name = self._name.decode("utf-8", "replace") if self._name else ""
        try:
            return SseEvent(raw.decode(), name)
        except UnicodeDecodeError:
            return SseEvent(raw.decode("utf-8", "replace"), name, damaged=True)

    def _check(self, length: int) -> None:
        if self._size + length > self._limit:
            raise too_long("an event", self._limit)


def too_long(what: str, limit: int) -> WireError:
    """Return the error of a reply, or of an event, that is past its limit in bytes."""
    return WireError(
        ErrorKind.PROTOCOL, f"the server sent {what} of more than {limit} bytes, which is not read"
    )
