"""What the tests of Google's generateContent share: ask a scripted server, or read chunks without a socket."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from eukhe.wire.errors import WireError
from eukhe.wire.events import Done, Event, Failed
from eukhe.wire.google_body import Compat, body
from eukhe.wire.google_events import ContentReader
from eukhe.wire.google_generative import stream
from eukhe.wire.messages import Message, Origin, ToolSpec
from eukhe.wire.reply import ReplyReader
from eukhe.wire.request import Limits, Options, Request, Timeouts
from tests.servers.chat import ChatServer, Recorded, Reply
from tests.servers.google import GENERATE, part, said
from tests.wire.helpers import HELLO, KEY

ORIGIN = Origin("google-generative-ai", "google", "m")
BASH = ToolSpec("bash", "Runs a command.", {"type": "object", "properties": {}})


def asked(
    *messages: Message,
    tools: Sequence[ToolSpec] = (),
    options: Options | None = None,
    base_url: str = "http://127.0.0.1:1/v1beta",
    **more: Any,
) -> Request:
    """A request to the model that `ORIGIN` names."""
    return Request(
        base_url,
        "m",
        messages or HELLO,
        tuple(tools),
        KEY,
        "google",
        options or Options(),
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
    with ChatServer([reply], api=GENERATE) as server:
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
    with ChatServer([said(part("ok"))], api=GENERATE) as server:
        collect(replace(request, base_url=server.base_url), compat)
        assert server.problems == ()
        return server.requests[0]


def sent(request: Request, compat: Compat | None = None) -> dict[str, Any]:
    """Return the body of a request, which a strict server takes."""
    found = json.loads(body(request, compat or Compat()))
    headers, path = {"content-type": "application/json"}, "/v1beta/models/m:streamGenerateContent"
    raw = json.dumps(found).encode()
    assert list(GENERATE.problems("POST", f"{path}?alt=sse", headers, raw)) == []
    assert isinstance(found, dict)
    return found


def read(pieces: Iterable[bytes], origin: Origin = ORIGIN) -> tuple[list[Event], str]:
    """Read a whole reply without a socket; the text is the error's, or empty."""
    contents, out = ContentReader(origin), list[Event]()
    reader = ReplyReader(contents, Limits(), "text/event-stream")
    try:
        for piece in pieces:
            reader.feed(piece, out)
            if contents.ended:
                break
        reader.close(out)
        contents.end(out)
    except WireError as error:
        return out, error.message
    return out, ""
