"""The bridge of `compaction` (S6.6): thresholds, cuts, and the life of compactions over generated events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from eukhe.core import compaction as core
from eukhe_bridge.kit import Bridge
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

__all__ = ["BRIDGE", "CORE"]


def _policy(room: Room, keep_recent: int = 0) -> core.Policy:
    match room.margin:
        case Percent(percent):
            return core.Policy(room.window, room.reserve, 0, percent, keep_recent)
        case Tokens(tokens):
            return core.Policy(room.window, room.reserve, tokens, None, keep_recent)


def _asked(request: Request) -> core.Policy:
    """A policy with this limit and this threshold, whatever window gave them."""
    return core.Policy(request.limit, 0, request.limit - request.threshold, None)


def _advance(ledger: core.Ledger, event: Event) -> core.Change:
    match event:
        case Request(context=context):
            return core.prepare(ledger, _asked(event), context)
        case Manual():
            return core.manual(ledger)
        case Finished(in_run=in_run):
            return core.finished(ledger, in_run=in_run)
        case Failed():
            return core.failed(ledger)
        case Placing():
            return core.place(ledger)
        case Later():
            return core.overtaken(ledger)
        case Lost():
            return core.lost(ledger)
        case RunEnded():
            return ledger, ()


def _ledger(state: State) -> core.Ledger:
    queued = None if state.queue is Queue.EMPTY else core.Summary[state.queue.name]
    return core.Ledger(state.running, queued)


def _state(ledger: core.Ledger) -> State:
    queue = Queue.EMPTY if ledger.queued is None else Queue[ledger.queued.name]
    return State(ledger.running, queue)


class _Core:
    """The core under the spec's signatures."""

    def limit(self, room: Room) -> int:
        return _policy(room).limit

    def threshold(self, room: Room) -> int:
        return _policy(room).threshold

    def kept_budget(self, keep_recent: int, room: Room) -> int:
        return _policy(room, keep_recent).keeps

    def cut(self, entries: tuple[Entry, ...], budget: int) -> int:
        return core.cut(
            [entry.tokens for entry in entries], [entry.result for entry in entries], budget
        )

    def step(self, state: State, event: Event) -> tuple[State, tuple[Out, ...]]:
        ledger, effects = _advance(_ledger(state), event)
        return _state(ledger), tuple(Out[effect.name] for effect in effects)

    def run(self, state: State, events: tuple[Event, ...]) -> tuple[State, tuple[Out, ...]]:
        ledger, out = _ledger(state), []
        for event in events:
            ledger, effects = _advance(ledger, event)
            out += [Out[effect.name] for effect in effects]
        return _state(ledger), tuple(out)


CORE = _Core()


@dataclass(frozen=True)
class Scenario:
    """A conversation: its room, what it keeps, its entries, and what happens to its compactions."""

    room: Room
    keep_recent: int
    entries: tuple[Entry, ...]
    events: tuple[Event, ...]


_SMALL = Room(1000, 100, Percent(10))

_EDGES = (
    Scenario(Room(0, 0, Tokens(0)), 0, (), ()),
    Scenario(Room(200_000, 16_384, Percent(10)), 40_000, (Entry(30_000, False),) * 6, ()),
    Scenario(Room(32_000, 16_384, Tokens(32_768)), 40_000, (Entry(900, True),) * 9, (Manual(),)),
    Scenario(
        _SMALL,
        300,
        (Entry(400, False), Entry(200, False), Entry(250, True), Entry(40, False)),
        (Request(800, 900, 800), Request(801, 900, 800), Request(900, 900, 800)),
    ),
    Scenario(
        _SMALL,
        50,
        (Entry(10, False),) * 3,
        (Request(901, 900, 800), Finished(True), Request(850, 900, 800), RunEnded(), Placing()),
    ),
    Scenario(_SMALL, 50, (Entry(60, False),), (Manual(), Finished(False), Failed(), Lost())),
    Scenario(
        _SMALL,
        50,
        (),
        (Manual(), Finished(True), Later(), Manual(), Placing(), Failed(), Later(), Manual()),
    ),
    Scenario(_SMALL, 50, (), (Manual(), Finished(True), Lost(), Finished(True), Placing())),
    Scenario(_SMALL, 9, (), (Manual(), Finished(True), Later(), Manual(), Finished(True))),
    Scenario(_SMALL, 9, (), (Manual(), Finished(True), Later(), Manual(), Finished(False))),
)


def _event(rng: Random) -> Event:
    kinds: tuple[Event, ...] = (
        Manual(),
        Finished(True),
        Finished(False),
        Failed(),
        Placing(),
        Later(),
        RunEnded(),
        Lost(),
    )
    if rng.random() < 0.5:
        limit = rng.randrange(500, 1000)
        return Request(rng.randrange(1200), limit, limit - rng.randrange(300))
    return rng.choice(kinds)


def _scenarios(rng: Random, count: int) -> Iterator[Scenario]:
    yield from _EDGES[:count]
    for _ in range(count - len(_EDGES)):
        margin = Percent(rng.randrange(40)) if rng.random() < 0.5 else Tokens(rng.randrange(500))
        room = Room(rng.randrange(3000), rng.randrange(600), margin)
        entries = tuple(
            Entry(rng.randrange(200), rng.random() < 0.4) for _ in range(rng.randrange(12))
        )
        events = tuple(_event(rng) for _ in range(rng.randrange(14)))
        yield Scenario(room, rng.randrange(1500), entries, events)


