"""Fork to a new session: a copy of the journal up to a row, whole or absent."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from eukhe.session import journal
from eukhe.session.branch import plan_rewind_of
from eukhe.session.errors import SessionUnreadableError
from eukhe.session.staging import staged
from eukhe.session.store import Session, now_ms

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from eukhe.session.history import Point
    from eukhe.session.store import Draft

ORIGIN = "eukhe.origin"
"""Session document: which session it was forked from or repaired from, and at which row."""

_BLOCK = 1 << 20


def fork_session(
    source: Session,
    point: Point,
    target: Path,
    finish: Callable[[Draft, int], None],
    *,
    clock: Callable[[], int] = now_ms,
) -> None:
    """Make a new session that starts as the source was at a point.

    The commits up to the point are copied as they are, so ids stay and every earlier row can still be a point. One
    more commit restores the documents of the point and says where the session comes from. Full tool outputs stay
    with the session that made them.

    Args:
        source: a session that is stored; nobody has to stop writing to it.
        point: where to fork.
        target: the directory of the new session; it must not exist yet.
        finish: adds to the last commit; gets the conversation to go on with.
        clock: the wall clock, in milliseconds since 1970.

    Raises:
        CommitFailedError: the new session cannot be stored; there is none.
        JournalDamagedError: the journal of the source does not read back.
        SessionUnreadableError: the system does not let us read the source.
    """
    with staged(target) as hidden:
        if point.cursor and (point.entry or point.rows):
            _copy_commits(source, point.cursor, hidden / journal.FILE)
        with Session.open_to_write(hidden, clock=clock) as session:
            conversation = _restore(session, point)
            draft = session.draft()
            draft.document(ORIGIN, {"session": source.id, "entry": point.entry})
            finish(draft, conversation)
            session.commit(*draft.records)


def _restore(session: Session, point: Point) -> int:
    """Give the copy the documents of the point; the conversation to go on with."""
    if point.conversation not in session.tree:  # the start: nothing was copied
        draft = session.draft()
        conversation = draft.conversation()
        for node in point.documents.values():
            draft.put(conversation, node.value)
        session.commit(*draft.records)
        return conversation
    record = plan_rewind_of(session, point).record()
    if record.changes:
        session.commit(record)
    return point.conversation


def _copy_commits(source: Session, count: int, target: Path) -> None:
    path = source.path
    if path is None:
        # A session in memory has no file to copy; its commits make one.
        with target.open("wb") as file:
            for commit in source.commits():
                if commit.seq <= count:
                    file.write(journal.encode_commit(commit))
            _sync(file.fileno(), file.flush)
        target.chmod(0o600)
        return
    tail = journal.Tail()
    try:
        for commit in journal.read_commits(path, tail):
            if commit.seq == count:
                break
        fd = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with path.open("rb") as old, open(fd, "wb") as new:  # noqa: PTH123 - a descriptor
            left = tail.end
            while left and (block := old.read(min(left, _BLOCK))):
                new.write(block)
                left -= len(block)
            _sync(new.fileno(), new.flush)
    except FileNotFoundError as error:
        raise SessionUnreadableError(path, error) from error


def _sync(fd: int, flush: Callable[[], None]) -> None:
    flush()
    os.fsync(fd)


def origin_of(session: Session) -> tuple[str, int] | None:
    """The session that this one was forked from and the row it was forked at; None when it was not."""
    body = session.document(ORIGIN)
    if body is None:
        return None
    name, entry = body.get("session"), body.get("entry")
    return (name, entry) if isinstance(name, str) and isinstance(entry, int) else None
