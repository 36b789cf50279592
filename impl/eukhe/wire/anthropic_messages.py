"""The wire API `anthropic-messages`: Anthropic's Messages, as Anthropic and the servers that copy it speak it.

async with aclosing(stream(request)) as events:
    async for event in events:
        ...
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from eukhe.wire.anthropic_body import API, Compat, body, thinks_by_budget
from eukhe.wire.anthropic_events import MessageReader
from eukhe.wire.copilot import copilot_headers
from eukhe.wire.history import origin_of, taken
from eukhe.wire.http import endpoint
from eukhe.wire.streaming import Sending, speak
from eukhe.wire.strict_tools import ANTHROPIC_SUBSET, own_schemas

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    import httpx

    from eukhe.wire.events import Event
    from eukhe.wire.request import Request
    from eukhe.wire.strict_tools import Schema

__all__ = ["Compat", "stream"]

_PATH: Final = "/v1/messages"
_BETA: Final = "anthropic-beta"
_VERSION: Final = "2023-06-01"
_DEFAULT: Final = Compat()
#: What a token of a login holds; it goes into another header than a key.
_LOGIN: Final = "sk-ant-oat"
_LOGIN_BETA: Final = "oauth-2025-04-20"
_THINK_BETWEEN_CALLS: Final = "interleaved-thinking-2025-05-14"
_EAGER: Final = "fine-grained-tool-streaming-2025-05-14"


def stream(
    request: Request, client: httpx.AsyncClient | None = None, compat: Compat = _DEFAULT
) -> AsyncGenerator[Event, None]:
    """Send a request and yield the events of its reply (`streaming.speak`).

    Args:
        request: What to send. A base URL may end in `/v1`.
        client: The client to use; `None` opens one for this request.
        compat: What differs at this server.
    """
    strict: dict[str, Schema] = {}
    betas = [value for name, value in request.headers.items() if name.lower() == _BETA]
    others = {name: value for name, value in request.headers.items() if name.lower() != _BETA}
    request = replace(request, headers=others)

    def sending() -> Sending:
        base = request.base_url.rstrip("/").removesuffix("/v1")
        url = endpoint(base, _PATH)
        strict.update(own_schemas(request, compat, ANTHROPIC_SUBSET))
        return Sending(url, _headers(request, compat, betas), body(request, compat))

    return speak(
        request, MessageReader(origin_of(request, API), taken(request), strict), sending, client
    )


def _headers(request: Request, compat: Compat, betas: Sequence[str]) -> dict[str, str]:
    """The API's own headers; betas that the user asks for stand beside those that are needed."""
    headers = {
        "Content-Type": "application/json",
        "Accept": "text/event-stream",
        "anthropic-version": _VERSION,
    }
    key = request.api_key
    login = _LOGIN in key
    if key and (login or compat.bearer):
        headers["Authorization"] = f"Bearer {key}"
    elif key:
        headers["x-api-key"] = key
    if compat.session_header and request.options.session:
        headers[compat.session_header] = request.options.session
    if compat.copilot:
        headers |= copilot_headers(request)
    needed = (
        (_LOGIN_BETA, login),
        (_THINK_BETWEEN_CALLS, bool(request.tools) and thinks_by_budget(request.options)),
        (_EAGER, bool(request.tools) and not compat.eager_tools),
    )
    if asked := ",".join([*betas, *(beta for beta, wanted in needed if wanted)]):
        headers[_BETA] = asked
    return headers