def _spec(scenario: Scenario) -> str:
    room = scenario.room
    budget = spec.kept_budget(scenario.keep_recent, room)
    lines = [
        f"limit {spec.limit(room)} threshold {spec.threshold(room)} keeps {budget}",
        f"cut {spec.cut(scenario.entries, budget)} of {len(scenario.entries)}",
    ]
    state = State(False, Queue.EMPTY)
    for event in scenario.events:
        state, out = spec.step(state, event)
        said = ", ".join(one.value for one in out) or "nothing"
        lines.append(
            f"{type(event).__name__}: {said};"
            f" {'running' if state.running else 'idle'}, queue {state.queue.value}"
        )
    return "\n".join(lines) + "\n"


def _core(scenario: Scenario) -> str:
    policy = _policy(scenario.room, scenario.keep_recent)
    tokens = [entry.tokens for entry in scenario.entries]
    results = [entry.result for entry in scenario.entries]
    lines = [
        f"limit {policy.limit} threshold {policy.threshold} keeps {policy.keeps}",
        f"cut {core.cut(tokens, results, policy.keeps)} of {len(tokens)}",
    ]
    ledger = core.IDLE
    for event in scenario.events:
        ledger, effects = _advance(ledger, event)
        said = ", ".join(one.value for one in effects) or "nothing"
        queue = "empty" if ledger.queued is None else ledger.queued.value
        lines.append(
            f"{type(event).__name__}: {said};"
            f" {'running' if ledger.running else 'idle'}, queue {queue}"
        )
    return "\n".join(lines) + "\n"


def _reached(scenario: Scenario, transcript: str) -> frozenset[str]:
    head, cut, *steps = transcript.splitlines()
    _, _, _, threshold, _, keeps = head.split()
    place = int(cut.split()[1])
    entries = scenario.entries
    kept = sum(entry.tokens for entry in entries[place:])
    pairs = list(zip(scenario.events, steps, strict=True))
    before = ["idle, queue empty", *(line.split("; ")[1] for line in steps)]
    found = {
        "margin in percent": isinstance(scenario.room.margin, Percent),
        "margin in tokens": isinstance(scenario.room.margin, Tokens),
        "half of the threshold is kept": 0 < int(keeps) == int(threshold) // 2,
        "keepRecentTokens is kept": 0 < int(keeps) == scenario.keep_recent,
        "the kept part never begins with a tool result": 0 < place < len(entries)
        and entries[place - 1].result
        and kept + entries[place - 1].tokens <= int(keeps),
        "nothing to cut": place == 0 and bool(entries),
        "nothing is kept": place == len(entries) > 0,
        "a context at the threshold starts nothing": any(
            isinstance(event, Request) and event.context == event.threshold for event, _ in pairs
        ),
        "background start": any(
            isinstance(event, Request) and "start;" in line for event, line in pairs
        ),
        "over the limit the request waits": any(": start, wait;" in line for line in steps),
        "one at a time": any(
            isinstance(event, Request)
            and event.context > event.threshold
            and was.startswith("running")
            for (event, _), was in zip(pairs, before, strict=False)
        ),
        "none in front of a queued summary": any(
            isinstance(event, Request) and event.context > event.threshold and "fresh" in was
            for (event, _), was in zip(pairs, before, strict=False)
        ),
        "one behind a stale summary": any(
            "start" in line and "stale" in was
            for (_, line), was in zip(pairs, before, strict=False)
        ),
        "a manual start": any(line.startswith("Manual: start") for line in steps),
        "a manual start is refused": any(line.startswith("Manual: nothing") for line in steps),
        "queued during a run": any(
            "Finished: nothing; idle, queue fresh" in line for line in steps
        ),
        "placed at once outside a run": any("Finished: end, placed" in line for line in steps),
        "placed at the boundary": any("Placing: end, placed" in line for line in steps),
        "stale is skipped": any("Placing: end, skipped" in line for line in steps),
        "stale is skipped for a newer summary": any(
            "Finished: end, skipped" in line for line in steps
        ),
        "a failed compaction": any("Failed: end, unsuccessful" in line for line in steps),
        "the queue outlives the run": any(
            line.startswith("RunEnded") and "fresh" in line for line in steps
        ),
        "a lost summary": any("Lost: end, unsuccessful" in line for line in steps),
    }
    return frozenset(name for name, seen in found.items() if seen)


BRIDGE = Bridge(
    area="compaction",
    rules=(
        "margin in percent",
        "margin in tokens",
        "half of the threshold is kept",
        "keepRecentTokens is kept",
        "the kept part never begins with a tool result",
        "nothing to cut",
        "nothing is kept",
        "a context at the threshold starts nothing",
        "background start",
        "over the limit the request waits",
        "one at a time",
        "none in front of a queued summary",
        "one behind a stale summary",
        "a manual start",
        "a manual start is refused",
        "queued during a run",
        "placed at once outside a run",
        "placed at the boundary",
        "stale is skipped",
        "stale is skipped for a newer summary",
        "a failed compaction",
        "the queue outlives the run",
        "a lost summary",
    ),
    scenarios=_scenarios,
    spec=_spec,
    core=_core,
    reached=_reached,
)
