"""How every wire API asks: one request out, the reply's bytes in, and exactly one `Done` or `Failed` at the end.

A wire API is two modules beside this one. The body module writes the request:

    def body(request: Request, compat: Compat) -> bytes: ...      # `payload.json_bytes`, `history.rounds`

The reader module reads the reply (`reply.Reader`): one object in, events out, with `assembly.Assembly` to put the
message together and `payload.read_object` to read an event. The module of the API joins both:

    def stream(request, client=None, compat=_DEFAULT) -> AsyncGenerator[Event, None]:
        def sending() -> Sending:
            return Sending(endpoint(request.base_url, "/path"), headers, body(request, compat))

        return speak(request, MyReader(origin_of(request, API), taken(request)), sending, client)

Everything else is here: the exchange and its failures, where an event ends, limits, a reply that is no stream, and
that no message holds a key. What differs between servers of one API is data (a frozen `Compat`), which
`eukhe.models` looks up; no wire API looks at a model id.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.events import Failed
from eukhe.wire.http import KEY_HEADERS, exchange, raw_bytes, shown, without_secrets
from eukhe.wire.reply import ReplyReader

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping

    import httpx

    from eukhe.wire.events import Event
    from eukhe.wire.messages import AssistantMessage
    from eukhe.wire.reply import Framing, Reader
    from eukhe.wire.request import Limits, Request

__all__ = ["Sending", "bearer_headers", "speak"]

_BROKEN = frozenset({ErrorKind.NETWORK, ErrorKind.TIMEOUT, ErrorKind.STREAM_ENDED})


class Sending(NamedTuple):
    """What goes out.

    Attributes:
        url: The whole address.
        headers: The API's own headers, the key among them; those of the request win.
        content: The body.
    """

    url: str
    headers: Mapping[str, str]
    content: bytes


def bearer_headers(request: Request) -> dict[str, str]:
    """Return the headers of an API that takes JSON, sends events, and takes its key as a bearer token."""
    headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
    if request.api_key:
        headers["Authorization"] = f"Bearer {request.api_key}"
    return headers


async def speak(
    request: Request,
    reply: Reader,
    sending: Callable[[], Sending | Awaitable[Sending]],
    client: httpx.AsyncClient | None = None,
    framing: Callable[[Reader, Limits, str], Framing] = ReplyReader,
) -> AsyncGenerator[Event, None]:
    """Send a request and yield the events of its reply; the last one is `Done` or `Failed`.

    To stop early, close the generator (`contextlib.aclosing`) or cancel the task: the connection is closed.

    Args:
        request: What to send.
        reply: What reads the objects of the reply.
        sending: Makes what goes out, at once or (where a token must be fetched first) later; a `WireError` that it
            raises is how the stream ends.
        client: The client to use; `None` opens one for this request.
        framing: What reads the bytes of the reply into its objects.
    """
    url = request.base_url
    out: list[Event] = []  # what is known and not yet yielded
    headers: Mapping[str, str] = {}
    try:
        found = sending()
        url, headers, content = found if isinstance(found, Sending) else await found
        try:
            async with exchange(request, url, headers, content, client) as response:
                reader = framing(reply, request.limits, response.headers.get("content-type", ""))
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
        reply.end(out)
    except WireError as error:
        out.append(_failure(error, request, url, headers, reply.partial()))
    for event in out:
        yield event


def _failure(
    error: WireError,
    request: Request,
    url: str,
    headers: Mapping[str, str],
    partial: AssistantMessage,
) -> Failed:
    """Return the last event of a stream that failed: its error says where, and holds no key.

    Args:
        error: What happened.
        request: What was to be sent; its key and its own headers are blotted out.
        url: The address.
        headers: The API's own headers; those that hold a key are blotted out as well.
        partial: What came before.
    """
    keys = {name: value for name, value in headers.items() if name.lower() in KEY_HEADERS}
    secret = replace(request, headers={**keys, **request.headers})
    told = replace(
        error,
        message=without_secrets(error.message, secret),
        provider_message=without_secrets(error.provider_message, secret),
        code=without_secrets(error.code, secret),
        url=shown(url),
        model=request.model,
    )
    return Failed(told, partial)
