"""Messages that come while a run works, over a real socket: when they enter, and that none is lost."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from eukhe.agent import events
from eukhe.agent.inbox.entering import Delivery, Kind, Modes, Queue, RefusedMessageError
from eukhe.agent.inbox.events import MessagePlaced, MessageQueued
from eukhe.agent.rows.record import INBOX, AgentDocument
from eukhe.agent.run import Run
from eukhe.agent.stored.branches import fork_to, rewind
from eukhe.agent.who import Agent
from eukhe.session.store import Session
from eukhe.tools import BUILT_IN, ToolContext, Toolset
from eukhe.wire.openai_completions import stream
from tests.servers.chat import Call, ChatServer, Reply

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

STEER, FOLLOW_UP = Kind.STEER, Kind.FOLLOW_UP


class Talk:
    """A run whose listener sends messages when it hears an event of a type for the first time."""

    def __init__(
        self,
        server: ChatServer,
        session: Session,
        cwd: Path,
        sends: Sequence[tuple[type[events.AgentEvent], Kind, str]] = (),
        modes: Modes | None = None,
        rounds: int = 200,
    ) -> None:
        document = AgentDocument("m", server.base_url, str(cwd), tuple(BUILT_IN))
        agent = Agent(
            document,
            Toolset.built_in(),
            ToolContext(cwd, {"PATH": "/usr/bin:/bin"}),
            modes=modes or Modes(),
            max_tool_rounds=rounds,
        )
        self.heard: list[events.AgentEvent] = []
        self._sends = list(sends)
        self.server = server
        self.run = Run(session, agent, stream, self._hear)

    def _hear(self, event: events.AgentEvent) -> None:
        self.heard.append(event)
        due = [one for one in self._sends if isinstance(event, one[0])]
        for one in due:
            self._sends.remove(one)
        for _, kind, text in due:
            asyncio.get_running_loop().call_soon(self.run.send, kind, text)

    def prompt(self, text: str) -> str | None:
        return asyncio.run(self.run.prompt(text)).text

    def asked(self, number: int) -> list[str]:
        """The user's messages in a request."""
        messages = self.server.requests[number].body["messages"]
        return [m["content"] for m in messages if m["role"] == "user"]

    def names(self, *types: type[events.AgentEvent]) -> list[str]:
        return [event.type for event in self.heard if isinstance(event, types)]


_LOOK = Reply(calls=[Call("bash", {"command": "sleep 0.2; echo seen"})])


def test_a_steering_message_enters_after_the_round_and_before_the_next_request(
    tmp_path: Path,
) -> None:
    two = [Call("bash", {"command": "sleep 0.2; echo a >> ran"})] * 2
    with ChatServer([Reply(calls=two), Reply(text="ok")]) as server:
        session = Session.in_memory("s")
        sends = [(events.ToolExecutionStart, STEER, "be quick")]
        talk = Talk(server, session, tmp_path, sends)
        assert talk.prompt("go") == "ok"
        roles = [m["role"] for m in server.requests[1].body["messages"]]
        assert server.problems == ()
        assert talk.asked(1) == ["go", "be quick"]
    assert roles == ["system", "user", "assistant", "tool", "tool", "user"]
    assert (tmp_path / "ran").read_text() == "a\na\n", "calls of the round are not skipped"
    assert talk.names(MessageQueued, MessagePlaced, events.TurnStart, events.TurnEnd) == [
        "turn_start",
        "message_queued",
        "turn_end",
        "message_placed",
        "turn_start",
        "turn_end",
    ]
    assert session.document(INBOX) == {"last": 1, "messages": []}


def test_a_follow_up_enters_when_the_run_would_end_and_the_run_goes_on(tmp_path: Path) -> None:
    replies = [_LOOK, Reply(text="first"), Reply(text="second"), Reply(text="third")]
    with ChatServer(replies) as server:
        sends = [(events.ToolExecutionStart, FOLLOW_UP, one) for one in ("then b", "then c")]
        talk = Talk(server, Session.in_memory("s"), tmp_path, sends)
        assert talk.prompt("a") == "third"
        assert [talk.asked(n)[1:] for n in range(4)] == [[], [], ["then b"], ["then b", "then c"]]
    assert talk.names(events.AgentStart, events.AgentEnd) == ["agent_start", "agent_end"]


