"""The event stream reader: the rules of the format, its limit, and bytes that are cut anywhere."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.sse import SseEvent, SseReader
from tests.wire.helpers import cut, sse

_RICH = (
    b"\xef\xbb\xbf: hello\r\ndata: one\r\n\r\n"
    b"event: note\rdata:two\rdata: three\r\r"
    b"id: 7\nretry: 10\ndata: \xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\n\n"
    b"data\n\nunknown: x\ndata:  spaced\n\n\n\ndata: bad \xff\xc3 byte\n\ndata: last"
)
_RICH_EVENTS = [
    SseEvent("one"),
    SseEvent("two\nthree", "note"),
    SseEvent("é€😀"),
    SseEvent(""),
    SseEvent(" spaced"),
    SseEvent("bad \ufffd\ufffd byte", damaged=True),
    SseEvent("last"),
]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_every_line_end_ends_a_line(end: bytes) -> None:
    assert sse([end.join([b"data: a", b"data: b", b"", b"data: c", b"", b""])]) == (
        [SseEvent("a\nb"), SseEvent("c")],
        "",
    )


def test_the_rich_stream_is_read() -> None:
    assert sse([_RICH]) == (_RICH_EVENTS, "")


def test_the_rich_stream_is_read_byte_by_byte() -> None:
    assert sse(_RICH[at : at + 1] for at in range(len(_RICH))) == (_RICH_EVENTS, "")


@given(st.lists(st.integers(0, len(_RICH)), max_size=12))
@settings(deadline=None)
def test_the_cuts_do_not_matter_on_the_rich_stream(places: list[int]) -> None:
    assert sse(cut(_RICH, places)) == (_RICH_EVENTS, "")


_LINE_PIECES = st.sampled_from(
    [
        b"data: ",
        b"data:",
        b"data",
        b"event: x",
        b":",
        b"\n",
        b"\r",
        b"\r\n",
        b"a",
        b"\xff",
        b"\xef\xbb\xbf",
        b" ",
        b"\xc3\xa9",
    ]
)


@given(st.lists(_LINE_PIECES, max_size=30).map(b"".join), st.lists(st.integers(0, 90), max_size=8))
@settings(deadline=None, max_examples=400)
def test_the_cuts_do_not_matter_on_any_bytes(body: bytes, places: list[int]) -> None:
    assert sse(cut(body, places), limit=24) == sse([body], limit=24)


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_a_line_end_that_is_cut_in_two_ends_one_line(end: bytes) -> None:
    body = end.join([b"data: a", b"data: b", b"", b""])
    assert sse(body[at : at + 1] for at in range(len(body))) == ([SseEvent("a\nb")], "")


def test_a_byte_order_mark_at_the_start_is_no_part_of_the_first_line() -> None:
    body = b"\xef\xbb\xbfdata: a\n\n\xef\xbb\xbfdata: b\n\n"
    assert sse([body])[0] == [SseEvent("a")]
    assert sse(body[at : at + 1] for at in range(len(body)))[0] == [SseEvent("a")]


def test_the_name_does_not_stay_for_the_next_event() -> None:
    assert sse([b"event: a\ndata: 1\n\ndata: 2\n\nevent: b\n\ndata: 3\n\n"])[0] == [
        SseEvent("1", "a"),
        SseEvent("2"),
        SseEvent("3"),
    ]


def test_an_event_at_the_limit_is_read_and_one_above_is_refused() -> None:
    assert sse([b"data: " + b"x" * 4 + b"\n\n"], limit=10) == ([SseEvent("xxxx")], "")
    assert sse([b"data: a\n\n" * 100], limit=10) == ([SseEvent("a")] * 100, "")
    events, error = sse([b"data: ok\n\ndata: " + b"x" * 5 + b"\n\n"], limit=10)
    assert events == [SseEvent("ok")]
    assert "more than 10 bytes" in error


@pytest.mark.parametrize("line", [b"data: x\n", b"data\n"])
def test_many_short_lines_of_one_event_are_limited_too(line: bytes) -> None:
    assert "more than 100 bytes" in sse([line * 40], limit=100)[1]


def test_a_comment_line_is_limited_and_many_comments_are_not() -> None:
    assert "more than 100 bytes" in sse([b":" + b"x" * 200 + b"\n"], limit=100)[1]
    assert sse([b": ping\n" * 1000 + b"data: a\n\n"], limit=100) == ([SseEvent("a")], "")


def test_a_line_of_ten_megabytes_does_not_grow_memory_above_the_limit() -> None:
    limit = 1 << 20
    reader, piece = SseReader(limit), b"x" * 65536
    tracemalloc.start()
    try:
        with pytest.raises(WireError) as caught:
            for _ in range(160):
                reader.feed(piece, [])
        assert tracemalloc.get_traced_memory()[1] < 3 * limit
    finally:
        tracemalloc.stop()
    assert caught.value.kind is ErrorKind.PROTOCOL


def test_endless_lines_that_are_no_event_stream_are_refused() -> None:
    reader = SseReader(1 << 20)
    with pytest.raises(WireError, match="not an event stream"):
        for _ in range(10_000):
            reader.feed(b"hello world\n", [])
    assert reader.stray == b"hello world"
