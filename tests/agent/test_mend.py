"""What a repair makes of rows whose neighbours are lost."""

from __future__ import annotations

from eukhe.agent.rows.record import AgentDocument, open_main
from eukhe.agent.rows.transcript import messages_of, open_calls
from eukhe.agent.stored.mend import mend_rows
from eukhe.session import Session
from eukhe.wire.messages import AssistantMessage, ToolResultMessage

ROWS = {
    "user": {"content": [{"type": "text", "text": "hello"}]},
    "calls a and b": {
        "content": [
            {"type": "text", "text": "I will look."},
            {"type": "toolCall", "id": "a", "name": "read", "arguments": "{}"},
            {"type": "toolCall", "id": "b", "name": "read", "arguments": "{}"},
        ],
        "stop": "toolUse",
    },
    "result a": {"callId": "a", "tool": "read", "content": []},
    "result b": {"callId": "b", "tool": "read", "content": []},
    "answer": {"content": [{"type": "text", "text": "done"}], "stop": "stop"},
    "error": {"message": "it failed"},
}


def _mended(*rows: str) -> tuple[Session, int]:
    """A session that kept only these rows, after the mending."""
    session = Session.in_memory("m")
    draft = session.draft()
    main = open_main(draft, session, AgentDocument("m", "", "", ()))
    for row in rows:
        kind = {"user": "user", "result": "tool_result", "error": "eukhe.error"}.get(
            row.split()[0], "assistant"
        )
        draft.entry(main, kind, ROWS[row])  # type: ignore[arg-type]  # JSON, as the test wrote it
    session.commit(*draft.records)
    records = tuple(mend_rows(session, main))
    if records:
        session.commit(*records)
    return session, main


def _kept(*rows: str) -> list[str]:
    session, main = _mended(*rows)
    return [row.kind for _, row in session.entries(main)]


def test_a_whole_round_stays_as_it_is() -> None:
    rows = ("user", "calls a and b", "result b", "error", "result a", "answer")
    session, main = _mended(*rows)
    assert len(session.entries(main)) == 6
    assert len(messages_of(row for _, row in session.entries(main))) == 5


def test_a_result_without_its_call_goes() -> None:
    assert _kept("user", "result a", "answer") == ["user", "assistant"]
    assert _kept("calls a and b", "result a", "result a", "result b") == [
        "assistant",
        "tool_result",
        "tool_result",
    ]


def test_a_reply_that_lost_a_result_is_shown_and_not_sent() -> None:
    session, main = _mended("user", "calls a and b", "result a", "user", "answer")
    rows = [row for _, row in session.entries(main)]
    assert [row.kind for row in rows] == ["user", "assistant", "user", "assistant"]
    assert rows[1].body["stop"] == "aborted"
    sent = messages_of(rows)
    assert not any(isinstance(one, ToolResultMessage) for one in sent)
    assert sum(isinstance(one, AssistantMessage) for one in sent) == 1


def test_open_calls_of_the_newest_reply_stay_open() -> None:
    session, main = _mended("user", "calls a and b", "result a")
    sent = messages_of(row for _, row in session.entries(main))
    assert [call.id for call in open_calls(sent)] == ["b"]
