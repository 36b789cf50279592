"""The session commands on the session itself: `/fork`, `/rewind`, `/tree`, `/name`, `/session`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eukhe.session.errors import SessionError

if TYPE_CHECKING:
    from eukhe.session.store import Session

SESSION_LINES: Final = ("fork", "rewind", "tree", "name", "session")
"""The commands, by name."""

_LINES_OF_A_TREE = 200
"""The newest lines of a tree that are shown: what a command says is stored as a row."""


class BadArgumentError(SessionError):
    """A command got an argument that it does not take."""


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a command.

    Attributes:
        said: words for the user.
        moved: whether the session goes on from another row or in another conversation.
    """

    said: str
    moved: bool = False


def run_session_line(session: Session, name: str, args: str) -> Done:
    """Run a command.

    Args:
        session: the session, open to write or in memory.
        name: one of `SESSION_LINES`.
        args: what stands behind it.

    Raises:
        SessionError: the command is refused and did nothing; the text says why.
        CommitFailedError: the journal could not be written; nothing changed.
    """
    # Only who runs one of these pays for the imports.
    from eukhe.agent.rows.naming import clean_name, draft_name, name_of
    from eukhe.agent.stored import branches

    match name, args:
        case "fork", _:
            made = branches.fork(session, _entry(name, args))
            return Done(f"goes on in conversation {made}, a fork", moved=True)
        case "rewind", _:
            done = branches.rewind(session, _entry(name, args))
            return Done(branches.in_words(session, done).replace("--at", "/rewind"), moved=True)
        case "tree", "":
            return Done(_tree(session))
        case "tree", _:
            branches.go_to(session, _number(name, args))
            return Done(f"goes on in conversation {args}", moved=True)
        case "name", "":
            return Done(name_of(session) or "the session has no name; /name NAME gives it one")
        case "name", _:
            draft = session.draft()
            draft_name(draft, clean_name(args))
            session.commit(*draft.records)
            return Done(f"the session is called {name_of(session)}")
        case "session", "":
            return Done(_about(session))
    raise BadArgumentError(f"/{name} takes no arguments")


def _entry(name: str, args: str) -> int | None:
    if not args or args == "start":
        return 0 if args else None
    return _number(name, args)


def _number(name: str, args: str) -> int:
    if not (args.isascii() and args.isdigit() and len(args) < 19):
        what = "a conversation" if name == "tree" else "an entry, nor `start`"
        raise BadArgumentError(f"/{name}: {args!r} is not the id of {what}; /tree shows the ids")
    return int(args)


def _tree(session: Session) -> str:
    from eukhe.agent.stored.outline import outline

    lines = list(outline(session))
    left_out = len(lines) - _LINES_OF_A_TREE
    if left_out > 0:
        lines = [f"({left_out} lines above)", *lines[left_out:]]
    return "\n".join(lines)


def _about(session: Session) -> str:
    from eukhe.agent.rows.naming import is_title, name_of
    from eukhe.agent.rows.record import agent_document, main_conversation

    main, agent = main_conversation(session), agent_document(session)
    rows = 0 if main is None else len(session.entries(main))
    parts = {
        "session": session.id,
        "title" if is_title(session) else "name": name_of(session),
        "directory": str(session.directory or "in memory"),
        "model": agent.model if agent else "",
        "conversation": f"{main} of {len(session.conversations())}, {rows} entries",
    }
    return "\n".join(f"{key}: {value}" for key, value in parts.items() if value)
