"""Repair: a new session of every commit of a damaged journal that still reads back. The damaged one stays."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eukhe.session import journal, nodes
from eukhe.session.errors import SessionError, UnsoundRecordError
from eukhe.session.nodes import Conversation, Document, Entry
from eukhe.session.staging import staged
from eukhe.session.store import Session, no_cyclic_garbage, now_ms
from eukhe.session.tree import ROOT, Put, Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from eukhe.session.tree import Record


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A line of the damaged journal that is not in the repaired one.

    Attributes:
        line: its number, from 1.
        offset: byte offset of its start.
        size: bytes of it.
        reason: why it cannot be used.
    """

    line: int
    offset: int
    size: int
    reason: str


@dataclass(frozen=True, slots=True)
class Repaired:
    """What a repair kept and what it left out.

    Attributes:
        kept: how many commits are in the copy.
        left_out: the lines that are not.
        adopted: conversations whose own commit is lost; they were made again for what hangs under them.
    """

    kept: int
    left_out: tuple[LeftOut, ...]
    adopted: tuple[int, ...]


def repair(
    source: Path,
    target: Path,
    finish: Callable[[Session], None],
    *,
    clock: Callable[[], int] = now_ms,
) -> Repaired:
    """Write a repaired copy of a session; it is there whole or not at all.

    A commit is kept when its checksum fits and the tree takes it. Where the checksum does not fit, nobody can tell
    what the line said, so it is left out, also when it still reads as JSON.

    Args:
        source: the directory of the damaged session.
        target: the directory of the copy; it must not exist yet.
        finish: puts right what the lost commits leave behind; may commit.
        clock: the wall clock, in milliseconds since 1970.

    Raises:
        NothingReadableError: no commit reads back.
        CommitFailedError: the copy cannot be stored; there is none.
        JournalDamagedError: the journal is no plain file.
        OSError: the journal cannot be read.
    """
    salvage = _Salvage()
    with staged(target) as hidden:
        path = hidden / journal.FILE
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with open(fd, "wb") as file, no_cyclic_garbage():  # noqa: PTH123 - a descriptor, no path
            commits = salvage.commits(source / journal.FILE)
            file.writelines(map(journal.encode_commit, commits))
            file.flush()
            os.fsync(file.fileno())
        if not salvage.kept:
            first = salvage.left_out[0].reason if salvage.left_out else "the file is empty"
            raise NothingReadableError(source / journal.FILE, first)
        with Session.open_to_write(hidden, clock=clock) as session:
            finish(session)
    return Repaired(salvage.kept, tuple(salvage.left_out), tuple(salvage.adopted))


class NothingReadableError(SessionError):
    """A journal in which no commit reads back.

    Attributes:
        path: the journal.
        reason: what is wrong with its first line.
    """

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: no commit reads back ({reason}); nothing was written")
        self.path = path
        self.reason = reason


class _Salvage:
    """Reads every line on its own, and numbers those anew that fit."""

    def __init__(self) -> None:
        self.kept = 0
        self.left_out: list[LeftOut] = []
        self.adopted: list[int] = []
        self._tree = Tree()
        self._seq = 0

    def commits(self, path: Path) -> Iterator[journal.Commit]:
        offset = 0
        for number, line in enumerate(journal.read_lines(path), start=1):
            try:
                yield self._commit(line)
            except (ValueError, UnsoundRecordError) as error:
                reason = str(error)
                self.left_out.append(LeftOut(number, offset, len(line), reason))
            offset += len(line)

    def _commit(self, line: bytes) -> journal.Commit:
        if not line.endswith(b"\n"):
            raise ValueError("the commit was never finished")
        commit = journal.decode_commit(line[:-1], None)
        if commit.seq <= self._seq:
            raise ValueError(f"commit {commit.seq} was there before")
        adopted: list[int] = []
        records = (*self._parents(commit.records, adopted), *commit.records)
        self._tree.apply(records)
        self._seq = commit.seq
        self.kept += 1
        self.adopted += adopted
        return journal.Commit(self.kept, commit.at, records)

    def _parents(self, records: tuple[Record, ...], adopted: list[int]) -> Iterator[Record]:
        """Make the conversations again that are missed."""
        made = {ROOT}
        for record in records:
            if not isinstance(record, Put):
                continue
            made.add(record.id)
            parent = record.parent
            is_ours = isinstance(
                nodes.from_json(record.value), (Entry, Document, Conversation)
            ) and isinstance(record.value, Mapping)
            if is_ours and parent not in made and parent not in self._tree and parent < record.id:
                made.add(parent)
                adopted.append(parent)
                yield Put(parent, ROOT, nodes.to_json(Conversation()))
