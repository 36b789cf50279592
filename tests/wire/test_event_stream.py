"""AWS's binary event stream: cut anywhere, damaged, too long, or no event stream at all."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eukhe.wire.bedrock_events import ConverseReader
from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.event_stream import FrameReader
from eukhe.wire.events import Event, TextDelta
from eukhe.wire.messages import Origin
from eukhe.wire.request import Limits
from tests.servers.bedrock import call, events, frame, frames, said, text, thought
from tests.wire.helpers import cut

WHOLE = b"".join(
    said(thought("hm 🤔", signature="s"), text("Zwölf", " €"), call("t", '{"a": ', '"é"}')).body("")
)


def run(pieces: list[bytes], limits: Limits | None = None) -> tuple[list[Event], str, str]:
    """The events, the error's text and its kind."""
    reader, out = ConverseReader(Origin("a", "p", "m")), list[Event]()
    bytes_ = FrameReader(reader, limits or Limits(), "application/vnd.amazon.eventstream")
    try:
        for piece in pieces:
            bytes_.feed(piece, out)
        bytes_.close(out)
        reader.end(out)
    except WireError as error:
        return out, error.message, error.kind.value
    return out, "", ""


@given(st.lists(st.integers(0, len(WHOLE)), max_size=10))
@settings(deadline=None, max_examples=60)
def test_the_events_do_not_depend_on_where_the_bytes_are_cut(places: list[int]) -> None:
    assert run(cut(WHOLE, places)) == run([WHOLE])
    assert run([WHOLE])[1] == ""


def test_every_byte_may_come_alone() -> None:
    assert run([WHOLE[at : at + 1] for at in range(len(WHOLE))]) == run([WHOLE])


@given(st.integers(0, len(WHOLE) - 1))
@settings(deadline=None, max_examples=60)
def test_a_stream_that_is_cut_off_is_told(place: int) -> None:
    _, _, kind = run([WHOLE[:place]])
    # The counts are the last frame, and a reply is whole without them.
    last = len(WHOLE) - len(frame(*events(text("x"))[-1]))
    assert kind == ("" if place >= last else ErrorKind.STREAM_ENDED)


@given(st.integers(0, len(WHOLE) - 1), st.integers(1, 255))
@settings(deadline=None, max_examples=120)
def test_a_byte_that_was_changed_is_never_believed(place: int, change: int) -> None:
    damaged = bytearray(WHOLE)
    damaged[place] ^= change
    out, message, _ = run([bytes(damaged)])
    assert message
    assert out == run([WHOLE])[0][: len(out)]


@pytest.mark.parametrize(
    "prelude",
    [
        struct.pack(">II", 15, 0),
        struct.pack(">II", 100, 90),
        struct.pack(">II", 0, 0),
    ],
)
def test_a_frame_whose_lengths_are_wrong_is_damaged(prelude: bytes) -> None:
    whole = prelude + struct.pack(">I", zlib.crc32(prelude)) + bytes(100)
    assert "damaged" in run([whole])[1]


@pytest.mark.parametrize(
    "headers", [b"\x05abc", b"\x01a\x63", b"\x01a\x07\x00\x09x", b"\x01a\x07", b"\xff"]
)
def test_headers_that_are_none_are_damaged(headers: bytes) -> None:
    prelude = struct.pack(">II", 16 + len(headers), len(headers))
    body = prelude + struct.pack(">I", zlib.crc32(prelude)) + headers
    whole = body + struct.pack(">I", zlib.crc32(body))
    assert "damaged" in run([whole])[1]


def test_a_frame_above_the_limit_is_not_held() -> None:
    prelude = struct.pack(">II", 2**30, 0)
    start = prelude + struct.pack(">I", zlib.crc32(prelude))
    assert "an event of more than" in run([start])[1]
    assert "a reply of more than 99 bytes" in run([WHOLE], Limits(reply=99))[1]


@pytest.mark.parametrize(
    ("body", "said_", "kind"),
    [
        (b'{"message": "boom"}', "boom", ErrorKind.SERVER),
        (b'{"hello": 1}', "did not answer with an event stream", ErrorKind.PROTOCOL),
        (b"<html><title>Proxy</title>", "a web page, 'Proxy'", ErrorKind.PROTOCOL),
        (b"[1]", "did not answer with an event stream", ErrorKind.PROTOCOL),
        (b"{" * 99, "did not answer with an event stream", ErrorKind.PROTOCOL),
        (b"data: hello\n\n", "damaged", ErrorKind.PROTOCOL),
        (b"", "without a reply", ErrorKind.STREAM_ENDED),
    ],
)
def test_what_is_no_event_stream_is_said(body: bytes, said_: str, kind: ErrorKind) -> None:
    _, message, found = run([body])
    assert said_ in message
    assert found == kind


def test_text_that_is_not_utf_8_is_shown_and_a_call_with_it_never_runs() -> None:
    from tests.servers.bedrock import _frame

    def raw(name: str, payload: bytes) -> bytes:
        return _frame({":event-type": name, ":message-type": "event"}, payload)

    spoken = b'{"contentBlockIndex": 0, "delta": {"text": "a\xff"}}'
    stop = frame("messageStop", {"stopReason": "end_turn"})
    out, message, _ = run([raw("contentBlockDelta", spoken), stop])
    assert (message, out[1]) == ("", TextDelta("a\ufffd"))
    used = b'{"contentBlockIndex": 0, "delta": {"toolUse": {"input": "\xff"}}}'
    start = frame(
        "contentBlockStart",
        {"contentBlockIndex": 0, "start": {"toolUse": {"toolUseId": "x", "name": "t"}}},
    )
    assert "not UTF-8" in run([start, raw("contentBlockDelta", used), stop])[1]


def test_events_of_other_types_are_passed_over() -> None:
    odd: list[Any] = [
        ("hologram", {"x": 1}),
        ("contentBlockDelta", {"delta": {"text": "x"}}),
        ("messageStart", {}),
    ]
    found = events(text("ok"))
    mixed = b"".join(frames([found[0], *odd, *found[1:]]).body(""))
    assert run([mixed]) == run([b"".join(frames(found).body(""))])
