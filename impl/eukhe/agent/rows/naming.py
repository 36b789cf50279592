"""The name of a session: what the user calls it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eukhe.session.errors import SessionError

if TYPE_CHECKING:
    from eukhe.session.store import Draft, Session

TITLE = "eukhe.title"
"""Session document: `text`, and `by`: `user` for a name that nothing may replace, `model` for a title."""

TITLED = "eukhe.title"
"""Kind of the row of a request for a title; no model sees it."""

NAME_CHARACTERS = 200


class BadNameError(SessionError):
    """A name that cannot be shown on one line."""


def clean_name(text: str) -> str:
    """A name as it is stored: one line, no control character.

    Raises:
        BadNameError: nothing is left of it, or it is too long.
    """
    name = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if not name:
        raise BadNameError("the name of a session cannot be empty")
    if len(name) > NAME_CHARACTERS:
        raise BadNameError(f"the name of a session has at most {NAME_CHARACTERS} characters")
    return name


def draft_name(draft: Draft, name: str) -> None:
    """Put a user's name into a commit."""
    draft.document(TITLE, {"text": name, "by": "user"})


def draft_title(draft: Draft, session: Session, title: str) -> bool:
    """Put a model's title into a commit, unless the session has a name by now; whether it was put there."""
    if not title or session.document(TITLE) is not None:
        return False
    draft.document(TITLE, {"text": title, "by": "model"})
    return True


def is_title(session: Session) -> bool:
    """Whether the name of a session is a title, which a model gave it."""
    body = session.document(TITLE)
    return body is not None and body.get("by") == "model"


def name_of(session: Session) -> str:
    """The name of a session; empty when it has none."""
    body = session.document(TITLE)
    text = None if body is None else body.get("text")
    return text if isinstance(text, str) else ""
