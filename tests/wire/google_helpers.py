"""What the tests of Google's generateContent share: ask a scripted server, or read chunks without a socket."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from eukhe.wire.google_body import Compat, body
from eukhe.wire.google_events import ContentReader
from eukhe.wire.google_generative import stream
from eukhe.wire.messages import Message, Origin, ToolSpec
from tests.servers.google import GENERATE, part, said
from tests.wire import asking, helpers

if TYPE_CHECKING:
    from eukhe.wire.events import Event
    from eukhe.wire.request import Request
    from tests.servers.chat import Recorded, Reply

ORIGIN = Origin("google-generative-ai", "google", "m")
BASH = ToolSpec("bash", "Runs a command.", {"type": "object", "properties": {}})


def asked(*messages: Message, base_url: str = "http://127.0.0.1:1/v1beta", **more: Any) -> Request:
    """A request to the model that `ORIGIN` names."""
    return helpers.asked(*messages, base_url=base_url, provider="google", **more)


def collect(request: Request, compat: Compat | None = None) -> list[Event]:
    """Run one request to its end."""
    return asking.heard(stream(request, None, compat or Compat()))


def ask(
    reply: Reply, request: Request | None = None, compat: Compat | None = None, **more: Any
) -> list[Event]:
    """Ask a server that gives one reply; `more` is of the request."""
    asking_it = partial(stream, compat=compat or Compat())
    return asking.ask(asking_it, reply, GENERATE, replace(request or asked(), **more))


def recorded(request: Request, compat: Compat | None = None) -> Recorded:
    """Return what a server got for `request`, and check that it was well-formed."""
    asking_it = partial(stream, compat=compat or Compat())
    return asking.recorded(asking_it, said(part("ok")), GENERATE, request)


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
    return asking.read(ContentReader(origin), pieces)
