"""`eukhe settings set|unset|toggle`: one setting of a `settings.json`, over what is on disk now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from eukhe.cli.settings import (
    Known,
    known,
    option_json,
    option_where,
    print_json,
    shown_path,
    shown_value,
)
from eukhe.cli.settings_read import complete_ids, near
from eukhe.core.config import guarded
from eukhe.core.cvar import FLIP, ErrorKind, Word
from eukhe.settings.errors import RefusedSetError
from eukhe.settings.issues import printable
from eukhe.settings.load import place_of
from eukhe.settings.masking import without_secrets
from eukhe.settings.setter import save_setting, unset_setting

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.shell_completion import CompletionItem

    from eukhe.settings.setter import Persisted


def _complete_switches(
    ctx: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    from eukhe.cli.complete import switches

    return switches(ctx, parameter, incomplete)


def _complete_values(
    ctx: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    from eukhe.cli.complete import values

    return values(ctx, parameter, incomplete)


def option_layer(command: Callable[..., Any]) -> Callable[..., Any]:
    """The option that says which document is meant."""
    return click.option(
        "--project/--global",
        "project",
        default=False,
        help="Which settings.json: this project's, or the global one (the default).",
    )(command)


@click.command("set")
@click.argument("name", metavar="ID", shell_complete=complete_ids)
@click.argument("value", metavar="VALUE", shell_complete=_complete_values)
@option_layer
@option_json
@option_where
@click.pass_context
def set_setting(
    ctx: click.Context, /, name: str, value: str, project: bool, as_json: bool, **_: object
) -> None:
    """Set a setting: true or false, a number, a text, or JSON for lists and objects."""
    _change(known(ctx), name, Word(value), project, as_json)


@click.command("toggle")
@click.argument("name", metavar="ID", shell_complete=_complete_switches)
@option_layer
@option_json
@option_where
@click.pass_context
def toggle_setting(
    ctx: click.Context, /, name: str, project: bool, as_json: bool, **_: object
) -> None:
    """Set a truth value to the opposite of what the file itself says."""
    _change(known(ctx), name, FLIP, project, as_json)


@click.command("unset")
@click.argument("name", metavar="ID", shell_complete=complete_ids)
@option_layer
@option_json
@option_where
@click.pass_context
def unset_value(
    ctx: click.Context, /, name: str, project: bool, as_json: bool, **_: object
) -> None:
    """Remove a key from the file, whether or not it is a setting."""
    found = known(ctx)
    done = unset_setting(found.config, name, project=project)
    if as_json:
        print_json({**_form(name, done), "result": "Unset" if done.written else "Unchanged"})
        return
    if done.written:
        click.echo(f"{name} was removed from {shown_path(done.path)}")
    else:
        click.echo(f"{name} is not set in {shown_path(done.path)}: nothing was written")
    if done.shadowed is not None:
        click.echo(f"{_by(done)} sets it")


def _change(found: Known, name: str, given: object, project: bool, as_json: bool) -> None:
    try:
        done = save_setting(found.registry, found.config, name, given, project=project)
    except RefusedSetError as error:
        hint = near(found, name) if error.error.kind is ErrorKind.UNDECLARED else ""
        raise click.UsageError(f"{error}{hint}") from error
    withheld = project and guarded(name) and not found.config.trusted
    result = "Persisted" if done.shadowed is None else "Shadowed"
    if withheld:
        result = "Withheld"
    if as_json:
        print_json({**_form(name, done), "result": result})
        return
    value = printable(shown_value(without_secrets(name, done.value)))
    line = f"{result}: {name} is {value} in {shown_path(done.path)}"
    if withheld:
        line += ", which does not count: the project is not trusted (`eukhe trust`)"
    elif done.shadowed is not None:
        line += f", but {_by(done)} sets it, and that counts"
    click.echo(line)


def _by(done: Persisted) -> str:
    if done.shadowed is None:
        return ""
    file, line = place_of(done.shadowed, {})
    return shown_path(file) if line is None else f"{shown_path(file)}:{line}"


def _form(name: str, done: Persisted) -> dict[str, object]:
    by = None
    if done.shadowed is not None:
        file, line = place_of(done.shadowed, {})
        by = {"file": file, "line": line}
    return {
        "id": name,
        "value": without_secrets(name, done.value),
        "file": str(done.path),
        "by": by,
    }
