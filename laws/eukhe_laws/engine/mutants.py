"""Teeth: make mutants of an area's spec and core and see whether its laws, or its bridge, notice each.

`python -m eukhe_laws.engine.mutants AREA` prints what one area shows. `measure` does the same from elsewhere,
in a process of its own: contracts are off there, so that the laws alone are measured, and forking is safe.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from eukhe_laws.engine.children import command, environment
from eukhe_laws.engine.forked import forked
from eukhe_laws.engine.law import laws_of
from eukhe_laws.engine.mutation import Mutant
from eukhe_laws.engine.rooms import Rooms
from eukhe_laws.engine.side import Side, side_of
from eukhe_laws.engine.teeth import Fate, Teeth
from eukhe_laws.engine.trial import BaselineError, Budget, Kill, Prepared

__all__ = ["MutantsError", "main", "measure", "survey"]

#: Called with how many mutants are done and how many there are.
Progress = Callable[[int, int], None]

#: Seconds that the second look at laws without a kill may take, of a side.
_SECOND_LOOK = 20.0


class MutantsError(Exception):
    """The mutants of an area could not be tried; the message says why and what to do."""


def _try_side(side: Side, jobs: int, kills: dict[str, int]) -> Iterator[Fate]:
    """Try every mutant of a side; `kills` counts what each law is known to notice, and orders the laws."""
    near: Counter[tuple[str, str]] = Counter()

    def work(mutant: Mutant) -> Any:
        first = frozenset(name for name, count in kills.items() if not count)
        ordered = sorted(
            side.trying(mutant),
            key=lambda one: (-near[mutant.function, one.law.name], -kills[one.law.name]),
        )
        return [asdict(kill) for kill in side.trial(mutant, ordered, first, bridge=True)]

    for mutant, said in forked(side.mutants, work, jobs=jobs, wall=side.budget.wall):
        noticed = [Kill("child", "crashed")] if said is None else [Kill(**one) for one in said]
        for kill in noticed:
            if kill.by in kills:
                kills[kill.by] += 1
                near[mutant.function, kill.by] += 1
        yield side.fate(mutant, noticed[0] if noticed else None)


def _second_look(side: Side, jobs: int, kills: dict[str, int]) -> bool:
    """Try laws that noticed nothing alone, until each notices a mutant; say whether the clock stopped it."""
    start = time.monotonic()
    for one in side.prepared:
        if kills[one.law.name]:
            continue

        def work(mutant: Mutant, one: Prepared = one) -> Any:
            return [asdict(kill) for kill in side.trial(mutant, [one], frozenset(), bridge=False)]

        able = [mutant for mutant in side.mutants if one in side.trying(mutant)]
        for _, said in forked(able, work, jobs=jobs, wall=side.budget.wall):
            if said and any(kill["by"] == one.law.name for kill in said):
                kills[one.law.name] += 1
                break
            if time.monotonic() - start > _SECOND_LOOK:
                return True
    return False


def survey(
    rooms: Rooms,
    budget: Budget,
    *,
    jobs: int = 2,
    sides: Sequence[str] = ("spec", "core"),
    match: str = "",
    progress: Progress = lambda _done, _all: None,
) -> Teeth:
    """Try an area's mutants in forked children of this process, which should have no threads.

    Args:
        rooms: The area's modules.
        budget: How hard each mutant is tried.
        jobs: How many children at once.
        sides: `spec`, `core` or both.
        match: Only functions whose qualified name contains this.
        progress: Called as mutants end.

    Raises:
        BaselineError: a law or the bridge fails without any mutant.
        ImportError: the area lacks a room.
    """
    start = time.monotonic()
    laws = laws_of(importlib.import_module(rooms.laws))
    ready = [side_of(name, rooms, laws, budget, match) for name in sides]
    gc.collect()
    gc.freeze()
    kills = {law.name: 0 for law in laws}
    total = sum(len(side.mutants) for side in ready)
    fates: list[Fate] = []
    for side in ready:
        own = []
        for fate in _try_side(side, jobs, kills):
            own.append(fate)
            progress(len(fates) + len(own), total)
        fates += sorted(own, key=lambda one: (one.file, one.line, one.change, one.diff))
    cut = False
    for side in ready:
        cut = _second_look(side, jobs, kills) or cut
    said = (
        f"up to {budget.exhaust:,} + {budget.sample:,} inputs a law, {budget.scenarios} scenarios"
    )
    return Teeth(
        rooms.area,
        tuple(fates),
        tuple(kills.items()),
        said,
        budget.seed,
        cut,
        time.monotonic() - start,
    )


def measure(rooms: Rooms, *, jobs: int = 2, progress: Progress = lambda _done, _all: None) -> Teeth:
    """Try an area's mutants in a process of its own, with contracts off.

    Args:
        rooms: The area's modules.
        jobs: How many mutants are tried at once.
        progress: Called as mutants end.

    Raises:
        MutantsError: a law or the bridge fails without any mutant, a room is missing, or the process ended early.
    """
    names = (rooms.spec, rooms.core, rooms.laws, rooms.bridge)
    arguments = (rooms.area, "--json", "--jobs", str(jobs), "--rooms", *names)
    start = command("eukhe_laws.engine.mutants", *arguments)
    teeth: Teeth | None = None
    error = ""
    with subprocess.Popen(start, stdout=subprocess.PIPE, text=True, env=environment()) as child:
        try:
            for line in child.stdout or ():
                match json.loads(line):
                    case {"done": int(done), "all": int(every)}:
                        progress(done, every)
                    case {"teeth": dict(said)}:
                        teeth = Teeth.decoded(said)
                    case {"error": str(error)}:
                        pass
        except BaseException:
            child.terminate()
            raise
    if teeth is None:
        ended = f"the mutants of {rooms.area} were not tried: "
        raise MutantsError(ended + (error or f"the process ended with code {child.returncode}"))
    return teeth


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m eukhe_laws.engine.mutants", description=__doc__)
    parser.add_argument("area")
    parser.add_argument("--jobs", type=int, default=2, help="mutants tried at once")
    parser.add_argument("--side", choices=("spec", "core"), help="only this side")
    parser.add_argument("--function", default="", help="only functions whose name contains this")
    parser.add_argument(
        "--exhaust", type=int, default=Budget.exhaust, help="inputs enumerated a law"
    )
    parser.add_argument("--sample", type=int, default=Budget.sample, help="inputs drawn a law")
    parser.add_argument("--seed", type=int, default=Budget.seed)
    parser.add_argument("--json", action="store_true", help="one JSON document a line")
    parser.add_argument("--all", action="store_true", help="also show the killed mutants")
    names = ("SPEC", "CORE", "LAWS", "BRIDGE")
    parser.add_argument("--rooms", nargs=4, metavar=names, help="the modules, by name")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """Run from the command line; 0 when the bars are met, 1 when not, 2 when there was nothing to measure."""
    from eukhe_laws.report.teeth import text

    given = _arguments(argv)
    rooms = Rooms(given.area, *given.rooms) if given.rooms else Rooms.of(given.area)
    budget = Budget(exhaust=given.exhaust, sample=given.sample, seed=given.seed)

    def progress(done: int, every: int) -> None:
        if given.json:
            print(json.dumps({"done": done, "all": every}), flush=True)
        elif sys.stderr.isatty():
            print(f"\r{done}/{every} mutants", end="", file=sys.stderr, flush=True)

    sides = (given.side,) if given.side else ("spec", "core")
    try:
        teeth = survey(
            rooms, budget, jobs=given.jobs, sides=sides, match=given.function, progress=progress
        )
    except (BaselineError, ImportError) as error:
        print(
            json.dumps({"error": str(error)}) if given.json else f"{given.area}: {error}",
            flush=True,
        )
        return 2
    except KeyboardInterrupt:
        return 1
    if sys.stderr.isatty() and not given.json:
        print("\r", end="", file=sys.stderr)
    said = json.dumps({"teeth": teeth.encoded()}) if given.json else text(teeth, every=given.all)
    with suppress(BrokenPipeError):  # as when it is read by `head`
        print(said, flush=True)
    return 0 if teeth.ok else 1


if __name__ == "__main__":
    os.environ["EUKHE_CONTRACTS"] = (
        "0"  # read when the spec's contracts are imported, which is later
    )
    sys.exit(main())
