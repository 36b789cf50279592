"""`eukhe sessions`: what its commands share. Each command is imported when it runs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eukhe.agent.opening.settings import config_of
from eukhe.agent.opening.settings import sessions_dir as the_sessions_dir
from eukhe.cli.lazy import LazyCommand, LazyGroup
from eukhe.session.directories import find_session, session_directories
from eukhe.session.errors import SessionNotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["find", "option_at", "option_where", "sessions", "stored_in"]

_DIRECTORY = click.Path(file_okay=False, path_type=Path)

_READ, _CHANGE = "eukhe.cli.sessions_read", "eukhe.cli.sessions_change"


class SessionsGroup(LazyGroup):
    """The commands of `eukhe sessions`."""

    table = {  # noqa: RUF012 - a constant
        "list": LazyCommand(f"{_READ}:list_sessions", "List the stored sessions."),
        "show": LazyCommand(f"{_READ}:show_session", "Show what was said in a session."),
        "tree": LazyCommand(f"{_READ}:draw_tree", "Draw its conversations and their forks."),
        "search": LazyCommand(f"{_READ}:search_sessions", "Find a text in all sessions."),
        "export": LazyCommand(f"{_READ}:export_session", "Write it as Markdown, HTML or JSON."),
        "fork": LazyCommand(f"{_CHANGE}:fork_session", "Start a new session from a row of one."),
        "rewind": LazyCommand(f"{_CHANGE}:rewind_session", "Take a session back to a row."),
        "rename": LazyCommand(f"{_CHANGE}:rename_session", "Give a session a name."),
        "delete": LazyCommand(f"{_CHANGE}:delete_sessions", "Delete sessions."),
        "repair": LazyCommand(f"{_CHANGE}:repair_session", "Copy what a damaged one still has."),
    }


def option_where(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say where the sessions are."""
    command = click.option("--session-dir", type=_DIRECTORY, help="Where the sessions are.")(
        command
    )
    return click.option("--agent-dir", type=_DIRECTORY, help="Where all state is.")(command)


def option_at(help_text: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The option `--at`: the id of a row, or `start`."""
    return click.option("--at", metavar="ENTRY", callback=_entry_of, help=help_text)


def _entry_of(_: click.Context, __: click.Parameter, value: str | None) -> int | None:
    from eukhe.agent.opening.source import entry_named

    return entry_named(value)


def stored_in(ctx: click.Context, session_dir: Path | None, agent_dir: Path | None) -> Path:
    """The directory by the command's options, else by those in front of the command."""
    above = ctx.find_root().params

    def chosen(option: Path | None, name: str) -> Path | None:
        return Path(above[name]) if option is None and above.get(name) else option

    cwd = above.get("cwd")
    try:
        project: Path | None = Path(cwd) if cwd else Path.cwd()
    except FileNotFoundError:
        project = None  # the working directory was deleted: there is no project layer
    _, config = config_of(os.environ, chosen(agent_dir, "agent_dir"), project)
    return the_sessions_dir(os.environ, config, chosen(session_dir, "session_dir"))


def find(directory: Path, name: str | None) -> Path:
    """The session with this name, the newest one without a name.

    Raises:
        click.UsageError: there is none.
    """
    if name is None:
        newest = session_directories(directory)
        if not newest:
            raise click.UsageError(f"no session is stored in {directory}")
        return newest[0]
    try:
        return find_session(directory, name)
    except SessionNotFoundError as error:
        raise click.UsageError(str(error)) from error


@click.group(cls=SessionsGroup, invoke_without_command=True)
@click.pass_context
def sessions(ctx: click.Context) -> None:
    """List, show, search, fork, rewind, export, repair and delete stored sessions."""
    if ctx.invoked_subcommand is None:
        raise click.UsageError(
            f"`eukhe sessions` needs a command: {', '.join(SessionsGroup.table)}"
        )
