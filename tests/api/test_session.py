"""`from eukhe import Session`: prompts, their events, and every way to leave them, against a real server."""

from __future__ import annotations

import asyncio
import gc
import importlib
import json
import os
import pkgutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import eukhe
import eukhe.agent
from eukhe import (
    NoSuchEntryError,
    NothingToDoError,
    OptionError,
    PromptRunningError,
    RefusedMessageError,
    Session,
    SessionBusyError,
    SessionClosedError,
    events,
)
from eukhe.agent.events import AgentEvent
from eukhe.agent.run import Run
from eukhe.api.feed import MOST_WAITING, Feed
from tests.cli.test_failures import gone, pids_in
from tests.servers.chat import Call, ChatServer, Reply

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine

    from eukhe import Outcome, SessionOpening

_WAIT = "while [ ! -e go ]; do sleep 0.02; done; echo went"
_SLEEP = "sleep 300 & echo $! $$ > pids; wait"


class Desk:
    """Where a test's sessions are."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.cwd = root / "work"
        self.cwd.mkdir()

    def open(self, server: ChatServer | None = None, **more: Any) -> SessionOpening:
        where: dict[str, Any] = {
            "cwd": self.cwd,
            "agent_dir": self.root / "agent",
            "environ": {"PATH": os.environ["PATH"], "HOME": str(self.root)},
        }
        if server is not None:
            where |= {"base_url": server.base_url, "model": "m"}
        return Session.open(**(where | {"settings": {"titles.generate": False}} | more))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def run(test: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(test())


def users(server: ChatServer, number: int) -> list[str]:
    messages = server.requests[number].body["messages"]
    return [m["content"] for m in messages if m["role"] == "user"]


async def until(prompt: AsyncIterator[AgentEvent], kind: type[AgentEvent]) -> AgentEvent:
    async for event in prompt:
        if isinstance(event, kind):
            return event
    raise AssertionError(f"no {kind.__name__}")


def test_a_prompt_tells_the_same_events_as_the_command_line_and_is_stored(desk: Desk) -> None:
    async def test() -> None:
        replies = [Reply(calls=[Call("bash", {"command": "echo hi"})]), Reply(text="the answer")]
        with ChatServer([*replies, Reply(text="more")]) as server:
            async with desk.open(server) as session:
                heard = [event async for event in session.prompt("go")]
                assert session.directory is not None
                assert session.model == "m"
                assert [row.kind for _, row in session.entries] == [
                    "user",
                    "assistant",
                    "tool_result",
                    "assistant",
                ]
                outcome = await session.prompt("and?")
                assert outcome is not None
                assert (outcome.text, outcome.error, outcome.stored) == ("more", None, True)
            assert users(server, 2) == ["go", "and?"]
        kinds = [event.type for event in heard]
        assert kinds[:3] == ["session", "agent_start", "turn_start"]
        assert kinds[-1] == "agent_end"
        assert kinds.count("tool_execution_start") == kinds.count("tool_execution_end") == 1
        texts = [e.text for e in heard if isinstance(e, events.MessageUpdate) and e.kind == "text"]
        assert "".join(texts) == "the answer"
        assert json.loads(json.dumps(events.to_json(heard[-1])))["status"] == "done"
        async with desk.open(resume=session.id[:18]) as again:
            assert again.id == session.id
            assert len(again.entries) == 6
        async with desk.open(resume=session.directory) as by_path:
            assert by_path.id == session.id
        async with desk.open(newest=True) as newest:
            assert newest.id == session.id

    run(test)


def test_messages_steer_and_follow_up_while_a_prompt_runs(desk: Desk) -> None:
    async def test() -> None:
        call = Reply(calls=[Call("bash", {"command": _WAIT})])
        with ChatServer([call, Reply(text="1"), Reply(text="2")]) as server:
            async with desk.open(server, in_memory=True) as session:
                with pytest.raises(RefusedMessageError, match="no run works"):
                    await session.steer("too early")
                prompt = session.prompt("go")
                await until(prompt, events.ToolExecutionStart)
                assert (await session.follow_up("after")).id == 1
                assert (await session.steer("now")).id == 2
                with pytest.raises(RefusedMessageError, match="empty"):
                    await session.steer("")
                (desk.cwd / "go").touch()
                placed = [e async for e in prompt if isinstance(e, events.MessagePlaced)]
                assert [one.text for one in placed] == ["now", "after"]
                assert prompt.outcome is not None
                assert prompt.outcome.text == "2"
                with pytest.raises(RefusedMessageError, match="no run works"):
                    await session.follow_up("too late")
            assert users(server, 2) == ["go", "now", "after"]

    run(test)


def test_an_abort_ends_the_tools_and_what_is_left_can_be_read(desk: Desk) -> None:
    async def test() -> None:
        replies = [Reply(calls=[Call("bash", {"command": _SLEEP})]), Reply(text="on")]
        with ChatServer(replies) as server:
            async with desk.open(server) as session:
                await session.abort()  # without a prompt nothing happens
                prompt = session.prompt("go")
                await until(prompt, events.ToolExecutionStart)
                pids = await asyncio.to_thread(pids_in, desk.cwd / "pids")
                await asyncio.gather(session.abort(), session.abort())
                assert all(gone(pid) for pid in pids)
                rest = [event async for event in prompt]
                assert rest[-1] == events.AgentEnd("aborted", True)
                assert prompt.outcome is None
                outcome = await session.prompt("again")
                assert outcome is not None
                assert outcome.text == "on"
            assert server.problems == ()

    run(test)


async def running(event: AgentEvent, session: Session) -> bool:
    """Whether the event is the start of the tool; waits until its command runs."""
    if not isinstance(event, events.ToolExecutionStart):
        return False
    await asyncio.to_thread(pids_in, session.cwd / "pids")
    return True


async def _break(session: Session) -> None:
    async for event in session.prompt("go"):
        if await running(event, session):
            break


async def _raise(session: Session) -> None:
    with pytest.raises(ZeroDivisionError):
        async for event in session.prompt("go"):
            if await running(event, session):
                raise ZeroDivisionError


async def _with(session: Session) -> None:
    async with session.prompt("go") as prompt:
        await running(await until(prompt, events.ToolExecutionStart), session)


async def _cancel(session: Session) -> None:
    async def read() -> None:
        async for event in session.prompt("go"):
            if await running(event, session):
                started.set()

    started = asyncio.Event()
    reading = asyncio.create_task(read())
    await started.wait()
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading


def test_a_second_abort_does_not_disturb_the_first() -> None:
    async def test() -> None:
        tidied = False

        async def work(_: object) -> Outcome:
            nonlocal tidied
            try:
                await asyncio.sleep(60)
            finally:
                await asyncio.sleep(0.05)
                tidied = True
            raise AssertionError

        feed = Feed()
        feed.start(Run.__new__(Run), work)
        for _ in range(3):
            await asyncio.sleep(0)
            feed.abort()
        await feed.ended()
        assert tidied

    run(test)


@pytest.mark.parametrize("leave", [_break, _raise, _with, _cancel])
def test_leaving_a_prompt_aborts_its_run_and_the_next_prompt_waits_for_that(
    desk: Desk, leave: Callable[[Session], Coroutine[Any, Any, None]]
) -> None:
    async def test() -> None:
        replies = [Reply(calls=[Call("bash", {"command": _SLEEP})]), Reply(text="on")]
        with ChatServer(replies) as server:
            async with desk.open(server) as session:
                await leave(session)
                outcome = await session.prompt("again")
                assert outcome is not None
                assert outcome.text == "on"
                pids = await asyncio.to_thread(pids_in, desk.cwd / "pids")
                assert all(gone(pid) for pid in pids)
                assert [row.kind for _, row in session.entries][:3] == [
                    "user",
                    "assistant",
                    "tool_result",
                ]
            assert server.problems == ()

    run(test)


def test_a_second_prompt_beside_the_first_is_refused_and_harms_nothing(desk: Desk) -> None:
    async def test() -> None:
        call = Reply(calls=[Call("bash", {"command": _WAIT})])
        with ChatServer([call, Reply(text="1")]) as server:
            async with desk.open(server) as session:
                prompt = session.prompt("go")
                await until(prompt, events.ToolExecutionStart)
                for refused in (session.prompt("me too"), session.resume()):
                    with pytest.raises(PromptRunningError, match=session.id):
                        await refused
                for change in (session.fork(), session.rewind()):
                    with pytest.raises(PromptRunningError):
                        await change
                (desk.cwd / "go").touch()
                assert (await until(prompt, events.AgentEnd)) == events.AgentEnd("done", True)

    run(test)


def test_closing_a_session_aborts_its_prompt_and_frees_it_for_others(desk: Desk) -> None:
    async def test() -> None:
        with ChatServer([Reply(calls=[Call("bash", {"command": _SLEEP})])]) as server:
            session = await desk.open(server)
            prompt = session.prompt("go")
            await until(prompt, events.ToolExecutionStart)
            pids = await asyncio.to_thread(pids_in, desk.cwd / "pids")
            await session.close()
            await session.close()
            assert all(gone(pid) for pid in pids)
            with pytest.raises(SessionClosedError):
                await session.prompt("x")
            with pytest.raises(SessionClosedError):
                await session.fork()
            with pytest.raises(SessionClosedError):
                await session.steer("x")
            async with desk.open(resume=session.id) as again:
                assert again.entries[-1][1].kind == "tool_result"

    run(test)


def test_a_failed_request_is_an_event_and_an_outcome_and_raises_nothing(desk: Desk) -> None:
    async def test() -> None:
        refused = Reply(status=400, json={"error": {"message": "no such thing"}})
        with ChatServer([refused]) as server:
            async with desk.open(server) as session:
                prompt = session.prompt("go")
                failed = [e async for e in prompt if isinstance(e, events.RunFailed)]
                assert "no such thing" in failed[0].text
                assert prompt.outcome is not None
                assert isinstance(prompt.outcome.error, eukhe.WireError)

    run(test)


def test_a_fork_and_a_rewind_go_on_from_their_entry(desk: Desk) -> None:
    async def test() -> None:
        with ChatServer([Reply(text=str(n)) for n in range(4)]) as server:
            async with desk.open(server) as session:
                with pytest.raises(NothingToDoError):
                    await session.rewind()
                await session.prompt("a")
                first = session.entries[-1][0]
                await session.prompt("b")
                done = await session.rewind(first)
                assert (done.entry, len(done.gone)) == (first, 2)
                await session.prompt("c")
                assert users(server, 2) == ["a", "c"]
                await session.fork("start")
                assert session.entries == ()
                await session.prompt("d")
                assert users(server, 3) == ["d"]
                with pytest.raises(NoSuchEntryError):
                    await session.rewind(9999)
            async with desk.open(fork=session.id, at=first) as fork:
                assert fork.id != session.id
                assert [row.kind for _, row in fork.entries] == ["user", "assistant"]

    run(test)


def test_the_options_are_those_of_the_command_line(desk: Desk) -> None:
    async def test() -> None:
        with ChatServer([Reply(calls=[Call("bash", {"command": "true"})])] * 2) as server:
            more: dict[str, Any] = {"settings": {"maxToolRounds": 0}, "system_prompt": "Be brief."}
            async with desk.open(server, thinking="low", tools=["bash"], **more) as session:
                outcome = await session.prompt("go")
                assert outcome is not None
                assert outcome.error is not None
                assert "0 tool rounds" in outcome.error.message
            body = server.requests[0].body
        assert body["reasoning_effort"] == "low"
        assert body["messages"][0]["content"] == "Be brief."
        assert [tool["function"]["name"] for tool in body["tools"]] == ["bash"]

    run(test)


@pytest.mark.parametrize(
    ("options", "option"),
    [
        ({"model": "m", "tools": ["read", "fly"], "base_url": "http://127.0.0.1:9/v1"}, "tools"),
        ({"model": "m", "tools": "read", "base_url": "http://127.0.0.1:9/v1"}, "tools"),
        ({"resume": "20990101"}, "resume"),
        ({"newest": True}, "go_on"),
        ({"newest": True, "in_memory": True}, ""),
        ({"at": 3}, "at"),
        ({"thinking": "hard"}, "thinking"),
        ({"settings": {"maxToolRound": 3}}, "sets"),
        ({"settings": {"maxToolRounds": "many"}}, "sets"),
        ({"cwd": "/nowhere"}, "cwd"),
    ],
)
def test_what_does_not_fit_is_refused_when_the_session_is_opened(
    desk: Desk, options: dict[str, Any], option: str
) -> None:
    async def test() -> None:
        with pytest.raises(OptionError) as refused:
            await desk.open(**options)
        assert refused.value.option == option
        assert not (desk.root / "agent" / "sessions").exists()

    run(test)


def test_a_session_without_a_model_opens_and_its_prompt_is_refused(desk: Desk) -> None:
    async def test() -> None:
        async with desk.open(in_memory=True) as session:
            with pytest.raises(OptionError, match="model"):
                await session.prompt("go")
        with pytest.raises(OptionError, match="NOT_SET"):
            await desk.open(model="m", base_url="http://127.0.0.1:9/v1", api_key_env="NOT_SET")

    run(test)


_HOLD = """
import asyncio, sys
from eukhe import Session

