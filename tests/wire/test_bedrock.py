"""Bedrock's Converse: blocks, signed thinking, cache points, exceptions in the stream, signatures of requests."""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eukhe.wire.aws_account import find_keys
from eukhe.wire.aws_sigv4 import AwsKeys, signed_headers
from eukhe.wire.bedrock_body import Compat, body
from eukhe.wire.bedrock_converse import stream
from eukhe.wire.bedrock_events import ConverseReader
from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.event_stream import FrameReader
from eukhe.wire.events import (
    Start,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    UsageUpdate,
)
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
    Usage,
    UserMessage,
)
from eukhe.wire.request import Options, Request
from tests.servers.bedrock import (
    BEDROCK,
    SIGNED,
    call,
    events,
    exception,
    frames,
    problems,
    said,
    text,
    thought,
)
from tests.servers.chat import ChatServer, Reply
from tests.wire.asking import ask, heard, read, recorded
from tests.wire.conversations import any_messages, any_replies
from tests.wire.helpers import HELLO, KEY, QUICK, failure, message

if TYPE_CHECKING:
    from pathlib import Path

_HERE = Origin("bedrock-converse-stream", "p", "m")
_ASK = Request("", "m", HELLO, api_key=KEY, provider="p")
_TOOL = ToolSpec(
    "read",
    "Read.",
    {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
)
_POINT = {"cachePoint": {"type": "default"}}
_MANUAL = {"additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 2000}}}


def _sent(*messages: Message, compat: Compat | None = None, **more: Any) -> Any:
    request = Request("http://h", "m", messages or HELLO, provider="p", **more)
    raw = body(request, compat or Compat())
    headers = {"accept": "application/vnd.amazon.eventstream"}
    assert list(problems("POST", "/model/m/converse-stream", headers, raw)) == []
    return json.loads(raw)


def test_a_whole_reply_gives_every_event_in_order() -> None:
    reply = said(
        thought("h", "m", signature="sig"),
        text("Zwölf", " €"),
        call("read", '{"a": "é"', ', "b": null}'),
        serviceTier={"type": "flex"},
    )
    found = ask(
        partial(stream, compat=Compat(strict=True)), reply, BEDROCK, replace(_ASK, tools=(_TOOL,))
    )
    usage = Usage(input=100, output=20, cache_read=40, cache_write=30, cache_write_1h=10)
    one = ToolCall("tooluse_1", "read", '{"a": "é"}')
    assert found[:-1] == [
        Start(),
        ThinkingDelta("h"),
        ThinkingDelta("m"),
        TextDelta("Zwölf"),
        TextDelta(" €"),
        ToolCallStart(0, "tooluse_1", "read"),
        ToolCallDelta(0, '{"a": "é"'),
        ToolCallDelta(0, ', "b": null}'),
        UsageUpdate(usage),
        ToolCallEnd(0, one),
    ]
    done = message(found)
    assert done.content == (
        ThinkingBlock("hm", "", '{"signature": "sig"}'),
        TextBlock("Zwölf €"),
        one,
    )
    assert (done.stop, done.usage, done.origin) == (StopReason.TOOL_USE, usage, _HERE)
    assert done.service_tier == "flex"


def test_the_request_as_bedrock_gets_it() -> None:
    request = replace(_ASK, model="us.anthropic.claude-x-v1:0", tools=(_TOOL,))
    options = Options(max_tokens=9, temperature=0.5, stop=("x",), tool_choice="tool:read")
    request = replace(request, options=options, messages=(SystemMessage("s"), *HELLO))
    got = recorded(stream, said(text("ok")), BEDROCK, request)
    assert got.path == "/model/us.anthropic.claude-x-v1%3A0/converse-stream"
    assert got.headers["authorization"] == f"Bearer {KEY}"
    assert got.body == {
        "messages": [{"role": "user", "content": [{"text": "hello"}]}],
        "system": [{"text": "s"}],
        "inferenceConfig": {"maxTokens": 9, "stopSequences": ["x"], "temperature": 0.5},
        "toolConfig": {
            "tools": [
                {
                    "toolSpec": {
                        "name": "read",
                        "description": "Read.",
                        "inputSchema": {"json": _TOOL.schema},
                    }
                }
            ],
            "toolChoice": {"tool": {"name": "read"}},
        },
    }


def test_an_arn_is_one_segment_of_the_path() -> None:
    arn = "arn:aws:bedrock:us-east-1:1:application-inference-profile/abc"
    got = recorded(stream, said(text("ok")), BEDROCK, replace(_ASK, model=arn))
    assert got.path.count("/") == 3
    assert "%3A1%3Aapplication-inference-profile%2Fabc" in got.path


def test_cache_points_stand_after_the_system_the_tools_and_the_last_user_message() -> None:
    options = Options(cache="long")
    compat = Compat(cache_points=True)
    talk = (SystemMessage("s"), *HELLO)
    sent = _sent(*talk, tools=(_TOOL,), compat=compat)
    assert sent["system"][-1] == sent["toolConfig"]["tools"][-1] == _POINT
    assert sent["messages"][-1]["content"][-1] == _POINT
    hour = _sent(*talk, compat=compat, options=options)["system"][-1]
    assert hour == {"cachePoint": {"type": "default", "ttl": "1h"}}
    short = replace(compat, long_cache=False)
    assert _sent(*talk, compat=short, options=options)["system"][-1] == _POINT
    for more in ({"compat": Compat()}, {"compat": compat, "options": Options(cache="none")}):
        assert "cachePoint" not in json.dumps(_sent(*talk, tools=(_TOOL,), **more))


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        ("auto", {"auto": {}}),
        ("required", {"any": {}}),
        ("tool:read", {"tool": {"name": "read"}}),
        ("none", None),
        (None, None),
    ],
)
def test_a_tool_choice_has_bedrock_s_words(choice: str | None, sent: Any) -> None:
    config = _sent(tools=(_TOOL,), options=Options(tool_choice=choice))["toolConfig"]
    assert config.get("toolChoice") == sent


