"""`eukhe laws`: which laws hold, on which evidence."""

from __future__ import annotations

import os
import sys
import time

import click
from rich.console import Console

from eukhe_laws.engine.plan import SelectionError, jobs_of, plan
from eukhe_laws.engine.profile import DEEP, QUICK
from eukhe_laws.engine.runner import run_jobs
from eukhe_laws.report.outcome import Report, lines_of
from eukhe_laws.report.table import plain, rich_report

__all__ = ["laws"]


@click.command()
@click.argument("selection", nargs=-1, metavar="[AREA|LAW|PATTERN]...")
@click.option(
    "--deep", is_flag=True, help="Larger scopes and CrossHair: minutes instead of seconds."
)
@click.option("--jobs", type=click.IntRange(1, 256), default=None, help="Worker processes.")
def laws(selection: tuple[str, ...], deep: bool, jobs: int | None) -> None:
    """Check the named laws on the spec and on the core that ships."""
    start = time.monotonic()
    profile = DEEP if deep else QUICK
    try:
        made = plan(selection)
    except SelectionError as error:
        raise click.UsageError(str(error)) from None
    work = jobs_of(made, profile)
    verdicts = list(run_jobs(work, jobs or os.cpu_count() or 1))
    report = Report(
        lines_of(made, verdicts), (), profile.name, profile.seed, (), time.monotonic() - start
    )
    console = Console()
    if console.is_terminal:
        console.print(rich_report(report, console))
    else:
        click.echo(plain(report), nl=False)
    sys.exit(0 if report.ok else 1)
