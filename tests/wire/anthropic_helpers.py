"""What the tests of Anthropic's Messages share: ask a scripted server, or read events without a socket."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from eukhe.wire.anthropic_body import Compat, body
from eukhe.wire.anthropic_events import MessageReader
from eukhe.wire.anthropic_messages import stream
from eukhe.wire.messages import Message, Origin, ToolSpec
from eukhe.wire.request import Options, Request
from tests.servers.anthropic import MESSAGES, said, text
from tests.wire import asking, helpers

if TYPE_CHECKING:
    from eukhe.wire.events import Event
    from tests.servers.chat import Recorded, Reply

ORIGIN = Origin("anthropic-messages", "anthropic", "m")
BASH = ToolSpec("bash", "Runs a command.", {"type": "object", "properties": {}})


def asked(*messages: Message, options: Options | None = None, **more: Any) -> Request:
    """A request to the model that `ORIGIN` names."""
    wanted = options or Options(max_tokens=100)
    return helpers.asked(*messages, provider="anthropic", options=wanted, **more)


def collect(request: Request, compat: Compat | None = None) -> list[Event]:
    """Run one request to its end."""
    return asking.heard(stream(request, None, compat or Compat()))


def ask(
    reply: Reply, request: Request | None = None, compat: Compat | None = None, **more: Any
) -> list[Event]:
    """Ask a server that gives one reply; `more` is of the request."""
    asking_it = partial(stream, compat=compat or Compat())
    return asking.ask(asking_it, reply, MESSAGES, replace(request or asked(), **more))


def recorded(request: Request, compat: Compat | None = None) -> Recorded:
    """Return what a server got for `request`, and check that it was well-formed."""
    asking_it = partial(stream, compat=compat or Compat())
    return asking.recorded(asking_it, said(text("ok")), MESSAGES, request)


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
    return asking.read(MessageReader(origin), pieces)
