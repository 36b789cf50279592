"""Calls with arguments that are no strict JSON, in a run: what runs, what the model reads, what is stored."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from eukhe.agent import events
from eukhe.agent.rows import transcript
from eukhe.agent.rows.record import AgentDocument, main_conversation
from eukhe.agent.run import Run
from eukhe.agent.who import Agent
from eukhe.core.arguments_repair import Repair, What
from eukhe.session.nodes import Entry
from eukhe.session.store import Session
from eukhe.tools import BUILT_IN, ToolContext, Toolset
from eukhe.wire.messages import TextBlock, ToolResultMessage
from eukhe.wire.openai_completions import stream
from tests.servers.chat import Call, ChatServer, Reply

if TYPE_CHECKING:
    from pathlib import Path


def _run(cwd: Path, calls: list[Call], **reply: Any) -> tuple[Session, list[Any], list[Any]]:
    """Run the calls of one reply: the session, what was told, and the messages of the next request."""
    heard: list[Any] = []
    with ChatServer([Reply(calls=calls, **reply), Reply(text="done")]) as server:
        document = AgentDocument("m", server.base_url, str(cwd), tuple(BUILT_IN))
        context = ToolContext(cwd, {"PATH": "/usr/bin:/bin"})
        session = Session.in_memory("m")
        agent = Agent(document, Toolset.built_in(), context)
        assert asyncio.run(Run(session, agent, stream, heard.append).prompt("go")).text == "done"
        assert server.problems == ()
        messages = server.requests[1].body["messages"]
    return session, heard, messages


def test_repaired_arguments_run_and_the_result_carries_a_warning_for_each(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1\n2\n3\n")
    call = Call("read", "{'\"path\"': a.txt, limit: '2'}")
    session, heard, messages = _run(tmp_path, [call])
    warnings = (
        Repair(
            What.TEXT,
            "",
            "{'\"path\"': a.txt, limit: '2'}",
            '{"\\"path\\"": "a.txt", "limit": "2"}',
        ),
        Repair(What.KEY, "/path", '"\\"path\\""', '"path"'),
        Repair(What.VALUE, "/limit", '"2"', "2"),
    )
    (end,) = (event for event in heard if isinstance(event, events.ToolExecutionEnd))
    assert end.result.warnings == warnings
    assert not end.result.is_error
    assert events.to_json(end)["warnings"] == [warning.to_json() for warning in warnings]
    conversation = main_conversation(session)
    assert conversation is not None
    stored = [transcript.from_entry(entry) for _, entry in session.entries(conversation)]
    assert [m.warnings for m in stored if isinstance(m, ToolResultMessage)] == [warnings]
    assert messages[-1]["content"].startswith("1\n2\n")
    assert "argument_repaired" not in json.dumps(messages), "the model gets the result alone"
    sent = messages[-2]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(sent) == {'"path"': "a.txt", "limit": "2"}


def test_nothing_of_a_call_runs_whose_arguments_no_parse_reads(tmp_path: Path) -> None:
    text = '{"command": "touch ran", "timeout": 5' + " " * 600
    _, heard, messages = _run(tmp_path, [Call("bash", text), Call("bash", {"command": "echo ok"})])
    assert not (tmp_path / "ran").exists()
    assert sum(isinstance(event, events.ToolExecutionStart) for event in heard) == 1
    bad, good = (message["content"] for message in messages[-2:])
    assert good.startswith("ok")
    assert bad.startswith("invalid_arguments: the text ends inside an object at character 638\n")
    assert bad.endswith(f"The arguments began with: {text[:512]}")
    sent = json.loads(messages[-3]["tool_calls"][0]["function"]["arguments"])
    assert sent == {
        "__parseError": "the text ends inside an object at character 638",
        "__rawJson": text[:512],
    }


def test_a_truncated_reply_runs_nothing_even_where_its_arguments_can_be_read(
    tmp_path: Path,
) -> None:
    _, _, messages = _run(tmp_path, [Call("bash", "{command: touch ran}")], finish="length")
    assert not (tmp_path / "ran").exists()
    assert messages[-1]["content"].startswith("truncated: ")


def test_a_call_of_no_offered_tool_is_told_the_near_names(tmp_path: Path) -> None:
    calls = [Call("raed", "{"), Call("functions_bash", {}), Call("zzzzzz", {})]
    _, _, messages = _run(tmp_path, calls)
    said = [message["content"] for message in messages[-3:]]
    assert said[0] == "tool_unavailable: there is no tool 'raed'; did you mean read?"
    assert said[1] == "tool_unavailable: there is no tool 'functions_bash'; did you mean bash?"
    assert said[2] == "tool_unavailable: there is no tool 'zzzzzz' in this run"


def test_warnings_of_a_row_that_are_of_another_kind_are_left_alone() -> None:
    repair = Repair(What.VALUE, "/a", '"1"', "1")
    body = transcript.result_to_json(
        ToolResultMessage("c", "bash", (TextBlock("x"),), warnings=(repair,))
    )
    odd: tuple[dict[str, str] | int, ...] = (
        {"type": "late"},
        7,
        {"type": "argument_repaired", "what": "?"},
        {"what": "key"},
    )
    body["warnings"] = (*odd, repair.to_json())
    message = transcript.from_entry(Entry("tool_result", body))
    assert isinstance(message, ToolResultMessage)
    assert message.warnings == (repair,)
