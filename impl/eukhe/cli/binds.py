"""`eukhe binds`: what each key runs, and what is wrong with `binds.cfg`."""

from __future__ import annotations

import click

from eukhe.cli.settings import Known, known, note, option_json, option_where, print_json, shown_path
from eukhe.core.cvar import text_of
from eukhe.settings.binds import KeyBinds, load_binds


@click.group(invoke_without_command=True)
@click.pass_context
def binds(ctx: click.Context) -> None:
    """Show and check key binds."""
    if ctx.invoked_subcommand is None:
        raise click.UsageError("`eukhe binds` needs a command: list or check")


def _load(found: Known, *, aliases: bool) -> KeyBinds:
    known_aliases = found.family.aliases if aliases else None
    loaded = load_binds(found.config.files.agent_dir, known_aliases)
    if loaded.imported:
        click.echo(
            f"eukhe: note: {shown_path(loaded.path)} was written from keybindings.json", err=True
        )
    return loaded


@binds.command("list")
@click.option("--own", is_flag=True, help="Only the keys that binds.cfg binds.")
@option_json
@option_where
@click.pass_context
def list_binds(ctx: click.Context, /, own: bool, as_json: bool, **_: object) -> None:
    """List every bound key, the commands that it runs, and where they come from."""
    loaded = _load(known(ctx), aliases=False)
    rows = [
        (key, text_of(body), loaded.own.get(key))
        for key, body in loaded.table.items()
        if not own or key in loaded.own
    ]
    if as_json:
        print_json(
            [
                {"key": key, "commands": body, "line": line, "default": line is None}
                for key, body, line in rows
            ]
        )
    else:
        for key, body, line in rows:
            place = "default" if line is None else f"{shown_path(loaded.path)}:{line}"
            click.echo(f"{key}  {body or '-'}  {place}")
    note(loaded.warnings)


@binds.command("check")
@option_where
@click.pass_context
def check_binds(ctx: click.Context, /, **_: object) -> int:
    """Say what is wrong with binds.cfg; exit code 1 when something is."""
    loaded = _load(known(ctx), aliases=True)
    note(loaded.warnings)
    if loaded.warnings:
        return 1
    click.echo(f"{shown_path(loaded.path)}: {len(loaded.own)} key(s) bound, nothing is wrong")
    return 0
