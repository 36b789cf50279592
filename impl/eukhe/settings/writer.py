"""The one writer of all config files: lock, read, change, write beside it, fsync, rename (S4b.1).

A process that is killed at any moment leaves the old file or the new one, and the operating system frees its lock.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final

from filelock import FileLock, Timeout

from eukhe.core.config import Drop, Put, Refused, Unchanged, Write, write
from eukhe.settings.disk import mark, parse, read_text
from eukhe.settings.errors import LockedError, RefusedWriteError, WriteFailedError
from eukhe.settings.json_text import changed

if TYPE_CHECKING:
    from collections.abc import Callable

    from eukhe.core.config import Change, Document, Format
    from eukhe.settings.disk import Text

__all__ = ["PATIENCE", "change_document", "change_text", "refused"]

#: Seconds that a writer waits for the lock of a file.
PATIENCE: Final = 60.0

_TRIES: Final = 10
_PRIVATE: Final = 0o600


def change_text(
    path: Path,
    edit: Callable[[Text], str | None],
    *,
    private: bool = True,
    keep_mode: bool = True,
    patience: float = PATIENCE,
) -> bool:
    """Change a file under its lock.

    Args:
        path: The file. A link of the user's own stays a link, and what it points to is written.
        edit: Told what is on disk now, gives the new text, or None to write nothing. What it raises comes out, and
            the file stays as it is. It may be called again when another program, which takes no lock, has changed
            the file meanwhile.
        private: Whether a new file, and the directory that is made for it, are for the user alone. A file that is
            not is a project's: its path has no links, since one in a project can come from anyone.
        keep_mode: Whether a file that is there keeps its mode.
        patience: Seconds to wait for the lock.

    Returns:
        Whether the file was written.

    Raises:
        RefusedWriteError: A project's file is behind a link; nothing was written.
        LockedError: Another process holds the lock.
        WriteFailedError: The file could not be written; it is as it was.
    """
    target = Path(os.path.realpath(path))
    if not private and target != path:
        message = (
            f"{path} is behind a symbolic link, to {target}: nothing was written, "
            "change that file itself if it is the one that is meant"
        )
        raise RefusedWriteError(path, message, "it is behind a symbolic link")
    try:
        target.parent.mkdir(mode=0o700 if private else 0o777, parents=True, exist_ok=True)
    except OSError as error:
        raise WriteFailedError(path, error) from error
    lock = target.with_name(f".{target.name}.lock")
    holder = FileLock(
        lock, timeout=patience, mode=_PRIVATE, is_singleton=False, poll_interval=0.005
    )
    try:
        holder.acquire()
    except Timeout as error:
        raise LockedError(path, lock, patience) from error
    except OSError as error:
        raise WriteFailedError(path, error) from error
    try:
        for _ in range(_TRIES):
            found = read_text(target)
            text = edit(found)
            if text is None:
                return False
            if _replace(target, path, text.encode(), found, private=private, keep=keep_mode):
                return True
        raise WriteFailedError(path, OSError(0, "another program changes it again and again"))
    finally:
        holder.release()


def _replace(
    target: Path, shown: Path, data: bytes, found: Text, *, private: bool, keep: bool
) -> bool:
    """Put new bytes in the place of a file; False when it is no longer the file that was read."""
    # Only who holds the lock makes this name, so one that is there was left by a process that was killed.
    beside = target.with_name(f".{target.name}.new")
    try:
        try:
            beside.unlink(missing_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
            fd = os.open(beside, flags, _PRIVATE if private else 0o666)
            with open(fd, "wb") as file:  # noqa: PTH123 - a descriptor with its mode, not a path
                if keep and found.mark is not None:
                    os.fchmod(fd, stat.S_IMODE(target.stat().st_mode))
                file.write(data)
                file.flush()
                os.fsync(fd)
            if mark(target) != found.mark:
                beside.unlink()
                return False
            beside.replace(target)
        except BaseException:
            with contextlib.suppress(OSError):
                beside.unlink()
            raise
        _sync(target.parent)
    except OSError as error:
        raise WriteFailedError(shown, error) from error
    return True


def _sync(directory: Path) -> None:
    """Make the new name durable, where the file system can."""
    with contextlib.suppress(OSError):
        fd = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def change_document(
    path: Path,
    format: Format,  # noqa: A002 -- the requirement's word
    change: Change | Callable[[Text], tuple[Change, Document] | None],
    *,
    private: bool = True,
    keep_mode: bool = True,
    patience: float = PATIENCE,
) -> bool:
    """Change one key of a config document.

    Args:
        path: The document.
        format: Its kind.
        change: The change; or what decides on it from what is on disk and says what the document then holds.
        private: As for `change_text`.
        keep_mode: As for `change_text`.
        patience: As for `change_text`.

    Returns:
        Whether the document was written: removing what is not there writes nothing.

    Raises:
        RefusedWriteError: The document cannot be read, parsed or understood; it is as it was.
        LockedError: Another process holds the lock.
        WriteFailedError: The document could not be written; it is as it was.
    """

    def edit(found: Text) -> str | None:
        if not isinstance(change, Put | Drop):
            decided = change(found)
            return None if decided is None else changed(found.text, decided[1], decided[0])
        match write(format, parse(found), change):
            case Refused() as no:
                raise refused(path, no)
            case Unchanged():
                return None
            case Write(contents):
                return changed(found.text, contents, change)

    return change_text(path, edit, private=private, keep_mode=keep_mode, patience=patience)


def refused(path: Path, no: Refused) -> RefusedWriteError:
    """Return the error of a document that must stay as it is."""
    return RefusedWriteError(path, no.message(str(path)), no.why, no.fault)
