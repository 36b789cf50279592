"""`--input-format json-lines`: a program steers, follows up and aborts a real process by lines on its stdin."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eukhe.agent.inbox.entering import Kind
from eukhe.cli.input_lines import LINE_BYTES, Abort, Bad, InputLines, Message, Splitter, line_of
from tests.cli.eukhe_process import EUKHE, Home, at
from tests.cli.test_failures import gone, pids_in
from tests.servers.chat import Call, ChatServer, Reply

if TYPE_CHECKING:
    from collections.abc import Iterator

_LINES = ("--mode", "json", "--input-format", "json-lines")
_WAIT = "while [ ! -e go ]; do sleep 0.02; done; echo went"


class Steered:
    """A run that is steered."""

    def __init__(self, home: Home, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [str(EUKHE), *arguments, *_LINES],
            cwd=home.cwd,
            env=home.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.stdin = self.process.stdin
        self.events = self._events(self.process.stdout)
        self.heard: list[dict[str, Any]] = []

    def _events(self, stdout: Any) -> Iterator[dict[str, Any]]:
        for line in stdout:
            self.heard.append(json.loads(line))
            yield self.heard[-1]

    def send(self, **line: object) -> None:
        self.stdin.write(json.dumps(line).encode() + b"\n")

    def until(self, kind: str) -> dict[str, Any]:
        return next(event for event in self.events if event["type"] == kind)

    def end(self) -> int:
        """Read to the end; the exit code."""
        for _ in self.events:
            pass
        _, err = self.process.communicate(timeout=20)
        assert b"Traceback" not in err, err
        return self.process.returncode

    def kinds(self, *kinds: str) -> list[str]:
        return [event["type"] for event in self.heard if event["type"] in kinds]


def _users(server: ChatServer, number: int) -> list[str]:
    return [m["content"] for m in server.requests[number].body["messages"] if m["role"] == "user"]


def test_lines_steer_and_follow_up_while_a_tool_runs(home: Home) -> None:
    replies = [
        Reply(calls=[Call("bash", {"command": _WAIT})]),
        Reply(text="one"),
        Reply(text="two"),
    ]
    with ChatServer(replies) as server:
        run = Steered(home, "-p", "go", *at(server))
        run.until("tool_execution_start")
        run.send(type="follow_up", text="and then?")
        run.send(type="steer", text="be brief", more=1)
        assert [run.until("message_queued") for _ in range(2)] == [
            {"type": "message_queued", "id": 1, "kind": "follow_up", "text": "and then?"},
            {"type": "message_queued", "id": 2, "kind": "steer", "text": "be brief"},
        ]
        (home.cwd / "go").touch()
        assert run.end() == 0
        assert server.problems == ()
        assert [_users(server, n) for n in (1, 2)] == [
            ["go", "be brief"],
            ["go", "be brief", "and then?"],
        ]
    placed = [event["id"] for event in run.heard if event["type"] == "message_placed"]
    assert placed == [2, 1]
    assert run.heard[-1] == {"type": "agent_end", "status": "done", "stored": True}
    kinds = ["user", "assistant", "tool_result", "user", "assistant", "user", "assistant"]
    assert [kind for kind, _ in home.rows()] == kinds


def test_a_bad_line_is_told_with_what_is_expected_and_the_run_goes_on(home: Home) -> None:
    bad = {
        b"{": "is no JSON",
        b"[1]": "is no JSON object",
        b'{"type":"stop"}': "no type 'stop'",
        b'{"text":"x"}': "has no type",
        b'{"type":"steer"}': "needs a text",
        b'{"type":"steer","text":3}': "needs a text",
        b'{"type":"steer","text":" "}': "its text is empty",
        b"\xff": "is not UTF-8",
        b'{"type":"steer","text":"%s"}' % (b"x" * LINE_BYTES): "more than 8 MiB",
        b"[" * 100_000: "is no JSON",
    }
    with ChatServer([Reply(calls=[Call("bash", {"command": _WAIT})]), Reply(text="ok")]) as server:
        run = Steered(home, "-p", "go", *at(server))
        run.until("tool_execution_start")
        for number, (line, why) in enumerate(bad.items(), start=1):
            run.stdin.write(line + b"\n")
            told = run.until("input_error")
            assert told["line"] == number
            assert why in told["text"]
            assert "MiB" in why or "expected" in told["text"] or "empty" in why
        run.stdin.write(b'\n  \n{"type":"steer","text":"fine"}')  # the last line may lack its end
        run.stdin.close()
        run.until("message_queued")
        (home.cwd / "go").touch()
        run.process.stdin = None
        assert run.end() == 0
        assert _users(server, 1) == ["go", "fine"]


def test_an_abort_line_ends_the_tool_and_its_process_group(home: Home) -> None:
    command = "sleep 300 & echo $! $$ > pids; wait"
    replies = [Reply(calls=[Call("bash", {"command": command})]), Reply(text="a"), Reply(text="b")]
    with ChatServer(replies) as server:
        run = Steered(home, "-p", "go", *at(server))
        pids = pids_in(home.cwd / "pids")
        run.send(type="follow_up", text="later")
        run.send(type="abort")
        assert run.end() == 130
        assert all(gone(pid) for pid in pids)
        assert run.heard[-1]["status"] == "aborted"
        assert home.rows()[-1][1].startswith("aborted:")
        done = home.run("-p", "again", "--continue")
        assert (done.returncode, done.stdout) == (0, "a\nb\n")
        assert "follow-up: later" in done.stderr
        assert server.problems == ()


def test_a_run_is_aborted_once_however_often_it_is_asked() -> None:
    """A second abort would end the tidying up after the first."""

    async def test() -> None:
        aborts: list[None] = []
        refused: list[object] = []
        ours, theirs = os.pipe()
        lines = InputLines(ours, lambda *_: None, lambda: aborts.append(None), refused.append)
        lines.start(asyncio.get_running_loop())
        os.write(theirs, b'{"type":"abort"}\n' * 3 + b"end\n")
        os.close(theirs)
        while not refused:
            await asyncio.sleep(0.01)
        assert len(aborts) == 1

    asyncio.run(test())


def test_a_killed_run_loses_no_message_and_places_it_once(home: Home) -> None:
    command = "echo $$ > pids; sleep 300"
    replies = [Reply(calls=[Call("bash", {"command": command})]), Reply(text="a"), Reply(text="b")]
    with ChatServer(replies) as server:
        run = Steered(home, "-p", "go", *at(server))
        (pid,) = pids_in(home.cwd / "pids")
        run.send(type="steer", text="steered")
        run.until("message_queued")
        run.send(type="follow_up", text="followed")
        run.until("message_queued")
        run.process.send_signal(signal.SIGKILL)
        run.process.communicate(timeout=20)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        shown = home.run("sessions", "show").stdout.splitlines()
        waits = ["[steer: it waits for the next run]", "[follow_up: it waits for the next run]"]
        assert shown[-5:] == ["> steered", waits[0], "", "> followed", waits[1]]
        waiting = json.loads(home.run("sessions", "show", "--json").stdout)["waiting"]
        assert [one["text"] for one in waiting] == ["steered", "followed"]
        assert home.run("--continue").returncode == 0
        assert "waits" not in home.run("sessions", "show").stdout
        assert _users(server, 1) == ["go", "steered"]
        assert _users(server, 2) == ["go", "steered", "followed"]
        assert server.problems == ()
    texts = [text for kind, text in home.rows() if kind == "user"]
    assert texts == ["go", "steered", "followed"]


def test_lines_that_wait_in_the_pipe_before_the_run_begins_steer_it(home: Home) -> None:
    lines = b'{"type":"follow_up","text":"two"}\n{"type":"follow_up","text":"three"}\n'
    slow = Reply(text=["o", "n", "e"], delay=0.2)
    with ChatServer([slow, Reply(text="2"), Reply(text="3")]) as server:
        done = home.run("-p", "one", *at(server), *_LINES, stdin=lines)
        assert done.returncode == 0, done.stderr
        assert _users(server, 2) == ["one", "two", "three"]


def test_an_open_pipe_holds_up_neither_the_start_nor_the_end(home: Home) -> None:
    with ChatServer([Reply(text="ok")]) as server:
        run = Steered(home, "-p", "go", *at(server))
        for _ in run.events:
            pass
        assert run.process.wait(20) == 0, "although the pipe is open"
        assert run.end() == 0
        assert _users(server, 0) == ["go"]


def test_lines_steer_a_run_that_goes_on_after_a_kill(home: Home) -> None:
    hang = Reply(text="cut", sent=-1, end="hang")
    slow = Reply(text=["a", "b", "c"], delay=0.2)
    with ChatServer([hang, slow, Reply(text="two")]) as server:
        run = Steered(home, "-p", "go", *at(server))
        while not server.requests:
            time.sleep(0.01)
        run.process.kill()
        run.process.communicate(timeout=20)
        again = Steered(home, "--continue")
        again.send(type="follow_up", text="more")
        assert again.end() == 0
        assert _users(server, 2) == ["go", "more"]


def test_a_reader_that_goes_away_ends_the_run_when_a_line_is_told(home: Home) -> None:
    with ChatServer([Reply(calls=[Call("bash", {"command": "sleep 300"})])]) as server:
        run = Steered(home, "-p", "go", *at(server))
        run.until("tool_execution_start")
        assert run.process.stdout is not None
        run.process.stdout.close()
        run.process.stdout = None
        run.stdin.write(b"?\n")
        _, err = run.process.communicate(timeout=20)
        assert run.process.returncode == 1
        assert b"Traceback" not in err, err
    assert [kind for kind, _ in home.rows()] == ["user", "assistant"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("-p", "x", "--input-format", "json-lines"), "needs --mode json"),
        (("-p", "-", *_LINES), "give the prompt as text"),
    ],
)
def test_lines_need_events_and_a_prompt_that_is_no_line(
    home: Home, arguments: tuple[str, ...], why: str
) -> None:
    done = home.run(*arguments, "--base-url", "http://127.0.0.1:9/v1", "--model", "m")
    assert (done.returncode, done.stdout) == (2, "")
    assert why in done.stderr
    assert home.journals() == []


@given(st.lists(st.binary(max_size=9).map(lambda b: b.replace(b"\n", b"")), max_size=6), st.data())
def test_lines_are_the_same_however_the_pipe_parts_them(
    lines: list[bytes], data: st.DataObject
) -> None:
    whole = b"".join(line + b"\n" for line in lines) + b"rest"
    cuts = sorted(data.draw(st.sets(st.integers(0, len(whole)), max_size=5)))
    splitter = Splitter()
    found: list[bytes | None] = []
    for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True):
        found += splitter.feed(whole[start:end])
    assert found == lines
    assert list(splitter.end()) == [b"rest"]


def test_a_line_that_is_too_long_is_left_out_whole_and_the_next_is_read() -> None:
    splitter = Splitter()
    found: list[bytes | None] = []
    for _ in range(3):
        found += splitter.feed(b"x" * (LINE_BYTES // 2))
    found += splitter.feed(b"x\nnext\n")
    assert found == [None, b"next"]
    assert list(splitter.feed(b"y" * (LINE_BYTES + 1))) == []
    assert list(splitter.end()) == [None]


@given(st.binary(max_size=40) | st.text(max_size=40).map(str.encode))
def test_any_line_is_read_without_failing(raw: bytes) -> None:
    assert line_of(raw) is None or isinstance(line_of(raw), (Message, Abort, Bad))


def test_the_three_kinds_of_line() -> None:
    assert line_of(b'{"type":"steer","text":"a"}\r') == Message(Kind.STEER, "a")
    assert line_of(b' {"type":"follow_up","text":"b","id":7}') == Message(Kind.FOLLOW_UP, "b")
    assert line_of(b'{"type":"abort"}') == Abort()
