"""The bridge of `effort` (S10): the core under the spec's signatures, and sessions over generated models."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from eukhe.core import effort as core
from eukhe.core import ladder as core_ladder
from eukhe_bridge._effort import (
    EDGES,
    LEVELS,
    NAMES,
    NATIVE,
    Machine,
    back,
    machines,
    native,
    native_map,
    read_map,
)
from eukhe_bridge.kit import Bridge
from eukhe_spec import effort as spec
from eukhe_spec.effort import Action, Direction, Level, Model, Session, Unset

__all__ = ["BRIDGE", "CORE", "Run"]

_WAYS = {way: core.Direction[way.name] for way in Direction}


def _known(levels: tuple[Level, ...]) -> tuple[core.Level, ...]:
    return native(levels) or ()


def _level(level: Level | None) -> core.Level | None:
    return None if level is None else NATIVE[level]


class _Core:
    """The core under the spec's signatures."""

    def offered(self, model: Model) -> tuple[Level, ...]:
        return back(
            core_ladder.offered(model.reasoning, native_map(model.map), core_ladder.SHIPPED)
        )

    def clamp(self, offered: tuple[Level, ...], level: Level) -> Level:
        return LEVELS[core.clamp(_known(offered), NATIVE[level])]

    def cycle(self, offered: tuple[Level, ...], level: Level, direction: Direction) -> Level | None:
        found = core.cycle(_known(offered), NATIVE[level], _WAYS[direction])
        return None if found is None else LEVELS[found]

    def settle(
        self, offered: tuple[Level, ...] | None, stored: Level | None, default: Level | None
    ) -> Level:
        return LEVELS[core.settle(native(offered), _level(stored), _level(default))]

    def open_session(
        self, offered: tuple[Level, ...] | None, stored: Level | None, default: Level | None
    ) -> Session:
        return Session(offered, self.settle(offered, stored, default))

    def act(self, session: Session, action: Action) -> Session:
        offered, stored = session.offered, _level(session.stored)
        found: core.Level | None
        match action:
            case spec.Switch(offered=new):
                offered, found = new, core.switch(native(new), stored)
            case spec.Set(level=level):
                found = core.fit(native(offered), NATIVE[level])
            case spec.Cycle(direction=direction):
                step = core.step(native(offered), stored, _WAYS[direction])
                found = stored if step is None else step
        return Session(offered, None if found is None else LEVELS[found])

    def sent(self, session: Session) -> Level:
        return LEVELS[core.sent(native(session.offered), _level(session.stored))]

    def shown(self, session: Session) -> Level | Unset:
        text = core.shown(native(session.offered), _level(session.stored))
        return Unset.DEFAULT if text == "default" else LEVELS[core.Level(text)]


CORE = _Core()


@dataclass(frozen=True)
class Run:
    """A scenario: models, the first of which is the session's; a session; and what the user does.

    Attributes:
        models: The models.
        opened: Whether open settles the session; else it is looked at as it is stored.
        stored: The stored level's name; `None` for unset.
        default: The setting's level, by name.
        actions: `("switch", number of the model)`, `("set", level)` or `("cycle", direction)`.
    """

    models: tuple[Machine, ...]
    opened: bool
    stored: str | None
    default: str | None
    actions: tuple[tuple[str, str], ...]


def _some(rng: Random) -> str | None:
    return rng.choice(NAMES) if rng.random() < 0.5 else None


def _actions(rng: Random, models: int) -> Iterator[tuple[str, str]]:
    for _ in range(rng.randrange(12)):
        match rng.randrange(3):
            case 0:
                yield "switch", str(rng.randrange(models))
            case 1:
                yield "set", rng.choice(NAMES)
            case _:
                yield "cycle", rng.choice(("forward", "backward"))


def _scenarios(rng: Random, count: int) -> Iterator[Run]:
    for number in range(count):
        first = EDGES[number] if number < len(EDGES) else machines(rng)
        models = (first, *(rng.choice((rng.choice(EDGES), machines(rng))) for _ in range(2)))
        actions = tuple(_actions(rng, len(models)))
        yield Run(models, rng.random() < 0.8, _some(rng), _some(rng), actions)


