"""`--mutants`: the teeth of each area, one after the other."""

from __future__ import annotations

import json

import click
from rich.console import Console
from rich.progress import Progress

from eukhe_laws.engine.mutants import MutantsError, Rooms, measure
from eukhe_laws.engine.teeth import Teeth
from eukhe_laws.report.teeth import text

__all__ = ["show_teeth"]


def _measured(area: str, workers: int, console: Console, quiet: bool) -> Teeth:
    if quiet or not console.is_terminal:
        return measure(Rooms.of(area), jobs=workers)
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task(f"{area}: mutants", total=None)
        return measure(
            Rooms.of(area),
            jobs=workers,
            progress=lambda done, every: progress.update(task, completed=done, total=every),
        )


def show_teeth(areas: tuple[str, ...], workers: int, console: Console, as_json: bool) -> bool:
    """Try the mutants of each area and print what they show.

    Args:
        areas: The areas.
        workers: How many mutants are tried at once.
        console: Where the progress goes.
        as_json: Whether to print one JSON document a line instead of text.

    Returns:
        Whether every area meets its bars.
    """
    sharp = True
    for area in areas:
        try:
            teeth = _measured(area, workers, console, as_json)
        except MutantsError as error:
            sharp = False
            click.echo(json.dumps({"area": area, "error": str(error)}) if as_json else str(error))
            continue
        sharp = sharp and teeth.ok
        click.echo(json.dumps(teeth.encoded()) if as_json else text(teeth))
    return sharp
