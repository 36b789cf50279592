"""The laws of compaction (S6.6)."""

from __future__ import annotations

from itertools import accumulate
from typing import Annotated, Protocol

from eukhe_bridge import compaction as bridge
from eukhe_laws.engine.domain import Among, Scope
from eukhe_laws.engine.law import law
from eukhe_spec import compaction as spec
from eukhe_spec.compaction import (
    Entry,
    Event,
    Failed,
    Finished,
    Later,
    Lost,
    Manual,
    Out,
    Percent,
    Placing,
    Queue,
    Request,
    Room,
    RunEnded,
    State,
    Tokens,
)

#: Percentages of a margin, their ends among them.
Share = Annotated[int, Among((0, 1, 10, 50, 99, 100))]
#: Windows that a percentage divides evenly, and ones that it does not.
Window = Annotated[int, Among((0, 1, 99, 100, 250, 1000))]

_IDLE = State(False, Queue.EMPTY)
_ENDS = frozenset({Out.PLACED, Out.SKIPPED, Out.FAILED})


class Compaction(Protocol):
    """The functions under law."""

    def limit(self, room: Room) -> int: ...
    def threshold(self, room: Room) -> int: ...
    def kept_budget(self, keep_recent: int, room: Room) -> int: ...
    def cut(self, entries: tuple[Entry, ...], budget: int) -> int: ...
    def step(self, state: State, event: Event) -> tuple[State, tuple[Out, ...]]: ...
    def run(self, state: State, events: tuple[Event, ...]) -> tuple[State, tuple[Out, ...]]: ...


SPEC: Compaction = spec
CORE: Compaction = bridge.CORE


def _requests(growths: tuple[int, ...], limit: int, margin: int) -> tuple[Request, ...]:
    """The requests of a session that starts with nothing and grows turn by turn."""
    return tuple([Request(size, limit, limit - margin) for size in accumulate(growths, initial=0)])


def _pending(state: State) -> int:
    """How many compactions have started and not ended."""
    return state.running + (state.queue is not Queue.EMPTY)


def _total(entries: tuple[Entry, ...]) -> int:
    return sum([entry.tokens for entry in entries])


@law(
    section="S6.6",
    scope=Scope(5, 4),
    given=lambda S, growths, limit, margin: all(growth <= margin for growth in growths),
    reach={
        "over the limit": lambda S, growths, limit, margin: sum(growths) > limit > 0,
    },
)
def compact_starts_early(S: Compaction, growths: tuple[int, ...], limit: int, margin: int) -> bool:
    """When each turn grows the context by at most the margin, compaction starts before any turn over the
    limit (S6.6).
    """
    requests = _requests(growths, limit, margin)
    over = [turn for turn, request in enumerate(requests) if request.context > limit]
    return not over or Out.START in S.run(_IDLE, requests[: over[0]])[1]


@law(section="S6.6", scope=Scope(4), ours=True)
def compact_limit_is_window_less_reserve(S: Compaction, room: Room) -> bool:
    """The limit is the context window less the reserve (S6.6)."""
    return S.limit(room) + room.reserve == room.window


@law(section="S6.6", scope=Scope(4), ours=True)
def compact_margin_in_tokens(S: Compaction, window: int, reserve: int, tokens: int) -> bool:
    """The threshold is the limit less a margin in tokens (S6.6)."""
    return S.threshold(Room(window, reserve, Tokens(tokens))) == window - reserve - tokens


@law(section="S6.6", scope=Scope(4), ours=True)
def compact_margin_in_percent(S: Compaction, window: Window, reserve: int, percent: Share) -> bool:
    """The threshold is the limit less a margin in percent of the window, rounded down to a token (S6.6)."""
    margin = window - reserve - S.threshold(Room(window, reserve, Percent(percent)))
    return margin * 100 <= window * percent < (margin + 1) * 100


@law(
    section="S6.6",
    scope=Scope(7),
    reach={
        "half": lambda S, keep_recent, window: keep_recent > window / 2 > 0,
        "the setting": lambda S, keep_recent, window: 0 < keep_recent < window / 2,
    },
    ours=True,
)
def compact_keeps_half_at_most(S: Compaction, keep_recent: int, window: int) -> bool:
    """The kept part is the setting, at most half of the threshold, rounded down, never below zero (S6.6)."""
    kept = S.kept_budget(keep_recent, Room(window, 2, Tokens(0)))
    halves = [half for half in range(window) if half * 2 <= window - 2]
    return kept == min(keep_recent, max(halves, default=0))


