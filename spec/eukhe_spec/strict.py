"""The reference model of the strict-schema budget (S6.4): which tools of a request get strict schemas.

A tool is its priority and whether it requires a strict schema; its name plays no part, so a tool is told from an
equal one by its place alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from eukhe_spec.contracts import ensure

__all__ = ["Outcome", "PastCap", "Plan", "Tool", "plan"]


@dataclass(frozen=True)
class Tool:
    """A tool of a request: its priority, and whether it requires a strict schema."""

    priority: int
    required: bool


@dataclass(frozen=True)
class Plan:
    """Which tools get strict schemas: a flag for each tool, in the order of the request (S6.4)."""

    strict: tuple[bool, ...]


@dataclass(frozen=True)
class PastCap:
    """The refusal: the places of the tools that require a strict schema and are past the cap (S6.4)."""

    places: tuple[int, ...]


Outcome = Plan | PastCap


def _before(tools: tuple[Tool, ...], place: int) -> int:
    """Count the tools that come before this one: of higher priority, or equal and earlier."""
    own = tools[place].priority
    return sum(
        1
        for other, tool in enumerate(tools)
        if tool.priority > own or (tool.priority == own and other < place)
    )


@ensure(
    lambda tools, result: isinstance(result, PastCap) or len(result.strict) == len(tools),
    "no tool is dropped (S6.4)",
)
def plan(tools: tuple[Tool, ...], cap: int) -> Outcome:
    """Give the tools of highest priority strict schemas, at most `cap` of them (S6.4).

    Args:
        tools: The tools of the request, in its order.
        cap: How many strict schemas the provider takes.
    """
    strict = tuple([_before(tools, place) < cap for place in range(len(tools))])
    past = tuple([place for place, tool in enumerate(tools) if tool.required and not strict[place]])
    return PastCap(past) if past else Plan(strict)
