"""The tool `read`: lines of a text file."""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
import threading
from typing import TYPE_CHECKING, BinaryIO, cast

from eukhe.tools.names import suggested_names
from eukhe.tools.tool import ToolFailedError, ToolOutput
from eukhe.wire.messages import ToolSpec

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from eukhe.tools.tool import ToolContext

MAX_LINES = 2000
"""Lines of one result."""

MAX_BYTES = 64 * 1024
"""Bytes of one result, before the last note."""

MAX_LINE = 4096
"""Bytes that are shown of one line."""

_SNIFFED = 8192

_SHOWN_NAME = 200
"""Characters that a message shows of a path."""

_SPEC = ToolSpec(
    name="read",
    description=(
        "Read a text file. Returns its lines as they are, at most "
        f"{MAX_LINES} lines or {MAX_BYTES // 1024} KiB a call; a note at the end says where to go on."
    ),
    schema={
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "description": "Path of the file, absolute or from the working directory.",
            },
            "offset": {
                "type": "integer",
                "minimum": 1,
                "description": "Number of the first line to read, from 1.",
            },
            "limit": {
                "type": "integer",
                "minimum": 1,
                "description": "How many lines to read at most.",
            },
        },
        "required": ["path"],
        "additionalProperties": False,
    },
)


class ReadTool:
    """Reads text files; refuses what is no text and says why."""

    @property
    def spec(self) -> ToolSpec:
        """Name, description and schema."""
        return _SPEC

    async def run(self, arguments: Mapping[str, object], context: ToolContext) -> ToolOutput:
        """Read in a thread, so that a slow disk holds up nobody else."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[str] = loop.create_future()
        name = cast("str", arguments["path"])
        offset = int(cast("float", arguments.get("offset", 1)))
        limit = min(int(cast("float", arguments.get("limit", MAX_LINES))), MAX_LINES)

        def settle(text: str, error: Exception | None) -> None:
            if done.done():
                return
            if error is None:
                done.set_result(text)
            else:
                done.set_exception(error)

        def work() -> None:
            text, failed = "", None
            try:
                text = _read(context.cwd, name, offset, limit)
            except Exception as error:  # raised again where it is waited for
                failed = error
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody asks any more
                loop.call_soon_threadsafe(settle, text, failed)

        # Not a thread of the loop's pool: the end of the process would wait for a dead disk.
        threading.Thread(target=work, name="read", daemon=True).start()
        return ToolOutput(await done)


def _read(cwd: Path, given: str, offset: int, limit: int) -> str:
    name = given if len(given) <= _SHOWN_NAME else f"{given[:_SHOWN_NAME]}\u2026"
    try:
        path = cwd / given
        if given == "~" or given.startswith("~/"):
            path = path.home() / given[2:]
        with _open(path, name) as file:
            _refuse_binary(file, name)
            return _lines(file, name, offset, limit)
    except FileNotFoundError as error:
        raise ToolFailedError(f"there is no file {name}{_near(path)}") from error
    except OSError as error:
        raise ToolFailedError(f"{name} cannot be read: {error.strerror or error}") from error
    except (ValueError, RuntimeError) as error:  # a NUL in the path; no home directory
        raise ToolFailedError(f"{name!r} is no path: {error}") from error


def _open(path: Path, name: str) -> BinaryIO:
    # Looked at first, since the mere opening of a device can do something, and again when it is
    # open, since it can be another file by then.
    _refuse_odd_kinds(path.stat().st_mode, name)
    # Some files of /proc are plain files and wait for news; O_NONBLOCK makes them say so.
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        _refuse_odd_kinds(os.fstat(fd).st_mode, name)
    except BaseException:
        os.close(fd)
        raise
    return open(fd, "rb")  # noqa: PTH123 - a descriptor, not a path


def _refuse_odd_kinds(mode: int, name: str) -> None:
    if stat.S_ISDIR(mode):
        raise ToolFailedError(f"{name} is a directory, not a file")
    if not stat.S_ISREG(mode):
        # A pipe or a device could block or never end.
        raise ToolFailedError(f"{name} is a pipe, a socket or a device, not a file")


def _refuse_binary(file: BinaryIO, name: str) -> None:
    head = file.read(_SNIFFED)
    if head is None:  # what O_NONBLOCK says where a read would wait
        raise ToolFailedError(f"{name} has nothing to read now")
    size = os.fstat(file.fileno()).st_size  # not by seeking: files of /proc know no end
    file.seek(0)
    if b"\0" in head:
        raise ToolFailedError(f"{name} is a binary file (it holds NUL bytes), {size} bytes")
    # The end of the sniffed part can cut a character in two: three bytes are given away.
    odd = head.decode("utf-8", "replace").count("\ufffd") - 3
    if odd > len(head) * 0.1:
        raise ToolFailedError(f"{name} is a binary file (it is not UTF-8 text), {size} bytes")


def _lines(file: BinaryIO, name: str, offset: int, limit: int) -> str:
    for skipped in range(offset - 1):
        if not _next_line(file):
            raise ToolFailedError(f"{name} has only {skipped} lines; line {offset} is past its end")
    shown: list[bytes] = []
    size = 0
    while len(shown) < limit and size < MAX_BYTES:
        line = _next_line(file)
        if not line:
            break
        shown.append(line)
        size += len(line)
    if not shown:
        if offset == 1:
            return "[the file is empty]"
        raise ToolFailedError(f"{name} has only {offset - 1} lines; line {offset} is past its end")
    text = b"".join(shown).decode("utf-8", "replace")
    notes = []
    if "\ufffd" in text:
        notes.append("bytes that are not UTF-8 are shown as \ufffd")
    if file.read(1):
        after = offset + len(shown)
        notes.append(f"lines {offset} to {after - 1}; more follow, go on with offset {after}")
    return text + "".join(f"\n[{note}]" for note in notes)


def _next_line(file: BinaryIO) -> bytes:
    """The next line with its end, cut to `MAX_LINE` bytes; empty at the end of the file."""
    line = file.readline(MAX_LINE + 1)
    if line.endswith(b"\n") or len(line) <= MAX_LINE:
        return line
    cut = 0
    rest = line
    while rest and not rest.endswith(b"\n"):
        rest = file.readline(1 << 20)
        cut += len(rest)
    shown = line[:MAX_LINE].decode("utf-8", "ignore").encode()
    return shown + f" [{cut + len(line) - len(shown)} more bytes of this line]\n".encode()


def _near(path: Path) -> str:
    try:
        names = [child.name for child in path.parent.iterdir()]
    except OSError:
        return f"; there is no directory {path.parent} either"
    near = suggested_names(path.name, names)
    return f"; there is {', '.join(near)}" if near else ""
