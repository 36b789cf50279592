"""The side cache `main.summary` of a session: the digest of its journal up to a line, never believed over it.

The cache holds as long as the journal is the file that was read, by size, time and number. When the journal only
grew behind the line that the cache ends with, only what is new is read; in any other case all is read again.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import zlib
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from eukhe.agent.stored.digest import Digest
from eukhe.session import journal
from eukhe.session.errors import JournalDamagedError, UnsoundRecordError
from eukhe.session.store import no_cyclic_garbage
from eukhe.session.tree import Tree

if TYPE_CHECKING:
    from pathlib import Path

FILE = "main.summary"

_VERSION = 2

_SMALL = 16 * 1024
"""Bytes of a journal that is read as fast as a cache."""


@dataclass(frozen=True, slots=True)
class _Mark:
    """What tells whether a journal is still the one that was read."""

    size: int
    mtime_ns: int
    inode: int

    @classmethod
    def of(cls, path: Path) -> _Mark:
        found = path.stat()
        return cls(found.st_size, found.st_mtime_ns, found.st_ino)


@dataclass(frozen=True, slots=True)
class _Cached:
    mark: _Mark
    tail: journal.Tail
    line: int
    """CRC-32 of the last line."""
    digest: Digest


def digest_of(directory: Path) -> Digest:
    """Read what is new in a session's journal and add it up.

    Raises:
        JournalDamagedError: the journal does not read back.
        OSError: the journal cannot be read.
    """
    path = directory / journal.FILE
    mark = _Mark.of(path)
    cached = _read(directory / FILE) if mark.size > _SMALL else None
    if cached is not None and cached.mark == mark:
        return cached.digest
    found = None if cached is None else _go_on(path, cached)
    digest, tail = found or _from_start(path)
    if mark.size > _SMALL:
        _write(directory / FILE, _Cached(mark, tail, _line(path, tail), digest))
    return digest


def _go_on(path: Path, cached: _Cached) -> tuple[Digest, journal.Tail] | None:
    """Add what came after the cache; None when the cache cannot be gone on from."""
    tail, digest = cached.tail, cached.digest
    if _line(path, tail) != cached.line:
        return None
    tail.torn = 0
    with no_cyclic_garbage():
        if all(digest.add(commit) for commit in journal.read_commits(path, tail)):
            return digest, tail
    return None


def _from_start(path: Path) -> tuple[Digest, journal.Tail]:
    digest, tail = Digest(), journal.Tail()
    with no_cyclic_garbage():
        if all(digest.add(commit) for commit in journal.read_commits(path, tail)):
            return digest, tail
        digest, tail = Digest(), journal.Tail()
        try:
            digest.follow(Tree(), journal.read_commits(path, tail))
        except UnsoundRecordError as error:
            raise JournalDamagedError(path, tail.seq, tail.start, str(error)) from error
    return digest, tail


def _line(path: Path, tail: journal.Tail) -> int:
    """The checksum of the last line that was read; -1 where the journal is shorter."""
    with path.open("rb") as file:
        file.seek(tail.start)
        line = file.read(tail.end - tail.start)
    return zlib.crc32(line) if len(line) == tail.end - tail.start else -1


def _read(path: Path) -> _Cached | None:
    """The cache; None when there is none that can be used."""
    try:
        crc, _, body = path.read_bytes().partition(b"\n")
        if crc != b"%08x" % zlib.crc32(body):
            return None
        form: dict[str, Any] = json.loads(body)
        if form["v"] != _VERSION:
            return None
        return _Cached(
            _Mark(**form["mark"]),
            journal.Tail(**form["tail"]),
            form["line"],
            Digest.from_json(form["digest"]),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _write(path: Path, cached: _Cached) -> None:
    form = {
        "v": _VERSION,
        "mark": asdict(cached.mark),
        "tail": asdict(cached.tail),
        "line": cached.line,
        "digest": cached.digest.to_json(),
    }
    body = json.dumps(form).encode()
    part = path.with_name(f"{path.name}-{secrets.token_hex(3)}")
    # A directory that cannot be written costs the next list a reading, nothing else. No sync either: a cache that
    # a power cut tore does not have its checksum.
    with contextlib.suppress(OSError):
        fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with open(fd, "wb") as file:  # noqa: PTH123 - a descriptor with its mode, not a path
                file.write(b"%08x\n" % zlib.crc32(body) + body)
            part.replace(path)
        except OSError:
            part.unlink(missing_ok=True)
