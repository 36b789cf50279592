"""The wire API `openai-completions`: Chat Completions over server-sent events, as many servers speak it.

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
from eukhe.wire.openai_body import API, body
from eukhe.wire.openai_chunks import ChunkReader
from eukhe.wire.openai_compat import Compat
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
        url = endpoint(request.base_url, _PATH)
        strict.update(own_schemas(request, compat, OPENAI_SUBSET))
        headers = bearer_headers(request) | session_headers(request, compat.affinity)
        if compat.copilot:
            headers |= copilot_headers(request)
        return Sending(url, headers, body(request, compat))

    strict: dict[str, Schema] = {}
    reply = ChunkReader(
        origin_of(request, API), taken(request), needs_finish=compat.needs_finish, strict=strict
    )
    return speak(request, reply, sending, client)
