"""The bridge of `strict` (S6.4): the strict-schema budget over generated tool lists."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from eukhe.core import strict as core
from eukhe_bridge.kit import Bridge
from eukhe_spec import strict as spec
from eukhe_spec.strict import Outcome, PastCap, Plan, Tool

__all__ = ["BRIDGE", "CORE"]


def _native(tools: tuple[Tool, ...]) -> list[core.Tool]:
    return [
        core.Tool(f"tool_{place}", tool.priority, tool.required) for place, tool in enumerate(tools)
    ]


class _Core:
    """The core under the spec's signatures."""

    def plan(self, tools: tuple[Tool, ...], cap: int) -> Outcome:
        match core.budget(_native(tools), cap):
            case core.Budget(strict=strict):
                return Plan(strict)
            case core.PastCap(places=places):
                return PastCap(places)


CORE = _Core()


@dataclass(frozen=True)
class Scenario:
    """A request: its tools in order, and the provider's cap."""

    tools: tuple[Tool, ...]
    cap: int


_EDGES = (
    Scenario((), 0),
    Scenario((), 3),
    Scenario((Tool(0, False),), 0),
    Scenario((Tool(0, True),), 0),
    Scenario((Tool(0, True),), 1),
    Scenario((Tool(0, False), Tool(0, True)), 1),
    Scenario((Tool(1, False), Tool(0, True), Tool(2, True)), 2),
    Scenario((Tool(5, False),) * 4, 2),
    Scenario((Tool(5, False), Tool(4, False)), -1),
)


def _scenarios(rng: Random, count: int) -> Iterator[Scenario]:
    yield from _EDGES[:count]
    for _ in range(count - len(_EDGES)):
        tools = tuple(Tool(rng.randrange(4), rng.random() < 0.15) for _ in range(rng.randrange(30)))
        yield Scenario(tools, rng.randrange(25))


def _spec(scenario: Scenario) -> str:
    match spec.plan(scenario.tools, scenario.cap):
        case Plan(strict=strict):
            marks = ["strict" if flag else "loose" for flag in strict]
            return "".join(f"tool_{place} {mark}\n" for place, mark in enumerate(marks))
        case PastCap(places=places):
            return "past the cap: " + " ".join(f"tool_{place}" for place in places) + "\n"


def _core(scenario: Scenario) -> str:
    match core.budget(_native(scenario.tools), scenario.cap):
        case core.Budget(strict=strict):
            marks = ["strict" if flag else "loose" for flag in strict]
            return "".join(f"tool_{place} {mark}\n" for place, mark in enumerate(marks))
        case core.PastCap(names=names):
            return "past the cap: " + " ".join(names) + "\n"


def _reached(scenario: Scenario, transcript: str) -> frozenset[str]:
    priorities = [tool.priority for tool in scenario.tools]
    refused = transcript.startswith("past the cap")
    short = 0 < scenario.cap < len(priorities)
    found = {
        "no tool": not priorities,
        "no budget": scenario.cap <= 0 and bool(priorities),
        "every tool within the cap": 0 < len(priorities) <= scenario.cap,
        "priorities decide": short and len(set(priorities)) > 1 and not refused,
        "the earlier of equals": short and len(set(priorities)) < len(priorities) and not refused,
        "a required tool past the cap": refused,
        "several required tools past the cap": refused and transcript.count("tool_") > 1,
        "a required tool within the cap": not refused
        and any(tool.required for tool in scenario.tools),
    }
    return frozenset(name for name, seen in found.items() if seen)


BRIDGE = Bridge(
    area="strict",
    rules=(
        "no tool",
        "no budget",
        "every tool within the cap",
        "priorities decide",
        "the earlier of equals",
        "a required tool past the cap",
        "several required tools past the cap",
        "a required tool within the cap",
    ),
    scenarios=_scenarios,
    spec=_spec,
    core=_core,
    reached=_reached,
)
