"""What is stored: sessions in a few words each, and the newest one of a directory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eukhe.agent import transcript
from eukhe.agent.record import AGENT, AgentDocument, agent_document, main_conversation
from eukhe.session import journal, nodes
from eukhe.session.directories import session_directories
from eukhe.session.errors import SessionError
from eukhe.session.store import Session
from eukhe.session.tree import Put
from eukhe.wire.messages import UserMessage

if TYPE_CHECKING:
    from pathlib import Path

    from eukhe.session.tree import Json

_TITLE_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Summary:
    """A stored session.

    Attributes:
        id: the session.
        path: its directory.
        title: the start of the first user message.
        model: the model id it was last used with.
        cwd: the working directory of its tools.
        modified: time of the newest commit, milliseconds since 1970.
        prompts: how many user messages it has.
        damage: why it cannot be read; the other fields are empty then.
    """

    id: str
    path: str
    title: str = ""
    model: str = ""
    cwd: str = ""
    modified: int = 0
    prompts: int = 0
    damage: str | None = None

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
        }


def summarize(directory: Path) -> Summary:
    """Read a session and say what it is; a damaged one is told as such."""
    try:
        session = Session.open_to_read(directory)
    except SessionError as error:
        return Summary(directory.name, str(directory), damage=str(error))
    main = main_conversation(session)
    rows = () if main is None else session.entries(main)
    said = [m for _, row in rows if isinstance(m := transcript.from_entry(row), UserMessage)]
    agent = agent_document(session)
    return Summary(
        session.id,
        str(directory),
        title_of(said[0].text) if said else "",
        agent.model if agent else "",
        agent.cwd if agent else "",
        session.modified,
        len(said),
    )


def title_of(text: str) -> str:
    """The start of a text on one line."""
    line = " ".join(text.split())
    return line if len(line) <= _TITLE_CHARACTERS else line[: _TITLE_CHARACTERS - 1] + "\u2026"


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
