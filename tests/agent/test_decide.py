"""What the run does with a reply, as pure functions."""

from __future__ import annotations

import pytest

from eukhe.agent.decide import (
    Answer,
    NoAnswer,
    RetryPolicy,
    RoundsSpent,
    RunCalls,
    Step,
    TruncateCalls,
    next_step,
    retry_wait,
)
from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.messages import (
    AssistantBlock,
    AssistantMessage,
    StopReason,
    TextBlock,
    ThinkingBlock,
    ToolCall,
)

_CALL = ToolCall("c1", "bash", "{}")
_TEXT, _BLANK, _THINKING = TextBlock("hi"), TextBlock(" \n"), ThinkingBlock("hm")


@pytest.mark.parametrize(
    ("blocks", "stop", "rounds", "step"),
    [
        ((_TEXT,), StopReason.STOP, 0, Answer(cut=False)),
        ((_TEXT,), StopReason.STOP, 9, Answer(cut=False)),
        ((_TEXT,), StopReason.LENGTH, 0, Answer(cut=True)),
        ((_CALL,), StopReason.STOP, 0, RunCalls((_CALL,))),
        ((_CALL,), StopReason.TOOL_USE, 2, RunCalls((_CALL,))),
        ((_TEXT, _CALL, _CALL), StopReason.STOP, 0, RunCalls((_CALL, _CALL))),
        ((_CALL,), StopReason.LENGTH, 2, TruncateCalls((_CALL,))),
        ((_CALL,), StopReason.STOP, 3, RoundsSpent((_CALL,))),
        ((_CALL,), StopReason.LENGTH, 3, RoundsSpent((_CALL,))),
        ((), StopReason.STOP, 0, NoAnswer(cut=False)),
        ((_BLANK,), StopReason.STOP, 0, NoAnswer(cut=False)),
        ((_THINKING,), StopReason.TOOL_USE, 0, NoAnswer(cut=False)),
        ((_THINKING,), StopReason.LENGTH, 0, NoAnswer(cut=True)),
    ],
)
def test_the_next_step_follows_from_the_reply(
    blocks: tuple[AssistantBlock, ...], stop: StopReason, rounds: int, step: Step
) -> None:
    assert next_step(AssistantMessage(blocks, stop), rounds, 3) == step


def _error(wait: float | None, kind: ErrorKind = ErrorKind.RATE_LIMIT) -> WireError:
    return WireError(kind, "slow down", retry_after=wait)


def test_a_request_goes_out_again_when_the_server_says_when_and_it_is_soon() -> None:
    policy = RetryPolicy(max_retries=3, longest_wait=60)
    assert retry_wait(_error(60), delivered=False, retries=2, policy=policy) == 60
    assert retry_wait(_error(0), delivered=False, retries=0, policy=policy) == 0
    assert retry_wait(_error(60.1), delivered=False, retries=0, policy=policy) is None
    assert retry_wait(_error(None), delivered=False, retries=0, policy=policy) is None
    assert retry_wait(_error(1), delivered=False, retries=3, policy=policy) is None
    assert retry_wait(_error(1), delivered=True, retries=0, policy=policy) is None
    auth = _error(1, ErrorKind.AUTH)
    assert retry_wait(auth, delivered=False, retries=0, policy=policy) is None
