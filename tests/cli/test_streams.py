"""The standard streams: closed, silent, endless, or unable to show the text."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from eukhe.cli.run import PROMPT_BYTES
from tests.cli.eukhe_process import EUKHE, at
from tests.servers.chat import ChatServer, Reply

if TYPE_CHECKING:
    from tests.cli.eukhe_process import Home


def _shell(home: Home, script: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run a shell script in which `"$@"` is the program and its arguments."""
    return subprocess.run(
        ["bash", "-c", script, "bash", str(EUKHE), *arguments],
        cwd=home.cwd,
        env=home.env,
        capture_output=True,
        timeout=60,
        check=False,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_closed_streams_cost_no_reply(home: Home, closed: str) -> None:
    with ChatServer([Reply(text="hi")]) as server:
        done = _shell(home, f'"$@" {closed}', "-p", "x", *at(server))
    assert (done.returncode, done.stderr) == (0, b"")
    assert home.rows() == [("user", "x"), ("assistant", "hi")]


def test_wrong_use_with_closed_streams_still_has_its_code(home: Home) -> None:
    assert _shell(home, '"$@" <&- >&- 2>&-', "-p", "x").returncode == 2


def test_text_that_has_no_encoding_is_shown_escaped(home: Home) -> None:
    home.environ["PYTHONIOENCODING"] = "utf-8:strict"
    with ChatServer([Reply(text="ok")]) as server:
        assert _shell(home, '"$@"', "-p", os.fsdecode(b"odd \xff"), *at(server)).returncode == 0
    for command in (("sessions", "list"), ("sessions", "show")):
        done = home.run(*command)
        assert (done.returncode, done.stderr) == (0, "")
        assert "odd \\udcff" in done.stdout


def test_a_pipe_that_stays_open_and_silent_is_told(home: Home) -> None:
    with ChatServer([Reply(text="ok")]) as server:
        process = subprocess.Popen(
            [str(EUKHE), "-p", "x", *at(server)],
            cwd=home.cwd,
            env=home.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stderr is not None
        note = process.stderr.readline()
        assert note.startswith(b"eukhe: note: waiting for what is piped in")
        out, rest = process.communicate(timeout=60)  # closes the pipe
    assert (process.returncode, out, rest) == (0, b"ok\n", b"")


def test_an_endless_pipe_is_refused_and_nothing_is_sent(home: Home) -> None:
    with ChatServer([Reply(text="ok")]) as server:
        done = _shell(home, 'yes | "$@"', "-p", "x", *at(server))
        assert server.requests == []
    assert done.returncode == 2
    assert f"more than {PROMPT_BYTES >> 20} MiB".encode() in done.stderr
    assert not home.sessions.exists()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full device")  # noqa: PTH110
@pytest.mark.parametrize("mode", ["text", "json"])
def test_an_output_that_is_full_is_named(home: Home, mode: str) -> None:
    with ChatServer([Reply(text="ok")]) as server:
        done = _shell(home, '"$@" > /dev/full', "-p", "x", *at(server), "--mode", mode)
    assert done.returncode == 1
    assert done.stderr == b"eukhe: the standard output: No space left on device\n"


def test_a_deleted_working_directory_is_told(home: Home) -> None:
    script = 'mkdir gone && cd gone && rmdir ../gone && "$@"'
    with ChatServer([Reply(text="ok")]) as server:
        done = _shell(home, script, "-p", "x", *at(server))
        assert done.returncode == 2
        assert b"the working directory was deleted" in done.stderr
        done = _shell(home, script, "-p", "x", *at(server), "--cwd", str(home.cwd))
        assert (done.returncode, done.stdout) == (0, b"ok\n")


def test_a_session_without_a_commit_is_listed_as_empty(home: Home) -> None:
    (home.sessions / "20260101T000000000-aaaaaa").mkdir(parents=True)
    (home.sessions / "20260101T000000000-aaaaaa" / "main.jsonl").touch()
    assert "  empty  " in home.run("sessions", "list").stdout
