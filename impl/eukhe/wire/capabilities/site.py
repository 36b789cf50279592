"""Where an operation is asked, and one JSON exchange there: bounded, timed, and told without secrets."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias, TypeVar
from urllib.parse import quote, urlencode, urlsplit, urlunsplit

from eukhe.wire.error_body import classify, one_line, read_said
from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.http import endpoint, exchange, raw_bytes, shown, without_secrets
from eukhe.wire.payload import json_bytes
from eukhe.wire.request import Limits, Request, Timeouts

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

    import httpx

__all__ = [
    "ANTHROPIC_VERSION",
    "Auth",
    "Sign",
    "Site",
    "ask",
    "chosen",
    "get",
    "google_model",
    "operation",
    "post",
    "root_url",
    "v1_url",
]

T = TypeVar("T")
Sign: TypeAlias = "Callable[[str, Mapping[str, str], bytes], Awaitable[Mapping[str, str]]]"
Object = dict[str, object]

ANTHROPIC_VERSION = "2023-06-01"
_TIMEOUTS = Timeouts()
_LIMITS = Limits()
_SUBSCRIPTION = "sk-ant-oat"
_SUBSCRIPTION_BETA = "oauth-2025-04-20"


class Auth(Enum):
    """How the key is sent."""

    BEARER = "Authorization: Bearer"
    ANTHROPIC = "x-api-key, or Bearer for the token of a subscription"
    GOOGLE = "x-goog-api-key"


@dataclass(frozen=True, slots=True)
class Site:
    """Where an operation is asked.

    Attributes:
        base_url: The model's base URL; each dialect knows where its paths are below it.
        api_key: The key, or empty for none. It is sent in a header and shown nowhere.
        headers: Headers beside the dialect's own; they may hold secrets and are shown nowhere.
        timeouts: How long to wait for a server that does nothing.
        deadline: Seconds for the whole operation, however many requests it takes; `None` for no end.
        limits: How much of a reply is held.
        sign: Signs a request whose site has no key: from its address, headers and body to its headers; `None` for
            a site that takes no signature.
    """

    base_url: str
    api_key: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeouts: Timeouts = _TIMEOUTS
    deadline: float | None = 600.0
    limits: Limits = _LIMITS
    sign: Sign | None = field(default=None, repr=False)

    @property
    def request(self) -> Request:
        """The site as the transport takes it."""
        return Request(
            self.base_url,
            "",
            (),
            api_key=self.api_key,
            headers=self.headers,
            timeouts=self.timeouts,
            limits=self.limits,
        )


def chosen(table: Mapping[str, T], dialect: str) -> T:
    """Return the implementation of a dialect.

    Raises:
        ValueError: there is none; the rulebook's compiler lets no such dialect through.
    """
    if dialect not in table:
        raise ValueError(
            f"{dialect!r} is no dialect of this operation; there are {', '.join(table)}"
        )
    return table[dialect]


@asynccontextmanager
async def operation(site: Site, model: str = "") -> AsyncIterator[None]:
    """Hold an operation to its deadline, and blot the site's secrets out of what fails in it.

    Args:
        site: Where it is asked.
        model: The model that it is about.
    """
    try:
        async with asyncio.timeout(site.deadline):
            yield
    except TimeoutError:
        place = one_line(shown(site.base_url), 200)
        raise WireError(
            ErrorKind.TIMEOUT,
            f"{place} did not answer in full within {site.deadline or 0:g} s",
            url=place,
            model=model,
        ) from None
    except WireError as error:
        request = site.request
        raise replace(
            error,
            message=without_secrets(error.message, request),
            provider_message=without_secrets(error.provider_message, request),
            code=without_secrets(error.code, request),
            url=error.url or shown(site.base_url),
            model=model,
        ) from None


def root_url(site: Site, path: str) -> str:
    """Return the address of a path at the server's root: without the base URL's last `/v1`."""
    url = endpoint(site.base_url, "")
    parts = urlsplit(url)
    return urlunsplit(parts._replace(path=parts.path.removesuffix("/v1") + path))


def v1_url(site: Site, path: str) -> str:
    """Return the address of a path under `/v1`, which the base URL may or may not end in."""
    return root_url(site, f"/v1{path}")


def google_model(model: str) -> str:
    """Return the resource of a model, such as `models/gemini-3.8-flash`."""
    return f"models/{quote(model.removeprefix('models/'), safe='')}"


async def get(
    site: Site,
    url: str,
    what: str,
    client: httpx.AsyncClient | None,
    *,
    query: Mapping[str, str] | None = None,
    auth: Auth = Auth.BEARER,
) -> Object:
    """Read a JSON object from an address; see `ask`."""
    if query:
        url = f"{url}{'&' if urlsplit(url).query else '?'}{urlencode(query)}"
    return await ask(site, "GET", url, None, what, client, auth)


async def post(
    site: Site,
    url: str,
    body: Mapping[str, object],
    what: str,
    client: httpx.AsyncClient | None,
    *,
    auth: Auth = Auth.BEARER,
) -> Object:
    """Send a JSON object to an address and read one back; see `ask`."""
    return await ask(site, "POST", url, body, what, client, auth)


async def ask(
    site: Site,
    method: str,
    url: str,
    body: Mapping[str, object] | None,
    what: str,
    client: httpx.AsyncClient | None,
    auth: Auth,
) -> Object:
    """Make one exchange and read its reply, one JSON object.

    Args:
        site: For its key, headers, timeouts and limits.
        method: The HTTP method.
        url: The whole address.
        body: What to send; `None` for nothing.
        what: What the reply should be, in words, such as `a list of models`.
        client: The client to use; `None` opens one for this exchange.
        auth: How the key is sent.

    Raises:
        WireError: It failed, or the reply is no JSON object.
    """
    headers: Mapping[str, str] = {
        "Accept": "application/json",
        **({} if body is None else {"Content-Type": "application/json"}),
        **_key_headers(auth, site.api_key),
    }
    content = b"" if body is None else json_bytes(body)
    if site.sign is not None and not site.api_key:
        headers = await site.sign(url, headers, content)
    received = bytearray()
    async with exchange(site.request, url, headers, content, client, method=method) as response:
        async for piece in raw_bytes(response):
            received += piece
            if len(received) > site.limits.body:
                raise WireError(
                    ErrorKind.PROTOCOL,
                    f"{shown(url)} sends more than {site.limits.body:,} bytes where {what} was expected",
                    url=shown(url),
                )
    try:
        document = json.loads(bytes(received))
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise WireError(
            ErrorKind.PROTOCOL,
            f"{shown(url)} answered with something else than {what}",
            url=shown(url),
        )
    if document.get("error") or document.get("object") == "error":
        said = read_said(document)
        raise WireError(
            classify(None, said),
            f"{shown(url)} answered with an error: {said.message or said.code or 'no text'}",
            provider_message=said.message,
            code=said.code,
            url=shown(url),
        )
    return document


def _key_headers(auth: Auth, key: str) -> dict[str, str]:
    match auth:
        case Auth.ANTHROPIC if _SUBSCRIPTION in key:
            found = {"Authorization": f"Bearer {key}", "anthropic-beta": _SUBSCRIPTION_BETA}
            return {**found, "anthropic-version": ANTHROPIC_VERSION}
        case Auth.ANTHROPIC:
            found = {"x-api-key": key} if key else {}
            return {**found, "anthropic-version": ANTHROPIC_VERSION}
        case Auth.GOOGLE:
            return {"x-goog-api-key": key} if key else {}
        case Auth.BEARER:
            return {"Authorization": f"Bearer {key}"} if key else {}
