"""The bridge of `tiny` (S9): roles over generated settings and installs, a worker over needs and exits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from eukhe.core import tiny as core
from eukhe_bridge.kit import Bridge
from eukhe_spec import tiny as spec
from eukhe_spec.tiny import (
    Election,
    Event,
    Exit,
    Need,
    Outcome,
    Picked,
    Role,
    Unavailable,
)

__all__ = ["BRIDGE", "CORE"]


def _name(model: int) -> str:
    return f"model-{model}"


def _names(models: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(_name(model) for model in models)


def _number(name: str) -> int:
    return int(name.removeprefix("model-"))


def _chain(role: Role, local: tuple[int, ...], session: int | None) -> tuple[str, ...]:
    return core.chain(
        _names(local),
        primary=None if role.primary is None else _name(role.primary),
        fallback=None if role.fallback is None else _names(role.fallback),
        session=None if session is None else _name(session),
    )


def _tag(tag: int) -> str:
    return str(core.Tag(f"0.1.{tag}", "cpu", "q4"))


@dataclass
class _Worker:
    """The worker of one model, as the processes that need it find it: a tag that answers, or nothing."""

    answer: str | None = None

    def need(self, tag: str) -> core.Served:
        served = core.serve(self.answer, tag)
        if served is not core.Served.JOINED:  # the process starts a worker with its own tag
            self.answer = tag
        return served


class _Core:
    """The core under the spec's signatures."""

    def builtin(self, local: tuple[int, ...], session: int | None, text: bool) -> tuple[int, ...]:
        found = _chain(Role(None, None), local, session if text else None)
        return tuple(_number(name) for name in found)

    def chain(self, role: Role, priority: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(_number(name) for name in _chain(role, priority, None))

    def pick(self, models: tuple[int, ...], available: tuple[int, ...]) -> Picked | Unavailable:
        match core.pick(_names(models), frozenset(_names(available))):
            case core.Unavailable(chain=chain):
                return Unavailable(tuple(_number(name) for name in chain))
            case name:
                return Picked(_number(name))

    def elect(self, events: tuple[Event, ...]) -> Election:
        worker, outcomes = _Worker(), []
        for event in events:
            match event:
                case Need(tag):
                    outcomes.append(Outcome[worker.need(_tag(tag)).name])
                case Exit():
                    worker.answer = None
        answer = worker.answer
        running = None if answer is None else int(answer.split("|")[0].removeprefix("0.1."))
        return Election(running, tuple(outcomes))


CORE = _Core()


@dataclass(frozen=True)
class Scenario:
    """A role's settings and installs, and what happens to one worker."""

    role: Role
    local: tuple[int, ...]
    session: int | None
    text: bool
    available: tuple[int, ...]
    events: tuple[Event, ...]


_EDGES = (
    Scenario(Role(None, None), (), None, True, (), ()),
    Scenario(Role(None, ()), (1, 2), 9, True, (1, 2, 9), (Exit(),)),
    Scenario(Role(5, ()), (1, 2), 9, True, (1, 2, 9), (Need(1), Need(1), Need(2))),
    Scenario(Role(5, ()), (1, 2), 9, True, (5,), (Need(1), Exit(), Need(1))),
    Scenario(Role(None, None), (1, 2), 9, True, (9,), (Need(1), Need(2), Need(1))),
    Scenario(Role(None, None), (1, 2), 9, False, (9,), (Need(3), Exit(), Exit())),
    Scenario(Role(5, None), (1, 2), 9, True, (2, 1), (Need(3), Need(4), Exit(), Need(4))),
    Scenario(Role(5, (6, 7)), (1, 2), None, True, (7, 1), (Exit(), Need(2), Need(2))),
)


def _scenarios(rng: Random, count: int) -> Iterator[Scenario]:
    yield from _EDGES[:count]
    for _ in range(count - len(_EDGES)):
        models = rng.sample(range(9), k=6)
        fallback = None if rng.random() < 0.4 else tuple(models[: rng.randrange(4)])
        events: list[Event] = [
            Exit() if rng.random() < 0.25 else Need(rng.randrange(3))
            for _ in range(rng.randrange(12))
        ]
        yield Scenario(
            Role(None if rng.random() < 0.5 else models[5], fallback),
            tuple(models[3:5]),
            None if rng.random() < 0.3 else 10,
            rng.random() < 0.7,
            tuple(model for model in (*range(9), 10) if rng.random() < 0.3),
            tuple(events),
        )


def _spec(scenario: Scenario) -> str:
    priority = spec.builtin(scenario.local, scenario.session, scenario.text)
    models = spec.chain(scenario.role, priority)
    lines = ["chain " + " ".join(_names(models))]
    match spec.pick(models, scenario.available):
        case Picked(model):
            lines.append(f"uses {_name(model)}")
        case Unavailable(tried):
            lines.append("unavailable: " + " ".join(_names(tried)))
    for end in range(1, len(scenario.events) + 1):
        found = spec.elect(scenario.events[:end])
        match scenario.events[end - 1]:
            case Need(tag):
                lines.append(f"need {_tag(tag)}: {found.outcomes[-1].value}")
            case Exit():
                lines.append("exit")
    return "\n".join(lines) + "\n"


def _core(scenario: Scenario) -> str:
    session = scenario.session if scenario.text else None
    models = _chain(scenario.role, scenario.local, session)
    lines = ["chain " + " ".join(models)]
    match core.pick(models, set(_names(scenario.available))):
        case core.Unavailable(chain=tried):
            lines.append("unavailable: " + " ".join(tried))
        case name:
            lines.append(f"uses {name}")
    worker = _Worker()
    for event in scenario.events:
        match event:
            case Need(tag):
                lines.append(f"need {_tag(tag)}: {worker.need(_tag(tag)).value}")
            case Exit():
                worker.answer = None
                lines.append("exit")
    return "\n".join(lines) + "\n"


def _reached(scenario: Scenario, transcript: str) -> frozenset[str]:
    role, lines = scenario.role, transcript.splitlines()
    models = lines[0].split()[1:]
    used = lines[1].split()[1] if lines[1].startswith("uses") else ""
    session = "" if scenario.session is None else _name(scenario.session)
    found = {
        "a primary model": role.primary is not None and used == models[0],
        "a fallback chain": bool(role.fallback),
        "an explicit empty chain": role.fallback == () and role.primary is not None,
        "the built-in priority": role.fallback is None and bool(scenario.local),
        "the session's model": used == session != "",
        "no provider model for this role": bool(session) and not scenario.text,
        "the first available, not the first": used != "" and used != models[0],
        "unavailable": used == "" and bool(models),
        "an empty chain": not models,
        "started": any(line.endswith("started") for line in lines),
        "joined": any(line.endswith("joined") for line in lines),
        "replaced": any(line.endswith("replaced") for line in lines),
        "started again after an exit": any(
            line == "exit" and after.endswith("started") for line, after in pairwise(lines[3:])
        ),
    }
    return frozenset(name for name, seen in found.items() if seen)


BRIDGE = Bridge(
    area="tiny",
    rules=(
        "a primary model",
        "a fallback chain",
        "an explicit empty chain",
        "the built-in priority",
        "the session's model",
        "no provider model for this role",
        "the first available, not the first",
        "unavailable",
        "an empty chain",
        "started",
        "joined",
        "replaced",
        "started again after an exit",
    ),
    scenarios=_scenarios,
    spec=_spec,
    core=_core,
    reached=_reached,
)
