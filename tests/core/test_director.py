"""The Director stack (S5): the cases that the requirement names, the stored forms, and hostile values."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eukhe.core import director
from eukhe.core.director import (
    Abort,
    Again,
    Autonomous,
    BadStack,
    Decision,
    Defer,
    Del,
    End,
    ForcedCall,
    Goal,
    Layer,
    Leave,
    Node,
    Put,
    Refusal,
    Refused,
    Reminder,
    Rewind,
    Stack,
    Tree,
    Verdict,
    Yield,
)
from eukhe_bridge import director as bridge
from eukhe_bridge import kit

HOSTILE = settings(derandomize=True, database=None, deadline=None, max_examples=200)

GOAL = Layer(Goal(), 200)
AUTO = Layer(Autonomous(), 3)
REMIND = Layer(Reminder("write the tests first"), 0)
FORCE = Layer(ForcedCall("read", 1), 1)


def test_a_layer_that_defers_leaves_the_decision_to_the_next() -> None:
    found = director.decide((REMIND, GOAL), (Defer(), Again()), 10)
    assert found == Decision((REMIND, Layer(Goal(), 199)), None, 1)


def test_a_reminder_leaves_with_the_continuation_of_the_goal() -> None:
    found = director.decide((REMIND, GOAL, AUTO), (Leave(), Again()), 10)
    assert found == Decision((Layer(Goal(), 199), AUTO), None, 1)


def test_a_forced_call_with_no_budget_yields_when_it_asks_again() -> None:
    spent = Layer(ForcedCall("read", 1), 0)
    assert director.decide((spent,), (Again(),), 10) == Decision((spent,), End.NO_BUDGET, 0)


def test_a_push_comes_on_top_of_its_layer_and_costs_one() -> None:
    found = director.decide((GOAL, AUTO), (Defer(), Stack(FORCE)), 10)
    assert found == Decision((GOAL, FORCE, Layer(Autonomous(), 2)), None, 1)


@pytest.mark.parametrize("above", [Defer(), Leave()])
def test_layers_above_that_deferred_or_left_count_for_the_room_of_a_push(above: Verdict) -> None:
    found = director.decide((REMIND, GOAL), (above, Stack(FORCE)), 2)
    assert found.end is End.NO_ROOM
    assert found.stack[-1] == GOAL


def test_a_push_with_no_budget_yields_also_on_a_full_stack() -> None:
    assert director.decide((REMIND,), (Stack(FORCE),), 1).end is End.NO_BUDGET


def test_a_stack_of_no_layers_gives_control_back() -> None:
    assert director.decide((), (), 10) == Decision((), End.UNDECIDED, None)


def test_nothing_is_asked_below_the_layer_that_decides() -> None:
    asked: list[int] = []

    def verdicts() -> Iterator[Verdict]:
        said: tuple[Verdict, ...] = (Defer(), Yield(), Abort())
        for number, verdict in enumerate(said):
            asked.append(number)
            yield verdict

    assert director.decide((REMIND, GOAL, AUTO), verdicts(), 10).by == 1
    assert asked == [0, 1]


def test_an_ended_loop_asks_nobody() -> None:
    loop = director.tick(director.start((GOAL,), 5), (Yield(),), 10)
    never = (pytest.fail("asked") for _ in range(1))
    assert director.tick(loop, never, 10) is loop


def test_the_global_budget_ends_the_loop_and_costs_no_layer() -> None:
    loop = director.run(director.start((GOAL,), 2), ((Again(),),) * 9, 10)
    assert loop == director.Loop(Decision((Layer(Goal(), 198),), End.NO_STEP, 0), 0)


def test_only_an_abort_and_a_push_with_no_room_are_failures() -> None:
    assert [end for end in End if end.failed] == [End.ABORTED, End.NO_ROOM]


def test_a_stack_is_stored_as_json_that_names_its_kinds() -> None:
    stored = json.dumps(director.write((REMIND, FORCE, GOAL, AUTO)))
    assert json.loads(stored) == {
        "layers": [
            {"kind": "reminder", "budget": 0, "text": "write the tests first"},
            {"kind": "force", "budget": 1, "tool": "read", "tries": 1},
            {"kind": "goal", "budget": 200},
            {"kind": "autonomous", "budget": 3},
        ]
    }
    assert director.read(json.loads(stored)) == (REMIND, FORCE, GOAL, AUTO)


def test_keys_that_are_not_known_are_passed_over() -> None:
    stored = {"layers": [{"kind": "goal", "budget": 1, "since": 7}], "version": 2}
    assert director.read(stored) == (Layer(Goal(), 1),)


@pytest.mark.parametrize("bad", bridge.DAMAGED.values(), ids=lambda bad: bad.text)
def test_a_damaged_stack_says_where_it_is_damaged(bad: bridge.Bad) -> None:
    found = director.read(json.loads(bad.text))
    assert isinstance(found, BadStack)
    assert (found.layer, found.key) == (bad.layer, bad.key)


def _tree(*records: director.Record) -> Tree:
    return Tree.replay(records)


MAIN = Put(Node(1, 0, "conversation", {}))
CHILD = Put(Node(2, 1, "conversation", {}))


def test_each_conversation_has_a_stack_of_its_own() -> None:
    tree = _tree(MAIN, CHILD)
    assert tree.apply(director.encode(tree, 1, (GOAL,))) is None
    assert tree.apply(director.encode(tree, 2, (AUTO,))) is None
    assert director.decode(tree, 1) == (GOAL,)
    assert director.decode(tree, 2) == (AUTO,)
    assert [one.name for one in tree.nodes] == ["conversation"] * 2 + ["eukhe.directors"] * 2


def test_a_rewind_takes_later_layers_away_and_brings_removed_ones_back() -> None:
    tree = _tree(MAIN)
    tree.apply(director.encode(tree, 1, (FORCE, GOAL)))
    fork = Tree.of(tree.nodes)
    assert isinstance(fork, Tree)
    tree.apply(director.encode(tree, 1, (REMIND, AUTO)))
    assert tree.apply(director.rewind(tree, fork)) is None
    assert director.decode(tree, 1) == (FORCE, GOAL)
    assert tree.nodes == fork.nodes


def test_a_rewind_restores_a_value_that_python_takes_for_equal() -> None:
    here = _tree(Put(Node(1, 0, "x", {"n": True})))
    there = _tree(Put(Node(1, 0, "x", {"n": 1})))
    assert director.rewind(here, there) == Rewind((Put(Node(1, 0, "x", {"n": 1})),))


@pytest.mark.parametrize(
    ("record", "refusal"),
    [
        (Put(Node(3, 7, "x", 0)), Refusal(Refused.PARENT, 3)),
        (Put(Node(1, 1, "x", 0)), Refusal(Refused.PARENT, 1)),
        (Put(Node(0, 0, "x", 0)), Refusal(Refused.PARENT, 0)),
        (Del(0), Refusal(Refused.ROOT, 0)),
        (Rewind((Del(1),)), Refusal(Refused.UNSOUND, 1)),
        (Rewind((Put(Node(4, 3, "x", 0)),)), Refusal(Refused.UNSOUND, 4)),
        (Rewind((Del(2), Del(0))), Refusal(Refused.UNSOUND, 0)),
    ],
)
def test_a_rejected_record_names_rule_and_node_and_changes_nothing(
    record: director.Record, refusal: Refusal
) -> None:
    tree = _tree(MAIN, CHILD)
    before = tree.nodes
    assert tree.apply(record) == refusal
    assert tree.nodes == before


def test_nodes_out_of_order_are_no_tree() -> None:
    assert Tree.of([CHILD.node, MAIN.node]) == Refusal(Refused.UNSOUND, 1)
    assert Tree.of([MAIN.node, MAIN.node]) == Refusal(Refused.UNSOUND, 1)


def test_the_bridge_finds_no_difference_and_reaches_every_rule() -> None:
    found = kit.run(bridge.BRIDGE)
    assert found.scenarios >= 300
    assert (found.differences, found.missed) == ((), ())


TEXT = st.sampled_from(["", "eukhe.directors", "a\u2028b", "\ud800", "ä" * 5000]) | st.text(
    max_size=9
)
INTS = st.integers(-3, 5) | st.sampled_from([10**40, -(10**40)])
JSON = st.recursive(
    st.none() | st.booleans() | INTS | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
KINDS = (
    st.just(Goal())
    | st.just(Autonomous())
    | st.builds(Reminder, TEXT)
    | st.builds(ForcedCall, TEXT, INTS)
)
LAYERS = st.builds(Layer, KINDS, INTS)
VERDICTS = st.sampled_from([Defer(), Again(), Yield(), Leave(), Abort()]) | st.builds(Stack, LAYERS)
NODES = st.builds(Node, INTS, INTS, TEXT, JSON)
CHANGES = st.builds(Put, NODES) | st.builds(Del, INTS)
RECORDS = CHANGES | st.builds(Rewind, st.lists(CHANGES, max_size=4).map(tuple))
STORED = st.fixed_dictionaries(
    {},
    optional={
        "kind": st.sampled_from(["goal", "autonomous", "reminder", "force"]) | JSON,
        "budget": JSON,
        "text": JSON,
        "tool": JSON,
        "tries": JSON,
    },
)


@HOSTILE
@given(st.lists(LAYERS, max_size=5), st.lists(VERDICTS, max_size=7), INTS, INTS)
def test_no_layers_verdicts_or_bounds_raise(
    stack: list[Layer], says: list[Verdict], left: int, cap: int
) -> None:
    loop = director.run(director.start(stack, left), [says, says, says], cap)
    assert len(loop.last.stack) <= max(len(stack), cap)


@HOSTILE
@given(JSON | st.fixed_dictionaries({"layers": st.lists(STORED | JSON, max_size=3)}))
def test_no_stored_stack_raises(value: object) -> None:
    found = director.read(value)
    assert isinstance(found, BadStack) or director.read(director.write(found)) == found


@HOSTILE
@given(st.lists(RECORDS, max_size=9), st.lists(RECORDS, max_size=9), INTS)
def test_no_record_raises_or_leaves_an_unsound_tree(
    records: list[director.Record], others: list[director.Record], conversation: int
) -> None:
    live, snapshot = Tree.replay(records), Tree.replay(others)
    assert isinstance(Tree.of(live.nodes), Tree)
    director.decode(live, conversation)
    live.apply(director.encode(live, conversation, (GOAL,)))
    assert live.apply(director.rewind(live, snapshot)) is None
    assert [(one.id, one.parent) for one in live.nodes] == [
        (one.id, one.parent) for one in snapshot.nodes
    ]
    assert director.decode(live, conversation) == director.decode(snapshot, conversation)
