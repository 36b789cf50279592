"""Every `console` example of the docs is run as a user would run it, and prints what the page says.

A comment before the block says what it needs: `<!-- example -->` nothing, `<!-- example: NAME -->` the files of
`tests/docs/NAME/files` and a server that answers `tests/docs/NAME/script.json`, in place of 127.0.0.1:8080.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.servers.chat import ChatServer, Script

ROOT = Path(__file__).parent.parent.parent
HERE = Path(__file__).parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

_BLOCK = re.compile(r"(?:<!-- example(?:: (\w+))? -->\n)?```console\n(.*?)```", re.DOTALL)
_PROGRAM = re.compile(r"<!-- file: (\S+) -->\n```python\n(.*?)```", re.DOTALL)


@dataclass(frozen=True)
class Example:
    """A block of a page: its commands, each with the output that the page shows."""

    page: str
    needs: str | None
    steps: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return f"{self.page}: {self.steps[0][0][:40]}"


def _examples() -> list[Example]:
    found: list[Example] = []
    for page in PAGES:
        for needs, body in _BLOCK.findall(page.read_text()):
            steps = [
                (command, output)
                for command, _, output in (
                    part.partition("\n") for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]
                )
            ]
            found.append(Example(page.name, needs or None, tuple(steps)))
    return found


def _comparable(output: str) -> list[str]:
    """Drop what differs from run to run: seconds, the padding around them, ids and ages of sessions."""
    output = re.sub(r"\b\d+(\.\d+)? s\b", "N s", output)
    output = re.sub(r"\b\d{8}T\d{9}-[0-9a-f]{6}\b", "ID", output)
    output = output.replace(" cached ", " N s ")
    return [re.sub(r" +", " ", line).rstrip() for line in output.strip().splitlines()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_program_of_a_page_is_the_file_that_its_example_runs(page: Path) -> None:
    for name, program in _PROGRAM.findall(page.read_text()):
        assert program == (HERE / name).read_text(), name


def test_the_docs_have_examples() -> None:
    assert any(example.needs for example in _examples())
    assert any(_PROGRAM.search(page.read_text()) for page in PAGES)


@pytest.mark.parametrize("example", _examples(), ids=str)
def test_an_example_prints_what_the_page_says(example: Example, tmp_path: Path) -> None:
    where = tmp_path / "project"
    server: ChatServer | nullcontext[None] = nullcontext()
    if example.needs is not None:
        shutil.copytree(HERE / example.needs / "files", where)
        server = ChatServer(Script.read(HERE / example.needs / "script.json"))
    else:
        where.mkdir()
    environment = {
        "HOME": str(tmp_path),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "LANG": "C.UTF-8",
        "EUKHE_CODING_AGENT_DIR": str(tmp_path / "agent"),
    }
    with server as running:
        for command, shown in example.steps:
            line = command
            if running is not None:
                line = line.replace("http://127.0.0.1:8080/v1", running.base_url)
            done = subprocess.run(
                ["bash", "-c", line],
                cwd=where,
                env=environment,
                text=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
            )
            assert _comparable(done.stdout) == _comparable(shown), command
