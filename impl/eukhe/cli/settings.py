"""`eukhe settings`: what the commands share. Each command is imported when it runs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from eukhe.cli.lazy import LazyCommand, LazyGroup
from eukhe.settings.family import root
from eukhe.settings.load import load_config
from eukhe.settings.places import Files, agent_dir
from eukhe.settings.table import load_registry

if TYPE_CHECKING:
    from collections.abc import Callable

    from eukhe.core.cvar import Registry
    from eukhe.settings.family import Family
    from eukhe.settings.issues import Issue
    from eukhe.settings.load import Config

__all__ = [
    "Known",
    "given_agent_dir",
    "known",
    "note",
    "option_json",
    "option_where",
    "print_json",
    "shown_path",
    "shown_value",
]


class SettingsGroup(LazyGroup):
    """The commands of `eukhe settings`."""

    table = {  # noqa: RUF012 - a constant
        "list": LazyCommand(
            "eukhe.cli.settings_read:list_settings", "Show every value and origin."
        ),
        "get": LazyCommand("eukhe.cli.settings_read:get_setting", "Print one value."),
        "explain": LazyCommand(
            "eukhe.cli.settings_read:explain_setting", "Show what every layer says, and who wins."
        ),
        "path": LazyCommand("eukhe.cli.settings_read:show_paths", "Print the files."),
        "set": LazyCommand("eukhe.cli.settings_write:set_setting", "Set a value."),
        "unset": LazyCommand("eukhe.cli.settings_write:unset_value", "Remove a value."),
        "toggle": LazyCommand("eukhe.cli.settings_write:toggle_setting", "Flip a truth value."),
        "edit": LazyCommand("eukhe.cli.settings_edit:edit_settings", "Open a file in an editor."),
    }


@click.group(cls=SettingsGroup, invoke_without_command=True)
@click.pass_context
def settings(ctx: click.Context) -> None:
    """Look at settings and change them."""
    if ctx.invoked_subcommand is None:
        raise click.UsageError(
            f"`eukhe settings` needs a command: {', '.join(SettingsGroup.table)}"
        )


class Known(NamedTuple):
    """What a command about settings works with.

    Attributes:
        registry: The cvars.
        config: The config of this directory.
        family: The root session's agent over it: what a new session would see.
    """

    registry: Registry
    config: Config
    family: Family


def option_where(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say where the files are."""
    command = click.option(
        "--cwd", type=click.Path(file_okay=False), help="The project. [default: this directory]"
    )(command)
    return click.option(
        "--agent-dir", type=click.Path(file_okay=False), help="Where all state is."
    )(command)


option_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def given_agent_dir(ctx: click.Context) -> Path:
    """The agent directory by the command's option, else by the one in front of the command."""
    given = _given(ctx, "agent_dir")
    return agent_dir(os.environ, None if given is None else Path(given))


def _given(ctx: click.Context, name: str) -> str | None:
    here: str | None = ctx.params.get(name)
    return ctx.find_root().params.get(name) if here is None else here


def known(ctx: click.Context) -> Known:
    """Load the settings for a command.

    Raises:
        click.UsageError: `--cwd` names no directory.
    """
    cwd = Path(_given(ctx, "cwd") or ".")
    if not cwd.is_dir():
        raise click.UsageError(f"--cwd: there is no directory {cwd}")
    registry = load_registry()
    config = load_config(registry, Files.of(given_agent_dir(ctx), cwd))
    return Known(registry, config, root(config))


def shown_path(path: str | Path) -> str:
    """A path as a user knows it: from this directory, or from the home directory."""
    text = str(path)
    for base, sign in ((os.path.realpath("."), ""), (os.path.expanduser("~"), "~/")):  # noqa: PTH111 - text
        if base != "/" and text.startswith(f"{base}/"):
            return sign + text[len(base) + 1 :]
    return text


def shown_value(value: object) -> str:
    """A value as a word of a command; nothing for an unset one."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def print_json(value: object) -> None:
    """Print a JSON document."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def note(issues: tuple[Issue, ...]) -> None:
    """Tell the settings errors on stderr, a line each."""
    for issue in issues:
        where = shown_path(issue.file)
        place = where if issue.line is None else f"{where}:{issue.line}"
        click.echo(f"eukhe: note: {place}: {issue.message}", err=True)
