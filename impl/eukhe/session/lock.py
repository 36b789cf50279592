"""One writer at a time: the lock of a session, and the note that says who holds it."""

from __future__ import annotations

import contextlib
import json
import os
import socket
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from eukhe.session.errors import CommitFailedError, SessionBusyError

if TYPE_CHECKING:
    from pathlib import Path

_LOCK = "main.lock"
_OWNER = "main.owner"

_NOTE = 4096
"""Bytes of the note that are read."""

_MOMENT = 5.0
"""Seconds that the lock of a process that is gone is waited for."""


class WriterLock:
    """Held by the process that writes a session; released at `release` or when the process ends.

    The operating system keeps the lock, so a killed owner leaves none behind; the note beside it
    only names the owner to others and decides nothing.

    Args:
        directory: the session.

    Raises:
        SessionBusyError: another process (or another `Session` of this one) holds it.
        CommitFailedError: the lock file cannot be made.
    """

    def __init__(self, directory: Path) -> None:
        self._owner = directory / _OWNER
        lock = FileLock(directory / _LOCK, timeout=0, mode=0o600, is_singleton=False)
        try:
            lock.acquire()
        except Timeout:
            self._outlast(lock, directory)
        except OSError as error:
            path = directory / _LOCK
            raise CommitFailedError(path, error.strerror or str(error), error) from error
        self._lock = lock
        note = json.dumps({"pid": os.getpid(), "host": socket.gethostname()})
        # Without the note the lock still holds; a second opener just gets no name.
        with contextlib.suppress(OSError):
            self._owner.unlink(missing_ok=True)
            fd = os.open(self._owner, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with open(fd, "w", encoding="utf-8") as file:  # noqa: PTH123 - a descriptor, no path
                file.write(note)

    def _outlast(self, lock: FileLock, directory: Path) -> None:
        """Take the lock over from a process that was killed while it started another one.

        Until that one is exec'd it has the lock as well, which takes a moment.
        """
        pid, host = _read_owner(self._owner)
        gone = pid is not None and host == socket.gethostname() and not _is_there(pid)
        try:
            lock.acquire(timeout=_MOMENT if gone else 0)
        except Timeout as error:
            raise SessionBusyError(directory, *_read_owner(self._owner)) from error

    def release(self) -> None:
        """Let the next writer in."""
        with contextlib.suppress(OSError):
            self._owner.unlink(missing_ok=True)
        self._lock.release()


def _read_owner(path: Path) -> tuple[int | None, str | None]:
    try:
        # Whatever is in its place, a pipe for example, holds nobody up.
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        with open(fd, "rb", buffering=0) as file:  # noqa: PTH123 - a descriptor, not a path
            note = json.loads(file.read(_NOTE) or b"")
        return int(note["pid"]), str(note["host"])
    except (OSError, ValueError, KeyError, TypeError):
        return None, None


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # it is somebody else's
    return True
