"""The operation `list_models` (S6.7): which models a provider says that it has, and what it says of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from eukhe.wire.capabilities.reading import (
    flag,
    malformed,
    number,
    object_at,
    objects,
    text,
    texts,
    whole,
)
from eukhe.wire.capabilities.site import (
    Auth,
    chosen,
    get,
    operation,
    post,
    root_url,
    v1_url,
)
from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.http import endpoint

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    import httpx

    from eukhe.wire.capabilities.site import Site

__all__ = ["LIST_MODELS", "ListPrices", "Listed", "list_models"]

_WHAT: Final = "a list of models"
_MOST_PAGES: Final = 50
_MOST_MODELS: Final = 20_000
_MOST_SHOWN: Final = 100
_TOKENS: Final = 1_000_000
_KINDS: Final = ("text", "image")
_ABSENT: Final = (
    ErrorKind.NOT_FOUND,
    ErrorKind.INVALID_REQUEST,
    ErrorKind.PERMISSION,
    ErrorKind.PROTOCOL,
)


@dataclass(frozen=True, slots=True)
class ListPrices:
    """Prices in US dollars per million tokens; `None` where the list has none."""

    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None


@dataclass(frozen=True, slots=True)
class Listed:
    """A model as the provider lists it. What the list does not say is `None` or empty.

    Attributes:
        id: Its id.
        name: Its display name.
        context_window: Tokens of the whole window; of llama.cpp the window that is served, or, where it does not
            tell, the one that the model was trained for.
        max_tokens: Tokens of the longest reply.
        input: What it takes, of `text` and `image`.
        tools: Whether it calls tools.
        reasoning: Whether it thinks.
        prices: What it costs.
        status: Whether it is loaded, in the server's own word.
    """

    id: str
    name: str = ""
    context_window: int | None = None
    max_tokens: int | None = None
    input: tuple[str, ...] = ()
    tools: bool | None = None
    reasoning: bool | None = None
    prices: ListPrices | None = None
    status: str = ""


if TYPE_CHECKING:
    Row = Mapping[str, object]
    Client = httpx.AsyncClient | None
    Read = Callable[[Row], Listed]
    Listing = Callable[[Site, Client], Awaitable[list[Listed]]]


async def list_models(dialect: str, site: Site, client: Client = None) -> tuple[Listed, ...]:
    """Ask a provider for its models, page by page.

    Args:
        dialect: One of the dialects of `LIST_MODELS`.
        site: Where to ask.
        client: The client to use; `None` opens one for each page.

    Raises:
        WireError: It failed, or the reply is no list of models.
    """
    listing = chosen(LIST_MODELS, dialect)
    async with operation(site):
        found = await listing(site, client)
    return tuple(one for one in found if one.id)


def _rows(document: Row, key: str) -> list[dict[str, object]]:
    if not isinstance(document.get(key), list):
        raise malformed(_WHAT)
    return objects(document, key)


def _inputs(row: Row, key: str) -> tuple[str, ...]:
    given = texts(row, key)
    return tuple(kind for kind in _KINDS if kind in given)


# Lists of one page.


def _plain(row: Row) -> Listed:
    """The common row; vLLM, Groq and Together add the window, each under a name of its own."""
    windows = (whole(row, key) for key in ("max_model_len", "context_window", "context_length"))
    return Listed(
        text(row, "id"),
        text(row, "name"),
        next((one for one in windows if one is not None), None),
        whole(row, "max_completion_tokens"),
    )


def _mistral(row: Row) -> Listed:
    can = object_at(row, "capabilities")
    vision = flag(can, "vision")
    return Listed(
        text(row, "id"),
        text(row, "name"),
        whole(row, "max_context_length"),
        input=() if vision is None else _KINDS if vision else _KINDS[:1],
        tools=flag(can, "function_calling"),
        reasoning=flag(can, "reasoning"),
    )


def _per_million(row: Row, key: str) -> float | None:
    price = number(row, key)
    return None if price is None or price < 0 else round(price * _TOKENS, 6)


def _openrouter(row: Row) -> Listed:
    prices, takes = object_at(row, "pricing"), texts(row, "supported_parameters")
    return Listed(
        text(row, "id"),
        text(row, "name"),
        whole(row, "context_length"),
        whole(object_at(row, "top_provider"), "max_completion_tokens"),
        _inputs(object_at(row, "architecture"), "input_modalities"),
        "tools" in takes if takes else None,
        "reasoning" in takes if takes else None,
        ListPrices(
            _per_million(prices, "prompt"),
            _per_million(prices, "completion"),
            _per_million(prices, "input_cache_read"),
            _per_million(prices, "input_cache_write"),
        )
        if prices
        else None,
    )


def _prime_inference(row: Row) -> Listed:
    specs, prices = object_at(row, "specs"), object_at(row, "pricing")
    takes = texts(row, "supported_parameters")
    return Listed(
        text(row, "id"),
        text(row, "display_name"),
        whole(specs, "context_window"),
        whole(specs, "max_output_tokens"),
        _inputs(specs, "modalities"),
        "tools" in takes if takes else None,
        flag(specs, "supports_reasoning"),
        ListPrices(
            *(
                number(prices, f"{name}_usd_per_mtok")
                for name in ("input", "output", "cache_read", "cache_write")
            )
        )
        if prices
        else None,
    )


async def _one_page(
    read: Read, url: Callable[[Site, str], str], site: Site, client: Client
) -> list[Listed]:
    document = await get(site, url(site, "/models"), _WHAT, client)
    return [read(row) for row in _rows(document, "data")]


def _under_base(site: Site, path: str) -> str:
    return endpoint(site.base_url, path)


# Lists of many pages.


def _anthropic_row(row: Row) -> Listed:
    return Listed(
        text(row, "id"),
        text(row, "display_name"),
        whole(row, "max_input_tokens"),
        whole(row, "max_tokens"),
    )


def _google_row(row: Row) -> Listed:
    return Listed(
        text(row, "name").removeprefix("models/"),
        text(row, "displayName"),
        whole(row, "inputTokenLimit"),
        whole(row, "outputTokenLimit"),
        reasoning=flag(row, "thinking"),
    )


async def _anthropic(site: Site, client: Client) -> list[Listed]:
    async def page(after: str) -> tuple[list[Listed], str]:
        query = {"limit": "1000"} | ({"after_id": after} if after else {})
        document = await get(
            site, v1_url(site, "/models"), _WHAT, client, query=query, auth=Auth.ANTHROPIC
        )
        more = text(document, "last_id") if document.get("has_more") is True else ""
        return [_anthropic_row(row) for row in _rows(document, "data")], more

    return await _pages(page)


async def _google(site: Site, client: Client) -> list[Listed]:
    async def page(after: str) -> tuple[list[Listed], str]:
        query = {"pageSize": "1000"} | ({"pageToken": after} if after else {})
        url = endpoint(site.base_url, "/models")
        document = await get(site, url, _WHAT, client, query=query, auth=Auth.GOOGLE)
        return [_google_row(row) for row in _rows(document, "models")], text(
            document, "nextPageToken"
        )

    return await _pages(page)


async def _pages(page: Callable[[str], Awaitable[tuple[list[Listed], str]]]) -> list[Listed]:
    """Read all pages; a server that goes round in circles or never ends is an error, not a short list."""
    found: list[Listed] = []
    after, seen = "", {""}
    for _ in range(_MOST_PAGES):
        rows, after = await page(after)
        found += rows
        if not after:
            return found
        if after in seen:
            raise WireError(ErrorKind.PROTOCOL, "the list of models goes round in circles")
        if len(found) > _MOST_MODELS:
            break
        seen.add(after)
    raise WireError(
        ErrorKind.PROTOCOL, f"the list of models does not end ({len(found):,} models so far)"
    )


# Lists of local servers, which say more elsewhere.


def _llama_cpp_row(row: Row) -> Listed:
    meta = object_at(row, "meta")
    return Listed(
        text(row, "id"),
        context_window=whole(meta, "n_ctx_train"),
        input=_inputs(object_at(row, "architecture"), "input_modalities"),
        status=text(object_at(row, "status"), "value"),
    )


async def _llama_cpp(site: Site, client: Client) -> list[Listed]:
    found = await _one_page(_llama_cpp_row, v1_url, site, client)
    if len(found) != 1 or found[0].status:
        return found  # a router has no window of its own
    try:
        props = await get(site, root_url(site, "/props"), "the properties of a server", client)
    except WireError as error:
        if error.kind not in _ABSENT:
            raise
        return found
    served = whole(object_at(props, "default_generation_settings"), "n_ctx")
    return found if not served else [replace(found[0], context_window=served)]


async def _ollama(site: Site, client: Client) -> list[Listed]:
    document = await get(site, root_url(site, "/api/tags"), _WHAT, client)
    names = [text(row, "model") or text(row, "name") for row in _rows(document, "models")]
    shown = [await _ollama_model(site, name, client) for name in names[:_MOST_SHOWN] if name]
    return [*shown, *(Listed(name) for name in names[_MOST_SHOWN:])]


async def _ollama_model(site: Site, name: str, client: Client) -> Listed:
    """What the server says of one model; one that went away meanwhile keeps its name alone."""
    try:
        url = root_url(site, "/api/show")
        row = await post(site, url, {"model": name}, "what is known of a model", client)
    except WireError as error:
        if error.kind not in _ABSENT:
            raise
        return Listed(name)
    info, can = object_at(row, "model_info"), texts(row, "capabilities")
    window = whole(info, f"{text(info, 'general.architecture')}.context_length")
    return Listed(
        name,
        context_window=window,
        input=() if not can else _KINDS if "vision" in can else _KINDS[:1],
        tools="tools" in can if can else None,
        reasoning="thinking" in can if can else None,
    )


#: The implementations, by dialect.
LIST_MODELS: Final[Mapping[str, Listing]] = {
    "openai": partial(_one_page, _plain, _under_base),
    "anthropic": _anthropic,
    "google": _google,
    "mistral": partial(_one_page, _mistral, v1_url),
    "llama-cpp": _llama_cpp,
    "openrouter": partial(_one_page, _openrouter, _under_base),
    "ollama": _ollama,
    "prime-inference": partial(_one_page, _prime_inference, _under_base),
}
