"""A session and event loops: several after each other, never two at once, and a close that is cancelled."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import pytest

from eukhe import OtherLoopError, PromptRunningError, Session, events
from tests.api.test_session import Desk, until
from tests.cli.test_failures import gone, pids_in
from tests.servers.chat import Call, ChatServer, Reply

if TYPE_CHECKING:
    from pathlib import Path

_SLEEP = "sleep 300 & echo $! $$ > pids; wait"
_STUBBORN = "trap '' TERM; echo $$ $$ > pids; while true; do sleep 0.05; done"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def _calls(command: str) -> Reply:
    return Reply(calls=[Call("bash", {"command": command})])


def test_a_session_goes_on_in_another_loop_when_the_first_has_ended(desk: Desk) -> None:
    async def opened(server: ChatServer) -> Session:
        return await desk.open(server)

    async def answer(session: Session) -> str | None:
        outcome = await session.prompt("go")
        return None if outcome is None else outcome.text

    with ChatServer([Reply(text="1"), Reply(text="2")]) as server:
        session = asyncio.run(opened(server))
        assert asyncio.run(answer(session)) == "1"
        assert asyncio.run(answer(session)) == "2"
        asyncio.run(session.close())
        assert server.problems == ()


def test_what_touches_a_prompt_of_another_loop_is_refused_and_harms_nothing(desk: Desk) -> None:
    async def test() -> None:
        with ChatServer([_calls(_SLEEP), Reply(text="on")]) as server:
            async with desk.open(server) as session:
                prompt = session.prompt("go")
                await until(prompt, events.ToolExecutionStart)
                pids = await asyncio.to_thread(pids_in, desk.cwd / "pids")

                async def elsewhere() -> None:
                    for refused in (
                        session.steer("now"),
                        session.follow_up("then"),
                        session.abort(),
                        session.close(),
                        anext(prompt),
                    ):
                        with pytest.raises(OtherLoopError):
                            await refused
                    with pytest.raises(PromptRunningError):
                        await session.fork()

                await asyncio.to_thread(lambda: asyncio.run(elsewhere()))
                for pid in pids:
                    os.kill(pid, 0)  # it runs on
                await session.abort()
                assert all(map(gone, pids))
                outcome = await session.prompt("again")
                assert outcome is not None
                assert outcome.text == "on"
            assert server.problems == ()

    asyncio.run(test())


def test_a_prompt_that_another_thread_lets_go_of_is_aborted_in_its_own_loop(desk: Desk) -> None:
    async def test() -> None:
        with ChatServer([_calls(_SLEEP), Reply(text="on")]) as server:
            async with desk.open(server) as session:
                held = [session.prompt("go")]
                await until(held[0], events.ToolExecutionStart)
                pids = await asyncio.to_thread(pids_in, desk.cwd / "pids")
                await asyncio.to_thread(held.clear)
                outcome = await session.prompt("again")
                assert outcome is not None
                assert outcome.text == "on"
                assert all(map(gone, pids))

    asyncio.run(test(), debug=True)


def test_a_close_that_is_cancelled_lets_the_run_store_what_there_is(desk: Desk) -> None:
    async def test() -> None:
        with ChatServer([_calls(_STUBBORN)]) as server:
            session = await desk.open(server)
            prompt = session.prompt("go")
            await until(prompt, events.ToolExecutionStart)
            await asyncio.to_thread(pids_in, desk.cwd / "pids")
            closing = asyncio.create_task(session.close())
            await asyncio.sleep(0)
            closing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await closing
            await session.close()
            async with desk.open(resume=session.id) as again:
                kinds = [row.kind for _, row in again.entries]
            assert kinds == ["user", "assistant", "tool_result"]

    asyncio.run(test())
