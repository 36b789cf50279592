"""The request body of Anthropic's Messages: what a strict server takes, and what its prompt cache needs."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eukhe.wire.anthropic_body import Compat, body, maps_forced_choice
from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.messages import (
    AssistantMessage,
    ImageBlock,
    Message,
    Origin,
    StopReason,
    SystemMessage,
    TextBlock,
    ThinkingBlock,
    ToolCall,
    ToolResultMessage,
    ToolSpec,
    UserMessage,
)
from eukhe.wire.request import Options
from tests.servers.anthropic import call, said, signatures, text, thinking
from tests.wire.anthropic_helpers import BASH, ORIGIN, ask, asked, recorded, sent
from tests.wire.conversations import any_talk, out_of_order
from tests.wire.helpers import KEY, message

HI = UserMessage.of("hi")
MARK = {"type": "ephemeral"}
MANUAL: dict[str, Any] = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
ADAPTIVE: dict[str, Any] = {"thinking": {"type": "adaptive"}}


def _reply(*blocks: Any, origin: Origin = ORIGIN) -> AssistantMessage:
    return AssistantMessage(blocks, StopReason.STOP, None, origin)


def _thinks(**extra: Any) -> Options:
    return Options(max_tokens=4096, extra={**MANUAL, **extra})


def test_a_plain_request() -> None:
    assert sent(asked(SystemMessage("Be brief."), HI)) == {
        "model": "m",
        "max_tokens": 100,
        "system": [{"type": "text", "text": "Be brief.", "cache_control": MARK}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "hi", "cache_control": MARK}]}
        ],
        "stream": True,
    }


def test_the_key_goes_into_its_own_header() -> None:
    headers = recorded(asked()).headers
    assert headers["x-api-key"] == KEY
    assert headers["anthropic-version"] == "2023-06-01"
    assert "authorization" not in headers
    assert "anthropic-beta" not in headers


def test_a_token_of_a_login_is_a_bearer_and_says_so() -> None:
    headers = recorded(replace(asked(), api_key="sk-ant-oat01-abcdef")).headers
    assert headers["authorization"] == "Bearer sk-ant-oat01-abcdef"
    assert headers["anthropic-beta"] == "oauth-2025-04-20"
    assert "x-api-key" not in headers
    assert "authorization" in recorded(asked(), Compat(bearer=True)).headers


def test_betas_are_asked_for_where_they_are_needed() -> None:
    thinks = asked(tools=[BASH], options=_thinks())
    assert recorded(thinks).headers["anthropic-beta"] == "interleaved-thinking-2025-05-14"
    old = recorded(asked(tools=[BASH]), Compat(eager_tools=False))
    assert old.headers["anthropic-beta"] == "fine-grained-tool-streaming-2025-05-14"
    assert "eager_input_streaming" not in old.body["tools"][0]
    assert recorded(asked(tools=[BASH])).body["tools"][0]["eager_input_streaming"] is True


def test_betas_of_the_user_stand_beside_those_that_are_needed() -> None:
    own = {"Anthropic-Beta": "own-2026-01-01", "X-Api-Key": "sk-other-key"}
    headers = recorded(asked(tools=[BASH], options=_thinks(), headers=own)).headers
    assert headers["anthropic-beta"] == "own-2026-01-01,interleaved-thinking-2025-05-14"
    assert headers["x-api-key"] == "sk-other-key"


def test_a_session_has_its_header_where_the_server_knows_one() -> None:
    request = asked(options=Options(max_tokens=9, session="s-1"))
    assert recorded(request, Compat(session_header="x-session-id")).headers["x-session-id"] == "s-1"
    assert "x-session-id" not in recorded(request).headers


def test_a_base_url_may_end_in_v1() -> None:
    from tests.servers.anthropic import MESSAGES
    from tests.servers.chat import ChatServer
    from tests.wire.anthropic_helpers import collect

    with ChatServer([said(text("a")), said(text("b"))], api=MESSAGES) as server:
        for end in ("/v1", "/v1/"):
            message(collect(asked(base_url=server.base_url + end)))
        assert [one.path for one in server.requests] == ["/v1/messages"] * 2


def test_roles_alternate_and_the_first_is_the_users() -> None:
    found = sent(asked(_reply(TextBlock("a")), _reply(TextBlock("b")), HI, UserMessage.of("more")))
    assert [m["role"] for m in found["messages"]] == ["user", "assistant", "user"]
    assert [b["text"] for b in found["messages"][1]["content"]] == ["a", "b"]
    assert [b["text"] for b in found["messages"][2]["content"]] == ["hi", "more"]


def test_results_come_first_in_the_order_of_their_calls() -> None:
    talk = out_of_order(ORIGIN, ("bash", "bash", "bash"))
    found = sent(asked(HI, *talk, tools=[BASH]))
    assert found["messages"][1]["content"][0]["input"] == {"x": 1}
    assert found["messages"][2]["content"] == [
        {"type": "tool_result", "tool_use_id": "a", "content": "one", "is_error": True},
        {"type": "tool_result", "tool_use_id": "b", "content": "two"},
        {
            "type": "tool_result",
            "tool_use_id": "c",
            "content": "error: this call was not run",
            "is_error": True,
        },
        {"type": "text", "text": "go on", "cache_control": MARK},
    ]


def test_ids_of_other_apis_are_mapped_the_same_in_call_and_result() -> None:
    long = ToolCall("call|fc_" + "x" * 80, "bash", "{}")
    odd = ToolCall("größe", "bash", "{}")
    found = sent(
        asked(
            HI,
            _reply(long, odd),
            ToolResultMessage.of(long, "1"),
            ToolResultMessage.of(odd, "2"),
            tools=[BASH],
        )
    )
    ids = [block["id"] for block in found["messages"][1]["content"]]
    assert ids == [block["tool_use_id"] for block in found["messages"][2]["content"]]
    assert len(set(ids)) == 2


def test_ids_that_another_server_counts_anew_in_each_reply_are_told_apart() -> None:
    one = ToolCall("call_0", "bash", "{}")
    turn: tuple[Message, ...] = (_reply(one), ToolResultMessage.of(one, "done"))
    found = sent(asked(HI, *turn, *turn, *turn, tools=[BASH]))
    ids = [found["messages"][n]["content"][0]["id"] for n in (1, 3, 5)]
    assert ids == [found["messages"][n]["content"][0]["tool_use_id"] for n in (2, 4, 6)]
    assert (ids[0], len(set(ids))) == ("call_0", 3)
    shorter = sent(asked(HI, *turn, *turn, tools=[BASH]))
    assert shorter["messages"][3]["content"][0]["id"] == ids[1]


def test_a_result_that_holds_a_picture_or_nothing() -> None:
    call_ = ToolCall("a", "bash", "{}")
    picture = ToolResultMessage("a", "bash", (TextBlock("see"), ImageBlock("aGk=", "image/png")))
    empty = ToolResultMessage("a", "bash", (TextBlock(""),))
    content = [
        sent(asked(HI, _reply(call_), result, tools=[BASH]))["messages"][2]["content"][0]["content"]
        for result in (picture, empty)
    ]
    source = {"type": "base64", "media_type": "image/png", "data": "aGk="}
    assert content == [
        [{"type": "text", "text": "see"}, {"type": "image", "source": source}],
        "(no output)",
    ]
    assert (
        sent(asked(HI, _reply(call_), empty, tools=[BASH]), Compat(result_id=True))["messages"][2][
            "content"
        ][0]["id"]
        == "a"
    )


def test_thinking_goes_back_unchanged_to_the_same_origin() -> None:
    first = message(
        ask(
            said(thinking("hm ", "é", signature="sig/1+="), call("bash", "{}")), asked(tools=[BASH])
        )
    )
    found = sent(
        asked(
            HI,
            first,
            ToolResultMessage.of(first.calls[0], "done"),
            tools=[BASH],
            options=_thinks(),
        )
    )
    assert signatures(found) == ["sig/1+="]
    assert found["messages"][1]["content"][0] == {
        "type": "thinking",
        "thinking": "hm é",
        "signature": "sig/1+=",
    }
    assert found["thinking"] == MANUAL["thinking"]


def test_sealed_thinking_goes_back_as_it_came() -> None:
    reply = _reply(ThinkingBlock("", "", '{"data": "c2VhbGVk"}'), TextBlock("a"))
    assert signatures(sent(asked(HI, reply, HI))) == ["c2VhbGVk"]


@pytest.mark.parametrize(
    "origin",
    [
        Origin("anthropic-messages", "anthropic", "other"),
        Origin("anthropic-messages", "other", "m"),
        Origin("openai-completions", "anthropic", "m"),
        Origin(),
    ],
)
def test_thinking_of_another_model_is_dropped(origin: Origin) -> None:
    reply = _reply(ThinkingBlock("secret", "", '{"signature": "s"}'), TextBlock("a"), origin=origin)
    found = sent(asked(HI, reply, HI))
    assert found["messages"][1]["content"] == [{"type": "text", "text": "a"}]


def test_thinking_without_a_signature_is_dropped_unless_the_server_signs_nothing() -> None:
    reply = _reply(ThinkingBlock("hm"), TextBlock("a"))
    assert signatures(sent(asked(HI, reply, HI))) == []
    assert signatures(sent(asked(HI, reply, HI), Compat(empty_signature=True))) == [""]


def test_manual_thinking_waits_for_the_end_of_a_round_that_began_without() -> None:
    call_ = ToolCall("a", "bash", "{}")
    history: tuple[Message, ...] = (HI, _reply(call_), ToolResultMessage.of(call_, "done"))
    middle = sent(asked(*history, tools=[BASH], options=_thinks()))
    assert middle["thinking"] == {"type": "disabled"}
    after = sent(asked(*history, _reply(TextBlock("ok")), HI, tools=[BASH], options=_thinks()))
    assert after["thinking"]["type"] == "enabled"
    adaptive = asked(*history, tools=[BASH], options=Options(max_tokens=9, extra=ADAPTIVE))
    assert sent(adaptive)["thinking"] == {"type": "adaptive"}


def test_a_budget_that_leaves_nothing_of_the_reply_is_not_sent() -> None:
    for most, kind in ((1024, "disabled"), (1025, "enabled")):
        options = Options(max_tokens=most, extra=MANUAL)
        assert sent(asked(options=options))["thinking"]["type"] == kind


def test_failed_replies_and_blank_texts_are_left_out() -> None:
    failed = replace(_reply(TextBlock("half")), stop=StopReason.ERROR)
    found = sent(asked(UserMessage.of("  \n"), failed, _reply(TextBlock(" "), TextBlock("a")), HI))
    assert [block["text"] for block in found["messages"][0]["content"]] == ["(empty message)"]
    assert found["messages"][1]["content"] == [{"type": "text", "text": "a"}]


def test_arguments_that_nobody_can_read_go_back_as_an_object() -> None:
    call_ = ToolCall("a", "my tool/é", '{"a": ')
    found = sent(asked(HI, _reply(call_), ToolResultMessage.of(call_, "bad"), tools=[BASH]))
    block = found["messages"][1]["content"][0]
    assert isinstance(block["input"], dict)
    assert block["name"] == "my_tool__"


def test_a_conversation_with_calls_keeps_their_tools_when_none_is_on_offer() -> None:
    call_ = ToolCall("a", "bash", "{}")
    found = sent(asked(HI, _reply(call_), ToolResultMessage.of(call_, "done")))
    tool = {"name": "bash", "input_schema": {"type": "object"}, "cache_control": MARK}
    assert (found["tools"], found["tool_choice"]) == ([tool], {"type": "none"})


def test_cache_marks_stand_on_the_last_of_each() -> None:
    request = asked(
        SystemMessage("one"),
        SystemMessage("two"),
        HI,
        _reply(TextBlock("a")),
        UserMessage((TextBlock("b"), ImageBlock("aGk=", "image/png"))),
        tools=[BASH, replace(BASH, name="read")],
    )
    found = sent(request)
    marked = [
        *("cache_control" in block for block in found["system"]),
        *("cache_control" in tool for tool in found["tools"]),
        *("cache_control" in b for m in found["messages"] for b in m["content"]),
    ]
    assert marked == [False, True, False, True, True, False, False, True]
    assert not any("cache_control" in t for t in sent(request, Compat(cache_tools=False))["tools"])
    none = replace(request, options=replace(request.options, cache="none"))
    assert '"cache_control"' not in json.dumps(sent(none))
    long = replace(request, options=replace(request.options, cache="long"))
    assert json.dumps(sent(long)).count('"ttl": "1h"') == 4
    assert '"ttl"' not in json.dumps(sent(long, Compat(long_cache=False)))


def test_the_same_conversation_is_the_same_bytes_and_a_longer_one_begins_with_them() -> None:
    request = asked(SystemMessage("s"), HI, tools=[BASH])
    longer = replace(request, messages=(*request.messages, _reply(TextBlock("a")), HI))
    assert body(request, Compat()) == body(request, Compat())
    short, long = sent(request), sent(longer)
    assert long["messages"][0] == short["messages"][0]
    assert (long["system"], long["tools"]) == (short["system"], short["tools"])
    assert (
        "cache_control" in long["messages"][0]["content"][-1]
    )  # where the shorter one put its mark
    longest = sent(replace(longer, messages=(*longer.messages, _reply(TextBlock("b")), HI)))
    marked = ["cache_control" in one["content"][-1] for one in longest["messages"]]
    assert marked == [False, False, True, False, True]


@pytest.mark.parametrize(
    ("choice", "found"),
    [
        ("auto", {"type": "auto"}),
        ("none", {"type": "none"}),
        ("required", {"type": "any"}),
        ("tool:bash", {"type": "tool", "name": "bash"}),
    ],
)
def test_tool_choices(choice: str, found: dict[str, str]) -> None:
    request = asked(tools=[BASH], options=Options(max_tokens=9, tool_choice=choice))
    assert sent(request)["tool_choice"] == found


def test_calls_one_by_one_are_part_of_the_choice() -> None:
    options = Options(max_tokens=9, parallel_tool_calls=False)
    assert sent(asked(tools=[BASH], options=options))["tool_choice"] == {
        "type": "auto",
        "disable_parallel_tool_use": True,
    }


@pytest.mark.parametrize("choice", ["required", "tool:bash"])
@pytest.mark.parametrize(
    ("extra", "compat", "sends"),
    [
        ({}, Compat(), True),
        ({"thinking": {"type": "disabled"}}, Compat(), True),
        (ADAPTIVE, Compat(), True),
        (MANUAL, Compat(), False),
        (ADAPTIVE, Compat(forced_choice=False), False),
    ],
)
def test_the_forced_choice_predicate_matches_the_wire(
    choice: str,
    extra: dict[str, Any],
    compat: Compat,
    sends: bool,
    caplog: pytest.LogCaptureFixture,
) -> None:
    options = Options(max_tokens=4096, tool_choice=choice, extra=extra)
    with caplog.at_level(logging.WARNING):
        found = sent(asked(tools=[BASH], options=options), compat)
    assert ("tool_choice" in found) is sends is maps_forced_choice(options, compat)
    assert bool(caplog.records) is not sends
    if not sends:
        assert f"the forced tool choice {choice} is not sent" in caplog.text


def test_sampling_goes_out_only_where_it_is_taken() -> None:
    options = Options(max_tokens=4096, temperature=0.5, top_p=0.9, stop=("END",))
    plain = sent(asked(options=options))
    assert (plain["temperature"], plain["top_p"], plain["stop_sequences"]) == (0.5, 0.9, ["END"])
    for found in (
        sent(asked(options=options), Compat(temperature=False)),
        sent(asked(options=replace(options, extra=MANUAL))),
        sent(asked(options=replace(options, extra=ADAPTIVE))),
    ):
        assert "temperature" not in found
        assert "top_p" not in found
    off = replace(options, extra={"thinking": {"type": "disabled"}})
    assert sent(asked(options=off))["temperature"] == 0.5


def test_the_tools_of_highest_priority_are_strict_and_none_is_dropped() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": []}
    tools = [ToolSpec(f"t{n}", "", schema, priority=n % 2) for n in range(4)]
    found = sent(asked(tools=tools), Compat(strict=True, strict_cap=1))["tools"]
    assert [tool["name"] for tool in found if tool.get("strict")] == ["t1"]
    assert len(found) == 4
    assert found[1]["input_schema"]["additionalProperties"] is False
    with pytest.raises(WireError) as caught:
        body(asked(tools=[replace(tools[0], strict=True)]), Compat())
    assert caught.value.kind is ErrorKind.INVALID_REQUEST


def test_the_nulls_of_strict_arguments_are_taken_out_again() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": []}
    request = asked(tools=[ToolSpec("bash", "", schema)])
    reply = said(call("bash", '{"a": null}'))
    assert message(ask(reply, request, Compat(strict=True))).calls[0].arguments == "{}"
    assert message(ask(reply, request)).calls[0].arguments == '{"a": null}'


_TEXTS = st.text(max_size=12) | st.just("\ud83d")
_BLOCKS = st.one_of(
    st.builds(TextBlock, _TEXTS),
    st.builds(ThinkingBlock, _TEXTS, st.just(""), st.sampled_from(["", '{"signature": "s"}'])),
    st.builds(ToolCall, st.sampled_from(["a", "b", "c|1", ""]), _TEXTS, _TEXTS),
)
_MESSAGES = any_talk(_TEXTS, _BLOCKS, ORIGIN)


@given(st.lists(_MESSAGES, max_size=6), st.lists(st.sampled_from(["a", "b", "c|1"]), max_size=3))
def test_a_strict_server_takes_any_conversation(history: list[Message], results: list[str]) -> None:
    done = [ToolResultMessage(one, "bash", (TextBlock("x"),)) for one in results]
    sent(asked(*history, *done, HI, options=_thinks()))