@pytest.mark.parametrize("choice", ["required", "tool:read"])
def test_a_forced_choice_is_not_sent_under_manual_thinking_nor_where_the_model_takes_none(
    choice: str, caplog: pytest.LogCaptureFixture
) -> None:
    options = Options(tool_choice=choice, extra=_MANUAL, max_tokens=4000)
    with caplog.at_level(logging.WARNING):
        assert "toolChoice" not in _sent(tools=(_TOOL,), options=options)["toolConfig"]
        assert "manual extended thinking does not permit it" in caplog.text
        options = Options(tool_choice=choice)
        config = _sent(tools=(_TOOL,), options=options, compat=Compat(forced_choice=False))
    assert "toolChoice" not in config["toolConfig"]


def test_sampling_is_not_sent_where_it_is_refused() -> None:
    hot = Options(temperature=0.5, top_p=0.5)
    assert "inferenceConfig" not in _sent(options=hot, compat=Compat(temperature=False))
    thinking = replace(hot, extra=_MANUAL)
    assert "inferenceConfig" not in _sent(options=thinking)


def test_thinking_goes_back_to_its_own_model_where_it_was_signed() -> None:
    blocks = (
        ThinkingBlock("hm", "", '{"signature": "sig"}'),
        ThinkingBlock("", "", '{"redactedContent": "cmVk"}'),
        ThinkingBlock("plain"),
        ThinkingBlock("odd", "", "{"),
        TextBlock("a"),
    )
    own = _sent(*HELLO, AssistantMessage(blocks, origin=_HERE), *HELLO)["messages"][1]
    assert own["content"] == [
        {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "sig"}}},
        {"reasoningContent": {"redactedContent": "cmVk"}},
        {"text": "a"},
    ]
    other = Origin("anthropic-messages", "p", "m")
    foreign = _sent(*HELLO, AssistantMessage(blocks, origin=other), *HELLO)["messages"][1]
    assert foreign["content"] == [{"text": "a"}]


def test_redacted_thinking_is_kept_whole() -> None:
    found = ask(stream, said(thought(redacted="cmVk"), text("a")), BEDROCK, _ASK)
    assert message(found).content[0] == ThinkingBlock("", "", '{"redactedContent": "cmVk"}')


