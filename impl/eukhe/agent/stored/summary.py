"""What is stored: sessions in a few words each, and the newest one of a directory."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eukhe.agent.rows.record import AGENT, AgentDocument
from eukhe.agent.stored.digest import title_of
from eukhe.agent.stored.side_cache import digest_of
from eukhe.session import journal, nodes
from eukhe.session.directories import session_directories
from eukhe.session.errors import SessionError, SessionUnreadableError
from eukhe.session.tree import Put

if TYPE_CHECKING:
    from pathlib import Path

    from eukhe.session.store import Session
    from eukhe.session.tree import Json

__all__ = ["Summary", "newest_session", "remember", "summarize", "title_of"]


@dataclass(frozen=True, slots=True)
class Summary:
    """A stored session.

    Attributes:
        id: the session.
        path: its directory.
        title: its name, else the start of the first user message.
        model: the model id it was last used with.
        cwd: the working directory of its tools.
        modified: time of the newest commit, milliseconds since 1970.
        prompts: how many user messages it has.
        damage: why it cannot be read; the other fields are empty then.
        name: what it is called, empty for nothing.
        named_by: who called it so: `user`, or `model` for a title; empty for nothing.
        origin: the session that it was forked or repaired from, empty for none.
        tokens: all tokens that it spent.
        cost: what it spent in US dollars, None when no price was stored.
    """

    id: str
    path: str
    title: str = ""
    model: str = ""
    cwd: str = ""
    modified: int = 0
    prompts: int = 0
    damage: str | None = None
    name: str = ""
    named_by: str = ""
    origin: str = ""
    tokens: int = 0
    cost: float | None = None

    def to_json(self) -> dict[str, Json]:
        """The form of `eukhe sessions list --json`."""
        return {
            "id": self.id,
            "path": self.path,
            "title": self.title,
            "model": self.model,
            "cwd": self.cwd,
            "modified": self.modified,
            "prompts": self.prompts,
            "damage": self.damage,
            "name": self.name,
            "namedBy": self.named_by or None,
            "origin": self.origin,
            "tokens": self.tokens,
            "cost": self.cost,
        }


def summarize(directory: Path) -> Summary:
    """Say what a stored session is; a damaged one is told as such. Only what is new in it is read."""
    path = directory / journal.FILE
    try:
        digest = digest_of(directory)
    except FileNotFoundError:
        return Summary(directory.name, str(directory))  # made, and without a commit
    except OSError as error:
        damage = str(SessionUnreadableError(path, error))
        return Summary(directory.name, str(directory), damage=damage)
    except SessionError as error:
        return Summary(directory.name, str(directory), damage=str(error))
    talk, spent = digest.talk, digest.spent
    return Summary(
        directory.name,
        str(directory),
        digest.name or talk.first,
        talk.model,
        talk.cwd,
        digest.at,
        talk.prompts,
        name=digest.name,
        named_by=digest.named_by,
        origin=digest.origin,
        tokens=spent.tokens,
        cost=spent.cost if spent.priced else None,
    )


_LONG = 256 * 1024
"""Bytes of a journal that takes a list a while to read."""


def remember(session: Session) -> None:
    """Sum up what a run added to a long session, so that the next list need not."""
    path = session.path
    if path is None or session.directory is None:
        return
    with contextlib.suppress(OSError, SessionError):
        if path.stat().st_size >= _LONG:
            digest_of(session.directory)


def newest_session(sessions_dir: Path, cwd: Path) -> Path | None:
    """The session with the newest commit among those that were started in this directory."""
    for directory in session_directories(sessions_dir):
        if _started_in(directory) == str(cwd):
            return directory
    return None


def _started_in(directory: Path) -> str | None:
    """The working directory in the first commit; only this line of the journal is read."""
    try:
        for commit in journal.read_commits(directory / journal.FILE, journal.Tail()):
            for record in commit.records:
                value = nodes.from_json(record.value) if isinstance(record, Put) else None
                if isinstance(value, nodes.Document) and value.name == AGENT:
                    return AgentDocument.from_json(value.body).cwd
            return None
    except (SessionError, OSError):
        # A damaged session is not the one to go on with unless it is asked for by its id.
        return None
    return None
