"""Search the text of stored sessions."""

from __future__ import annotations

import json
import mmap
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eukhe.agent.rows.shown import text_of_row
from eukhe.session import journal
from eukhe.session.errors import SessionError
from eukhe.session.history import is_copy
from eukhe.session.store import Session

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from eukhe.session.tree import Json

_AROUND = 40
"""Characters that are shown on each side of what was found."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A row that holds the text.

    Attributes:
        session: id of the session.
        conversation: the conversation of the row.
        entry: the row.
        kind: what the row is.
        text: the first place in it, with what stands around it.
    """

    session: str
    conversation: int
    entry: int
    kind: str
    text: str

    def to_json(self) -> dict[str, Json]:
        """The form of `eukhe sessions search --json`."""
        return {
            "session": self.session,
            "conversation": self.conversation,
            "entry": self.entry,
            "kind": self.kind,
            "text": self.text,
        }


def search(directory: Path, text: str) -> Iterator[Hit]:
    """Find the rows of a session that hold a text, in upper or lower case.

    Args:
        directory: the session. A damaged one has no hits.
        text: what to look for, as it stands.
    """
    flags = re.IGNORECASE | (re.ASCII if text.isascii() else 0)
    if not _can_hold(directory / journal.FILE, text):
        return
    pattern = re.compile(re.escape(text), flags)
    try:
        session = Session.open_to_read(directory)
    except SessionError:
        return
    for conversation in session.conversations():
        for node_id, row in session.entries(conversation):
            if is_copy(session.tree.node(node_id)):
                continue  # found where it was said
            said = text_of_row(row)
            found = pattern.search(said)
            if found is not None:
                start, end = max(0, found.start() - _AROUND), found.end() + _AROUND
                around = ("…" if start else "") + said[start:end] + ("…" if end < len(said) else "")
                yield Hit(session.id, conversation, node_id, row.kind, " ".join(around.split()))


def _can_hold(path: Path, text: str) -> bool:
    """Whether the bytes of a journal can hold the text; no journal that cannot is replayed.

    Other letters than ASCII have several forms in a journal.
    """
    if not text.isascii():
        return True
    form = re.escape(json.dumps(text)[1:-1].encode())
    try:
        with (
            path.open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as bytes_,
        ):
            return re.search(form, bytes_, re.IGNORECASE) is not None
    except (OSError, ValueError):  # an empty file cannot be mapped
        return False
