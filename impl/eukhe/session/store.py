"""A session: its tree in memory, its journal on the disk, and an index over both."""

from __future__ import annotations

import gc
import time
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Self

from eukhe.session import journal, nodes
from eukhe.session.errors import (
    CommitFailedError,
    JournalDamagedError,
    SessionError,
    SessionUnreadableError,
    UnsoundRecordError,
)
from eukhe.session.index import Index
from eukhe.session.nodes import Conversation, Document, Entry
from eukhe.session.tree import ROOT, Put, Record, Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from eukhe.session.lock import WriterLock
    from eukhe.session.tree import Json


def now_ms() -> int:
    """The wall clock, in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


@contextmanager
def no_cyclic_garbage() -> Iterator[None]:
    """Keep the collector of cycles from running while a journal is read.

    A replay makes a million objects and no cycle; the collector would look at all of them again and again.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class Session:
    """One session. Make it with `create`, `open_to_write`, `open_to_read` or `in_memory`.

    A commit changes the tree and the journal, both or neither. Close a session that was opened
    to write, or use it as a context manager, so that the next writer gets in.

    Attributes:
        id: name of the session; ids sort by the time the session was made.
        directory: where it is stored; None for a session in memory.
        tree: the live tree. Read it; change it through `commit` only.
        warnings: what was found while it was opened, in words for the user.
        modified: when the last commit was made, milliseconds since 1970 (0: never).
    """

    def __init__(
        self,
        session_id: str,
        directory: Path | None,
        *,
        clock: Callable[[], int] = now_ms,
    ) -> None:
        self.id = session_id
        self.directory = directory
        self.tree = Tree()
        self.warnings: tuple[str, ...] = ()
        self.modified = 0
        self._clock = clock
        self._seq = 0
        self._in_file = 0
        self._index = Index()
        self._lock: WriterLock | None = None
        self._writer: journal.JournalWriter | None = None
        self._read_only = False
        # Commits that are in no file, for `commits`.
        self._kept: list[journal.Commit] | None = [] if directory is None else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @classmethod
    def in_memory(cls, session_id: str, *, clock: Callable[[], int] = now_ms) -> Session:
        """A session that is stored nowhere."""
        return cls(session_id, None, clock=clock)

    @classmethod
    def create(cls, directory: Path, *, clock: Callable[[], int] = now_ms) -> Session:
        """Make a session in a directory that does not exist yet; its name becomes the id.

        Raises:
            CommitFailedError: the directory or the journal cannot be made.
        """
        try:
            directory.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            directory.mkdir(mode=0o700)
        except OSError as error:
            raise CommitFailedError(directory, error.strerror or str(error), error) from error
        session = cls(directory.name, directory, clock=clock)
        try:
            session._open_writer(journal.Tail())
            journal.sync_directory(directory)
            journal.sync_directory(directory.parent)
        except BaseException:
            session.close()
            raise
        return session

    @classmethod
    def open_to_write(cls, directory: Path, *, clock: Callable[[], int] = now_ms) -> Session:
        """Open a stored session as its one writer. Nothing is written before the first commit.

        Raises:
            SessionBusyError: another process writes to it.
            JournalDamagedError: the journal does not read back; it was not changed.
            SessionUnreadableError: the system does not let us read the journal.
            CommitFailedError: the journal cannot be opened for writing.
        """
        session = cls(directory.name, directory, clock=clock)
        session._take_lock()
        try:
            session._open_writer(session._load())
        except BaseException:
            session.close()
            raise
        return session

    @classmethod
    def open_to_read(cls, directory: Path) -> Session:
        """Open a stored session as it is now, beside whoever writes to it; commits are refused.

        Raises:
            JournalDamagedError: the journal does not read back.
            SessionUnreadableError: the system does not let us read the journal.
        """
        session = cls(directory.name, directory)
        session._read_only = True
        session._load()
        return session

    @property
    def path(self) -> Path | None:
        """The journal, None for a session in memory."""
        return None if self.directory is None else self.directory / journal.FILE

    def commit(self, *records: Record) -> int:
        """Apply records to the tree and store them as one line of the journal.

        Returns:
            The number of the commit, from 1: the cursor of the tree after it.

        Raises:
            UnsoundRecordError: a record breaks a rule of the tree, or hangs a node under what is no
                conversation, or deletes a conversation; nothing changed.
            CommitFailedError: the journal could not be written; nothing changed.
        """
        if self._read_only:
            raise SessionError(f"session {self.id} was opened to read")
        self._index.check(records)
        backward = self.tree.apply(records)
        commit = journal.Commit(self._seq + 1, self._clock(), records)
        if self._writer is not None:
            try:
                self._writer.append(commit)
            except BaseException:
                self.tree.undo(backward)
                raise
        self._index.note(self.tree, (node_id for node_id, _ in backward.steps))
        self._seq = commit.seq
        self.modified = commit.at
        if self._kept is not None:
            self._kept.append(commit)
        return self._seq

    def detach(self) -> None:
        """Go on in memory only, after a commit that failed: what is on the disk stays as it is."""
        self.close()
        self._read_only = False
        if self._kept is None:
            self._kept, self._in_file = [], self._seq

    def close(self) -> None:
        """Close the journal and let the next writer in."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    @property
    def cursor(self) -> int:
        """The number of commits so far: replaying as many gives the live tree (S1)."""
        return self._seq

    def commits(self) -> Iterator[journal.Commit]:
        """All commits of the live tree, the first one first, read from the journal again.

        Raises:
            JournalDamagedError: the journal does not read back any more.
            SessionUnreadableError: the system does not let us read the journal.
        """
        in_file = self._seq if self._kept is None else self._in_file
        if in_file and self.path is not None:
            try:
                yield from islice(journal.read_commits(self.path, journal.Tail()), in_file)
            except OSError as error:
                raise SessionUnreadableError(self.path, error) from error
        yield from self._kept or ()

    def conversations(self) -> tuple[int, ...]:
        """Ids of all conversations, oldest first."""
        return tuple(sorted(self._index.conversations))

    def entries(self, conversation: int) -> tuple[tuple[int, Entry], ...]:
        """The rows of a conversation with their ids, oldest first."""
        rows = []
        for node in self.tree.children(conversation):
            value = nodes.from_json(node.value)
            if isinstance(value, Entry):
                rows.append((node.id, value))
        return tuple(rows)

    def document(self, name: str, parent: int = ROOT) -> Mapping[str, Json] | None:
        """The document of this name under the root or a conversation, or None."""
        node_id = self._index.documents.get((parent, name))
        node = None if node_id is None else self.tree.node(node_id)
        value = None if node is None else nodes.from_json(node.value)
        return value.body if isinstance(value, Document) else None

    def draft(self) -> Draft:
        """Start a commit: it hands out ids and knows which documents are there already."""
        return Draft(self.tree.next_id, self._index.documents)

    def _take_lock(self) -> None:
        from eukhe.session.lock import WriterLock  # only writers pay for the import of filelock

        if self.directory is not None:
            self._lock = WriterLock(self.directory)

    def _open_writer(self, tail: journal.Tail) -> None:
        if self.path is None:
            return
        if self._lock is None:
            self._take_lock()
        self._writer = journal.JournalWriter(self.path, tail)

    def _load(self) -> journal.Tail:
        tail = journal.Tail()
        path = self.path
        if path is None:
            return tail
        try:
            with no_cyclic_garbage():
                for commit in journal.read_commits(path, tail):
                    self._replay(commit, path, tail)
        except FileNotFoundError:
            # A crash between the making of the directory and of the journal: an empty session.
            pass
        except OSError as error:
            raise SessionUnreadableError(path, error) from error
        if tail.torn:
            self.warnings += (
                f"{path}: the last commit was never finished ({tail.torn} bytes after byte "
                f"{tail.end}); it was dropped",
            )
        return tail

    def _replay(self, commit: journal.Commit, path: Path, tail: journal.Tail) -> None:
        for position, record in enumerate(commit.records):
            try:
                steps = self.tree.load(record)
            except UnsoundRecordError as error:
                why = str(UnsoundRecordError(position, error.reason))
                raise JournalDamagedError(path, commit.seq, tail.start, why) from error
            if isinstance(record, Put):
                self._index.put(record.id, record.parent, record.value)
            else:
                self._index.note(self.tree, (node_id for node_id, _ in steps))
        self._seq = commit.seq
        self.modified = commit.at


class Draft:
    """The records of one commit in the making.

    Args:
        next_id: the first free id of the tree.
        documents: ids of the documents that are there, by parent and name.
    """

    def __init__(self, next_id: int, documents: Mapping[tuple[int, str], int]) -> None:
        self._next = next_id
        self._documents = dict(documents)
        self._records: list[Record] = []

    @property
    def records(self) -> tuple[Record, ...]:
        """What to hand to `Session.commit`."""
        return tuple(self._records)

    def conversation(self, parent: int = ROOT) -> int:
        """Add a conversation; its id."""
        return self.put(parent, nodes.to_json(Conversation()))

    def entry(self, conversation: int, kind: str, body: Mapping[str, Json]) -> int:
        """Add a row at the end of a conversation; its id."""
        return self.put(conversation, nodes.to_json(Entry(kind, body)))

    def document(self, name: str, body: Mapping[str, Json], parent: int = ROOT) -> int:
        """Set a document under the root or a conversation; its id."""
        known = self._documents.get((parent, name))
        if known is not None:
            self._records.append(Put(known, parent, nodes.to_json(Document(name, body))))
            return known
        node_id = self.put(parent, nodes.to_json(Document(name, body)))
        self._documents[parent, name] = node_id
        return node_id

    def put(self, parent: int, value: Json) -> int:
        """Add a node; its id."""
        node_id = self._next
        self._next += 1
        self._records.append(Put(node_id, parent, value))
        return node_id
