"""The state tree of a session (S1), which the stack's document lies in.

The tree keeps an index of children by name, checks only the nodes that a record touches, and changes in place:
a commit costs the same however large the session is.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from eukhe.core.canonical import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = [
    "ROOT",
    "Change",
    "Del",
    "Node",
    "Put",
    "Record",
    "Refusal",
    "Refused",
    "Rewind",
    "Tree",
    "rewind",
]


#: The id of the root, which is a parent only and no node.
ROOT = 0


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the state tree: its id, its parent's id, the name of what it is, and its JSON value."""

    id: int
    parent: int
    name: str
    value: object


@dataclass(frozen=True, slots=True)
class Put:
    """The change that sets a node."""

    node: Node


@dataclass(frozen=True, slots=True)
class Del:
    """The change that removes a node with everything below it; in a rewind, just that node."""

    id: int


Change: TypeAlias = Put | Del


@dataclass(frozen=True, slots=True)
class Rewind:
    """The exact changes that lead back to an earlier tree; of two changes of one node the later counts."""

    changes: tuple[Change, ...]


Record: TypeAlias = Put | Del | Rewind


class Refused(Enum):
    """Which rule of S1 a record breaks."""

    PARENT = "its parent is neither the root nor a node with a smaller id"
    ROOT = "the root cannot be removed"
    UNSOUND = "the tree would not be sound"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A record that was rejected: the rule that it breaks, and the node that it breaks it at."""

    rule: Refused
    id: int


class Tree:
    """The state tree of a session (S1), always sound; it changes in place."""

    __slots__ = ("_below", "_nodes")

    def __init__(self) -> None:
        self._nodes: dict[int, Node] = {}
        self._below: dict[int, dict[str, set[int]]] = {}

    @classmethod
    def of(cls, nodes: Iterable[Node]) -> Tree | Refusal:
        """Make a tree of stored nodes, in the order of their ids, or say at which node they are none."""
        tree, last = cls(), ROOT
        puts: list[Change] = []
        for node in nodes:
            if node.id <= last:
                return Refusal(Refused.UNSOUND, node.id)
            last = node.id
            puts.append(Put(node))
        return tree.apply(Rewind(tuple(puts))) or tree

    @classmethod
    def replay(cls, journal: Iterable[Record]) -> Tree:
        """Make the tree of a journal: every record in order, those that were rejected then are so again."""
        tree = cls()
        for record in journal:
            tree.apply(record)
        return tree

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes in the order of their ids."""
        return tuple(self._nodes[key] for key in sorted(self._nodes))

    @property
    def fresh(self) -> int:
        """The id after the greatest one."""
        return max(self._nodes, default=ROOT) + 1

    def get(self, key: int) -> Node | None:
        """Give a node by its id."""
        return self._nodes.get(key)

    def named(self, parent: int, name: str) -> Node | None:
        """Give the node of that name below `parent`; the one with the least id when there are several."""
        keys = self._named(parent).get(name)
        return self._nodes[min(keys)] if keys else None

    def _named(self, parent: int) -> Mapping[str, set[int]]:
        return self._below.get(parent) or {}

    def _children(self, parent: int) -> Iterator[int]:
        for keys in self._named(parent).values():
            yield from keys

    def _branch(self, top: int) -> dict[int, Node | None]:
        """Give the change that removes `top` and everything below it."""
        gone: dict[int, Node | None] = {}
        waiting = [top]
        while waiting:
            key = waiting.pop()
            gone[key] = None
            waiting.extend(self._children(key))
        return gone

    def _wrong(self, changes: Mapping[int, Node | None]) -> int | None:
        """Give the first node at which the tree would not be sound after the changes, looking only at these."""
        if ROOT in changes:
            return ROOT
        for key, node in changes.items():
            if node is None:
                if any(child not in changes for child in self._children(key)):
                    return key
            elif node.parent >= key or not self._stands(node.parent, changes):
                return key
        return None

    def _stands(self, parent: int, changes: Mapping[int, Node | None]) -> bool:
        """Say whether a node can hang below `parent` after the changes."""
        return parent == ROOT or changes.get(parent, self._nodes.get(parent)) is not None

    def _set(self, key: int, node: Node | None) -> None:
        old = self._nodes.pop(key, None)
        if old is not None:
            self._below[old.parent][old.name].remove(key)
        if node is not None:
            self._nodes[key] = node
            self._below.setdefault(node.parent, {}).setdefault(node.name, set()).add(key)

    def apply(self, record: Record) -> Refusal | None:
        """Apply one record of the journal; one that is refused changes nothing."""
        match record:
            case Put():
                rule, changes = Refused.PARENT, _overlay((record,))
            case Del(top):
                rule, changes = Refused.ROOT, self._branch(top)
            case Rewind(several):
                rule, changes = Refused.UNSOUND, _overlay(several)
        wrong = self._wrong(changes)
        if wrong is not None:
            return Refusal(rule, wrong)
        for key, node in changes.items():
            self._set(key, node)
        return None


def _overlay(changes: Iterable[Change]) -> dict[int, Node | None]:
    """Give what each changed node becomes, `None` where it is removed."""
    after: dict[int, Node | None] = {}
    for change in changes:
        match change:
            case Put(node):
                after[node.id] = node
            case Del(key):
                after[key] = None
    return after


def _same(one: Node, two: Node | None) -> bool:
    """Say whether a node is the same in both trees; the value by its canonical form, for `true` is not 1."""
    return one is two or (
        two is not None
        and (one.parent, one.name) == (two.parent, two.name)
        and canonical(one.value) == canonical(two.value)
    )


def rewind(live: Tree, snapshot: Tree) -> Rewind:
    """Plan the way back to a snapshot: stop the nodes that disappear, start or restore those that differ (S1)."""
    stopped = (Del(one.id) for one in live.nodes if snapshot.get(one.id) is None)
    restored = (Put(one) for one in snapshot.nodes if not _same(one, live.get(one.id)))
    return Rewind((*stopped, *restored))
