"""What the file tools share: paths as models write them, files opened so that none can hang, errors in words."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from eukhe.tools.names import suggested_names
from eukhe.tools.tool import ToolFailedError

if TYPE_CHECKING:
    from collections.abc import Iterator

SNIFFED = 8192
"""Bytes of a file's start that tell text from the rest."""

_SHOWN_NAME = 200
"""Characters that a message shows of a path."""

_LONGEST = 4096
"""Bytes of the longest path (`PATH_MAX` of Linux)."""

_NEAR_LOOKED_AT = 2000
"""Names of a directory that are compared with one that is not there."""


def printable(text: str) -> str:
    """The text without what cannot be sent or shown: half characters, line ends and control characters."""
    if text.isprintable():
        return text
    whole = text.encode("utf-8", "surrogateescape" if _is_name(text) else "replace")
    shown = whole.decode("utf-8", "replace")
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in shown)


def _is_name(text: str) -> bool:
    """Whether the system made the text of bytes, so that it can be turned back."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def shown(given: str) -> str:
    """A path as messages show it; a model can send one of any length, and one of none."""
    if not given:
        return "the empty path"
    return printable(given if len(given) <= _SHOWN_NAME else f"{given[:_SHOWN_NAME]}\u2026")


def path_of(cwd: Path, given: str) -> Path:
    """The path that a model means: from the working directory, `~` for the home directory.

    Raises:
        OSError: it is longer than any system takes; to follow it part by part would take seconds.
        RuntimeError: there is no home directory.
        ValueError: it holds half a character.
    """
    if len(os.fsencode(given)) > _LONGEST:
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
    if given == "~" or given.startswith("~/"):
        return Path.home() / given[2:]
    return cwd / given


@contextmanager
def told(name: str, what: str, path: Path | None = None) -> Iterator[None]:
    """Turn what the system says into words for the model.

    Args:
        name: the path as messages show it.
        what: what cannot be done to it, for example `read`.
        path: where to look for near names when it is not there.

    Raises:
        ToolFailedError: the body failed with an `OSError`, or because the path is none.
    """
    try:
        yield
    except FileNotFoundError as error:
        hint = "" if path is None else near(path)
        raise ToolFailedError(f"there is no file {name}{hint}") from error
    except OSError as error:
        raise ToolFailedError(f"{name} cannot be {what}: {error.strerror or error}") from error
    except (ValueError, RuntimeError) as error:  # a NUL in the path; no home directory
        raise ToolFailedError(f"{name!r} is no path: {printable(str(error))}") from error


def open_file(path: Path, name: str) -> BinaryIO:
    """Open a plain file to read it, without waiting for anything.

    Raises:
        OSError: it cannot be opened.
        ToolFailedError: it is a directory, a pipe, a socket or a device.
    """
    # Looked at first, since the mere opening of a device can do something, and again when it is
    # open, since it can be another file by then.
    refuse_odd_kinds(path.stat().st_mode, name)
    # Some files of /proc are plain files and wait for news; O_NONBLOCK makes them say so.
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        refuse_odd_kinds(os.fstat(fd).st_mode, name)
    except BaseException:
        os.close(fd)
        raise
    return open(fd, "rb")  # noqa: PTH123 - a descriptor, not a path


def refuse_odd_kinds(mode: int, name: str) -> None:
    """Refuse what is no plain file.

    Raises:
        ToolFailedError: it is a directory, a pipe, a socket or a device.
    """
    if stat.S_ISDIR(mode):
        raise ToolFailedError(f"{name} is a directory, not a file")
    if not stat.S_ISREG(mode):
        # A pipe or a device could block or never end.
        raise ToolFailedError(f"{name} is a pipe, a socket or a device, not a file")


def why_binary(head: bytes) -> str:
    """Why these first bytes are no text; empty when they are."""
    if b"\0" in head:
        return "it holds NUL bytes"
    # The end of the sniffed part can cut a character in two: three bytes are given away.
    odd = head.decode("utf-8", "replace").count("\ufffd") - 3
    return "it is not UTF-8 text" if odd > len(head) * 0.1 else ""


def head_of(file: BinaryIO, name: str) -> bytes:
    """The first bytes of a file just opened, which is then at its start again.

    Raises:
        ToolFailedError: a read would wait.
    """
    head: bytes | None = file.read(SNIFFED)
    if head is None:  # what O_NONBLOCK says where a read would wait
        raise ToolFailedError(f"{name} has nothing to read now")
    file.seek(0)
    return head


def refuse_binary(file: BinaryIO, name: str, head: bytes) -> None:
    """Refuse a file that is no text.

    Raises:
        ToolFailedError: it is binary; the text says why and how large it is.
    """
    if why := why_binary(head):
        size = os.fstat(file.fileno()).st_size  # not by seeking: files of /proc know no end
        raise ToolFailedError(f"{name} is a binary file ({why}), {size} bytes")


def near(path: Path) -> str:
    """Names like the one that is not there, as the end of a sentence."""
    names: list[str] = []
    try:
        with os.scandir(path.parent) as entries:
            for entry, _ in zip(entries, range(_NEAR_LOOKED_AT), strict=False):
                names.append(printable(entry.name))
    except (OSError, ValueError):
        return f"; there is no directory {shown(str(path.parent))} either"
    found = suggested_names(path.name, sorted(names))
    return f"; there is {', '.join(found)}" if found else ""
