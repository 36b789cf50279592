"""The run in this process, over a real socket: its commits, its limits, its listeners."""

from __future__ import annotations

import asyncio
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from eukhe.agent import events
from eukhe.agent.round import SIDE_BY_SIDE
from eukhe.agent.rows.record import RUN, AgentDocument, main_conversation
from eukhe.agent.rows.usage import UsageTotal
from eukhe.agent.run import Run
from eukhe.agent.who import Agent, Outcome
from eukhe.session.store import Session
from eukhe.tools import BUILT_IN, ToolContext, Toolset
from eukhe.wire.openai_completions import stream
from tests.servers.chat import Call, ChatServer, Reply

if TYPE_CHECKING:
    from collections.abc import Callable


def _agent(server: ChatServer, cwd: Path, max_tool_rounds: int = 200) -> Agent:
    document = AgentDocument("m", server.base_url, str(cwd), tuple(BUILT_IN))
    context = ToolContext(cwd, {"PATH": "/usr/bin:/bin"})
    return Agent(document, Toolset.built_in(), context, max_tool_rounds=max_tool_rounds)


def _prompt(
    session: Session,
    agent: Agent,
    text: str,
    emit: Callable[[events.AgentEvent], None] = lambda _: None,
) -> Outcome:
    return asyncio.run(Run(session, agent, stream, emit).prompt(text))


_ROUNDS = [
    Reply(text="a", calls=[Call("bash", {"command": "echo 1 >> ran"})]),
    Reply(
        calls=[
            Call("bash", {"command": "echo 2 >> ran"}),
            Call("bash", {"command": "echo 3 >> ran"}),
        ]
    ),
    Reply(text="done"),
]


def test_a_run_goes_on_from_every_commit_and_no_call_runs_twice(tmp_path: Path) -> None:
    """Ending the process after any commit is the same as having only that much of the journal."""
    cwd = tmp_path / "work"
    cwd.mkdir()
    with ChatServer(_ROUNDS) as server, Session.create(tmp_path / "whole") as session:
        assert _prompt(session, _agent(server, cwd), "go").text == "done"
        conversation = main_conversation(session)
        assert conversation is not None
        assert session.document(RUN, conversation) == {"phase": "done", "round": 2}
    lines = (tmp_path / "whole" / "main.jsonl").read_bytes().splitlines(keepends=True)
    assert len(lines) == 6, "the prompt, and a reply and its results each time"
    for count in range(len(lines) + 1):
        (cwd / "ran").write_text("")
        copy = tmp_path / f"prefix-{count}"
        copy.mkdir()
        (copy / "main.jsonl").write_bytes(b"".join(lines[:count]))
        with ChatServer([Reply(text="fresh")]) as server, Session.open_to_write(copy) as session:
            assert _prompt(session, _agent(server, cwd), "again").text == "fresh"
            assert server.problems == ()
            messages = server.requests[0].body["messages"]
        assert (cwd / "ran").read_text() == ""
        interrupted = [m for m in messages if str(m.get("content")).startswith("interrupted:")]
        assert len(interrupted) == {2: 1, 4: 2}.get(count, 0)


def test_a_reply_with_very_many_calls_runs_a_few_at_a_time(tmp_path: Path) -> None:
    command = "echo + >> ran; sleep 0.1; echo - >> ran"
    calls = [Call("bash", {"command": command}) for _ in range(3 * SIDE_BY_SIDE)]
    with ChatServer([Reply(calls=calls), Reply(text="done")]) as server:
        _prompt(Session.in_memory("s"), _agent(server, tmp_path), "go")
    at_work = list(
        accumulate(1 if sign == "+" else -1 for sign in (tmp_path / "ran").read_text().split())
    )
    assert len(at_work) == 2 * len(calls)
    assert 1 < max(at_work) <= SIDE_BY_SIDE


def test_the_name_of_an_unknown_tool_is_not_told_back_whole(tmp_path: Path) -> None:
    with ChatServer([Reply(calls=[Call("x" * 100_000, {})]), Reply(text="done")]) as server:
        told: list[events.AgentEvent] = []
        _prompt(Session.in_memory("s"), _agent(server, tmp_path), "go", told.append)
    (end,) = (event for event in told if isinstance(event, events.ToolExecutionEnd))
    assert "tool_unavailable" in end.result.text
    assert len(end.result.text) < 300


