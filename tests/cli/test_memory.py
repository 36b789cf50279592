"""Memory of a run: the peak of the real process stays where it is under a flood of a tool or of the server."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.cli.eukhe_process import EUKHE, at
from tests.servers.chat import Call, ChatServer, Reply

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.cli.eukhe_process import Home

_MIB = 1 << 20

# A process of its own, and a small one: a child's peak is at least what its parent had when it was forked.
_MEASURE = """
import json, os, subprocess, sys
child = subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=open(sys.argv[1], "wb"))
_, status, used = os.wait4(child.pid, 0)
print(json.dumps([used.ru_maxrss * 1024, os.waitstatus_to_exitcode(status)]))
"""


def _peak(home: Home, replies: Sequence[Reply], *arguments: str) -> tuple[int, int, str]:
    """Bytes at the most, exit code and stderr of a run."""
    said = home.root / "stderr"
    with ChatServer(replies) as server:
        command = [str(EUKHE), "-p", "go", *at(server), *arguments]
        done = subprocess.run(
            [sys.executable, "-S", "-c", _MEASURE, str(said), *command],
            cwd=home.cwd,
            env=home.env,
            capture_output=True,
            check=True,
            timeout=60,
        )
    peak, code = json.loads(done.stdout)
    return peak, code, said.read_text()


@pytest.fixture
def usual(home: Home) -> int:
    """The peak of a run with a tool that says little."""
    peak, code, _ = _peak(home, [Reply(calls=[Call("bash", {"command": "true"})]), Reply(text="x")])
    assert code == 0
    return peak


@pytest.mark.parametrize("mode", ["text", "json"])
def test_fifty_megabytes_of_a_tool_stay_out_of_memory(home: Home, usual: int, mode: str) -> None:
    command = "yes hello world | head -c 25000000; head -c 25000000 /dev/zero | tr '\\0' x"
    replies = [Reply(calls=[Call("bash", {"command": command})]), Reply(text="x")]
    peak, code, _ = _peak(home, replies, "--mode", mode)
    assert code == 0
    assert peak < usual + 12 * _MIB
    [output] = home.sessions.glob("*/outputs/*")
    assert output.stat().st_size == 50_000_000


def test_a_line_of_ten_megabytes_is_refused_before_it_fills_memory(home: Home, usual: int) -> None:
    line = b'data: {"choices":[{"index":0,"delta":{"content":"' + b"x" * 10_000_000 + b'"}}]}\n\n'
    endless = [b"data: ", *[b"x" * 1_000_000] * 60]
    for reply in (Reply(parts=[line]), Reply(parts=endless)):
        peak, code, said = _peak(home, [reply], "--set", "retry.enabled=false")
        assert code == 1
        assert "more than 8388608 bytes" in said
        assert peak < usual + 3 * 8 * _MIB


def test_a_body_of_an_error_is_read_to_a_bound(home: Home, usual: int) -> None:
    reply = Reply(status=400, raw=b"x" * 60_000_000)
    peak, code, _ = _peak(home, [reply], "--set", "retry.enabled=false")
    assert code == 1
    assert peak < usual + 12 * _MIB
