"""Which session a run goes on with: one that the user chooses from a list."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from eukhe.session.directories import session_directories

if TYPE_CHECKING:
    from pathlib import Path

_SHOWN = 20
"""Sessions that a user is asked to choose from."""


def pick_session(sessions_dir: Path) -> Path:
    """Ask which session to go on with.

    Raises:
        click.UsageError: there is no terminal to ask on, or no session.
    """
    if not sys.stdin.isatty():
        raise click.UsageError(
            "--resume: there is no terminal to choose a session on; name one with --resume ID"
        )
    from eukhe.agent.stored.summary import summarize
    from eukhe.cli.printer import without_control

    found = session_directories(sessions_dir)[:_SHOWN]
    if not found:
        raise click.UsageError(f"--resume: no session is stored in {sessions_dir}")
    for number, path in enumerate(found, start=1):
        one = summarize(path)
        line = f"{number:>3}  {one.id}  {one.model}  {one.cwd}  {one.title or one.damage or ''}"
        click.echo(without_control(line), err=True)
    chosen: int = click.prompt(
        "Go on with number", type=click.IntRange(1, len(found)), default=1, err=True
    )
    return found[chosen - 1]
