"""What the tests of this folder share: ask a scripted server, or read bytes that are cut as a test says."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import aclosing

from eukhe.wire.errors import WireError
from eukhe.wire.events import Done, Event, Failed
from eukhe.wire.messages import AssistantMessage, Message, Origin, UserMessage
from eukhe.wire.openai_chunks import ChunkReader
from eukhe.wire.openai_completions import Compat, stream
from eukhe.wire.reply import ReplyReader
from eukhe.wire.request import Limits, Options, Request, Timeouts
from eukhe.wire.sse import SseEvent, SseReader
from tests.servers.chat import ChatServer, Recorded, Reply

KEY = "sk-very-secret-key"
QUICK = Timeouts(connect=2.0, read=0.3, write=2.0)
HELLO: tuple[Message, ...] = (UserMessage.of("hello"),)


def collect(request: Request, compat: Compat | None = None) -> list[Event]:
    """Run one request to its end."""

    async def run() -> list[Event]:
        async with aclosing(stream(request, None, compat or Compat())) as events:
            return [event async for event in events]

    return asyncio.run(run())


def ask(
    reply: Reply,
    *,
    messages: tuple[Message, ...] = HELLO,
    timeouts: Timeouts | None = None,
    limits: Limits | None = None,
    options: Options | None = None,
    compat: Compat | None = None,
) -> list[Event]:
    """Ask a server that gives one reply, and check that it had nothing to complain about."""
    with ChatServer([reply]) as server:
        request = Request(
            server.base_url,
            "m",
            messages,
            api_key=KEY,
            timeouts=timeouts or Timeouts(),
            limits=limits or Limits(),
            options=options or Options(),
        )
        events = collect(request, compat)
        assert server.problems == ()
    assert [type(event) in (Done, Failed) for event in events] == [False] * (len(events) - 1) + [
        True
    ]
    return events


def recorded(request: Request, compat: Compat | None = None) -> Recorded:
    """Return what a server got for `request` (its base URL is replaced), and check that it was well-formed."""
    from dataclasses import replace

    with ChatServer([Reply(text="ok")]) as server:
        collect(replace(request, base_url=server.base_url), compat)
        assert server.problems == ()
        return server.requests[0]


def message(events: Sequence[Event]) -> AssistantMessage:
    """Return the reply that the events end with."""
    last = events[-1]
    assert isinstance(last, Done), last
    return last.message


def failure(events: Sequence[Event]) -> WireError:
    """Return the error that the events end with."""
    last = events[-1]
    assert isinstance(last, Failed), last
    return last.error


def cut(body: bytes, places: Iterable[int]) -> list[bytes]:
    """Cut `body` at `places`; pieces may be empty."""
    ends = sorted(min(place, len(body)) for place in places)
    return [body[start:end] for start, end in zip([0, *ends], [*ends, len(body)], strict=True)]


def sse(pieces: Iterable[bytes], limit: int = 1 << 20) -> tuple[list[SseEvent], str]:
    """Read a whole event stream; the text is the error's, or empty."""
    reader, out = SseReader(limit), list[SseEvent]()
    try:
        for piece in pieces:
            reader.feed(piece, out)
        reader.close(out)
    except WireError as error:
        return out, error.message
    return out, ""


def read(pieces: Iterable[bytes], *, needs_finish: bool = True) -> tuple[list[Event], str]:
    """Read a whole reply without a socket; the text is the error's, or empty."""
    chunks, out = ChunkReader(Origin(), needs_finish=needs_finish), list[Event]()
    reader = ReplyReader(chunks, Limits(), "text/event-stream")
    try:
        for piece in pieces:
            reader.feed(piece, out)
            if chunks.ended:
                break
        reader.close(out)
        chunks.end(out)
    except WireError as error:
        return out, error.message
    return out, ""
