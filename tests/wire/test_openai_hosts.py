"""What hosts of Chat Completions need beyond the plain API: cache marks, headers, strict tools, replay rules."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from eukhe.wire.events import PromptProgress, ToolCallDelta, ToolCallEnd
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
from eukhe.wire.openai_body import body
from eukhe.wire.openai_completions import Compat, stream
from eukhe.wire.request import Options, Request
from eukhe.wire.tool_choice import fitting_choice
from tests.servers.api import CHAT
from tests.servers.chat import Call, Reply, delta
from tests.servers.check import problems
from tests.wire.asking import ask, recorded
from tests.wire.helpers import HELLO, message

_HERE = Origin("openai-completions", "", "m")
_TOOL = ToolSpec("t", "", {"type": "object", "properties": {"a": {"type": "string"}}})
_SEAL = {"type": "ephemeral"}


def _body(*messages: Message, options: Options | None = None, tools: int = 0, **compat: Any) -> Any:
    offered = tuple(replace(_TOOL, name=f"t{number}") for number in range(tools))
    request = Request("http://h/v1", "m", messages or HELLO, offered, options=options or Options())
    raw = body(request, Compat(**compat))
    headers = {"content-type": "application/json"}
    assert list(problems("POST", "/v1/chat/completions", headers, raw)) == []
    return json.loads(raw)


def _reply(*blocks: Any) -> AssistantMessage:
    return AssistantMessage(blocks, StopReason.STOP, origin=_HERE)


def test_cache_marks_stand_on_the_system_text_the_last_tool_and_the_last_text() -> None:
    sent = _body(SystemMessage("s"), *HELLO, tools=2, cache_marks=True)
    assert [message["content"] for message in sent["messages"]] == [
        [{"type": "text", "text": "s", "cache_control": _SEAL}],
        [{"type": "text", "text": "hello", "cache_control": _SEAL}],
    ]
    assert ["cache_control" in tool for tool in sent["tools"]] == [False, True]
    assert "cache_control" not in json.dumps(_body(SystemMessage("s"), *HELLO, tools=2))


def test_the_last_mark_moves_past_what_has_no_text() -> None:
    picture = ImageBlock("aGk=", "image/png")
    call = ToolCall("c", "t0", "{}")
    only_call = _body(UserMessage.of("a"), _reply(call), cache_marks=True)["messages"]
    marked = ["cache_control" in json.dumps(message) for message in only_call]
    assert marked == [False, False, True], "the result that says that the call was not run"
    seen = _body(UserMessage((TextBlock("a"), picture)), UserMessage((picture,)), cache_marks=True)[
        "messages"
    ]
    assert seen[0]["content"][0]["cache_control"] == _SEAL
    assert "cache_control" not in json.dumps(seen[1])


@pytest.mark.parametrize(
    ("cache", "long_cache", "ttl"),
    [("long", True, "1h"), ("long", False, None), ("short", True, None)],
)
def test_a_cache_for_an_hour_is_asked_for_where_the_host_has_one(
    cache: Any, long_cache: bool, ttl: str | None
) -> None:
    sent = _body(options=Options(cache=cache), cache_marks=True, long_cache=long_cache)
    assert sent["messages"][0]["content"][0]["cache_control"].get("ttl") == ttl


def test_nothing_is_marked_or_named_where_nothing_is_to_be_cached() -> None:
    options = Options(cache="none", session="s")
    sent = _body(options=options, cache_marks=True, cache_key=True)
    assert set(sent) == {"model", "messages", "stream", "stream_options"}
    assert "cache_control" not in json.dumps(sent)


def test_a_cache_key_is_the_session_where_the_server_takes_one() -> None:
    options = Options(session="s", cache="long")
    assert "prompt_cache_key" not in _body(options=options)
    sent = _body(options=options, cache_key=True, long_cache=True)
    assert (sent["prompt_cache_key"], sent["prompt_cache_retention"]) == ("s", "24h")
    assert "prompt_cache_retention" not in _body(options=options, cache_key=True)


@pytest.mark.parametrize(
    ("form", "names"),
    [
        ("", []),
        ("openai", ["session_id", "x-client-request-id", "x-session-affinity"]),
        ("openai-nosession", ["x-client-request-id", "x-session-affinity"]),
        ("openrouter", ["x-session-id"]),
    ],
)
def test_session_headers_are_those_of_the_host(form: Any, names: list[str]) -> None:
    request = Request("", "m", HELLO, options=Options(session="s-1"))
    got = recorded(partial(stream, compat=Compat(affinity=form)), Reply(text="ok"), CHAT, request)
    assert sorted(name for name, value in got.headers.items() if value == "s-1") == names
    assert b"s-1" not in got.raw


def test_strict_tools_are_sent_strict_and_read_back() -> None:
    sent = _body(tools=3, strict=True, strict_cap=2)["tools"]
    assert [tool["function"].get("strict") for tool in sent] == [True, True, None]
    assert sent[0]["function"]["parameters"]["required"] == ["a"]
    assert "required" not in sent[2]["function"]["parameters"]
    request = Request("", "m", HELLO, (_TOOL,))
    reply = Reply(calls=[Call("t", '{"a": null}'), Call("other", '{"a": null}', id="x")])
    events = ask(partial(stream, compat=Compat(strict=True)), reply, CHAT, request)
    assert [call.arguments for call in message(events).calls] == ["{}", '{"a": null}']
    ends = [event.call.arguments for event in events if isinstance(event, ToolCallEnd)]
    assert ends == ["{}", '{"a": null}']
    assert ToolCallDelta(0, '{"a": null}') in events, "the raw text was told as it came"


def test_reasoning_content_stands_on_every_reply_where_it_must() -> None:
    thought = _reply(ThinkingBlock("hm", "reasoning_content"), TextBlock("a"))
    plain = AssistantMessage((TextBlock("b"),), origin=Origin("x", "y", "z"))
    sent = _body(*HELLO, thought, *HELLO, plain, *HELLO, reasoning_content=True)["messages"]
    assert [sent[at]["reasoning_content"] for at in (1, 3)] == ["hm", ""]
    assert "reasoning_content" not in _body(*HELLO, plain, *HELLO)["messages"][1]


def test_thinking_goes_back_as_text_where_the_host_wants_it_so() -> None:
    thought = _reply(ThinkingBlock("hm", "reasoning"), TextBlock("a"))
    sent = _body(*HELLO, thought, *HELLO, thinking_as_text=True)["messages"][1]
    assert sent == {"role": "assistant", "content": "hm\n\na"}


def test_a_reply_stands_between_results_and_a_user_where_it_must() -> None:
    call = ToolCall("c", "t0", "{}")
    picture = ToolResultMessage("c", "t0", (ImageBlock("aGk=", "image/png"),))
    for result, users in ((ToolResultMessage.of(call, "r"), 1), (picture, 2)):
        talk = (*HELLO, _reply(call), result, UserMessage.of("go on"))
        roles = [m["role"] for m in _body(*talk, assistant_after_result=True)["messages"]]
        assert roles == ["user", "assistant", "tool", "assistant", *["user"] * users]
        roles = [m["role"] for m in _body(*talk)["messages"]]
        assert roles == ["user", "assistant", "tool", *["user"] * users]


def test_the_id_of_a_responses_call_is_its_part_that_names_the_call() -> None:
    call = ToolCall("call_1|fc_1", "t0", "{}")
    sent = _body(*HELLO, _reply(call), ToolResultMessage.of(call, "r"))["messages"]
    assert (sent[1]["tool_calls"][0]["id"], sent[2]["tool_call_id"]) == ("call_1", "call_1")


@pytest.mark.parametrize(
    ("choice", "tools", "more", "sent"),
    [
        (None, 1, {}, None),
        ("none", 1, {"forced": False}, "none"),
        ("required", 1, {"forced": False}, "auto"),
        ("tool:t", 1, {"forced": False}, "auto"),
        ("tool:t", 1, {"named": False}, "required"),
        ("tool:t", 2, {"named": False}, "auto"),
        ("required", 2, {"named": False}, "required"),
        ("tool:t", 2, {}, "tool:t"),
    ],
)
def test_a_forced_choice_is_softened_to_what_the_server_takes(
    choice: str | None, tools: int, more: dict[str, bool], sent: str | None
) -> None:
    assert fitting_choice(choice, (_TOOL,) * tools, **more) == sent


def test_a_choice_that_the_model_does_not_take_is_not_sent() -> None:
    options = Options(tool_choice="tool:t0")
    assert _body(options=options, tools=1, forced_choice=False)["tool_choice"] == "auto"
    assert _body(options=options, tools=1, named_choice=False)["tool_choice"] == "required"


def test_progress_chunks_are_told_before_the_first_token() -> None:
    begun = {"role": "assistant", "content": None}
    chunks = [
        delta(begun, prompt_progress={"total": 100, "cache": 40, "processed": 40, "time_ms": 0}),
        delta(begun, prompt_progress={"total": 100, "cache": 40, "processed": 100, "time_ms": 9}),
        delta(begun, prompt_progress={"total": -1, "cache": None, "processed": "x"}),
        delta(begun, prompt_progress=7),
        delta({"content": "ok"}, finish="stop", service_tier="flex"),
    ]
    events = ask(stream, Reply(chunks=chunks), CHAT, Request("", "m", HELLO))
    assert [event for event in events if isinstance(event, PromptProgress)] == [
        PromptProgress(100, 40, 40, 0),
        PromptProgress(100, 40, 100, 9),
        PromptProgress(0, 0, 0, 0),
    ]
    kinds = [type(event).__name__ for event in events]
    assert kinds.index("TextDelta") > max(n for n, k in enumerate(kinds) if k == "PromptProgress")


def test_the_tier_that_served_a_reply_is_kept() -> None:
    chunks = [delta({"content": "ok"}, finish="stop", service_tier="flex")]
    events = ask(stream, Reply(chunks=chunks), CHAT, Request("", "m", HELLO))
    assert message(events).service_tier == "flex"
    usage = {"prompt_tokens": 1, "completion_tokens": 1}
    chunks = [
        delta({"content": "ok"}, finish="stop"),
        delta({}, usage=usage, service_tier="priority"),
    ]
    events = ask(stream, Reply(chunks=chunks), CHAT, Request("", "m", HELLO))
    assert message(events).service_tier == "priority"