def test_manual_thinking_is_left_out_amid_calls_that_were_made_without_it() -> None:
    one = ToolCall("c", "read", "{}")
    options = Options(extra=_MANUAL, max_tokens=4000)
    bare = (*HELLO, AssistantMessage((one,), origin=_HERE), ToolResultMessage.of(one, "r"))
    field = "additionalModelRequestFields"
    sent = _sent(*bare, tools=(_TOOL,), options=options)
    assert sent[field]["thinking"] == {"type": "disabled"}
    signed = AssistantMessage((ThinkingBlock("h", "", '{"signature": "s"}'), one), origin=_HERE)
    talk = (*HELLO, signed, ToolResultMessage.of(one, "r"))
    sent = _sent(*talk, tools=(_TOOL,), options=options)
    assert sent[field]["thinking"]["type"] == "enabled"
    assert _sent(*bare, *HELLO, options=options)[field]["thinking"]["type"] == "disabled"
    short = replace(options, max_tokens=2000)
    assert _sent(*talk, options=short)[field]["thinking"] == {"type": "disabled"}


def test_results_come_first_in_one_user_message_with_what_the_user_says_next() -> None:
    one, two = ToolCall("a|b", "read", "{}"), ToolCall("b", "re ad!", '{"": 1, "x": [{"": 2}]}')
    bad = ToolResultMessage("b", "read", (TextBlock("no"),), is_error=True)
    reply = AssistantMessage((one, two), origin=_HERE)
    sent = _sent(*HELLO, reply, bad, UserMessage.of("go on"))["messages"]
    uses = [block["toolUse"] for block in sent[1]["content"]]
    assert uses[1] == {"toolUseId": "b", "name": "re_ad_", "input": {"_": 1, "x": [{"_": 2}]}}
    results = [block["toolResult"] for block in sent[2]["content"][:2]]
    assert results[0]["toolUseId"] == uses[0]["toolUseId"]
    assert [one["status"] for one in results] == ["error", "error"]
    assert results[1]["content"] == [{"text": "no"}]
    assert sent[2]["content"][2] == {"text": "go on"}


def test_history_with_calls_keeps_their_tools_when_none_is_on_offer() -> None:
    one = ToolCall("c", "read", "{}")
    talk = (*HELLO, AssistantMessage((one,)), ToolResultMessage.of(one, "r"))
    (tool,) = _sent(*talk)["toolConfig"]["tools"]
    assert tool["toolSpec"]["name"] == "read"
    assert "toolConfig" not in _sent(*HELLO)


def test_an_id_that_comes_again_in_a_later_reply_is_sent_as_another() -> None:
    one = ToolCall("call_0", "read", "{}")
    turn = (AssistantMessage((one,)), ToolResultMessage.of(one, "r"))
    blocks = [m["content"][0] for m in _sent(*HELLO, *turn, *turn)["messages"][1:]]
    uses = [blocks[at]["toolUse"]["toolUseId"] for at in (0, 2)]
    results = [blocks[at]["toolResult"]["toolUseId"] for at in (1, 3)]
    assert uses == results
    assert len(set(uses)) == 2


def test_pictures_are_blocks_of_the_formats_that_the_model_sees() -> None:
    png, svg = ImageBlock("aGk=", "image/png"), ImageBlock("aGk=", "image/svg+xml")
    sent = _sent(UserMessage((TextBlock(" "), png, svg)))["messages"][0]["content"]
    assert sent[0] == {"image": {"format": "png", "source": {"bytes": "aGk="}}}
    assert "image/svg+xml" in sent[1]["text"]
    one = ToolCall("c", "read", "{}")
    talk = (*HELLO, AssistantMessage((one,)), ToolResultMessage("c", "read", (png,)))
    assert _sent(*talk)["messages"][2]["content"][0]["toolResult"]["content"] == sent[:1]


@pytest.mark.parametrize(
    ("stop", "reason"),
    [
        ("end_turn", StopReason.STOP),
        ("stop_sequence", StopReason.STOP),
        ("max_tokens", StopReason.LENGTH),
        ("model_context_window_exceeded", StopReason.LENGTH),
    ],
)
def test_the_stop_reason_says_why_a_reply_ended(stop: str, reason: StopReason) -> None:
    assert message(ask(stream, said(text("a"), stop=stop), BEDROCK, _ASK)).stop is reason


