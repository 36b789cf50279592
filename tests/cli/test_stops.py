"""Ctrl-C in a process of its own: once, twice, while the loop is held up, and behind the end of the task."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from eukhe.cli import main as program
from tests.cli.eukhe_process import at
from tests.servers.chat import Call, ChatServer, Reply

if TYPE_CHECKING:
    from tests.cli.eukhe_process import Home

_BEGIN = """
import asyncio, os, signal, sys, threading, time
from eukhe.cli.stops import Stops

def ctrl_c(*after, number=signal.SIGINT):
    for seconds in after:
        threading.Timer(seconds, os.kill, (os.getpid(), number)).start()

def tell(work):
    stops = Stops()
    try:
        print(stops.run(work), end="")
    except BaseException as error:
        print(type(error).__name__, end="")
        if isinstance(error, asyncio.CancelledError):
            print(f" {stops.first}", end="")
"""


def _said(work: str) -> str:
    program = [sys.executable, "-W", "error", "-c", f"{_BEGIN}{work}"]
    done = subprocess.run(program, capture_output=True, text=True, timeout=20, check=False)
    assert "Traceback" not in done.stderr
    return done.stdout


def test_two_at_once_throw_no_exception_into_the_other_tasks() -> None:
    assert (
        _said("""
async def other():
    try:
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)
        await asyncio.sleep(9)
    except BaseException as error:
        print(type(error).__name__, end=" ")
        raise

async def work():
    task = asyncio.create_task(other())
    await task

tell(work)
""")
        == "CancelledError CancelledError 2"
    )


def test_the_second_ends_what_the_first_waits_for() -> None:
    began = time.monotonic()
    assert (
        _said("""
async def work():
    ctrl_c(0.05, 0.1)
    try:
        await asyncio.sleep(9)
    finally:
        await asyncio.sleep(9)

tell(work)
""")
        == "CancelledError 2"
    )
    assert time.monotonic() - began < 8


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_code_that_holds_up_the_loop_is_left(name: str) -> None:
    began = time.monotonic()
    assert (
        _said(f"""
async def work():
    ctrl_c(0.05, 0.7, number=signal.{name})
    time.sleep(9)

tell(work)
""")
        == "KeyboardInterrupt"
    )
    assert time.monotonic() - began < 8


def test_what_goes_on_behind_the_end_of_the_task_is_left() -> None:
    began = time.monotonic()
    assert (
        _said("""
async def stubborn():
    while True:
        try:
            await asyncio.sleep(9)
        except asyncio.CancelledError:
            pass

async def work():
    asyncio.create_task(stubborn())
    await asyncio.sleep(0)
    ctrl_c(0.05, 0.7)
    return 0

tell(work)
""")
        == "KeyboardInterrupt"
    )
    assert time.monotonic() - began < 8


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_one_leaves_a_standard_output_that_nobody_reads(
    home: Home, number: signal.Signals
) -> None:
    command = "echo $$ > pid; yes | head -c 3000000; sleep 300"
    with (
        ChatServer([Reply(calls=[Call("bash", {"command": command})])]) as server,
        home.start("-p", "go", *at(server), "--mode", "json") as process,
    ):
        pid = home.cwd / "pid"
        while not (pid.exists() and pid.read_text()):
            time.sleep(0.01)
        time.sleep(0.5)
        process.send_signal(number)
        time.sleep(0.7)
        process.send_signal(number)
        assert process.wait(10) == 128 + number
        assert not Path("/proc", pid.read_text().strip()).exists()
    assert [kind for kind, _ in home.rows()][:2] == ["user", "assistant"]


def test_a_signal_that_the_process_was_started_to_ignore_stays_ignored() -> None:
    assert (
        _said("""
async def work():
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        os.kill(os.getpid(), number)
        await asyncio.sleep(0.05)
        print(signal.Signals(number).name, end=" ")
        sys.stdout.flush()

signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
tell(work)
assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
""")
        == "SIGINT SIGHUP CancelledError 15"
    )


def test_one_that_falls_into_an_import_is_no_internal_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def importing(*_: object, **__: object) -> None:
        raise RuntimeError("Error calling __set_name__") from KeyboardInterrupt()

    monkeypatch.setattr(program.cli, "main", importing)
    assert program.main([]) == 130
    assert capsys.readouterr().err == ""
