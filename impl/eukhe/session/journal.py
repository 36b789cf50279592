"""The journal `main.jsonl`: append-only, one commit a line, written whole and fsynced.

A line is one JSON object: `v` (version of the format), `seq` (number of the commit, from 1, the
same as the line number), `at` (milliseconds since 1970), `records`, and last `crc`, the CRC-32 of
all bytes of the line before `,"crc"`. The page docs/session-format.md tells the format to readers.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, BinaryIO

from eukhe.session.errors import CommitFailedError, JournalDamagedError
from eukhe.session.tree import Change, Del, Json, Put, Record, Rewind

if TYPE_CHECKING:
    from pathlib import Path

VERSION = 1
"""Version of the format that is written; an older one is read, a newer one is refused."""

FILE = "main.jsonl"
"""Name of the journal in a session's directory."""

_CRC_TAIL = len(',"crc":"00000000"}')


@dataclass(frozen=True, slots=True)
class Commit:
    """One line of the journal.

    Attributes:
        seq: number of the commit, from 1.
        at: when it was made, milliseconds since 1970.
        records: what it did to the tree, in order.
    """

    seq: int
    at: int
    records: tuple[Record, ...]


@dataclass(slots=True)
class Tail:
    """How far the journal reads: kept up to date by `read_commits`, which goes on from here.

    Attributes:
        seq: number of the newest commit that was read.
        start: byte offset of the start of the newest line that was read.
        end: byte offset after the last whole line; the next commit goes there.
        torn: bytes after `end`, the rest of a commit that was never finished (0: none).
    """

    seq: int = 0
    start: int = 0
    end: int = 0
    torn: int = 0