@pytest.mark.parametrize(
    ("mode", "asked"), [(Delivery.ALL, ["x", "y"]), (Delivery.ONE, ["x"])], ids=str
)
def test_the_modes_say_how_many_enter_at_once(
    tmp_path: Path, mode: Delivery, asked: list[str]
) -> None:
    for kind in Kind:
        with ChatServer([_LOOK, *[Reply(text="k")] * 4]) as server:
            sends = [(events.ToolExecutionStart, kind, one) for one in ("x", "y")]
            talk = Talk(server, Session.in_memory("s"), tmp_path, sends, Modes(mode, mode))
            talk.prompt("go")
            first = 1 if kind is STEER else 2
            assert talk.asked(first)[1:] == asked
            assert talk.asked(len(server.requests) - 1) == ["go", "x", "y"]


def test_steering_that_comes_with_the_answer_enters_after_it_and_before_follow_ups(
    tmp_path: Path,
) -> None:
    with ChatServer(
        [Reply(text=["a", "b"], delay=0.1), Reply(text="2"), Reply(text="3")]
    ) as server:
        sends = [
            (events.MessageUpdate, FOLLOW_UP, "later"),
            (events.MessageUpdate, STEER, "now"),
        ]
        talk = Talk(server, Session.in_memory("s"), tmp_path, sends)
        assert talk.prompt("go") == "3"
        assert talk.asked(1) == ["go", "now"]
        assert talk.asked(2) == ["go", "now", "later"]


def test_a_follow_up_has_tool_rounds_of_its_own(tmp_path: Path) -> None:
    replies = [_LOOK, Reply(text="one"), _LOOK, Reply(text="two")]
    with ChatServer(replies) as server:
        sends = [(events.ToolExecutionStart, FOLLOW_UP, "again")]
        talk = Talk(server, Session.in_memory("s"), tmp_path, sends, rounds=1)
        assert talk.prompt("go") == "two"


def test_a_message_is_on_the_disk_when_it_is_accepted_and_leaves_with_the_commit_that_places_it(
    tmp_path: Path,
) -> None:
    with ChatServer([_LOOK, Reply(text="k")]) as server, Session.create(tmp_path / "s") as session:
        sends = [(events.ToolExecutionStart, STEER, "be quick")]
        Talk(server, session, tmp_path, sends).prompt("go")
    lines = (tmp_path / "s" / "main.jsonl").read_bytes().splitlines(keepends=True)
    waits, rows = [], []
    for count in range(1, len(lines) + 1):
        copy = tmp_path / f"prefix-{count}"
        copy.mkdir()
        (copy / "main.jsonl").write_bytes(b"".join(lines[:count]))
        with Session.open_to_read(copy) as then:
            waits.append(len(Queue.from_json(then.document(INBOX)).messages))
            (main,) = then.conversations()
            kinds = [row.kind for _, row in then.entries(main)]
            rows.append(kinds.count("user") - 1)
    assert waits == [0, 0, 1, 0, 0]
    assert rows == [0, 0, 0, 1, 1], "in the queue or in the conversation, never both or neither"


def test_an_abort_keeps_what_waits_for_the_next_run_which_has_it_above_its_prompt(
    tmp_path: Path,
) -> None:
    slow = Reply(calls=[Call("bash", {"command": "sleep 60"})])
    with ChatServer([slow, Reply(text="one"), Reply(text="two")]) as server:
        session = Session.in_memory("s")
        sends = [
            (events.ToolExecutionStart, STEER, "steer"),
            (events.ToolExecutionStart, FOLLOW_UP, "follow"),
        ]
        talk = Talk(server, session, tmp_path, sends)

        async def abort() -> None:
            running = asyncio.create_task(talk.run.prompt("go"))
            while "message_queued" not in talk.names(MessageQueued):
                await asyncio.sleep(0.01)
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running

        asyncio.run(abort())
        left = [one.text for one in talk.heard if isinstance(one, events.Notice)]
        assert left == ["2 queued messages wait in the session for its next run"]
        again = Talk(server, session, tmp_path)
        assert again.prompt("and now?") == "two"
        assert again.asked(1) == ["go", "steer", "and now?"]
        assert again.asked(2) == ["go", "steer", "and now?", "follow"]
        assert server.problems == ()


