"""Where the documents and conversations of a tree are, so that a commit costs the same in a long session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eukhe.session import nodes
from eukhe.session.errors import UnsoundRecordError
from eukhe.session.nodes import Conversation, Document
from eukhe.session.tree import ROOT, Del, Put, Rewind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eukhe.session.tree import Json, Record, Tree


class Index:
    """Kept beside a tree and told of each node that changed.

    Attributes:
        documents: ids of the documents, by parent and name; of several of one name the greatest.
        conversations: ids of the conversations.
    """

    def __init__(self) -> None:
        self.documents: dict[tuple[int, str], int] = {}
        self.conversations: set[int] = set()
        self._keys: dict[int, tuple[int, str]] = {}
        # eukhe writes no two documents of one name, but a journal can hold them.
        self._twins: dict[tuple[int, str], set[int]] = {}

    def check(self, records: Iterable[Record]) -> None:
        """Every parent is the root or a conversation, and only a rewind takes a conversation away (S1).

        Raises:
            UnsoundRecordError: a record breaks that.
        """
        made: set[int] = set()
        for position, record in enumerate(records):
            match record:
                case Put(id=node_id, parent=parent, value=value):
                    if parent != ROOT and parent not in self.conversations and parent not in made:
                        reason = f"the parent {parent} of node {node_id} is no conversation"
                        raise UnsoundRecordError(position, reason)
                    if _is_conversation(value):
                        made.add(node_id)
                    elif node_id in self.conversations:
                        raise UnsoundRecordError(position, f"node {node_id} is a conversation")
                case Del(id=node_id) if node_id in self.conversations:
                    raise UnsoundRecordError(position, f"node {node_id} is a conversation")
                case Rewind(changes=changes):
                    back = (change for change in changes if isinstance(change, Put))
                    made.update(put.id for put in back if _is_conversation(put.value))

    def note(self, tree: Tree, touched: Iterable[int]) -> None:
        """Read the nodes that a commit touched."""
        for node_id in touched:
            node = tree.node(node_id)
            if node is None:
                self._forget(node_id)
            else:
                self.put(node_id, node.parent, node.value)

    def put(self, node_id: int, parent: int, value: Json) -> None:
        """Read a node that was set."""
        if node_id in self._keys or node_id in self.conversations:
            if self._is_same_document(node_id, parent, value):
                return
            self._forget(node_id)
        if type(value) is dict and value.get("type") == "entry":
            return  # by far the most: not worth a reading
        match nodes.from_json(value):
            case Document(name=name):
                key = (parent, name)
                self._keys[node_id] = key
                if key in self.documents:
                    twins = self._twins.setdefault(key, {self.documents[key]})
                    twins.add(node_id)
                    node_id = max(twins)
                self.documents[key] = node_id
            case Conversation():
                self.conversations.add(node_id)

    def _is_same_document(self, node_id: int, parent: int, value: Json) -> bool:
        """Whether a document only got a new body, as most commits do to one."""
        return (
            type(value) is dict
            and value.get("type") == "document"
            and type(value.get("body")) is dict
            and self._keys.get(node_id) == (parent, value.get("name"))
        )

    def _forget(self, node_id: int) -> None:
        self.conversations.discard(node_id)
        key = self._keys.pop(node_id, None)
        if key is None:
            return
        twins = self._twins.get(key)
        if twins is None:
            del self.documents[key]
            return
        twins.discard(node_id)
        self.documents[key] = max(twins)
        if len(twins) == 1:
            del self._twins[key]


def _is_conversation(value: Json) -> bool:
    return isinstance(value, dict) and value.get("type") == "conversation"
