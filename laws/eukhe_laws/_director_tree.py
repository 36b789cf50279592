"""The laws of `director` about the document of a stack and the state tree it is in (S5.8, S1)."""

from __future__ import annotations

from eukhe_laws._director import (
    Entry,
    Planted,
    Stem,
    Touch,
    Twig,
    document,
    grow,
    is_sound,
    plain,
    touched,
    written,
)
from eukhe_laws._director_subject import CORE, SPEC, Director
from eukhe_laws.engine.domain import Scope
from eukhe_laws.engine.law import law
from eukhe_spec.director import (
    Applied,
    Damage,
    Damaged,
    Del,
    Directors,
    Layer,
    Node,
    Other,
    Put,
    Refused,
    Rewind,
    Tree,
)

__all__ = ["AREA", "CORE", "SPEC"]

AREA = "director"

_KINDS = ("kind", Scope(1))
_TREE = Scope(2, 2, over=(("at", Scope(3)), ("stack", Scope(1, 1, over=(("kind", Scope(2)),)))))


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
            ("stack", Scope(1, 1)),
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
