"""What a repair of a damaged journal leaves behind, put right so that the session can go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eukhe.agent.rows import transcript
from eukhe.agent.rows.record import SESSION, main_conversation
from eukhe.session import nodes
from eukhe.session.fork import ORIGIN
from eukhe.session.nodes import Entry
from eukhe.session.repair import repair
from eukhe.session.tree import Del, Put
from eukhe.wire.messages import AssistantMessage, StopReason, ToolResultMessage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from eukhe.session.repair import Repaired
    from eukhe.session.store import Session
    from eukhe.session.tree import Record


def repair_session(source: Path, target: Path) -> Repaired:
    """Write a repaired copy of a session that can be gone on with.

    Raises:
        CommitFailedError: the copy cannot be stored; there is none.
        JournalDamagedError: the journal is no plain file.
        OSError: the journal cannot be read.
    """
    return repair(source, target, _finish(source.name))


def _finish(source: str) -> Callable[[Session], None]:
    def finish(session: Session) -> None:
        draft = session.draft()
        draft.document(ORIGIN, {"session": source, "entry": 0})
        main = main_conversation(session)
        conversations = session.conversations()
        if conversations and main not in conversations:
            longest = max(conversations, key=lambda one: len(session.entries(one)))
            draft.document(SESSION, {"main": longest})
        mended = [record for one in conversations for record in mend_rows(session, one)]
        session.commit(*draft.records, *mended)

    return finish


def mend_rows(session: Session, conversation: int) -> Iterator[Record]:
    """Take out results without their call; a reply whose calls lost a result is not sent to a model again.

    No model takes a call without its result, or a result without its call. Calls of the newest reply can be
    open: the next prompt gives each of them its result.
    """
    reply: tuple[int, Entry] | None = None
    missing: set[str] = set()
    results: list[int] = []
    for node_id, row in session.entries(conversation):
        match transcript.from_entry(row):
            case ToolResultMessage(call_id=call_id):
                if call_id in missing:
                    missing.remove(call_id)
                    results.append(node_id)
                else:
                    yield Del(node_id)
            case None:
                continue
            case message:
                if missing and reply is not None:
                    yield _unsent(*reply, conversation)
                    yield from map(Del, results)
                reply, missing, results = None, set(), []
                if isinstance(message, AssistantMessage) and transcript.is_sent(message):
                    reply = node_id, row
                    missing = {call.id for call in message.calls}


def _unsent(node_id: int, row: Entry, conversation: int) -> Put:
    body = {**row.body, "stop": StopReason.ABORTED.value}
    return Put(node_id, conversation, nodes.to_json(Entry(row.kind, body)))
