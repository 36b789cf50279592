"""The work of one job, done in a worker process: one law on one subject by every engine of the profile."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any

from eukhe_laws.engine import replay
from eukhe_laws.engine.areas import BRIDGE, Area, load, subject_of
from eukhe_laws.engine.bridge_run import run_bridge
from eukhe_laws.engine.children import command, environment
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


#: Seconds of wall time that a counterexample may take in a new process.
_FRESH = 30.0


def _shrink(profile: Profile) -> float:
    """The net of shrinking one counterexample, in seconds."""
    return min(3.0, profile.seconds)


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
    def cpu(self) -> float:
        """After so many seconds of CPU time a law that never ends is stopped: the engines' nets, with room."""
        engines = 3 if self.profile.hypothesis else 2
        return 1.1 * engines * self.profile.seconds + _shrink(self.profile) + 1.0

    @property
    def wall(self) -> float:
        """After so many seconds the worker is killed: what waits for ever takes no CPU time."""
        return 5 + 4 * self.cpu + 1.5 * self.profile.crosshair_seconds + _FRESH


def has_strings(domain: Domain) -> bool:
    """Whether the domain holds strings of any content: where Hypothesis is the better engine."""
    match domain.node:
        case One(kind=kind):
            return kind == "str"
        case Sum(parts=parts) | Prod(parts=parts):
            return any(has_strings(part) for part in parts)
        case Seq(part=part):
            return has_strings(part)


def settle(
    law: Law, subject: Any, found: Counterexample, seconds: float = 3.0
) -> Counterexample | EngineError:
    """Shrink a counterexample, run it once more in plain Python, and write down how to run it again.

    Args:
        law: The law.
        subject: The functions under law.
        found: What an engine reported.
        seconds: The net of shrinking.

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
    values, whole = minimal(law.domains(law.scope), found.values, fails, seconds)
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
        settle(law, subject, one, _shrink(profile)) if isinstance(one, Counterexample) else one
        for one in findings
    )
    witnesses = tuple(name for name, _ in law.reach)
    seconds = time.monotonic() - start
    return merge(law.area, law.name, name, settled, witnesses=witnesses, seconds=seconds)


class _EndlessError(BaseException):
    """The law has used up its CPU time; no `except Exception` in a law may swallow it."""


@contextlib.contextmanager
def _within(seconds: float) -> Iterator[None]:
    """Stop what runs for longer than so many seconds of CPU time, in the main thread only."""

    def late(_number: int, _frame: FrameType | None) -> None:
        raise _EndlessError

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)


def work(job: Job, areas: dict[str, Area]) -> Verdict:
    """Do one job. Whatever it raises becomes an engine error.

    Args:
        job: The job.
        areas: The areas imported so far; this process keeps them from job to job.
    """
    start = time.monotonic()
    engine = "bridge" if job.law == BRIDGE else "engine"
    try:
        with _within(job.cpu):
            return _work(job, areas)
    except _EndlessError:
        kind, said = ErrorKind.TIMEOUT, f"no answer within {job.cpu:.0f} s of CPU time"
    except BaseException as error:  # code under law may leave by `SystemExit` too
        kind, said = ErrorKind.CRASH, f"{engine} failed: {spelled(error)}"
    seconds = time.monotonic() - start
    return merge(*job.key, (EngineError(engine, kind, said),), seconds=seconds)


def _work(job: Job, areas: dict[str, Area]) -> Verdict:
    if job.law == BRIDGE:
        return run_bridge(job.area, job.profile.seed, job.transcripts)
    if job.area not in areas:
        areas[job.area] = load(job.area)
    area = areas[job.area]
    law = area.law(job.law)
    if law is None:
        raise LookupError(f"{job.area} states no law {job.law}")
    verdict = _fresh(check(law, subject_of(area, job.subject), job.subject, job.profile))
    return replace(verdict, area=job.area)


def _fresh(verdict: Verdict) -> Verdict:
    """Run a counterexample again in a new process, as its reader will: there it must fail too.

    What fails only after other inputs shows that the law, or the code under law, keeps state from call to call.
    """
    found = verdict.counterexample
    if found is None:
        return verdict
    try:
        child = subprocess.run(
            command("eukhe_laws", "--replay", found.replay),
            env=environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_FRESH,
            check=False,
        )
    except (
        OSError,
        subprocess.TimeoutExpired,
    ):  # an id too long for a command, a law that never ends
        return verdict
    if child.returncode != 0:
        return verdict
    said = (
        f"{found.engine} reported a counterexample that holds in a new process: "
        "the law or the code under law keeps state from call to call"
    )
    error = EngineError(found.engine, ErrorKind.NOT_REPLAYED, said)
    return replace(
        verdict, word=Word.UNKNOWN, why=said, counterexample=None, errors=(*verdict.errors, error)
    )
