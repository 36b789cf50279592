"""The laws of `director` about a decision, its end and the loop of a run (S5.1 to S5.3)."""

from __future__ import annotations

from itertools import cycle, islice

from eukhe_laws._director import (
    Above,
    Around,
    Steps,
    kept,
    passes,
    verdicts,
)
from eukhe_laws._director_subject import CORE, SPEC, Director
from eukhe_laws.engine.domain import Scope
from eukhe_laws.engine.law import law
from eukhe_spec.director import (
    Abort,
    Again,
    Decision,
    Defer,
    End,
    Layer,
    Leave,
    Loop,
    Says,
    Stack,
    Yield,
)

__all__ = ["AREA", "CORE", "SPEC"]

AREA = "director"

_KINDS = ("kind", Scope(1))
_STEP = Scope(2, 2, over=(_KINDS, ("cap", Scope(4))))
_DECIDER = Scope(2, 1, over=(_KINDS, ("rest", Scope(2, 1)), ("above", Scope(2, 2))))
_LOOP = Scope(2, 1, over=(_KINDS, ("cap", Scope(3))))


def _richer(layer: Layer) -> Layer:
    return Layer(layer.kind, layer.budget + 1)


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