def test_the_arguments_of_a_call_are_shown_while_they_come(tmp_path: Path) -> None:
    command = "echo " + "word " * 400
    heard: list[events.AgentEvent] = []
    with ChatServer(
        [Reply(calls=[Call("bash", {"command": command}, split=7)]), Reply(text="k")]
    ) as server:
        _prompt(Session.in_memory("s"), _agent(server, tmp_path), "go", heard.append)
    shown = [event for event in heard if isinstance(event, events.ToolCallPreview)]
    assert {(event.call, event.tool) for event in shown} == {(0, "bash")}
    texts = [str(event.arguments.get("command", "")) for event in shown]
    assert all(command.startswith(text) for text in texts)
    assert len(texts[-1]) > 0.9 * len(command), "the whole text comes with the message's end"
    pieces = [e for e in heard if isinstance(e, events.MessageUpdate) and e.kind == "arguments"]
    assert 2 <= len(shown) <= len(pieces)


def test_a_run_ends_after_its_last_tool_round_and_can_go_on(tmp_path: Path) -> None:
    call = Call("bash", {"command": "echo >> ran"})
    heard: list[events.AgentEvent] = []
    with ChatServer([Reply(calls=[call])] * 3 + [Reply(text="fresh")]) as server:
        session = Session.in_memory("m")
        agent = _agent(server, tmp_path, max_tool_rounds=2)
        outcome = _prompt(session, agent, "go", heard.append)
        assert outcome.text is None
        assert "after 2 tool rounds" in str(outcome.error)
        assert (tmp_path / "ran").read_text() == "\n\n"
        assert isinstance(heard[-3], events.RunFailed)
        assert isinstance(heard[-2], UsageTotal)
        assert heard[-1] == events.AgentEnd("failed", stored=True)
        assert _prompt(session, agent, "again").text == "fresh", "the count starts anew"
        assert server.problems == ()


def test_a_listener_that_fails_ends_the_run_and_what_came_is_stored(tmp_path: Path) -> None:
    def listen(event: events.AgentEvent) -> None:
        if isinstance(event, events.MessageUpdate) and event.text == "two":
            raise BrokenPipeError

    with ChatServer([Reply(text=["one ", "two", "three"])]) as server:
        session = Session.in_memory("m")
        with pytest.raises(BrokenPipeError):
            _prompt(session, _agent(server, tmp_path), "go", listen)
    conversation = main_conversation(session)
    assert conversation is not None
    assert [entry.kind for _, entry in session.entries(conversation)] == ["user", "assistant"]
    assert session.document(RUN, conversation) == {"phase": "aborted", "round": 0}


def test_a_listener_that_fails_in_a_tool_round_leaves_no_tool_behind(tmp_path: Path) -> None:
    def listen(event: events.AgentEvent) -> None:
        if isinstance(event, events.ToolExecutionUpdate):
            raise BrokenPipeError

    calls = [
        Call("bash", {"command": "sleep 0.2; echo x; sleep 60"}),
        Call("bash", {"command": "echo $$ > pid; exec sleep 60"}),
    ]
    with ChatServer([Reply(calls=calls)]) as server:
        session = Session.in_memory("m")
        with pytest.raises(BrokenPipeError):
            _prompt(session, _agent(server, tmp_path), "go", listen)
    assert not Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}").exists()


def test_the_first_prompt_of_a_session_makes_its_documents_once(tmp_path: Path) -> None:
    with ChatServer([Reply(text="1"), Reply(text="2")]) as server:
        session = Session.in_memory("m")
        for text in ("one", "two"):
            _prompt(session, _agent(server, tmp_path), text)
    assert len(session.conversations()) == 1
    names = [node.value["name"] for node in session.tree.nodes() if "name" in node.value]  # type: ignore[operator,index,call-overload]
    assert names == ["eukhe.session", "eukhe.agent", "eukhe.run"]