def encode_commit(commit: Commit) -> bytes:
    """The line of a commit, with its line end."""
    line = {
        "v": VERSION,
        "seq": commit.seq,
        "at": commit.at,
        "records": [_record_to_json(record) for record in commit.records],
    }
    text = json.dumps(line, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        body = text.encode()
    except UnicodeEncodeError:
        # A lone surrogate has no UTF-8 form; escaped it survives the round trip.
        body = json.dumps(line, allow_nan=False, separators=(",", ":")).encode()
    body = body[:-1]
    return body + b',"crc":"%08x"}\n' % zlib.crc32(body)


def decode_commit(line: bytes, seq: int | None) -> Commit:
    """Read a line, without its line end.

    Args:
        line: the bytes.
        seq: the number that it must have, None for any.

    Raises:
        ValueError: the line is no commit, or not number `seq`; the text says why.
    """
    if line[-_CRC_TAIL:-10] != b',"crc":"' or line[-2:] != b'"}':
        raise ValueError("the line is no commit: it has no checksum at its end")
    if line[-10:-2] != b"%08x" % zlib.crc32(line[:-_CRC_TAIL]):
        raise ValueError("the checksum does not fit the line")
    try:
        text = line.decode()
        value, end = _READ_JSON(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the line is not JSON ({error})") from error
    if end != len(text):
        raise ValueError("the line is not JSON: more stands behind it")
    version = value.get("v")
    if not isinstance(version, int) or version < 1:
        raise ValueError("the line has no version")
    if version > VERSION:
        raise ValueError(
            f"format version {version} is newer than this eukhe, which reads {VERSION}"
        )
    number = value.get("seq")
    if type(number) is not int or number != (number if seq is None else seq):
        raise ValueError(f"commit {number!r} stands where commit {seq} belongs")
    at, records = value.get("at"), value.get("records")
    if not isinstance(at, int) or not isinstance(records, list):
        raise ValueError("the commit has no time or no list of records")
    return Commit(number, at, tuple(map(_record_from_json, records)))


def read_lines(path: Path) -> Iterator[bytes]:
    """The lines of a journal as they are, with their line ends.

    Raises:
        JournalDamagedError: the path is no plain file.
        OSError: the file cannot be read.
    """
    with _open(path) as file:
        yield from file


def read_commits(path: Path, tail: Tail) -> Iterator[Commit]:
    """Read a journal; nothing is changed.

    Args:
        path: the journal.
        tail: where to go on, the start for a new one; told where the whole lines end and how many
            torn bytes follow.

    Raises:
        JournalDamagedError: a line other than a torn last one does not read back.
        OSError: the file cannot be read.
    """
    with _open(path) as file:
        file.seek(tail.end)
        for number, line in enumerate(file, start=tail.seq + 1):
            if not line.endswith(b"\n"):
                # Only the last line can lack its end: its one write never finished.
                tail.torn = len(line)
                return
            try:
                commit = decode_commit(line[:-1], number)
            except ValueError as error:
                raise JournalDamagedError(path, number, tail.end, str(error)) from error
            tail.seq = number
            tail.start = tail.end
            tail.end += len(line)
            yield commit


def _open(path: Path) -> BinaryIO:
    # Without O_NONBLOCK a pipe in the place of the journal would wait for a writer for ever.
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise JournalDamagedError(path, 1, 0, "this is no plain file")
    return open(fd, "rb")  # noqa: PTH123 - a descriptor, not a path


class JournalWriter:
    """Appends commits to one journal. The caller holds the lock of the session.

    Args:
        path: the journal; made with mode 0600 when it is not there.
        tail: what `read_commits` told of it. Torn bytes are put aside in a file
            `main.torn-<offset>` and cut off before the first append, so no byte is lost.

    Raises:
        CommitFailedError: the file cannot be opened for writing.
    """

    def __init__(self, path: Path, tail: Tail) -> None:
        self._path = path
        self._seq = tail.seq
        self._end = tail.end
        self._torn = tail.torn
        self._broken = False
        try:
            self._fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise _failed(path, error) from error

    def append(self, commit: Commit) -> None:
        """Write a commit and wait until it is on the disk.

        Raises:
            CommitFailedError: it is not; the journal ends where it ended before, or, when even that
                cannot be told, refuses every further commit.
        """
        # A Ctrl-C can fall between the line and the tree that takes note of it: no number may come twice.
        if self._broken or commit.seq != self._seq + 1:
            raise CommitFailedError(self._path, "an earlier commit failed")
        line = encode_commit(commit)
        end = self._end + len(line)
        try:
            self._settle_tail()
            written = os.write(self._fd, line)
            while written < len(line):
                # A full disk takes a part first; asking again brings its error, or the rest.
                written += os.write(self._fd, line[written:])
            os.fsync(self._fd)
        except OSError as error:
            self._take_back()
            raise _failed(self._path, error) from error
        except KeyboardInterrupt:
            self._take_back()
            raise
        # In one step, in which no Ctrl-C can fall.
        self._end, self._seq = end, commit.seq

    def close(self) -> None:
        """Close the file; every commit is on the disk already."""
        os.close(self._fd)

    def _settle_tail(self) -> None:
        status = os.fstat(self._fd)
        if status.st_nlink == 0:
            # What is written to it from now on would be nowhere when this process ends.
            self._broken = True
            raise CommitFailedError(self._path, "another program deleted or replaced the file")
        if status.st_size != self._end + self._torn:
            self._broken = True
            raise CommitFailedError(
                self._path, "another program changed the file; nothing was written to it"
            )
        if self._torn:
            aside = self._path.with_name(f"{self._path.stem}.torn-{self._end}")
            fd = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            with open(fd, "wb") as file:  # noqa: PTH123 - a descriptor with its mode, not a path
                file.write(os.pread(self._fd, self._torn, self._end))
                file.flush()
                os.fsync(file.fileno())
            os.ftruncate(self._fd, self._end)
            self._torn = 0

    def _take_back(self) -> None:
        # Half a line must not stay: the next commit would make it damage in the middle.
        if self._torn:
            return
        try:
            os.ftruncate(self._fd, self._end)
            os.fsync(self._fd)
        except OSError:
            self._broken = True


def sync_directory(path: Path) -> None:
    """Make the names in a directory durable, where the file system can."""
    with contextlib.suppress(OSError):  # some network file systems cannot sync a directory
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def _failed(path: Path, error: OSError) -> CommitFailedError:
    return CommitFailedError(path, error.strerror or str(error), error)


def _record_to_json(record: Record) -> dict[str, Json]:
    match record:
        case Put(id=node_id, parent=parent, value=value):
            return {"op": "put", "id": node_id, "parent": parent, "value": value}
        case Del(id=node_id):
            return {"op": "del", "id": node_id}
        case Rewind(changes=changes):
            return {"op": "rewind", "changes": [_record_to_json(change) for change in changes]}


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"{text} is no number of JSON")
    return number


_READ_JSON = json.JSONDecoder(parse_float=_finite, parse_constant=_finite).raw_decode
"""Reads only what can be written back, because a rewind has to; and without looking for white space around it."""


def _record_from_json(value: Json) -> Record:
    if isinstance(value, dict) and value.get("op") == "put":
        # By far the most, so they are read without a detour.
        node_id, parent = value.get("id"), value.get("parent")
        if type(node_id) is int and type(parent) is int and "value" in value:
            return Put(node_id, parent, value["value"])
    if isinstance(value, dict) and value.get("op") == "rewind":
        changes = value.get("changes")
        if isinstance(changes, list):
            return Rewind(tuple(_change_from_json(change) for change in changes))
    return _change_from_json(value)


def _change_from_json(value: Json) -> Change:
    if isinstance(value, dict):
        node_id, parent, op = value.get("id"), value.get("parent"), value.get("op")
        # bool is an int to Python and no id to us.
        if type(node_id) is int:
            if op == "put" and type(parent) is int and "value" in value:
                return Put(node_id, parent, value["value"])
            if op == "del":
                return Del(node_id)
    raise ValueError(f"a record is neither put, del nor rewind: {json.dumps(value)[:200]}")
