"""CrossHair on the spec, shape by shape, in a process of its own that a wall clock kills.

This process never imports CrossHair: that would turn icontract off in it.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, Any

from eukhe_laws.engine import codec
from eukhe_laws.engine.children import command, environment
from eukhe_laws.engine.domain import DomainError
from eukhe_laws.engine.law import Law
from eukhe_laws.engine.shapes import fit, plan, said
from eukhe_laws.engine.verdict import (
    Counterexample,
    EngineError,
    ErrorKind,
    Evidence,
    Finding,
)

__all__ = ["ENGINE", "check"]

ENGINE = "crosshair"

#: Work that one question to the solver may take: by work and not by time, so that runs agree under load.
_RLIMIT = "2000000"

#: Seconds that a child may take to start and say so.
_START = 20.0


@dataclass
class _Run:
    """What is known after some shapes."""

    confirmed: int = 0
    tried: int = 0
    paths: int = 0
    reached: int = 0
    open_in_a_row: int = 0
    killed: int = 0
    note: str = ""
    stop: tuple[Finding, ...] | None = None
    decided: list[dict[str, Any]] = field(default_factory=list)

    def take(self, one: dict[str, Any]) -> None:
        """Count one decided shape."""
        self.tried += 1
        self.paths += one["paths"]
        self.reached += one["reached"]
        if one["state"] == "confirmed":
            self.confirmed += 1
            self.open_in_a_row = 0
        else:
            self.open_in_a_row += 1


@contextmanager
def _child(
    law: Law, start: int, numbers: tuple[str, ...], errors: IO[bytes]
) -> Iterator[subprocess.Popen[bytes]]:
    worker = "eukhe_laws.engine.crosshair_worker"
    # An area's laws may fill more files than one; the module named like the area binds the spec.
    module = law.holds.__module__
    package = module.rpartition(".")[0]
    area = f"{package}.{law.area}" if package else law.area
    arguments = (area, module, law.name, str(start), *numbers)
    child = subprocess.Popen(
        command(worker, *arguments),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        env=environment(CROSSHAIR_SMT_RLIMIT=_RLIMIT),
    )
    with child:
        try:
            yield child
        finally:
            child.kill()


def _lines(
    child: subprocess.Popen[bytes], first: float, each: float, deadline: float
) -> Iterator[str | None]:
    """Yield each line of a child; `None`, and no more, when the next one is too late."""
    if child.stdout is None:
        return
    held = b""
    wait = first
    with selectors.DefaultSelector() as ready:
        ready.register(child.stdout, selectors.EVENT_READ)
        until = min(time.monotonic() + wait, deadline)
        while True:
            if not ready.select(max(0.0, until - time.monotonic())):
                yield None
                return
            block = os.read(child.stdout.fileno(), 1 << 16)
            if not block:
                return
            *whole, held = (held + block).split(b"\n")
            for line in whole:
                yield line.decode()
            if whole:
                until = min(time.monotonic() + each, deadline)


def _refuted(law: Law, one: dict[str, Any]) -> Finding:
    if "values" not in one:
        message = f"CrossHair reports a fault whose inputs cannot be read: {one['message']}"
        return EngineError(ENGINE, ErrorKind.NOT_REPLAYED, message)
    pairs = zip(law.domains(law.scope), one["values"], strict=True)
    values = tuple(codec.decode(domain, data) for domain, data in pairs)
    return Counterexample(ENGINE, "spec", values)


def _crashed(child: subprocess.Popen[bytes], errors: IO[bytes]) -> EngineError:
    code = child.wait()
    errors.seek(0)
    said = errors.read().decode(errors="replace").strip().splitlines()
    last = said[-1] if said else "it wrote no message"
    return EngineError(
        ENGINE, ErrorKind.CRASH, f"CrossHair's process ended with code {code}: {last[:300]}"
    )


def _claim(run: _Run, total: int, scope: str, whole: bool) -> Evidence:
    notes = [run.note] if run.note else []
    if run.tried > run.confirmed:
        notes.append(f"{run.tried - run.confirmed} of {total} shapes stayed open")
    if run.tried < total:
        notes.append(f"{total - run.tried} were not tried")
    return Evidence(
        ENGINE,
        scope,
        premise=run.reached,
        complete=whole and run.confirmed == total,
        shapes=(run.confirmed, total),
        paths=run.paths,
        note=", ".join(notes),
    )


def check(
    law: Law,
    *,
    max_iterations: int = 300,
    per_shape_seconds: float = 5.0,
    wall_seconds: float = 20.0,
    max_paths: int = 2_000,
    give_up: int = 6,
    most: int = 400,
) -> tuple[Finding, ...]:
    """Look for a counterexample on the spec with CrossHair; the module of the law's area must bind `SPEC`.

    Args:
        law: The law.
        max_iterations: The most paths of a shape.
        per_shape_seconds: The net of a shape, in CPU time; its child is killed at 1.5 times that and 3 s.
        wall_seconds: The net of the whole law.
        max_paths: The most paths of all shapes together.
        give_up: After so many open shapes in a row the larger ones are not tried.
        most: The most shapes; tuples are shortened until there are no more.

    Returns:
        One piece of evidence, with a counterexample behind it if there is one (not yet run in plain Python), or an
        error; nothing for a law over strings, with which a solver gets nowhere.
    """
    try:
        scope = fit(law, most)
        total = len(plan(law, scope, most + 1))
    except DomainError:
        return ()
    whole, total = total <= most, min(total, most)
    run = _Run()
    deadline = time.monotonic() + wall_seconds
    each = 1.5 * per_shape_seconds + 3.0
    numbers = (str(max_iterations), str(per_shape_seconds), str(most))
    while run.tried < total and run.stop is None and not run.note:
        with tempfile.TemporaryFile() as errors, _child(law, run.tried, numbers, errors) as child:
            _follow(run, law, total, child, errors, (each, deadline), (max_paths, give_up))
    evidence = _claim(run, total, said(law, scope), whole)
    if run.stop is not None:
        return (evidence, *run.stop) if run.paths else run.stop
    if not run.paths:
        late = f"CrossHair decided no shape of {law.name} in {wall_seconds:g} s, and was killed"
        return (EngineError(ENGINE, ErrorKind.TIMEOUT, late),)
    return (evidence,)


def _follow(
    run: _Run,
    law: Law,
    total: int,
    child: subprocess.Popen[bytes],
    errors: IO[bytes],
    nets: tuple[float, float],
    limits: tuple[int, int],
) -> None:
    """Read one child until it ends, is late, or enough is known."""
    each, deadline = nets
    max_paths, give_up = limits
    for line in _lines(child, _START, each, deadline):
        if line is None:
            run.take({"state": "killed", "paths": 0, "reached": 0})
            if time.monotonic() >= deadline:
                run.note = "stopped by the clock"
        else:
            one = json.loads(line)
            if "ready" in one:
                continue
            run.take(one)
            if one["state"] == "refuted":
                run.stop = (_refuted(law, one),)
                return
        if run.tried >= total:
            return
        if run.paths >= max_paths:
            run.note = f"stopped after {run.paths} paths"
        elif run.open_in_a_row >= give_up:
            run.note = f"stopped after {give_up} open shapes in a row"
        if run.note or line is None:
            return
    run.stop = (_crashed(child, errors),)
