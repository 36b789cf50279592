"""The request of Responses as a strict server takes it: items, replay, tools, cache marks."""

from __future__ import annotations

import json
from dataclasses import replace
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
    SystemMessage,
    TextBlock,
    ThinkingBlock,
    ToolCall,
    ToolResultMessage,
    ToolSpec,
    UserMessage,
)
from eukhe.wire.openai_responses_body import Compat, body
from eukhe.wire.request import Options, Request
from tests.servers.responses import problems
from tests.wire.conversations import any_messages, any_replies
from tests.wire.helpers import HELLO

_READ = ToolSpec(
    "read",
    "Read a file.",
    {
        "type": "object",
        "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}},
        "required": ["path"],
    },
)
_HERE = Origin("openai-responses", "p", "m")
_PNG = ImageBlock("aGk=", "image/png")
_SEALED = json.dumps(
    {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "hm"}],
        "encrypted_content": "sealed",
    }
)


def _sent(*messages: Message, compat: Compat | None = None, **more: Any) -> Any:
    """The body as it is sent; a strict server takes it."""
    request = Request("http://h/v1", "m", messages or HELLO, provider="p", **more)
    raw = body(request, compat or Compat())
    headers = {"content-type": "application/json"}
    assert list(problems("POST", "/v1/responses", headers, raw)) == []
    return json.loads(raw)


def _items(*messages: Message, compat: Compat | None = None) -> list[Any]:
    found: list[Any] = _sent(*messages, compat=compat)["input"]
    return found


def _reply(*blocks: AssistantBlock, origin: Origin = _HERE) -> AssistantMessage:
    return AssistantMessage(blocks, origin=origin)


def test_a_request_has_flat_tools_and_stores_nothing() -> None:
    options = Options(
        max_tokens=9, temperature=0.5, tool_choice="tool:read", parallel_tool_calls=True
    )
    system = SystemMessage("s")
    assert _sent(system, *HELLO, tools=(_READ,), options=options) == {
        "model": "m",
        "input": [
            {"role": "developer", "content": "s"},
            {"role": "user", "content": [{"type": "input_text", "text": "hello"}]},
        ],
        "stream": True,
        "store": False,
        "tools": [
            {
                "type": "function",
                "name": "read",
                "description": "Read a file.",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "path": {"type": "string"},
                        "limit": {"type": ["integer", "null"]},
                    },
                    "required": ["path", "limit"],
                    "additionalProperties": False,
                },
                "strict": True,
            }
        ],
        "tool_choice": {"type": "function", "name": "read"},
        "parallel_tool_calls": True,
        "max_output_tokens": 16,
        "temperature": 0.5,
    }


def test_a_loose_tool_says_so() -> None:
    loose = _sent(tools=(_READ,), compat=Compat(strict=False))["tools"][0]
    assert (loose["strict"], loose["parameters"]) == (False, _READ.schema)
    none = _sent(tools=(_READ,), compat=Compat(strict=False, loose=None))["tools"][0]
    assert none["strict"] is None
    many = tuple(replace(_READ, name=f"t{number}") for number in range(3))
    capped = _sent(tools=many, compat=Compat(strict_cap=2))["tools"]
    assert [tool["strict"] for tool in capped] == [True, True, False]


def test_what_a_server_does_not_take_is_not_sent() -> None:
    sent = _sent(
        options=Options(max_tokens=99, seed=1, stop=("x",)),
        compat=Compat(max_output_tokens=False, says_store=False),
    )
    assert set(sent) == {"model", "input", "stream"}


def test_extra_fields_win_and_the_effort_of_an_own_server_is_sent() -> None:
    options = Options(reasoning_effort="low", extra={"store": True})
    sent = _sent(options=options)
    assert (sent["reasoning"], sent["store"]) == ({"effort": "low"}, True)


def test_instructions_have_their_field_where_the_server_wants_it() -> None:
    compat = Compat(system="instructions")
    sent = _sent(
        SystemMessage("a"), SystemMessage("b"), *HELLO, SystemMessage("later"), compat=compat
    )
    assert sent["instructions"] == "a\n\nb"
    assert [item["role"] for item in sent["input"]] == ["user", "developer"]
    assert _sent(compat=compat)["instructions"] == "Follow the instructions of the user."