def test_no_message_is_accepted_when_no_run_works(tmp_path: Path) -> None:
    with ChatServer([Reply(text="k")]) as server:
        session = Session.in_memory("s")
        talk = Talk(server, session, tmp_path)
        with pytest.raises(RefusedMessageError, match="no run works"):
            talk.run.send(STEER, "too early")
        talk.prompt("go")
        with pytest.raises(RefusedMessageError, match="no run works"):
            talk.run.send(STEER, "too late")
        assert session.document(INBOX) is None


def test_neither_a_rewind_nor_a_fork_brings_a_placed_message_back(tmp_path: Path) -> None:
    with ChatServer([_LOOK, Reply(text="k")]) as server, Session.create(tmp_path / "s") as session:
        sends = [(events.ToolExecutionStart, STEER, "be quick")]
        Talk(server, session, tmp_path, sends).prompt("go")
        (main,) = session.conversations()
        call = next(i for i, row in session.entries(main) if row.kind == "assistant")
        fork_to(session, call, tmp_path / "fork")
        rewind(session, call)
        assert Queue.from_json(session.document(INBOX)) == Queue(last=1)
    with Session.open_to_read(tmp_path / "fork") as fork:
        assert Queue.from_json(fork.document(INBOX)) == Queue(last=1)


def test_a_fork_does_not_take_what_waits_with_it(tmp_path: Path) -> None:
    refused = Reply(status=400, json={"error": {"message": "no"}})
    with ChatServer([_LOOK, refused]) as server, Session.create(tmp_path / "s") as session:
        sends = [(events.ToolExecutionStart, FOLLOW_UP, "later")]
        Talk(server, session, tmp_path, sends).prompt("go")
        assert [m.text for m in Queue.from_json(session.document(INBOX)).messages] == ["later"]
        fork_to(session, None, tmp_path / "fork")
    with Session.open_to_read(tmp_path / "fork") as fork:
        assert Queue.from_json(fork.document(INBOX)).messages == ()


def test_steering_enters_a_run_that_a_killed_process_left_in_a_tool_round_when_it_goes_on(
    tmp_path: Path,
) -> None:
    with ChatServer([_LOOK, Reply(text="k")]) as server, Session.create(tmp_path / "s") as session:
        Talk(server, session, tmp_path, [(events.ToolExecutionStart, STEER, "be quick")]).prompt(
            "go"
        )
    lines = (tmp_path / "s" / "main.jsonl").read_bytes().splitlines(keepends=True)
    copy = tmp_path / "killed"
    copy.mkdir()
    (copy / "main.jsonl").write_bytes(b"".join(lines[:3]))  # the prompt, the call, the message
    with ChatServer([Reply(text="after")]) as server, Session.open_to_write(copy) as session:
        talk = Talk(server, session, tmp_path)
        assert asyncio.run(talk.run.resume()).text == "after"
        roles = [m["role"] for m in server.requests[0].body["messages"]]
        assert talk.asked(0) == ["go", "be quick"]
    assert roles == ["system", "user", "assistant", "tool", "user"]
    assert talk.names(MessagePlaced) == ["message_placed"]


def test_nothing_is_accepted_between_the_answer_and_the_end_of_the_run(tmp_path: Path) -> None:
    refused: list[str] = []

    class Late(Talk):
        def _hear(self, event: events.AgentEvent) -> None:
            if event == events.TurnEnd(2):
                try:
                    self.run.send(FOLLOW_UP, "late")
                except RefusedMessageError as error:
                    refused.append(error.reason)

    with ChatServer([_LOOK, Reply(text="the answer")]) as server:
        session = Session.in_memory("s")
        assert Late(server, session, tmp_path).prompt("go") == "the answer"
        assert refused == ["no run works; send it as a prompt"]
        assert Queue.from_json(session.document(INBOX)).messages == ()
