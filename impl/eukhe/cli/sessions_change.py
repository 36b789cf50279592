"""`eukhe sessions fork|rewind|rename|delete|repair`: change what is stored."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from eukhe.cli.printer import without_control
from eukhe.cli.sessions import find, option_at, option_where, stored_in
from eukhe.session.directories import new_session_id
from eukhe.session.errors import SessionError, SessionUnreadableError
from eukhe.session.store import Session, now_ms

if TYPE_CHECKING:
    from pathlib import Path

    from eukhe.session.repair import Repaired


@click.command("fork")
@click.argument("name", metavar="ID")
@option_at("The last entry that the new session shares, or `start`. [default: the newest]")
@click.option("--name", "title", metavar="NAME", help="What the new session is called.")
@option_where
@click.pass_context
def fork_session(
    ctx: click.Context,
    name: str,
    at: int | None,
    title: str | None,
    session_dir: Path | None,
    agent_dir: Path | None,
) -> None:
    """Start a new session as ID was at an entry, and print its id.

    The model, the settings and all else that belongs to the conversation are as they were then. ID itself stays as
    it is; it can be open in another process.
    """
    from eukhe.agent.rows.naming import clean_name
    from eukhe.agent.stored.branches import fork_to

    directory = stored_in(ctx, session_dir, agent_dir)
    called = "" if title is None else clean_name(title)
    source = Session.open_to_read(find(directory, name))
    new_id = new_session_id(now_ms())
    fork_to(source, at, directory / new_id, called)
    click.echo(new_id)


@click.command("rewind")
@click.argument("name", metavar="ID")
@option_at("The last entry that stays, or `start`. [default: the one before the last prompt]")
@option_where
@click.pass_context
def rewind_session(
    ctx: click.Context,
    name: str,
    at: int | None,
    session_dir: Path | None,
    agent_dir: Path | None,
) -> None:
    """Take a session back to an entry; without one, take the last prompt back.

    The model, the settings and all else that belongs to the conversation are as they were then. Files that tools
    changed stay as they are. What was taken back is still in the journal, so a rewind can be taken back as well.
    """
    from eukhe.agent.stored.branches import in_words, rewind

    with Session.open_to_write(find(stored_in(ctx, session_dir, agent_dir), name)) as session:
        click.echo(in_words(session, rewind(session, at)))


@click.command("rename")
@click.argument("name", metavar="ID")
@click.argument("title", metavar="NAME")
@option_where
@click.pass_context
def rename_session(
    ctx: click.Context,
    name: str,
    title: str,
    session_dir: Path | None,
    agent_dir: Path | None,
) -> None:
    """Give a session a name."""
    from eukhe.agent.rows.naming import clean_name, draft_name

    called = clean_name(title)
    with Session.open_to_write(find(stored_in(ctx, session_dir, agent_dir), name)) as session:
        draft = session.draft()
        draft_name(draft, called)
        session.commit(*draft.records)


@click.command("delete")
@click.argument("names", metavar="ID...", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Do not ask.")
@option_where
@click.pass_context
def delete_sessions(
    ctx: click.Context,
    names: tuple[str, ...],
    yes: bool,
    session_dir: Path | None,
    agent_dir: Path | None,
) -> None:
    """Delete sessions, with all that was said and the full outputs of their tools. This cannot be taken back."""
    from eukhe.agent.stored.summary import summarize
    from eukhe.session.staging import delete

    directory = stored_in(ctx, session_dir, agent_dir)
    found = list(dict.fromkeys(find(directory, name) for name in names))
    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError("deleting asks first, and there is no terminal: add --yes")
        for path in found:
            click.echo(without_control(f"{path.name}  {summarize(path).title}"), err=True)
        click.confirm(f"Delete {len(found)} session(s)?", abort=True, err=True)
    for path in found:
        delete(path)


@click.command("repair")
@click.argument("name", metavar="ID")
@option_where
@click.pass_context
def repair_session(
    ctx: click.Context, name: str, session_dir: Path | None, agent_dir: Path | None
) -> None:
    """Copy what a damaged session still has to a new one, and print the id of that.

    The damaged session is only read, never changed.
    """
    from eukhe.agent.stored.mend import repair_session as write_copy

    directory = stored_in(ctx, session_dir, agent_dir)
    source = find(directory, name)
    if _reads_back(source):
        click.echo(
            f"eukhe: note: session {source.name} is not damaged; nothing was written", err=True
        )
        return
    new_id = new_session_id(now_ms())
    done = write_copy(source, directory / new_id)
    for line in _repaired_in_words(done):
        click.echo(without_control(f"eukhe: note: {line}"), err=True)
    click.echo(new_id)


def _reads_back(directory: Path) -> bool:
    try:
        Session.open_to_read(directory)
    except SessionUnreadableError:
        raise
    except SessionError:
        return False
    return True


_TOLD = 20
"""Lines of a damaged journal that are told one by one."""


def _repaired_in_words(done: Repaired) -> list[str]:
    lines = [
        f"line {one.line} (byte {one.offset}, {one.size} bytes) is left out: {one.reason}"
        for one in done.left_out[:_TOLD]
    ]
    if len(done.left_out) > _TOLD:
        lines.append(f"{len(done.left_out) - _TOLD} more lines are left out")
    if done.adopted:
        lines.append("the start of a conversation is lost; what came after it is kept")
    return [*lines, f"{done.kept} commits are kept, {len(done.left_out)} are left out"]
