"""How long the quick law report takes, the whole process, with nothing cached."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks.common import Line, at_most, in_turns, show

NAME = "quick law report"
SECONDS = 60.0


def run() -> list[Line]:
    eukhe = Path(sys.executable).with_name("eukhe")

    def report() -> None:
        subprocess.run([str(eukhe), "laws", "--fresh"], check=False, stdout=subprocess.DEVNULL)

    [[seconds]] = in_turns([report], 1)
    return [
        Line(
            f"eukhe laws --fresh / {SECONDS:.0f} s",
            seconds / SECONDS,
            at_most(1.0),
            f"{seconds:.0f} s",
        )
    ]


if __name__ == "__main__":
    show(NAME, run())
