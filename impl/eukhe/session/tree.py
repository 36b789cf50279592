"""The tree of a session and the records that change it (S1). Pure: no file, no clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from eukhe.session.errors import UnsoundRecordError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"

ROOT = 0
"""Id of the root. It is a parent only, never a node."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the tree: its parent (the root or a node with a smaller id) and its value."""

    id: int
    parent: int
    value: Json


@dataclass(frozen=True, slots=True)
class Put(Node):
    """Set a node: add it, or replace its parent and value. It is the node that it sets."""


@dataclass(frozen=True, slots=True)
class Del:
    """Remove a node with everything below it; a node that is not there stays away."""

    id: int


Change: TypeAlias = Put | Del


@dataclass(frozen=True, slots=True)
class Rewind:
    """Go back to an earlier tree by exact changes; only the tree they lead to must be sound.

    A `Del` in it removes just that node. Of two changes of one node the later counts.
    """

    changes: tuple[Change, ...]


Record: TypeAlias = Put | Del | Rewind

Steps: TypeAlias = "list[tuple[int, Node | None]]"
"""Ids that were touched, in order, each with its node before (None: there was none)."""


@dataclass(frozen=True, slots=True)
class Undo:
    """The way back over one commit."""

    last: int
    steps: Steps


class Tree:
    """The live tree. Records change it, and a commit of records changes it whole or not at all.

    Ids grow: `next_id` is above every id that was ever put, so a deleted id does not come back
    as another node.
    """

    def __init__(self) -> None:
        self._nodes: dict[int, Node] = {}
        # A dict is an ordered set here: children are listed in the order they were put.
        self._children: dict[int, dict[int, None]] = {}
        self._last = ROOT

    def __len__(self) -> int:
        return len(self._nodes)

    def __contains__(self, node_id: int) -> bool:
        return node_id in self._nodes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tree) and self._nodes == other._nodes

    __hash__ = None  # type: ignore[assignment]  # a tree changes, so it has no hash

    @property
    def next_id(self) -> int:
        """The smallest id that no node ever had."""
        return self._last + 1

    def node(self, node_id: int) -> Node | None:
        """The node with this id, or None."""
        return self._nodes.get(node_id)

    def nodes(self) -> Iterator[Node]:
        """All nodes, smallest id first."""
        return (self._nodes[i] for i in sorted(self._nodes))

    def children(self, parent: int) -> Iterator[Node]:
        """The nodes right under a parent, smallest id first."""
        return (self._nodes[i] for i in sorted(self._children.get(parent, ())))

    def apply(self, records: Iterable[Record]) -> Undo:
        """Apply a commit.

        Returns:
            The way back, for `undo`, as long as nothing else was applied.

        Raises:
            UnsoundRecordError: a record breaks a rule of S1; the tree is as it was before the commit.
        """
        undo = Undo(self._last, [])
        for position, record in enumerate(records):
            reason = self._apply(record, undo.steps)
            if reason is not None:
                self.undo(undo)
                raise UnsoundRecordError(position, reason)
        return undo

    def load(self, record: Record) -> Sequence[tuple[int, Node | None]]:
        """Apply one record of a stored journal; there is no way back.

        Returns:
            The nodes that it touched, as in `Undo.steps`; nothing for a put.

        Raises:
            UnsoundRecordError: the record breaks a rule of S1; the tree is of no use any more.
        """
        if isinstance(record, Put):
            node_id, parent = record.id, record.parent
            if node_id > self._last and (parent in self._nodes or parent == ROOT):
                # A new node, by far the most: sound, since every id so far is smaller.
                self._nodes[node_id] = record
                self._last = node_id
                if parent in self._children:
                    self._children[parent][node_id] = None
                else:
                    self._children[parent] = {node_id: None}
                return ()
            reason = self._put_refused(record)
            if reason is None:
                self._set(node_id, record)
                return ()
        else:
            steps: Steps = []
            reason = self._apply(record, steps)
            if reason is None:
                return steps
        raise UnsoundRecordError(0, reason)

    def undo(self, undo: Undo) -> None:
        """Take the newest commit back, as if it had never been applied."""
        for node_id, before in reversed(undo.steps):
            self._set(node_id, before)
        self._last = undo.last

    def _apply(self, record: Record, undo: Steps) -> str | None:
        match record:
            case Put():
                reason = self._put_refused(record)
                if reason is None:
                    self._put(record, undo)
                return reason
            case Del(id=node_id):
                if node_id == ROOT:
                    return "the root cannot be deleted"
                self._delete(node_id, undo)
                return None
            case Rewind(changes=changes):
                return self._rewind(changes, undo)

    def _put_refused(self, put: Put) -> str | None:
        if put.parent != ROOT and put.parent not in self._nodes:
            return f"the parent {put.parent} of node {put.id} is neither the root nor a node"
        if put.id <= put.parent:
            return f"the id of node {put.id} is not above its parent {put.parent}"
        return None

    def _rewind(self, changes: tuple[Change, ...], undo: Steps) -> str | None:
        # Exact changes: each names one node, and of two changes of one node the later counts.
        after = {change.id: change for change in changes}
        for node_id, change in after.items():
            if node_id == ROOT:
                return "the root is no node"
            match change:
                case Put():
                    self._put(change, undo)
                case Del():
                    self._remove(node_id, undo)
        for node_id in after:
            reason = self._unsound(node_id)
            if reason is not None:
                return reason
        return None

    def _unsound(self, node_id: int) -> str | None:
        """What is wrong at an id after a rewind; only what it touched can be unsound."""
        node = self._nodes.get(node_id)
        if node is not None:
            return self._put_refused(Put(node_id, node.parent, None))
        if node_id in self._children:
            return f"the rewind leaves nodes under {node_id}, which is not a node"
        return None

    def _put(self, put: Put, undo: Steps) -> None:
        undo.append((put.id, self._nodes.get(put.id)))
        self._set(put.id, put)

    def _delete(self, node_id: int, undo: Steps) -> None:
        if node_id not in self._nodes:
            return
        below = [node_id]
        for parent in below:  # grows while it is read: a walk of the subtree, parents first
            below.extend(self._children.get(parent, ()))
        for gone in reversed(below):
            self._remove(gone, undo)

    def _remove(self, node_id: int, undo: Steps) -> None:
        node = self._nodes.get(node_id)
        if node is not None:
            undo.append((node_id, node))
            self._set(node_id, None)

    def _set(self, node_id: int, node: Node | None) -> None:
        before = self._nodes.get(node_id)
        if before is not None and (node is None or node.parent != before.parent):
            siblings = self._children[before.parent]
            del siblings[node_id]
            if not siblings:
                del self._children[before.parent]
        if node is None:
            self._nodes.pop(node_id, None)
            return
        self._nodes[node_id] = node
        if node_id > self._last:
            self._last = node_id
        if before is not None and node.parent == before.parent:
            return
        if node.parent not in self._children:
            self._children[node.parent] = {}
        self._children[node.parent][node_id] = None


