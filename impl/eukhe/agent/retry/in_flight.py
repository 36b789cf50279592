"""Requests in flight to a provider, counted across processes: `providerMaxInFlight` (S4b.4).

A provider has a directory with as many slots as it may have requests in flight. A slot is a file that is locked
while its request is out. Who finds none free draws a ticket, a locked file whose name sorts by the time, and takes
a slot when no older ticket is left, so that requests go out in the order in which they came. The operating system
keeps the locks: a process that is killed frees its slot and its place in the line. Who waits touches its ticket at
each look, so that one that was stopped (Ctrl-Z) holds nobody up.
"""

from __future__ import annotations

import os
import time
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from eukhe.agent.retry.events import ProviderWaitEnd, ProviderWaitStart
from eukhe.core.config import IN_FLIGHT
from eukhe.wire.errors import ErrorKind, WireError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
    from pathlib import Path

    from filelock import BaseFileLock

    from eukhe.agent.events import Listener

__all__ = ["InFlight"]

_POLL: Final = 0.1
"""Seconds between two looks at the slots."""

_STOPPED: Final = 5.0
"""Seconds without a look after which who waits is passed by, until it looks again."""


class InFlight:
    """The slots of all providers.

    Args:
        directory: where they are; made with mode 0700 when the first limited request goes out.
        limit: how many requests a provider may have in flight; None for any number.
        ticks: a clock that all processes share, in nanoseconds; it orders the waiting requests.
    """

    def __init__(
        self,
        directory: Path,
        limit: Callable[[str], int | None],
        *,
        ticks: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._directory = directory
        self._limit = limit
        self._ticks = ticks

    def limits(self, provider: str) -> bool:
        """Whether a provider has a limit.

        Args:
            provider: as for `slot`.
        """
        return self._limit(provider) is not None

    @asynccontextmanager
    async def slot(
        self, provider: str, emit: Listener, sleep: Callable[[float], Awaitable[None]]
    ) -> AsyncIterator[None]:
        """Hold a slot of a provider; wait for one, and tell so, when none is free.

        Args:
            provider: the provider, or the host of a server that has none.
            emit: the listener.
            sleep: waits for seconds.

        Raises:
            WireError: `PERMISSION`: the provider's limit is 0; `INVALID_REQUEST`: the slots cannot be made.
        """
        limit = self._limit(provider)
        if limit is None:
            yield
            return
        if limit == 0:
            raise WireError(
                ErrorKind.PERMISSION,
                f"no request may go to {provider}, because {IN_FLIGHT} is 0 for it",
            )
        place = self._directory / f"provider-{quote(provider, safe='')[:200]}"
        with _told(provider):
            _make(self._directory.parent, self._directory, place)
            held = self._free(place, limit, "")
        if held is None:
            held = await self._in_line(provider, place, limit, emit, sleep)
        try:
            yield
        finally:
            held.release()

    async def _in_line(
        self,
        provider: str,
        place: Path,
        limit: int,
        emit: Listener,
        sleep: Callable[[float], Awaitable[None]],
    ) -> BaseFileLock:
        with _told(provider):
            ticket = _draw(place, self._ticks)
        held: BaseFileLock | None = None
        try:
            emit(ProviderWaitStart(provider, limit))
            while True:
                with _told(provider):
                    with suppress(FileNotFoundError):
                        os.utime(ticket.lock_file)
                    held = self._free(place, limit, _name(ticket))
                if held is not None:
                    return held
                await sleep(_POLL)
        finally:
            _give_back(ticket)
            emit(ProviderWaitEnd(provider, aborted=held is None))

    def _free(self, place: Path, limit: int, ticket: str) -> BaseFileLock | None:
        """A free slot, unless somebody who came earlier waits for one.

        Args:
            place: The provider's directory.
            limit: How many slots there are.
            ticket: The name of the own ticket; empty for none.
        """
        for name in sorted(os.listdir(place)):  # noqa: PTH208 - names alone, once a look
            if not name.startswith("ticket-") or (ticket and name >= ticket):
                continue
            other = _lock(place / name)
            if other is not None:
                _give_back(other)  # its process is gone
            elif not (ticket and _looked(place / ticket) - _looked(place / name) > _STOPPED):
                return None
        for number in range(limit):
            slot = _lock(place / f"slot-{number}")
            if slot is not None:
                return slot
        return None


def _lock(path: Path) -> BaseFileLock | None:
    """The lock of a file, which is made if it is not there; None when another process has it."""
    from filelock import FileLock, Timeout  # only a limited request pays for the import

    lock = FileLock(path, timeout=0, mode=0o600, is_singleton=False)
    try:
        lock.acquire()
    except Timeout:
        return None
    return lock


def _draw(place: Path, ticks: Callable[[], int]) -> BaseFileLock:
    """A ticket of one's own."""
    while True:
        path = place / f"ticket-{ticks():020d}-{os.getpid()}"
        lock = _lock(path)
        # Between the making and the locking somebody may have taken it for a dead one.
        if lock is not None and path.exists():
            return lock
        if lock is not None:
            lock.release()


def _looked(ticket: Path) -> float:
    """When the process of a ticket last looked; by the one clock of the file system, in seconds."""
    try:
        return ticket.stat().st_mtime
    except OSError:
        return 0.0  # given back just now


def _name(lock: BaseFileLock) -> str:
    return os.path.basename(lock.lock_file)  # noqa: PTH119 - it may be text or a path


def _give_back(ticket: BaseFileLock) -> None:
    # Removed while it is still locked: nobody can have made it again under the same name by then.
    try:
        os.unlink(ticket.lock_file)  # noqa: PTH108 - it may be text or a path
    except OSError:
        pass  # it counts for nobody once it is unlocked, and the next one in line removes it
    finally:
        ticket.release()


def _make(*directories: Path) -> None:
    for directory in directories:
        if not directory.is_dir():
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)


@contextmanager
def _told(provider: str) -> Iterator[None]:
    """Turn what the disk refuses into the error of the request."""
    try:
        yield
    except OSError as error:
        where = error.filename or "the slots"
        raise WireError(
            ErrorKind.INVALID_REQUEST,
            f"the requests in flight to {provider} cannot be counted ({where}: "
            f"{error.strerror or error}); repair that, or unset {IN_FLIGHT}",
        ) from error
