"""What a model gets of a conversation: the newest summary, the rows that it kept, and what came after (S6.6).

A row of kind `eukhe.compaction` stands where its summary was placed. It names the first row that it keeps; no
row is ever deleted. So the messages follow from the rows alone, and a rewind or a fork to before that row has all
of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eukhe.agent.rows import transcript
from eukhe.session.history import COPY_OF
from eukhe.wire.messages import UserMessage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eukhe.session.nodes import Entry
    from eukhe.session.store import Session
    from eukhe.session.tree import Json
    from eukhe.wire.messages import Message

__all__ = [
    "COMPACTION",
    "COMPACTION_END",
    "Context",
    "Row",
    "Standing",
    "context_of",
    "summary_message",
]

COMPACTION: Final = "eukhe.compaction"
"""The kind of the row of a summary."""

COMPACTION_END: Final = "eukhe.compaction_end"
"""The kind of the row of a compaction that ended without a summary; no model sees it."""

_INTRODUCED: Final = (
    "The older part of this conversation was compacted. This summary stands in its place; what follows below "
    "it is the conversation word for word. Go on from there, and do not repeat what is done."
)


@dataclass(frozen=True, slots=True)
class Row:
    """A message of the conversation.

    Attributes:
        id: the id of its row; of a copy that a fork made, the id of the row that it is a copy of. These grow
            through a conversation, and a fork keeps them.
        message: the message.
    """

    id: int
    message: Message


@dataclass(frozen=True, slots=True)
class Standing:
    """The summary that stands for the older part of a conversation.

    Attributes:
        id: the id of its row, as in `Row`.
        text: the summary.
    """

    id: int
    text: str


class Context:
    """The messages of a conversation since its last kept boundary.

    Args:
        rows: the rows that are sent to the model word for word, oldest first.
        standing: the summary before them; None where nothing was compacted.
    """

    def __init__(self, rows: Iterable[Row] = (), standing: Standing | None = None) -> None:
        self._rows = list(rows)
        self.standing = standing

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows that are sent word for word, oldest first."""
        return tuple(self._rows)

    @property
    def messages(self) -> tuple[Message, ...]:
        """What the model gets, without the system prompt."""
        rows = tuple(row.message for row in self._rows)
        return rows if self.standing is None else (summary_message(self.standing.text), *rows)

    @property
    def counted(self) -> int:
        """The number of the first message whose usage tells of these messages and of no older ones."""
        if self.standing is None:
            return 0
        return 1 + sum(row.id <= self.standing.id for row in self._rows)

    def add(self, row_id: int, message: Message) -> None:
        """Add a new row, if a model gets it."""
        if transcript.is_sent(message):
            self._rows.append(Row(row_id, message))

    def first_after(self, row_id: int) -> int | None:
        """The id of the first row after one; None where there is none."""
        return next((row.id for row in self._rows if row.id > row_id), None)

    def compacted(self, standing: Standing, first_kept: int | None) -> Context:
        """The context with a summary in the place of every row before the first that is kept; None keeps none."""
        kept = (row for row in self._rows if first_kept is not None and row.id >= first_kept)
        return Context(kept, standing)


def summary_message(text: str) -> UserMessage:
    """A summary as the model gets it."""
    return UserMessage.of(f"{_INTRODUCED}\n\n<summary>\n{text}\n</summary>")


def context_of(session: Session, conversation: int | None) -> Context:
    """Read the context of a conversation from its rows.

    Args:
        session: the session.
        conversation: the conversation; None for one that is not there yet.
    """
    entries = () if conversation is None else session.entries(conversation)
    found = next(
        (at for at in range(len(entries) - 1, -1, -1) if entries[at][1].kind == COMPACTION), None
    )
    if found is None:
        return Context(_rows(session, entries))
    node_id, entry = entries[found]
    first, text = entry.body.get("firstKept"), entry.body.get("summary")
    standing = Standing(_first_id(session, node_id), text if isinstance(text, str) else "")
    before = (
        one
        for one in entries[:found]
        if isinstance(first, int) and _first_id(session, one[0]) >= first
    )
    return Context(_rows(session, (*before, *entries[found + 1 :])), standing)


def _rows(session: Session, entries: Iterable[tuple[int, Entry]]) -> Iterable[Row]:
    for node_id, entry in entries:
        message = transcript.from_entry(entry)
        if message is not None and transcript.is_sent(message):
            yield Row(_first_id(session, node_id), message)


def _first_id(session: Session, node_id: int) -> int:
    """The id of a row, or of the row that it is a copy of."""
    node = session.tree.node(node_id)
    value: Json = None if node is None else node.value
    first = value.get(COPY_OF) if isinstance(value, Mapping) else None
    return first if isinstance(first, int) else node_id
