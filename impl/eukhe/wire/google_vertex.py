"""The wire API `google-vertex`: generateContent of Vertex AI, with an API key or the tokens of an account.

The base URL is what stands before `/models`: `https://LOCATION-aiplatform.googleapis.com/v1/projects/PROJECT/
locations/LOCATION/publishers/google`. An API key is taken at the address without project and location only.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.google_body import Compat, body
from eukhe.wire.google_events import ContentReader
from eukhe.wire.google_generative import model_url
from eukhe.wire.history import origin_of, taken
from eukhe.wire.streaming import Sending, speak

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    import httpx

    from eukhe.wire.events import Event
    from eukhe.wire.google_account import Account
    from eukhe.wire.request import Request

__all__ = ["API", "KEYED_URL", "keyed_url", "real_key", "stream"]

API: Final = "google-vertex"

#: The address at which an API key is taken.
KEYED_URL: Final = "https://aiplatform.googleapis.com/v1/publishers/google"

_DEFAULT: Final = Compat(api=API)
_PLACE: Final = re.compile(r"/projects/[^/]*/locations/[^/]*(?=/)")
_KEYED_HOST: Final = re.compile(r"(?<=^https://)[^/]*aiplatform\.[^/]*googleapis\.com(?=/)")
_PLACEHOLDER: Final = re.compile(r"<.*>")


def stream(
    request: Request,
    client: httpx.AsyncClient | None = None,
    compat: Compat = _DEFAULT,
    account: Account | None = None,
) -> AsyncGenerator[Event, None]:
    """Send a request and yield the events of its reply (`streaming.speak`).

    Args:
        request: What to send; a key such as `<your key>` is none.
        client: The client to use; `None` opens one for this request.
        compat: What differs at this server.
        account: Whose tokens are sent where the request has no key; None for nobody's.
    """
    key = real_key(request.api_key)

    async def sending() -> Sending:
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
        content = body(request, compat)
        if key:
            keyed = model_url(replace(request, base_url=keyed_url(request.base_url)))
            return Sending(keyed, {**headers, "x-goog-api-key": key}, content)
        if account is None:
            raise WireError(
                ErrorKind.AUTH,
                "Vertex AI needs an API key or an account: set GOOGLE_APPLICATION_CREDENTIALS to the file of an "
                "account, or run `gcloud auth application-default login`",
            )
        if request.base_url.rstrip("/") == KEYED_URL:
            raise WireError(
                ErrorKind.AUTH,
                "an account needs a project and a location: set GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION",
            )
        url = model_url(request)
        token = await account.token(request, client)
        headers["Authorization"] = f"Bearer {token.text}"
        if token.quota_project:
            headers["x-goog-user-project"] = token.quota_project
        return Sending(url, headers, content)

    reply = ContentReader(origin_of(request, compat.api), taken(request))
    return speak(request, reply, sending, client)


def keyed_url(base_url: str) -> str:
    """Return the address at which an API key is taken, in the place of that of a project and a location."""
    return _KEYED_HOST.sub("aiplatform.googleapis.com", _PLACE.sub("", base_url))


def real_key(key: str) -> str:
    """Return a key; empty for a text such as `<your key>`, which is none."""
    return "" if _PLACEHOLDER.fullmatch(key) else key
