"""The inner loop of sampler and exhaustion: run a law over a stream of inputs until one breaks it."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from eukhe_laws.engine.domain import Scope, words_of
from eukhe_laws.engine.law import Law
from eukhe_laws.engine.verdict import (
    REACH_CAP,
    Counterexample,
    EngineError,
    ErrorKind,
    Evidence,
    Finding,
)

__all__ = ["Tally", "breaks", "claims", "said", "search", "spelled"]

#: The clock is read once in so many inputs.
_TICK = 256


def spelled(error: BaseException) -> str:
    """Spell an exception in one line, as `IndexError: tuple index out of range`."""
    said = " ".join(str(error).split())
    name = type(error).__name__
    return f"{name}: {said[:200]}" if said else name


def breaks(law: Law, subject: Any, values: tuple[Any, ...]) -> str | None:
    """Run one input in plain Python.

    Returns:
        `None` when the law holds or its premise is not met; the exception, spelled, when the law raised; else "".

    Raises:
        Exception: whatever the premise raises; a premise is total, so that is the law's own fault.
    """
    if law.given is not None and not law.given(subject, *values):
        return None
    try:
        return None if law.holds(subject, *values) else ""
    except Exception as error:
        return spelled(error)


@dataclass(frozen=True)
class Tally:
    """What one search saw.

    Attributes:
        inputs: How many inputs were tried.
        premise: How many met the premise.
        reached: How often each witness was reached, up to `REACH_CAP`.
        ended: Whether the stream of inputs ended by itself: no failure, no error, no clock.
        values: The input that broke the law, `None` when none did.
        error: What the premise or a witness raised.
    """

    inputs: int
    premise: int
    reached: tuple[tuple[str, int], ...]
    ended: bool
    values: tuple[Any, ...] | None = None
    error: tuple[ErrorKind, str] | None = None


def search(law: Law, subject: Any, stream: Iterable[tuple[Any, ...]], seconds: float) -> Tally:
    """Run the law over a stream of inputs until one breaks it.

    Args:
        law: The law.
        subject: The functions under law.
        stream: The inputs, each a tuple of the law's arguments.
        seconds: The net, of CPU time so that a busy machine changes nothing: past it the search stops.
    """
    given, holds = law.given, law.holds
    open_ = list(law.reach)
    counts = dict.fromkeys((name for name, _ in law.reach), 0)
    deadline = time.process_time() + seconds
    inputs = premise = 0
    values: tuple[Any, ...] = ()

    def tally(ended: bool, **rest: Any) -> Tally:
        return Tally(inputs, premise, tuple(counts.items()), ended, **rest)

    where = ErrorKind.PREMISE_RAISED
    try:
        for values in stream:
            inputs += 1
            if inputs % _TICK == 0 and time.process_time() > deadline:
                return tally(ended=False)
            if given is not None and not given(subject, *values):
                continue
            premise += 1
            try:
                kept = holds(subject, *values)
            except Exception:  # a law that raises is broken, whatever it raises
                kept = False
            if not kept:
                return tally(ended=False, values=values)
            if open_:
                where = ErrorKind.WITNESS_RAISED
                for name, witness in open_:
                    if witness(subject, *values):
                        counts[name] += 1
                        if counts[name] >= REACH_CAP:
                            open_ = [one for one in open_ if one[0] != name]
                where = ErrorKind.PREMISE_RAISED
    except Exception as error:  # told apart from a broken law, and shown as such
        shown = ", ".join(repr(value) for value in values)
        return tally(ended=False, error=(where, f"{spelled(error)} on ({shown[:300]})"))
    return tally(ended=True)


def said(law: Law, scope: Scope) -> str:
    """Say bounds in words; where all types are finite, bounds play no part."""
    names = (name for name, _ in law.parameters)
    return words_of(scope, tuple(zip(names, law.domains(scope), strict=True)))


def claims(
    law: Law,
    subject_name: str,
    engine: str,
    tally: Tally,
    *,
    scope: str,
    whole: bool,
    finite: bool,
    seed: int | None = None,
    seconds: float,
) -> tuple[Finding, ...]:
    """Turn what a search saw into findings.

    Args:
        law: The law.
        subject_name: `spec`, `core` or `both`.
        engine: The engine's name.
        tally: What the search saw.
        scope: The bounds in words.
        whole: Whether the stream was every input within those bounds.
        finite: Whether the bounds are the types' whole domain.
        seed: The seed of a stream that was drawn.
        seconds: The net that the search had.
    """
    if tally.error is not None:
        kind, message = tally.error
        part = "premise" if kind is ErrorKind.PREMISE_RAISED else "witness"
        return (EngineError(engine, kind, f"the {part} of {law.name} raised {message}"),)
    cut = not tally.ended and tally.values is None
    found = Evidence(
        engine,
        scope,
        inputs=tally.inputs,
        premise=tally.premise,
        complete=whole and tally.ended,
        finite=finite,
        seed=seed,
        reached=tally.reached,
        note=f"stopped after {seconds:g} s of CPU time" if cut else "",
    )
    if tally.values is None:
        return (found,)
    return found, Counterexample(engine, subject_name, tally.values)
