"""The strict-schema budget (S6.4), as the wire APIs use it."""

from hypothesis import given, settings
from hypothesis import strategies as st

from eukhe.core.strict import Budget, PastCap, Tool, budget

_TOOLS = st.lists(st.builds(Tool, st.text(max_size=5), st.integers(), st.booleans()), max_size=30)


def test_the_strict_budget_keeps_the_highest_priorities_and_the_earlier_of_equals() -> None:
    tools = [Tool("a", 1), Tool("b", 3), Tool("c", 1), Tool("d", 2), Tool("e", 1)]
    assert budget(tools, 3) == Budget((True, True, False, True, False))


def test_a_strict_plan_sends_tools_past_the_cap_loose_and_drops_none() -> None:
    assert budget([Tool("a"), Tool("b"), Tool("c")], 1) == Budget((True, False, False))


def test_a_required_tool_past_the_cap_is_refused_by_name() -> None:
    tools = [Tool("a", 1), Tool("b", required=True), Tool("c", required=True)]
    assert budget(tools, 1) == PastCap(1, (1, 2), ("b", "c"))


@settings(derandomize=True, database=None, deadline=None, max_examples=300)
@given(_TOOLS, st.integers())
def test_any_tools_and_any_cap_give_a_budget_or_a_refusal(tools: list[Tool], cap: int) -> None:
    found = budget(tools, cap)
    assert isinstance(found, PastCap) or sum(found.strict) == min(max(cap, 0), len(tools))
