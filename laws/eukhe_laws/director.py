"""The laws of the Director stack (S5): every verdict is free, each layer of each step says what it likes."""

from __future__ import annotations

from itertools import cycle, islice
from typing import Protocol

from eukhe_bridge import director as bridge
from eukhe_laws._director import (
    Above,
    Around,
    Entry,
    Planted,
    Stem,
    Steps,
    Touch,
    Twig,
    document,
    grow,
    is_sound,
    kept,
    passes,
    plain,
    touched,
    verdicts,
    written,
)
from eukhe_laws.engine.agree import Agree
from eukhe_laws.engine.domain import Scope
from eukhe_laws.engine.law import law
from eukhe_spec import director as spec
from eukhe_spec.director import (
    Abort,
    Again,
    Applied,
    Damage,
    Damaged,
    Decision,
    Defer,
    Del,
    Directors,
    End,
    Held,
    Layer,
    Leave,
    Loop,
    Node,
    Other,
    Put,
    Record,
    Refused,
    Rewind,
    Says,
    Stack,
    Tree,
    Yield,
)

__all__ = ["AGREEMENT", "BRIDGE", "CORE", "SPEC", "Director"]


class Director(Protocol):
    """The functions under law."""

    def decide(self, stack: tuple[Layer, ...], says: Says, cap: int) -> Decision: ...
    def start(self, stack: tuple[Layer, ...], steps: int) -> Loop: ...
    def tick(self, loop: Loop, says: Says, cap: int) -> Loop: ...
    def run(self, loop: Loop, steps: tuple[Says, ...], cap: int) -> Loop: ...
    def sound(self, tree: Tree) -> bool: ...
    def apply(self, tree: Tree, record: Record) -> Applied: ...
    def rewind(self, live: Tree, snapshot: Tree) -> Rewind: ...
    def encode(self, tree: Tree, conversation: int, stack: tuple[Layer, ...]) -> Tree: ...
    def decode(self, tree: Tree, conversation: int) -> Held: ...
    def replay(self, journal: tuple[Record, ...]) -> Tree: ...
    def resume(self, journal: tuple[Record, ...], conversation: int) -> Held: ...
    def failed(self, end: End) -> bool: ...


SPEC: Director = spec
CORE: Director = bridge.CORE
BRIDGE = bridge.BRIDGE

_KINDS = ("kind", Scope(1))
_STEP = Scope(2, 2, over=(_KINDS, ("cap", Scope(4))))
_DECIDER = Scope(2, 1, over=(_KINDS, ("rest", Scope(2, 1)), ("above", Scope(2, 2))))
_LOOP = Scope(3, 1, over=(_KINDS, ("left", Scope(2))))
_TREE = Scope(2, 2, over=(("twigs", Scope(2, 2)), ("at", Scope(3)), ("stack", Scope(2, 1))))

_NODES = Scope(2, 1, over=(_KINDS,))


def _richer(layer: Layer) -> Layer:
    return Layer(layer.kind, layer.budget + 1)


#: Where agreement of spec and core needs bounds of its own.
AGREEMENT = {
    "decide": Agree(_STEP),
    "tick": Agree(Scope(2, 1, over=(_KINDS, ("says", Scope(2, 2))))),
    "run": Agree(Scope(2, 1, over=(_KINDS,))),
    "sound": Agree(_NODES, Scope(4, 4)),
    "apply": Agree(_NODES, Scope(4, 3)),
    "rewind": Agree(_NODES, Scope(4, 3)),
    "encode": Agree(_NODES, Scope(4, 2)),
    "decode": Agree(_NODES, Scope(4, 3)),
    "replay": Agree(_NODES, Scope(4, 3)),
    "resume": Agree(_NODES, Scope(4, 3)),
}


@law(
    section="S5",
    scope=_STEP,
    reach={
        "the stack grows to its cap": lambda S, stack, says, cap: (
            len(stack) < cap == len(S.decide(stack, says, cap).stack)
        ),
        "a stack above its cap": lambda _, stack, _says, cap: len(stack) > cap,
    },
)
def dir_stack_bounded(S: Director, stack: tuple[Layer, ...], says: Says, cap: int) -> bool:
    """A decision never grows the stack past its cap (S5.1)."""
    return len(S.decide(stack, says, cap).stack) <= max(cap, len(stack))


