"""Loops and trees, run through spec and core: what each step gives, and what the stack's document holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from eukhe_bridge.director.adapter import CORE
from eukhe_bridge.kit import Bridge
from eukhe_spec import director as spec
from eukhe_spec.director import (
    Change,
    Damage,
    Damaged,
    Directors,
    End,
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

__all__ = ["BRIDGE", "RULES", "Scenario"]


@dataclass(frozen=True)
class Scenario:
    """A loop, and a tree that its stack is kept in.

    Attributes:
        stack: The layers at the start of the run, the top first.
        left: The global budget of the run.
        cap: How many layers the stack can hold.
        steps: What the layers say, a tuple a step.
        records: The journal, before the stack is written.
        conversation: The conversation of the stack.
        cursor: How many records of the journal the rewind goes back to.
    """

    stack: tuple[Layer, ...]
    left: int
    cap: int
    steps: tuple[Says, ...]
    records: tuple[Record, ...]
    conversation: int
    cursor: int


_A, _B, _C = Layer(0, 3), Layer(3, 1), Layer(4, 0)
_TALK = spec.Put(Node(1, 0, Other(0)))
_TASK = spec.Put(Node(2, 1, Other(1)))
_HELD = spec.Put(Node(3, 1, Directors((_B, _C))))
_WRITTEN = (_TALK, _TASK, _HELD)

_EDGES: tuple[Scenario, ...] = (
    Scenario((), 3, 2, ((),), (), 0, 0),
    Scenario((_A,), 3, 2, ((spec.Stack(_B),), (spec.Again(),)), (_TALK,), 1, 0),
    Scenario(
        (_C, _A),
        3,
        2,
        ((spec.Defer(), spec.Stack(_B)),),
        (_TALK, spec.Put(Node(2, 7, Other(0)))),
        1,
        1,
    ),
    Scenario((_C, _A), 3, 2, ((spec.Leave(), spec.Stack(_B)),), (_TALK, spec.Del(0)), 1, 1),
    Scenario((_A, _B), 3, 2, ((spec.Stack(_C),),), (_TALK, spec.Put(Node(1, 1, Other(0)))), 1, 0),
    Scenario((_A, _B, _C), 3, 2, ((spec.Stack(_C),),), (_TALK, spec.Del(9)), 7, 0),
    Scenario((_C,), 3, 1, ((spec.Stack(_A),), (spec.Again(),)), _WRITTEN, 1, 3),
    Scenario((_C,), 3, 1, ((spec.Again(),), (spec.Again(),)), (*_WRITTEN, spec.Del(1)), 1, 3),
    Scenario((_A, _B), 0, 4, ((spec.Leave(), spec.Again()),), (*_WRITTEN, spec.Del(3)), 1, 3),
    Scenario((_A,), 0, 4, ((spec.Stack(_B),), (spec.Again(),)), _WRITTEN, 1, 2),
    Scenario((_A,), 0, 1, ((spec.Stack(_B),),), (*_WRITTEN, spec.Rewind((spec.Del(1),))), 1, 0),
    Scenario((_A,), 1, 3, ((spec.Again(),),) * 3, (*_WRITTEN, spec.Rewind((spec.Del(0),))), 1, 0),
    Scenario(
        (_A, _B),
        9,
        3,
        ((spec.Leave(), spec.Leave()),),
        (*_WRITTEN, spec.Rewind((spec.Del(3), spec.Put(Node(4, 1, Other(2)))))),
        1,
        4,
    ),
    Scenario((_A, _B), 9, 3, ((spec.Defer(), spec.Abort()),), (_TALK, _TALK), 0, 1),
    Scenario((_A, _B), 9, 3, ((spec.Leave(), spec.Yield()), (spec.Abort(),)), _WRITTEN, 2, 0),
    *(
        Scenario((_A,), 1, 1, (), (_TALK, spec.Put(Node(2, 1, Damaged(one)))), 1, 1)
        for one in Damage
    ),
)


def _any_layer(rng: Random) -> Layer:
    return Layer(rng.randrange(9), rng.choice((0, 0, 1, 1, 2, 5, 200)))


def _any_stack(rng: Random, most: int) -> tuple[Layer, ...]:
    return tuple(_any_layer(rng) for _ in range(rng.randint(0, most)))


def _any_verdict(rng: Random) -> Verdict:
    match rng.randrange(12):
        case 0 | 1 | 2:
            return spec.Stack(_any_layer(rng))
        case 3 | 4 | 5:
            return spec.Again()
        case 6 | 7:
            return spec.Leave()
        case 8:
            return spec.Yield()
        case 9:
            return spec.Abort()
        case _:
            return spec.Defer()


def _any_change(rng: Random, most: int) -> Change:
    key = rng.randint(0, most)
    if rng.random() < 0.2:
        return spec.Del(key)
    value: Directors | Damaged | Other
    match rng.randrange(5):
        case 0 | 1:
            value = Directors(_any_stack(rng, 3))
        case 2:
            value = Damaged(rng.choice(tuple(Damage)))
        case _:
            value = Other(rng.randrange(3))
    return spec.Put(Node(key, rng.randint(0, max(0, key - 1)), value))


def _any_record(rng: Random) -> Record:
    if rng.random() < 0.2:
        return spec.Rewind(tuple(_any_change(rng, 6) for _ in range(rng.randint(0, 4))))
    return _any_change(rng, 6)


def _scenarios(rng: Random, count: int) -> Iterator[Scenario]:
    yield from _EDGES[:count]
    for _ in range(count - len(_EDGES)):
        stack = _any_stack(rng, 5)
        size = len(stack) + 2
        records = tuple(_any_record(rng) for _ in range(rng.randint(0, 9)))
        yield Scenario(
            stack,
            rng.choice((0, 1, 2, 3, 200)),
            max(0, len(stack) + rng.randint(-1, 3)),
            tuple(
                tuple(_any_verdict(rng) for _ in range(rng.randint(0, size)))
                for _ in range(rng.randint(0, 6))
            ),
            records,
            rng.randint(0, 3),
            rng.randint(0, len(records)),
        )


def _line(what: str, found: object) -> str:
    return f"{what}: {found!r}\n"


def _transcript(subject: Any, run: Scenario) -> str:
    """Run a scenario through the functions of one side, and write down all that they give."""
    lines = [_line("decide", subject.decide(run.stack, one, run.cap)) for one in run.steps]
    loop = subject.start(run.stack, run.left)
    for says in run.steps:
        loop = subject.tick(loop, says, run.cap)
        end = loop.last.end
        lines.append(_line("tick", (loop, end is not None and subject.failed(end))))
    lines.append(_line("run", subject.run(subject.start(run.stack, run.left), run.steps, run.cap)))
    trees: list[Tree] = [()]
    for record in run.records:
        done = subject.apply(trees[-1], record)
        trees.append(done.tree)
        lines.append(_line(type(record).__name__, done))
    live = trees[-1]
    lines.append(_line("replay", subject.replay(run.records)))
    lines.append(_line("journal", subject.resume(run.records, run.conversation)))
    lines.append(_line("decode", subject.decode(live, run.conversation)))
    written = subject.encode(live, run.conversation, loop.last.stack)
    lines.append(_line("encode", written))
    lines.append(_line("resume", subject.decode(written, run.conversation)))
    back = subject.rewind(written, trees[run.cursor])
    lines.append(_line("rewind", back))
    rewound = subject.apply(written, back)
    lines.append(_line("rewound", rewound))
    lines.append(_line("restored", subject.decode(rewound.tree, run.conversation)))
    return "".join(lines)


RULES: tuple[str, ...] = (
    "a push with room",
    "a push that fits only the layers below",
    "a full stack",
    "no budget to continue",
    "no budget to push",
    "a continuation",
    "a yield",
    "a leave",
    "an abort",
    "all layers defer",
    "no layer at all",
    "no step left",
    "a tick after the end",
    "a put",
    "a put that is rejected",
    "a branch that is removed",
    "the root is not removed",
    "a rewind that is rejected",
    "a stack written anew",
    "a stack that replaces another",
    "a stack without its conversation",
    "a resume",
    "a damaged stack",
    "a rewind that takes a stack away",
    "a rewind that brings a stack back",
)


def _reached_by_step(before: tuple[Layer, ...], says: Says, cap: int, after: Loop) -> set[str]:
    """Name the rules that one step reached, from what was there before it and the spec's loop after it."""
    end, by = after.last.end, after.last.by
    said = says[: len(before)]
    verdict = said[by] if by is not None else None
    above = said[:by]
    found: set[str] = set()
    match verdict:
        case spec.Stack() if end is None:
            found.add("a push with room")
        case spec.Stack() if end is End.NO_ROOM:
            fits_below = len(before) - len(above) < cap
            found.add("a push that fits only the layers below" if fits_below else "a full stack")
        case spec.Stack() if end is End.NO_BUDGET:
            found.add("no budget to push")
        case spec.Again() if end is End.NO_BUDGET:
            found.add("no budget to continue")
        case spec.Again() if end is None:
            found.add("a continuation")
        case spec.Yield():
            found.add("a yield")
        case spec.Abort():
            found.add("an abort")
    if end is End.NO_STEP:
        found.add("no step left")
    if spec.Leave() in above:
        found.add("a leave")
    if end is End.UNDECIDED:
        found.add("all layers defer" if before else "no layer at all")
    return found


