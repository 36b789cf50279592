"""The laws of the strict-schema budget (S6.4)."""

from __future__ import annotations

from typing import Protocol

from eukhe_bridge import strict as bridge
from eukhe_laws.engine.domain import Scope
from eukhe_laws.engine.law import law
from eukhe_spec import strict as spec
from eukhe_spec.strict import Outcome, PastCap, Plan, Tool


class Strict(Protocol):
    """The functions under law."""

    def plan(self, tools: tuple[Tool, ...], cap: int) -> Outcome: ...


SPEC: Strict = spec
CORE: Strict = bridge.CORE

_SCOPE = Scope(3, 3, over=(("cap", Scope(5)),))


def _relaxed(tools: tuple[Tool, ...]) -> tuple[Tool, ...]:
    """The same tools, none of which requires a strict schema: every cap then has a plan."""
    return tuple([Tool(tool.priority, False) for tool in tools])


def _flags(S: Strict, tools: tuple[Tool, ...], cap: int) -> tuple[bool, ...]:
    found = S.plan(_relaxed(tools), cap)
    return found.strict if isinstance(found, Plan) else ()


@law(section="S6.4", scope=_SCOPE)
def strict_within_cap(S: Strict, tools: tuple[Tool, ...], cap: int) -> bool:
    """At most `cap` tools get strict schemas (S6.4)."""
    return sum(_flags(S, tools, cap)) <= cap


@law(section="S6.4", scope=_SCOPE)
def strict_keeps_every_tool(S: Strict, tools: tuple[Tool, ...], cap: int) -> bool:
    """Every tool is strict or loose, as many times as it was given (S6.4)."""
    return len(_flags(S, tools, cap)) == len(tools)


@law(
    section="S6.4",
    scope=_SCOPE,
    reach={"both kinds": lambda S, tools, cap: 0 < cap < len(tools)},
)
def strict_by_priority(S: Strict, tools: tuple[Tool, ...], cap: int) -> bool:
    """Every strict tool has a priority of at least every loose tool (S6.4)."""
    flags = _flags(S, tools, cap)
    strict = [tool.priority for tool, flag in zip(tools, flags, strict=False) if flag]
    loose = [tool.priority for tool, flag in zip(tools, flags, strict=False) if not flag]
    return not strict or not loose or min(strict) >= max(loose)


@law(section="S6.4", scope=_SCOPE, ours=True)
def strict_spends_the_cap(S: Strict, tools: tuple[Tool, ...], cap: int) -> bool:
    """As many tools are strict as the cap and their number allow (S6.4)."""
    return sum(_flags(S, tools, cap)) == min(cap, len(tools))


@law(
    section="S6.4",
    scope=_SCOPE,
    given=lambda S, tools, cap: 0 < cap < len(tools),
    ours=True,
)
def strict_ties_to_the_earlier(S: Strict, tools: tuple[Tool, ...], cap: int) -> bool:
    """Of two tools of equal priority the later one is strict only when the earlier one is (S6.4)."""
    flags = _flags(S, tools, cap)
    return not any(
        flags[later] and not flags[earlier]
        for later in range(len(tools))
        for earlier in range(later)
        if tools[earlier].priority == tools[later].priority
    )


@law(
    section="S6.4",
    scope=_SCOPE,
    reach={
        "refused": lambda S, tools, cap: isinstance(S.plan(tools, cap), PastCap),
        "planned": lambda S, tools, cap: isinstance(S.plan(tools, cap), Plan),
    },
    ours=True,
)
def strict_required_past_cap_is_error(S: Strict, tools: tuple[Tool, ...], cap: int) -> bool:
    """A request is refused exactly when a tool that requires a strict schema gets none, and names each (S6.4)."""
    flags = _flags(S, tools, cap)
    past = [place for place, tool in enumerate(tools) if tool.required and not flags[place]]
    return S.plan(tools, cap) == (PastCap(tuple(past)) if past else Plan(flags))
