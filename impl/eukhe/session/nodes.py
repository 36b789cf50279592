"""The values of the nodes of a session: conversations, entries, documents (S1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from eukhe.session.tree import Json


@dataclass(frozen=True, slots=True)
class Fork:
    """Where a conversation was forked from its parent.

    Attributes:
        entry: the parent's row that it starts after, 0 for the start.
        rows: how many of its own first rows are copies of the parent's.
    """

    entry: int
    rows: int


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation. Its entries and documents hang under it.

    Attributes:
        fork: where it was forked from the conversation above it; None when it was not.
    """

    fork: Fork | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of a conversation.

    Attributes:
        kind: what the row is: `user`, `assistant`, `tool_result`, or a custom type such as
            `eukhe.error`.
        body: the row itself; the room that writes the kind knows its shape.
    """

    kind: str
    body: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Document:
    """Named state of the session (under the root) or of a conversation (under it).

    Attributes:
        name: `eukhe.session`, `eukhe.agent`, `eukhe.run`, ...
        body: the state; a later put with the same id replaces it.
    """

    name: str
    body: Mapping[str, Json]


Value: TypeAlias = Conversation | Entry | Document


def to_json(value: Value) -> dict[str, Json]:
    """The form in the journal."""
    match value:
        case Conversation(fork=fork):
            if fork is None:
                return {"type": "conversation"}
            return {"type": "conversation", "fork": {"entry": fork.entry, "rows": fork.rows}}
        case Entry(kind=kind, body=body):
            return {"type": "entry", "kind": kind, "body": body}
        case Document(name=name, body=body):
            return {"type": "document", "name": name, "body": body}


def from_json(value: Json) -> Value | None:
    """Read a node's value; None when it is none of ours (a newer eukhe may have more)."""
    if not isinstance(value, Mapping):
        return None
    body = value.get("body")
    match value.get("type"):
        case "conversation":
            return Conversation(_fork(value.get("fork")))
        case "entry":
            kind = value.get("kind")
            if isinstance(kind, str) and isinstance(body, Mapping):
                return Entry(kind, body)
        case "document":
            name = value.get("name")
            if isinstance(name, str) and isinstance(body, Mapping):
                return Document(name, body)
    return None


def _fork(value: Json) -> Fork | None:
    if not isinstance(value, Mapping):
        return None
    entry, rows = value.get("entry"), value.get("rows")
    return Fork(entry, rows) if isinstance(entry, int) and isinstance(rows, int) else None
