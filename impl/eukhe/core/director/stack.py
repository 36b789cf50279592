"""The stack and its loop: one decision a step, in one pass, over verdicts that are asked for only as needed.

`decide` and `tick` take the verdicts as an iterable and stop asking at the layer that decides, so a caller can
work a verdict out (run a gate, look at the goal) when, and only when, its turn comes (S5.5).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = [
    "Abort",
    "Again",
    "Autonomous",
    "Decision",
    "Defer",
    "End",
    "ForcedCall",
    "Goal",
    "Kind",
    "Layer",
    "Leave",
    "Loop",
    "Reminder",
    "Stack",
    "Verdict",
    "Yield",
    "decide",
    "run",
    "start",
    "tick",
]


@dataclass(frozen=True, slots=True)
class Goal:
    """The kind of the goal's layer."""


@dataclass(frozen=True, slots=True)
class Autonomous:
    """The kind of the autonomous run's layer."""


@dataclass(frozen=True, slots=True)
class Reminder:
    """The kind of a reminder: its text goes first in the next continuation."""

    text: str


@dataclass(frozen=True, slots=True)
class ForcedCall:
    """The kind of a forced tool call: the tool, and how many retries a miss has."""

    tool: str
    tries: int


Kind: TypeAlias = Goal | Autonomous | Reminder | ForcedCall


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer of the stack: its kind, and its budget, the loop steps that it can still ask for."""

    kind: Kind
    budget: int


@dataclass(frozen=True, slots=True)
class Defer:
    """The next layer down decides; the layer stays."""


@dataclass(frozen=True, slots=True)
class Again:
    """The loop continues, for 1 unit of the layer's budget."""


@dataclass(frozen=True, slots=True)
class Yield:
    """The loop stops and gives control back to the user."""


@dataclass(frozen=True, slots=True)
class Stack:
    """The layer puts `layer` on top of itself and the loop continues, for 1 unit of its budget."""

    layer: Layer


@dataclass(frozen=True, slots=True)
class Leave:
    """The layer removes itself; the next layer down decides."""


@dataclass(frozen=True, slots=True)
class Abort:
    """The loop stops with a failure."""


Verdict: TypeAlias = Defer | Again | Yield | Stack | Leave | Abort


class End(Enum):
    """How a loop ended; `failed` tells a failure from control that goes back to the user."""

    YIELDED = "yielded"
    NO_BUDGET = "no budget"
    UNDECIDED = "undecided"
    NO_STEP = "no step"
    ABORTED = "aborted"
    NO_ROOM = "no room"

    @property
    def failed(self) -> bool:
        """Whether the loop failed."""
        return self in (End.ABORTED, End.NO_ROOM)


@dataclass(frozen=True, slots=True)
class Decision:
    """What a step made of the stack.

    Attributes:
        stack: The layers after the step, the top first.
        end: How the loop ends; `None` when it continues.
        by: The layer that decided, counted from the top of the stack before the step; `None` when none did.
    """

    stack: tuple[Layer, ...]
    end: End | None = None
    by: int | None = None


@dataclass(frozen=True, slots=True)
class Loop:
    """The loop of one run: its last decision, and the steps left of its global budget."""

    last: Decision
    left: int


def _ending(verdict: Verdict, budget: int, room: bool, step: bool) -> End | None:
    """Say how a layer that neither defers nor leaves ends the loop; `None` when the loop continues."""
    if isinstance(verdict, Abort):
        return End.ABORTED
    if not isinstance(verdict, Again | Stack):
        return End.YIELDED
    if budget < 1:
        return End.NO_BUDGET
    if not room and isinstance(verdict, Stack):
        return End.NO_ROOM
    return None if step else End.NO_STEP


def _judge(stack: Sequence[Layer], says: Iterable[Verdict], cap: int, step: bool) -> Decision:
    after = list(stack)
    at = 0  # where the layer that speaks stands in `after`, once those that left are gone
    for by, (layer, verdict) in enumerate(zip(stack, says, strict=False)):
        if isinstance(verdict, Defer):
            at += 1
        elif isinstance(verdict, Leave):
            del after[at]
        else:
            # A push needs room in the full stack, the layers that deferred or left included (S5.1).
            end = _ending(verdict, layer.budget, len(stack) < cap, step)
            if end is None:
                after[at] = Layer(layer.kind, layer.budget - 1)
                if isinstance(verdict, Stack):
                    after.insert(at, verdict.layer)
            return Decision(tuple(after), end, by)
    return Decision(tuple(after), End.UNDECIDED)


def decide(stack: Sequence[Layer], says: Iterable[Verdict], cap: int) -> Decision:
    """Ask the layers from the top until one decides (S5.1, S5.2).

    Args:
        stack: The layers, the top first.
        says: The verdict of each layer, the top first; a layer without one defers. Nothing is taken from it
            after the verdict that decides.
        cap: How many layers the stack can hold.
    """
    return _judge(stack, says, cap, step=True)


def start(stack: Sequence[Layer], steps: int) -> Loop:
    """Start the loop of a run with its global budget of steps (S5.3)."""
    return Loop(Decision(tuple(stack)), steps)


def tick(loop: Loop, says: Iterable[Verdict], cap: int) -> Loop:
    """Take one step of the loop (S5.3).

    A continuation costs 1 step. When no step is left, a continuation yields: the layer that asked for it pays
    nothing, and nothing is pushed. An ended loop stays as it ended.

    Args:
        loop: The loop.
        says: The verdicts of this step, as for `decide`.
        cap: How many layers the stack can hold.
    """
    if loop.last.end is not None:
        return loop
    decision = _judge(loop.last.stack, says, cap, step=loop.left > 0)
    return Loop(decision, loop.left - (decision.end is None))


def run(loop: Loop, steps: Iterable[Iterable[Verdict]], cap: int) -> Loop:
    """Take a step of the loop for each of `steps`."""
    for says in steps:
        loop = tick(loop, says, cap)
    return loop
