"""Hypothesis, for laws over strings: a hundred times slower than our sampler, but its strings are far nastier."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, reject, settings
from hypothesis import strategies as st
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.errors import Unsatisfiable

from eukhe_laws.engine.law import Law
from eukhe_laws.engine.search import said, spelled
from eukhe_laws.engine.strategy import TEXT, strategy
from eukhe_laws.engine.verdict import (
    REACH_CAP,
    Counterexample,
    EngineError,
    ErrorKind,
    Evidence,
    Finding,
)

__all__ = ["ENGINE", "check"]

ENGINE = "hypothesis"


class _BrokenError(Exception):
    """Tells Hypothesis that the law failed, whatever it raised itself, so that it shrinks one fault only."""


class _EndError(BaseException):
    """Ends the run at once: the clock, or a premise that raised. Hypothesis lets it through."""


class _Run:
    """One law under Hypothesis: what was counted and, of the failing inputs, the last and smallest."""

    def __init__(self, law: Law, subject: Any, seconds: float) -> None:
        self.law, self.subject = law, subject
        self.deadline = time.monotonic() + seconds
        self.inputs = self.premise = 0
        self.reached = dict.fromkeys((name for name, _ in law.reach), 0)
        self.broken: tuple[tuple[Any, ...], str] | None = None
        self.error: tuple[ErrorKind, str] | None = None
        self.late = False

    def _admitted(self, values: tuple[Any, ...]) -> bool:
        try:
            return self.law.given is None or bool(self.law.given(self.subject, *values))
        except Exception as error:
            self.error = (ErrorKind.PREMISE_RAISED, f"{spelled(error)} on {values!r}"[:400])
            raise _EndError from error

    def _witness(self, values: tuple[Any, ...]) -> None:
        for name, witness in self.law.reach:
            if self.reached[name] < REACH_CAP and witness(self.subject, *values):
                self.reached[name] += 1

    def one(self, values: tuple[Any, ...]) -> None:
        """Try one input."""
        if time.monotonic() > self.deadline:
            self.late = True
            raise _EndError
        counting = self.broken is None
        self.inputs += counting
        if not self._admitted(values):
            reject()
        self.premise += counting
        try:
            kept, raised = self.law.holds(self.subject, *values), ""
        except Exception as error:
            kept, raised = False, spelled(error)
        if not kept:
            self.broken = (values, raised)
            raise _BrokenError
        if counting:
            self._witness(values)


def _explore(run: _Run, law: Law, count: int) -> None:
    inputs = st.tuples(*(strategy(domain) for domain in law.domains(law.wide)))

    @settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        report_multiple_bugs=False,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=tuple(HealthCheck),
    )
    @given(inputs)
    def trial(values: tuple[Any, ...]) -> None:
        run.one(values)

    try:
        trial()
    except (_BrokenError, _EndError, Unsatisfiable):
        return  # what there is to know is in `run`


def check(
    law: Law,
    subject: Any,
    subject_name: str,
    *,
    count: int,
    seconds: float,
    home: Path | None = None,
) -> tuple[Finding, ...]:
    """Try a law with Hypothesis, derandomized: the same examples in every run.

    Args:
        law: The law.
        subject: The functions under law.
        subject_name: `spec`, `core` or `both`.
        count: How many examples.
        seconds: The net, shrinking included.
        home: Where Hypothesis keeps its tables of characters; by default nowhere in the user's directory.
    """
    set_hypothesis_home_dir(home or Path(os.devnull))
    run = _Run(law, subject, seconds)
    try:
        _explore(run, law, count)
    finally:
        set_hypothesis_home_dir(None)
    if run.error is not None:
        kind, message = run.error
        return (EngineError(ENGINE, kind, f"the premise of {law.name} raised {message}"),)
    found = Evidence(
        ENGINE,
        f"strings of any content up to {TEXT}; " + said(law, law.wide),
        inputs=run.inputs,
        premise=run.premise,
        reached=tuple(run.reached.items()),
        note=f"stopped by the clock after {seconds:g} s" if run.late else "",
    )
    if run.broken is None:
        return (found,)
    values, raised = run.broken
    return found, Counterexample(ENGINE, subject_name, values, raised)
