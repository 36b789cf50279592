"""Runs that a killed process left open: whether a session has one, and how far it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eukhe.agent.rows.record import OPEN, RUN, main_conversation
from eukhe.session.errors import SessionError

if TYPE_CHECKING:
    from eukhe.session.store import Session

__all__ = ["NothingOpenError", "open_rounds"]


class NothingOpenError(SessionError):
    """No run of the session is open, so there is nothing to go on with.

    Attributes:
        session: the session.
    """

    def __init__(self, session: str) -> None:
        super().__init__(
            f"session {session} has nothing to go on with: its last run is over; give it a prompt with -p"
        )
        self.session = session


def open_rounds(session: Session) -> int | None:
    """The tool rounds of the main conversation's run; None when it is over, or when there was none."""
    main = main_conversation(session)
    body = None if main is None else session.document(RUN, main)
    if body is None or body.get("phase") not in OPEN:
        return None
    rounds = body.get("round")
    return rounds if isinstance(rounds, int) else 0
