"""What the settings and the model say about compaction (S6.6)."""

from __future__ import annotations

import pytest

from eukhe.agent.compact.settings import Compaction
from eukhe.wire.messages import AssistantMessage, StopReason, TextBlock, Usage


def test_a_session_has_the_numbers_of_the_requirement() -> None:
    policy = Compaction(window=200_000).policy
    assert policy is not None
    assert (policy.limit, policy.threshold, policy.keeps) == (183_616, 163_616, 40_000)


def test_nothing_starts_by_itself_where_nobody_knows_the_window() -> None:
    unknown = Compaction()
    assert unknown.policy is None
    assert unknown.told is None
    assert unknown.keeps == 40_000


def test_a_small_window_has_room_for_a_conversation_whatever_the_reserve_is() -> None:
    small = Compaction(window=8_192)
    policy = small.policy
    assert policy is not None
    assert (policy.limit, policy.threshold) == (4_096, 3_277)
    assert small.keeps == 1_638
    assert small.told == 3_072
    exact = Compaction(window=8_192, reserve=4_097).policy
    assert exact is not None
    assert exact.limit == 4_096, "half of the window is the most"
    assert Compaction(window=8_192, reserve=4_000).policy != exact


@pytest.mark.parametrize(
    ("window", "reply", "full"),
    [
        (1_000, AssistantMessage((), StopReason.LENGTH, Usage(990, 0)), True),
        (1_000, AssistantMessage((), StopReason.LENGTH, Usage(90, 0, 800, 100)), True),
        (1_000, AssistantMessage((), StopReason.LENGTH, Usage(989, 0)), False),
        (1_000, AssistantMessage((), StopReason.LENGTH, Usage(990, 1)), False),
        (1_000, AssistantMessage((TextBlock("x"),), StopReason.LENGTH, Usage(990, 0)), False),
        (1_000, AssistantMessage((), StopReason.STOP, Usage(990, 0)), False),
        (1_000, AssistantMessage((), StopReason.LENGTH, None), False),
        (None, AssistantMessage((), StopReason.LENGTH, Usage(990, 0)), False),
    ],
)
def test_no_output_at_a_full_window_is_how_a_provider_refuses(
    window: int | None, reply: AssistantMessage, full: bool
) -> None:
    assert Compaction(window=window).overflows(reply) is full
