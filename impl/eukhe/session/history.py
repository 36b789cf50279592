"""Earlier trees of a session: a prefix of the journal is a snapshot (S1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eukhe.session import nodes
from eukhe.session.errors import NoSuchEntryError
from eukhe.session.nodes import Document, Entry
from eukhe.session.store import no_cyclic_garbage
from eukhe.session.tree import Put, Tree

if TYPE_CHECKING:
    from collections.abc import Callable

    from eukhe.session.journal import Commit
    from eukhe.session.store import Session
    from eukhe.session.tree import Json, Node

COPY_OF = "of"
"""Key of a row that a fork copied: the id of the row that it is a copy of."""


@dataclass(frozen=True, slots=True)
class Point:
    """A conversation as it was when one of its rows was the newest.

    Attributes:
        conversation: the conversation.
        entry: the row; 0 for the start, before the first row.
        cursor: how many commits of the journal there were, with the one that put the row.
        rows: its rows up to that one, oldest first.
        documents: its documents as of that row, by name.
    """

    conversation: int
    entry: int
    cursor: int
    rows: tuple[Node, ...]
    documents: Mapping[str, Node]


def snapshot(session: Session, cursor: int) -> Tree:
    """The tree as it was after some commits (S1).

    Args:
        session: the session.
        cursor: how many commits, from the first.
    """
    return _replay_until(session, lambda commit: commit.seq >= cursor)[0] if cursor else Tree()


def point_at(session: Session, entry: int) -> Point:
    """The conversation of a row as it was when the row was stored, also when it was taken back since.

    The documents of a row that a fork copied are those of the row that it is a copy of.

    Raises:
        NoSuchEntryError: the session never had such a row.
    """
    tree, cursor = _replay_until(session, lambda commit: _puts(commit, entry))
    node = tree.node(entry)
    if node is None or not isinstance(nodes.from_json(node.value), Entry):
        raise NoSuchEntryError(session.id, entry)
    rows = tuple(n for n in rows_of(tree, node.parent) if n.id <= entry)
    first = node.value.get(COPY_OF) if isinstance(node.value, Mapping) else None
    if not isinstance(first, int):
        return Point(node.parent, entry, cursor, rows, documents_of(tree, node.parent))
    then, _ = _replay_until(session, lambda commit: _puts(commit, first))
    source = then.node(first)
    documents = {} if source is None else documents_of(then, source.parent)
    return Point(node.parent, entry, cursor, rows, documents)


def point_now(session: Session, conversation: int) -> Point:
    """A conversation as it is."""
    rows = tuple(rows_of(session.tree, conversation))
    entry = rows[-1].id if rows else 0
    documents = documents_of(session.tree, conversation)
    return Point(conversation, entry, session.cursor, rows, documents)


def point_of_start(session: Session, conversation: int, *keep: str) -> Point:
    """A conversation before its first row; of its documents only those named stay, as they are."""
    documents = documents_of(session.tree, conversation)
    kept = {name: node for name, node in documents.items() if name in keep}
    return Point(conversation, 0, session.cursor, (), kept)


def rows_of(tree: Tree, conversation: int) -> list[Node]:
    """The nodes of a conversation's rows, oldest first."""
    return [node for node in tree.children(conversation) if _type(node.value) == "entry"]


def documents_of(tree: Tree, conversation: int) -> dict[str, Node]:
    """The nodes of a conversation's documents, by name; of several of one name the one with the greatest id."""
    found: dict[str, Node] = {}
    for node in all_documents_of(tree, conversation):
        value = nodes.from_json(node.value)
        if isinstance(value, Document):
            found[value.name] = node
    return found


def all_documents_of(tree: Tree, conversation: int) -> list[Node]:
    """The nodes of a conversation's documents, the smallest id first."""
    return [
        node
        for node in tree.children(conversation)
        if _type(node.value) == "document" and isinstance(nodes.from_json(node.value), Document)
    ]


def is_copy(node: Node | None) -> bool:
    """Whether a row is the copy that a fork made of one."""
    return node is not None and isinstance(node.value, Mapping) and COPY_OF in node.value


def _type(value: Json) -> Json:
    return value.get("type") if isinstance(value, Mapping) else None


def _puts(commit: Commit, node_id: int) -> bool:
    return any(isinstance(one, Put) and one.id == node_id for one in commit.records)


def _replay_until(session: Session, found: Callable[[Commit], bool]) -> tuple[Tree, int]:
    """The tree after the first such commit and its number; the live tree where there is none."""
    tree, cursor = Tree(), 0
    with no_cyclic_garbage():
        for commit in session.commits():
            for record in commit.records:
                tree.load(record)
            cursor = commit.seq
            if found(commit):
                break
    return tree, cursor
