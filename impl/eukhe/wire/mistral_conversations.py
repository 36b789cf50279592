"""The wire API `mistral-conversations`: Mistral's chat over server-sent events.

The name is historical; what is asked is the endpoint for chat completions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eukhe.wire.history import origin_of, taken
from eukhe.wire.http import endpoint
from eukhe.wire.mistral_body import API, Compat, body
from eukhe.wire.mistral_events import MistralReader
from eukhe.wire.streaming import Sending, bearer_headers, speak
from eukhe.wire.strict_tools import OPENAI_SUBSET, own_schemas

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    import httpx

    from eukhe.wire.events import Event
    from eukhe.wire.request import Request
    from eukhe.wire.strict_tools import Schema

__all__ = ["Compat", "stream"]

_PATH = "/chat/completions"
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
        base = request.base_url.rstrip("/").removesuffix("/v1")
        strict.update(own_schemas(request, compat, OPENAI_SUBSET))
        return Sending(endpoint(base, "/v1" + _PATH), _headers(request), body(request, compat))

    strict: dict[str, Schema] = {}
    reply = MistralReader(origin_of(request, API), taken(request), strict=strict)
    return speak(request, reply, sending, client)


def _headers(request: Request) -> dict[str, str]:
    options = request.options
    headers = bearer_headers(request)
    if options.session and options.cache != "none":
        headers["x-affinity"] = options.session
    return headers