def _spec(run: Run) -> str:
    ladders = [spec.offered(Model(one.reasoning, read_map(one.map))) for one in run.models]
    seen = [found if one.listed else None for one, found in zip(run.models, ladders, strict=True)]
    by_name = {NATIVE[level].value: level for level in Level}

    def named(level: Level | None) -> str:
        return "null" if level is None else level.name.lower()

    lines: list[str] = []
    for number, ladder in enumerate(ladders):
        lines.append(" ".join([f"{number} offers", *(named(one) for one in ladder)]))
        for level in Level:
            steps = [named(spec.cycle(ladder, level, way)) for way in Direction]
            at = named(spec.clamp(ladder, level))
            lines.append(f"{number} {named(level)} clamp {at} cycle {' '.join(steps)}")

    def state(what: str, session: Session) -> None:
        shown = spec.shown(session)
        text = shown.value if isinstance(shown, Unset) else named(shown)
        lines.append(
            f"{what}: stored {named(session.stored)} sent {named(spec.sent(session))} shown {text}"
        )

    stored = None if run.stored is None else by_name[run.stored]
    default = None if run.default is None else by_name[run.default]
    session = (
        spec.open_session(seen[0], stored, default) if run.opened else Session(seen[0], stored)
    )
    state("start", session)
    for kind, value in run.actions:
        match kind:
            case "switch":
                session = spec.act(session, spec.Switch(seen[int(value)]))
            case "set":
                session = spec.act(session, spec.Set(by_name[value]))
            case _:
                session = spec.act(session, spec.Cycle(Direction(value)))
        state(f"{kind} {value}", session)
    return "\n".join(lines) + "\n"


def _core(run: Run) -> str:
    lines: list[str] = []
    ladders: list[tuple[core.Level, ...]] = []
    for number, one in enumerate(run.models):
        ladder = core_ladder.offered(one.reasoning, dict(one.map), core_ladder.SHIPPED)
        ladders.append(ladder)
        lines.append(" ".join([f"{number} offers", *ladder]))
        for level in core.Level:
            ahead = core.cycle(ladder, level, core.Direction.FORWARD) or "null"
            behind = core.cycle(ladder, level, core.Direction.BACKWARD) or "null"
            at = core.clamp(ladder, level)
            lines.append(f"{number} {level} clamp {at} cycle {ahead} {behind}")
    model = 0

    def offers() -> tuple[core.Level, ...] | None:
        return ladders[model] if run.models[model].listed else None

    def state(what: str) -> None:
        sent, shown = core.sent(offers(), stored), core.shown(offers(), stored)
        lines.append(f"{what}: stored {stored or 'null'} sent {sent} shown {shown}")

    stored = None if run.stored is None else core.Level(run.stored)
    default = None if run.default is None else core.Level(run.default)
    if run.opened:
        stored = core.settle(offers(), stored, default)
    state("start")
    for kind, value in run.actions:
        match kind:
            case "switch":
                model = int(value)
                stored = core.switch(offers(), stored)
            case "set":
                stored = core.fit(offers(), core.Level(value))
            case _:
                found = core.step(offers(), stored, core.Direction[value.upper()])
                stored = stored if found is None else found
        state(f"{kind} {value}")
    return "\n".join(lines) + "\n"


_RULES = (
    "ladder 1: plain offers off only",
    "ladder 2: null removes",
    "ladder 2: wire keeps",
    "ladder 2: missing below xhigh kept",
    "ladder 2: missing from xhigh removed",
    "ladder 3: off only",
    "ladder 3: no level",
    "clamp 1: offered unchanged",
    "clamp 2: up",
    "clamp 2: down",
    "clamp 3: off",
    "cycle 1: nothing",
    "cycle 2: next",
    "cycle 2: wrap",
    "cycle 2: before",
    "cycle 2: wrap back",
    "cycle 2: from the clamp",
    "session 1: stored",
    "session 1: default",
    "session 1: medium",
    "session 1: clamped",
    "session 1: no catalog model",
    "session 2: switch clamps",
    "session 2: switch keeps",
    "session 2: switch without catalog model",
    "session 2: switch of an unset level",
    "session 2: set clamps",
    "session 2: set without catalog model",
    "session 2: cycle moves",
    "session 2: cycle changes nothing",
    "session 3: off for unset",
    "session 3: clamped",
    "session 4: shown as sent",
    "session 4: default",
)


