"""The process behind the tool `grep`. A pattern can make `re` take for ever, and no thread can be stopped: it can.

It is started as a program of its own with its `Request` in JSON, writes matching lines to its output as they are
found, and ends itself when its time is over, whatever it is doing and whether or not anybody is left to end it.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections import deque
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from eukhe.tools.files import head_of, open_file, printable, why_binary
from eukhe.tools.glob import Glob
from eukhe.tools.tool import ToolFailedError
from eukhe.tools.walk import Walk

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_LINES = 20_000
"""Lines of output."""

MAX_SHOWN = 500
"""Characters that are shown of a line."""

_BEFORE_MATCH = 100
"""Characters of a long line that are shown before its match."""

MAX_LINE = 1 << 20
"""Bytes of a line that are searched."""

MAX_FILE = 64 * 1024 * 1024
"""Bytes of a file that are searched."""


BAD_PATTERN = 2
"""Exit code for a pattern that is no regular expression; the output says why."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is searched.

    Attributes:
        start: the file or directory.
        prefix: what stands before the paths that are shown; of a file the whole path.
        pattern: the regular expression.
        ignore_case: whether letters match in either case.
        glob: which files of a directory; empty for all.
        context: lines around a match.
        everything: whether ignored files are searched as well.
        seconds: how long it may take.
    """

    start: str
    prefix: str
    pattern: str
    ignore_case: bool
    glob: str
    context: int
    everything: bool
    seconds: float

    def to_argument(self) -> str:
        """The request as an argument of a program."""
        return json.dumps(asdict(self))


class _FullError(Exception):
    """There is enough output."""


class _Search:
    """One search.

    Args:
        request: what is searched.
        out: where the lines go.
    """

    def __init__(self, request: Request, out: BinaryIO) -> None:
        self._request = request
        self._pattern = re.compile(request.pattern, re.IGNORECASE if request.ignore_case else 0)
        self._out = out
        self._written = 0
        self._unread = 0
        self._cut = 0
        self._divided = True

    def run(self) -> Iterator[str]:
        """Search; yields notes on what was not searched."""
        start = Path(self._request.start)
        walk = Walk(start, self._request.everything, self._request.seconds, lambda: False)
        try:
            if start.is_dir():
                glob = Glob.of(self._request.glob) if self._request.glob else None
                for found in walk.entries():
                    if found.is_file and (glob is None or glob.matches(found.parts)):
                        shown = self._request.prefix + "/".join(found.parts)
                        self._file(Path(found.path), printable(shown))
            else:
                self._file(start, self._request.prefix, named=True)
        except _FullError:
            yield f"more than {MAX_LINES} lines were found; narrow the search"
        if not self._written:
            yield "nothing found"
        if walk.limit:
            yield f"not everything was searched: {walk.limit}; search a smaller directory"
        if self._unread + walk.unread:
            yield f"{self._unread + walk.unread} could not be read"
        if self._cut:
            yield f"of {self._cut} files only the first {MAX_FILE >> 20} MiB were searched"

    def _file(self, path: Path, name: str, *, named: bool = False) -> None:
        try:
            with open_file(path, name) as file:
                why = why_binary(head_of(file, name))
                if not why:
                    self._lines(file, name)
                elif named:
                    self._write(f"[{name} is a binary file ({why})]")
        except (OSError, ToolFailedError):
            self._unread += 1
        self._out.flush()

    def _lines(self, file: BinaryIO, name: str) -> None:
        around = self._request.context
        before: deque[tuple[int, str]] = deque(maxlen=around)
        last_shown, after, read = 0, 0, 0
        search = self._pattern.search
        number = 0
        while raw := file.readline(MAX_LINE):
            read += len(raw)
            number += 1
            line = raw.decode("utf-8", "replace").rstrip("\r\n")
            if match := search(line):
                first = before[0][0] if before else number
                if around and last_shown and first > last_shown + 1:
                    self._write("--")
                for at, one in before:
                    self._write(f"{name}-{at}- {_cut(one)}")
                before.clear()
                self._write(f"{name}:{number}: {_cut(line, match.start())}")
                last_shown, after = number, around
            elif after:
                self._write(f"{name}-{number}- {_cut(line)}")
                last_shown, after = number, after - 1
            elif around:
                before.append((number, line))
            if len(raw) == MAX_LINE:
                _skip_line(file, raw)
            if read >= MAX_FILE:
                self._cut += 1
                return

    def _write(self, line: str) -> None:
        if self._written >= MAX_LINES:
            raise _FullError
        self._written += 1
        self._out.write(f"{line}\n".encode("utf-8", "replace"))


def _skip_line(file: BinaryIO, raw: bytes) -> None:
    while raw and not raw.endswith(b"\n"):
        raw = file.readline(MAX_LINE)


def _cut(line: str, at: int = 0) -> str:
    """What is shown of a line: of a long one the part around a place in it."""
    if len(line) <= MAX_SHOWN:
        return line
    start = max(0, min(at - _BEFORE_MATCH, len(line) - MAX_SHOWN))
    end = start + MAX_SHOWN
    return "\u2026" * (start > 0) + line[start:end] + "\u2026" * (end < len(line))


def main() -> None:
    """Search as the first argument says; notes come last, each in square brackets."""
    request = Request(**json.loads(sys.argv[1]))
    # The signal ends the process even inside `re`, since it has no handler in Python.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, request.seconds + 2)
    with os.fdopen(1, "wb", closefd=False) as out:
        try:
            search = _Search(request, out)
        except (re.error, RecursionError, OverflowError) as error:
            out.write(f"{error}".encode("utf-8", "replace"))
            sys.exit(BAD_PATTERN)
        for note in search.run():
            out.write(f"[{note}]\n".encode())
