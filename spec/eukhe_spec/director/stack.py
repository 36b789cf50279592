"""The stack and its loop: what each layer says, what a decision makes of it, and how the loop ends (S5.1 to S5.3).

A stack is a tuple of layers, the top first. A step's verdicts are a tuple, one a layer from the top; a layer
without a verdict defers. The kind of a layer is a number: what a kind carries is not modelled.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from eukhe_spec.contracts import ensure

__all__ = [
    "Abort",
    "Again",
    "Decision",
    "Defer",
    "End",
    "Layer",
    "Leave",
    "Loop",
    "Says",
    "Stack",
    "Verdict",
    "Yield",
    "decide",
    "failed",
    "run",
    "start",
    "tick",
]


@dataclass(frozen=True)
class Layer:
    """A layer: its kind, and its budget, the loop steps that it can still ask for."""

    kind: int
    budget: int


@dataclass(frozen=True)
class Defer:
    """The next layer down decides; the layer stays."""


@dataclass(frozen=True)
class Again:
    """The loop continues, for 1 unit of the layer's budget."""


@dataclass(frozen=True)
class Yield:
    """The loop stops and gives control back to the user."""


@dataclass(frozen=True)
class Stack:
    """The layer puts `layer` on top of itself and the loop continues, for 1 unit of its budget."""

    layer: Layer


@dataclass(frozen=True)
class Leave:
    """The layer removes itself; the next layer down decides."""


@dataclass(frozen=True)
class Abort:
    """The loop stops with a failure."""


Verdict: TypeAlias = Defer | Again | Yield | Stack | Leave | Abort
Says: TypeAlias = tuple[Verdict, ...]


class End(Enum):
    """How a loop ends: the first four give control back, the last two fail."""

    YIELDED = "a layer yielded"
    NO_BUDGET = "a layer had no budget"
    UNDECIDED = "no layer decided"
    NO_STEP = "no step was left"
    ABORTED = "a layer aborted"
    NO_ROOM = "a push had no room"


def failed(end: End) -> bool:
    """Say whether the loop failed, or else gave control back to the user (S5.1)."""
    return end in (End.ABORTED, End.NO_ROOM)


@dataclass(frozen=True)
class Decision:
    """What a step made of the stack: the stack after it, its end (`None`: the loop continues), and who decided.

    `by` counts layers from the top of the stack before the step; it is `None` when no layer decided.
    """

    stack: tuple[Layer, ...]
    end: End | None
    by: int | None


@dataclass(frozen=True)
class Loop:
    """The loop of one run: its last decision, and the steps left of its global budget."""

    last: Decision
    left: int


def _spent(layer: Layer) -> Layer:
    return Layer(layer.kind, layer.budget - 1)


@ensure(
    lambda stack, cap, result: len(result.stack) <= max(len(stack), cap),
    "a decision never grows the stack past its cap (S5.1)",
)
def decide(stack: tuple[Layer, ...], says: Says, cap: int) -> Decision:
    """Ask the layers from the top until one decides (S5.1, S5.2).

    Args:
        stack: The layers, the top first.
        says: The verdict of each layer, the top first.
        cap: How many layers the stack can hold.
    """
    above: tuple[Layer, ...] = ()
    for by, (layer, verdict) in enumerate(zip(stack, says, strict=False)):
        below = stack[by + 1 :]
        here = (*above, layer, *below)
        match verdict:
            case Defer():
                above = (*above, layer)
            case Leave():
                pass
            case Yield():
                return Decision(here, End.YIELDED, by)
            case Abort():
                return Decision(here, End.ABORTED, by)
            case Again() | Stack() if layer.budget == 0:
                return Decision(here, End.NO_BUDGET, by)
            case Again():
                return Decision((*above, _spent(layer), *below), None, by)
            case Stack(pushed):
                # The layers above (also those that deferred or left), the layer, and the layers below.
                if by + 1 + len(below) < cap:
                    return Decision((*above, pushed, _spent(layer), *below), None, by)
                return Decision(here, End.NO_ROOM, by)
    return Decision(above + stack[len(says) :], End.UNDECIDED, None)


def start(stack: tuple[Layer, ...], steps: int) -> Loop:
    """Start the loop of a run with its global budget of steps (S5.3)."""
    return Loop(Decision(stack, None, None), steps)


def _without_a_step(verdict: Verdict) -> Verdict:
    return Yield() if isinstance(verdict, Again | Stack) else verdict


@ensure(
    lambda loop, result: loop.last.end is None or result == loop,
    "an ended loop stays as it ended (S5.3)",
)
def tick(loop: Loop, says: Says, cap: int) -> Loop:
    """Take one step of the loop (S5.3): a continuation costs 1 step; when no step is left, it yields."""
    if loop.last.end is not None:
        return loop
    decision = decide(loop.last.stack, says, cap)
    if decision.end is not None:
        return Loop(decision, loop.left)
    if loop.left > 0:
        return Loop(decision, loop.left - 1)
    yielded = decide(loop.last.stack, tuple(_without_a_step(one) for one in says), cap)
    return Loop(Decision(yielded.stack, End.NO_STEP, yielded.by), 0)


def run(loop: Loop, steps: tuple[Says, ...], cap: int) -> Loop:
    """Take a step of the loop for each of `steps`."""
    for says in steps:
        loop = tick(loop, says, cap)
    return loop
