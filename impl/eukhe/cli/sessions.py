"""`eukhe sessions`: what is stored."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eukhe.agent import transcript
from eukhe.agent.record import agent_document, main_conversation
from eukhe.agent.stored import Summary, summarize, title_of
from eukhe.cli.printer import without_control
from eukhe.cli.run_settings import config_of
from eukhe.cli.run_settings import sessions_dir as the_sessions_dir
from eukhe.session.directories import find_session, session_directories
from eukhe.session.errors import SessionNotFoundError
from eukhe.session.store import Session, now_ms
from eukhe.wire.messages import AssistantMessage, ToolResultMessage, UserMessage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from eukhe.session.nodes import Entry

_DIRECTORY = click.Path(file_okay=False, path_type=Path)


def _where(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say where the sessions are."""
    command = click.option("--session-dir", type=_DIRECTORY, help="Where the sessions are.")(
        command
    )
    return click.option("--agent-dir", type=_DIRECTORY, help="Where all state is.")(command)


def _sessions_dir(ctx: click.Context, session_dir: Path | None, agent_dir: Path | None) -> Path:
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


@click.group(invoke_without_command=True)
@click.pass_context
def sessions(ctx: click.Context) -> None:
    """List and show stored sessions."""
    if ctx.invoked_subcommand is None:
        raise click.UsageError("`eukhe sessions` needs a command: list or show")


@sessions.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array.")
@_where
@click.pass_context
def list_sessions(
    ctx: click.Context, as_json: bool, session_dir: Path | None, agent_dir: Path | None
) -> None:
    """List the stored sessions, the newest first."""
    directory = _sessions_dir(ctx, session_dir, agent_dir)
    found = [summarize(path) for path in session_directories(directory)]
    if as_json:
        click.echo(json.dumps([summary.to_json() for summary in found], indent=2))
        return
    if not found:
        click.echo(f"no session is stored in {directory}", err=True)
    now = now_ms()
    for summary in found:
        click.echo(without_control(_line(summary, now)))


@sessions.command("show")
@click.argument("name", metavar="[ID]", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@_where
@click.pass_context
def show_session(
    ctx: click.Context,
    name: str | None,
    as_json: bool,
    session_dir: Path | None,
    agent_dir: Path | None,
) -> None:
    """Show what was said in a session; without an ID, in the newest one."""
    directory = _sessions_dir(ctx, session_dir, agent_dir)
    session = Session.open_to_read(_find(directory, name))
    main = main_conversation(session)
    rows = () if main is None else session.entries(main)
    agent = agent_document(session)
    for warning in session.warnings:
        click.echo(f"eukhe: note: {warning}", err=True)
    if as_json:
        form = {
            **_summary_of(session).to_json(),
            "agent": None if agent is None else agent.to_json(),
            "entries": [{"id": i, "kind": row.kind, "body": row.body} for i, row in rows],
        }
        click.echo(json.dumps(form, indent=2))
        return
    click.echo(f"session {session.id}" + (f" · {agent.model} · {agent.cwd}" if agent else ""))
    for _, row in rows:
        for line in _paragraphs(row):
            click.echo(without_control(line))


def _summary_of(session: Session) -> Summary:
    """The summary of a session that is open already."""
    if session.directory is None:
        return Summary(session.id, "")
    return summarize(session.directory)


def _find(directory: Path, name: str | None) -> Path:
    if name is None:
        newest = session_directories(directory)
        if not newest:
            raise click.UsageError(f"no session is stored in {directory}")
        return newest[0]
    try:
        return find_session(directory, name)
    except SessionNotFoundError as error:
        raise click.UsageError(str(error)) from error


def _line(summary: Summary, now: int) -> str:
    if summary.damage is not None:
        return f"{summary.id}  damaged: {summary.damage}"
    age = _age(now - summary.modified) if summary.modified else "empty"
    return f"{summary.id}  {age:>8}  {summary.model}  {summary.cwd}  {summary.title}"


def _age(milliseconds: int) -> str:
    seconds = max(0, milliseconds // 1000)
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds // size} {unit} ago"
    return f"{seconds} s ago"


def _paragraphs(row: Entry) -> Iterator[str]:
    match transcript.from_entry(row):
        case UserMessage() as message:
            yield f"\n> {message.text}"
        case AssistantMessage() as message:
            if message.text:
                yield f"\n{message.text}"
            for call in message.calls:
                yield f"\n[{call.name} {call.arguments}]"
            if not transcript.is_sent(message):
                yield f"[the reply ended early: {message.stop.value}]"
        case ToolResultMessage() as message:
            mark = "failed: " if message.is_error else ""
            yield f"[{message.tool}] {mark}{title_of(message.text)}"
        case None:
            if row.kind == transcript.ERROR:
                yield f"\n[the request failed: {row.body.get('message')}]"
