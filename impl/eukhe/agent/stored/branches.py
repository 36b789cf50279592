"""Fork and rewind as a user means them: at a row, at the last prompt, at the start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eukhe.agent.inbox.entering import Queue
from eukhe.agent.rows import transcript
from eukhe.agent.rows.naming import draft_name
from eukhe.agent.rows.record import AGENT, INBOX, SESSION, AgentDocument, main_conversation
from eukhe.session import nodes
from eukhe.session.branch import draft_fork, plan_rewind_of
from eukhe.session.errors import SessionError
from eukhe.session.fork import fork_session
from eukhe.session.history import point_at, point_now, point_of_start

if TYPE_CHECKING:
    from pathlib import Path

    from eukhe.session.history import Point
    from eukhe.session.store import Draft, Session

START = 0
"""In place of a row: before the first one."""


class NothingToDoError(SessionError):
    """A session that has nothing yet, or a change that changes nothing."""


class NoSuchConversationError(SessionError):
    """The session has no conversation with this id."""


@dataclass(frozen=True, slots=True)
class Rewound:
    """What a rewind did.

    Attributes:
        conversation: the conversation that was rewound.
        entry: its last row now, 0 for none.
        gone: the rows that were taken back.
        back: the rows that came back.
        newest: the row to rewind to in order to take this back, 0 for none.
    """

    conversation: int
    entry: int
    gone: tuple[int, ...]
    back: tuple[int, ...]
    newest: int


def rewind(session: Session, entry: int | None) -> Rewound:
    """Take a conversation back to a row, with every document of it as of that row.

    Args:
        session: a session that is open to write.
        entry: the last row that stays, `START` for none; None to take the last prompt back and all after it. It
            can be a row that a rewind took back.

    Raises:
        NoSuchEntryError: the session never had such a row.
        NothingToDoError: there is no prompt to take back, or the conversation is there already.
        CommitFailedError: the journal could not be written; nothing changed.
    """
    point = _before_last_prompt(session) if entry is None else _point(session, entry)
    rows = [i for i, _ in session.entries(point.conversation)]
    plan = plan_rewind_of(session, point)
    record = plan.record()
    if not record.changes:
        raise NothingToDoError(f"session {session.id} is at entry {point.entry} already")
    session.commit(record)
    then = {node.id for node in point.rows}
    return Rewound(
        point.conversation,
        point.entry,
        tuple(i for i in rows if i not in then),
        tuple(sorted(then.difference(rows))),
        rows[-1] if rows else START,
    )


def in_words(session: Session, done: Rewound) -> str:
    """Say what a rewind did, and how to take it back."""
    where = f"entry {done.entry}" if done.entry else "the start"
    said = f"session {session.id} is at {where}"
    if done.gone:
        said += f"; {len(done.gone)} entries were taken back"
    if done.back:
        said += f"; {len(done.back)} entries came back"
    if done.newest:
        said += f"; --at {done.newest} leads to where it was"
    return said


def fork(session: Session, entry: int | None) -> int:
    """Fork a conversation of a session and go on in the fork.

    Args:
        session: a session that is open to write.
        entry: the last row that the fork shares, `START` for none; None for the newest one.

    Returns:
        The new conversation, which is the main one now.

    Raises:
        NoSuchEntryError: the session never had such a row.
        NothingToDoError: the session has no commit yet.
        CommitFailedError: the journal could not be written; nothing changed.
    """
    point = _point(session, entry)
    draft = session.draft()
    conversation = draft_fork(draft, point)
    draft.document(SESSION, {"main": conversation})
    session.commit(*draft.records)
    return conversation


def fork_to(session: Session, entry: int | None, target: Path, name: str = "") -> None:
    """Make a new session that starts as this one was at a row; it is there whole or not at all.

    Args:
        session: the session, which nobody has to stop writing to.
        entry: the last row that the new session shares, `START` for none; None for the newest one.
        target: the directory of the new session.
        name: what the new session is called; empty for what it was called at that row.

    Raises:
        NoSuchEntryError: the session never had such a row.
        NothingToDoError: the session has no commit yet.
        CommitFailedError: the new session cannot be stored; there is none.
    """
    queue = session.document(INBOX)

    def finish(draft: Draft, conversation: int) -> None:
        draft.document(SESSION, {"main": conversation})
        if queue is not None:  # what waits was said to the session, not to its fork
            draft.document(INBOX, Queue(last=Queue.from_json(queue).last).to_json())
        if name:
            draft_name(draft, name)

    fork_session(session, _point(session, entry), target, finish)


def agent_at(session: Session, entry: int | None) -> AgentDocument:
    """The agent's settings as of a row.

    Raises:
        NoSuchEntryError: the session never had such a row.
        NothingToDoError: the session has no commit yet.
    """
    node = _point(session, entry).documents.get(AGENT)
    value = None if node is None else nodes.from_json(node.value)
    return AgentDocument.from_json(value.body if isinstance(value, nodes.Document) else {})


def go_to(session: Session, conversation: int) -> None:
    """Make a conversation the main one.

    Raises:
        NoSuchConversationError: the session has none with this id.
        CommitFailedError: the journal could not be written; nothing changed.
    """
    if conversation not in session.conversations():
        raise NoSuchConversationError(
            f"session {session.id} has no conversation {conversation}; "
            f"`eukhe sessions tree {session.id}` shows the ids"
        )
    draft = session.draft()
    draft.document(SESSION, {"main": conversation})
    session.commit(*draft.records)


def _main(session: Session) -> int:
    main = main_conversation(session)
    if main is None:
        raise NothingToDoError(f"session {session.id} has nothing in it yet")
    return main


def _point(session: Session, entry: int | None) -> Point:
    main = _main(session)
    if entry is None:
        return point_now(session, main)
    if entry == START:
        return point_of_start(session, main, AGENT)
    return point_at(session, entry)


def _before_last_prompt(session: Session) -> Point:
    main = _main(session)
    before = START
    found: int | None = None
    for node_id, row in session.entries(main):
        if row.kind == transcript.USER:
            found = before
        before = node_id
    if found is None:
        raise NothingToDoError(f"session {session.id} has no prompt to take back")
    return _point(session, found)