@pytest.mark.parametrize(
    ("stop", "kind"),
    [
        ("guardrail_intervened", ErrorKind.SAFETY),
        ("content_filtered", ErrorKind.SAFETY),
        ("malformed_model_output", ErrorKind.SERVER),
        ("hologram", ErrorKind.SERVER),
    ],
)
def test_a_stop_that_is_no_success_is_an_error(stop: str, kind: ErrorKind) -> None:
    error = failure(ask(stream, said(text("a"), stop=stop), BEDROCK, _ASK))
    assert (error.kind, error.code) == (kind, stop)


@pytest.mark.parametrize(
    ("name", "kind", "transient"),
    [
        ("throttlingException", ErrorKind.RATE_LIMIT, True),
        ("serviceUnavailableException", ErrorKind.OVERLOADED, True),
        ("internalServerException", ErrorKind.SERVER, True),
        ("modelStreamErrorException", ErrorKind.SERVER, True),
        ("modelTimeoutException", ErrorKind.TIMEOUT, True),
        ("validationException", ErrorKind.INVALID_REQUEST, False),
        ("accessDeniedException", ErrorKind.PERMISSION, False),
        ("somethingNewException", ErrorKind.SERVER, True),
    ],
)
def test_an_exception_in_the_stream_is_an_error_of_its_kind(
    name: str, kind: ErrorKind, transient: bool
) -> None:
    found = events(text("half"))
    reply = frames([found[0], found[1], exception(name, {"message": "boom"})])
    got = ask(stream, reply, BEDROCK, _ASK)
    error = failure(got)
    assert (error.kind, error.transient, error.code) == (kind, transient, name)
    assert "boom" in error.message
    assert getattr(got[-1], "partial").text == "half"  # noqa: B009  # the type is that of any event


@pytest.mark.parametrize(
    ("status", "code", "words", "kind"),
    [
        (
            429,
            "ThrottlingException:http://x/",
            "Too many tokens, please wait",
            ErrorKind.RATE_LIMIT,
        ),
        (
            400,
            "ValidationException",
            "Input is too long for requested model.",
            ErrorKind.CONTEXT_OVERFLOW,
        ),
        (400, "ValidationException", "odd", ErrorKind.INVALID_REQUEST),
        (403, "AccessDeniedException", f"no {KEY}", ErrorKind.PERMISSION),
        (404, "ResourceNotFoundException", "no such model", ErrorKind.NOT_FOUND),
        (424, "ModelErrorException", "failed", ErrorKind.SERVER),
        (503, "ServiceUnavailableException", "busy", ErrorKind.OVERLOADED),
    ],
)
def test_a_refusal_is_an_error_of_its_kind_and_shows_no_key(
    status: int, code: str, words: str, kind: ErrorKind
) -> None:
    reply = Reply(status=status, json={"message": words}, headers={"x-amzn-errortype": code})
    error = failure(ask(stream, reply, BEDROCK, _ASK))
    assert (error.kind, error.code) == (kind, code.partition(":")[0])
    assert KEY not in f"{error!r}"


def test_a_stream_that_breaks_off_keeps_what_came() -> None:
    found = events(text("Hello ", "there"))
    whole = frames(found[:2], end="cut", sent=10_000)
    got = ask(stream, whole, BEDROCK, replace(_ASK, timeouts=QUICK))
    assert failure(got).kind is ErrorKind.STREAM_ENDED
    silent = frames(found[:2], end="hang", sent=10_000)
    got = ask(stream, silent, BEDROCK, replace(_ASK, timeouts=QUICK))
    assert failure(got).kind is ErrorKind.TIMEOUT


def test_a_whole_reply_that_was_not_streamed_is_read() -> None:
    content = [
        {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}},
        {"text": "a"},
        {"toolUse": {"toolUseId": "x", "name": "read", "input": {"a": "é"}}},
    ]
    value = {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": "tool_use",
    }
    done = message(ask(stream, Reply(json=value), BEDROCK, _ASK))
    assert (done.thinking, done.text) == ("hm", "a")
    assert done.calls == (ToolCall("x", "read", '{"a": "é"}'),)


