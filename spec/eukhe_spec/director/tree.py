"""The state tree of a session (S1), and the document in it that holds the stack of a conversation (S5.8)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from eukhe_spec.contracts import ensure
from eukhe_spec.director.stack import Layer

__all__ = [
    "ROOT",
    "Applied",
    "Change",
    "Damage",
    "Damaged",
    "Del",
    "Directors",
    "Held",
    "Node",
    "Other",
    "Put",
    "Record",
    "Refused",
    "Rewind",
    "Tree",
    "apply",
    "decode",
    "encode",
    "replay",
    "resume",
    "rewind",
    "sound",
]

ROOT = 0


@dataclass(frozen=True)
class Directors:
    """The value of a document `eukhe.directors`: the stack."""

    stack: tuple[Layer, ...]


class Damage(Enum):
    """What is wrong with a stored stack: no stack is read from any of these."""

    NO_OBJECT = "the document is no object"
    NO_LAYERS = "the document has no layers"
    LAYERS = "its layers are no list"
    LAYER = "a layer is no object"
    NO_BUDGET = "a layer has no budget"
    BUDGET = "a budget is no whole number"
    FLAG = "a budget is a truth value"
    DEBT = "a budget is below zero"
    NO_KIND = "a layer has no kind"
    KIND = "a kind is unknown"
    KIND_TYPE = "a kind is no text"
    NO_TEXT = "a reminder has no text"
    TEXT = "the text of a reminder is no text"
    NO_TOOL = "a forced call has no tool"
    TOOL = "the tool of a forced call is no text"
    NO_TRIES = "a forced call has no tries"
    TRIES = "the tries of a forced call are no whole number"


@dataclass(frozen=True)
class Damaged:
    """The value of a document `eukhe.directors` that cannot be read."""

    damage: Damage


@dataclass(frozen=True)
class Other:
    """Any other value: a conversation, an entry, another document."""

    tag: int


@dataclass(frozen=True)
class Node:
    """A node of the tree: its id, its parent's id (0 is the root, which is no node), and its value."""

    id: int
    parent: int
    value: Directors | Damaged | Other


Tree: TypeAlias = tuple[Node, ...]


@dataclass(frozen=True)
class Put:
    """The change that sets a node."""

    node: Node


@dataclass(frozen=True)
class Del:
    """The change that removes a node with everything below it; in a rewind, just that node."""

    id: int


Change: TypeAlias = Put | Del


@dataclass(frozen=True)
class Rewind:
    """The exact changes that lead back to an earlier tree."""

    changes: tuple[Change, ...]


Record: TypeAlias = Put | Del | Rewind


class Refused(Enum):
    """Why a record was rejected."""

    PARENT = "the parent is neither the root nor a node with a smaller id"
    ROOT = "the root cannot be removed"
    UNSOUND = "the tree would not be sound"


@dataclass(frozen=True)
class Applied:
    """The tree after a record, and why it was rejected (`None`: it was not)."""

    tree: Tree
    refused: Refused | None


def _hangs(tree: Tree, node: Node) -> bool:
    return node.parent < node.id and (
        node.parent == ROOT or any(one.id == node.parent for one in tree)
    )


def sound(tree: Tree) -> bool:
    """Say whether nodes are a tree, in the order of their ids, each below the root or a node with a smaller id."""
    ordered = all(one.id < two.id for one, two in itertools.pairwise(tree))
    return ordered and all(_hangs(tree, node) for node in tree)


def _change(tree: Tree, change: Change) -> Tree:
    """Set or remove exactly one node."""
    match change:
        case Del(gone):
            return tuple(one for one in tree if one.id != gone)
        case Put(node):
            return (
                *(one for one in tree if one.id < node.id),
                node,
                *(one for one in tree if one.id > node.id),
            )


def _below(tree: Tree, top: int) -> tuple[int, ...]:
    """Give the id and those below it. Ids grow downwards, so one pass in order finds them all."""
    found: tuple[int, ...] = (top,)
    for node in tree:
        if node.parent in found:
            found = (*found, node.id)
    return found


@ensure(
    lambda tree, result: result.refused is None or result.tree == tree,
    "a rejected record leaves the tree as it was (S1)",
)
def apply(tree: Tree, record: Record) -> Applied:
    """Apply one record of the journal (S1). Nothing is applied to nodes that are no sound tree."""
    if not sound(tree):
        return Applied(tree, Refused.UNSOUND)
    match record:
        case Put(node):
            if not _hangs(tree, node):
                return Applied(tree, Refused.PARENT)
            return Applied(_change(tree, record), None)
        case Del(top):
            if top == ROOT:
                return Applied(tree, Refused.ROOT)
            gone = _below(tree, top)
            return Applied(tuple(one for one in tree if one.id not in gone), None)
        case Rewind(changes):
            after = tree
            for change in changes:
                after = _change(after, change)
            if Del(ROOT) in changes or not sound(after):
                return Applied(tree, Refused.UNSOUND)
            return Applied(after, None)


def replay(journal: tuple[Record, ...]) -> Tree:
    """Make the tree of a journal, which keeps all records in order (S1)."""
    tree: Tree = ()
    for record in journal:
        tree = apply(tree, record).tree
    return tree


def rewind(live: Tree, snapshot: Tree) -> Rewind:
    """Plan the way back to a snapshot: stop the nodes that disappear, start or restore those that differ (S1)."""
    if not all((sound(live), sound(snapshot))):
        return Rewind(())
    stopped = tuple(Del(one.id) for one in live if all(one.id != two.id for two in snapshot))
    return Rewind(stopped + tuple(Put(one) for one in snapshot if one not in live))


def _documents(tree: Tree, conversation: int) -> tuple[Node, ...]:
    return tuple(
        one
        for one in tree
        if one.parent == conversation and isinstance(one.value, Directors | Damaged)
    )


def encode(tree: Tree, conversation: int, stack: tuple[Layer, ...]) -> Tree:
    """Write the stack as the document of its conversation (S5.8); the first one there is replaced."""
    fresh = max((one.id for one in tree), default=ROOT) + 1
    ids = (*(one.id for one in _documents(tree, conversation)), fresh)
    return apply(tree, Put(Node(ids[0], conversation, Directors(stack)))).tree


#: What a read finds: a stack, what is wrong with the stored one, or `None` when the nodes are no sound tree.
Held: TypeAlias = tuple[Layer, ...] | Damage | None


def decode(tree: Tree, conversation: int) -> Held:
    """Read the stack of a conversation (S5.8): empty without a document, else what it holds or what is wrong."""
    if not sound(tree):
        return None
    for document in _documents(tree, conversation):
        match document.value:
            case Directors(stack):
                return stack
            case Damaged(damage):
                return damage
    return ()


def resume(journal: tuple[Record, ...], conversation: int) -> Held:
    """Read the stack of a conversation from the journal of its session (S5.8)."""
    return decode(replay(journal), conversation)