@law(
    section="S6.6",
    scope=Scope(3, 3, over=(("budget", Scope(5)),)),
    reach={
        "a tool result is not first": lambda S, entries, budget: (
            len(entries) > 1 and entries[-1].result and entries[-1].tokens <= budget
        ),
    },
    ours=True,
)
def compact_cut_is_the_first_that_fits(
    S: Compaction, entries: tuple[Entry, ...], budget: int
) -> bool:
    """A compaction keeps the most that is within the budget and does not begin with a tool result (S6.6)."""
    fits = [
        place
        for place, entry in enumerate(entries)
        if _total(entries[place:]) <= budget and not entry.result
    ]
    return S.cut(entries, budget) == min([*fits, len(entries)])


@law(
    section="S6.6",
    scope=Scope(3, 3, over=(("window", Scope(6)),)),
    given=lambda S, entries, keep_recent, window: _total(entries) > window,
    ours=True,
)
def compact_has_history(
    S: Compaction, entries: tuple[Entry, ...], keep_recent: int, window: int
) -> bool:
    """A context over the threshold always leaves history to summarize (S6.6)."""
    return S.cut(entries, S.kept_budget(keep_recent, Room(window, 0, Tokens(0)))) > 0


@law(
    section="S6.6",
    scope=Scope(3),
    reach={
        "starts and waits": lambda S, state, request: (
            request.context > request.limit and request.context > request.threshold
        )
    },
    ours=True,
)
def compact_request(S: Compaction, state: State, request: Request) -> bool:
    """A request starts one over the threshold unless one runs or waits fresh, and waits over the limit (S6.6)."""
    free = state in (_IDLE, State(False, Queue.STALE))
    starts = request.context > request.threshold and free
    wanted = [Out.START] * starts + [Out.WAIT] * (request.context > request.limit)
    return S.step(state, request) == (State(state.running or starts, state.queue), tuple(wanted))


@law(section="S6.6", scope=Scope(2), ours=True)
def compact_manual(S: Compaction, state: State) -> bool:
    """A compaction that the user asks for starts exactly when one could start in the background (S6.6)."""
    return S.step(state, Manual()) == S.step(state, Request(1, 1, 0))


@law(section="S6.6", scope=Scope(2), ours=True)
def compact_finished_in_run_waits(S: Compaction, state: State, in_run: bool) -> bool:
    """A summary that is ready in a run waits in the queue, else it is placed; a stale one is skipped (S6.6)."""
    if not state.running:
        return S.step(state, Finished(in_run)) == (state, ())
    after, out = S.step(state, Finished(in_run))
    skipped = {Queue.EMPTY: (), Queue.STALE: (Out.SKIPPED,), Queue.FRESH: (Out.PLACED,)}
    placed = () if in_run else (Out.PLACED,)
    queue = Queue.FRESH if in_run else Queue.EMPTY
    return after == State(False, queue) and out == skipped[state.queue] + placed


@law(section="S6.6", scope=Scope(2), ours=True)
def compact_boundary_settles(S: Compaction, state: State) -> bool:
    """A boundary places a queued summary, and skips one that went stale behind a later compaction (S6.6)."""
    fresh = S.step(State(state.running, Queue.FRESH), Placing())
    stale = S.run(State(state.running, Queue.FRESH), (Later(), Placing()))
    none = S.step(State(state.running, Queue.EMPTY), Placing())
    after = State(state.running, Queue.EMPTY)
    return (fresh, stale, none) == ((after, (Out.PLACED,)), (after, (Out.SKIPPED,)), (after, ()))


@law(section="S6.6", scope=Scope(2), ours=True)
def compact_queue_outlives_run(S: Compaction, state: State) -> bool:
    """A run that ends or is aborted keeps the queued summary and the running compaction (S6.6)."""
    return S.step(state, RunEnded()) == (state, ())


@law(section="S6.6", scope=Scope(2), ours=True)
def compact_lost_is_unsuccessful(S: Compaction, state: State) -> bool:
    """A queued summary that is lost, and a compaction that fails, end as unsuccessful (S6.6)."""
    queued = state.queue is not Queue.EMPTY
    lost = S.step(state, Lost())
    failed = S.step(state, Failed())
    return lost == (State(state.running, Queue.EMPTY), (Out.FAILED,) * queued) and failed == (
        State(False, state.queue),
        (Out.FAILED,) * state.running,
    )


@law(
    section="S6.6",
    scope=Scope(2, 3),
    reach={"a whole life": lambda S, events: Out.PLACED in S.run(_IDLE, events)[1]},
    ours=True,
)
def compact_ends_pair(S: Compaction, events: tuple[Event, ...]) -> bool:
    """Each compaction that starts ends once, or is running or queued still (S6.6)."""
    state, out = S.run(_IDLE, events)
    ended = len([one for one in out if one in _ENDS])
    return out.count(Out.START) == ended + _pending(state)
