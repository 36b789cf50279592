"""What the laws of `director` are stated over: ingredients of stacks and of sound trees, and the rules of S1 anew.

Nothing here comes from the model: a law that shared its helpers would move with its mistakes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypeAlias

from eukhe_laws.engine.domain import Among, Sized
from eukhe_spec.director import (
    Abort,
    Again,
    Change,
    Damage,
    Damaged,
    Defer,
    Del,
    Directors,
    Layer,
    Leave,
    Node,
    Other,
    Put,
    Says,
    Stack,
    Tree,
    Verdict,
    Yield,
)

__all__ = [
    "Above",
    "Around",
    "Entry",
    "Planted",
    "Stem",
    "Steps",
    "Touch",
    "Twig",
    "Value",
    "document",
    "grow",
    "is_sound",
    "kept",
    "passes",
    "plain",
    "touched",
    "verdicts",
    "written",
]


@dataclass(frozen=True)
class Above:
    """A layer above the one that decides: it defers, or it leaves."""

    layer: Layer
    leaves: bool


#: What the layers say in a step of a loop: nothing, each verdict of the top one, and what a second one adds.
Step: TypeAlias = Annotated[
    Says,
    Among(
        (
            (),
            (Again(),),
            (Stack(Layer(0, 1)),),
            (Leave(), Again()),
            (Defer(), Stack(Layer(0, 0))),
            (Yield(),),
            (Abort(),),
        )
    ),
]
#: A few steps of a loop.
Steps: TypeAlias = Annotated[tuple[Step, ...], Sized(0, 3)]


def passes(verdict: Verdict) -> bool:
    """Say whether a verdict lets the next layer down decide."""
    return type(verdict) in (Defer, Leave)


@dataclass(frozen=True)
class Around:
    """What stands around the layer that speaks: those above it, those below, and what those below would say."""

    above: tuple[Above, ...]
    below: tuple[Layer, ...]
    rest: Says

    @property
    def by(self) -> int:
        """The place of the layer that speaks."""
        return len(self.above)

    def stack(self, me: Layer) -> tuple[Layer, ...]:
        """Give the stack with the layer in its place."""
        return (*(one.layer for one in self.above), me, *self.below)

    def says(self, verdict: Verdict) -> Says:
        """Give the verdicts, with what the layer says."""
        return (*verdicts(self.above), verdict, *self.rest)

    def after(self, *mine: Layer) -> tuple[Layer, ...]:
        """Give the stack after the layers above that left, with these in the place of the layer that speaks."""
        return (*kept(self.above), *mine, *self.below)


def verdicts(above: tuple[Above, ...]) -> Says:
    """Give what layers say that all defer or leave."""
    return tuple([Leave() if one.leaves else Defer() for one in above])


def kept(above: tuple[Above, ...]) -> tuple[Layer, ...]:
    """Give those of them that stay."""
    return tuple([one.layer for one in above if not one.leaves])


#: Node values enough to tell documents, damaged ones and other nodes apart.
Value: TypeAlias = Annotated[
    Directors | Damaged | Other,
    Among(
        (
            Other(0),
            Directors(()),
            Directors((Layer(0, 1), Layer(2, 0))),
            Damaged(Damage.FLAG),
            Other(1),
        )
    ),
]


@dataclass(frozen=True)
class Twig:
    """What one node of a sound tree is made of: the ids left out before it, which parent, and its value."""

    gap: int
    parent: int
    value: Value


@dataclass(frozen=True)
class Stem:
    """A twig whose value makes no difference."""

    gap: int
    parent: int

    @property
    def value(self) -> Other:
        """The value that stands for any."""
        return Other(0)


def grow(twigs: tuple[Twig | Stem, ...]) -> Tree:
    """Make a sound tree: each node hangs under the root or one that is there."""
    tree: Tree = ()
    last = 0
    for twig in twigs:
        last += 1 + twig.gap
        tree = (*tree, Node(last, _place(tree, twig.parent), twig.value))
    return tree


def _place(tree: Tree, at: int) -> int:
    return (0, *(one.id for one in tree))[at % (len(tree) + 1)]


@dataclass(frozen=True)
class Planted:
    """A sound tree and a place in it, the root or a node, for a conversation."""

    twigs: tuple[Twig, ...]
    at: int

    @property
    def tree(self) -> Tree:
        """The tree."""
        return grow(self.twigs)

    @property
    def conversation(self) -> int:
        """The id of the place."""
        return _place(self.tree, self.at)

    @property
    def document(self) -> Node | None:
        """The first document in that place that holds a stack, readable or not."""
        return document(self.tree, self.conversation)


def plain(pairs: tuple[tuple[int, int], ...]) -> Tree:
    """Make nodes of ids and parents, sound or not."""
    return tuple([Node(one, parent, Other(0)) for one, parent in pairs])


def is_sound(tree: Tree) -> bool:
    """Say whether nodes are a sound tree: each comes after its parent, in the order of the ids, and none twice."""
    seen = [0]
    for node in tree:
        if node.parent not in seen or node.id <= seen[-1]:
            return False
        seen.append(node.id)
    return True


def document(tree: Tree, conversation: int) -> Node | None:
    """Give the first document of the conversation that holds a stack, readable or not."""
    for node in tree:
        if node.parent == conversation and type(node.value) is not Other:
            return node
    return None


@dataclass(frozen=True)
class Touch:
    """One exact change: the node with this id gets this parent, or goes (`None`)."""

    id: int
    parent: int | None


@dataclass(frozen=True)
class Entry:
    """A record of a journal: the node with this id is put below this parent with this value, or goes (`None`)."""

    id: int
    parent: int | None
    value: Value


def written(entries: tuple[Entry, ...]) -> tuple[Change, ...]:
    """Give entries as records."""
    return tuple(
        [
            Del(one.id) if one.parent is None else Put(Node(one.id, one.parent, one.value))
            for one in entries
        ]
    )


def touched(tree: Tree, touches: tuple[Touch, ...]) -> tuple[tuple[Change, ...], Tree]:
    """Give touches as changes, and the nodes after them."""
    changes: list[Change] = []
    nodes = {one.id: one for one in tree}
    for touch in touches:
        if touch.parent is None:
            changes.append(Del(touch.id))
            nodes.pop(touch.id, None)
        else:
            node = Node(touch.id, touch.parent, Other(1))
            changes.append(Put(node))
            nodes[touch.id] = node
    return tuple(changes), tuple([nodes[key] for key in sorted(nodes)])
