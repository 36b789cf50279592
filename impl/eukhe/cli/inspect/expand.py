"""`eukhe inspect expand`: what a line of the command language runs (S4.4)."""

from __future__ import annotations

import click

from eukhe.cli.inspect.given import as_json, read_text, show
from eukhe.core.cvar import (
    Failure,
    ParseError,
    Place,
    expand,
    load,
    parse_list,
    parse_script,
    text_of,
)


@click.command("expand")
@click.argument("line", metavar="LINE")
@click.option("--aliases", metavar="FILE", help="A cfg file whose aliases the line knows.")
@as_json
def expand_line(line: str, aliases: str | None, as_json: bool) -> int:
    """Show the plain commands that LINE runs, with its aliases replaced.

    The exit code is 1 when it runs nothing: the line cannot be read, an alias runs itself or does not exist.
    """
    known = {}
    if aliases is not None:
        script = parse_script(read_text(aliases))
        for fault in script.errors:
            click.echo(f"{aliases}:{fault.line}:{fault.column}: {fault.message}", err=True)
        loaded = load({}, script.lines, Place.SETS, aliases)
        for failed in loaded.failed:
            click.echo(f"{aliases}:{failed.line}: {failed.failure.message}", err=True)
        known = dict(loaded.aliases)
    read = parse_list(line)
    if isinstance(read, ParseError):
        return _nothing(as_json, read.fault.value, f"column {read.column}: {read.message}")
    plain = expand(known, read)
    if isinstance(plain, Failure):
        return _nothing(as_json, plain.error.value, plain.message)
    commands = [text_of((command,)) for command in plain]
    if as_json:
        show({"commands": commands})
    else:
        for command in commands:
            click.echo(command)
    return 0


def _nothing(as_json: bool, error: str, message: str) -> int:
    if as_json:
        show({"error": error, "message": message})
    else:
        click.echo(f"runs nothing: {message}")
    return 1
