"""What every wire API sends of a conversation: each call with its result, failed replies left out, ids mapped."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from eukhe.wire.history import NO_RESULT, Answered, mapped_id, rounds, taken
from eukhe.wire.messages import (
    AssistantMessage,
    Message,
    StopReason,
    SystemMessage,
    TextBlock,
    ThinkingBlock,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from eukhe.wire.request import Request

HI = UserMessage.of("hi")
FORM = re.compile(r"[a-z0-9_]{1,20}")


def _calls(*ids: str) -> AssistantMessage:
    return AssistantMessage(tuple(ToolCall(one, "bash", "{}") for one in ids))


def _result(call_id: str, text: str = "done") -> ToolResultMessage:
    return ToolResultMessage(call_id, "bash", (TextBlock(text),))


def test_results_come_right_after_their_reply_in_the_order_of_the_calls() -> None:
    reply, one, two = _calls("a", "b"), _result("a"), _result("b")
    assert list(rounds([HI, reply, two, one, HI])) == [
        HI,
        reply,
        (Answered(reply.calls[0], one), Answered(reply.calls[1], two)),
        HI,
    ]


def test_a_call_without_a_result_gets_one_that_says_so() -> None:
    reply = _calls("a", "b")
    *_, answers = rounds([HI, reply, _result("b")])
    assert isinstance(answers, tuple)
    assert [(one.result.text, one.result.is_error) for one in answers] == [
        (NO_RESULT, True),
        ("done", False),
    ]
    late = list(rounds([reply, HI, _result("a"), _result("b")]))
    assert [type(one) for one in late] == [AssistantMessage, tuple, UserMessage]


def test_the_first_of_two_results_counts_and_one_without_a_call_is_left_out() -> None:
    found = list(rounds([_result("x"), _calls("a"), _result("a", "1"), _result("a", "2"), HI]))
    assert isinstance(found[1], tuple)
    assert [one.result.text for one in found[1]] == ["1"]
    assert len(found) == 3
    early = list(rounds([_result("a", "too early"), _calls("a")]))
    assert isinstance(early[1], tuple)
    assert [one.result.text for one in early[1]] == [NO_RESULT]


def test_replies_that_are_no_answer_are_left_out_with_their_results() -> None:
    failed = AssistantMessage((ToolCall("a", "bash", "{}"),), StopReason.ERROR)
    aborted = AssistantMessage((TextBlock("half"),), StopReason.ABORTED)
    silent = AssistantMessage((ThinkingBlock("hm"),))
    assert list(rounds([HI, failed, _result("a"), aborted, silent, SystemMessage("s")])) == [
        HI,
        SystemMessage("s"),
    ]


def test_the_ids_of_a_conversation_are_those_of_all_its_replies() -> None:
    request = Request("http://x", "m", (_calls("a"), HI, _calls("b")))
    assert taken(request) == {"a", "b"}


def test_an_id_that_fits_stays_and_another_is_always_the_same() -> None:
    assert mapped_id("toolu_1", FORM) == "toolu_1"
    odd = mapped_id("Größe", FORM, length=12)
    assert odd == mapped_id("Größe", FORM, length=12) != mapped_id("Größ", FORM, length=12)
    assert FORM.fullmatch(odd)
    assert mapped_id("\ud83d", FORM).startswith("call_")


_MESSAGES = st.one_of(
    st.just(HI),
    st.lists(st.sampled_from("abc"), max_size=3, unique=True).map(lambda ids: _calls(*ids)),
    st.sampled_from("abc").map(_result),
)


@given(st.lists(_MESSAGES, max_size=10))
def test_every_call_is_answered_once_and_at_once(history: list[Message]) -> None:
    found = list(rounds(history))
    for place, item in enumerate(found):
        if isinstance(item, AssistantMessage) and item.calls:
            answers = found[place + 1]
            assert isinstance(answers, tuple)
            assert tuple(one.call for one in answers) == item.calls
            assert all(one.result.call_id == one.call.id for one in answers)
        if isinstance(item, tuple):
            assert isinstance(found[place - 1], AssistantMessage)
