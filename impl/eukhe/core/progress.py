"""A goal without progress stops (S5.8): the ledger of a session's work, and the check at each continuation.

The ledger grows with the session: an item costs its own length, whatever came before it, and the ledger keeps 16
bytes an act, however long the results are.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeAlias

from eukhe.core.canonical import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "DEFAULT_STALL_STEPS",
    "Call",
    "Item",
    "Ledger",
    "Mark",
    "Note",
    "Pause",
    "Proceed",
    "Said",
    "check",
]

#: The cap that `directors.stallSteps` 0 stands for.
DEFAULT_STALL_STEPS = 3


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call with its result.

    Attributes:
        id: The call's id.
        at: When it was made, in milliseconds since the epoch.
        text: The text or thinking before it.
        tool: The tool's name.
        arguments: The arguments, a JSON value.
        result: The text of the result.
        error: Whether the result is an error.
    """

    id: str
    at: int
    text: str
    tool: str
    arguments: object
    result: str
    error: bool


@dataclass(frozen=True, slots=True)
class Note:
    """A progress note, its id and its time, and whether it was accepted."""

    id: str
    at: int
    note: str
    accepted: bool


@dataclass(frozen=True, slots=True)
class Said:
    """A text of the model, or its thinking, and its time."""

    at: int
    text: str


Item: TypeAlias = Call | Note | Said


class Ledger:
    """The distinct acts of a session, as digests: a call by tool, arguments, result and error flag, or a note."""

    __slots__ = ("_acts",)

    def __init__(self, items: Iterable[Item] = ()) -> None:
        self._acts: set[bytes] = set()
        for item in items:
            self.add(item)

    def add(self, item: Item) -> None:
        """Enter what the session did; what is no work, or was done before, changes nothing."""
        act: tuple[object, ...]
        if isinstance(item, Call):
            act = (item.tool, item.arguments, item.result, item.error)
        elif isinstance(item, Note) and item.accepted:
            act = (item.note,)
        else:
            return
        self._acts.add(blake2b(canonical(act), digest_size=16).digest())

    @property
    def work(self) -> int:
        """The work of the session: how many distinct acts it did."""
        return len(self._acts)


@dataclass(frozen=True, slots=True)
class Mark:
    """What is kept of a goal's last continuation.

    Attributes:
        run: The run's id.
        goal: The goal's id.
        work: The work of the session then.
        count: How many continuations in a row did no new work, this one included.
    """

    run: str
    goal: str
    work: int
    count: int


@dataclass(frozen=True, slots=True)
class Proceed:
    """The goal continues.

    Attributes:
        mark: What to keep for the next check.
        note: What the continuation tells the model about the stall; `None` when there is none.
    """

    mark: Mark
    note: str | None


@dataclass(frozen=True, slots=True)
class Pause:
    """The goal pauses.

    Attributes:
        mark: The state of the count.
        reason: Why, for the goal and for the user.
    """

    mark: Mark
    reason: str


def check(last: Mark | None, run: str, goal: str, work: int, cap: int) -> Proceed | Pause:
    """Check the progress of a goal that is about to continue (S5.8).

    The first continuation of a run or of a goal starts the count.

    Args:
        last: What was kept of the last continuation of any goal; `None` before the first.
        run: The id of the run that continues.
        goal: The id of the goal that continues.
        work: The work of the session now, in distinct acts.
        cap: The setting `directors.stallSteps`, in continuations; 0 takes the default.
    """
    count = 0
    if last is not None and (last.run, last.goal) == (run, goal) and work <= last.work:
        count = last.count + 1
    mark = Mark(run, goal, work, count)
    most = cap or DEFAULT_STALL_STEPS
    stall = f"{count} goal continuations in a row made no tool call with a new result"
    if not count:
        return Proceed(mark, None)
    if count < most:
        return Proceed(
            mark,
            f"{stall}. At {most} the goal pauses. Take one concrete step now, with a tool.",
        )
    return Pause(mark, f"No progress: {stall}")
