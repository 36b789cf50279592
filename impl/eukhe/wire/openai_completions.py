"""The wire API `openai-completions`: Chat Completions over server-sent events, as many servers speak it.

async with aclosing(stream(request)) as events:
    async for event in events:
        ...
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.events import Failed
from eukhe.wire.http import endpoint, exchange, raw_bytes, shown, without_secrets
from eukhe.wire.messages import AssistantMessage
from eukhe.wire.openai_body import Compat, body, origin_of
from eukhe.wire.openai_chunks import ChunkReader
from eukhe.wire.openai_reply import ReplyReader

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    import httpx

    from eukhe.wire.events import Event
    from eukhe.wire.request import Request

__all__ = ["Compat", "stream"]

_PATH = "/chat/completions"
_DEFAULT = Compat()
_BROKEN = frozenset({ErrorKind.NETWORK, ErrorKind.TIMEOUT, ErrorKind.STREAM_ENDED})


async def stream(
    request: Request, client: httpx.AsyncClient | None = None, compat: Compat = _DEFAULT
) -> AsyncGenerator[Event, None]:
    """Send a request and yield the events of its reply; the last one is `Done` or `Failed`.

    To stop early, close the generator (`contextlib.aclosing`) or cancel the task: the connection is closed.

    Args:
        request: What to send.
        client: The client to use; `None` opens one for this request.
        compat: What differs at this server.
    """
    history = (message for message in request.messages if isinstance(message, AssistantMessage))
    taken = frozenset(call.id for message in history for call in message.calls)
    reply = ChunkReader(origin_of(request), taken)
    url = request.base_url
    out: list[Event] = []  # what is known and not yet yielded
    try:
        url = endpoint(request.base_url, _PATH)
        content = body(request, compat)
        try:
            async with exchange(request, url, _headers(request), content, client) as response:
                reader = ReplyReader(
                    reply, request.limits, response.headers.get("content-type", "")
                )
                async for chunk in raw_bytes(response):
                    reader.feed(chunk, out)
                    for event in out:
                        yield event
                    out.clear()
                    if reply.ended:
                        break
                reader.close(out)
        except WireError as error:
            # A reply whose finish reason came is complete; that the connection broke costs at most the usage.
            if not reply.finish or error.kind not in _BROKEN:
                raise
        reply.end(out, needs_finish=compat.needs_finish)
    except WireError as error:
        failure = replace(
            error,
            message=without_secrets(error.message, request),
            provider_message=without_secrets(error.provider_message, request),
            code=without_secrets(error.code, request),
            url=shown(url),
            model=request.model,
        )
        out.append(Failed(failure, reply.partial()))
    for event in out:
        yield event


def _headers(request: Request) -> dict[str, str]:
    headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
    if request.api_key:
        headers["Authorization"] = f"Bearer {request.api_key}"
    return headers
