"""How long `eukhe --version` takes, the whole process, against a Python that imports click and nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks.common import Line, at_most, in_turns, spread

NAME = "start-up"
ROUNDS = 25


def run() -> list[Line]:
    eukhe = Path(sys.executable).with_name("eukhe")
    commands = {
        "eukhe --version": [str(eukhe), "--version"],
        "import click": [sys.executable, "-c", "import click"],
        "bare Python": [sys.executable, "-c", ""],
    }

    def once(command: list[str]) -> None:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    for command in commands.values():  # the first run writes bytecode and fills the disk cache
        once(command)
    ours, click, bare = in_turns([lambda c=c: once(c) for c in commands.values()], ROUNDS)  # type: ignore[misc]  # mypy cannot type a bound default
    detail = f"eukhe {spread(ours)}; click {spread(click)}; bare Python {spread(bare)}"
    return [
        Line(
            "eukhe --version / python -c 'import click'",
            min(ours) / min(click),
            at_most(1.5),
            detail,
        )
    ]


def main() -> None:
    from benchmarks.common import show

    show(NAME, run())


if __name__ == "__main__":
    main()
