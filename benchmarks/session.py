"""How long a session of 100,000 entries takes to open and to list, and whether a commit costs the same in it.

Opening is compared with the least that any reader of the journal must do: parse the JSON of its lines and keep it.
Each runs in a child process, so that the memory is that of opening alone. Their seconds are the processor's, which
other processes do not stretch.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.common import Line, at_most, in_turns, show
from eukhe.agent.stored.summary import summarize
from eukhe.session import Session, journal
from eukhe.session.nodes import Conversation, Document, Entry, to_json
from eukhe.session.tree import Put

if TYPE_CHECKING:
    from eukhe.session.tree import Json

NAME = "session"
ENTRIES = 100_000
ROUNDS = 3
COMMITS = 300
SECONDS, MEGABYTES = 2.0, 300.0


def _write(directory: Path, entries: int) -> None:
    """Write a session as runs do: each row with the state of the run, a few hundred bytes a row."""
    directory.mkdir()
    run = partial(Document, "eukhe.run")
    with (directory / journal.FILE).open("wb") as file:
        first = (
            Put(1, 0, to_json(Conversation())),
            Put(2, 0, to_json(Document("eukhe.session", {"main": 1}))),
            Put(3, 1, to_json(Document("eukhe.agent", {"model": "m", "cwd": "/w"}))),
            Put(4, 1, to_json(run({"phase": "request", "round": 0}))),
        )
        file.write(journal.encode_commit(journal.Commit(1, 1, first)))
        for number in range(entries):
            text = {"type": "text", "text": f"line {number} of what was said " * 6}
            kind = ("user", "assistant", "tool_result")[number % 3]
            usage = {"input": 900, "output": 90}
            body: dict[str, Json] = {"content": [text], "stop": "stop", "usage": usage}
            records = (
                Put(5 + number, 1, to_json(Entry(kind, body))),
                Put(4, 1, to_json(run({"phase": "request", "round": number}))),
            )
            file.write(journal.encode_commit(journal.Commit(2 + number, 2 + number, records)))


def _open(directory: Path) -> tuple[float, float]:
    """Open in a child process: seconds, and megabytes at the most."""
    child = subprocess.run(
        [sys.executable, "-m", "benchmarks.session", "--open", str(directory)],
        check=True,
        capture_output=True,
        text=True,
    )
    seconds, megabytes = json.loads(child.stdout)
    return seconds, megabytes


def _parse(directory: Path) -> float:
    """The seconds of the least that a reader must do, in a child process as well."""
    code = (
        "import gc, json, sys, time\ngc.disable()\nstart = time.process_time()\n"
        "kept = [json.loads(line) for line in open(sys.argv[1], 'rb')]\n"
        "print(time.process_time() - start)"
    )
    path = str(directory / journal.FILE)
    child = subprocess.run(
        [sys.executable, "-c", code, path], check=True, capture_output=True, text=True
    )
    return float(child.stdout)


def _commits(directory: Path) -> list[float]:
    """The seconds of each of some commits, synced to the disk."""
    taken = []
    with Session.open_to_write(directory) as session:
        for _ in range(COMMITS):
            draft = session.draft()
            draft.entry(1, "user", {"content": [{"type": "text", "text": "one more"}]})
            draft.document("eukhe.run", {"phase": "request", "round": 0}, 1)
            start = time.perf_counter()
            session.commit(*draft.records)
            taken.append(time.perf_counter() - start)
    return sorted(taken)


def run() -> list[Line]:
    with tempfile.TemporaryDirectory() as root:
        large, small = Path(root, "large"), Path(root, "small")
        _write(large, ENTRIES)
        _write(small, 10)
        opened = [(_open(large), _parse(large)) for _ in range(ROUNDS)]
        seconds = min(one for (one, _), _ in opened)
        megabytes = max(one for (_, one), _ in opened)
        parsed = min(one for _, one in opened)
        [[first]] = in_turns([partial(summarize, large)], 1)
        [again] = in_turns([partial(summarize, large)], 5)
        in_large, in_small = _commits(large), _commits(small)
        [more] = in_turns([partial(summarize, large)], 1)
        size = (large / journal.FILE).stat().st_size
    middle = COMMITS // 2
    return [
        Line(
            f"open {ENTRIES:,} entries / {SECONDS:g} s",
            seconds / SECONDS,
            at_most(1.0),
            f"{seconds:.2f} s for {size / 1e6:.0f} MB",
        ),
        Line("open / json.loads of the same lines", seconds / parsed, None, f"{parsed:.2f} s"),
        Line(
            f"memory of it / {MEGABYTES:g} MB",
            megabytes / MEGABYTES,
            at_most(1.0),
            f"{megabytes:.0f} MB, the whole process",
        ),
        Line(
            f"commit in {ENTRIES:,} entries / in 10",
            in_large[middle] / in_small[middle],
            at_most(1.5),
            f"median {in_large[middle] * 1e3:.2f} ms, {in_small[middle] * 1e3:.2f} ms, with fsync",
        ),
        Line(
            "list it again / the first time",
            min(again) / first,
            at_most(0.01),
            f"{min(again) * 1e3:.2f} ms, {first * 1e3:.0f} ms",
        ),
        Line(
            f"list it after {COMMITS} more commits / the first time",
            more[0] / first,
            at_most(0.1),
            f"{more[0] * 1e3:.1f} ms",
        ),
    ]


def _main() -> None:
    if "--open" in sys.argv:
        start = time.process_time()
        session = Session.open_to_read(Path(sys.argv[-1]))
        seconds = time.process_time() - start
        rows = len(session.entries(1))
        if rows < ENTRIES:
            raise SystemExit(f"{rows} entries were read")
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        json.dump([seconds, peak], sys.stdout)
    else:
        show(NAME, run())


if __name__ == "__main__":
    _main()
