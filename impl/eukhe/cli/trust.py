"""`eukhe trust`: the directories whose projects may change limits, prompts and what runs (S4b.5)."""

from __future__ import annotations

import os
from pathlib import Path

import click

from eukhe.cli.settings import Known, known, option_json, option_where, print_json, shown_path
from eukhe.core.config import TRUSTED_PROJECTS, trusted_projects
from eukhe.settings.issues import printable
from eukhe.settings.setter import save_setting


@click.command("trust")
@click.argument("directory", metavar="[DIR]", required=False, type=click.Path())
@click.option("--list", "listed", is_flag=True, help="Show the trusted directories.")
@click.option("--remove", is_flag=True, help="Trust DIR (or this directory) no longer.")
@option_json
@option_where
@click.pass_context
def trust(
    ctx: click.Context,
    /,
    directory: str | None,
    listed: bool,
    remove: bool,
    as_json: bool,
    **_: object,
) -> None:
    """Trust the project in DIR (or in this directory) and in every directory below it."""
    found = known(ctx)
    now = list(trusted_projects(found.config.entries).directories)
    if listed:
        if directory is not None or remove:
            raise click.UsageError("--list stands alone")
        if as_json:
            print_json(now)
        else:
            for one in now:
                click.echo(printable(one))
        return
    path = Path(directory or ctx.find_root().params.get("cwd") or ".")
    real = os.path.realpath(path)
    if remove:
        kept = [one for one in now if os.path.realpath(one) != real]
        if len(kept) == len(now):
            raise click.UsageError(f"{printable(real)} is not trusted by itself{_above(now, real)}")
        _save(found, kept, f"{_shown(real)} is no longer trusted{_above(kept, real)}")
        return
    if not path.is_dir():
        raise click.UsageError(f"there is no directory {printable(str(path))}")
    if any(os.path.realpath(one) == real for one in now):
        click.echo(f"{_shown(real)} is trusted already")
        return
    if not _is_unicode(real):
        raise click.UsageError(
            f"{printable(real)} has a name that is not UTF-8, and a setting can hold no other: "
            "rename the directory, or trust one above it"
        )
    _save(found, [*now, real], f"{printable(real)} is trusted, with every directory below it")


def _shown(real: str) -> str:
    return printable(shown_path(real))


def _is_unicode(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _above(directories: list[str], real: str) -> str:
    for one in directories:
        above = os.path.realpath(one)
        if real != above and Path(real).is_relative_to(above):
            return f"; {printable(one)} above it is trusted"
    return ""


def _save(found: Known, directories: list[str], said: str) -> None:
    done = save_setting(found.registry, found.config, TRUSTED_PROJECTS, directories)
    if done.shadowed is not None:
        raise click.ClickException(
            f"{shown_path(done.path)} was written, but {shown_path(done.shadowed.origin)} sets "
            f"{TRUSTED_PROJECTS} as well, and that counts; remove that line"
        )
    click.echo(said)
