"""The files below a directory, in order, without following links, bounded in time and number."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from eukhe.tools.ignore import Ignore, ignored, read_ignore, repository_above

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_ENTRIES = 1_000_000
"""Entries that one walk looks at."""

MAX_IN_DIRECTORY = 200_000
"""Entries of one directory that a walk looks at."""

_ASKED_EACH = 256
"""Entries between two looks at the clock."""


@dataclass(frozen=True, slots=True)
class Found:
    """An entry of a walk.

    Attributes:
        path: where it is.
        parts: its path from the walk's root, part by part.
        is_directory: whether it is a directory; a link to one is none.
        is_file: whether it is a plain file, not a link to one.
    """

    path: str
    parts: tuple[str, ...]
    is_directory: bool
    is_file: bool


@dataclass(slots=True)
class Walk:
    """One walk; afterwards it knows why it did not see everything.

    Args:
        root: where it starts.
        everything: whether it goes where `.gitignore` and our own list would leave out.
        seconds: how long it may take.
        stopped: whether nobody waits any more.
    """

    root: Path
    everything: bool
    seconds: float
    stopped: Callable[[], bool]
    unread: int = 0
    limit: str = ""
    _seen: int = 0
    _until: float = field(default=0.0)

    def entries(self) -> Iterator[Found]:
        """Every entry: the entries of a directory by name, what is below a directory after it."""
        self._until = time.monotonic() + self.seconds
        above, files = ((), ()) if self.everything else self._above()
        stack: list[tuple[str, tuple[str, ...], tuple[Ignore, ...]]] = [
            (str(self.root), (), files),
        ]
        while stack and not self.limit:
            directory, parts, files = stack.pop()
            if not self.everything:
                own = read_ignore(Path(directory), len(above) + len(parts))
                files = (*files, own) if own is not None else files
            below = []
            for name, is_directory, is_file in self._listed(directory):
                found = Found(os.path.join(directory, name), (*parts, name), is_directory, is_file)  # noqa: PTH118 - a path object for each of a million entries is slow
                if self._is_over():
                    return
                if not self.everything and ignored((*above, *found.parts), is_directory, files):
                    continue
                yield found
                if is_directory:
                    below.append((found.path, found.parts, files))
            stack += reversed(below)

    def _above(self) -> tuple[tuple[str, ...], tuple[Ignore, ...]]:
        """The path of the root in its repository, and the `.gitignore` files on the way."""
        root = Path(os.path.realpath(self.root))
        top = repository_above(root)
        above = root.relative_to(top).parts
        files = []
        for depth in range(len(above)):
            one = read_ignore(top.joinpath(*above[:depth]), depth)
            if one is not None:
                files.append(one)
        return above, tuple(files)

    def _listed(self, directory: str) -> list[tuple[str, bool, bool]]:
        try:
            with os.scandir(directory) as entries:
                some = list(islice(entries, MAX_IN_DIRECTORY + 1))
        except OSError:
            self.unread += 1
            return []
        if len(some) > MAX_IN_DIRECTORY:
            self.limit = f"a directory has more than {MAX_IN_DIRECTORY} entries"
        listed = []
        for entry in some:
            try:
                listed.append(
                    (
                        entry.name,
                        entry.is_dir(follow_symlinks=False),
                        entry.is_file(follow_symlinks=False),
                    )
                )
            except OSError:
                self.unread += 1
        return sorted(listed)

    def _is_over(self) -> bool:
        self._seen += 1
        if self._seen > MAX_ENTRIES:
            self.limit = f"there are more than {MAX_ENTRIES} entries"
        elif self._seen % _ASKED_EACH == 0:
            if time.monotonic() > self._until:
                self.limit = f"it took more than {self.seconds:g} s"
            elif self.stopped():
                self.limit = "nobody waits for it"
        return bool(self.limit)