@law(
    section="S5",
    scope=_LOOP,
    reach={
        "the stack grows": lambda S, stack, left, steps, cap: (
            len(S.run(S.start(stack, left), steps, cap).last.stack) > len(stack)
        )
    },
)
def dir_loop_stack_bounded(
    S: Director, stack: tuple[Layer, ...], left: int, steps: Steps, cap: int
) -> bool:
    """So the loop never does, whatever its steps (S5.1)."""
    return len(S.run(S.start(stack, left), steps, cap).last.stack) <= max(cap, len(stack))


@law(
    section="S5",
    scope=_LOOP,
    control=("left",),
    reach={
        "every step is used": lambda S, stack, left, steps, cap: (
            left > 0 == S.run(S.start(stack, left), steps, cap).left
        )
    },
)
def dir_loop_ends(S: Director, stack: tuple[Layer, ...], left: int, steps: Steps, cap: int) -> bool:
    """The loop ends (gives control back or fails) after at most n + 1 steps, with n its global budget,
    whatever every layer says (S5.3).
    """
    # The steps are said over and over until there are n + 1 of them; no steps at all say nothing.
    enough = tuple(islice(cycle(steps or ((),)), left + 1))
    return S.run(S.start(stack, left), enough, cap).last.end is not None


@law(section="S5", scope=Scope(2, 1, over=(_KINDS, ("cap", Scope(3)))))
def dir_end_is_final(
    S: Director, stack: tuple[Layer, ...], end: End, by: int | None, left: int, says: Says, cap: int
) -> bool:
    """An ended loop stays as it ended (S5.3)."""
    ended = Loop(Decision(stack, end, by), left)
    return S.tick(ended, says, cap) == ended == S.run(ended, (says, says), cap)


@law(
    section="S5",
    scope=_TREE,
    reach={"below a node": lambda _, planted, _stack: planted.conversation > 0},
)
def dir_encode_sound(S: Director, planted: Planted, stack: tuple[Layer, ...]) -> bool:
    """The stack in the tree is a sound tree (S5.8)."""
    after = S.encode(planted.tree, planted.conversation, stack)
    return is_sound(after) and S.sound(after)


@law(section="S5", scope=_TREE, reach={"a stack": lambda _, planted, stack: len(stack) > 0})
def dir_resume_restores(S: Director, planted: Planted, stack: tuple[Layer, ...]) -> bool:
    """A resume reads back the stack that the tree holds, exactly (S5.8)."""
    after = S.encode(planted.tree, planted.conversation, stack)
    return S.decode(after, planted.conversation) == stack


@law(
    section="S5",
    scope=Scope(
        2,
        1,
        over=(
            _KINDS,
            ("gap", Scope(1)),
            ("live", Scope(2, 2)),
        ),
    ),
    reach={
        "a document to restore": lambda _, live, base, stack: (
            document(grow(live), base.conversation) is not None
        )
    },
)
def dir_rewind_restores(
    S: Director, live: tuple[Twig, ...], base: Planted, stack: tuple[Layer, ...]
) -> bool:
    """A rewind of a sound tree to the tree of a stack restores that stack, exactly (S5.8)."""
    target = S.encode(base.tree, base.conversation, stack)
    done = S.apply(grow(live), S.rewind(grow(live), target))
    return done == Applied(target, None) and S.decode(done.tree, base.conversation) == stack


@law(
    section="S5.1",
    scope=Scope(2, 2, over=(_KINDS, ("other", Scope(2, 1)), ("cap", Scope(3)))),
    ours=True,
)
def dir_top_decides_first(
    S: Director, stack: tuple[Layer, ...], says: Says, other: Says, cap: int
) -> bool:
    """The first layer from the top that neither defers nor leaves decides; what those below it say makes no
    difference (S5.1).
    """
    said = says[: len(stack)]
    by = next((at for at, one in enumerate(said) if not passes(one)), None)
    decision = S.decide(stack, says, cap)
    if by is None:
        return decision.by is None
    same = S.decide(stack, says[: by + 1] + other, cap) == decision
    return decision.by == by and same


@law(section="S5.1", scope=_DECIDER, ours=True)
def dir_again_costs_one(S: Director, around: Around, me: Layer, cap: int) -> bool:
    """`Again` continues the loop and costs its layer 1 unit of budget, no other layer anything (S5.1)."""
    stack = around.stack(_richer(me))
    found = S.decide(stack, around.says(Again()), cap)
    return found == Decision(around.after(me), None, around.by)


