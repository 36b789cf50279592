"""What settings cost: a read, a reload when nothing changed, and `eukhe settings get` as a whole process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from timeit import Timer
from typing import TYPE_CHECKING

import eukhe.settings.load as loading
from benchmarks.common import Line, at_least, at_most, in_turns, show, spread
from eukhe.settings.load import load_config
from eukhe.settings.places import Files
from eukhe.settings.table import load_registry

if TYPE_CHECKING:
    from eukhe.settings.load import Config

NAME = "settings on disk"
ROUNDS = 40
READS = 200_000
RELOADS = 2_000


def _user(root: Path) -> tuple[Path, Path]:
    """Make an agent directory with both files, and a directory without a project's."""
    agent, cwd = root / "home" / ".eukhe", root / "work"
    agent.mkdir(parents=True)
    cwd.mkdir()
    (agent / "settings.json").write_text('{\n  "retry": {\n    "maxRetries": 5\n  }\n}\n')
    return agent, cwd


def _nanoseconds(statement: str, names: dict[str, object], number: int) -> float:
    return min(Timer(statement, globals=names).repeat(5, number)) / number * 1e9


def _stats(config: Config) -> int:
    """Count the looks at the disk of one reload that finds nothing changed."""
    looks: list[Path] = []
    real = loading.__dict__["mark"]

    def counted(path: Path) -> object:
        looks.append(path)
        return real(path)

    loading.__dict__["mark"] = counted
    try:
        config.changed()
    finally:
        loading.__dict__["mark"] = real
    return len(looks)


def _processes(root: Path, cwd: Path) -> tuple[list[float], list[float]]:
    eukhe = str(Path(sys.executable).with_name("eukhe"))
    environ = {**os.environ, "HOME": str(root / "home")}
    environ.pop("EUKHE_CODING_AGENT_DIR", None)

    def once(*arguments: str) -> None:
        subprocess.run(
            [eukhe, *arguments], check=True, cwd=cwd, env=environ, stdout=subprocess.DEVNULL
        )

    sides = (partial(once, "settings", "get", "retry.maxRetries"), partial(once, "--version"))
    for side in sides:  # the first run writes bytecode and fills the disk cache
        side()
    get, version = in_turns(sides, ROUNDS)
    return get, version


def run() -> list[Line]:
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory).resolve()
        agent, cwd = _user(root)
        config = load_config(load_registry(), Files.of(agent, cwd))
        read = _nanoseconds("values['maxToolRounds']", {"values": config.cvars.values}, READS)
        reload = _nanoseconds("config.changed()", {"config": config}, RELOADS)
        stat = _nanoseconds("path.stat()", {"path": agent / "settings.json"}, RELOADS)
        looks = _stats(config)
        get, version = _processes(root, cwd)
    return [
        Line("1 us / a read", 1000 / read, at_least(1), f"{read:.0f} ns"),
        Line("stats of a reload when nothing changed", looks, at_most(2)),
        Line(
            "that reload / one stat",
            reload / stat,
            None,
            f"reload {reload / 1000:.1f} us, stat {stat / 1000:.1f} us",
        ),
        Line(
            "eukhe settings get / eukhe --version",
            min(get) / min(version),
            at_most(2),
            f"get {spread(get)}; version {spread(version)}",
        ),
    ]


if __name__ == "__main__":
    show(NAME, run())
