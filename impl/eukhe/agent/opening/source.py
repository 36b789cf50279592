"""Which session is opened: a new one, a stored one, or a fork of a stored one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from eukhe.agent.opening.document import working_directory
from eukhe.agent.opening.errors import OptionError
from eukhe.agent.stored.summary import newest_session
from eukhe.session.directories import find_session, new_session_id
from eukhe.session.errors import CommitFailedError, NoSuchEntryError, SessionNotFoundError
from eukhe.session.store import Session, now_ms

if TYPE_CHECKING:
    from collections.abc import Callable

    from eukhe.agent.opening.options import RunOptions
    from eukhe.agent.rows.record import AgentDocument

__all__ = [
    "ForkSource",
    "entry_named",
    "fork_source",
    "new_session",
    "project_of",
    "reopen",
    "stored_directory",
]


def project_of(cwd: Path | None) -> Path | None:
    """The directory whose settings say where sessions are; None where it is gone.

    Raises:
        OptionError: there is no such directory.
    """
    try:
        return Path.cwd() if cwd is None else working_directory(cwd)
    except FileNotFoundError:
        return None


def stored_directory(
    options: RunOptions, sessions: Path, pick: Callable[[Path], Path] | None = None
) -> Path | None:
    """The session to go on with; None for a new one.

    Args:
        options: the options.
        sessions: where the sessions are.
        pick: asks the user to choose one of them; None where there is nobody to ask.

    Raises:
        OptionError: there is no such session, or more than one was asked for.
    """
    ways = (options.go_on, options.resume is not None, options.fork is not None, options.no_session)
    if sum(ways) > 1:
        raise OptionError("", "--continue, --resume, --fork and --no-session exclude each other")
    if options.go_on:
        cwd = working_directory(options.cwd)
        directory = newest_session(sessions, cwd)
        if directory is None:
            raise OptionError(
                "go_on",
                f"--continue: no session of {cwd} is stored in {sessions}; "
                "`eukhe sessions list` shows what is, --resume ID goes on with it",
            )
        return directory
    if options.resume == "" and pick is not None:
        return pick(sessions)
    if options.resume is not None:
        try:
            return find_session(sessions, options.resume)
        except SessionNotFoundError as error:
            raise OptionError("resume", f"--resume: {error}") from error
    return None


def new_session(options: RunOptions, sessions: Path) -> tuple[Session, CommitFailedError | None]:
    """A new session, and why it cannot be stored if it cannot."""
    new_id = new_session_id(now_ms())
    if options.no_session:
        return Session.in_memory(new_id), None
    try:
        return Session.create(sessions / new_id), None
    except CommitFailedError as error:
        return Session.in_memory(new_id), error


def reopen(directory: Path) -> tuple[Session, CommitFailedError | None]:
    """A stored session, and why nothing more can be stored in it if it cannot.

    Raises:
        SessionBusyError: another process writes to it.
        SessionError: it cannot be read.
    """
    try:
        return Session.open_to_write(directory), None
    except CommitFailedError as error:
        session = Session.open_to_read(directory)
        session.detach()
        return session, error


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
        from eukhe.agent.stored.branches import fork_to

        target = self.sessions_dir / new_session_id(now_ms())
        fork_to(self.session, self.entry, target)
        return Session.open_to_write(target)


def fork_source(name: str | None, at: str | None, sessions_dir: Path) -> ForkSource | None:
    """Find what `--fork` and `--at` name; None without `--fork`.

    Raises:
        OptionError: there is no such session or no such entry.
    """
    if name is None:
        if at is not None:
            raise OptionError("at", "--at says where to fork, so it needs --fork ID")
        return None
    from eukhe.agent.stored.branches import NothingToDoError, agent_at

    entry = entry_named(at)
    try:
        session = Session.open_to_read(find_session(sessions_dir, name))
        return ForkSource(session, entry, agent_at(session, entry), sessions_dir)
    except (SessionNotFoundError, NoSuchEntryError, NothingToDoError) as error:
        raise OptionError("fork", f"--fork: {error}") from error


def entry_named(text: str | None) -> int | None:
    """Read the id of a row; 0 for `start`, None for none.

    Raises:
        OptionError: it is neither.
    """
    if text is None or text == "start":
        return None if text is None else 0
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise OptionError(
            "at",
            f"--at: {text!r} is neither the id of an entry nor `start`; "
            "`eukhe sessions tree` shows the ids",
        )
    return int(text)