@law(section="S5.1", scope=_DECIDER, ours=True)
def dir_push_costs_one(S: Director, around: Around, me: Layer, pushed: Layer, spare: int) -> bool:
    """A push with room puts the new layer on top of its layer, continues the loop and costs its layer 1 unit
    (S5.1).
    """
    stack = around.stack(_richer(me))
    found = S.decide(stack, around.says(Stack(pushed)), len(stack) + 1 + spare)
    return found == Decision(around.after(pushed, me), None, around.by)


@law(
    section="S5.1",
    scope=_DECIDER,
    ours=True,
    reach={
        "room without those that left": lambda _, around, me, pushed, lack: (
            lack == 0 and any(one.leaves for one in around.above)
        ),
        "room without those that deferred": lambda _, around, me, pushed, lack: (
            lack == 0 and any(not one.leaves for one in around.above)
        ),
    },
)
def dir_push_needs_room(S: Director, around: Around, me: Layer, pushed: Layer, lack: int) -> bool:
    """A push fails the loop and costs nothing when the stack, with the layers that deferred or left, is at
    its cap (S5.1).
    """
    stack = around.stack(_richer(me))
    found = S.decide(stack, around.says(Stack(pushed)), max(0, len(stack) - lack))
    return found == Decision(around.after(_richer(me)), End.NO_ROOM, around.by)


@law(section="S5.1", scope=_DECIDER, ours=True, reach={"no room": lambda *args: args[-1] == 0})
def dir_no_budget_yields(
    S: Director, around: Around, kind: int, asks: Again | Stack, cap: int
) -> bool:
    """A layer with no budget that asks to continue or to push yields, whether there is room or not (S5.1)."""
    me = Layer(kind, 0)
    found = S.decide(around.stack(me), around.says(asks), cap)
    return found == Decision(around.after(me), End.NO_BUDGET, around.by)


@law(section="S5.1", scope=_DECIDER, ours=True)
def dir_yield_and_abort_end(
    S: Director, around: Around, me: Layer, says: Yield | Abort, cap: int
) -> bool:
    """`Yield` gives control back and `Abort` fails; neither changes its layer or one below (S5.1)."""
    end = End.ABORTED if says == Abort() else End.YIELDED
    found = S.decide(around.stack(me), around.says(says), cap)
    return found == Decision(around.after(me), end, around.by)


@law(section="S5.1", ours=True)
def dir_failures_are_told(S: Director, end: End) -> bool:
    """An abort and a push with no room are failures; every other end gives control back to the user (S5.1)."""
    return S.failed(end) == (end.name in ("ABORTED", "NO_ROOM"))


@law(section="S5.1", scope=_DECIDER, ours=True)
def dir_leave_removes_only_itself(S: Director, around: Around, me: Layer, cap: int) -> bool:
    """`Leave` removes its own layer and does nothing else: the rest is as if the layer had deferred (S5.1)."""
    left = S.decide(around.stack(me), around.says(Leave()), cap)
    stayed = S.decide(around.stack(me), around.says(Defer()), cap)
    at = len(kept(around.above))
    gone = (*stayed.stack[:at], *stayed.stack[at + 1 :])
    return (gone, stayed.stack[at], stayed.end, stayed.by) == (left.stack, me, left.end, left.by)


@law(section="S5.2", scope=Scope(2, 3, over=(_KINDS, ("silent", Scope(2, 2)))), ours=True)
def dir_undecided_gives_back(
    S: Director, above: tuple[Above, ...], silent: tuple[Layer, ...], cap: int
) -> bool:
    """When no layer decides, the loop gives control back, with every layer that did not leave (S5.2)."""
    stack = (*(one.layer for one in above), *silent)
    found = S.decide(stack, verdicts(above), cap)
    return found == Decision((*kept(above), *silent), End.UNDECIDED, None)


@law(
    section="S5.3",
    scope=_STEP,
    ours=True,
    reach={"an end": lambda S, stack, left, says, cap: S.decide(stack, says, cap).end is not None},
)
def dir_continuation_costs_one_step(
    S: Director, stack: tuple[Layer, ...], left: int, says: Says, cap: int
) -> bool:
    """While a step is left a tick is a decision; a continuation costs 1 step and an end costs none (S5.3)."""
    decision = S.decide(stack, says, cap)
    cost = 1 if decision.end is None else 0
    return S.tick(S.start(stack, left + 1), says, cap) == Loop(decision, left + 1 - cost)


