"""What the tests of Anthropic's Messages share: ask a scripted server, or read events without a socket."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from eukhe.wire.anthropic_body import Compat, body
from eukhe.wire.anthropic_events import MessageReader
from eukhe.wire.anthropic_messages import stream
from eukhe.wire.errors import WireError
from eukhe.wire.events import Done, Event, Failed
from eukhe.wire.messages import Message, Origin, ToolSpec
from eukhe.wire.reply import ReplyReader
from eukhe.wire.request import Limits, Options, Request, Timeouts
from tests.servers.anthropic import MESSAGES
from tests.servers.chat import ChatServer, Recorded, Reply
from tests.wire.helpers import HELLO, KEY

ORIGIN = Origin("anthropic-messages", "anthropic", "m")
BASH = ToolSpec("bash", "Runs a command.", {"type": "object", "properties": {}})


def asked(
    *messages: Message,
    tools: Sequence[ToolSpec] = (),
    options: Options | None = None,
    base_url: str = "http://127.0.0.1:1",
    **more: Any,
) -> Request:
    """A request to the model that `ORIGIN` names."""
    return Request(
        base_url,
        "m",
        messages or HELLO,
        tuple(tools),
        KEY,
        "anthropic",
        options or Options(max_tokens=100),
        **more,
    )


def collect(request: Request, compat: Compat | None = None) -> list[Event]:
    """Run one request to its end."""

    async def run() -> list[Event]:
        async with aclosing(stream(request, None, compat or Compat())) as events:
            return [event async for event in events]

    return asyncio.run(run())


def ask(
    reply: Reply,
    request: Request | None = None,
    compat: Compat | None = None,
    *,
    timeouts: Timeouts | None = None,
    limits: Limits | None = None,
) -> list[Event]:
    """Ask a server that gives one reply, and check that it had nothing to complain about."""
    with ChatServer([reply], api=MESSAGES) as server:
        wanted = replace(
            request or asked(),
            base_url=server.base_url,
            timeouts=timeouts or Timeouts(),
            limits=limits or Limits(),
        )
        events = collect(wanted, compat)
        assert server.problems == ()
    ends = [type(event) in (Done, Failed) for event in events]
    assert ends == [False] * (len(events) - 1) + [True]
    return events


def recorded(request: Request, compat: Compat | None = None) -> Recorded:
    """Return what a server got for `request`, and check that it was well-formed."""
    from tests.servers.anthropic import said, text

    with ChatServer([said(text("ok"))], api=MESSAGES) as server:
        collect(replace(request, base_url=server.base_url), compat)
        assert server.problems == ()
        return server.requests[0]


def sent(request: Request, compat: Compat | None = None) -> dict[str, Any]:
    """Return the body of a request, which a strict server takes."""
    found = json.loads(body(request, compat or Compat()))
    headers = {"content-type": "application/json", "anthropic-version": "2023-06-01"}
    assert (
        list(MESSAGES.problems("POST", "/v1/messages", headers, json.dumps(found).encode())) == []
    )
    assert isinstance(found, dict)
    return found


def read(pieces: Iterable[bytes], origin: Origin = ORIGIN) -> tuple[list[Event], str]:
    """Read a whole reply without a socket; the text is the error's, or empty."""
    messages, out = MessageReader(origin), list[Event]()
    reader = ReplyReader(messages, Limits(), "text/event-stream")
    try:
        for piece in pieces:
            reader.feed(piece, out)
            if messages.ended:
                break
        reader.close(out)
        messages.end(out)
    except WireError as error:
        return out, error.message
    return out, ""