# The examples of AWS's own test suite for signatures.
_EXAMPLE = AwsKeys("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")


@pytest.mark.parametrize(
    ("method", "path", "signature"),
    [
        ("GET", "/", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        ("POST", "/", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        (
            "GET",
            "/?Param2=value2&Param1=value1",
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
        ),
    ],
)
def test_signatures_are_those_of_the_published_examples(
    method: str, path: str, signature: str
) -> None:
    headers = signed_headers(
        _EXAMPLE,
        f"https://example.amazonaws.com{path}",
        {},
        b"",
        region="us-east-1",
        service="service",
        now=1_440_938_160,
        method=method,
    )
    assert headers["x-amz-date"] == "20150830T123600Z"
    assert headers["Authorization"] == (
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
        f"SignedHeaders=host;x-amz-date, Signature={signature}"
    )


def test_a_path_is_signed_encoded_once_more_than_it_is_sent() -> None:
    """The signature is the one that botocore 1.43 gives."""
    signed = signed_headers(
        replace(_EXAMPLE, token="tok"),
        "https://bedrock-runtime.us-east-1.amazonaws.com/model/a.b-v1%3A0/converse-stream",
        {"Content-Type": "application/json"},
        b'{"x":1}',
        region="us-east-1",
        service="bedrock",
        now=1_440_938_160,
    )
    assert signed["Authorization"].endswith(
        "SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, "
        "Signature=9ccbcaafd0829409c74902b1764ec15a8029d9a902dfaa50a02425b0b0cbb6ff"
    )


def test_a_request_without_a_bearer_token_is_signed_and_its_secrets_are_shown_nowhere() -> None:
    async def keys() -> AwsKeys:
        return AwsKeys("AKID", "very-secret-key", "very-secret-token")

    refusal = Reply(status=403, json={"message": "The token very-secret-token is expired"})
    signing = partial(stream, keys=keys, region="eu-west-3")
    request = replace(_ASK, api_key="")
    with ChatServer([said(text("ok")), refusal], api=SIGNED) as server:
        request = replace(request, base_url=server.base_url)
        assert message(heard(signing(request))).text == "ok"
        error = failure(heard(signing(request)))
        assert server.problems == ()
        headers = server.requests[0].headers
    assert "/eu-west-3/bedrock/" in headers["authorization"]
    assert headers["x-amz-security-token"] == "very-secret-token"
    assert "very-secret" not in f"{error!r}{asyncio.run(keys())!r}"


def test_a_server_that_asks_for_no_signature_gets_none() -> None:
    keys = partial(find_keys, {"AWS_BEDROCK_SKIP_AUTH": "1", "AWS_ACCESS_KEY_ID": "a"})
    got = recorded(partial(stream, keys=keys), said(text("a")), BEDROCK, replace(_ASK, api_key=""))
    assert "authorization" not in got.headers


def test_plain_keys_are_found_in_variables_and_in_a_profile(tmp_path: Path) -> None:
    given_ = {
        "AWS_ACCESS_KEY_ID": "AKID",
        "AWS_SECRET_ACCESS_KEY": "s",
        "AWS_SESSION_TOKEN": "t",
    }
    assert asyncio.run(find_keys(given_)) == AwsKeys("AKID", "s", "t")
    file = tmp_path / ".aws" / "credentials"
    file.parent.mkdir()
    file.write_text("[work]\naws_access_key_id = W\naws_secret_access_key = p%s\n[other]\nx = 1\n")
    home = {**given_, "HOME": str(tmp_path), "AWS_PROFILE": "work"}
    assert asyncio.run(find_keys(home)) == AwsKeys("W", "p%s")
    named = {"AWS_SHARED_CREDENTIALS_FILE": str(file), "AWS_PROFILE": "work"}
    assert asyncio.run(find_keys(named)) == AwsKeys("W", "p%s")


@pytest.mark.parametrize("content", ["[other]\nx = 1\n", "[work]\nx = 1\n", "no file", "\xff"])
def test_other_credentials_need_a_package_that_is_named(
    content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "botocore.session", None)
    file = tmp_path / "credentials"
    file.write_text(content, encoding="latin-1")
    environ = {"AWS_SHARED_CREDENTIALS_FILE": str(file), "AWS_PROFILE": "work"}
    with pytest.raises(WireError, match=r"pip install 'eukhe\[cloud\]'") as caught:
        asyncio.run(find_keys(environ))
    assert caught.value.kind is ErrorKind.AUTH
    assert "the AWS profile work" in caught.value.message


_TEXTS = st.text(max_size=2)
_SIGNED = st.sampled_from(["", "{", "[]", '{"signature": "s"}', '{"redactedContent": "cg=="}'])
_CALLS = st.builds(
    ToolCall, st.sampled_from(["x", "y|z", "ü" * 70]), st.sampled_from(["r", ""]), st.just("")
)
_REPLIES = any_replies(
    st.builds(TextBlock, _TEXTS) | st.builds(ThinkingBlock, _TEXTS, st.just(""), _SIGNED),
    _CALLS,
    _HERE,
    Origin(),
    most=3,
)
_BLOCKS = st.lists(
    st.builds(TextBlock, st.text(max_size=2)) | st.just(ImageBlock("aGk=", "image/png")), max_size=2
).map(tuple)
_RESULTS = st.builds(ToolResultMessage, st.sampled_from(["x", "y|z"]), st.just("r"), _BLOCKS)
_MESSAGES = any_messages(_TEXTS, _BLOCKS, _REPLIES, _RESULTS)


@given(st.lists(_MESSAGES, max_size=7), st.booleans(), st.booleans())
@settings(deadline=None, max_examples=250)
def test_any_conversation_is_sent_in_a_form_that_bedrock_takes(
    messages: list[Message], points: bool, manual: bool
) -> None:
    options = Options(max_tokens=4000, extra=_MANUAL if manual else {})
    _sent(*messages, *HELLO, compat=Compat(cache_points=points), options=options)


def test_the_same_request_gives_the_same_bytes() -> None:
    one = ToolCall("a|b", "read", "{}")
    request = replace(_ASK, messages=(*HELLO, AssistantMessage((one,))), tools=(_TOOL,))
    assert body(request, Compat()) == body(request, Compat())


_JUNK: st.SearchStrategy[Any] = (
    st.none() | st.booleans() | st.integers(-2, 3) | st.text(max_size=3) | st.just({})
)
_DELTAS = st.fixed_dictionaries(
    {},
    optional={
        "text": _JUNK,
        "toolUse": _JUNK | st.fixed_dictionaries({}, optional={"input": _JUNK}),
        "reasoningContent": _JUNK
        | st.fixed_dictionaries(
            {}, optional={"text": _JUNK, "signature": _JUNK, "redactedContent": _JUNK}
        ),
    },
)
_STARTS = _JUNK | st.fixed_dictionaries(
    {},
    optional={
        "toolUse": _JUNK | st.fixed_dictionaries({}, optional={"toolUseId": _JUNK, "name": _JUNK})
    },
)
_EVENTS = st.tuples(
    st.sampled_from(
        ["contentBlockStart", "contentBlockDelta", "contentBlockStop", "metadata", "x"]
    ),
    st.fixed_dictionaries(
        {},
        optional={
            "contentBlockIndex": st.integers(0, 2) | _JUNK,
            "delta": _DELTAS,
            "start": _STARTS,
            "usage": _JUNK,
        },
    ),
)


@given(st.lists(_EVENTS, max_size=8))
@settings(deadline=None, max_examples=200)
def test_a_lying_server_gives_a_reply_that_can_be_sent_again(found: list[Any]) -> None:
    whole = frames([*found, ("messageStop", {"stopReason": "end_turn"})])
    out, error = read(ConverseReader(_HERE), [b"".join(whole.body(""))], FrameReader)
    assert error == ""
    reply = message(out)
    results = [ToolResultMessage.of(one, "r") for one in reply.calls]
    _sent(*HELLO, reply, *results, *HELLO)


def test_botocore_finds_what_is_no_plain_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("botocore.session")
    config, good, bad = tmp_path / "config", tmp_path / "good", tmp_path / "bad"
    told = {"Version": 1, "AccessKeyId": "P", "SecretAccessKey": "s", "SessionToken": "t"}
    good.write_text(f"#!/bin/sh\necho '{json.dumps(told)}'\n")
    bad.write_text("#!/bin/sh\necho nonsense\n")
    for script in (good, bad):
        script.chmod(0o700)
    profiles = "".join(f"[profile {p.name}]\ncredential_process = {p}\n" for p in (good, bad))
    config.write_text(profiles)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(config))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    assert asyncio.run(find_keys({"AWS_PROFILE": "good"})) == AwsKeys("P", "s", "t")
    for name in ("bad", "none-of-these"):
        with pytest.raises(WireError, match=f"the AWS profile {name} cannot be had"):
            asyncio.run(find_keys({"AWS_PROFILE": name}))


@pytest.mark.parametrize("token", ["", "to/ken=="])
@pytest.mark.parametrize(
    "model",
    [
        "us.anthropic.claude-x",
        "a.b-v1:0",
        "arn:aws:bedrock:us-east-1:1:application-inference-profile/abc",
        "odd ~é%2F+",
    ],
)
def test_signatures_are_those_of_botocore(model: str, token: str) -> None:
    from calendar import timegm
    from importlib import import_module
    from time import strptime
    from urllib.parse import quote

    pytest.importorskip("botocore.auth")
    auth: Any = import_module("botocore.auth")
    request: Any = import_module("botocore.awsrequest")
    credentials: Any = import_module("botocore.credentials")
    url = f"https://bedrock-runtime.us-east-1.amazonaws.com/model/{quote(model, safe='')}/x"
    own = {"Content-Type": "application/json", "Accept": "application/vnd.amazon.eventstream"}
    theirs = request.AWSRequest("POST", url, data=b'{"x":1}', headers=own)
    known = credentials.Credentials("AKID", "sec/ret", token or None)
    auth.SigV4Auth(known, "bedrock", "us-east-1").add_auth(theirs)
    now = timegm(strptime(theirs.headers["X-Amz-Date"], "%Y%m%dT%H%M%SZ"))
    keys = AwsKeys("AKID", "sec/ret", token)
    ours = signed_headers(
        keys, url, own, b'{"x":1}', region="us-east-1", service="bedrock", now=now
    )
    assert ours["Authorization"] == theirs.headers["Authorization"]


def test_the_frames_of_the_test_server_are_those_that_botocore_reads() -> None:
    from importlib import import_module

    pytest.importorskip("botocore.eventstream")
    buffer: Any = import_module("botocore.eventstream").EventStreamBuffer()
    found = events(text("é"), call("t", "{}"))
    buffer.add_data(b"".join(frames(found).body("")))
    read_ = [(one.headers[":event-type"], json.loads(one.payload)) for one in buffer]
    assert read_ == found


def test_the_request_fits_the_shapes_that_aws_publishes() -> None:
    from importlib import import_module

    pytest.importorskip("botocore.session")
    session: Any = import_module("botocore.session").get_session()
    service = session.get_service_model("bedrock-runtime")
    shape = service.operation_model("ConverseStream").input_shape
    one = ToolCall("a|b", "read", '{"a": "x"}')
    thoughts = (
        ThinkingBlock("hm", "", '{"signature": "s"}'),
        ThinkingBlock("", "", '{"redactedContent": "cmVk"}'),
    )
    talk = (
        SystemMessage("s"),
        UserMessage((TextBlock("look"), ImageBlock("aGk=", "image/png"))),
        AssistantMessage((*thoughts, TextBlock("a"), one), origin=_HERE),
        ToolResultMessage("a|b", "read", (TextBlock("r"), ImageBlock("aGk=", "image/webp"))),
        *HELLO,
    )
    options = Options(
        max_tokens=9,
        stop=("x",),
        temperature=0.5,
        top_p=0.5,
        cache="long",
        tool_choice="tool:read",
        extra={"additionalModelRequestFields": {"thinking": {"type": "adaptive"}}},
    )
    compat = Compat(cache_points=True, strict=True)
    sent = _sent(*talk, tools=(_TOOL,), options=options, compat=compat)
    report = (
        import_module("botocore.validate")
        .ParamValidator()
        .validate({"modelId": "m", **sent}, shape)
    )
    assert report.generate_report() == ""
