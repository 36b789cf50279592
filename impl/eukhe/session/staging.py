"""Session directories that are made and removed whole: built under a hidden name and renamed, and the reverse."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from eukhe.session.errors import CommitFailedError, SessionBusyError, SessionError
from eukhe.session.journal import sync_directory

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_NEW, _GONE = ".new-", ".deleted-"

_ABANDONED = 3600.0
"""Seconds after which a half-built session that no process holds is one that a crash left."""

OUTPUTS = "outputs"
"""Directory of the full texts of tool outputs, in a session's directory."""


@contextmanager
def staged(target: Path) -> Iterator[Path]:
    """Build a session's directory: it gets its name when it is whole, or it does not exist.

    Args:
        target: the directory; it must not exist yet.

    Yields:
        The hidden directory to build it in. What is written into its files must be synced by the builder.

    Raises:
        CommitFailedError: the directory is there already, or cannot be made.
    """
    parent = target.parent
    hidden = parent / f"{_NEW}{target.name}-{secrets.token_hex(3)}"
    try:
        parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        sweep(parent)
        if os.path.lexists(target):
            raise CommitFailedError(target, "it exists already")
        hidden.mkdir(mode=0o700)
    except OSError as error:
        raise CommitFailedError(hidden, error.strerror or str(error), error) from error
    try:
        yield hidden
        sync_directory(hidden)
        hidden.rename(target)
    except BaseException as error:
        shutil.rmtree(hidden, ignore_errors=True)
        if isinstance(error, OSError):
            raise CommitFailedError(target, error.strerror or str(error), error) from error
        raise
    sync_directory(parent)


class ForeignFilesError(SessionError):
    """A directory that is to be deleted holds files that belong to no session.

    Attributes:
        directory: the session.
        names: the files.
    """

    def __init__(self, directory: Path, names: tuple[str, ...]) -> None:
        super().__init__(
            f"{directory} holds what is not of a session: {', '.join(names)}; nothing was deleted, "
            "move it away first"
        )
        self.directory = directory
        self.names = names


def delete(directory: Path) -> None:
    """Delete a session: from one moment to the next it is not there any more, then its files go.

    Raises:
        SessionBusyError: another process writes to it.
        ForeignFilesError: the directory holds other files, too.
        CommitFailedError: the directory cannot be renamed; it is as it was.
    """
    from eukhe.session.lock import WriterLock  # only writers pay for the import of filelock

    foreign = [
        child.name
        for child in directory.iterdir()
        if not child.name.startswith("main.") and child.name != OUTPUTS
    ]
    if foreign or directory.is_symlink():
        raise ForeignFilesError(directory, tuple(sorted(foreign)) or ("a symbolic link",))
    lock = WriterLock(directory)
    hidden = directory.with_name(f"{_GONE}{directory.name}-{secrets.token_hex(3)}")
    try:
        directory.rename(hidden)
    except OSError as error:
        raise CommitFailedError(directory, error.strerror or str(error), error) from error
    finally:
        lock.release()
    sync_directory(directory.parent)
    sweep(directory.parent)


def sweep(sessions_dir: Path) -> None:
    """Remove what a crash left: deleted sessions, and half-built ones that nobody builds any more."""
    with contextlib.suppress(OSError):
        for child in list(sessions_dir.iterdir()):
            if child.name.startswith(_GONE) or (
                child.name.startswith(_NEW) and _is_abandoned(child)
            ):
                shutil.rmtree(child, ignore_errors=True)


def _is_abandoned(directory: Path) -> bool:
    from eukhe.session.lock import WriterLock

    try:
        if time.time() - directory.stat().st_mtime < _ABANDONED:
            return False
        WriterLock(directory).release()
    except (SessionBusyError, CommitFailedError, OSError):
        return False
    return True
