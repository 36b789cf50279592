"""A stream that a server spoils: values of other types, events that are missing, doubled or out of order.

Each recorded stream is changed at random (seeded) in a few places. Whatever comes, the reader ends with a reply or
with one typed error, its events keep their order, and what came can be stored and sent again.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from eukhe.agent.rows.transcript import assistant_to_json
from eukhe.wire import (
    anthropic_body,
    bedrock_body,
    google_body,
    mistral_body,
    openai_body,
    openai_compat,
    openai_responses_body,
)
from eukhe.wire.anthropic_events import MessageReader
from eukhe.wire.bedrock_events import ConverseReader
from eukhe.wire.errors import WireError
from eukhe.wire.event_stream import FrameReader
from eukhe.wire.events import (
    Done,
    Event,
    PromptProgress,
    Start,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
)
from eukhe.wire.google_events import ContentReader
from eukhe.wire.messages import Message, Origin, ToolResultMessage, ToolSpec, UserMessage
from eukhe.wire.mistral_events import MistralReader
from eukhe.wire.openai_chunks import ChunkReader
from eukhe.wire.openai_responses_events import ResponseReader
from eukhe.wire.reply import ReplyReader
from eukhe.wire.request import Limits, Options, Request
from tests.servers import anthropic, bedrock, google, mistral, responses
from tests.servers.api import CHAT
from tests.servers.script import delta

if TYPE_CHECKING:
    from eukhe.wire.reply import Framing, Reader
    from tests.servers.api import Api

_TOOL = ToolSpec("t", "Do it.", {"type": "object", "properties": {"a": {"type": "string"}}})
_STRICT = {"t": _TOOL.schema}
_TAKEN = frozenset({"call_0"})
_HEADERS = {
    "content-type": "application/json",
    "anthropic-version": "2023-06-01",
    "accept": "application/vnd.amazon.eventstream",
}
_SPOILT: list[Any] = [
    *(None, True, False, 0, 1, -1, 2, 10**30, -(10**30), 1.5, 1e308, float("inf"), float("nan")),
    *(
        "",
        " ",
        "x",
        "0",
        "null",
        "\ud83d",
        "\udf88",
        "a\u2028b",
        "\x00",
        "call_0",
        "a|b",
        "|",
        "STOP",
    ),
    *([], {}, [[]], [None], [{}], {"a": 1}, {"type": "text"}, {"error": "x"}, {"message": "no"}),
    *([1, "x", {"text": "y"}], '{"a":', "{}", json.loads("[" * 200 + "]" * 200)),
]


class Wire(NamedTuple):
    """A wire API as these tests use it.

    Attributes:
        recorded: Makes the objects of a stream, one an event.
        encoded: Spells them.
        reader: Makes what reads them.
        framing: What reads the bytes into objects.
        body: Writes a request.
        api: Says what a strict server refuses in one.
        path: Where that server is asked.
    """

    recorded: Callable[[], list[Any]]
    encoded: Callable[[list[Any]], bytes]
    reader: Callable[[], Reader]
    framing: Callable[[Reader, Limits, str], Framing]
    body: Callable[[Request], bytes]
    api: Api
    path: str


def _sse(found: list[Any]) -> bytes:
    return b"".join(b"data: %b\n\n" % json.dumps(one).encode() for one in found)


def _anthropic() -> list[Any]:
    sealed = {"type": "redacted_thinking", "data": "ZGF0YQ=="}
    return anthropic.events(
        anthropic.thinking("hm", "mm"),
        anthropic.text("a", "\ud83e", "\udd14"),
        [{"type": "content_block_start", "content_block": sealed}],
        anthropic.call("t", '{"a":', ' "x"}'),
        anthropic.call("t", "{}", id="toolu_2"),
        stop="tool_use",
        usage={"output_tokens": 5, "cache_creation": {"ephemeral_1h_input_tokens": 3}},
    )


def _google() -> list[Any]:
    counts = {"promptTokenCount": 10, "candidatesTokenCount": 5, "trafficType": "ON_DEMAND"}
    return [
        google.chunk(google.thought("hm", signature="c2ln")),
        google.chunk(google.part("a")),
        google.chunk(google.call("t", {"a": "x"}, id="i1", signature="c2ln"), google.part("b")),
        google.chunk(google.call("t", {"a": "y"})),
        google.chunk(finish="STOP", usageMetadata=counts),
    ]


def _responses() -> list[Any]:
    custom = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "c3", "name": "u", "input": "r"}
    return responses.events(
        [
            responses.reasoning("hm", "mm"),
            responses.text("Hello"),
            responses.text("more", id_="msg_2", phase="final_answer"),
            responses.call("t", '{"a": null}'),
            responses.call("t", "{}", call_id="call_2", id_="fc_2"),
            custom,
            {"type": "compaction", "id": "cmp_1", "encrypted_content": "zz"},
        ],
        pieces={1: ["He", "llo"]},
        service_tier="flex",
    )


def _chat() -> list[Any]:
    sealed = {"type": "reasoning.encrypted", "data": "zz", "index": 1, "id": "x"}
    thought = {"type": "reasoning.text", "text": "hm", "index": 0, "signature": "c2ln"}
    call = {"index": 0, "id": "call_1", "function": {"name": "t", "arguments": '{"a":'}}
    return [
        delta({"role": "assistant", "content": ""}, prompt_progress={"total": 3, "time_ms": 1.5}),
        delta({"reasoning_details": [thought]}),
        delta({"reasoning_details": [thought, sealed]}),
        delta({"reasoning_content": "mm"}),
        delta({"content": "a\ud83e"}),
        delta({"content": "\udd14"}),
        delta({"tool_calls": [call]}),
        delta({"tool_calls": [{"index": 0, "function": {"arguments": '"x"}'}}]}),
        delta({"tool_calls": [{**call, "index": 1, "id": "call_2|fc"}]}),
        delta({}, "tool_calls", usage={"prompt_tokens": 5, "completion_tokens": 3, "cost": 0.5}),
    ]


def _mistral() -> list[Any]:
    reply = mistral.said(
        [mistral.thinking("hm", signature="c2ln", closed=False)],
        [mistral.thinking("x", closed=True), {"type": "text", "text": "a"}],
        "b",
        calls=[mistral.call("t", "{}"), mistral.call("t", "{}", id_="null", index=1)],
    )
    return [dict(one) for one in reply.chunks or () if not isinstance(one, str)]


def _bedrock() -> list[Any]:
    found = bedrock.events(
        bedrock.thought("hm", signature="c2ln"),
        bedrock.text("a", "b"),
        bedrock.thought(redacted="ZGF0YQ=="),
        bedrock.call("t", '{"a":', '"x"}'),
        bedrock.call("t", "{}", id_="tooluse_2"),
    )
    return [{"name": name, "value": value} for name, value in found]


def _frames(found: list[Any]) -> bytes:
    named = (one if isinstance(one, dict) else {"value": one} for one in found)
    return b"".join(
        bedrock.frame(str(one.get("name")).encode("ascii", "replace").decode(), one.get("value"))  # type: ignore[arg-type]  # a spoilt value is any
        for one in named
    )


WIRES = {
    "anthropic-messages": Wire(
        _anthropic,
        _sse,
        lambda: MessageReader(Origin(anthropic_body.API, "p", "m"), _TAKEN, _STRICT),
        ReplyReader,
        lambda request: anthropic_body.body(request, anthropic_body.Compat()),
        anthropic.MESSAGES,
        "/v1/messages",
    ),
    "google-generative-ai": Wire(
        _google,
        _sse,
        lambda: ContentReader(Origin(google_body.API, "p", "m"), _TAKEN),
        ReplyReader,
        lambda request: google_body.body(request, google_body.Compat()),
        google.GENERATE,
        "/v1beta/models/m:streamGenerateContent?alt=sse",
    ),
    "openai-responses": Wire(
        _responses,
        _sse,
        lambda: ResponseReader(Origin(openai_responses_body.API, "p", "m"), _TAKEN, _STRICT),
        ReplyReader,
        lambda request: openai_responses_body.body(request, openai_responses_body.Compat()),
        responses.RESPONSES,
        "/v1/responses",
    ),
    "openai-completions": Wire(
        _chat,
        _sse,
        lambda: ChunkReader(Origin(openai_body.API, "p", "m"), _TAKEN, strict=_STRICT),
        ReplyReader,
        lambda request: openai_body.body(request, openai_compat.Compat()),
        CHAT,
        "/v1/chat/completions",
    ),
    "mistral-conversations": Wire(
        _mistral,
        _sse,
        lambda: MistralReader(Origin(mistral_body.API, "p", "m"), _TAKEN, strict=_STRICT),
        ReplyReader,
        lambda request: mistral_body.body(request, mistral_body.Compat()),
        mistral.MISTRAL,
        "/v1/chat/completions",
    ),
    "bedrock-converse-stream": Wire(
        _bedrock,
        _frames,
        lambda: ConverseReader(Origin(bedrock_body.API, "p", "m"), _TAKEN, _STRICT),
        FrameReader,
        lambda request: bedrock_body.body(request, bedrock_body.Compat()),
        bedrock.BEDROCK,
        "/model/m/converse-stream",
    ),
}


def _places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of everything in a value."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*at, key)
        if isinstance(inner, dict | list):
            yield from _places(inner, (*at, key))


def _spoil(found: list[Any], random: random.Random) -> None:
    """Change a stream in one place."""
    at = random.randrange(len(found) + 1)
    match random.randrange(10):
        case 0:
            del found[at:][:1]
        case 1:
            found.insert(at, copy.deepcopy(random.choice(found)))
        case 2:
            found.insert(at, random.choice(_SPOILT))
        case 3:
            random.shuffle(found)
        case _:
            places = list(_places(found))
            *way, key = random.choice(places)
            holder: Any = found
            for step in way:
                holder = holder[step]
            taken: Any = found
            for step in random.choice(places):
                taken = taken[step]
            choice = random.random()
            if choice < 0.2:
                del holder[key]
            else:
                holder[key] = copy.deepcopy(taken if choice < 0.3 else random.choice(_SPOILT))


def _check_order(found: list[Event]) -> None:
    """Check that one start comes before all, that of a call before its pieces, and that text can be encoded."""
    kinds = [type(event) for event in found if not isinstance(event, PromptProgress)]
    assert Start not in kinds[1:]
    begun: list[int] = []
    for event in found:
        match event:
            case ToolCallStart(index=index):
                assert index not in begun
                begun.append(index)
            case ToolCallDelta(index=index) | ToolCallEnd(index=index):
                assert index in begun
            case TextDelta(text=text) | ThinkingDelta(text=text):
                assert text.encode()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", WIRES)
def test_a_spoilt_stream_ends_well_and_spoils_no_later_request(name: str, seed: int) -> None:
    wire, chance = WIRES[name], random.Random(seed)
    before = copy.deepcopy(wire.recorded())
    for _ in range(100):
        found = copy.deepcopy(wire.recorded())  # what it is made of is shared with other tests
        for _ in range(chance.choice([1, 1, 2, 4])):
            if found:
                _spoil(found, chance)
        reader, out = wire.reader(), list[Event]()
        framing = wire.framing(reader, Limits(), "")
        try:
            framing.feed(wire.encoded(found), out)
            framing.close(out)
            reader.end(out)
            assert isinstance(out[-1], Done)
            reply = out[-1].message
        except WireError as error:
            assert error.message.isprintable()
            reply = reader.partial()
        _check_order(out)
        assert len({call.id for call in reply.calls} - {""}) == len(reply.calls)
        assert json.dumps(assistant_to_json(reply), ensure_ascii=False).encode()
        results: list[Message] = [ToolResultMessage.of(call, "r") for call in reply.calls]
        talk: list[Message] = [
            UserMessage.of("hi"),
            reply,
            *results,
            UserMessage.of("go on"),
            reply,
        ]
        talk += [*results[:1], UserMessage.of("x")]
        request = Request("http://h", "m", tuple(talk), (_TOOL,), "", "p", Options(max_tokens=99))
        raw = wire.body(request)
        assert list(wire.api.problems("POST", wire.path, _HEADERS, raw)) == [], found
    assert wire.recorded() == before, "the spoiling stays in this test"
