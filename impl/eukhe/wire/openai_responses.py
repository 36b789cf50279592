"""The wire API `openai-responses`: OpenAI's Responses over server-sent events, nothing stored at the server.

async with aclosing(stream(request)) as events:
    async for event in events:
        ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eukhe.wire.affinity import session_headers
from eukhe.wire.errors import WireError
from eukhe.wire.history import taken
from eukhe.wire.http import endpoint
from eukhe.wire.openai_responses_body import Compat, body, origin_of, strict_plan
from eukhe.wire.openai_responses_events import ResponseReader
from eukhe.wire.streaming import Sending, speak

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    import httpx

    from eukhe.wire.events import Event
    from eukhe.wire.request import Request

__all__ = ["Compat", "headers_of", "reader_of", "stream"]

_PATH = "/responses"
_DEFAULT = Compat()


def stream(
    request: Request, client: httpx.AsyncClient | None = None, compat: Compat = _DEFAULT
) -> AsyncGenerator[Event, None]:
    """Send a request and yield the events of its reply (`streaming.speak`).

    Args:
        request: What to send.
        client: The client to use; `None` opens one for this request.
        compat: What differs at this server.
    """

    def sending() -> Sending:
        url = endpoint(request.base_url, _PATH)
        headers = headers_of(request) | session_headers(request, compat.affinity)
        return Sending(url, headers, body(request, compat))

    return speak(request, reader_of(request, compat), sending, client)


def reader_of(request: Request, compat: Compat) -> ResponseReader:
    """Return what reads the reply to a request."""
    try:
        plans = strict_plan(request, compat)
    except WireError:
        plans = ()  # the body says so, and nothing is sent
    strict = {
        tool.name: one.own
        for tool, one in zip(request.tools, plans, strict=False)
        if one is not None
    }
    return ResponseReader(origin_of(request, compat), taken(request), strict)


def headers_of(request: Request) -> dict[str, str]:
    """Return the headers of a request, its key among them."""
    headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
    if request.api_key:
        headers["Authorization"] = f"Bearer {request.api_key}"
    return headers
