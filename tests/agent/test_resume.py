"""A run that a killed process left goes on from its last commit, without a prompt."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from eukhe.agent import events
from eukhe.agent.retry.policy import RetryPolicy
from eukhe.agent.rows.record import RUN, AgentDocument, main_conversation
from eukhe.agent.rows.unfinished import NothingOpenError, open_rounds
from eukhe.agent.run import Run
from eukhe.agent.who import Agent, Outcome
from eukhe.core.leak import MAX_NOTES, Note, Trouble, note_text
from eukhe.session.store import Session
from eukhe.tools import ToolContext, Toolset
from eukhe.wire.openai_completions import stream
from tests.servers.chat import Call, ChatServer, Reply

if TYPE_CHECKING:
    from pathlib import Path

_EMPTY = Reply(thinking="hm")


def _agent(server: ChatServer, cwd: Path, **more: Any) -> Agent:
    document = AgentDocument("m", server.base_url, str(cwd), ("bash",))
    context = ToolContext(cwd, {"PATH": "/usr/bin:/bin"})
    retry = RetryPolicy(base=0)
    return Agent(document, Toolset.built_in(("bash",)), context, retry=retry, **more)


def _prompt(session: Session, agent: Agent) -> Outcome:
    return asyncio.run(Run(session, agent, stream, lambda _: None).prompt("go"))


def _resume(session: Session, agent: Agent, told: list[events.AgentEvent] | None = None) -> Outcome:
    listen = (lambda _: None) if told is None else told.append
    return asyncio.run(Run(session, agent, stream, listen).resume())


def _copy(source: Path, lines: int, target: Path) -> Path:
    """The session as it was after so many commits."""
    whole = (source / "main.jsonl").read_bytes().splitlines(keepends=True)
    target.mkdir()
    (target / "main.jsonl").write_bytes(b"".join(whole[:lines]))
    return target


def _run_document(session: Session) -> dict[str, Any]:
    conversation = main_conversation(session)
    assert conversation is not None
    return dict(session.document(RUN, conversation) or {})


def test_a_run_goes_on_from_every_commit_without_a_prompt(tmp_path: Path) -> None:
    script = [
        Reply(calls=[Call("bash", {"command": "echo 1 >> ran"})]),
        Reply(status=500, json={"error": {"message": "no"}}),
        Reply(calls=[Call("bash", {"command": f"echo {n} >> ran"}) for n in (2, 3)]),
        Reply(text="done"),
    ]
    phases = ["request", "tools", "request", "retry", "request", "tools", "request", "done"]
    with ChatServer(script) as server, Session.create(tmp_path / "whole") as session:
        assert _prompt(session, _agent(server, tmp_path)).text == "done"
    for count, phase in enumerate(phases, start=1):
        (tmp_path / "ran").write_text("")
        place = _copy(tmp_path / "whole", count, tmp_path / f"after-{count}")
        told: list[events.AgentEvent] = []
        with ChatServer([Reply(text="end")]) as server, Session.open_to_write(place) as session:
            assert _run_document(session)["phase"] == phase
            rounds = open_rounds(session)
            if phase == "done":
                with pytest.raises(NothingOpenError, match="nothing to go on with"):
                    _resume(session, _agent(server, tmp_path))
                continue
            assert rounds == (0, 0, 1, 1, 1, 1, 2)[count - 1]
            assert _resume(session, _agent(server, tmp_path), told).text == "end"
            body = server.requests[0].body
            assert server.problems == ()
            lost = [m for m in body["messages"] if str(m.get("content")).startswith("interrupted:")]
            assert len(lost) == {2: 1, 6: 2}.get(count, 0)
            assert _run_document(session) == {"phase": "done", "round": rounds + bool(lost)}
        assert told[0] == events.AgentStart("go", resumed=True)
        assert told[-1] == events.AgentEnd("done", stored=True)
        assert (tmp_path / "ran").read_text() == "", "no call runs again"


def test_the_notes_of_a_run_that_goes_on_stay_spent(tmp_path: Path) -> None:
    with ChatServer([_EMPTY] * 9) as server, Session.create(tmp_path / "whole") as session:
        assert _prompt(session, _agent(server, tmp_path)).text is None
    place = _copy(tmp_path / "whole", 6, tmp_path / "cut")
    with ChatServer([_EMPTY] * 9) as server, Session.open_to_write(place) as session:
        assert _resume(session, _agent(server, tmp_path)).text is None
        last = [request.body["messages"][-1]["content"] for request in server.requests]
    assert last == [note_text(Note(Trouble.EMPTY, n)) for n in range(5, MAX_NOTES + 1)]


def test_the_tool_rounds_of_a_run_that_goes_on_stay_spent(tmp_path: Path) -> None:
    call = Call("bash", {"command": "echo >> ran"})
    with ChatServer([Reply(calls=[call])] * 3) as server, Session.create(tmp_path / "w") as session:
        assert _prompt(session, _agent(server, tmp_path, max_tool_rounds=2)).text is None
    place = _copy(tmp_path / "w", 4, tmp_path / "cut")
    with ChatServer([Reply(calls=[call])] * 3) as server, Session.open_to_write(place) as session:
        outcome = _resume(session, _agent(server, tmp_path, max_tool_rounds=2))
        assert "after 2 tool rounds" in str(outcome.error)
        assert len(server.requests) == 1


def test_a_session_without_a_run_has_nothing_to_go_on_with(tmp_path: Path) -> None:
    with ChatServer([]) as server, Session.create(tmp_path / "new") as session:
        with pytest.raises(NothingOpenError):
            _resume(session, _agent(server, tmp_path))
        assert session.cursor == 0, "nothing is stored"
