"""The document `eukhe.directors`: the stored form of a stack, and its place in the state tree (S5.8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eukhe.core.director.stack import Autonomous, ForcedCall, Goal, Layer, Reminder
from eukhe.core.director.tree import Node, Put, Tree

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "DOCUMENT",
    "BadStack",
    "decode",
    "encode",
    "read",
    "write",
]


#: The name of the document that holds the stack of a conversation.
DOCUMENT = "eukhe.directors"


@dataclass(frozen=True, slots=True)
class BadStack:
    """A stored stack that cannot be read: the layer from the top (`None`: the document), the key, and why."""

    layer: int | None
    key: str
    why: str


def _written(layer: Layer) -> dict[str, object]:
    match layer.kind:
        case Goal():
            return {"kind": "goal", "budget": layer.budget}
        case Autonomous():
            return {"kind": "autonomous", "budget": layer.budget}
        case Reminder(text):
            return {"kind": "reminder", "budget": layer.budget, "text": text}
        case ForcedCall(tool, tries):
            return {"kind": "force", "budget": layer.budget, "tool": tool, "tries": tries}


def write(stack: Iterable[Layer]) -> dict[str, object]:
    """Give the stored form of a stack, plain JSON values."""
    return {"layers": [_written(layer) for layer in stack]}


def _count(value: int) -> bool:
    return value >= 0 and not isinstance(value, bool)


def _read_layer(at: int, value: object) -> Layer | BadStack:
    match value:
        case {"budget": int(budget)} if _count(budget):
            pass
        case _:
            return BadStack(at, "budget", "is no whole number from 0 up")
    match value:
        case {"kind": "goal"}:
            return Layer(Goal(), budget)
        case {"kind": "autonomous"}:
            return Layer(Autonomous(), budget)
        case {"kind": "reminder", "text": str(text)}:
            return Layer(Reminder(text), budget)
        case {"kind": "force", "tool": str(tool), "tries": int(tries)} if _count(tries):
            return Layer(ForcedCall(tool, tries), budget)
        case _:
            return BadStack(at, "kind", "is unknown, or lacks its text, or its tool and tries")


def read(value: object) -> tuple[Layer, ...] | BadStack:
    """Read a stored stack; keys that are not known are passed over.

    Args:
        value: The value of the document, as JSON gives it.
    """
    match value:
        case {"layers": [*layers]}:
            found: list[Layer] = []
            for at, one in enumerate(layers):
                layer = _read_layer(at, one)
                if isinstance(layer, BadStack):
                    return layer
                found.append(layer)
            return tuple(found)
        case _:
            return BadStack(None, "layers", "is no list of layers")


def encode(tree: Tree, conversation: int, stack: Iterable[Layer]) -> Put:
    """Give the record that writes a stack as the document of its conversation; one that is there is replaced.

    Args:
        tree: The live tree; the record is for it, `tree.apply(record)` says whether the conversation is there.
        conversation: The id of the conversation's node.
        stack: The layers, the top first.
    """
    document = tree.named(conversation, DOCUMENT)
    key = tree.fresh if document is None else document.id
    return Put(Node(key, conversation, DOCUMENT, write(stack)))


def decode(tree: Tree, conversation: int) -> tuple[Layer, ...] | BadStack:
    """Read the stack of a conversation; it is empty when the conversation has no document."""
    document = tree.named(conversation, DOCUMENT)
    return () if document is None else read(document.value)
