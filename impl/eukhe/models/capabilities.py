"""The operations that a provider can have beside the chat stream (S6.7): what it has, and a function for each.

    provider = Provider(model, credentials)
    capabilities_of(model)[Capability.EMBED]            # the dialect, or None
    found = await embed(provider, Embed("text-embedding-3-small", ("one", "two")))

The support is looked up first: an operation that the provider does not have fails with `UnsupportedError` before a
key is looked for or a request is made. No other provider and no estimate takes its place.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from eukhe.core.quirks import capability
from eukhe.core.quirks_directives import Capability
from eukhe.core.quirks_types import Unsupported
from eukhe.models.bedrock import region_of
from eukhe.models.credentials import NoKey
from eukhe.models.headers import NoHeader, headers_of
from eukhe.models.vertex import credentials_file
from eukhe.wire import bedrock_body
from eukhe.wire import google_vertex as vertex
from eukhe.wire.aws_account import find_keys
from eukhe.wire.aws_sigv4 import signed_headers
from eukhe.wire.capabilities import compact as _compact
from eukhe.wire.capabilities import count_tokens as _count_tokens
from eukhe.wire.capabilities import embed as _embed
from eukhe.wire.capabilities import generate_image as _generate_image
from eukhe.wire.capabilities import list_models as _list_models
from eukhe.wire.capabilities import tokenize as _tokenize
from eukhe.wire.capabilities import usage as _usage
from eukhe.wire.capabilities import web_search as _web_search
from eukhe.wire.capabilities.site import Site
from eukhe.wire.google_account import Account
from eukhe.wire.request import Timeouts

if TYPE_CHECKING:
    from collections.abc import Mapping

    import httpx

    from eukhe.models.credentials import Credentials
    from eukhe.models.registry import Model

__all__ = [
    "CapabilityError",
    "CredentialsError",
    "Provider",
    "UnsupportedError",
    "capabilities_of",
    "compact",
    "count_tokens",
    "embed",
    "generate_image",
    "list_models",
    "tokenize",
    "usage",
    "web_search",
]


class CapabilityError(Exception):
    """An operation was not asked of the provider at all; a failed request is a `WireError`."""


class UnsupportedError(CapabilityError):
    """A provider does not have an operation (S6.7).

    Attributes:
        capability: The operation.
        provider: The provider.
    """

    def __init__(self, unsupported: Unsupported) -> None:
        self.capability = unsupported.capability
        self.provider = unsupported.provider
        super().__init__(
            f"{self.provider} does not have the operation {self.capability.value}, or eukhe does not know it; "
            "`eukhe provider caps` shows who has which"
        )


class CredentialsError(CapabilityError):
    """A provider has no usable key, or a header of it has no value.

    Attributes:
        provider: The provider.
    """

    def __init__(self, provider: str, message: str) -> None:
        self.provider = provider
        super().__init__(message)


@dataclass(frozen=True)
class Provider:
    """A provider, as its operations see it.

    Attributes:
        model: A model of it: its address, its headers and what the rulebook says are those of the operations.
        credentials: Where its key is.
        client: The client to use; `None` opens one for each request.
        timeouts: How long to wait for a server that does nothing.
        deadline: Seconds for a whole operation; `None` for no end.
    """

    model: Model
    credentials: Credentials = field(repr=False)
    client: httpx.AsyncClient | None = None
    timeouts: Timeouts = Timeouts()  # noqa: RUF009 - frozen
    deadline: float | None = 600.0


def capabilities_of(model: Model) -> Mapping[Capability, str | None]:
    """Return the dialect of each operation, None for one that the model's provider does not have.

    Nothing is sent and no key is looked for. For a provider, give any model of it.
    """
    found = {one: capability(model.quirks.rulebook, model.key, one) for one in Capability}
    return {one: d if isinstance(d, str) else None for one, d in found.items()}


async def count_tokens(
    provider: Provider, what: _count_tokens.CountTokens
) -> _count_tokens.TokenCount:
    """Have the provider count the tokens of a conversation; see `eukhe.wire.capabilities.count_tokens`.

    Raises:
        UnsupportedError: the provider has no counter; the local estimate is for the caller to ask for.
        CredentialsError: it has no usable key.
        WireError: the request failed.
    """
    dialect = _dialect(provider, Capability.COUNT_TOKENS, what.model)
    what = replace(what, provider=provider.model.entry.provider)
    return await _count_tokens.count_tokens(dialect, await _site(provider), what, provider.client)


async def list_models(provider: Provider) -> tuple[_list_models.Listed, ...]:
    """Ask the provider for its models; see `eukhe.wire.capabilities.list_models`.

    Raises:
        UnsupportedError: the provider has no list.
        CredentialsError: it has no usable key.
        WireError: the request failed.
    """
    dialect = _dialect(provider, Capability.LIST_MODELS)
    return await _list_models.list_models(dialect, await _site(provider), provider.client)


async def embed(provider: Provider, what: _embed.Embed) -> _embed.Embeddings:
    """Turn texts into vectors; see `eukhe.wire.capabilities.embed`.

    Raises:
        UnsupportedError: the provider does not embed.
        CredentialsError: it has no usable key.
        WireError: the request failed.
    """
    dialect = _dialect(provider, Capability.EMBED, what.model)
    return await _embed.embed(dialect, await _site(provider), what, provider.client)


async def generate_image(
    provider: Provider, what: _generate_image.GenerateImage
) -> _generate_image.Images:
    """Make pictures; see `eukhe.wire.capabilities.generate_image`.

    Raises:
        UnsupportedError: the provider does not make pictures.
        CredentialsError: it has no usable key.
        WireError: the request failed.
    """
    dialect = _dialect(provider, Capability.GENERATE_IMAGE, what.model)
    site = await _site(provider)
    return await _generate_image.generate_image(dialect, site, what, provider.client)


async def tokenize(provider: Provider, what: _tokenize.Tokenize) -> _tokenize.Tokens:
    """Turn a text into tokens; see `eukhe.wire.capabilities.tokenize`.

    Raises:
        UnsupportedError: the provider does not tokenize.
        CredentialsError: it has no usable key.
        WireError: the request failed.
    """
    dialect = _dialect(provider, Capability.TOKENIZE, what.model)
    return await _tokenize.tokenize(dialect, await _site(provider), what, provider.client)


async def usage(provider: Provider, what: _usage.Usage) -> _usage.AccountUsage:
    """Ask what the key or its account has spent and has left; see `eukhe.wire.capabilities.usage`.

    Raises:
        UnsupportedError: the provider does not tell.
        CredentialsError: it has no usable key.
        WireError: the request failed.
    """
    dialect = _dialect(provider, Capability.USAGE)
    return await _usage.usage(dialect, await _site(provider), what, provider.client)


async def web_search(provider: Provider, what: _web_search.WebSearch) -> _web_search.SearchResult:
    """Search the web; see `eukhe.wire.capabilities.web_search`.

    Raises:
        UnsupportedError: the provider does not search.
        CredentialsError: it has no usable key.
        WireError: the request failed.
    """
    dialect = _dialect(provider, Capability.WEB_SEARCH, what.model)
    return await _web_search.web_search(dialect, await _site(provider), what, provider.client)


async def compact(provider: Provider, what: _compact.Compact) -> _compact.Compacted:
    """Have the provider compact a conversation; see `eukhe.wire.capabilities.compact`.

    Raises:
        UnsupportedError: the provider does not compact; a summary is for the caller to ask for.
        CredentialsError: it has no usable key.
        WireError: the request failed.
    """
    dialect = _dialect(provider, Capability.COMPACT, what.model)
    what = replace(what, provider=provider.model.entry.provider)
    return await _compact.compact(dialect, await _site(provider), what, provider.client)


def _dialect(provider: Provider, operation: Capability, asked: str = "") -> str:
    """Return the dialect of an operation.

    Args:
        provider: The provider.
        operation: The operation.
        asked: The model that it is asked of, which may be another one of the same provider; empty for none.
    """
    key = provider.model.key
    if asked not in ("", key.id):
        key = key._replace(id=asked, name="")
    found = capability(provider.model.quirks.rulebook, key, operation)
    if isinstance(found, Unsupported):
        raise UnsupportedError(found)
    return found


async def _site(provider: Provider) -> Site:
    """Return where the operations are asked; a command that gives the key or a header runs now, in a thread."""
    key, headers = await asyncio.to_thread(_secrets, provider)
    site = Site(
        provider.model.entry.base_url,
        key,
        headers,
        timeouts=provider.timeouts,
        deadline=provider.deadline,
    )
    match provider.model.entry.api:
        case vertex.API:
            return await _vertex(provider, site)
        case bedrock_body.API:
            return replace(site, sign=partial(_signed, provider.model))
        case _:
            return site


async def _signed(
    model: Model, url: str, headers: Mapping[str, str], content: bytes
) -> Mapping[str, str]:
    """Return the headers of a request to Bedrock with its signature."""
    keys = await find_keys(model.environ)
    if keys is None:
        return headers
    return signed_headers(keys, url, headers, content, region=region_of(model), service="bedrock")


async def _vertex(provider: Provider, site: Site) -> Site:
    """Return a site of Vertex AI: a key has an address of its own, and an account gives a token in its place."""
    if key := vertex.real_key(site.api_key):
        return replace(site, base_url=vertex.keyed_url(site.base_url), api_key=key)
    path = credentials_file(provider.model.environ)
    if path is None or site.base_url.rstrip("/") == vertex.KEYED_URL:
        raise CredentialsError(
            provider.model.entry.provider,
            "Vertex AI needs an API key, or an account with GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION",
        )
    token = await Account(path).token(site.request, provider.client)
    headers = {"Authorization": f"Bearer {token.text}"}
    if token.quota_project:
        headers["x-goog-user-project"] = token.quota_project
    return replace(site, api_key="", headers={**headers, **site.headers})


def _secrets(provider: Provider) -> tuple[str, Mapping[str, str]]:
    """Return the key and the headers of a provider, their values resolved."""
    credentials, entry = provider.credentials, provider.model.entry
    key = credentials.key(entry.provider)
    if isinstance(key, NoKey):
        raise CredentialsError(entry.provider, key.message)
    headers = headers_of(provider.model, credentials, key.text)
    if isinstance(headers, NoHeader):
        raise CredentialsError(entry.provider, headers.message)
    return key.text, headers
