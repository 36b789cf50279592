"""Which session a run goes on with: one that the user chooses from a list, or a fork of one."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from eukhe.session.directories import find_session, new_session_id, session_directories
from eukhe.session.errors import NoSuchEntryError, SessionNotFoundError
from eukhe.session.store import Session, now_ms

if TYPE_CHECKING:
    from pathlib import Path

    from eukhe.agent.record import AgentDocument

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
    from eukhe.agent.stored import summarize
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


@dataclass(frozen=True, slots=True)
class ForkSource:
    """What a fork is made from, looked at before anything is stored.

    Attributes:
        session: the session that is forked, open to read.
        entry: the last row that the fork shares, 0 for none, None for the newest.
        agent: the agent's settings as of that row.
        sessions_dir: where the fork goes.
    """

    session: Session
    entry: int | None
    agent: AgentDocument
    sessions_dir: Path

    def make(self) -> Session:
        """Make the fork and open it to write.

        Raises:
            CommitFailedError: it cannot be stored; there is none.
        """
        from eukhe.agent.branches import fork_to

        target = self.sessions_dir / new_session_id(now_ms())
        fork_to(self.session, self.entry, target)
        return Session.open_to_write(target)


def fork_source(name: str | None, at: str | None, sessions_dir: Path) -> ForkSource | None:
    """Find what `--fork` and `--at` name; None without `--fork`.

    Raises:
        click.UsageError: there is no such session or no such entry.
    """
    if name is None:
        if at is not None:
            raise click.UsageError("--at says where to fork, so it needs --fork ID")
        return None
    from eukhe.agent.branches import NothingToDoError, agent_at
    from eukhe.cli.sessions import entry_of

    entry = entry_of(None, None, at)
    try:
        session = Session.open_to_read(find_session(sessions_dir, name))
        return ForkSource(session, entry, agent_at(session, entry), sessions_dir)
    except (SessionNotFoundError, NoSuchEntryError, NothingToDoError) as error:
        raise click.UsageError(f"--fork: {error}") from error
