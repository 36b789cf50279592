"""The tree of a session and its records (S1)."""

from __future__ import annotations

import random

import pytest

from eukhe.session.errors import UnsoundRecordError
from eukhe.session.tree import Change, Del, Put, Record, Rewind, Tree, plan_rewind, replay


def _tree(*records: Record) -> Tree:
    tree = Tree()
    tree.apply(records)
    return tree


@pytest.mark.parametrize(
    "bad",
    [
        Put(5, 4, "parent is no node"),
        Put(0, 0, "the root is no node"),
        Put(1, 1, "its own parent"),
        Put(1, 2, "a parent with a larger id"),
        Del(0),
        Rewind((Put(9, 8, "parent is no node"),)),
        Rewind((Del(1), Put(2, 1, "left without its parent"))),
    ],
    ids=str,
)
def test_an_unsound_record_is_refused_and_changes_nothing(bad: Record) -> None:
    tree = _tree(Put(1, 0, "a"), Put(2, 1, "b"))
    before = list(tree.nodes())
    with pytest.raises(UnsoundRecordError) as caught:
        tree.apply([Put(3, 1, "sound, but in the same commit"), bad])
    assert caught.value.position == 1
    assert list(tree.nodes()) == before
    assert tree.next_id == 3


def test_del_removes_everything_below_and_its_ids_never_come_back() -> None:
    tree = _tree(Put(1, 0, "a"), Put(2, 1, "b"), Put(3, 2, "c"), Put(4, 0, "d"), Del(1))
    assert [node.id for node in tree.nodes()] == [4]
    assert list(tree.children(0)) == [tree.node(4)]
    assert tree.next_id == 5
    tree.apply([Del(4)])
    assert tree.next_id == 5


def test_del_of_a_node_that_is_not_there_changes_nothing() -> None:
    tree = _tree(Put(1, 0, "a"))
    tree.apply([Del(7)])
    assert [node.id for node in tree.nodes()] == [1]


def test_put_replaces_a_node_and_keeps_what_is_below_it() -> None:
    tree = _tree(Put(1, 0, "a"), Put(2, 0, "b"), Put(3, 2, "below"), Put(2, 1, "moved"))
    assert [node.id for node in tree.children(1)] == [2]
    assert [node.value for node in tree.children(2)] == ["below"]
    assert [node.id for node in tree.children(0)] == [1]


def test_a_rewind_may_pass_through_an_unsound_tree() -> None:
    tree = _tree(Put(1, 0, "a"), Put(2, 1, "b"))
    tree.apply([Rewind((Put(4, 3, "child first"), Put(3, 0, "then its parent")))])
    assert [node.id for node in tree.nodes()] == [1, 2, 3, 4]


def test_a_rewind_plan_leads_back_to_every_snapshot() -> None:
    rng = random.Random(7)
    for _ in range(200):
        commits = _random_commits(rng)
        live = replay(commits)
        for cursor in range(len(commits) + 1):
            snapshot = replay(commits[:cursor])
            again = replay(commits)
            plan = plan_rewind(live, snapshot)
            again.apply([plan.record()])
            assert again == snapshot
            assert again.next_id == live.next_id
            assert {n.id for n in plan.stop}.isdisjoint(n.id for n in snapshot.nodes())


def test_undo_takes_back_exactly_one_commit() -> None:
    rng = random.Random(11)
    for _ in range(200):
        *earlier, last = _random_commits(rng)
        tree = replay(earlier)
        before, next_id = list(tree.nodes()), tree.next_id
        tree.undo(tree.apply(last))
        assert list(tree.nodes()) == before
        assert tree.next_id == next_id
        assert tree == replay(earlier)


def _random_commits(rng: random.Random) -> list[list[Change]]:
    """Some sound commits, checked against a tree that grows with them."""
    tree, commits = Tree(), []
    for _ in range(rng.randint(2, 8)):
        commit: list[Change] = []
        for _ in range(rng.randint(1, 4)):
            live = [node.id for node in tree.nodes()]
            change: Change = (
                Del(rng.choice(live)) if live and rng.random() < 0.3 else _put(rng, tree)
            )
            tree.apply([change])
            commit.append(change)
        commits.append(commit)
    return commits


def _put(rng: random.Random, tree: Tree) -> Put:
    live = [node.id for node in tree.nodes()]
    if live and rng.random() < 0.3:
        node_id = rng.choice(live)
        parents = [0, *(i for i in live if i < node_id)]
        return Put(node_id, rng.choice(parents), rng.random())
    return Put(tree.next_id, rng.choice([0, *live]), rng.random())
