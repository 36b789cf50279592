"""The request body of Google's generateContent: what a strict server takes."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.google_body import Compat, body
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
    UserMessage,
)
from eukhe.wire.request import Options
from tests.servers.google import call, part, said, thought
from tests.wire.conversations import any_talk, out_of_order
from tests.wire.google_helpers import BASH, ORIGIN, ask, asked, sent
from tests.wire.helpers import failure, message

HI = UserMessage.of("hi")
SIGNED = '{"thoughtSignature": "c2ln"}'
LEVELS = Compat(signed_calls=True)


def _reply(*blocks: Any, origin: Origin = ORIGIN) -> AssistantMessage:
    return AssistantMessage(blocks, StopReason.STOP, None, origin)


def _parts(found: dict[str, Any], number: int) -> list[dict[str, Any]]:
    return found["contents"][number]["parts"]  # type: ignore[no-any-return]  # the body is JSON


def test_a_plain_request() -> None:
    options = Options(max_tokens=9, temperature=0.5, top_p=0.9, stop=("END",), seed=3)
    assert sent(asked(SystemMessage("Be brief."), HI, tools=[BASH], options=options)) == {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "tools": [
            {
                "functionDeclarations": [
                    {
                        "name": "bash",
                        "description": "Runs a command.",
                        "parametersJsonSchema": BASH.schema,
                    }
                ]
            }
        ],
        "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
        "generationConfig": {
            "temperature": 0.5,
            "topP": 0.9,
            "maxOutputTokens": 9,
            "stopSequences": ["END"],
            "seed": 3,
        },
    }


def test_a_model_id_is_one_part_of_the_path() -> None:
    from tests.servers.chat import ChatServer
    from tests.servers.google import GENERATE
    from tests.wire.google_helpers import collect

    with ChatServer([said(part("a"))] * 2, api=GENERATE) as server:
        for model in ("models/gemini-x", "../a?b"):
            collect(replace(asked(base_url=server.base_url), model=model))
        assert [one.path.split("/models/")[1] for one in server.requests] == [
            "gemini-x:streamGenerateContent?alt=sse",
            "..%2Fa%3Fb:streamGenerateContent?alt=sse",
        ]


def test_what_the_thinking_asks_for_joins_the_other_fields() -> None:
    thinking = {"includeThoughts": True, "thinkingLevel": "LOW"}
    options = Options(max_tokens=9, extra={"generationConfig": {"thinkingConfig": thinking}})
    assert sent(asked(options=options))["generationConfig"] == {
        "maxOutputTokens": 9,
        "thinkingConfig": thinking,
    }


def test_a_thinking_level_that_the_api_does_not_know_is_an_error_before_the_request() -> None:
    extra = {"generationConfig": {"thinkingConfig": {"thinkingLevel": "EXTREME"}}}
    error = failure(ask(said(part("a")), asked(options=Options(extra=extra))))
    assert error.kind is ErrorKind.INVALID_REQUEST
    assert "'EXTREME' is no thinking level" in error.message
    assert "thinkingLevelMap" in error.message


def test_results_stand_alone_in_the_order_of_their_calls() -> None:
    talk = out_of_order(ORIGIN, ("bash", "read", "bash"))
    found = sent(asked(HI, *talk))
    assert [content["role"] for content in found["contents"]] == ["user", "model", "user", "user"]
    assert _parts(found, 1)[0] == {"functionCall": {"name": "bash", "args": {"x": 1}}}
    assert [one["functionResponse"] for one in _parts(found, 2)] == [
        {"name": "bash", "response": {"error": "one"}},
        {"name": "read", "response": {"output": "two"}},
        {"name": "bash", "response": {"error": "error: this call was not run"}},
    ]
    assert _parts(found, 3) == [{"text": "go on"}]


def test_pictures_of_a_result_follow_in_a_content_of_their_own() -> None:
    one = ToolCall("a", "bash", "{}")
    result = ToolResultMessage("a", "bash", (ImageBlock("aGk=", "image/png"),))
    found = sent(asked(HI, _reply(one), result, UserMessage.of("and?")))
    response = {"name": "bash", "response": {"output": "(see the images in the next message)"}}
    assert _parts(found, 2) == [{"functionResponse": response}]
    image = {"inlineData": {"mimeType": "image/png", "data": "aGk="}}
    assert _parts(found, 3) == [image, {"text": "and?"}]
    assert [c["role"] for c in found["contents"]] == ["user", "model", "user", "user"]


def test_signatures_and_given_ids_go_back_unchanged_to_the_same_origin() -> None:
    first = message(
        ask(
            said(
                thought("hm", signature="c2ln"),
                part("b", signature="Yg=="),
                call("bash", {}, id="fc1", signature="Yw=="),
                call("bash", {}),
                part("", signature="ZA=="),
            )
        )
    )
    done = [ToolResultMessage.of(one, "done") for one in first.calls]
    found = sent(asked(HI, first, *done), LEVELS)
    assert _parts(found, 1) == [
        {"thought": True, "text": "hm", "thoughtSignature": "c2ln"},
        {"text": "b", "thoughtSignature": "Yg=="},
        {
            "functionCall": {"name": "bash", "args": {}, "id": "fc1"},
            "thoughtSignature": "Yw==",
        },
        {"functionCall": {"name": "bash", "args": {}}},
        {"text": "", "thoughtSignature": "ZA=="},
    ]
    assert [one["functionResponse"].get("id") for one in _parts(found, 2)] == ["fc1", None]


@pytest.mark.parametrize(
    "origin",
    [
        Origin("google-generative-ai", "google", "other"),
        Origin("google-vertex", "google", "m"),
        Origin("openai-responses", "google", "m"),
        Origin(),
    ],
)
def test_thinking_signatures_and_ids_of_another_model_are_dropped(origin: Origin) -> None:
    one = ToolCall("toolu_" + "x" * 90, "bash", "{}", '{"id": "fc_1", "thoughtSignature": "c2ln"}')
    reply = _reply(
        ThinkingBlock("hm", "", SIGNED),
        TextBlock("a", SIGNED),
        one,
        TextBlock("", SIGNED),
        origin=origin,
    )
    history = (HI, reply, ToolResultMessage.of(one, "done"))
    plain: list[dict[str, Any]] = [{"text": "a"}, {"functionCall": {"name": "bash", "args": {}}}]
    assert _parts(sent(asked(*history)), 1) == plain
    assert "id" not in _parts(sent(asked(*history)), 2)[0]["functionResponse"]
    stand_in = "skip_thought_signature_validator"
    plain[1]["thoughtSignature"] = stand_in
    assert _parts(sent(asked(*history), LEVELS), 1) == plain


def test_only_the_first_of_parallel_calls_gets_a_stand_in() -> None:
    calls = [ToolCall(id_, "bash", "{}") for id_ in "ab"]
    done = [ToolResultMessage.of(one, "done") for one in calls]
    parts = _parts(sent(asked(HI, _reply(*calls), *done), LEVELS), 1)
    assert ["thoughtSignature" in one for one in parts] == [True, False]


def test_failed_replies_and_empty_parts_are_left_out() -> None:
    failed = replace(_reply(TextBlock("half")), stop=StopReason.ERROR)
    found = sent(asked(UserMessage.of(""), failed, HI, _reply(TextBlock(""), TextBlock("a")), HI))
    assert [_parts(found, n) for n in range(2)] == [
        [{"text": "(empty message)"}, {"text": "hi"}],
        [{"text": "a"}],
    ]


def test_a_reply_of_which_nothing_can_be_sent_parts_no_messages() -> None:
    found = sent(asked(HI, _reply(TextBlock("\ud83d")), UserMessage.of("more")))
    assert found["contents"] == [{"role": "user", "parts": [{"text": "hi"}, {"text": "more"}]}]


def test_a_conversation_begins_with_the_user() -> None:
    found = sent(asked(_reply(TextBlock("a")), HI))
    assert [content["role"] for content in found["contents"]] == ["user", "model", "user"]


def test_names_that_no_tool_has_are_made_fit() -> None:
    calls = [ToolCall(str(n), name, "not json") for n, name in enumerate(["", "1 a/é", "x" * 99])]
    done = [ToolResultMessage.of(one, "bad") for one in calls]
    parts = _parts(sent(asked(HI, _reply(*calls), *done)), 1)
    names = [one["functionCall"]["name"] for one in parts]
    assert names == ["unnamed", "_1_a__", "x" * 64]
    assert all(isinstance(one["functionCall"]["args"], dict) for one in parts)


@pytest.mark.parametrize(
    ("choice", "found"),
    [
        (None, None),
        ("auto", {"mode": "AUTO"}),
        ("none", {"mode": "NONE"}),
        ("required", {"mode": "ANY"}),
        ("tool:bash", {"mode": "ANY", "allowedFunctionNames": ["bash"]}),
    ],
)
def test_tool_choices(choice: str | None, found: dict[str, Any] | None) -> None:
    config = sent(asked(tools=[BASH], options=Options(tool_choice=choice))).get("toolConfig")
    assert config == (None if found is None else {"functionCallingConfig": found})


def test_strictness_is_a_mode_of_the_whole_request() -> None:
    strict = replace(BASH, strict=True)
    found = sent(asked(tools=[BASH, strict]), Compat(strict=True))
    assert found["toolConfig"] == {"functionCallingConfig": {"mode": "VALIDATED"}}
    with pytest.raises(WireError, match="the tool bash requires a strict schema"):
        body(asked(tools=[strict]), Compat())


def test_the_same_conversation_is_the_same_bytes_and_a_longer_one_begins_with_them() -> None:
    request = asked(SystemMessage("s"), HI, tools=[BASH])
    longer = replace(request, messages=(*request.messages, _reply(TextBlock("a")), HI))
    assert body(request, Compat()) == body(request, Compat())
    assert body(longer, Compat()).startswith(body(request, Compat())[: -len(b"]}")])


_TEXTS = st.text(max_size=12) | st.just("\ud83d")
_REPLAYS = st.sampled_from(["", SIGNED, '{"id": "x"}', "[1]"])
_BLOCKS = st.one_of(
    st.builds(TextBlock, _TEXTS, _REPLAYS),
    st.builds(ThinkingBlock, _TEXTS, st.just(""), _REPLAYS),
    st.builds(ToolCall, st.sampled_from(["a", "b", "c|1", ""]), _TEXTS, _TEXTS, _REPLAYS),
)
_MESSAGES = any_talk(_TEXTS, _BLOCKS, ORIGIN)


@given(st.lists(_MESSAGES, max_size=6), st.lists(st.sampled_from(["a", "b", "c|1"]), max_size=3))
def test_a_strict_server_takes_any_conversation(history: list[Message], results: list[str]) -> None:
    done = [ToolResultMessage(one, "bash", (TextBlock("x"),)) for one in results]
    json.dumps(sent(asked(*history, *done, HI), LEVELS))
