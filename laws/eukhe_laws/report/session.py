"""One run of the report: what the cache holds, what is run, what is kept, and how it compares to the baseline."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from eukhe_laws.engine.agree import PREFIX, left_out
from eukhe_laws.engine.cache import Cache, Stored
from eukhe_laws.engine.lock import Locked, claim_of, compare, write_lock
from eukhe_laws.engine.plan import Plan, jobs_of
from eukhe_laws.engine.profile import Profile
from eukhe_laws.engine.runner import run_jobs
from eukhe_laws.engine.sources import Sources, versions
from eukhe_laws.engine.verdict import Verdict
from eukhe_laws.engine.work import Job
from eukhe_laws.report.outcome import Line, Report, Weaker, lines_of

__all__ = ["Wanted", "report_of", "save_baseline", "updated", "whole_areas"]

#: What a job is taken to do a second before it was ever timed; only the order of the jobs depends on it.
_RATE = 30_000


@dataclass(frozen=True)
class Wanted:
    """What a run is asked for.

    Attributes:
        plan: The laws.
        profile: The budget of each.
        workers: How many worker processes at most.
        fresh: Whether the cache is ignored; what is found is kept all the same.
        seconds: The budget of the whole run, `None` for none.
        transcripts: A directory for the bridges' transcripts; empty to write none.
        began: When the command began, by the monotonic clock: what is read before the laws run is in the budget
            too. Now, when it is not said.
    """

    plan: Plan
    profile: Profile
    workers: int
    fresh: bool = False
    seconds: float | None = None
    transcripts: str = ""
    began: float | None = None


def _timed(job: Job, stored: Stored) -> Job:
    """Schedule a job by how long it took when it was last run."""
    seconds = stored.seconds.get((job.law, job.subject))
    return job if seconds is None else replace(job, inputs=int(seconds * _RATE))


def report_of(
    wanted: Wanted,
    cache: Cache,
    locked: Locked | None,
    told: Callable[[Verdict, int, int], None],
) -> Report:
    """Run what is wanted.

    Args:
        wanted: What to run.
        cache: Where verdicts are kept.
        locked: The baseline; `None` to compare with none.
        told: Called with each verdict as it comes, how many there are so far, and how many there will be.
    """
    start = time.monotonic() if wanted.began is None else wanted.began
    profile, notes = wanted.profile, _left_out(wanted.plan)
    known = Sources()
    digests = {area.name: known.digest(area.name, profile) for area in wanted.plan.areas}
    held = {name: cache.load(name, profile.name, digest) for name, digest in digests.items()}
    verdicts: list[Verdict] = []
    waiting: list[Job] = []
    jobs = jobs_of(wanted.plan, profile, wanted.transcripts)
    for job in jobs:
        found = held[job.area].verdicts.get((job.law, job.subject))
        if found is None or wanted.fresh or job.transcripts:
            waiting.append(_timed(job, held[job.area]))
        else:
            verdicts.append(found)
            told(found, len(verdicts), len(jobs))
    ran: list[Verdict] = []
    for verdict in run_jobs(waiting, wanted.workers, wanted.seconds, start):
        ran.append(verdict)
        told(verdict, len(verdicts) + len(ran), len(jobs))
    # Verdicts on files that were edited while the laws ran are of no digest, and are not kept.
    still = {area: digests[area] for area in {one.area for one in ran} if known.still(area)}
    try:
        _keep(cache, profile, still, held, ran)
    except OSError as error:
        notes.append(f"the cache {cache.directory} cannot be written: {error.strerror or error}")
    lines = lines_of(wanted.plan, (*verdicts, *ran))
    return Report(
        lines=lines,
        weaker=_weaker(wanted, locked, lines),
        profile=profile.name,
        seed=profile.seed,
        versions=versions(),
        digests=tuple(digests.items()),
        seconds=time.monotonic() - start,
        notes=tuple(notes),
    )


def _keep(
    cache: Cache,
    profile: Profile,
    digests: dict[str, str],
    held: dict[str, Stored],
    ran: list[Verdict],
) -> None:
    for area, digest in digests.items():
        fresh = {(one.law, one.subject): one for one in ran if one.area == area}
        if fresh:
            cache.save(area, profile.name, digest, (held[area].verdicts | fresh).values())


def _left_out(made: Plan) -> list[str]:
    """Say which functions the agreement of spec and core leaves out, and why: a line a reason."""
    lines: list[str] = []
    for area, names in zip(made.areas, made.chosen, strict=True):
        if not any(name.startswith(PREFIX) for name in names):
            continue
        by_reason: dict[str, list[str]] = {}
        for name, why in left_out(area.module):
            by_reason.setdefault(why, []).append(name)
        lines += [
            f"{area.name}: spec == core leaves out {', '.join(some)}: {why}"
            for why, some in by_reason.items()
        ]
    return lines


def whole_areas(made: Plan, locked: Locked | None) -> tuple[str, ...]:
    """Return the areas that a run covers whole; of the whole report also those that only the baseline knows."""
    known = tuple(area for area, _, _ in locked or ()) if made.everything else ()
    failed = {one.area for one in made.failed}
    return tuple(one for one in dict.fromkeys((*made.complete, *known)) if one not in failed)


def _weaker(wanted: Wanted, locked: Locked | None, lines: tuple[Line, ...]) -> tuple[Weaker, ...]:
    if locked is None:
        return ()
    found = compare(
        locked,
        [line.verdict for line in lines],
        whole_areas(wanted.plan, locked),
        counts=wanted.seconds is None,
    )
    skipped = {line.verdict.key for line in lines if line.verdict.not_run}
    return tuple(Weaker(*key, message) for key, message in found if key not in skipped)


def updated(report: Report, locked: Locked | None, whole: tuple[str, ...]) -> Locked:
    """Return the baseline with what a run claims; areas of which every law was run are replaced whole."""
    kept = {key: claim for key, claim in (locked or {}).items() if key[0] not in whole}
    new = {line.verdict.key: claim_of(line.verdict) for line in report.lines}
    return kept | new


def save_baseline(
    path: Path, report: Report, locked: Locked | None, whole: tuple[str, ...]
) -> None:
    """Write the baseline anew.

    Raises:
        OSError: the file cannot be written.
    """
    write_lock(path, updated(report, locked, whole))
