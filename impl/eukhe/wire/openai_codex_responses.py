"""The wire API `openai-codex-responses`: Responses at the ChatGPT backend, with the token of a ChatGPT sign-in."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit, urlunsplit

from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.http import endpoint
from eukhe.wire.openai_responses import ask
from eukhe.wire.openai_responses_body import Compat, body
from eukhe.wire.streaming import Sending, bearer_headers

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    import httpx

    from eukhe.wire.events import Event
    from eukhe.wire.request import Request

__all__ = ["API", "CODEX", "account_of", "stream"]

API: Final = "openai-codex-responses"
#: What the backend takes: instructions have a field, and the length of a reply is its own business.
CODEX: Final = Compat(api=API, system="instructions", loose=None, max_output_tokens=False)

_CLAIMS: Final = "https://api.openai.com/auth"
_ACCOUNT: Final = "chatgpt_account_id"


def stream(
    request: Request, client: httpx.AsyncClient | None = None, compat: Compat = CODEX
) -> AsyncGenerator[Event, None]:
    """Send a request and yield the events of its reply (`openai_responses.ask`).

    Args:
        request: What to send; its key is the access token of a ChatGPT sign-in.
        client: The client to use; `None` opens one for this request.
        compat: What differs at this server.
    """

    def sending() -> Sending:
        headers = bearer_headers(request)
        headers["chatgpt-account-id"] = account_of(request.api_key)
        headers["OpenAI-Beta"] = "responses=experimental"
        headers["originator"] = "eukhe"
        options = request.options
        if options.session and options.cache != "none":
            headers |= dict.fromkeys(("session_id", "x-client-request-id"), options.session)
        return Sending(_url(request.base_url), headers, body(request, compat))

    return ask(request, compat, sending, client)


def account_of(token: str) -> str:
    """Return the account that a ChatGPT access token names.

    Raises:
        WireError: `AUTH`: the token names none.
    """
    import base64  # the other wire APIs do without

    _, _, rest = token.partition(".")
    claims = rest.partition(".")[0]
    try:
        value = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
    except (ValueError, RecursionError):
        value = None
    told = value.get(_CLAIMS) if isinstance(value, dict) else None
    account = told.get(_ACCOUNT) if isinstance(told, dict) else None
    if not isinstance(account, str) or not account:
        raise WireError(
            ErrorKind.AUTH,
            "the credential is no access token of a ChatGPT sign-in: it names no account "
            "(an API key of the OpenAI platform belongs to the provider openai)",
        )
    return account


def _url(base_url: str) -> str:
    parts = urlsplit(endpoint(base_url, ""))
    path = parts.path.rstrip("/")
    for end in ("/codex/responses", "/codex"):
        path = path.removesuffix(end)
    return urlunsplit(parts._replace(path=path + "/codex/responses"))
