"""What can go wrong with a stored session, one class a cause, each with its fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class SessionError(Exception):
    """Any failure of the session store."""


class UnsoundRecordError(SessionError):
    """A record that would make the tree unsound; the tree is as it was (S1).

    Attributes:
        position: index of the record in its commit, from 0.
        reason: which rule of the tree it breaks.
    """

    def __init__(self, position: int, reason: str) -> None:
        super().__init__(f"record {position} of the commit is unsound: {reason}")
        self.position = position
        self.reason = reason


class JournalDamagedError(SessionError):
    """A journal that does not read back; the file is left exactly as it is.

    Attributes:
        path: the journal.
        line: number of the damaged line, from 1.
        offset: byte offset of the start of that line.
        reason: what is wrong with the line.
    """

    def __init__(self, path: Path, line: int, offset: int, reason: str) -> None:
        super().__init__(
            f"{path}, line {line} (byte {offset}): {reason}. The file was not changed; "
            f"`eukhe sessions repair {path.parent.name}` makes a copy of what can be read"
        )
        self.path = path
        self.line = line
        self.offset = offset
        self.reason = reason


class SessionUnreadableError(SessionError):
    """A journal that the system does not let us read.

    Attributes:
        path: the journal.
        cause: the error of the operating system.
    """

    def __init__(self, path: Path, cause: OSError) -> None:
        super().__init__(f"the session cannot be read: {path}: {cause.strerror or cause}")
        self.path = path
        self.cause = cause


class SessionNotFoundError(SessionError):
    """No stored session answers to the name that was given.

    Attributes:
        name: the id, the start of an id, or the directory that was asked for.
        sessions_dir: where it was looked for.
    """

    def __init__(self, name: str, sessions_dir: Path, detail: str = "") -> None:
        super().__init__(
            f"no session {name!r} in {sessions_dir}{detail}; "
            "`eukhe sessions list` shows what is stored"
        )
        self.name = name
        self.sessions_dir = sessions_dir


class NoSuchEntryError(SessionError):
    """The session never had a row with this id.

    Attributes:
        session: id of the session.
        entry: the id that was asked for.
    """

    def __init__(self, session: str, entry: int) -> None:
        super().__init__(
            f"session {session} has no entry {entry}; `eukhe sessions tree {session}` shows the ids"
        )
        self.session = session
        self.entry = entry


class SessionBusyError(SessionError):
    """Another process writes to the session.

    Attributes:
        directory: the session.
        pid: process id of the writer, None when it did not say.
        host: its machine, None when it did not say.
    """

    def __init__(self, directory: Path, pid: int | None, host: str | None) -> None:
        who = "another process" if pid is None else f"process {pid} on {host}"
        super().__init__(
            f"session {directory.name} is open for writing in {who}; "
            "wait for it, stop it, or start a new session"
        )
        self.directory = directory
        self.pid = pid
        self.host = host


class CommitFailedError(SessionError):
    """A commit that did not reach the disk; the tree and the journal are as they were.

    Attributes:
        path: the file or directory that could not be written.
        cause: the error of the operating system, None when the journal was changed under us.
    """

    def __init__(self, path: Path, detail: str, cause: OSError | None = None) -> None:
        super().__init__(f"the session could not be stored in {path}: {detail}")
        self.path = path
        self.cause = cause
