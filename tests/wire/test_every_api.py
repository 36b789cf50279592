"""What every wire API owes its caller, whatever the server does: held to one table of all of them."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest

from eukhe.models.speak import SPOKEN
from eukhe.wire import (
    anthropic_messages,
    azure_openai_responses,
    bedrock_converse,
    google_generative,
    google_vertex,
    mistral_conversations,
    openai_codex_responses,
    openai_completions,
    openai_responses,
)
from eukhe.wire.errors import ErrorKind
from eukhe.wire.events import Start, TextDelta, ToolCallEnd
from eukhe.wire.messages import (
    AssistantMessage,
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
from eukhe.wire.request import Request
from tests.servers import anthropic, bedrock, google, mistral, responses
from tests.servers.api import CHAT
from tests.servers.chat import Call, ChatServer, Reply
from tests.wire.asking import heard
from tests.wire.helpers import QUICK, failure, message

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from types import ModuleType

    from eukhe.wire.events import Event
    from tests.servers.api import Api

KEY = responses.chatgpt_token()  # a key for all: the others do not look into theirs
_TOOL = ToolSpec("t", "Do it.", {"type": "object", "properties": {"a": {"type": "string"}}})


@dataclass(frozen=True)
class Wire:
    """A wire API as these tests use it.

    Attributes:
        module: It has `stream`.
        api: Its server.
        text: Makes a reply of one text, in two deltas.
        call: Makes a reply of one call of the tool `t`.
    """

    module: ModuleType
    api: Api
    text: Callable[[str, str], Reply]
    call: Callable[[], Reply]

    def stream(self, request: Request) -> AsyncGenerator[Event, None]:
        found: AsyncGenerator[Event, None] = self.module.stream(request)
        return found


def _response_call() -> Reply:
    return responses.sse(responses.events([responses.call("t", '{"a": "x"}')]))


_GOOGLE = (
    lambda one, two: google.said(google.part(one), google.part(two)),
    lambda: google.said(google.call("t", {"a": "x"})),
)
WIRES = {
    "openai-completions": Wire(
        openai_completions,
        CHAT,
        lambda one, two: Reply(text=[one, two]),
        lambda: Reply(calls=[Call("t", {"a": "x"})]),
    ),
    "openai-responses": Wire(openai_responses, responses.RESPONSES, responses.said, _response_call),
    "azure-openai-responses": Wire(
        azure_openai_responses, responses.AZURE, responses.said, _response_call
    ),
    "openai-codex-responses": Wire(
        openai_codex_responses, responses.CODEX, responses.said, _response_call
    ),
    "anthropic-messages": Wire(
        anthropic_messages,
        anthropic.MESSAGES,
        lambda one, two: anthropic.said(anthropic.text(one, two)),
        lambda: anthropic.said(anthropic.call("t", '{"a": "x"}')),
    ),
    "google-generative-ai": Wire(google_generative, google.GENERATE, *_GOOGLE),
    "mistral-conversations": Wire(
        mistral_conversations,
        mistral.MISTRAL,
        mistral.said,
        lambda: mistral.said(calls=[mistral.call("t", '{"a": "x"}')]),
    ),
    "bedrock-converse-stream": Wire(
        bedrock_converse,
        bedrock.BEDROCK,
        lambda one, two: bedrock.said(bedrock.text(one, two)),
        lambda: bedrock.said(bedrock.call("t", '{"a": "x"}')),
    ),
}


@pytest.fixture(params=WIRES)
def wire(request: pytest.FixtureRequest) -> Wire:
    return WIRES[request.param]


def asked(wire: Wire, reply: Reply, **more: Any) -> list[Event]:
    request = Request("", "m", (UserMessage.of("hello"),), api_key=KEY, timeouts=QUICK)
    with ChatServer([reply], api=wire.api) as server:
        found = heard(wire.stream(replace(request, base_url=server.base_url, **more)))
        assert server.problems == ()
    return found


def test_every_wire_api_that_is_spoken_is_held_to_this() -> None:
    # Vertex AI is the Gemini API with another address and key; its own tests have both.
    assert google_vertex is not None
    assert {*WIRES, "google-vertex"} == set(SPOKEN)


def test_a_reply_begins_once_and_ends_once(wire: Wire) -> None:
    found = asked(wire, wire.text("Hel", "lo"))
    assert isinstance(found[0], Start)
    assert [type(event) for event in found].count(Start) == 1
    assert [event.text for event in found if isinstance(event, TextDelta)] == ["Hel", "lo"]
    reply = message(found)
    assert (reply.text, reply.stop) == ("Hello", StopReason.STOP)
    assert reply.usage is not None
    assert min(reply.usage.input, reply.usage.output) > 0


def test_a_call_has_an_id_a_name_and_its_arguments(wire: Wire) -> None:
    found = asked(wire, wire.call(), tools=(_TOOL,))
    (end,) = (event for event in found if isinstance(event, ToolCallEnd))
    reply = message(found)
    assert (reply.calls, reply.stop) == ((end.call,), StopReason.TOOL_USE)
    assert end.call.id
    assert (end.call.name, end.call.arguments) == ("t", '{"a": "x"}')


@pytest.mark.parametrize("piece", [1, 5])
def test_the_pieces_of_the_network_do_not_matter(wire: Wire, piece: int) -> None:
    whole = asked(wire, wire.text("Zwölf 🤔", " €"))
    assert asked(wire, replace(wire.text("Zwölf 🤔", " €"), piece=piece)) == whole


def test_its_own_reply_and_that_of_another_can_be_sent_again(wire: Wire) -> None:
    reply = message(asked(wire, wire.call(), tools=(_TOOL,)))
    foreign = AssistantMessage(
        (
            *(ThinkingBlock("hm", "x", "{}"), TextBlock("a"), ToolCall("ü|y", "t", "{")),
            *(ToolCall("ü", "no such tool!", "{}"), ToolCall("ü|z", "", "{}")),
        ),
        origin=Origin("other", "p", "m"),
    )
    talk = [SystemMessage("s"), UserMessage.of("hello")]
    for one in (reply, foreign, reply):
        talk += [one, *(ToolResultMessage.of(call, "r") for call in one.calls)]
    found = asked(wire, wire.text("o", "k"), messages=tuple(talk), tools=(_TOOL,))
    assert message(found).text == "ok"


@pytest.mark.parametrize("end", ["cut", "reset", "hang"])
def test_a_reply_that_breaks_off_keeps_what_came(wire: Wire, end: Any) -> None:
    body = b"".join(wire.text("Hello", "there").body("m"))
    broken = replace(wire.text("Hello", "there"), sent=body.index(b"there"), end=end)
    found = asked(wire, broken)
    error = failure(found)
    assert error.transient
    assert error.kind in (ErrorKind.STREAM_ENDED, ErrorKind.NETWORK, ErrorKind.TIMEOUT)
    assert getattr(found[-1], "partial", None) is not None
    assert found[-1].partial.text == "Hello"  # type: ignore[union-attr]  # it is `Failed`


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Reply(status=500, raw=b"<html><title>Oops</title>"), ErrorKind.SERVER),
        (Reply(status=401, raw=b""), ErrorKind.AUTH),
        (Reply(status=429, json={"message": "slow down"}), ErrorKind.RATE_LIMIT),
        (Reply(status=302, headers={"location": "http://other/"}), ErrorKind.NOT_FOUND),
        (Reply(raw=b"<html><title>Portal</title>"), ErrorKind.PROTOCOL),
        (Reply(raw=b""), ErrorKind.STREAM_ENDED),
        (Reply(json={"error": {"message": "boom"}}), ErrorKind.SERVER),
    ],
)
def test_what_is_no_reply_is_an_error_of_its_kind(
    wire: Wire, reply: Reply, kind: ErrorKind
) -> None:
    assert failure(asked(wire, reply)).kind is kind


@pytest.mark.parametrize("status", [200, 403])
def test_a_key_that_a_server_repeats_is_shown_nowhere(wire: Wire, status: int) -> None:
    body = {"error": {"message": f"the key {KEY} is bad", "code": KEY, "type": KEY}}
    error = failure(asked(wire, Reply(status=status, json=body)))
    assert "is bad" in error.message
    assert KEY not in f"{error!r}{error}"


def test_closing_the_stream_closes_the_connection(wire: Wire) -> None:
    body = b"".join(wire.text("Hello", "there").body("m"))
    hanging = replace(wire.text("Hello", "there"), sent=body.index(b"there"), end="hang")

    async def run(request: Request) -> None:
        async with aclosing(wire.stream(request)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    return

    with ChatServer([hanging], api=wire.api) as server:
        request = Request(server.base_url, "m", (UserMessage.of("hello"),), api_key=KEY)
        asyncio.run(run(request))
        assert server.hung_up.wait(5)


_SIGNED: dict[ModuleType, tuple[list[Any], dict[str, Any], Callable[[list[Any]], Reply]]] = {
    anthropic_messages: (
        anthropic.thinking("a", signature=""),
        {"type": "content_block_delta", "delta": {"type": "signature_delta", "signature": "abcd"}},
        anthropic.said,
    ),
    bedrock_converse: (
        bedrock.thought("a"),
        {"reasoningContent": {"signature": "abcd"}},
        bedrock.said,
    ),
}


@pytest.mark.timeout(20)
@pytest.mark.parametrize("module", _SIGNED, ids=lambda module: module.__name__.rpartition(".")[2])
def test_a_signature_in_very_many_pieces_takes_time_that_grows_with_them(
    module: ModuleType,
) -> None:
    block, piece, said = _SIGNED[module]
    wire = next(one for one in WIRES.values() if one.module is module)
    whole = Reply(raw=b"".join(said([*block, *[piece] * 60_000]).body("m")))
    reply = message(asked(wire, whole))
    (thought,) = reply.content
    assert json.loads(thought.replay) == {"signature": "abcd" * 60_000}


def test_the_same_request_is_the_same_bytes(wire: Wire) -> None:
    with ChatServer([wire.text("o", "k")] * 2, api=wire.api) as server:
        request = Request(server.base_url, "m", (UserMessage.of("hello"),), (_TOOL,), KEY)
        for _ in range(2):
            heard(wire.stream(request))
        one, two = server.requests
    assert (one.raw, one.path) == (two.raw, two.path)


def test_importing_a_wire_api_imports_no_http_client() -> None:
    names = ", ".join(wire.module.__name__ for wire in WIRES.values())
    code = f"import sys, {names}; print(*{{'httpx', 'ssl', 'asyncio'}} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "httpx" not in done.stdout
    assert "ssl" not in done.stdout