def _of_models(run: Run, lines: list[list[str]]) -> Iterator[str]:
    rank = {name: place for place, name in enumerate(NAMES)}
    ladders: dict[str, list[str]] = {}
    for words in lines:
        number, what = words[:2]
        model = run.models[int(number)]
        if what == "offers":
            ladder = ladders[number] = words[2:]
            entries = dict(model.map)
            if not model.reasoning:
                yield "ladder 1: plain offers off only"
                continue
            for name in NAMES:
                if name in entries:
                    yield f"ladder 2: {'null removes' if entries[name] is None else 'wire keeps'}"
                elif rank[name] < rank["xhigh"]:
                    yield "ladder 2: missing below xhigh kept"
                else:
                    yield "ladder 2: missing from xhigh removed"
            if ladder == ["off"]:
                yield "ladder 3: off only"
            if not ladder:
                yield "ladder 3: no level"
            continue
        ladder, at, ahead, behind = ladders[number], words[3], words[5], words[6]
        if not ladder:
            yield "clamp 3: off"
        elif what in ladder:
            yield "clamp 1: offered unchanged"
        else:
            yield f"clamp 2: {'up' if rank[at] > rank[what] else 'down'}"
        if len(ladder) < 2:
            yield "cycle 1: nothing"
        else:
            yield f"cycle 2: {'next' if rank[ahead] > rank[at] else 'wrap'}"
            yield f"cycle 2: {'before' if rank[behind] < rank[at] else 'wrap back'}"
            if what not in ladder:
                yield "cycle 2: from the clamp"


def _of_start(run: Run, stored: str, sent: str) -> Iterator[str]:
    if not run.opened:
        if stored not in ("null", sent):
            yield "session 3: clamped"
        return
    wanted = run.stored or run.default or "medium"
    source = "stored" if run.stored else "default" if run.default else "medium"
    yield f"session 1: {source}"
    if not run.models[0].listed:
        yield "session 1: no catalog model"
    elif stored != wanted:
        yield "session 1: clamped"


def _of_session(run: Run, lines: list[list[str]]) -> Iterator[str]:
    model, before = 0, ""
    for words in lines:
        stored, sent, shown = words[-5], words[-3], words[-1]
        if stored == "null":
            yield "session 3: off for unset"
        yield f"session 4: {'default' if shown == 'default' else 'shown as sent'}"
        if words[0] == "switch":
            model = int(words[1].rstrip(":"))
        listed = run.models[model].listed
        match words[0]:
            case "start:":
                yield from _of_start(run, stored, sent)
            case "switch" if before == "null":
                yield "session 2: switch of an unset level"
            case "switch" if not listed:
                yield "session 2: switch without catalog model"
            case "switch":
                yield f"session 2: switch {'keeps' if stored == before else 'clamps'}"
            case "set" if not listed:
                yield "session 2: set without catalog model"
            case "set" if stored + ":" != words[1]:
                yield "session 2: set clamps"
            case "cycle":
                yield f"session 2: cycle {'changes nothing' if stored == before else 'moves'}"
        before = stored


def _reached(run: Run, transcript: str) -> frozenset[str]:
    lines = [line.split() for line in transcript.splitlines()]
    of_models = [words for words in lines if words[0].isdigit()]
    of_session = [words for words in lines if not words[0].isdigit()]
    return frozenset((*_of_models(run, of_models), *_of_session(run, of_session)))


BRIDGE: Bridge[Run] = Bridge("effort", _RULES, _scenarios, _spec, _core, _reached, count=600)
