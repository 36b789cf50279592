"""Servers, disks and users that fail, against the real program: what is said, and what is stored."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.eukhe_process import at
from tests.servers.chat import Call, ChatServer, Reply

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.eukhe_process import Home


NO_RETRY = ("--set", "retry.maxRetries=0")


def _error(status: int, message: str, **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status=status, json={"error": {"message": message}}, headers=named)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (_error(401, "Bad key, friend."), ["401", "Bad key, friend."]),
        (_error(500, "The GPU is on fire."), ["500", "The GPU is on fire."]),
        (_error(404, "No model m here."), ["404", "No model m here."]),
        (_error(429, "Slow down.", Retry_After="3600"), ["429", "Slow down.", "wait 3600 s"]),
        (Reply(raw=b"<html>hello</html>", content_type="text/html"), ["text/html"]),
        (Reply(raw=b"\x00\xff\xfe", content_type="text/event-stream"), []),
    ],
    ids=["401", "500", "404", "429", "html", "noise"],
)
def test_a_failed_request_says_what_the_server_said_and_can_go_on(
    home: Home, reply: Reply, said: list[str]
) -> None:
    with ChatServer([reply, Reply(text="better")]) as server:
        done = home.run("-p", "hello", *at(server), *NO_RETRY)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.count("\n") == 1
        assert done.stderr.startswith("eukhe: ")
        for words in said:
            assert words in done.stderr
        kind, text = home.rows()[-1]
        assert kind == "eukhe.error"
        assert text
        again = home.run("-p", "once more", "--continue")
        assert (again.returncode, again.stdout, again.stderr) == (0, "better\n", "")
        sent = [m["content"] for m in server.requests[-1].body["messages"][1:]]
        assert sent == ["hello", "once more"], "the failed reply is not sent back"
        assert server.problems == ()


def test_a_server_that_is_not_there_is_named(home: Home) -> None:
    with ChatServer([]) as server:
        gone = at(server)
    done = home.run("-p", "hello", *gone, *NO_RETRY)
    assert done.returncode == 1
    assert gone[1].removesuffix("/v1") in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("end", ["cut", "reset"])
def test_a_stream_that_dies_keeps_what_came(home: Home, end: str) -> None:
    whole = Reply(text=["half ", "and half"])
    parts = list(whole.body("m"))
    sent = len(b"".join(parts[: next(i for i, p in enumerate(parts) if b"half " in p) + 1]))
    dying = Reply(text=["half ", "and half"], sent=sent, end=end)  # type: ignore[arg-type]
    with ChatServer([dying, Reply(text="whole")]) as server:
        done = home.run("-p", "hello", *at(server), *NO_RETRY)
        assert (done.returncode, done.stdout) == (1, "half \n")
        assert done.stderr.count("\n") == 1
        rows = home.rows()
        assert [kind for kind, _ in rows] == ["user", "assistant", "eukhe.error"]
        assert rows[1][1] == "half "
        assert home.run("-p", "go on", "--continue").stdout == "whole\n"
        assert server.problems == ()


def test_an_unknown_tool_and_bad_arguments_come_back_as_errors_and_run_nothing(home: Home) -> None:
    calls = [
        Call("bsh", {"command": "touch ran"}),
        Call("bash", '{"command": "touch ran"'),
        Call("bash", '"touch ran"'),
        Call("bash", {"cmd": "touch ran"}),
        Call("teleport", "{}"),
    ]
    with ChatServer([Reply(calls=calls), Reply(text="I see.")]) as server:
        done = home.run("-p", "go", *at(server))
        assert (done.returncode, done.stdout) == (0, "I see.\n")
        results = [m["content"] for m in server.requests[1].body["messages"] if m["role"] == "tool"]
        assert server.problems == ()
    assert "tool_unavailable" in results[0]
    assert "did you mean bash" in results[0]
    assert "invalid_arguments" in results[1]
    assert '{"command": "touch ran"' in results[1]
    assert "not an object" in results[2]
    assert "'command' is missing" in results[3]
    assert "tool_unavailable" in results[4]
    assert not (home.cwd / "ran").exists()


def test_calls_run_whatever_the_stop_reason_but_length(home: Home) -> None:
    call = Call("bash", {"command": "echo >> ran"})
    replies = [
        Reply(calls=[call], finish="stop"),
        Reply(text="x", calls=[call, call], finish="length"),
        Reply(text="done"),
    ]
    with ChatServer(replies) as server:
        assert home.run("-p", "go", *at(server)).returncode == 0
        results = [m["content"] for m in server.requests[2].body["messages"] if m["role"] == "tool"]
    assert (home.cwd / "ran").read_text() == "\n", "it ran once, for the reply that was whole"
    assert [text.startswith("truncated:") for text in results] == [False, True, True]


def _interrupt(process: subprocess.Popen[bytes], number: signal.Signals = signal.SIGINT) -> str:
    process.send_signal(number)
    _, err = process.communicate(timeout=20)
    assert b"Traceback" not in err, err
    return err.decode()


def test_ctrl_c_leaves_a_hanging_server_and_the_session_goes_on(home: Home) -> None:
    whole = Reply(text="so far")
    parts = list(whole.body("m"))
    sent = len(b"".join(parts[: next(i for i, p in enumerate(parts) if b"so far" in p) + 1]))
    with ChatServer([Reply(text="so far", sent=sent, end="hang"), Reply(text="fresh")]) as server:
        with home.start("-p", "hello", *at(server)) as process:
            assert process.stdout is not None
            assert process.stdout.read(6) == b"so far"
            _interrupt(process)
        assert process.returncode == 130
        assert server.hung_up.wait(10), "the connection is closed"
        assert home.rows() == [("user", "hello"), ("assistant", "so far")]
        assert "the reply ended early: aborted" in home.run("sessions", "show").stdout
        assert home.run("-p", "again", "--continue").stdout == "fresh\n"
        assert server.problems == ()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_abort_ends_the_tools_and_stores_what_was_done(
    home: Home, number: signal.Signals
) -> None:
    calls = [
        Call("bash", {"command": "echo quick"}),
        Call("bash", {"command": "echo half; sleep 300 & echo $! $$ > pids; wait"}),
    ]
    with ChatServer([Reply(calls=calls), Reply(text="fresh")]) as server:
        with home.start("-p", "hello", *at(server), "--mode", "json") as process:
            assert process.stdout is not None
            events = (json.loads(line) for line in process.stdout)
            next(e for e in events if e["type"] == "tool_execution_end")
            pids = pids_in(home.cwd / "pids")
            _interrupt(process, number)
        assert process.returncode == 128 + number
        assert all(gone(pid) for pid in pids)
        rows = home.rows()
        assert rows[2] == ("tool_result", "quick")
        assert rows[3][1].startswith("aborted:")
        assert rows[3][1].endswith("until then:\nhalf"), "what it printed by then is kept"
        assert home.run("-p", "again", "--continue").stdout == "fresh\n"
        assert server.problems == ()


def test_a_second_ctrl_c_leaves_at_once_and_leaves_nothing_behind(home: Home) -> None:
    stubborn = "trap '' TERM INT; sleep 300 & echo $! $$ > pids; while :; do sleep 1; done"
    with ChatServer(
        [Reply(calls=[Call("bash", {"command": stubborn})]), Reply(text="ok")]
    ) as server:
        with home.start("-p", "hello", *at(server)) as process:
            pids = pids_in(home.cwd / "pids")
            process.send_signal(signal.SIGINT)
            time.sleep(0.1)
            _interrupt(process)
        assert process.returncode == 130
        assert all(gone(pid) for pid in pids)
        assert home.run("-p", "again", "--continue").stdout == "ok\n"
        assert server.problems == ()


def test_a_killed_process_reports_its_open_call_and_does_not_run_it_again(home: Home) -> None:
    call = Call("bash", {"command": "echo >> ran; echo $$ > pids; sleep 300"})
    with ChatServer([Reply(calls=[call]), Reply(text="fresh")]) as server:
        with home.start("-p", "hello", *at(server)) as process:
            (pid,) = pids_in(home.cwd / "pids")
            process.kill()
            process.communicate(timeout=20)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        done = home.run("-p", "again", "--continue")
        assert done.stdout == "fresh\n"
        assert "1 tool call(s) of the last run had no result" in done.stderr
        assert server.problems == ()
    assert (home.cwd / "ran").read_text() == "\n"
    assert home.rows()[2][1].startswith("interrupted:")


def test_a_torn_last_line_is_dropped_with_a_note(home: Home) -> None:
    with ChatServer([Reply(text="one"), Reply(text="two")]) as server:
        home.run("-p", "hello", *at(server))
        (journal,) = home.journals()
        whole = journal.read_bytes()
        journal.write_bytes(whole[:-20])
        assert home.rows() == [("user", "hello")]
        done = home.run("-p", "again", "--continue")
        assert (done.returncode, done.stdout) == (0, "two\n")
        assert "the last commit was never finished" in done.stderr
    assert [kind for kind, _ in home.rows()] == ["user", "user", "assistant"]


def test_a_damaged_middle_line_is_refused_and_left_as_it_is(home: Home) -> None:
    with ChatServer([Reply(text="one")]) as server:
        home.run("-p", "hello", *at(server))
    (journal,) = home.journals()
    first = journal.read_bytes().index(b"\n") + 1
    damaged = journal.read_bytes()[:-9] + b"deadbeef"[:6] + b'"}\n'
    journal.write_bytes(damaged)
    for arguments in (["-p", "x", "--continue"], ["sessions", "show"]):
        done = home.run(*arguments)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.count("\n") == 1
        assert f"{journal}, line 2 (byte {first}): the checksum does not fit" in done.stderr
    assert "damaged: " in home.run("sessions", "list").stdout
    assert journal.read_bytes() == damaged


def test_a_second_process_on_a_session_is_told_who_has_it(home: Home) -> None:
    with ChatServer([Reply(sent=-1, end="hang")]) as server:
        with home.start("-p", "hello", *at(server)) as process:
            _wait_for(lambda: bool(server.requests))
            done = home.run("-p", "me too", "--continue")
            assert (done.returncode, done.stdout) == (1, "")
            assert f"is open for writing in process {process.pid} on " in done.stderr
            assert home.run("sessions", "show").returncode == 0, "a reader may look"
            _interrupt(process)
        once = ("--set", "retry.maxRetries=0")
        free = home.run("-p", "now", "--continue", "--base-url", "http://127.0.0.1:1", *once)
        assert (free.returncode, "cannot connect" in free.stderr) == (1, True)


def test_a_limit_on_file_size_names_the_error_and_the_reply_is_shown(home: Home) -> None:
    # The limit would cut the bytecode that Python keeps as well, and break every later start.
    home.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    limited = ["bash", "-c", 'ulimit -f "$1"; shift; exec "$@"', "-"]
    call = Call("bash", {"command": "seq 300"})
    for blocks in ("0", "2"):
        with ChatServer([Reply(calls=[call]), Reply(text="the reply")]) as server:
            done = home.run("-p", "hello", *at(server), prefix=[*limited, blocks])
            assert server.problems == ()
        assert (done.returncode, done.stdout) == (1, "the reply\n")
        assert "could not be stored in" in done.stderr
        assert "File too large" in done.stderr
        assert "main.jsonl" in done.stderr
    first, second = home.journals()
    assert first.read_bytes() == b""
    assert home.rows() == [("user", "hello"), ("assistant", "")], "what fitted is whole"
    assert second.stat().st_size <= 2048


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 16 KiB, where mounting is permitted."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a file system is not permitted here")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_full_disk_names_the_error_and_the_reply_is_shown(home: Home, tiny_disk: Path) -> None:
    home.environ["EUKHE_SESSION_DIR"] = str(tiny_disk)
    call = Call("bash", {"command": "seq 4000"})
    with ChatServer([Reply(calls=[call]), Reply(text="the reply"), Reply(text="more")]) as server:
        done = home.run("-p", "hello", *at(server), "--mode", "json")
        assert done.returncode == 1
        events = [json.loads(line) for line in done.stdout.splitlines()]
        assert events[-1] == {"type": "agent_end", "status": "done", "stored": False}
        assert [e["type"] for e in events].count("storage_failed") == 1
        assert "No space left on device" in done.stderr
        assert [kind for kind, _ in home.rows()] == ["user", "assistant"]
        again = home.run("-p", "again", "--continue")
        assert again.stdout == "more\n"
        assert server.problems == ()


@pytest.fixture
def as_owner() -> tuple[str, ...]:
    """The start of a command line under which permissions hold; root writes where it wants."""
    if os.geteuid() != 0:
        return ()
    powerless = ("setpriv", "--bounding-set", "-all", "--inh-caps", "-all", "--")
    if shutil.which("setpriv") is None or subprocess.run([*powerless, "true"]).returncode:
        pytest.skip("root cannot give up its powers here")
    return powerless


def test_a_read_only_sessions_directory_shows_the_reply_and_names_the_error(
    home: Home, as_owner: tuple[str, ...]
) -> None:
    with ChatServer([Reply(text=f"reply {n}") for n in range(3)]) as server:
        home.run("-p", "hello", *at(server))
        (journal,) = home.journals()
        before = journal.read_bytes()
        for path in (journal, journal.parent, home.sessions):
            path.chmod(0o444 if path.is_file() else 0o555)
        fresh = home.run("-p", "x", *at(server), prefix=as_owner)
        assert (fresh.returncode, fresh.stdout) == (1, "reply 1\n")
        assert f"could not be stored in {home.sessions}" in fresh.stderr
        assert "Permission denied" in fresh.stderr
        assert fresh.stderr.count("\n") == 1
        stored = home.run("-p", "again", "--continue", prefix=as_owner)
        assert (stored.returncode, stored.stdout) == (1, "reply 2\n")
        assert "Permission denied" in stored.stderr
        assert stored.stderr.count("\n") == 1
        sent = [m["content"] for m in server.requests[2].body["messages"][1:]]
        assert sent == ["hello", "reply 0", "again"]
    assert journal.read_bytes() == before
    home.sessions.chmod(0o755)
    journal.parent.chmod(0o755)


def _wait_for(condition: object, seconds: float = 20.0) -> None:
    assert callable(condition)
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def pids_in(path: Path) -> list[int]:
    _wait_for(lambda: path.exists() and path.read_text().endswith("\n"))
    return [int(pid) for pid in path.read_text().split()]


def gone(pid: int) -> bool:
    for _ in range(200):
        try:
            os.kill(pid, 0)
            if sys.platform == "linux" and ") Z " in Path(f"/proc/{pid}/stat").read_text():
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.02)
    return False