def _reached_by_tree(run: Scenario) -> set[str]:
    """Name the rules that the journal and the stack's document reached."""
    found: set[str] = set()
    trees: list[Tree] = [()]
    for record in run.records:
        done = spec.apply(trees[-1], record)
        match record, done.refused:
            case spec.Put(), None:
                found.add("a put")
            case spec.Put(), _:
                found.add("a put that is rejected")
            case spec.Del(), None if len(done.tree) < len(trees[-1]) - 1:
                found.add("a branch that is removed")
            case spec.Del(), Refused():
                found.add("the root is not removed")
            case spec.Rewind(), Refused():
                found.add("a rewind that is rejected")
        trees.append(done.tree)
    live, snapshot = trees[-1], trees[run.cursor]
    held = [
        one for one in live if one.parent == run.conversation and not isinstance(one.value, Other)
    ]
    there = run.conversation == 0 or any(one.id == run.conversation for one in live)
    found.add(
        "a stack without its conversation"
        if not there
        else "a stack that replaces another"
        if held
        else "a stack written anew"
    )
    if there:
        found.add("a resume")
        before = spec.decode(snapshot, run.conversation)
        if before == ():
            found.add("a rewind that takes a stack away")
        elif isinstance(before, tuple):
            found.add("a rewind that brings a stack back")
    if isinstance(spec.decode(live, run.conversation), Damage):
        found.add("a damaged stack")
    return found


def _reached(run: Scenario, _transcript: str) -> frozenset[str]:
    found = _reached_by_tree(run)
    loop = spec.start(run.stack, run.left)
    for says in run.steps:
        after = spec.tick(loop, says, run.cap)
        if loop.last.end is not None:
            found.add("a tick after the end")
        else:
            found |= _reached_by_step(loop.last.stack, says, run.cap, after)
        loop = after
    return frozenset(found)


BRIDGE: Bridge[Scenario] = Bridge(
    area="director",
    rules=RULES,
    scenarios=_scenarios,
    spec=lambda run: _transcript(spec, run),
    core=lambda run: _transcript(CORE, run),
    reached=_reached,
    count=400,
)
