"""The request as the server gets it: headers, options, and a conversation that strict servers take."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.messages import (
    AssistantBlock,
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
from eukhe.wire.openai_completions import Compat
from eukhe.wire.request import Options, Request
from tests.servers.check import problems
from tests.wire.conversations import any_messages, any_replies
from tests.wire.helpers import HELLO, KEY, recorded

_READ = ToolSpec(
    "read", "Read a file.", {"type": "object", "properties": {"path": {"type": "string"}}}
)
_HERE = Origin("openai-completions", "", "m")
_PNG = ImageBlock("aGk=", "image/png")


def _request(*messages: Message, **more: Any) -> Request:
    return Request("http://127.0.0.1:1/v1", "m", messages or HELLO, **more)


def _body(*messages: Message, compat: Compat | None = None, **more: Any) -> Any:
    return json.loads(body(_request(*messages, **more), compat or Compat()))


def _sent(*messages: Message, compat: Compat | None = None, **more: Any) -> Any:
    """Return the messages as they are sent, and check that a strict server takes them."""
    raw = body(_request(*messages, **more), compat or Compat())
    headers = {"content-type": "application/json"}
    assert list(problems("POST", "/v1/chat/completions", headers, raw)) == []
    return json.loads(raw)["messages"]


def _calls(
    *calls: ToolCall, text: str = "", stop: StopReason = StopReason.TOOL_USE
) -> AssistantMessage:
    said: tuple[AssistantBlock, ...] = (TextBlock(text),) if text else ()
    return AssistantMessage((*said, *calls), stop, origin=_HERE)


def test_the_request_as_a_server_gets_it() -> None:
    got = recorded(_request(tools=(_READ,), api_key=KEY, headers={"X-Title": "t"}))
    assert (got.method, got.path) == ("POST", "/v1/chat/completions")
    assert got.headers["authorization"] == f"Bearer {KEY}"
    assert got.headers["x-title"] == "t"
    assert got.headers["accept"] == "text/event-stream"
    assert got.headers["user-agent"].startswith("eukhe/")
    assert KEY.encode() not in got.raw
    assert got.body == {
        "model": "m",
        "messages": [{"role": "user", "content": "hello"}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "read",
                    "description": "Read a file.",
                    "parameters": _READ.schema,
                },
            }
        ],
    }


def test_without_a_key_there_is_no_authorization() -> None:
    assert "authorization" not in recorded(_request()).headers


def test_a_base_url_with_a_slash_and_a_query_is_kept() -> None:
    from eukhe.wire.http import endpoint

    assert (
        endpoint("https://h:1/a/v1/?api-version=2#x", "/chat")
        == "https://h:1/a/v1/chat?api-version=2"
    )


def test_options_go_out_under_their_names_and_extra_fields_win() -> None:
    options = Options(
        max_tokens=9,
        temperature=0.0,
        top_p=0.5,
        stop=("x",),
        seed=0,
        reasoning_effort="low",
        tool_choice="tool:read",
        parallel_tool_calls=False,
        extra={"top_k": 3, "seed": 1},
    )
    sent = _body(options=options, tools=(_READ,))
    for known in ("model", "messages", "stream", "stream_options", "tools"):
        del sent[known]
    assert sent == {
        "max_tokens": 9,
        "temperature": 0.0,
        "top_p": 0.5,
        "stop": ["x"],
        "seed": 1,
        "reasoning_effort": "low",
        "tool_choice": {"type": "function", "function": {"name": "read"}},
        "parallel_tool_calls": False,
        "top_k": 3,
    }


def test_what_differs_between_servers_is_asked_of_the_compatibility_switches() -> None:
    compat = Compat(
        max_tokens_field="max_completion_tokens",
        system_role="developer",
        usage_in_stream=False,
        empty_tools=True,
        name_in_result=True,
    )
    call = ToolCall("x", "read", "{}")
    sent = _body(
        SystemMessage("s"),
        _calls(call),
        ToolResultMessage.of(call, "r"),
        compat=compat,
        options=Options(max_tokens=9),
    )
    assert sent == {
        "model": "m",
        "messages": [
            {"role": "developer", "content": "s"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "x", "type": "function", "function": {"name": "read", "arguments": "{}"}}
                ],
            },
            {"role": "tool", "tool_call_id": "x", "content": "r", "name": "read"},
        ],
        "stream": True,
        "tools": [],
        "max_completion_tokens": 9,
    }


def test_a_tool_choice_without_tools_is_not_sent() -> None:
    assert "tool_choice" not in _body(options=Options(tool_choice="auto"))


def test_the_same_request_gives_the_same_bytes() -> None:
    assert body(_request(tools=(_READ,)), Compat()) == body(_request(tools=(_READ,)), Compat())


def test_pictures_are_parts_and_text_alone_is_a_string() -> None:
    assert _sent(UserMessage((TextBlock("a"), TextBlock(""), _PNG)))[0]["content"] == [
        {"type": "text", "text": "a"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
    ]
    assert _sent(UserMessage((TextBlock("a"), TextBlock("b"))))[0]["content"] == "ab"
    assert _sent(UserMessage(()))[0]["content"] == "(empty message)"


def test_pictures_of_results_follow_the_whole_tool_round() -> None:
    one, two = ToolCall("x", "read", "{}"), ToolCall("y", "read", "{}")
    sent = _sent(
        _calls(one, two),
        ToolResultMessage("x", "read", (_PNG,)),
        ToolResultMessage.of(two, ""),
        UserMessage.of("go on"),
    )
    assert [(m["role"], m["content"]) for m in sent[1:]] == [
        ("tool", "(see the image in the next message)"),
        ("tool", "(no output)"),
        ("user", [{"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}]),
        ("user", "go on"),
    ]


def test_a_call_without_a_result_gets_one_and_a_result_without_a_call_is_left_out() -> None:
    one, two = ToolCall("x", "read", "{}"), ToolCall("y", "read", "{}")
    sent = _sent(
        _calls(one, two),
        ToolResultMessage.of(two, "r"),
        ToolResultMessage("z", "read", ()),
        UserMessage.of("go on"),
    )
    assert [(m["role"], m.get("tool_call_id"), m["content"]) for m in sent[1:]] == [
        ("tool", "x", "error: this call was not run"),
        ("tool", "y", "r"),
        ("user", None, "go on"),
    ]


@pytest.mark.parametrize("stop", [StopReason.ERROR, StopReason.ABORTED])
def test_a_failed_reply_and_its_results_are_left_out(stop: StopReason) -> None:
    call = ToolCall("x", "read", "{}")
    sent = _sent(*HELLO, _calls(call, text="t", stop=stop), ToolResultMessage.of(call, "r"), *HELLO)
    assert [m["role"] for m in sent] == ["user", "user"]


def test_a_reply_with_neither_text_nor_call_is_left_out() -> None:
    assert (
        len(_sent(*HELLO, AssistantMessage((ThinkingBlock("t", "reasoning"),), origin=_HERE))) == 1
    )


def test_thinking_goes_back_in_its_field_to_its_origin_only() -> None:
    replay = json.dumps({"reasoning_details": [{"type": "reasoning.encrypted", "data": "e"}]})
    blocks = (
        ThinkingBlock("a", "reasoning", replay),
        TextBlock("b"),
        ThinkingBlock("c", "reasoning"),
    )
    same = _sent(*HELLO, AssistantMessage(blocks, origin=_HERE))[1]
    assert same == {
        "role": "assistant",
        "content": "b",
        "reasoning": "ac",
        "reasoning_details": [{"type": "reasoning.encrypted", "data": "e"}],
    }
    plain = {"role": "assistant", "content": "b"}
    assert (
        _sent(*HELLO, AssistantMessage(blocks, origin=Origin("openai-completions", "", "n")))[1]
        == plain
    )
    assert (
        _sent(*HELLO, AssistantMessage(blocks, origin=_HERE), compat=Compat(thinking_replay=False))[
            1
        ]
        == plain
    )


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ('{"path": "a"}', '{"path": "a"}'),
        (' {"a":1 } ', ' {"a":1 } '),
        ("", "{}"),
        ("{path: 'a'}", '{"path": "a"}'),
        ('{"path": "a\tb"}', '{"path": "a\\tb"}'),
    ],
)
def test_argument_text_goes_back_as_it_was_or_as_the_object_that_it_was_read_as(
    arguments: str, sent: str
) -> None:
    messages = _sent(*HELLO, _calls(ToolCall("x", "read", arguments)))
    assert messages[1]["tool_calls"][0]["function"]["arguments"] == sent


@pytest.mark.parametrize("arguments", ['{"path": ', "[1]", '{"a": NaN}', "[" * 100_000])
def test_argument_text_that_is_no_object_goes_back_as_its_error(arguments: str) -> None:
    messages = _sent(*HELLO, _calls(ToolCall("x", "read", arguments)))
    sent = json.loads(messages[1]["tool_calls"][0]["function"]["arguments"])
    assert list(sent) == ["__parseError", "__rawJson"]
    assert sent["__rawJson"] == arguments[:512]


def test_a_long_id_is_shortened_alike_in_the_call_and_its_result() -> None:
    call = ToolCall("functions.a_tool_with_a_long_name:12345678901234567890", "read", "{}")
    sent = _sent(*HELLO, _calls(call), ToolResultMessage.of(call, "r"))
    assert sent[1]["tool_calls"][0]["id"] == sent[2]["tool_call_id"]
    assert len(sent[2]["tool_call_id"]) <= 40


def test_lone_surrogates_are_dropped_wherever_they_are() -> None:
    tool = ToolSpec("read", "\udc00d", {"type": "object", "title": "t\ud83d"})
    sent = _body(UserMessage.of("a\ud83d"), UserMessage.of("\ud83d\ude00"), tools=(tool,))
    assert [message["content"] for message in sent["messages"]] == ["a", "😀"]
    assert sent["tools"][0]["function"]["description"] == "d"
    assert sent["tools"][0]["function"]["parameters"]["title"] == "t"


@pytest.mark.parametrize(
    "options", [Options(temperature=float("inf")), Options(extra={"a": object()})]
)
def test_what_json_cannot_carry_is_an_invalid_request(options: Options) -> None:
    with pytest.raises(WireError) as caught:
        body(_request(options=options), Compat())
    assert caught.value.kind is ErrorKind.INVALID_REQUEST


_IDS = st.sampled_from(["x", "y", "z" * 60])
_TEXT = st.text(max_size=3)
_CALL = st.builds(ToolCall, _IDS, st.sampled_from(["read", ""]), _TEXT)
_BLOCKS = st.lists(st.builds(TextBlock, _TEXT) | st.just(_PNG), max_size=2).map(tuple)
_SAID = st.builds(TextBlock, _TEXT) | st.builds(ThinkingBlock, _TEXT, st.just("reasoning"))
_REPLY = any_replies(_SAID, _CALL, _HERE)
_RESULT = st.builds(ToolResultMessage, _IDS, st.just("read"), _BLOCKS)
_MESSAGE = any_messages(_TEXT, _BLOCKS, _REPLY, _RESULT)


@given(st.lists(_MESSAGE, max_size=7))
@settings(deadline=None, max_examples=300)
def test_any_conversation_is_sent_in_a_form_that_strict_servers_take(
    messages: list[Message],
) -> None:
    _sent(*HELLO, *messages)
