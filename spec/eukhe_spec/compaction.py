"""The reference model of compaction (S6.6): when it starts, what it keeps, and how each one ends.

Tokens are whole numbers and are compared strictly. The limit and the threshold may be below zero (a reserve larger
than the window): then every context is over them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from eukhe_spec.contracts import ensure

__all__ = [
    "Entry",
    "Event",
    "Failed",
    "Finished",
    "Later",
    "Lost",
    "Manual",
    "Margin",
    "Out",
    "Percent",
    "Placing",
    "Queue",
    "Request",
    "Room",
    "RunEnded",
    "State",
    "Tokens",
    "cut",
    "kept_budget",
    "limit",
    "run",
    "step",
    "threshold",
]


@dataclass(frozen=True)
class Percent:
    """A margin in percent of the context window."""

    percent: int


@dataclass(frozen=True)
class Tokens:
    """A margin in tokens."""

    tokens: int


Margin = Percent | Tokens


@dataclass(frozen=True)
class Room:
    """What a session gives a model: its context window, the reserve below it, and the margin (all in tokens)."""

    window: int
    reserve: int
    margin: Margin


def limit(room: Room) -> int:
    """Return `contextWindow - reserveTokens`: a context over it blocks the request (S6.6)."""
    return room.window - room.reserve


def threshold(room: Room) -> int:
    """Return the limit less the margin: a context over it starts a background compaction (S6.6)."""
    match room.margin:
        case Percent(percent):
            return limit(room) - room.window * percent // 100
        case Tokens(tokens):
            return limit(room) - tokens


def kept_budget(keep_recent: int, room: Room) -> int:
    """Return how many tokens a compaction may keep: at most half of the threshold, never below zero (S6.6)."""
    return max(0, min(keep_recent, threshold(room) // 2))


@dataclass(frozen=True)
class Entry:
    """An entry of the context: its tokens, and whether it is a tool result."""

    tokens: int
    result: bool


@ensure(
    lambda entries, budget, result: (
        0 <= result <= len(entries) and sum(entry.tokens for entry in entries[result:]) <= budget
    ),
    "the kept part is within its budget (S6.6)",
)
def cut(entries: tuple[Entry, ...], budget: int) -> int:
    """Return where a compaction cuts: how many entries it summarizes; the rest, the newest, is kept (S6.6).

    Args:
        entries: The context since the last kept boundary, oldest first; system entries count.
        budget: How many tokens may be kept.

    Returns:
        The least cut whose kept part is within the budget and does not begin with a tool result.
    """
    for place in range(len(entries)):
        kept = sum(entry.tokens for entry in entries[place:])
        if kept <= budget and not entries[place].result:
            return place
    return len(entries)


class Queue(Enum):
    """The queue of summaries: none, one that waits to be placed, or one that went stale behind a later one."""

    EMPTY = "empty"
    FRESH = "fresh"
    STALE = "stale"


@dataclass(frozen=True)
class State:
    """Where the compactions of a conversation stand: one is running or not, and the queue."""

    running: bool
    queue: Queue


@dataclass(frozen=True)
class Request:
    """A request is prepared with a context of so many tokens, against this limit and threshold."""

    context: int
    limit: int
    threshold: int


@dataclass(frozen=True)
class Manual:
    """The user asks for a compaction."""


@dataclass(frozen=True)
class Finished:
    """The running compaction has its summary; `in_run` says whether a run is under way."""

    in_run: bool


@dataclass(frozen=True)
class Failed:
    """The running compaction ends without a summary."""


@dataclass(frozen=True)
class Placing:
    """The run reaches its next boundary: a queued summary is placed."""


@dataclass(frozen=True)
class Later:
    """A later compaction places its summary: one in the queue is stale behind it."""


@dataclass(frozen=True)
class RunEnded:
    """The run ends or is aborted; it keeps its queued writes."""


@dataclass(frozen=True)
class Lost:
    """The queued summary leaves the queue with no settlement, or a snapshot replaces what could settle it."""


Event = Request | Manual | Finished | Failed | Placing | Later | RunEnded | Lost


class Out(Enum):
    """What an event brings about: `compaction_start`, a wait, or a `compaction_end` and how it ended."""

    START = "start"
    WAIT = "wait"
    PLACED = "end, placed"
    SKIPPED = "end, skipped"
    FAILED = "end, unsuccessful"


Step = tuple[State, tuple[Out, ...]]


def _free(state: State) -> bool:
    """No compaction starts while one is running or a summary waits in the queue, not placed and not stale."""
    return not state.running and state.queue is not Queue.FRESH


def _settled(queue: Queue) -> tuple[Out, ...]:
    """How the compaction whose summary is in the queue ends at a boundary."""
    ends = {Queue.EMPTY: (), Queue.FRESH: (Out.PLACED,), Queue.STALE: (Out.SKIPPED,)}
    return ends[queue]


def step(state: State, event: Event) -> Step:
    """Say what an event brings about (S6.6).

    Args:
        state: Where the compactions stand.
        event: What happens.

    Returns:
        The state after it, and what goes out, in order.
    """
    match event:
        case Request(context, limit, threshold):
            starts = context > threshold and _free(state)
            out = ((Out.START,) if starts else ()) + ((Out.WAIT,) if context > limit else ())
            return State(state.running or starts, state.queue), out
        case Manual() if _free(state):
            return State(True, state.queue), (Out.START,)
        case Finished(in_run=True) if state.running:
            # A summary that is still in the queue then is stale: the new one stands in front of it.
            return State(False, Queue.FRESH), _settled(state.queue)
        case Finished(in_run=False) if state.running:
            return State(False, Queue.EMPTY), (*_settled(state.queue), Out.PLACED)
        case Failed() if state.running:
            return State(False, state.queue), (Out.FAILED,)
        case Placing():
            return State(state.running, Queue.EMPTY), _settled(state.queue)
        case Later() if state.queue is Queue.FRESH:
            return State(state.running, Queue.STALE), ()
        case Lost() if state.queue is not Queue.EMPTY:
            return State(state.running, Queue.EMPTY), (Out.FAILED,)
        case _:
            return state, ()


def run(state: State, events: tuple[Event, ...]) -> Step:
    """Let events happen one after the other; give the last state and all that goes out."""
    out: tuple[Out, ...] = ()
    for event in events:
        state, more = step(state, event)
        out = out + more
    return state, out
