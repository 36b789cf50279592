"""A file's new content, whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from eukhe.tools.files import refuse_odd_kinds, shown
from eukhe.tools.tool import ToolFailedError

if TYPE_CHECKING:
    from eukhe.tools.in_thread import Stop


@dataclass(frozen=True, slots=True)
class Target:
    """The file that a path leads to.

    Attributes:
        path: where it is, with no symlink left in it.
        before: what the system says of it; None when it is not there.
    """

    path: Path
    before: os.stat_result | None


def target_of(cwd: Path, path: Path, name: str) -> Target:
    """Follow the symlinks of a path that is to be written.

    A path below the working directory must not lead out of it: a link in a repository can come from anybody,
    and the person who reads `notes.txt` in a call does not expect their shell profile behind it.

    Args:
        cwd: the working directory.
        path: the path to write, from `path_of`.
        name: the path as messages show it.

    Raises:
        OSError: it cannot be looked at.
        ToolFailedError: it leads out of the working directory, or to what is no plain file.
    """
    real = Path(os.path.realpath(path))
    meant = Path(os.path.abspath(path))  # noqa: PTH100 - `..` goes by the words here, not by the links
    if meant.is_relative_to(cwd) and not real.is_relative_to(os.path.realpath(cwd)):
        raise ToolFailedError(
            f"{name} is a symlink out of the working directory, to {shown(str(real))}; "
            "nothing was written. Name that path itself if it is the one to write"
        )
    try:
        before = real.stat()  # a circle of links is still one here, and the system says so
    except FileNotFoundError:
        return Target(real, None)
    refuse_odd_kinds(before.st_mode, name)
    return Target(real, before)


def replace(target: Target, name: str, content: bytes, stop: Stop) -> None:
    """Put new content in the place of the old: a temporary file beside it, synced, then renamed.

    Whoever reads the file meanwhile sees the old content or the new. The permission bits stay, and the owner
    where the system lets them; other hard links keep the old content.

    Args:
        target: the file, from `target_of`.
        name: its path as messages show it.
        content: the new content.
        stop: whether nobody waits any more; then nothing is replaced.

    Raises:
        OSError: it cannot be written; nothing has changed.
        ToolFailedError: it is read-only, or it has changed since it was looked at.
    """
    before = target.before
    if before is not None and not os.access(target.path, os.W_OK):
        # A rename would not ask for it.
        raise ToolFailedError(f"{name} is read-only; nothing was written")
    temporary = target.path.with_name(f".eukhe-{secrets.token_hex(6)}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
    # Of an existing file nobody may read more meanwhile than before.
    fd = os.open(temporary, flags, 0o666 if before is None else 0o600)
    try:
        with open(fd, "wb") as file:  # noqa: PTH123 - a descriptor, not a path
            file.write(content)
            file.flush()
            if before is not None:
                _keep_owner(fd, before)
                os.fchmod(fd, stat.S_IMODE(before.st_mode))
            os.fsync(fd)
        if stop or not _is_unchanged(target):
            raise ToolFailedError(
                f"{name} has changed while it was being written; nothing was replaced. Read it again"
            )
        temporary.rename(target.path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    _sync_directory(target.path.parent)


def _keep_owner(fd: int, before: os.stat_result) -> None:
    now = os.fstat(fd)
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        with contextlib.suppress(OSError):
            os.fchown(fd, before.st_uid, before.st_gid)


def _is_unchanged(target: Target) -> bool:
    try:
        now = target.path.lstat()
    except FileNotFoundError:
        return target.before is None
    was = target.before
    return was is not None and (
        (now.st_ino, now.st_dev, now.st_size, now.st_mtime_ns)
        == (was.st_ino, was.st_dev, was.st_size, was.st_mtime_ns)
    )


def _sync_directory(directory: Path) -> None:
    # The rename has happened; some file systems cannot sync a directory, and that is no failure.
    with contextlib.suppress(OSError):
        fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
