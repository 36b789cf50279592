"""What the run does with a reply, as pure functions."""

from __future__ import annotations

import pytest

from eukhe.agent.decide import (
    Decided,
    Rounds,
    RoundsSpent,
    RunCalls,
    Step,
    TruncateCalls,
    decide,
)
from eukhe.core.guard import Repeat
from eukhe.core.leak import Again, Answer, Fail, Note, Notes, Trouble
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
_EMPTY = Again(Note(Trouble.EMPTY, 1), Notes(1))
_LENGTH = Again(Note(Trouble.LENGTH, 1), Notes(1))
_OFFERED = {"bash": {"type": "object", "properties": {"command": {"type": "string"}}}}
_LEAK = '<tool_call>{"name": "bash", "arguments": {command: "ls"}}</tool_call>'


def _decide(
    *blocks: AssistantBlock,
    stop: StopReason = StopReason.STOP,
    notes: Notes | None = None,
    rounds: int = 0,
    repeat: Repeat | None = None,
    taken: tuple[str, ...] = (),
) -> Decided:
    reply = AssistantMessage(blocks, stop)
    return decide(reply, notes or Notes(), _OFFERED, Rounds(rounds, 3), repeat=repeat, taken=taken)


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
        ((TextBlock(_LEAK), _CALL), StopReason.STOP, 0, RunCalls((_CALL,))),
        ((), StopReason.STOP, 0, _EMPTY),
        ((_BLANK,), StopReason.STOP, 0, _EMPTY),
        ((_THINKING,), StopReason.TOOL_USE, 0, _EMPTY),
        ((_THINKING,), StopReason.LENGTH, 0, _LENGTH),
    ],
)
def test_the_next_step_follows_from_the_reply(
    blocks: tuple[AssistantBlock, ...], stop: StopReason, rounds: int, step: Step
) -> None:
    assert _decide(*blocks, stop=stop, rounds=rounds).step == step


def test_leaked_calls_stand_in_the_reply_in_place_of_their_markup() -> None:
    call = ToolCall("call_0", "bash", '{"command": "ls"}')
    whole = _decide(_THINKING, TextBlock(f"Look.\n{_LEAK}"), TextBlock(_LEAK))
    other = ToolCall("call_1", "bash", call.arguments)
    assert whole.reply == AssistantMessage(
        (_THINKING, TextBlock("Look."), call, other), StopReason.TOOL_USE
    )
    assert whole.step == RunCalls((call, other))


def test_a_rebuilt_call_has_an_id_that_no_call_of_the_conversation_bears() -> None:
    taken = ("call_0", "call_2", "x")
    calls = _decide(TextBlock(_LEAK * 3), taken=taken).reply.calls
    assert [call.id for call in calls] == ["call_1", "call_3", "call_4"]


def test_leaked_calls_of_a_reply_that_hit_the_output_limit_are_truncated() -> None:
    decided = _decide(TextBlock(_LEAK), stop=StopReason.LENGTH)
    assert isinstance(decided.step, TruncateCalls)
    assert (decided.reply.stop, decided.reply.text) == (StopReason.LENGTH, "")
    assert isinstance(_decide(TextBlock(_LEAK), rounds=3).step, RoundsSpent)


def test_a_reply_that_is_none_is_stored_as_one_that_no_model_gets_again() -> None:
    bad = TextBlock(_LEAK.replace("bash", "rm"))
    repeat = Repeat(64, 2, "b")
    for decided in (_decide(_THINKING), _decide(bad), _decide(_TEXT, repeat=repeat)):
        assert isinstance(decided.step, Again)
        assert decided.reply.stop is StopReason.ERROR
    spent = _decide(_TEXT, repeat=repeat, notes=Notes(8))
    assert spent.step == Fail(Trouble.REPEATING, 2, "b")
    assert spent.reply.stop is StopReason.ERROR
    answer = _decide(bad, notes=Notes(2, 2))
    assert isinstance(answer.step, Answer)
    assert answer.step.leak is not None
    assert answer.reply == AssistantMessage((bad,), StopReason.STOP)
