"""A server that sends anything at all: every reader ends with a reply or with one typed error."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from eukhe.agent.rows.transcript import assistant_to_json, from_entry
from eukhe.session.nodes import Entry
from eukhe.wire.anthropic_events import MessageReader
from eukhe.wire.errors import WireError
from eukhe.wire.events import Done, Event
from eukhe.wire.google_events import ContentReader
from eukhe.wire.messages import AssistantMessage, UserMessage
from eukhe.wire.reply import ReplyReader
from eukhe.wire.request import Limits
from tests.wire import anthropic_helpers, google_helpers

if TYPE_CHECKING:
    from eukhe.wire.reply import Reader

_LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=5),
    st.sampled_from(["\ud83d", "\udf88", "STOP", "end_turn", "tool_use", "bash", "{}", "c2ln"]),
)


def _objects(words: list[str], kinds: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    """Objects of the API's own words, put together in any way."""
    inner = st.recursive(
        _LEAVES,
        lambda more: (
            st.lists(more, max_size=3) | st.dictionaries(st.sampled_from(words), more, max_size=4)
        ),
        max_leaves=12,
    )
    plain = st.dictionaries(st.sampled_from(words), inner, max_size=5)
    return st.builds(
        lambda found, kind: {**found, **({"type": kind} if kind else {})},
        plain,
        st.sampled_from(["", *kinds]),
    )


_ANTHROPIC = _objects(
    [
        *("type", "index", "message", "delta", "content_block", "usage", "error", "id", "model"),
        *("name", "input", "text", "thinking", "signature", "data", "partial_json", "stop_reason"),
        *("stop_details", "cache_creation", "input_tokens", "service_tier", "content", "category"),
    ],
    [
        *("message_start", "content_block_start", "content_block_delta", "message_delta"),
        *("message_stop", "error", "ping", "text_delta"),
    ],
)
_GOOGLE = _objects(
    [
        *("candidates", "content", "parts", "text", "thought", "thoughtSignature", "functionCall"),
        *("name", "args", "id", "finishReason", "finishMessage", "promptFeedback", "blockReason"),
        *("usageMetadata", "promptTokenCount", "trafficType", "modelVersion", "error", "details"),
    ],
    [],
)


def _survives(reader: Reader, sent: list[dict[str, Any]]) -> AssistantMessage:
    """Read what was sent; the reply, or the part of it that came, can be stored and read again."""
    body = b"".join(f"data: {json.dumps(one)}\n\n".encode() for one in sent)
    out: list[Event] = []
    whole = ReplyReader(reader, Limits(), "text/event-stream")
    try:
        whole.feed(body, out)
        whole.close(out)
        reader.end(out)
        last = out[-1]
        assert isinstance(last, Done)
        reply = last.message
    except WireError as error:
        assert error.message.isprintable()
        reply = reader.partial()
    row = json.loads(json.dumps(assistant_to_json(reply)))
    assert from_entry(Entry("assistant", row)) == reply
    assert len({call.id for call in reply.calls}) == len(reply.calls)
    return reply


def _block(more: dict[str, Any]) -> list[dict[str, Any]]:
    """A block of an Anthropic reply with anything in it."""
    start = {"type": "content_block_start", "index": 0, "content_block": more}
    return [start, {"type": "content_block_delta", "index": 0, "delta": more}]


@given(st.lists(_ANTHROPIC, max_size=6), _ANTHROPIC)
def test_anything_over_anthropics_api_ends_well(
    sent: list[dict[str, Any]], more: dict[str, Any]
) -> None:
    end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
    for found in (sent, [*sent, *_block(more), end, {"type": "message_stop"}]):
        reply = _survives(MessageReader(anthropic_helpers.ORIGIN), found)
        anthropic_helpers.sent(anthropic_helpers.asked(reply, UserMessage.of("go on")))


@given(st.lists(_GOOGLE, max_size=6), _GOOGLE)
def test_anything_over_googles_api_ends_well(
    sent: list[dict[str, Any]], more: dict[str, Any]
) -> None:
    part = {"candidates": [{"content": {"parts": [more]}, "finishReason": "STOP"}]}
    for found in (sent, [*sent, part]):
        reply = _survives(ContentReader(google_helpers.ORIGIN), found)
        google_helpers.sent(google_helpers.asked(reply, UserMessage.of("go on")))
