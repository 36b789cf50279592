"""`eukhe inspect guard`: where the repetition guard cuts a stream (S6.5)."""

from __future__ import annotations

import click

from eukhe.cli.inspect.given import as_json, read_text, show
from eukhe.core.guard import Guard


@click.command("guard")
@click.argument("file", metavar="FILE")
@click.option("--k", type=click.IntRange(0), default=64, show_default=True, help="The window.")
@as_json
def guard(file: str, k: int, as_json: bool) -> None:
    """Show where the text of FILE (or -) is cut: chunk, period and last line.

    A chunk is a line that is not blank; the window is `retry.provider.streamRepeatLimit`, 0 turns the guard off.
    """
    found = Guard(k).feed("text", read_text(file))
    if as_json:
        cut = found and {"chunk": found.at, "period": found.period, "last": found.last}
        show({"k": k, "cut": cut})
    elif found is None:
        click.echo("not cut")
    else:
        lines = "one line" if found.period == 1 else f"a cycle of {found.period} lines"
        click.echo(f"cut at chunk {found.at}: {lines}, the last one is {found.last!r}")