async def main():
    async with Session.open(resume=sys.argv[1], environ={"HOME": sys.argv[2]}) as session:
        print(session.id, flush=True)
        sys.stdin.read()

asyncio.run(main())
"""


def test_a_session_that_another_process_writes_says_who_holds_it(desk: Desk) -> None:
    async def test() -> None:
        with ChatServer([Reply(text="k")]) as server:
            async with desk.open(server) as session:
                await session.prompt("go")
            assert session.directory is not None
            command = [sys.executable, "-c", _HOLD, str(session.directory), str(desk.root)]
            with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
                assert holder.stdout is not None
                assert holder.stdout.readline().decode().strip() == session.id
                with pytest.raises(SessionBusyError, match=f"process {holder.pid} on ") as busy:
                    await desk.open(resume=session.id)
                assert busy.value.pid == holder.pid
                holder.communicate(timeout=20)
            async with desk.open(resume=session.id):
                pass

    run(test)


def test_a_slow_reader_slows_the_reply_and_not_the_memory(desk: Desk) -> None:
    async def test() -> None:
        pieces = 20 * MOST_WAITING
        with ChatServer([Reply(text=["x "] * pieces)]) as server:
            more = {"settings": {"retry.provider.streamRepeatLimit": 0, "titles.generate": False}}
            async with desk.open(server, in_memory=True, **more) as session:
                prompt = session.prompt("go")
                await until(prompt, events.MessageUpdate)
                await asyncio.sleep(1)
                feed = session._feed
                assert feed is not None
                assert len(feed._events) <= MOST_WAITING + 10
                assert not feed.over
                rest = [e async for e in prompt if isinstance(e, events.MessageUpdate)]
                assert len(rest) == pieces - 1

    run(test)


def test_a_prompt_that_nobody_reads_does_nothing(desk: Desk) -> None:
    async def test() -> None:
        with ChatServer([]) as server:
            async with desk.open(server) as session:
                session.prompt("never read")
                left = session.prompt("closed at once")
                await left.aclose()
                assert [event async for event in left] == []
            assert server.requests == []

    run(test)
    gc.collect()


def test_every_event_is_exported() -> None:
    def below(kind: type[AgentEvent]) -> set[str]:
        found = {kind.__name__}
        return found.union(*(below(one) for one in kind.__subclasses__()))

    for module in pkgutil.iter_modules(eukhe.agent.__path__, "eukhe.agent."):
        importlib.import_module(module.name)  # a class that nobody imported is below nothing yet
    assert below(AgentEvent).difference(events.__all__) == set()


def test_every_name_of_the_package_is_there_and_its_stub_has_the_same(tmp_path: Path) -> None:
    for name in eukhe.__all__:
        assert getattr(eukhe, name) is not None
        assert name in dir(eukhe)
    with pytest.raises(AttributeError, match="no attribute 'Sessions'"):
        eukhe.Sessions  # type: ignore[attr-defined]  # noqa: B018 -- what is under test
    stub = Path(eukhe.__file__).with_suffix(".pyi").read_text()
    shown: dict[str, Any] = {}
    exec(stub[stub.index("__all__") : stub.index("__version__: str")], shown)
    assert shown["__all__"] == eukhe.__all__


def test_importing_the_package_imports_nothing_else() -> None:
    code = (
        "import sys; before = set(sys.modules); import eukhe; eukhe.__version__;"
        "print(sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['eukhe']"
