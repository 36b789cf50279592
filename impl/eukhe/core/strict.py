"""The strict-schema budget (S6.4): which tools of a request get strict schemas.

One stable sort by priority puts equal tools in the order of the request, so the first `cap` of it are the strict
ones. The order of the request itself never changes: it is part of what a provider caches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Budget", "PastCap", "Tool", "budget"]


@dataclass(frozen=True, slots=True)
class Tool:
    """What the budget reads of a tool.

    Attributes:
        name: The tool's name, for the refusal.
        priority: The higher the sooner strict; equal ones in the order of the request.
        required: Whether the tool requires a strict schema.
    """

    name: str
    priority: int = 0
    required: bool = False


@dataclass(frozen=True, slots=True)
class Budget:
    """The budget as spent: for each tool, in the order of the request, whether its schema is strict (S6.4)."""

    strict: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class PastCap:
    """The refusal: tools that require a strict schema are past the cap (S6.4).

    Attributes:
        cap: How many strict schemas the provider takes.
        places: The places of those tools in the request.
        names: Their names.
    """

    cap: int
    places: tuple[int, ...]
    names: tuple[str, ...]


def budget(tools: Sequence[Tool], cap: int) -> Budget | PastCap:
    """Spend the provider's strict schemas on the tools of highest priority (S6.4).

    Args:
        tools: The tools of the request, in its order.
        cap: How many strict schemas the provider takes; all tools when it is at least their number.

    Returns:
        A flag for each tool, or the refusal that names the tools that require a strict schema and get none. No
        tool is dropped either way.
    """
    ranked = sorted(range(len(tools)), key=lambda place: -tools[place].priority)
    strict = [False] * len(tools)
    for place in ranked[: max(cap, 0)]:
        strict[place] = True
    past = [place for place, tool in enumerate(tools) if tool.required > strict[place]]
    if past:
        return PastCap(cap, tuple(past), tuple(tools[place].name for place in past))
    return Budget(tuple(strict))
