"""The core's Director stack under the spec's signatures."""

from __future__ import annotations

import json
from dataclasses import dataclass

from eukhe.core import director as core
from eukhe_spec import director as spec
from eukhe_spec.director import (
    Applied,
    Change,
    Damage,
    Damaged,
    Decision,
    Directors,
    End,
    Held,
    Layer,
    Loop,
    Node,
    Other,
    Record,
    Refused,
    Says,
    Tree,
    Verdict,
)

__all__ = ["CORE", "DAMAGED", "Bad"]


@dataclass(frozen=True)
class Bad:
    """A stored stack that is damaged, as JSON text, and where the core must say that it is: layer and key."""

    text: str
    layer: int | None
    key: str


#: A stored stack for each damage.
DAMAGED: dict[Damage, Bad] = {
    Damage.NO_OBJECT: Bad('[{"kind": "goal", "budget": 1}]', None, "layers"),
    Damage.NO_LAYERS: Bad("{}", None, "layers"),
    Damage.LAYERS: Bad('{"layers": "goal"}', None, "layers"),
    Damage.LAYER: Bad('{"layers": [{"kind": "goal", "budget": 1}, "goal"]}', 1, "budget"),
    Damage.NO_BUDGET: Bad('{"layers": [{"kind": "goal"}]}', 0, "budget"),
    Damage.BUDGET: Bad('{"layers": [{"kind": "goal", "budget": 1.0}]}', 0, "budget"),
    Damage.FLAG: Bad('{"layers": [{"kind": "goal", "budget": true}]}', 0, "budget"),
    Damage.DEBT: Bad('{"layers": [{"kind": "autonomous", "budget": -1}]}', 0, "budget"),
    Damage.NO_KIND: Bad('{"layers": [{"budget": 1}]}', 0, "kind"),
    Damage.KIND: Bad(
        '{"layers": [{"kind": "x", "budget": 1, "text": "x", "tool": "x", "tries": 1}]}', 0, "kind"
    ),
    Damage.KIND_TYPE: Bad('{"layers": [{"kind": 0, "budget": 1}]}', 0, "kind"),
    Damage.NO_TEXT: Bad('{"layers": [{"kind": "reminder", "budget": 0}]}', 0, "kind"),
    Damage.TEXT: Bad('{"layers": [{"kind": "reminder", "budget": 0, "text": ["x"]}]}', 0, "kind"),
    Damage.NO_TOOL: Bad('{"layers": [{"kind": "force", "budget": 1, "tries": 1}]}', 0, "kind"),
    Damage.TOOL: Bad(
        '{"layers": [{"kind": "force", "budget": 1, "tool": null, "tries": 1}]}', 0, "kind"
    ),
    Damage.NO_TRIES: Bad('{"layers": [{"kind": "force", "budget": 1, "tool": "x"}]}', 0, "kind"),
    Damage.TRIES: Bad(
        '{"layers": [{"kind": "force", "budget": 1, "tool": "x", "tries": false}]}', 0, "kind"
    ),
}
_DAMAGES = {bad.text: damage for damage, bad in DAMAGED.items()}
#: The name of the document, as S5.8 gives it.
_NAME = "eukhe.directors"


def _kind(number: int) -> core.Kind:
    """Give each number a kind of its own: the two without data, then reminders and forced calls in turn."""
    match number:
        case 0:
            return core.Goal()
        case 1:
            return core.Autonomous()
        case _ if number & 1:
            return core.ForcedCall(f"tool-{number}", number)
        case _:
            return core.Reminder(f"line\u2028{number}")


def _number(kind: core.Kind) -> int:
    match kind:
        case core.Goal():
            return 0
        case core.Autonomous():
            return 1
        case core.ForcedCall(tool, tries):
            return tries if tool == f"tool-{tries}" else -1
        case core.Reminder(text):
            return int(text.removeprefix("line\u2028"))


def _native(stack: tuple[Layer, ...]) -> tuple[core.Layer, ...]:
    """Give a stack as the core has it."""
    return tuple([core.Layer(_kind(one.kind), one.budget) for one in stack])


def _stack(stack: tuple[core.Layer, ...]) -> tuple[Layer, ...]:
    return tuple([Layer(_number(one.kind), one.budget) for one in stack])


def _verdict(verdict: Verdict) -> core.Verdict:
    match verdict:
        case spec.Stack(layer):
            return core.Stack(*_native((layer,)))
        case _:
            return _PLAIN[type(verdict)]


_PLAIN: dict[type[Verdict], core.Verdict] = {
    spec.Defer: core.Defer(),
    spec.Again: core.Again(),
    spec.Yield: core.Yield(),
    spec.Leave: core.Leave(),
    spec.Abort: core.Abort(),
}


def _native_says(says: Says) -> tuple[core.Verdict, ...]:
    """Give a step's verdicts as the core has them."""
    return tuple([_verdict(one) for one in says])


def _decision(found: core.Decision) -> Decision:
    return Decision(
        _stack(found.stack), None if found.end is None else End[found.end.name], found.by
    )


