"""How long `eukhe -p` takes, the whole process, against a loopback server that answers at once.

It is compared with a Python that imports httpx and nothing else (what any Python client of a model must do first)
and with bare Python. Sessions are stored and fsynced in a temporary directory and get a title, as in daily use.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from tests.servers.chat import ChatServer, Reply, Script

from benchmarks.common import Line, in_turns, spread

NAME = "print"
ROUNDS = 25


def run() -> list[Line]:
    eukhe = Path(sys.executable).with_name("eukhe")
    script = Script(
        [Reply(text=["The answer ", "is here."])], repeat_last=True, title=Reply(text="An answer")
    )
    with tempfile.TemporaryDirectory() as directory, ChatServer(script) as server:
        environ = {**os.environ, "HOME": directory, "EUKHE_SESSION_DIR": f"{directory}/sessions"}
        where = ["--base-url", server.base_url, "--model", "m"]

        def once(*command: str) -> None:
            subprocess.run(
                command,
                check=True,
                cwd=directory,
                env=environ,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )

        sides = (
            partial(once, str(eukhe), "-p", "hello", *where),
            partial(once, sys.executable, "-c", "import httpx"),
            partial(once, sys.executable, "-c", ""),
        )
        for side in sides:  # the first run writes bytecode and fills the disk cache
            side()
        ours, httpx, bare = in_turns(sides, ROUNDS)
    detail = f"eukhe -p {spread(ours)}"
    return [
        Line(
            "eukhe -p / python -c 'import httpx'",
            min(ours) / min(httpx),
            detail=f"{detail}; httpx {spread(httpx)}",
        ),
        Line("eukhe -p / bare Python", min(ours) / min(bare), detail=f"bare {spread(bare)}"),
    ]
