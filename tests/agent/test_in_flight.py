"""Requests in flight, counted across processes: `providerMaxInFlight`."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from eukhe.agent.retry.events import ProviderWaitEnd, ProviderWaitStart
from eukhe.agent.retry.in_flight import InFlight
from eukhe.wire.errors import ErrorKind, WireError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eukhe.agent.events import AgentEvent

_ROOT = Path(__file__).parents[2]


class _Holder:
    """A process that holds a slot, or waits for one."""

    def __init__(self, directory: Path, limit: int, name: str) -> None:
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "tests.agent.in_flight_process",
                str(directory),
                str(limit),
                name,
            ],
            cwd=_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def said(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().split()[0]

    def give_back(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        assert self.said() == "gave"


@contextmanager
def _holder(directory: Path, limit: int, name: str) -> Iterator[_Holder]:
    holder = _Holder(directory, limit, name)
    with holder.process:
        try:
            yield holder
        finally:
            holder.process.kill()


def _take(
    directory: Path, limit: int | None, told: list[AgentEvent], *, looks: int = 3
) -> asyncio.Task[None]:
    """Try to hold a slot in this process; cancelled after so many waits."""
    waits = 0

    async def sleep(seconds: float) -> None:
        nonlocal waits
        waits += 1
        if waits > looks:
            raise asyncio.CancelledError
        await asyncio.sleep(0)

    async def go() -> None:
        async with InFlight(directory, lambda _: limit).slot("acme", told.append, sleep):
            pass

    return asyncio.ensure_future(go())


def _tries(directory: Path, limit: int | None, told: list[AgentEvent]) -> bool:
    async def go() -> bool:
        try:
            await _take(directory, limit, told)
        except asyncio.CancelledError:
            return False
        return True

    return asyncio.run(go())


def _names(directory: Path) -> list[str]:
    return [path.name for path in directory.iterdir()]


def test_a_provider_has_as_many_requests_in_flight_as_its_limit(tmp_path: Path) -> None:
    place = tmp_path / "slots"
    with _holder(place, 2, "a") as one, _holder(place, 2, "b") as two:
        assert (one.said(), two.said()) == ("has", "has")
        told: list[AgentEvent] = []
        assert not _tries(place, 2, told)
        assert told == [ProviderWaitStart("acme", 2), ProviderWaitEnd("acme", aborted=True)]
        told.clear()
        assert _tries(place, 3, told), "a higher limit has one more"
        assert _tries(place, None, told)
        assert told == [], "who does not wait tells nothing"
        two.give_back()
        assert _tries(place, 2, told)


def test_a_killed_process_frees_its_slot_and_its_place_in_the_line(tmp_path: Path) -> None:
    with ExitStack() as stack:
        holder = stack.enter_context(_holder(tmp_path, 1, "a"))
        assert holder.said() == "has"
        waiting = stack.enter_context(_holder(tmp_path, 1, "b"))
        assert waiting.said() == "waits"
        waiting.process.kill()
        waiting.process.wait()
        holder.process.kill()
        holder.process.wait()
        told: list[AgentEvent] = []
        assert _tries(tmp_path, 1, told)
        assert told == []
    left = _names(tmp_path / "provider-acme")
    assert left == ["slot-0"], "the ticket of the dead is gone"


def test_who_came_first_is_served_first(tmp_path: Path) -> None:
    with ExitStack() as stack:
        first = stack.enter_context(_holder(tmp_path, 1, "first"))
        assert first.said() == "has"
        line = []
        for name in ("a", "b", "c"):
            line.append(stack.enter_context(_holder(tmp_path, 1, name)))
            assert line[-1].said() == "waits"
        told: list[AgentEvent] = []
        assert not _tries(tmp_path, 1, told)
        first.give_back()
        for holder in line:
            assert holder.said() == "has"
            assert not _tries(tmp_path, 1, told), "nobody gets past the line"
            holder.give_back()
        assert _tries(tmp_path, 1, told)


def test_who_was_stopped_while_waiting_is_passed_by_until_it_looks_again(tmp_path: Path) -> None:
    with ExitStack() as stack:
        holder = stack.enter_context(_holder(tmp_path, 1, "a"))
        assert holder.said() == "has"
        stopped = stack.enter_context(_holder(tmp_path, 1, "b"))
        assert stopped.said() == "waits"
        stopped.process.send_signal(signal.SIGSTOP)
        holder.give_back()
        told: list[AgentEvent] = []
        assert not _tries(tmp_path, 1, told), "a moment without a look is none"
        (ticket,) = (tmp_path / "provider-acme").glob("ticket-*")
        os.utime(ticket, (0, 0))
        assert _tries(tmp_path, 1, told)
        stopped.process.send_signal(signal.SIGCONT)
        assert stopped.said() == "has"


def test_an_abort_while_waiting_leaves_no_place_in_the_line(tmp_path: Path) -> None:
    with _holder(tmp_path, 1, "a") as holder:
        assert holder.said() == "has"
        told: list[AgentEvent] = []

        async def go() -> None:
            task = _take(tmp_path, 1, told, looks=10**6)
            while not told:
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asyncio.run(go())
        assert told == [ProviderWaitStart("acme", 1), ProviderWaitEnd("acme", aborted=True)]
        assert _names(tmp_path / "provider-acme") == ["slot-0"]


def test_providers_do_not_wait_for_each_other_whatever_their_names(tmp_path: Path) -> None:
    slots = InFlight(tmp_path, lambda _: 1)

    async def go() -> None:
        async with ExitStackOf(slots, ["..", "a/b", "a", "127.0.0.1:8080", "x" * 300]):
            pass

    asyncio.run(go())
    assert len(_names(tmp_path)) == 5
    assert all(path.parent == tmp_path for path in tmp_path.iterdir())


class ExitStackOf:
    """Holds one slot of each provider at the same time."""

    def __init__(self, slots: InFlight, providers: list[str]) -> None:
        self._held = [
            slots.slot(name, lambda _: pytest.fail("nobody waits"), asyncio.sleep)
            for name in providers
        ]

    async def __aenter__(self) -> None:
        for one in self._held:
            await one.__aenter__()

    async def __aexit__(self, *_: object) -> None:
        for one in reversed(self._held):
            await one.__aexit__(None, None, None)


def test_the_directories_are_for_the_user_alone(tmp_path: Path) -> None:
    assert _tries(tmp_path / "run" / "in-flight", 1, [])
    for path in (tmp_path / "run").rglob("*"):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path


def test_a_limit_of_zero_lets_nothing_through(tmp_path: Path) -> None:
    with pytest.raises(WireError, match="providerMaxInFlight is 0") as caught:
        _tries(tmp_path, 0, [])
    assert caught.value.kind is ErrorKind.PERMISSION


def test_slots_that_cannot_be_made_are_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WireError, match=r"cannot be counted .*file.*providerMaxInFlight") as caught:
        _tries(tmp_path / "file" / "slots", 1, [])
    assert caught.value.kind is ErrorKind.INVALID_REQUEST
