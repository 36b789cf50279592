"""`eukhe laws`: which laws hold, on which evidence."""

from __future__ import annotations

import json
import math
import os
import sys
import time
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from eukhe_laws.engine.areas import BRIDGE
from eukhe_laws.engine.cache import Cache, project_root, standard_directory
from eukhe_laws.engine.lock import Locked, LockError, read_lock
from eukhe_laws.engine.plan import Plan, SelectionError, jobs_of, plan
from eukhe_laws.engine.profile import DEEP, QUICK
from eukhe_laws.engine.replay import ReplayError
from eukhe_laws.engine.verdict import Verdict
from eukhe_laws.report.again import Again, again
from eukhe_laws.report.json import SCHEMA, report_json
from eukhe_laws.report.mutants import show_teeth
from eukhe_laws.report.outcome import Report
from eukhe_laws.report.session import Wanted, report_of, save_baseline, whole_areas
from eukhe_laws.report.table import plain, rich_report

__all__ = ["laws"]

#: What the command ends with.
_OK, _NOT_OK = 0, 1


def _lock_file() -> Path:
    root = project_root()
    return (root or Path.cwd()) / "laws.lock"


def _baseline(path: Path, *, named: bool, anew: bool) -> Locked | None:
    """Read the baseline.

    Args:
        path: The file.
        named: Whether the user named the file, so that it must exist unless it is written.
        anew: Whether it is written whole, so that what it held does not matter.
    """
    try:
        locked = read_lock(path)
    except LockError as error:
        if anew and path.is_file():
            return None
        hint = "`eukhe laws --update-lock`, with no law named, writes it anew"
        raise click.UsageError(f"{error}; {hint}") from None
    if locked is None and named:
        raise click.UsageError(f"there is no baseline {path}; --update-lock writes one")
    return locked


#: What has no effect beside `--replay`, `--list` and `--mutants` without `--deep`, which make no report.
_OF_A_REPORT = ("--junit", "--sarif", "--github", "--transcripts", "--update-lock", "--budget")


def _refuse_idle(context: click.Context) -> None:
    """Refuse options that would do nothing, so that nobody waits for a file that is never written."""
    given = context.params
    flags = {option.opts[-1]: option.name for option in context.command.params}

    def is_set(flag: str) -> bool:
        return given[flags[flag] or ""] not in (None, False)

    for mode in ("--replay", "--list", "--mutants"):
        if not is_set(mode) or (mode == "--mutants" and is_set("--deep")):
            continue
        idle = [flag for flag in _OF_A_REPORT if is_set(flag)]
        if idle:
            raise click.UsageError(f"{mode} makes no report: drop {', '.join(idle)}")


def _directory(path: str, made: Plan) -> None:
    """Make the directory of the transcripts before anything runs, or say in one line why not."""
    if not any(BRIDGE in names for names in made.chosen):
        raise click.UsageError("--transcripts are a bridge's: name an area, or AREA.bridge")
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        said = error.strerror or str(error)
        raise click.UsageError(f"the transcripts cannot be written to {path}: {said}") from None


def _finite(_context: click.Context, _option: click.Parameter, value: float | None) -> float | None:
    """Refuse `nan` and `inf`, which no range refuses."""
    if value is not None and not math.isfinite(value):
        raise click.BadParameter(f"{value} is no number of seconds")
    return value


