"""The wire API `bedrock-converse-stream`: Bedrock's Converse over AWS's binary event stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from eukhe.wire.bedrock_body import API, Compat, body
from eukhe.wire.bedrock_events import ConverseReader
from eukhe.wire.event_stream import FrameReader
from eukhe.wire.history import origin_of, taken
from eukhe.wire.http import endpoint
from eukhe.wire.streaming import Sending, speak
from eukhe.wire.strict_tools import ANTHROPIC_SUBSET, own_schemas

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    import httpx

    from eukhe.wire.aws_sigv4 import AwsKeys
    from eukhe.wire.events import Event
    from eukhe.wire.request import Request
    from eukhe.wire.strict_tools import Schema

__all__ = ["Compat", "stream"]

_DEFAULT: Final = Compat()
_SERVICE: Final = "bedrock"


def stream(
    request: Request,
    client: httpx.AsyncClient | None = None,
    compat: Compat = _DEFAULT,
    *,
    region: str = "us-east-1",
    keys: Callable[[], Awaitable[AwsKeys | None]] | None = None,
) -> AsyncGenerator[Event, None]:
    """Send a request and yield the events of its reply (`streaming.speak`).

    Args:
        request: What to send. Its key is a bearer token; without one the request is signed.
        client: The client to use; `None` opens one for this request.
        compat: What differs at this model.
        region: The region that requests are signed for.
        keys: Finds the credentials that requests are signed with, anew for each; what it gives may be None, for a
            server that asks for none.
    """

    async def sending() -> Sending:
        path = f"/model/{quote(request.model, safe='')}/converse-stream"
        url = endpoint(request.base_url, path)
        strict.update(own_schemas(request, compat, ANTHROPIC_SUBSET))
        content = body(request, compat)
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/vnd.amazon.eventstream",
        }
        if request.api_key:
            return Sending(url, {**headers, "Authorization": f"Bearer {request.api_key}"}, content)
        known = None if keys is None else await keys()
        if known is not None:
            from eukhe.wire.aws_sigv4 import signed_headers  # a bearer token needs none

            headers = signed_headers(known, url, headers, content, region=region, service=_SERVICE)
        return Sending(url, headers, content)

    strict: dict[str, Schema] = {}
    reply = ConverseReader(origin_of(request, API), taken(request), strict)
    return speak(request, reply, sending, client, FrameReader)
