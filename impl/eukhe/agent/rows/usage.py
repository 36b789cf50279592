"""What a whole session used, and the event that tells it at the end of a run."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from eukhe.agent.events import AgentEvent
from eukhe.agent.rows.spent import Spent
from eukhe.agent.stored.side_cache import digest_of
from eukhe.session.errors import SessionError
from eukhe.session.tree import Put

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.session.store import Session
    from eukhe.session.tree import Json

__all__ = ["UsageTotal", "session_spent"]


@dataclass(frozen=True, slots=True)
class UsageTotal(AgentEvent):
    """What the requests used, told before the end of a run; titles and summaries count.

    Attributes:
        run: the requests of the run, in the form of `Spent.to_json`.
        session: those of the session since it was made, also of rows that were taken back.
    """

    type: ClassVar[str] = "usage"
    run: Mapping[str, Json]
    session: Mapping[str, Json]

    @classmethod
    def of(cls, session: Session, run: Spent, *, stored: bool) -> UsageTotal:
        """The event for a run that used `run`, whose commits are all on the disk or not."""
        return cls(run.to_json(), session_spent(session, stored=stored).to_json())


def session_spent(session: Session, *, stored: bool = True) -> Spent:
    """What a session used since it was made.

    Args:
        session: the session.
        stored: whether its journal has everything. Of what is in memory, the live rows tell.
    """
    if stored and session.directory is not None:
        with contextlib.suppress(OSError, SessionError):  # a journal that was just taken away
            return digest_of(session.directory).spent
    found = Spent()
    found.add_records(Put(node.id, node.parent, node.value) for node in session.tree.nodes())
    return found