@law(
    section="S5.3",
    scope=_STEP,
    ours=True,
    reach={
        "a continuation": lambda S, stack, says, cap: S.decide(stack, says, cap).end is None,
        "an end": lambda S, stack, says, cap: S.decide(stack, says, cap).end is not None,
    },
)
def dir_no_step_yields(S: Director, stack: tuple[Layer, ...], says: Says, cap: int) -> bool:
    """When no step is left a continuation yields: it costs no budget and pushes nothing (S5.3)."""
    decision = S.decide(stack, says, cap)
    if decision.end is None and decision.by is not None:
        above = zip(stack[: decision.by], says, strict=False)
        stay = [layer for layer, verdict in above if verdict != Leave()]
        decision = Decision((*stay, *stack[decision.by :]), End.NO_STEP, decision.by)
    return S.tick(S.start(stack, 0), says, cap) == Loop(decision, 0)


@law(section="S5.3", scope=_LOOP, ours=True)
def dir_run_is_ticks(
    S: Director, stack: tuple[Layer, ...], left: int, steps: Steps, cap: int
) -> bool:
    """The loop of a run is its ticks, one after the other (S5.3)."""
    loop = S.start(stack, left)
    for says in steps:
        loop = S.tick(loop, says, cap)
    return S.run(S.start(stack, left), steps, cap) == loop


@law(section="S5.8", scope=_TREE, ours=True)
def dir_encode_writes_only_the_document(
    S: Director, planted: Planted, stack: tuple[Layer, ...]
) -> bool:
    """Writing a stack replaces the first document of its conversation, or adds one with the next id, and
    changes nothing else (S5.8).
    """
    tree, conversation, old = planted.tree, planted.conversation, planted.document
    key = old.id if old else max([0, *(one.id for one in tree)]) + 1
    others = {one.id: one for one in tree}
    others[key] = Node(key, conversation, Directors(stack))
    return S.encode(tree, conversation, stack) == tuple([others[one] for one in sorted(others)])


@law(section="S5.8", scope=_TREE, ours=True)
def dir_encode_needs_its_conversation(
    S: Director, twigs: tuple[Twig, ...], beyond: int, stack: tuple[Layer, ...]
) -> bool:
    """A stack is never written under a conversation that is not in the tree (S5.8)."""
    tree = grow(twigs)
    missing = max([0, *(one.id for one in tree)]) + 1 + beyond
    return S.encode(tree, missing, stack) == tree and S.decode(tree, missing) == ()


@law(
    section="S5.8",
    scope=Scope(2, 3, over=(("gap", Scope(1)), ("at", Scope(4)))),
    ours=True,
    reach={
        "no document": lambda _, planted: planted.document is None,
        "several": lambda _, planted: [one.value for one in planted.tree].count(Directors(())) > 1,
    },
)
def dir_decode_reads_the_document(S: Director, planted: Planted) -> bool:
    """A conversation without a document has the empty stack; with several, the first one counts (S5.8)."""
    found = planted.document
    stack = S.decode(planted.tree, planted.conversation)
    if found is None:
        return stack == ()
    return stack == (found.value.stack if isinstance(found.value, Directors) else Damage.FLAG)


@law(section="S5.8", scope=Scope(2, 1), ours=True)
def dir_decode_refuses_damage(S: Director, damage: Damage, twigs: tuple[Twig, ...]) -> bool:
    """No stack is read from a document that is damaged: what is wrong with it is told (S5.8)."""
    tree = grow((*twigs, Twig(0, 0, Other(0))))
    last = tree[-1].id
    return S.decode((*tree, Node(last + 1, last, Damaged(damage))), last) == damage


@law(
    section="S5.8",
    scope=Scope(3, 2, over=(("conversation", Scope(2)), ("parent", Scope(2)))),
    wide=Scope(5, 6),
    ours=True,
    reach={
        "a document that goes": lambda S, entries, conversation: (
            S.resume(written(entries[:1]), conversation) != S.resume(written(entries), conversation)
        )
    },
)
def dir_resume_replays_the_journal(
    S: Director, entries: tuple[Entry, ...], conversation: int
) -> bool:
    """The tree of a journal is its records, one after the other, and a resume reads the stack there (S5.8)."""
    tree: Tree = ()
    for record in written(entries):
        tree = S.apply(tree, record).tree
    found = S.resume(written(entries), conversation)
    return S.replay(written(entries)) == tree and found == S.decode(tree, conversation)


@law(section="S1", scope=Scope(4, 3), ours=True)
def dir_sound_is_exact(S: Director, pairs: tuple[tuple[int, int], ...]) -> bool:
    """Nodes are a sound tree exactly when each id comes once, in order, after its parent, the root or a node
    (S1).
    """
    return S.sound(plain(pairs)) == is_sound(plain(pairs))


