"""Noted retries in the run: what is stored of them, and what they are not mixed up with."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eukhe.agent import events
from eukhe.agent.noted import Noted
from eukhe.agent.rows.record import RUN, AgentDocument, main_conversation
from eukhe.agent.run import Run
from eukhe.agent.who import Agent, Outcome
from eukhe.core.leak import MAX_NOTES, Note, Trouble, note_text
from eukhe.session.store import Session
from eukhe.tools import BUILT_IN, ToolContext, Toolset
from eukhe.wire.openai_completions import stream
from tests.servers.chat import Call, ChatServer, Reply

if TYPE_CHECKING:
    from collections.abc import Callable

_EMPTY = Reply(thinking="hm")
_SLOW = Reply(status=429, json={"error": {"message": "Slow."}}, headers={"Retry-After": "0"})


def _prompt(
    session: Session,
    server: ChatServer,
    text: str = "go",
    emit: Callable[[events.AgentEvent], None] = lambda _: None,
) -> Outcome:
    cwd = Path("/")
    document = AgentDocument("m", server.base_url, str(cwd), tuple(BUILT_IN))
    context = ToolContext(cwd, {"PATH": "/usr/bin:/bin"})
    agent = Agent(document, Toolset.built_in(), context)

    async def no_wait(_: float) -> None: ...

    return asyncio.run(Run(session, agent, stream, emit, sleep=no_wait).prompt(text))


def _last(server: ChatServer) -> list[Any]:
    return [request.body["messages"][-1]["content"] for request in server.requests]


def _empty(attempt: int) -> str:
    return note_text(Note(Trouble.EMPTY, attempt))


def _stored(session: Session) -> Any:
    conversation = main_conversation(session)
    assert conversation is not None
    return session.document(RUN, conversation)


def test_a_retry_of_the_policy_keeps_the_note_and_spends_none() -> None:
    with ChatServer([_EMPTY, _SLOW, _SLOW, _SLOW, _EMPTY, Reply(text="ok")]) as server:
        heard: list[events.AgentEvent] = []
        assert _prompt(Session.in_memory("s"), server, emit=heard.append).text == "ok"
        assert _last(server) == ["go", *[_empty(1)] * 4, _empty(2)]
    retries = [e.attempt for e in heard if isinstance(e, events.RetryStart)]
    notes = [e.attempt for e in heard if isinstance(e, events.NotedRetry)]
    assert (retries, notes) == ([1, 2, 3], [1, 2])


def test_every_commit_with_a_note_goes_on_with_it_and_every_other_one_without(
    tmp_path: Path,
) -> None:
    """Ending the process after any commit is the same as having only that much of the journal."""
    call = Reply(calls=[Call("bash", {"command": "true"})])
    with (
        ChatServer([_EMPTY, _EMPTY, call, _EMPTY, Reply(text="done")]) as server,
        Session.create(tmp_path / "whole") as session,
    ):
        assert _prompt(session, server).text == "done"
        assert _stored(session) == {"phase": "done", "round": 1}
    lines = (tmp_path / "whole" / "main.jsonl").read_bytes().splitlines(keepends=True)
    last: list[list[str]] = []
    for count in range(1, len(lines) + 1):
        copy = tmp_path / f"prefix-{count}"
        copy.mkdir()
        (copy / "main.jsonl").write_bytes(b"".join(lines[:count]))
        with (
            ChatServer([_EMPTY, Reply(text="x")]) as server,
            Session.open_to_write(copy) as session,
        ):
            assert _prompt(session, server, "again").text == "x"
            last.append(_last(server))
    fresh = ["again", _empty(1)]
    goes_on = [_empty(1), _empty(2)]
    further = [_empty(2), _empty(3)]
    assert last == [fresh, goes_on, further, fresh, fresh, goes_on, fresh]


def test_an_aborted_generation_leaves_no_note() -> None:
    def listen(event: events.AgentEvent) -> None:
        if isinstance(event, events.MessageUpdate) and event.kind == "text":
            raise BrokenPipeError

    with ChatServer([_EMPTY, Reply(text="x"), Reply(text="y")]) as server:
        session = Session.in_memory("s")
        with pytest.raises(BrokenPipeError):
            _prompt(session, server, emit=listen)
        assert _stored(session) == {"phase": "aborted", "round": 0}
        assert _prompt(session, server, "again").text == "y"
        assert _last(server) == ["go", _empty(1), "again"]


def test_the_ninth_reply_that_is_none_fails_and_the_next_prompt_has_all_notes() -> None:
    with ChatServer([_EMPTY] * 10 + [Reply(text="ok")]) as server:
        session = Session.in_memory("s")
        failed = _prompt(session, server)
        assert failed.text is None
        assert "8 retries with a note" in str(failed.error)
        assert _prompt(session, server, "again").text == "ok"
        notes = [_empty(number) for number in range(1, MAX_NOTES + 1)]
        assert _last(server) == ["go", *notes, "again", _empty(1)]


_NOTED = st.builds(
    Noted,
    st.builds(
        Note, st.sampled_from(Trouble), st.integers(2, MAX_NOTES), st.integers(0, 16), st.text()
    ),
    st.integers(0, 2),
)


@given(_NOTED)
def test_what_is_stored_of_a_note_is_read_back(noted: Noted) -> None:
    assert Noted.from_json(noted.to_json()) == noted


@given(_NOTED, st.sampled_from(["trouble", "attempt", "period", "last", "leaks"]))
def test_a_stored_note_of_another_form_is_none(noted: Noted, key: str) -> None:
    assert Noted.from_json({**noted.to_json(), key: None}) is None
    assert Noted.from_json({**noted.to_json(), key: ["9"]}) is None
    assert Noted.from_json({**noted.to_json(), "attempt": MAX_NOTES + 1}) is None
    assert Noted.from_json([]) is None
