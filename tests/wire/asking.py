"""Ask a scripted server over any wire API, or read the bytes of a reply without a socket."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from eukhe.wire.errors import WireError
from eukhe.wire.events import Done, Event, Failed
from eukhe.wire.reply import ReplyReader
from eukhe.wire.request import Limits, Request
from tests.servers.chat import ChatServer

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterable

    from eukhe.wire.reply import Framing, Reader
    from tests.servers.api import Api
    from tests.servers.chat import Recorded, Reply

__all__ = ["ask", "heard", "read", "recorded"]


def heard(events: AsyncGenerator[Event, None]) -> list[Event]:
    """Run one stream to its end; the last event, and no other, is `Done` or `Failed`."""

    async def run() -> list[Event]:
        async with aclosing(events) as stream:
            return [event async for event in stream]

    found = asyncio.run(run())
    ends = [isinstance(event, Done | Failed) for event in found]
    assert ends == [False] * (len(found) - 1) + [True], found
    return found


def ask(
    stream: Callable[[Request], AsyncGenerator[Event, None]],
    reply: Reply,
    api: Api,
    request: Request,
) -> list[Event]:
    """Ask a server that gives one reply, and check that it had nothing to complain about."""
    with ChatServer([reply], api=api) as server:
        found = heard(stream(replace(request, base_url=server.base_url)))
        assert server.problems == ()
    return found


def recorded(
    stream: Callable[[Request], AsyncGenerator[Event, None]],
    reply: Reply,
    api: Api,
    request: Request,
) -> Recorded:
    """Return what a server got for a request, and check that it was well-formed."""
    with ChatServer([reply], api=api) as server:
        heard(stream(replace(request, base_url=server.base_url)))
        assert server.problems == ()
        return server.requests[0]


def read(
    reader: Reader,
    pieces: Iterable[bytes],
    framing: Callable[[Reader, Limits, str], Framing] = ReplyReader,
) -> tuple[list[Event], str]:
    """Read a whole reply without a socket; the text is the error's, or empty."""
    out: list[Event] = []
    bytes_ = framing(reader, Limits(), "text/event-stream")
    try:
        for piece in pieces:
            bytes_.feed(piece, out)
            if reader.ended:
                break
        bytes_.close(out)
        reader.end(out)
    except WireError as error:
        return out, error.message
    return out, ""
