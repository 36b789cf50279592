"""A goal without progress stops (S5.8): the work of a session, and the check at each continuation of a goal.

Names, arguments, results and texts are numbers here: the rule only asks whether two are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from eukhe_spec.contracts import ensure

__all__ = [
    "DEFAULT_STALL_STEPS",
    "Call",
    "Checked",
    "Item",
    "Mark",
    "Note",
    "Said",
    "Told",
    "check",
    "goal",
    "is_act",
    "limit",
    "same",
    "work",
]

#: The cap that `directors.stallSteps` 0 stands for.
DEFAULT_STALL_STEPS = 3


@dataclass(frozen=True)
class Call:
    """A tool call with its result, and what is around it: its id, its time, the text before it."""

    id: int
    time: int
    text: int
    tool: int
    arguments: int
    result: int
    error: bool


@dataclass(frozen=True)
class Note:
    """A progress note, which was accepted or not, and its id and time."""

    id: int
    time: int
    note: int
    accepted: bool


@dataclass(frozen=True)
class Said:
    """A text of the model, or its thinking, and its time."""

    time: int
    text: int


Item: TypeAlias = Call | Note | Said


def is_act(item: Item) -> bool:
    """Say whether an item is work: a tool call with its result, or an accepted progress note."""
    return isinstance(item, Call) or (isinstance(item, Note) and item.accepted)


def same(one: Item, two: Item) -> bool:
    """Say whether two acts are one: call ids, times and texts around a call make no difference."""
    match one, two:
        case Call(), Call():
            return all(
                (
                    one.tool == two.tool,
                    one.arguments == two.arguments,
                    one.result == two.result,
                    one.error == two.error,
                )
            )
        case Note(), Note():
            return one.note == two.note
    return False


@ensure(lambda transcript, result: result <= len(transcript), "an item is at most one act (S5.8)")
def work(transcript: tuple[Item, ...]) -> int:
    """Count the distinct acts of a session."""
    acts: tuple[Item, ...] = ()
    for item in transcript:
        if is_act(item) and not any(same(one, item) for one in acts):
            acts = (*acts, item)
    return len(acts)


@dataclass(frozen=True)
class Mark:
    """What is kept of a goal's last continuation: its run, its goal, the work then, and the count of the stall."""

    run: int
    goal: int
    work: int
    count: int


@dataclass(frozen=True)
class Told:
    """What a continuation tells the model: how many in a row did no new work, and at how many the goal pauses."""

    count: int
    cap: int


@dataclass(frozen=True)
class Checked:
    """What the check made of a continuation.

    `stop` is the number of continuations in a row without new work at which the goal pauses, `None` when it goes
    on; `told` is what it then tells the model, `None` after new work.
    """

    mark: Mark
    stop: int | None
    told: Told | None


def limit(cap: int) -> int:
    """Give the cap of `directors.stallSteps`: 0 takes the default."""
    return DEFAULT_STALL_STEPS if cap == 0 else cap


@ensure(
    lambda result: result.stop is None or result.told is None,
    "a goal that pauses makes no continuation that could tell (S5.8)",
)
def check(last: Mark | None, run: int, goal: int, work: int, cap: int) -> Checked:
    """Check the progress of a goal that is about to continue (S5.8).

    Args:
        last: What was kept of its last continuation; `None` before the first.
        run: The run that continues.
        goal: The goal that continues.
        work: The work of the session now.
        cap: The setting `directors.stallSteps`.
    """
    if last is None or last.run != run or last.goal != goal or work > last.work:
        return Checked(Mark(run, goal, work, 0), None, None)
    count = last.count + 1
    mark = Mark(run, goal, work, count)
    if count < limit(cap):
        return Checked(mark, None, Told(count, limit(cap)))
    return Checked(mark, count, None)


def goal(
    done: tuple[Item, ...], last: Mark, continuations: tuple[tuple[Item, ...], ...], cap: int
) -> Checked:
    """Follow a goal through continuations of one run, until it pauses.

    Args:
        done: What the session did up to the last continuation.
        last: What was kept of that continuation.
        continuations: What the session does in each further continuation.
        cap: The setting `directors.stallSteps`.
    """
    checked = Checked(last, None, None)
    for items in continuations:
        if checked.stop is None:
            done = done + items
            checked = check(checked.mark, last.run, last.goal, work(done), cap)
    return checked