def replay(commits: Iterable[Sequence[Record]]) -> Tree:
    """The tree after these commits: all of them give the live tree, a prefix gives a snapshot."""
    tree = Tree()
    for records in commits:
        tree.apply(records)
    return tree


def same_node(one: Node, two: Node) -> bool:
    """Whether two nodes of one id are the same. To Python `true` is 1 and 1 is 1.0; here they differ."""
    return one.parent == two.parent and _same(one.value, two.value)


def _same(one: Json, two: Json) -> bool:
    # Not by calling itself: a value can be nested as deep as a journal's line reads.
    pairs = [(one, two)]
    while pairs:
        one, two = pairs.pop()
        if one is two:
            continue
        if isinstance(one, dict) and isinstance(two, dict):
            if one.keys() != two.keys():
                return False
            pairs += [(one[key], two[key]) for key in one]
        elif isinstance(one, (list, tuple)) and isinstance(two, (list, tuple)):
            if len(one) != len(two):
                return False
            pairs += zip(one, two, strict=True)
        elif one != two or str(one) != str(two):
            return False
    return True


@dataclass(frozen=True, slots=True)
class RewindPlan:
    """What a rewind does to the nodes of the live tree, each smallest id first (S1).

    Attributes:
        stop: nodes that disappear.
        start: nodes that come back.
        restore: nodes that change back.
    """

    stop: tuple[Node, ...]
    start: tuple[Node, ...]
    restore: tuple[Node, ...]

    def record(self) -> Rewind:
        """The record that carries exactly these changes."""
        deletes: tuple[Change, ...] = tuple(Del(node.id) for node in reversed(self.stop))
        back = sorted((*self.start, *self.restore), key=lambda node: node.id)
        return Rewind(tuple(Put(n.id, n.parent, n.value) for n in back) + deletes)


def plan_rewind(live: Tree, snapshot: Tree) -> RewindPlan:
    """Compare the live tree with a snapshot (S1)."""
    both = [(node, live.node(node.id)) for node in snapshot.nodes()]
    return RewindPlan(
        stop=tuple(node for node in live.nodes() if node.id not in snapshot),
        start=tuple(then for then, now in both if now is None),
        restore=tuple(then for then, now in both if now is not None and not same_node(now, then)),
    )