def test_a_reply_goes_back_with_its_reasoning_ids_and_phase() -> None:
    call = ToolCall("call_1|fc_1", "read", '{"path": "a"}')
    reply = _reply(
        ThinkingBlock("hm", "", _SEALED),
        TextBlock("Look.", '{"id": "msg_9", "phase": "commentary"}'),
        TextBlock("\n\nMore.", '{"id": "msg_8", "joined": true}'),
        call,
    )
    assert _items(*HELLO, reply, ToolResultMessage.of(call, "r"))[1:] == [
        json.loads(_SEALED),
        {
            "type": "message",
            "role": "assistant",
            "id": "msg_9",
            "status": "completed",
            "content": [{"type": "output_text", "text": "Look.", "annotations": []}],
            "phase": "commentary",
        },
        {
            "type": "message",
            "role": "assistant",
            "id": "msg_8",
            "status": "completed",
            "content": [{"type": "output_text", "text": "More.", "annotations": []}],
        },
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "call_1",
            "name": "read",
            "arguments": '{"path": "a"}',
        },
        {"type": "function_call_output", "call_id": "call_1", "output": "r"},
    ]


@pytest.mark.parametrize(
    "origin",
    [
        Origin("openai-responses", "p", "other"),
        Origin("openai-responses", "other", "m"),
        Origin("azure-openai-responses", "p", "m"),
        Origin("anthropic-messages", "p", "m"),
    ],
)
def test_another_model_gets_neither_reasoning_nor_ids(origin: Origin) -> None:
    call = ToolCall("call_1|fc_1", "read", "{}")
    text = TextBlock("t", '{"id": "msg_9", "phase": "final_answer"}')
    reply = _reply(ThinkingBlock("hm", "", _SEALED), text, call, origin=origin)
    said, made, _ = _items(*HELLO, reply)[1:]
    assert (said["id"], "phase" in said) == ("msg_1", False)
    assert "id" not in made


@pytest.mark.parametrize(
    "replay",
    [
        *("", "{", "[]", '{"type": "reasoning", "id": "rs_1"}'),
        *('{"encrypted_content": "x"}', '{"type": "x", "content": ["y"]}'),
    ],
)
def test_reasoning_that_a_stateless_server_cannot_read_again_is_left_out_with_its_ids(
    replay: str,
) -> None:
    call = ToolCall("call_1|fc_1", "read", "{}")
    (made, _) = _items(*HELLO, _reply(ThinkingBlock("hm", "", replay), call))[1:]
    assert made["type"] == "function_call"
    assert "id" not in made


def test_reasoning_is_never_the_last_item_of_a_reply() -> None:
    reply = _reply(TextBlock("t"), ThinkingBlock("hm", "", _SEALED))
    assert [item.get("type") for item in _items(*HELLO, reply, *HELLO)] == [None, "message", None]


def test_a_call_of_a_custom_tool_goes_back_as_its_text() -> None:
    call = ToolCall("c|ctc_1", "patch", '{"input": "a\\n"}', "custom_tool_call")
    made, output = _items(*HELLO, _reply(call), ToolResultMessage.of(call, "done"))[1:]
    assert made == {
        "type": "custom_tool_call",
        "id": "ctc_1",
        "call_id": "c",
        "name": "patch",
        "input": "a\n",
    }
    assert output["type"] == "custom_tool_call_output"


def test_a_long_or_odd_id_is_mapped_alike_in_the_call_and_its_result() -> None:
    for call_id in ("x" * 65, "functions.read:0 ü"):
        call = ToolCall(call_id, "read", "{}")
        made, output = _items(*HELLO, _reply(call), ToolResultMessage.of(call, "r"))[1:]
        assert made["call_id"] == output["call_id"]
        assert made["call_id"].startswith("call_")


def test_an_id_that_comes_again_in_a_later_reply_is_sent_as_another() -> None:
    one = ToolCall("call_0|fc_0", "read", "{}")
    turn = (_reply(one), ToolResultMessage.of(one, "r"))
    ids = [item["call_id"] for item in _items(*HELLO, *turn, *turn)[1:]]
    assert ids[0] == ids[1] == "call_0"
    assert ids[2] == ids[3] != "call_0"


def test_pictures_go_into_the_result_itself() -> None:
    call = ToolCall("c", "read", "{}")
    result = ToolResultMessage("c", "read", (TextBlock("see"), _PNG))
    url = "data:image/png;base64,aGk="
    parts = [
        {"type": "input_text", "text": "see"},
        {"type": "input_image", "detail": "auto", "image_url": url},
    ]
    assert _items(*HELLO, _reply(call), result)[-1]["output"] == parts
    assert _items(UserMessage((TextBlock("see"), _PNG)))[0]["content"] == parts


