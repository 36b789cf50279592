"""`--mutants`: the teeth of each area, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click
from rich.console import Console
from rich.progress import Progress

from eukhe_laws.engine.mutants import MutantsError, measure
from eukhe_laws.engine.rooms import Rooms
from eukhe_laws.engine.teeth import Teeth
from eukhe_laws.report.teeth import data, summary, text

__all__ = ["Shown", "show_teeth"]


@dataclass(frozen=True)
class Shown:
    """What the mutants of some areas showed.

    Attributes:
        teeth: The areas that could be measured.
        errors: A line for each that could not.
    """

    teeth: tuple[Teeth, ...]
    errors: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether every area was measured and meets its bars."""
        return not self.errors and all(one.ok for one in self.teeth)

    def data(self) -> dict[str, Any]:
        """Return what `--json` says of mutants."""
        areas = [data(one) for one in self.teeth]
        return {"ok": self.ok, "areas": areas, "errors": list(self.errors)}


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


def show_teeth(areas: Sequence[str], workers: int, console: Console, quiet: bool) -> Shown:
    """Try the mutants of each area and print what they show, as soon as it is known.

    Args:
        areas: The areas.
        workers: How many mutants are tried at once.
        console: Where the progress goes.
        quiet: Whether to print nothing: the caller writes JSON.
    """
    found: list[Teeth] = []
    errors: list[str] = []
    try:
        for area in areas:
            try:
                found.append(_measured(area, workers, console, quiet))
            except MutantsError as error:
                errors.append(str(error))
                click.echo(str(error), err=True)
                continue
            if not quiet:
                click.echo(text(found[-1]) + "\n")
    except KeyboardInterrupt:
        rest = ", ".join(areas[len(found) + len(errors) :])
        errors.append(f"stopped before the mutants of {rest} were tried")
        click.echo(errors[-1], err=True)
    if not quiet and len(found) > 1:
        click.echo("\n".join(summary(one) for one in found))
    return Shown(tuple(found), tuple(errors))
