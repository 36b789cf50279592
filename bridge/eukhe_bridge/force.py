"""The bridge of `force` (S6.3): whole forced calls against generated worlds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from eukhe.core import force as core
from eukhe_bridge.kit import Bridge
from eukhe_spec import force as spec
from eukhe_spec.force import Attempt, Called, NotCalled, Report, Run, Turn

__all__ = ["BRIDGE", "CORE"]

_NOTHING = Turn(False, False, False)


def _drive(
    tool: str, retries: int, world: tuple[Turn, ...]
) -> tuple[list[core.Ask], core.Called | core.NotCalled | None]:
    """Run a forced call as the generation does: ask, send, read the reply.

    A core that asks more often than the retries and the world allow is stopped, and has no end.
    """
    asks: list[core.Ask] = []
    state = core.Forcing(tool, retries)
    for turn in (*world, *([_NOTHING] * (retries + 3))):
        asks.append(core.ask(state, supported=turn.supported, free=turn.free))
        after = core.reply(state, called=turn.calls)
        if not isinstance(after, core.Forcing):
            return asks, after
        state = after
    return asks, None


class _Core:
    """The core under the spec's signatures."""

    def run(self, tool: int, retries: int, world: tuple[Turn, ...]) -> Run:
        asks, end = _drive(f"tool_{tool}", retries, world)
        attempts = tuple(Attempt(ask.native, f"`tool_{tool}`" in ask.soft_prompt) for ask in asks)
        return Run(attempts, self._report(end))

    @staticmethod
    def _report(end: core.Called | core.NotCalled | None) -> Report:
        match end:
            case core.Called():
                return Called()
            case core.NotCalled(tool=tool, requests=requests):
                return NotCalled(int(tool.removeprefix("tool_")), requests)
            case None:
                return NotCalled(-1, -1)


CORE = _Core()


@dataclass(frozen=True)
class Scenario:
    """A forced call: the tool, its retries, and what the world does at each request."""

    tool: int
    retries: int
    world: tuple[Turn, ...]


_EDGES = (
    Scenario(0, 0, ()),
    Scenario(1, 0, (Turn(True, True, True),)),
    Scenario(2, 0, (Turn(True, False, True),)),
    Scenario(3, 1, (Turn(True, False, False), Turn(True, False, True))),
    Scenario(4, 1, (Turn(False, True, False), Turn(False, True, True))),
    Scenario(5, 3, (Turn(True, True, False),) * 6),
    Scenario(6, 2, (_NOTHING, Turn(True, False, False), Turn(False, False, True))),
)


def _scenarios(rng: Random, count: int) -> Iterator[Scenario]:
    yield from _EDGES[:count]
    for _ in range(count - len(_EDGES)):
        world = tuple(
            Turn(rng.random() < 0.6, rng.random() < 0.5, rng.random() < 0.25)
            for _ in range(rng.randrange(7))
        )
        yield Scenario(rng.randrange(9), rng.randrange(6), world)


def _line(number: int, native: bool, soft: bool) -> str:
    return (
        f"request {number}: {'native' if native else 'free choice'},"
        f" {'soft prompt' if soft else 'no prompt'}\n"
    )


def _spec(scenario: Scenario) -> str:
    found = spec.run(scenario.tool, scenario.retries, scenario.world)
    lines = [_line(n, one.native, one.soft) for n, one in enumerate(found.attempts, start=1)]
    match found.report:
        case Called():
            lines.append(f"called tool_{scenario.tool} in {len(found.attempts)}\n")
        case NotCalled(tool=tool, requests=requests):
            lines.append(f"tool_{tool} not called in {requests}\n")
    return "".join(lines)


def _core(scenario: Scenario) -> str:
    tool = f"tool_{scenario.tool}"
    asks, end = _drive(tool, scenario.retries, scenario.world)
    lines = [_line(n, one.native, tool in one.soft_prompt) for n, one in enumerate(asks, start=1)]
    match end:
        case core.Called(tool=name, requests=requests):
            lines.append(f"called {name} in {requests}\n")
        case core.NotCalled(tool=name, requests=requests):
            lines.append(f"{name} not called in {requests}\n")
        case None:
            lines.append("no end\n")
    return "".join(lines)


def _reached(scenario: Scenario, transcript: str) -> frozenset[str]:
    lines = transcript.splitlines()
    requests = len(lines) - 1
    first = scenario.world[0] if scenario.world else _NOTHING
    asked = scenario.world[:requests]
    found = {
        "native at first: supported and free": "native" in lines[0],
        "no native at first: supported but not free": first.supported and not first.free,
        "no native at first: not supported": not first.supported,
        "native at a retry": any("native" in line for line in lines[1:-1]),
        "no native at a retry: not supported": any(not turn.supported for turn in asked[1:]),
        "a retry": requests > 1,
        "called at first": requests == 1 and lines[-1].startswith("called"),
        "called at a retry": requests > 1 and lines[-1].startswith("called"),
        "not called, no retries": requests == 1 and not lines[-1].startswith("called"),
        "not called, retries spent": requests > 1 and not lines[-1].startswith("called"),
    }
    return frozenset(name for name, seen in found.items() if seen)


BRIDGE = Bridge(
    area="force",
    rules=(
        "native at first: supported and free",
        "no native at first: supported but not free",
        "no native at first: not supported",
        "native at a retry",
        "no native at a retry: not supported",
        "a retry",
        "called at first",
        "called at a retry",
        "not called, no retries",
        "not called, retries spent",
    ),
    scenarios=_scenarios,
    spec=_spec,
    core=_core,
    reached=_reached,
)