def test_cache_breakpoints_stand_at_the_system_text_and_at_the_last_ends() -> None:
    compat = Compat(cache_breakpoints=True)
    conversation: list[Message] = [SystemMessage("s"), *HELLO]
    for number in range(5):
        calls = (ToolCall(f"a{number}", "read", "{}"), ToolCall(f"b{number}", "read", "{}"))
        conversation.append(_reply(*calls))
        conversation += [ToolResultMessage.of(call, "r") for call in calls]
    items = _items(*conversation, compat=compat)
    marked = [
        number for number, item in enumerate(items) if "prompt_cache_breakpoint" in json.dumps(item)
    ]
    assert marked == [0, len(items) - 9, len(items) - 5, len(items) - 1]
    part = {"type": "input_text", "text": "r", "prompt_cache_breakpoint": {"mode": "explicit"}}
    assert items[-1]["output"] == [part]
    bare = json.dumps(_items(*conversation[:-3], compat=compat)).replace(
        ', "prompt_cache_breakpoint": {"mode": "explicit"}', ""
    )
    whole = json.dumps(items).replace(', "prompt_cache_breakpoint": {"mode": "explicit"}', "")
    assert whole.startswith(bare[:-1]), "but for the marks, a prompt only grows at its end"
    assert "prompt_cache_breakpoint" not in json.dumps(_items(*conversation))


def test_a_long_cache_is_asked_for_in_the_words_of_the_model() -> None:
    options = Options(cache="long")
    older = _sent(options=options)
    assert older["prompt_cache_retention"] == "24h"
    newer = _sent(options=options, compat=Compat(cache_breakpoints=True))
    assert newer["prompt_cache_options"] == {"ttl": "12h"}
    assert "prompt_cache_retention" not in newer
    for compat, asked in ((Compat(long_cache=False), options), (Compat(), Options())):
        sent = _sent(options=asked, compat=compat)
        assert not {"prompt_cache_retention", "prompt_cache_options"} & sent.keys()


def test_the_same_request_gives_the_same_bytes() -> None:
    call = ToolCall("functions.read:0 ü", "read", "{}")
    request = Request("http://h/v1", "m", (*HELLO, _reply(call)), tools=(_READ,))
    assert body(request, Compat()) == body(request, Compat())


def test_what_json_cannot_carry_and_a_tool_that_cannot_be_strict_are_refused() -> None:
    for more in (
        {"options": Options(temperature=float("inf"))},
        {"tools": (ToolSpec("t", "", {"type": "object", "not": {}}, strict=True),)},
    ):
        with pytest.raises(WireError) as caught:
            _sent(**more)
        assert caught.value.kind is ErrorKind.INVALID_REQUEST


_IDS = st.sampled_from(["x", "x|fc_1", "y|fc_2", "y", "z" * 70, "ü"])
_TEXT = st.text(max_size=3)
_CALL = st.builds(ToolCall, _IDS, st.sampled_from(["read", ""]), _TEXT)
_BLOCKS = st.lists(st.builds(TextBlock, _TEXT) | st.just(_PNG), max_size=2).map(tuple)
_REPLAY = st.sampled_from(["", _SEALED, "{", "[1]", '{"id": "msg_1"}', '{"type": "compaction"}'])
_SAID = st.builds(TextBlock, _TEXT, _REPLAY) | st.builds(ThinkingBlock, _TEXT, st.just(""), _REPLAY)
_REPLY = any_replies(
    _SAID, _CALL, _HERE, Origin(), most=3, unique_by=lambda call: call.id.partition("|")[0]
)
_RESULT = st.builds(ToolResultMessage, _IDS, st.just("read"), _BLOCKS)
_MESSAGE = any_messages(_TEXT, _BLOCKS, _REPLY, _RESULT)


@given(st.lists(_MESSAGE, max_size=7), st.sampled_from([Compat(), Compat(cache_breakpoints=True)]))
@settings(deadline=None, max_examples=300)
def test_any_conversation_is_sent_in_a_form_that_strict_servers_take(
    messages: list[Message], compat: Compat
) -> None:
    _sent(*HELLO, *messages, compat=compat)
