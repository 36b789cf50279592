"""Fork and rewind inside one session: both are one commit, and both restore every conversation document (S1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from eukhe.session import nodes
from eukhe.session.history import COPY_OF, all_documents_of, documents_of, rows_of
from eukhe.session.nodes import Conversation, Fork
from eukhe.session.tree import Node, RewindPlan, same_node

if TYPE_CHECKING:
    from eukhe.session.history import Point
    from eukhe.session.store import Draft, Session
    from eukhe.session.tree import Json


def plan_rewind_of(session: Session, point: Point) -> RewindPlan:
    """What leads a conversation back to a point: its rows and its documents, and nothing else.

    Conversations below it stay, because no commit takes a conversation away (S1); a fork has rows of its own.

    Args:
        session: the session.
        point: a point of one of its conversations, also one that was taken back.
    """
    conversation, tree = point.conversation, session.tree
    live = {node.id: node for node in rows_of(tree, conversation)}
    documents = documents_of(tree, conversation)
    live |= {node.id: node for node in all_documents_of(tree, conversation)}
    then = {node.id: node for node in point.rows}
    free = tree.next_id
    for name, node in point.documents.items():
        node_id = node.id
        if name in documents:
            node_id = documents[name].id
        elif node.parent != conversation:  # the document of the row that this one is a copy of
            node_id, free = free, free + 1
        then[node_id] = Node(node_id, conversation, node.value)
    return RewindPlan(
        stop=tuple(live[i] for i in sorted(live.keys() - then.keys())),
        start=tuple(then[i] for i in sorted(then.keys() - live.keys())),
        restore=tuple(
            then[i] for i in sorted(then.keys() & live.keys()) if not same_node(then[i], live[i])
        ),
    )


def draft_fork(draft: Draft, point: Point) -> int:
    """Put a fork of a conversation into a commit: its rows as copies, its documents as of the point.

    Copies, because the rows of the conversation above can be taken back and those of the fork must stay.

    Returns:
        The id of the new conversation.
    """
    fork = draft.put(
        point.conversation, nodes.to_json(Conversation(Fork(point.entry, len(point.rows))))
    )
    for node in point.documents.values():
        draft.put(fork, node.value)
    for node in point.rows:
        draft.put(fork, _copy(node))
    return fork


def _copy(node: Node) -> Json:
    # A copy of a copy names the first row: its documents are those of that row.
    return {COPY_OF: node.id, **node.value} if isinstance(node.value, Mapping) else node.value
