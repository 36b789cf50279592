"""Compaction (S6.6): when one starts, what it keeps, and how each start finds its end.

A `Policy` is what the settings and the model's window say. A `Ledger` is what a conversation carries: whether a
compaction is running and whether a summary is waiting to be placed. Each event of the run gives a new ledger and
the effects that go out, so `compaction_start` and `compaction_end` pair up whatever the run does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

__all__ = [
    "IDLE",
    "Effect",
    "Ledger",
    "Policy",
    "Summary",
    "cut",
    "failed",
    "finished",
    "lost",
    "manual",
    "overtaken",
    "place",
    "prepare",
]


@dataclass(frozen=True, slots=True)
class Policy:
    """The settings of compaction for one model, in tokens.

    Attributes:
        window: The model's context window.
        reserve: `compaction.reserveTokens`, kept free below the window.
        margin: What the threshold lies below the limit, in tokens; used when `margin_percent` is `None`.
        margin_percent: The margin as a percentage of the window; 10 in a session.
        keep_recent: `compaction.keepRecentTokens`, the newest part that stays as it is.
    """

    window: int
    reserve: int
    margin: int = 32_768
    margin_percent: int | None = 10
    keep_recent: int = 40_000

    @property
    def limit(self) -> int:
        """The context over which a request waits for a compaction (S6.6)."""
        return self.window - self.reserve

    @property
    def threshold(self) -> int:
        """The context over which a background compaction starts (S6.6)."""
        percent = self.margin_percent
        return self.limit - (self.margin if percent is None else self.window * percent // 100)

    @property
    def keeps(self) -> int:
        """How many tokens a compaction keeps at most: half of the threshold, so that history is left (S6.6)."""
        return max(0, min(self.keep_recent, self.threshold // 2))


def cut(tokens: Sequence[int], results: Sequence[bool], keeps: int) -> int:
    """Return how many entries a compaction summarizes; the newest ones after them are kept (S6.6).

    Args:
        tokens: The tokens of each entry since the last kept boundary, oldest first; system entries count.
        results: Whether each entry is a tool result: the kept part never begins with one.
        keeps: How many tokens may be kept.
    """
    found, held = len(tokens), 0
    for place in range(len(tokens) - 1, -1, -1):
        held += tokens[place]
        if held > keeps:
            break
        if not results[place]:
            found = place
    return found


class Summary(Enum):
    """A summary that is ready and not placed yet; a stale one stands behind a later compaction."""

    FRESH = "fresh"
    STALE = "stale"


class Effect(Enum):
    """What goes out: a start, a wait of the request, or an end and how the compaction ended."""

    START = "start"
    WAIT = "wait"
    PLACED = "end, placed"
    SKIPPED = "end, skipped"
    FAILED = "end, unsuccessful"


@dataclass(frozen=True, slots=True)
class Ledger:
    """Where the compactions of a conversation stand.

    Attributes:
        running: Whether one is running.
        queued: The summary that waits for the run's next boundary; `None` when there is none.
    """

    running: bool = False
    queued: Summary | None = None

    @property
    def free(self) -> bool:
        """Whether a compaction may start: one at a time, and none in front of a summary that is to be placed."""
        return not (self.running or self.queued is Summary.FRESH)


#: No compaction is running or waiting.
IDLE = Ledger()

Change = tuple[Ledger, tuple[Effect, ...]]

_BOUNDARY = {
    None: (),
    Summary.FRESH: (Effect.PLACED,),
    Summary.STALE: (Effect.SKIPPED,),
}


def prepare(ledger: Ledger, policy: Policy, context: int) -> Change:
    """Look at the context of the next request: start in the background, make it wait, both or neither (S6.6).

    Args:
        ledger: Where the compactions stand.
        policy: The settings.
        context: The estimate, or the provider's count, of the request's input tokens.
    """
    wait = (Effect.WAIT,) if context > policy.limit else ()
    if context > policy.threshold and ledger.free:
        return replace(ledger, running=True), (Effect.START, *wait)
    return ledger, wait


def manual(ledger: Ledger) -> Change:
    """Start the compaction that the user asks for, unless one is under way (S6.6)."""
    return (replace(ledger, running=True), (Effect.START,)) if ledger.free else (ledger, ())


def finished(ledger: Ledger, *, in_run: bool) -> Change:
    """Take the summary of the running compaction: into the queue during a run, else in its place at once (S6.6).

    A summary that still waits is stale by then, because none starts in front of a fresh one; it is skipped.
    """
    if not ledger.running:
        return ledger, ()
    skipped = _BOUNDARY[ledger.queued]
    if in_run:
        return Ledger(queued=Summary.FRESH), skipped
    return IDLE, (*skipped, Effect.PLACED)


def failed(ledger: Ledger) -> Change:
    """End the running compaction without a summary."""
    return (replace(ledger, running=False), (Effect.FAILED,)) if ledger.running else (ledger, ())


def place(ledger: Ledger) -> Change:
    """Reach the run's next boundary: the queued summary is placed, a stale one is skipped (S6.6)."""
    return replace(ledger, queued=None), _BOUNDARY[ledger.queued]


def overtaken(ledger: Ledger) -> Change:
    """Let a later compaction place its summary: the one in the queue is stale behind it (S6.6)."""
    return replace(ledger, queued=ledger.queued and Summary.STALE), ()


def lost(ledger: Ledger) -> Change:
    """Lose the queued summary: its write left the queue with no settlement, or a snapshot replaced it (S6.6)."""
    return replace(ledger, queued=None), (Effect.FAILED,) if ledger.queued else ()
