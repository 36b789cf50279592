"""The work of one job, done in a worker process: one law on one subject by every engine of the profile."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

from eukhe_laws.engine import replay
from eukhe_laws.engine.areas import BRIDGE, Area, load, subject_of
from eukhe_laws.engine.bridge_run import run_bridge
from eukhe_laws.engine.domain import Domain, One, Prod, Seq, Sum
from eukhe_laws.engine.exhaust import exhaust
from eukhe_laws.engine.law import Law
from eukhe_laws.engine.profile import Profile
from eukhe_laws.engine.sample import sample
from eukhe_laws.engine.search import breaks, spelled
from eukhe_laws.engine.shrink import minimal
from eukhe_laws.engine.verdict import (
    Counterexample,
    EngineError,
    ErrorKind,
    Evidence,
    Finding,
    Verdict,
    Word,
    merge,
)

__all__ = ["Job", "check", "has_strings", "settle", "work"]

#: The net of shrinking one counterexample, in seconds.
_SHRINK = 3.0


@dataclass(frozen=True)
class Job:
    """What a worker is asked for.

    Attributes:
        area: The area.
        law: The law's name, `agree_FUNCTION`, or `bridge`.
        subject: `spec`, `core` or `both`.
        profile: The budget.
        transcripts: A directory for the bridge's transcripts; empty to write none.
        inputs: How many inputs the job is expected to take: what it is scheduled by.
    """

    area: str
    law: str
    subject: str
    profile: Profile
    transcripts: str = ""
    inputs: int = 0

    @property
    def key(self) -> tuple[str, str, str]:
        """Area, law and subject, as of the verdict."""
        return self.area, self.law, self.subject

    @property
    def contracts(self) -> bool:
        """Whether the spec's contracts are on: in the bridge, where they cost little."""
        return self.law == BRIDGE

    @property
    def wall(self) -> float:
        """After so many seconds the worker is killed: the engines' own nets and the time to shrink, with room."""
        one = self.profile
        engines = 2 * one.seconds + one.crosshair_seconds + (one.hypothesis and one.seconds)
        return 1.2 * engines + _SHRINK + 3.0


def has_strings(domain: Domain) -> bool:
    """Whether the domain holds strings of any content: where Hypothesis is the better engine."""
    match domain.node:
        case One(kind=kind):
            return kind == "str"
        case Sum(parts=parts) | Prod(parts=parts):
            return any(has_strings(part) for part in parts)
        case Seq(part=part):
            return has_strings(part)


def settle(law: Law, subject: Any, found: Counterexample) -> Counterexample | EngineError:
    """Shrink a counterexample, run it once more in plain Python, and write down how to run it again.

    Returns:
        The counterexample with its program and id; an error when it does not fail again.
    """

    def fails(values: tuple[Any, ...]) -> bool:
        try:
            return breaks(law, subject, values) is not None
        except Exception:
            return False  # a premise that raises is another matter: it is no smaller counterexample

    if not fails(found.values):
        shown = ", ".join(repr(value) for value in found.values)
        return EngineError(
            found.engine,
            ErrorKind.NOT_REPLAYED,
            f"{found.engine} reported ({shown[:300]}), which does not fail in plain Python",
        )
    values, whole = minimal(law.domains(law.scope), found.values, fails, _SHRINK)
    return replace(
        found,
        values=values,
        raised=breaks(law, subject, values) or "",
        python=replay.program(law, found.subject, values),
        replay=replay.replay_id(law, found.subject, values),
        minimal=whole,
    )


def _deeper(
    law: Law, subject: Any, name: str, profile: Profile, proved: bool
) -> tuple[Finding, ...]:
    """The engines that have a process or a library of their own."""
    found: tuple[Finding, ...] = ()
    strings = any(has_strings(domain) for domain in law.domains(law.scope))
    if profile.hypothesis and strings:
        from eukhe_laws.engine import hypothesis_run

        found += hypothesis_run.check(
            law, subject, name, count=profile.hypothesis, seconds=profile.seconds
        )
    if profile.paths and name == "spec" and not proved and not strings:
        from eukhe_laws.engine import crosshair

        found += crosshair.check(
            law,
            max_iterations=profile.paths,
            per_shape_seconds=profile.shape_seconds,
            wall_seconds=profile.crosshair_seconds,
        )
    return found


def check(law: Law, subject: Any, name: str, profile: Profile) -> Verdict:
    """Run a law on one subject with every engine of the profile.

    Args:
        law: The law.
        subject: The functions under law.
        name: `spec`, `core` or `both`.
        profile: The budget.
    """
    start = time.monotonic()
    net = profile.seconds
    findings = exhaust(law, subject, name, limit=profile.exhaust, seconds=net, grow=profile.grow)
    proved = any(isinstance(one, Evidence) and one.word is Word.PROVED for one in findings)
    stop = any(not isinstance(one, Evidence) for one in findings)
    if not stop and not proved:
        findings += sample(law, subject, name, count=profile.sample, seed=profile.seed, seconds=net)
        stop = any(not isinstance(one, Evidence) for one in findings)
    if not stop:
        findings += _deeper(law, subject, name, profile, proved)
    settled = tuple(
        settle(law, subject, one) if isinstance(one, Counterexample) else one for one in findings
    )
    witnesses = tuple(name for name, _ in law.reach)
    seconds = time.monotonic() - start
    return merge(law.area, law.name, name, settled, witnesses=witnesses, seconds=seconds)


def work(job: Job, areas: dict[str, Area]) -> Verdict:
    """Do one job. Whatever it raises becomes an engine error; `areas` keeps what was imported."""
    start = time.monotonic()
    engine = "bridge" if job.law == BRIDGE else "engine"
    try:
        if job.law == BRIDGE:
            return run_bridge(job.area, job.profile.seed, job.transcripts)
        if job.area not in areas:
            areas[job.area] = load(job.area)
        area = areas[job.area]
        law = area.law(job.law)
        if law is None:
            raise LookupError(f"{job.area} states no law {job.law}")
        verdict = check(law, subject_of(area, job.subject), job.subject, job.profile)
        return replace(verdict, area=job.area)
    except Exception as error:
        failed = EngineError(engine, ErrorKind.CRASH, f"{engine} failed: {spelled(error)}")
        return merge(*job.key, (failed,), seconds=time.monotonic() - start)
