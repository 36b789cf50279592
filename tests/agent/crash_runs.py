"""A process that kills runs: each in a child of its own, at a moment drawn from a seed, until the run is through.

    python -m tests.agent.crash_runs URL DIRECTORY SEED FIRST COUNT

It prints one line a run, and ends with exit code 1 at the first that breaks a rule. It has no threads, so that it
may fork.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
import traceback
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NoReturn

from eukhe.agent.retry.policy import RetryPolicy
from eukhe.agent.rows.record import RUN, AgentDocument, main_conversation
from eukhe.agent.rows.transcript import messages_of
from eukhe.agent.rows.unfinished import open_rounds
from eukhe.agent.run import Run
from eukhe.agent.who import Agent
from eukhe.session import journal
from eukhe.session.store import Session
from eukhe.tools import ToolContext, Toolset
from eukhe.wire.messages import AssistantMessage, ToolResultMessage
from eukhe.wire.openai_completions import stream
from tests.agent.crash_server import ANSWER, CALLS

if TYPE_CHECKING:
    from collections.abc import Callable

_COMMITS = 14
"""About as many as a run has."""

_MOMENTS = (
    "fsync before",
    "fsync after",
    "write",
    "event",
    "tool before",
    "tool after",
    "time",
)


class Life:
    """One run over all its processes.

    Args:
        url: the server.
        home: its directory.
        number: its number.
        random: decides when it is killed.
    """

    def __init__(self, url: str, home: Path, number: int, random: Random) -> None:
        self._url = url
        self._home = home
        self._number = number
        self._random = random
        self._lines: list[bytes] = []
        self._torn = b""
        self._kills: list[str] = []
        self._journal = home / "session" / journal.FILE
        self._intents = home / "intents"
        (home / "work").mkdir(parents=True)

    def live(self) -> str:
        """Kill it one to three times, and let it come to its end; what happened, in words."""
        for _ in range(self._random.choice((1, 1, 1, 2, 3))):
            if self._process(self._random.choice(_MOMENTS)):
                break
        else:
            assert self._process(""), "the run is not through"
        ran = (self._home / "work" / "ran").read_text().split()
        assert len(ran) == len(set(ran)), f"a tool ran twice: {ran}"
        assert set(ran) <= set(CALLS)
        with Session.open_to_read(self._journal.parent) as session:
            self._is_whole(session)
        return ", ".join(self._kills) or "never killed"

    def _is_whole(self, session: Session) -> None:
        conversation = main_conversation(session)
        assert conversation is not None
        run = session.document(RUN, conversation)
        assert run is not None
        assert run["phase"] == "done", run
        messages = messages_of(entry for _, entry in session.entries(conversation))
        last = messages[-1]
        assert isinstance(last, AssistantMessage)
        assert last.text == ANSWER
        calls = [c.id for m in messages if isinstance(m, AssistantMessage) for c in m.calls]
        results = [m.call_id for m in messages if isinstance(m, ToolResultMessage)]
        assert calls == results == list(CALLS), (calls, results)
        texts = {m.call_id: m.text for m in messages if isinstance(m, ToolResultMessage)}
        for name, text in texts.items():
            assert text == f"out of {name}" or text.startswith("interrupted:"), text

    def _process(self, moment: str) -> bool:
        """Let it work in a process that is killed at the moment; whether it is through."""
        self._intents.write_bytes(b"")
        fatal, seconds = self._plan(moment)
        pid = os.fork()
        if pid == 0:
            self._child(fatal)
        if seconds is not None:
            time.sleep(seconds)
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        assert killed or os.WEXITSTATUS(status) == 0, f"the process failed: {status}"
        if killed:
            self._kills.append(moment)
        return self._reopens() and not killed

    def _plan(self, moment: str) -> tuple[Callable[[], None], float | None]:
        """What the child does to be killed in time, or after how many seconds it is killed."""
        nth = self._random.randint(1, _COMMITS)
        match moment.split():
            case ["fsync", when]:
                return lambda: _at_fsync(nth, before=when == "before"), None
            case ["write"]:
                share = self._random.random()
                return lambda: _in_write(nth, share), None
            case ["event"]:
                at = self._random.randint(1, 70)
                return lambda: setattr(self, "_at_event", at), None
            case ["tool", when]:
                name = self._random.choice(CALLS)
                (self._home / "work" / f"kill-{when}-{name}").touch()
                return lambda: None, None
            case ["time"]:
                return lambda: None, self._random.uniform(0, 0.35)
        return lambda: None, None

    def _reopens(self) -> bool:
        """Whether the run is through; what is stored must be what was committed, and one step more at most."""
        whole = self._journal.read_bytes() if self._journal.exists() else b""
        lines = whole.splitlines(keepends=True)
        torn = lines.pop() if lines and not lines[-1].endswith(b"\n") else b""
        committed, under_way = list(self._lines), b""
        for one in self._intents.read_bytes().splitlines(keepends=True):
            if one == b"=\n":
                committed.append(under_way)
                under_way = b""
            else:
                under_way = one
        assert lines in (committed, [*committed, under_way]), "no prefix of the commits"
        # A torn line stays until the next commit, also when that one was never begun.
        known = torn == self._torn or under_way.startswith(torn)
        assert known, "the torn line is no commit that was under way"
        self._lines, self._torn = lines, torn
        if not lines:
            return False
        with Session.open_to_write(self._journal.parent) as session:
            assert session.cursor == len(lines)
            assert bool(session.warnings) == bool(torn)
            return open_rounds(session) is None

    def _child(self, fatal: Callable[[], None]) -> NoReturn:
        code = 1
        try:
            self._at_event = 0
            _tell_commits(self._intents)
            fatal()
            code = 0 if asyncio.run(self._work()) == ANSWER else 1
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    async def _work(self) -> str | None:
        work = self._home / "work"
        document = AgentDocument("m", self._url, str(work), ("bash",))
        context = ToolContext(work, {"PATH": "/usr/bin:/bin"})
        tools = Toolset.built_in(("bash",))
        agent = Agent(document, tools, context, retry=RetryPolicy(base=0))
        events = 0

        def listen(_: object) -> None:
            nonlocal events
            events += 1
            if events == self._at_event:
                os.kill(os.getpid(), signal.SIGKILL)

        there = self._journal.parent.exists()
        open_session = Session.open_to_write if there else Session.create
        with open_session(self._journal.parent) as session:
            run = Run(session, agent, stream, listen)
            if open_rounds(session) is not None:
                return (await run.resume()).text
            if main_conversation(session) is not None:
                return ANSWER  # it was through before it was killed
            return (await run.prompt(f"run {self._number}")).text


def _tell_commits(path: Path) -> None:
    """Write down each commit before it begins and when it is made, beside the journal."""
    fd = os.open(path, os.O_WRONLY | os.O_APPEND)
    append, write = journal.JournalWriter.append, os.write

    def told(self: journal.JournalWriter, commit: journal.Commit) -> None:
        write(fd, journal.encode_commit(commit))
        append(self, commit)
        write(fd, b"=\n")

    journal.JournalWriter.append = told  # type: ignore[method-assign]  # this process ends with the run


def _at_fsync(nth: int, *, before: bool) -> None:
    """Die at the nth fsync from now: before it, or when it is done."""
    fsync, count = os.fsync, 0

    def dies(fd: int) -> None:
        nonlocal count
        count += 1
        if count == nth and before:
            os.kill(os.getpid(), signal.SIGKILL)
        fsync(fd)
        if count == nth:
            os.kill(os.getpid(), signal.SIGKILL)

    os.fsync = dies  # type: ignore[assignment]  # this process ends with the run


def _in_write(nth: int, share: float) -> None:
    """Die in the nth write of a commit, when a share of the line is in the file."""
    write, count = os.write, 0

    def dies(fd: int, data: bytes) -> int:
        nonlocal count
        if bytes(data[:5]) == b'{"v":':
            count += 1
            if count == nth:
                write(fd, data[: int(len(data) * share)])
                os.kill(os.getpid(), signal.SIGKILL)
        return write(fd, data)

    os.write = dies  # type: ignore[assignment]  # this process ends with the run


def main() -> int:
    """Live all lives."""
    url, directory, seed, first, count = sys.argv[1:]
    import httpx  # noqa: F401 - once for all children

    for number in range(int(first), int(first) + int(count)):
        home = Path(directory) / str(number)
        random = Random(f"{seed} {number}")
        try:
            said = Life(url, home, number, random).live()
        except BaseException:
            traceback.print_exc()
            sys.stdout.write(f"run {number} of seed {seed} broke a rule; it is in {home}\n")
            return 1
        sys.stdout.write(f"{number}: {said}\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
