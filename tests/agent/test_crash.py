"""Scripted runs that are killed at random moments: a prefix of their commits is stored, no tool runs twice."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

from tests.agent.crash_server import CrashServer

_ROOT = Path(__file__).parents[2]

RUNS = int(os.environ.get("EUKHE_CRASH_RUNS", "30"))
"""How many; `make stress` asks for 300."""

SEED = os.environ.get("EUKHE_CRASH_SEED", "1")
"""What the moments are drawn from."""

_AT_ONCE = 2


def test_a_run_that_is_killed_at_any_moment_goes_on_from_its_last_commit(tmp_path: Path) -> None:
    with CrashServer() as server:
        share = -(-RUNS // _AT_ONCE)
        children = [
            subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "tests.agent.crash_runs",
                    server.base_url,
                    str(tmp_path),
                    SEED,
                    str(first),
                    str(min(share, RUNS - first)),
                ],
                cwd=_ROOT,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            for first in range(0, RUNS, share)
        ]
        told = [child.communicate()[0] for child in children]
        assert [child.returncode for child in children] == [0] * len(children), "\n".join(told)
        assert server.problems == (), "every request is one that a strict server takes"
    lives = [line.partition(": ")[2] for output in told for line in output.splitlines()]
    assert len(lives) == RUNS
    kills = Counter(kill for life in lives for kill in life.split(", "))
    killed = RUNS - kills.pop("never killed", 0)
    assert killed >= RUNS * 3 // 4, kills
    if RUNS >= 30:
        assert len(kills) >= 6, f"too few kinds of moments were met: {kills}"
