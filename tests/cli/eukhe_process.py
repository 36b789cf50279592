"""The real `eukhe` program as a child process, with its own home, sessions and working directory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tests.servers.chat import ChatServer

EUKHE = Path(sys.executable).with_name("eukhe")


@dataclass
class Home:
    """Where one test's processes live."""

    root: Path
    environ: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.cwd.mkdir()

    @property
    def cwd(self) -> Path:
        return self.root / "work"

    @property
    def sessions(self) -> Path:
        return self.root / "home" / ".eukhe" / "sessions"

    @property
    def env(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        return {**kept, "HOME": str(self.root / "home"), "PYTHONWARNINGS": "error", **self.environ}

    def run(
        self,
        *arguments: str,
        stdin: bytes | None = None,
        prefix: Iterable[str] = (),
        user: int | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run to the end; output as text."""
        done = subprocess.run(
            [*prefix, str(EUKHE), *arguments],
            cwd=self.cwd,
            env=self.env,
            capture_output=True,
            timeout=60,
            check=False,
            stdin=subprocess.DEVNULL if stdin is None else None,
            input=stdin,
        )
        out, err = done.stdout.decode(), done.stderr.decode()
        assert "Traceback" not in err, err
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start and leave running."""
        return subprocess.Popen(
            [str(EUKHE), *arguments],
            cwd=self.cwd,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
        )

    def journals(self) -> list[Path]:
        return sorted(self.sessions.glob("*/main.jsonl"))

    def show(self, *arguments: str) -> dict[str, Any]:
        """The newest session, or the one that is named."""
        done = self.run("sessions", "show", "--json", *arguments)
        assert done.returncode == 0, done.stderr
        form = json.loads(done.stdout)
        assert isinstance(form, dict)
        return form

    def rows(self, *arguments: str) -> list[tuple[str, str]]:
        """Kind and text of each row of a session."""
        return [(row["kind"], text_of(row["body"])) for row in self.show(*arguments)["entries"]]


def text_of(body: Mapping[str, Any]) -> str:
    """The text blocks of a row, or its message."""
    blocks = body.get("content", ())
    return str(body.get("message") or "".join(block.get("text", "") for block in blocks))


def at(server: ChatServer) -> tuple[str, ...]:
    """The options that name the server."""
    return ("--base-url", server.base_url, "--model", "m")