def _native_loop(loop: Loop) -> core.Loop:
    """Give a loop as the core has it."""
    end = None if loop.last.end is None else core.End[loop.last.end.name]
    return core.Loop(core.Decision(_native(loop.last.stack), end, loop.last.by), loop.left)


def _loop(found: core.Loop) -> Loop:
    return Loop(_decision(found.last), found.left)


def _native_node(node: Node) -> core.Node:
    match node.value:
        case Directors(stack):
            return core.Node(node.id, node.parent, _NAME, core.write(_native(stack)))
        case Damaged(damage):
            return core.Node(node.id, node.parent, _NAME, json.loads(DAMAGED[damage].text))
        case Other(tag):
            return core.Node(node.id, node.parent, "conversation", {"tag": tag})


def _node(found: core.Node) -> Node:
    if found.name != _NAME:
        tag = found.value["tag"] if isinstance(found.value, dict) else -1
        return Node(found.id, found.parent, Other(tag))
    held = _held(core.read(found.value), found.value)
    value = Damaged(held) if isinstance(held, Damage) else Directors(held)
    return Node(found.id, found.parent, value)


def _held(
    found: tuple[core.Layer, ...] | core.BadStack, value: object
) -> tuple[Layer, ...] | Damage:
    """Give what the core read; a damage counts only when the core says where it is."""
    if not isinstance(found, core.BadStack):
        return _stack(found)
    damage = _DAMAGES[json.dumps(value)]
    bad = DAMAGED[damage]
    if (found.layer, found.key) != (bad.layer, bad.key):
        raise ValueError(f"{bad.text}: the core finds the damage at {found}")
    return damage


def _native_tree(tree: Tree) -> core.Tree | core.Refusal:
    """Give a tree as the core has it, or the core's refusal of nodes that are no tree."""
    return core.Tree.of([_native_node(one) for one in tree])


def _nodes(tree: core.Tree) -> Tree:
    return tuple([_node(one) for one in tree.nodes])


def _native_change(change: Change) -> core.Change:
    match change:
        case spec.Put(node):
            return core.Put(_native_node(node))
        case spec.Del(key):
            return core.Del(key)


def _change(change: core.Change) -> Change:
    match change:
        case core.Put(node):
            return spec.Put(_node(node))
        case core.Del(key):
            return spec.Del(key)


def _native_record(record: Record) -> core.Record:
    """Give a record of the journal as the core has it."""
    match record:
        case spec.Rewind(changes):
            return core.Rewind(tuple([_native_change(one) for one in changes]))
        case _:
            return _native_change(record)


def _read(tree: core.Tree, conversation: int) -> Held:
    document = tree.named(conversation, _NAME)
    return _held(core.decode(tree, conversation), document.value if document else None)


class _Core:
    """The core under the spec's signatures."""

    def decide(self, stack: tuple[Layer, ...], says: Says, cap: int) -> Decision:
        return _decision(core.decide(_native(stack), iter(_native_says(says)), cap))

    def start(self, stack: tuple[Layer, ...], steps: int) -> Loop:
        return _loop(core.start(_native(stack), steps))

    def failed(self, end: End) -> bool:
        return core.End[end.name].failed

    def tick(self, loop: Loop, says: Says, cap: int) -> Loop:
        return _loop(core.tick(_native_loop(loop), iter(_native_says(says)), cap))

    def run(self, loop: Loop, steps: tuple[Says, ...], cap: int) -> Loop:
        return _loop(core.run(_native_loop(loop), (_native_says(one) for one in steps), cap))

    def sound(self, tree: Tree) -> bool:
        return isinstance(_native_tree(tree), core.Tree)

    def apply(self, tree: Tree, record: Record) -> Applied:
        live = _native_tree(tree)
        if isinstance(live, core.Refusal):
            return Applied(tree, Refused[live.rule.name])
        refusal = live.apply(_native_record(record))
        return Applied(_nodes(live), None if refusal is None else Refused[refusal.rule.name])

    def rewind(self, live: Tree, snapshot: Tree) -> spec.Rewind:
        here, there = _native_tree(live), _native_tree(snapshot)
        if isinstance(here, core.Refusal) or isinstance(there, core.Refusal):
            return spec.Rewind(())
        return spec.Rewind(tuple([_change(one) for one in core.rewind(here, there).changes]))

    def encode(self, tree: Tree, conversation: int, stack: tuple[Layer, ...]) -> Tree:
        live = _native_tree(tree)
        if isinstance(live, core.Refusal):
            return tree
        live.apply(core.encode(live, conversation, _native(stack)))
        return _nodes(live)

    def decode(self, tree: Tree, conversation: int) -> Held:
        live = _native_tree(tree)
        return None if isinstance(live, core.Refusal) else _read(live, conversation)

    def replay(self, journal: tuple[Record, ...]) -> Tree:
        return _nodes(core.Tree.replay(_native_record(one) for one in journal))

    def resume(self, journal: tuple[Record, ...], conversation: int) -> Held:
        return _read(core.Tree.replay(_native_record(one) for one in journal), conversation)


CORE = _Core()
