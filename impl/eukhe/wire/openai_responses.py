"""The wire API `openai-responses`: OpenAI's Responses over server-sent events, nothing stored at the server.

async with aclosing(stream(request)) as events:
    async for event in events:
        ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eukhe.wire.affinity import session_headers
from eukhe.wire.copilot import copilot_headers
from eukhe.wire.history import origin_of, taken
from eukhe.wire.http import endpoint
from eukhe.wire.openai_responses_body import Compat, body
from eukhe.wire.openai_responses_events import ResponseReader
from eukhe.wire.streaming import Sending, bearer_headers, speak
from eukhe.wire.strict_tools import OPENAI_SUBSET, own_schemas

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    import httpx

    from eukhe.wire.events import Event
    from eukhe.wire.request import Request
    from eukhe.wire.strict_tools import Schema

__all__ = ["Compat", "ask", "stream"]

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
        headers = bearer_headers(request) | session_headers(request, compat.affinity)
        if compat.copilot:
            headers |= copilot_headers(request)
        return Sending(url, headers, body(request, compat))

    return ask(request, compat, sending, client)


def ask(
    request: Request,
    compat: Compat,
    sending: Callable[[], Sending],
    client: httpx.AsyncClient | None,
) -> AsyncGenerator[Event, None]:
    """Send a request and read the response, whatever the server's address and headers are.

    Args:
        request: What to send.
        compat: What differs at this server.
        sending: Makes what goes out.
        client: The client to use; `None` opens one for this request.
    """
    strict: dict[str, Schema] = {}

    def planned() -> Sending:
        strict.update(own_schemas(request, compat, OPENAI_SUBSET))
        return sending()

    reply = ResponseReader(origin_of(request, compat.api), taken(request), strict)
    return speak(request, reply, planned, client)
