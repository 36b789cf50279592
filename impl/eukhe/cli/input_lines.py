"""`--input-format json-lines`: what a program sends on stdin while a run works, one JSON object a line."""

from __future__ import annotations

import json
import os
import select
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from eukhe.agent.inbox.entering import Kind, RefusedMessageError
from eukhe.agent.inbox.events import InputRefused

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterator

    from eukhe.agent.events import Listener

__all__ = ["LINE_BYTES", "Abort", "Bad", "InputLines", "Message", "Splitter", "line_of"]

#: The most bytes of a line: a message of 1 MiB fits, however it is escaped.
LINE_BYTES: Final = 8 * 1024 * 1024

_EXPECTED: Final = (
    'expected {"type":"steer","text":...}, {"type":"follow_up","text":...} or {"type":"abort"}'
)
_PIECE: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Message:
    """A message for the run."""

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Abort:
    """The run is to be aborted, as by Ctrl-C."""


@dataclass(frozen=True, slots=True)
class Bad:
    """A line that is neither.

    Attributes:
        reason: what is wrong with it, and what is expected.
    """

    reason: str


Line: TypeAlias = Message | Abort | Bad


def line_of(raw: bytes) -> Line | None:
    """Read a line; None for a blank one. Keys that no line has are left alone."""
    if not raw.strip():
        return None
    try:
        value = json.loads(raw.decode("utf-8"))
    except UnicodeDecodeError:
        return Bad(f"the line is not UTF-8; {_EXPECTED}")
    except (ValueError, RecursionError):
        return Bad(f"the line is no JSON; {_EXPECTED}")
    if not isinstance(value, dict):
        return Bad(f"the line is no JSON object; {_EXPECTED}")
    match value.get("type"), value.get("text"):
        case "abort", _:
            return Abort()
        case ("steer" | "follow_up") as kind, str(text):
            return Message(Kind(kind), text)
        case ("steer" | "follow_up") as kind, _:
            return Bad(f"a line of type {kind} needs a text; {_EXPECTED}")
        case str(other), _:
            return Bad(f"there is no type {other[:40]!r}; {_EXPECTED}")
    return Bad(f"the line has no type; {_EXPECTED}")


_TOO_LONG: Final = Bad(f"the line has more than {LINE_BYTES >> 20} MiB; it was left out")


class Splitter:
    """Parts a stream of bytes into lines, and keeps no more of one than `LINE_BYTES`."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self._too_long = False

    def feed(self, piece: bytes) -> Iterator[bytes | None]:
        """Yield each line that ends in the piece, without its end; None for one that is too long."""
        *ended, rest = piece.split(b"\n")
        for part in ended:
            self._keep(part)
            yield self._take()
        self._keep(rest)

    def end(self) -> Iterator[bytes | None]:
        """Yield the last line, which may lack its end."""
        if self._kept or self._too_long:
            yield self._take()

    def _keep(self, part: bytes) -> None:
        if self._too_long or len(self._kept) + len(part) > LINE_BYTES:
            self._too_long = True
            self._kept.clear()
        else:
            self._kept += part

    def _take(self) -> bytes | None:
        line = None if self._too_long else bytes(self._kept)
        self._kept.clear()
        self._too_long = False
        return line


class InputLines:
    """Takes the lines of a descriptor for the run that works in an event loop.

    A thread reads, because not every descriptor can be watched; it waits until the loop has taken a line before
    it reads on, so lines pile up in the pipe and not in memory. It is a daemon: what it waits for holds up no end.

    Args:
        descriptor: where the lines come from.
        send: accepts a message for the run.
        abort: aborts the run.
        emit: the listener.

    Attributes:
        failure: what the listener raised; the run was aborted for it.
    """

    def __init__(
        self,
        descriptor: int,
        send: Callable[[Kind, str], object],
        abort: Callable[[], object],
        emit: Listener,
    ) -> None:
        self._descriptor = descriptor
        self._send = send
        self._abort = abort
        self._emit = emit
        self._number = 0
        self._aborted = False
        self._taken = threading.Semaphore()
        self.failure: OSError | None = None

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin to read; lines are taken in this loop."""
        threading.Thread(target=self._read, args=(loop,), daemon=True).start()

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        splitter = Splitter()
        while True:
            try:
                select.select((self._descriptor,), (), ())  # the descriptor may be set not to block
                piece = os.read(self._descriptor, _PIECE)
            except BlockingIOError:
                continue
            except (OSError, ValueError):
                piece = b""
            for line in splitter.feed(piece) if piece else splitter.end():
                self._taken.acquire()
                try:
                    loop.call_soon_threadsafe(self._take, line)
                except RuntimeError:  # the loop is closed: the run is over
                    return
            if not piece:
                return

    def _take(self, raw: bytes | None) -> None:
        self._number += 1
        try:
            self._act(_TOO_LONG if raw is None else line_of(raw))
        except OSError as error:
            self.failure = error
            self._stop()
        finally:
            self._taken.release()

    def _stop(self) -> None:
        # Once: a second abort would end the tidying up after the first.
        if not self._aborted:
            self._aborted = True
            self._abort()

    def _act(self, line: Line | None) -> None:
        match line:
            case Message(kind=kind, text=text):
                try:
                    self._send(kind, text)
                except RefusedMessageError as error:
                    self._emit(InputRefused(self._number, str(error)))
            case Abort():
                self._stop()
            case Bad(reason=reason):
                self._emit(InputRefused(self._number, reason))
