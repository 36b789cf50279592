"""The wire API `google-generative-ai`: Google's generateContent over server-sent events, with an API key.

async with aclosing(stream(request)) as events:
    async for event in events:
        ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from eukhe.wire.google_body import Compat, body
from eukhe.wire.google_events import ContentReader
from eukhe.wire.history import origin_of, taken
from eukhe.wire.http import endpoint
from eukhe.wire.streaming import Sending, speak

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    import httpx

    from eukhe.wire.events import Event
    from eukhe.wire.request import Request

__all__ = ["Compat", "model_url", "stream"]

_DEFAULT: Final = Compat()


def stream(
    request: Request, client: httpx.AsyncClient | None = None, compat: Compat = _DEFAULT
) -> AsyncGenerator[Event, None]:
    """Send a request and yield the events of its reply (`streaming.speak`).

    Args:
        request: What to send; its base URL is what stands before `/models`.
        client: The client to use; `None` opens one for this request.
        compat: What differs at this server.
    """

    def sending() -> Sending:
        url = model_url(request)
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
        if request.api_key:
            headers["x-goog-api-key"] = request.api_key
        return Sending(url, headers, body(request, compat))

    return speak(
        request, ContentReader(origin_of(request, compat.api), taken(request)), sending, client
    )


def model_url(request: Request) -> str:
    """Return the address at which a model streams.

    Raises:
        WireError: `INVALID_REQUEST`: the base URL is no http or https address.
    """
    model = quote(request.model.removeprefix("models/"), safe="")
    url = endpoint(request.base_url, f"/models/{model}:streamGenerateContent")
    return f"{url}{'&' if '?' in url else '?'}alt=sse"