@law(
    section="S1",
    scope=Scope(2, 2, over=(("key", Scope(5)), ("under", Scope(4)), ("tag", Scope(1)))),
    control=("key", "under"),
    ours=True,
    reach={
        "rejected": lambda _, twigs, key, under, tag: under >= key,
        "replaced": lambda _, twigs, key, under, tag: (
            under < key and key in [one.id for one in grow(twigs)]
        ),
    },
)
def dir_put_is_checked(
    S: Director, twigs: tuple[Twig, ...], key: int, under: int, tag: int
) -> bool:
    """A `Put` sets its node when the parent is the root or a node with a smaller id; else it changes nothing
    (S1).
    """
    tree, node = grow(twigs), Node(key, under, Other(tag))
    found = S.apply(tree, Put(node))
    if under >= key or under not in (0, *(one.id for one in tree)):
        return found == Applied(tree, Refused.PARENT)
    before = tuple([one for one in tree if one.id < key])
    behind = tuple([one for one in tree if one.id > key])
    return found == Applied((*before, node, *behind), None)


@law(section="S1", scope=Scope(3, 3, over=(("gap", Scope(2)), ("key", Scope(6)))), ours=True)
def dir_del_removes_the_branch(S: Director, stems: tuple[Stem, ...], key: int) -> bool:
    """A `Del` removes its node and everything below it, no more; a `Del` of the root is rejected (S1)."""
    tree = grow(stems)
    found = S.apply(tree, Del(key))
    if key == 0:
        return found == Applied(tree, Refused.ROOT)
    parents = {one.id: one.parent for one in tree}

    def under(one: int) -> bool:
        return one == key or (one in parents and under(parents[one]))

    return found == Applied(tuple([one for one in tree if not under(one.id)]), None)


@law(
    section="S1",
    scope=Scope(3, 2, over=(("gap", Scope(1)), ("touches", Scope(4, 2)))),
    ours=True,
    reach={
        "accepted": lambda _, stems, touches: is_sound(touched(grow(stems), touches)[1]),
        "rejected": lambda _, stems, touches: not is_sound(touched(grow(stems), touches)[1]),
    },
)
def dir_rewind_is_checked(S: Director, stems: tuple[Stem, ...], touches: tuple[Touch, ...]) -> bool:
    """A `Rewind` makes exactly its changes; it is rejected when the root goes or the tree would not be sound
    (S1).
    """
    changes, after = touched(grow(stems), touches)
    found = S.apply(grow(stems), Rewind(changes))
    if Del(0) in changes or not is_sound(after):
        return found == Applied(grow(stems), Refused.UNSOUND)
    return found == Applied(after, None)


@law(
    section="S1",
    scope=Scope(
        2, 2, over=(("gap", Scope(1)), ("snapshot", Scope(2, 2, over=(("parent", Scope(1)),))))
    ),
    ours=True,
)
def dir_rewind_plans_the_difference(
    S: Director, live: tuple[Twig, ...], snapshot: tuple[Twig, ...]
) -> bool:
    """A rewind stops the nodes that disappear and then starts or restores those that differ, and touches no
    other (S1).
    """
    here = {one.id: one for one in grow(live)}
    there = {one.id: one for one in grow(snapshot)}
    stops = [Del(key) for key in here if key not in there]
    puts = [Put(node) for key, node in there.items() if here.get(key) != node]
    return S.rewind(grow(live), grow(snapshot)) == Rewind((*stops, *puts))


@law(
    section="S1",
    given=lambda _, pairs, *rest: not is_sound(plain(pairs)),
    scope=Scope(3, 2, over=(("planted", Scope(2, 1)), ("stack", Scope(1, 1)), _KINDS)),
    ours=True,
)
def dir_unsound_is_left_alone(
    S: Director, pairs: tuple[tuple[int, int], ...], planted: Planted, stack: tuple[Layer, ...]
) -> bool:
    """Nodes that are no sound tree are read as nothing, and nothing is written, applied or rewound (S1)."""
    nodes, tree, at = plain(pairs), planted.tree, planted.at
    return all(
        (
            S.apply(nodes, Put(Node(9, 0, Other(1)))) == Applied(nodes, Refused.UNSOUND),
            S.encode(nodes, at, stack) == nodes,
            S.decode(nodes, at) is None,
            S.rewind(nodes, tree) == S.rewind(tree, nodes) == Rewind(()),
        )
    )
