"""The wire API `azure-openai-responses`: Responses at an Azure resource, which calls a model by its deployment."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from eukhe.wire.affinity import session_headers
from eukhe.wire.http import endpoint
from eukhe.wire.openai_responses import ask
from eukhe.wire.openai_responses_body import Compat, body
from eukhe.wire.streaming import Sending, bearer_headers

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    import httpx

    from eukhe.wire.events import Event
    from eukhe.wire.request import Request

__all__ = ["API", "VERSION", "stream"]

API: Final = "azure-openai-responses"
#: The version of the API that is asked for where the user names none.
VERSION: Final = "v1"

_ROOT: Final = "/openai/v1"
_DEFAULT: Final = Compat(api=API)


def stream(
    request: Request,
    client: httpx.AsyncClient | None = None,
    compat: Compat = _DEFAULT,
    *,
    version: str = VERSION,
    token: str = "",
) -> AsyncGenerator[Event, None]:
    """Send a request and yield the events of its reply (`openai_responses.ask`).

    Args:
        request: What to send.
        client: The client to use; `None` opens one for this request.
        compat: What differs at this server.
        version: The `api-version`; one in the base URL wins.
        token: A token of Microsoft Entra, which is sent where the request has no key.
    """
    signed = request if request.api_key else replace(request, api_key=token)

    def sending() -> Sending:
        headers = bearer_headers(signed) | session_headers(request, compat.affinity)
        if request.api_key:
            del headers["Authorization"]
            headers["api-key"] = request.api_key
        return Sending(_url(request.base_url, version), headers, body(request, compat))

    return ask(signed, compat, sending, client)


def _url(base_url: str, version: str) -> str:
    """The address of a resource, with the path and the version that the user may have left out."""
    parts = urlsplit(endpoint(base_url, ""))
    root = parts.path.rstrip("/")
    if not root.endswith(_ROOT):
        root = root.removesuffix("/openai") + _ROOT
    query = dict(parse_qsl(parts.query))
    query.setdefault("api-version", version)
    return urlunsplit(parts._replace(path=root + "/responses", query=urlencode(query)))