def _write(path: str, text: str, *, append: bool = False) -> None:
    """Write a report file, or say in one line why not."""
    try:
        with Path(path).open("a" if append else "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise click.FileError(path, error.strerror or str(error)) from None


def _list(made: Plan, as_json: bool) -> None:
    """Print the chosen laws, without running them."""
    if as_json:
        rows = [
            {
                "area": area.name,
                "law": law.name,
                "section": law.section,
                "says": law.says,
                "ours": law.ours,
            }
            for area, some in made.laws()
            for law in some
        ]
        click.echo(json.dumps(rows, indent=2))
        return
    for area, some in made.laws():
        click.echo(area.name)
        for law in some:
            mark = " (ours)" if law.ours else ""
            click.echo(f"  {law.name:<32} {law.section:<7} {law.says}{mark}")
    for failed in made.failed:
        click.echo(f"{failed.area}: {failed.why}", err=True)


def _replay(text: str, as_json: bool) -> int:
    """Run exactly the input of an id."""
    try:
        found = again(text)
    except ReplayError as error:
        raise click.UsageError(str(error)) from None
    if as_json:
        click.echo(json.dumps(found.data(), indent=2))
    else:
        click.echo(found.text())
    return _OK if found.outcome is not Again.FAILS else _NOT_OK


def _run(wanted: Wanted, locked: Locked | None, console: Console, quiet: bool) -> Report:
    """Run, with a progress bar on a terminal."""
    cache = Cache(standard_directory())
    if quiet or not console.is_terminal:
        return report_of(wanted, cache, locked, lambda _verdict, _done, _all: None)
    columns = (
        TextColumn("{task.description:<40}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("starting")

        def told(verdict: Verdict, done: int, every: int) -> None:
            name = f"{verdict.law} {verdict.subject} {verdict.word.value}"
            progress.update(task, completed=done, total=every, description=name)

        return report_of(wanted, cache, locked, told)


def _files(
    report: Report, junit: str | None, sarif: str | None, github: bool, as_json: bool
) -> None:
    """Write what was asked for beside the table; each writer is imported only then."""
    if junit is not None:
        from eukhe_laws.report.junit import junit as junit_text

        _write(junit, junit_text(report))
    if sarif is not None:
        from eukhe_laws.report.sarif import sarif as sarif_text

        _write(sarif, sarif_text(report))
    if github:
        from eukhe_laws.report.github import commands, summary

        # GitHub reads both streams; beside JSON the commands must not be in its way.
        click.echo(commands(report), nl=False, err=as_json)
        path = os.environ.get("GITHUB_STEP_SUMMARY")
        if path:
            _write(path, summary(report), append=True)


def _update(made: Plan, report: Report, path: Path, locked: Locked | None) -> int:
    """Write the baseline, unless there is something in the report that nobody should claim."""
    bad = [line.verdict for line in report.lines if not line.verdict.word.positive]
    if bad:
        names = ", ".join(f"{one.law} [{one.subject}]" for one in bad[:5])
        click.echo(f"{path.name} is left as it was: {names} must hold first", err=True)
        return _NOT_OK
    try:
        save_baseline(path, report, locked, whole_areas(made, locked))
    except OSError as error:
        raise click.FileError(str(path), error.strerror or str(error)) from None
    click.echo(f"{path.name}: {len(report.lines)} claims written", err=True)
    return _OK


@click.command()
@click.argument("selection", nargs=-1, metavar="[AREA|LAW|PATTERN]...")
@click.option("--deep", is_flag=True, help="Larger scopes and CrossHair: minutes, not seconds.")
@click.option(
    "--mutants", is_flag=True, help="Show that the laws can fail: mutants of spec and core."
)
@click.option("-v", "--verbose", is_flag=True, help="List what every engine looked at.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("--junit", metavar="FILE", help="Also write a JUnit file.")
@click.option("--sarif", metavar="FILE", help="Also write a SARIF file.")
@click.option("--github", is_flag=True, help="Also print annotations for GitHub Actions.")
@click.option("--list", "listed", is_flag=True, help="List the laws, run nothing.")
@click.option("--replay", metavar="ID", help="Run exactly the input of a counterexample again.")
@click.option("--transcripts", metavar="DIR", help="Write the bridges' transcripts to DIR.")
@click.option("--update-lock", is_flag=True, help="Write the baseline laws.lock anew.")
@click.option("--lock", "lock_file", metavar="FILE", help="The baseline, instead of laws.lock.")
@click.option("--fresh", is_flag=True, help="Run everything, whatever the cache holds.")
@click.option(
    "--jobs", type=click.IntRange(1, 256), help="Worker processes; one a core by default."
)
@click.option(
    "--budget",
    type=click.FloatRange(1),
    callback=_finite,
    metavar="SECONDS",
    help="End within SECONDS.",
)
def laws(
    selection: tuple[str, ...],
    deep: bool,
    mutants: bool,
    verbose: bool,
    as_json: bool,
    junit: str | None,
    sarif: str | None,
    github: bool,
    listed: bool,
    replay: str | None,
    transcripts: str | None,
    update_lock: bool,
    lock_file: str | None,
    fresh: bool,
    jobs: int | None,
    budget: float | None,
) -> None:
    """Check the named laws on the spec and on the core that ships.

    A selection names areas, laws, AREA.LAW, or patterns of these with *, ? and [...]. Exit code 0: every law is
    proved, confirmed or holds; 1: something is broken, unknown or weaker than laws.lock; 2: a wrong call.
    """
    began = time.monotonic()
    _refuse_idle(click.get_current_context())
    if replay is not None:
        if selection:
            raise click.UsageError("--replay runs the one input of its ID; name no law beside it")
        sys.exit(_replay(replay, as_json))
    if update_lock and (deep or budget is not None):
        raise click.UsageError(
            "--update-lock writes what the quick run claims: drop --deep, --budget"
        )
    try:
        made = plan(selection)
    except SelectionError as error:
        raise click.UsageError(str(error)) from None
    if listed:
        _list(made, as_json)
        sys.exit(_OK)
    workers = jobs or os.cpu_count() or 1
    console = Console()
    areas = tuple(area.name for area in made.areas)
    if mutants and not deep:
        shown = show_teeth(areas, workers, console, as_json)
        if as_json:
            click.echo(json.dumps({"schema": SCHEMA, "mutants": shown.data()}, indent=2))
        sys.exit(_OK if shown.ok else _NOT_OK)
    profile = DEEP if deep else QUICK
    if budget is not None:
        profile = profile.within(budget, len(jobs_of(made, profile)), workers)
    path = Path(lock_file) if lock_file else _lock_file()
    named = lock_file is not None and not update_lock
    locked = _baseline(path, named=named, anew=update_lock and made.everything)
    if transcripts:
        _directory(transcripts, made)
    wanted = Wanted(made, profile, workers, fresh, budget, transcripts or "", began)
    report = _run(wanted, None if update_lock else locked, console, as_json)
    teeth = show_teeth(areas, workers, console, quiet=True) if mutants and as_json else None
    if as_json:
        click.echo(report_json(report, teeth))
    elif console.is_terminal:
        console.print(rich_report(report, console, verbose=verbose))
    else:
        click.echo(plain(report, verbose=verbose), nl=False)
    _files(report, junit, sarif, github, as_json)
    if update_lock:
        sys.exit(_update(made, report, path, locked))
    if mutants and teeth is None:
        teeth = show_teeth(areas, workers, console, quiet=False)
    sys.exit(_OK if report.ok and (teeth is None or teeth.ok) else _NOT_OK)
