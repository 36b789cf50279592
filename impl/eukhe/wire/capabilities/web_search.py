"""The operation `web_search` (S6.7): a question, answered from the web by the provider's own search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eukhe.wire.capabilities.reading import malformed, object_at, objects, text, texts
from eukhe.wire.capabilities.site import (
    Auth,
    chosen,
    google_model,
    operation,
    post,
    root_url,
    v1_url,
)
from eukhe.wire.error_body import one_line
from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.http import endpoint

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping

    import httpx

    from eukhe.wire.capabilities.site import Site

__all__ = ["WEB_SEARCH", "SearchResult", "Source", "WebSearch", "web_search"]

_WHAT: Final = "the answer of a web search"
_MOST_TURNS: Final = 8
_TOOL: Final = "web_search"


@dataclass(frozen=True, slots=True)
class WebSearch:
    """What to look for.

    Attributes:
        model: The model that searches and answers; a pure search engine looks at none.
        query: The question.
        domains: The domains that alone may be searched; empty for all.
        max_results: The most results or searches, where the provider has such a limit; `None` for its own.
        max_tokens: The most tokens of the answer.
    """

    model: str
    query: str
    domains: tuple[str, ...] = ()
    max_results: int | None = None
    max_tokens: int = 4096


@dataclass(frozen=True, slots=True)
class Source:
    """A page that was found.

    Attributes:
        url: Its address.
        title: Its title; empty where the provider gives none.
        text: What it says; empty where the provider gives none.
    """

    url: str
    title: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search gave.

    Attributes:
        text: The answer; empty for a provider that only lists pages.
        sources: The pages, each once: those that the answer cites first.
        queries: What was searched for, where the provider tells.
        cut: Whether the answer ended at its limit of tokens.
    """

    text: str
    sources: tuple[Source, ...]
    queries: tuple[str, ...] = ()
    cut: bool = False


if TYPE_CHECKING:
    Client = httpx.AsyncClient | None
    Searching = Callable[[Site, WebSearch, Client], Awaitable[SearchResult]]
    Row = Mapping[str, object]


async def web_search(
    dialect: str, site: Site, what: WebSearch, client: Client = None
) -> SearchResult:
    """Search the web.

    Args:
        dialect: One of the dialects of `WEB_SEARCH`.
        site: Where to ask.
        what: What to look for.
        client: The client to use; `None` opens one for each request.

    Raises:
        WireError: It failed, the request asks for what the dialect does not have, or the model answered without
            a search.
    """
    searching = chosen(WEB_SEARCH, dialect)
    async with operation(site, what.model):
        found = await searching(site, what, client)
        if not found.sources and not found.queries:
            said = f": {one_line(found.text, 200)!r}" if found.text else ""
            raise WireError(ErrorKind.PROTOCOL, f"the model answered without a web search{said}")
    return found


def _distinct(sources: Iterable[Source]) -> tuple[Source, ...]:
    """Return the sources, each address once; what a later mention adds is taken over."""
    found: dict[str, Source] = {}
    for one in sources:
        before = found.get(one.url, one)
        if one.url:
            found[one.url] = Source(one.url, before.title or one.title, before.text or one.text)
    return tuple(found.values())


# OpenAI: a tool of the Responses API.


async def _openai(site: Site, what: WebSearch, client: Client) -> SearchResult:
    tool: dict[str, object] = {"type": _TOOL}
    if what.domains:
        tool["filters"] = {"allowed_domains": list(what.domains)}
    body = {
        "model": what.model,
        "input": what.query,
        "tools": [tool],
        "tool_choice": {"type": _TOOL},
        "include": ["web_search_call.action.sources"],
        "max_output_tokens": what.max_tokens,
        "store": False,
    }
    document = await post(site, endpoint(site.base_url, "/responses"), body, _WHAT, client)
    if not isinstance(document.get("output"), list):
        raise malformed(_WHAT)
    items = objects(document, "output")
    parts = [
        one for row in items if row.get("type") == "message" for one in objects(row, "content")
    ]
    actions = [object_at(row, "action") for row in items if row.get("type") == "web_search_call"]
    cited = [row for one in parts for row in objects(one, "annotations")]
    listed = [row for action in actions for row in objects(action, "sources")]
    return SearchResult(
        "".join(text(one, "text") for one in parts),
        _distinct(_source(row) for row in (*cited, *listed)),
        tuple(query for action in actions for query in _queries(action)),
        document.get("status") == "incomplete",
    )


def _source(row: Row) -> Source:
    return Source(text(row, "url"), text(row, "title"), text(row, "content"))


def _queries(action: Row) -> Iterator[str]:
    many = texts(action, "queries")
    yield from many or filter(None, (text(action, "query"),))


# Anthropic: a server tool of the Messages API, in as many turns as the server wants.


async def _anthropic(site: Site, what: WebSearch, client: Client) -> SearchResult:
    tool: dict[str, object] = {"type": "web_search_20250305", "name": _TOOL}
    if what.domains:
        tool["allowed_domains"] = list(what.domains)
    if what.max_results is not None:
        tool["max_uses"] = what.max_results
    messages: list[dict[str, object]] = [{"role": "user", "content": what.query}]
    blocks: list[dict[str, object]] = []
    for _ in range(_MOST_TURNS):
        body = {
            "model": what.model,
            "max_tokens": what.max_tokens,
            "messages": messages,
            "tools": [tool],
        }
        url = v1_url(site, "/messages")
        document = await post(site, url, body, _WHAT, client, auth=Auth.ANTHROPIC)
        if not isinstance(document.get("content"), list):
            raise malformed(_WHAT)
        new = objects(document, "content")
        blocks += new
        if document.get("stop_reason") == "refusal":
            raise WireError(ErrorKind.SAFETY, "the model refused to answer")
        if document.get("stop_reason") != "pause_turn":
            return _anthropic_result(blocks, document.get("stop_reason") == "max_tokens")
        messages = [messages[0], {"role": "assistant", "content": blocks}]
    raise WireError(ErrorKind.SERVER, f"the search did not end within {_MOST_TURNS} turns")


def _anthropic_result(blocks: list[dict[str, object]], cut: bool) -> SearchResult:
    cited = [
        Source(text(row, "url"), text(row, "title"), text(row, "cited_text"))
        for block in blocks
        if block.get("type") == "text"
        for row in objects(block, "citations")
    ]
    results = [block for block in blocks if block.get("type") == "web_search_tool_result"]
    listed = [
        Source(text(row, "url"), text(row, "title"))
        for block in results
        for row in objects(block, "content")
    ]
    failed = [
        code for block in results if (code := text(object_at(block, "content"), "error_code"))
    ]
    if failed and not cited and not listed:
        busy = "too_many_requests" in failed
        raise WireError(
            ErrorKind.RATE_LIMIT if busy else ErrorKind.SERVER,
            f"the search failed: {one_line(failed[0], 80)}",
            code=one_line(failed[0], 80),
        )
    searches = [
        text(object_at(block, "input"), "query")
        for block in blocks
        if block.get("type") == "server_tool_use" and block.get("name") == _TOOL
    ]
    answer = "".join(text(block, "text") for block in blocks if block.get("type") == "text")
    return SearchResult(answer, _distinct((*cited, *listed)), tuple(filter(None, searches)), cut)


# Google: grounding.


async def _google(site: Site, what: WebSearch, client: Client) -> SearchResult:
    if what.domains:
        raise WireError(
            ErrorKind.INVALID_REQUEST, "this provider's search cannot be held to domains"
        )
    body = {
        "contents": [{"role": "user", "parts": [{"text": what.query}]}],
        "tools": [{"googleSearch": {}}],
        "generationConfig": {"maxOutputTokens": what.max_tokens},
    }
    url = endpoint(site.base_url, f"/{google_model(what.model)}:generateContent")
    document = await post(site, url, body, _WHAT, client, auth=Auth.GOOGLE)
    blocked = text(object_at(document, "promptFeedback"), "blockReason")
    if blocked:
        reason = one_line(blocked, 80)
        raise WireError(ErrorKind.SAFETY, f"the provider's filter refused the question ({reason})")
    candidates = objects(document, "candidates")
    if not candidates:
        raise malformed(_WHAT)
    ground = object_at(candidates[0], "groundingMetadata")
    pages = [object_at(row, "web") for row in objects(ground, "groundingChunks")]
    parts = objects(object_at(candidates[0], "content"), "parts")
    return SearchResult(
        "".join(text(part, "text") for part in parts if part.get("thought") is not True),
        _distinct(Source(text(page, "uri"), text(page, "title")) for page in pages),
        texts(ground, "webSearchQueries"),
        candidates[0].get("finishReason") == "MAX_TOKENS",
    )


# OpenRouter: a server tool of Chat Completions.


async def _openrouter(site: Site, what: WebSearch, client: Client) -> SearchResult:
    parameters: dict[str, object] = {}
    if what.max_results is not None:
        parameters["max_results"] = what.max_results
    if what.domains:
        parameters["allowed_domains"] = list(what.domains)
    tool: dict[str, object] = {"type": "openrouter:web_search"}
    if parameters:
        tool["parameters"] = parameters
    body = {
        "model": what.model,
        "messages": [{"role": "user", "content": what.query}],
        "tools": [tool],
        "max_tokens": what.max_tokens,
    }
    url = endpoint(site.base_url, "/chat/completions")
    document = await post(site, url, body, _WHAT, client)
    choices = objects(document, "choices")
    if not choices:
        raise malformed(_WHAT)
    message = object_at(choices[0], "message")
    cited = (object_at(row, "url_citation") for row in objects(message, "annotations"))
    cut = choices[0].get("finish_reason") == "length"
    return SearchResult(text(message, "content"), _distinct(map(_source, cited)), (), cut)


# Mistral: a connector of the Conversations API.


async def _mistral(site: Site, what: WebSearch, client: Client) -> SearchResult:
    if what.domains:
        raise WireError(
            ErrorKind.INVALID_REQUEST, "this provider's search cannot be held to domains"
        )
    body = {
        "model": what.model,
        "inputs": what.query,
        "tools": [{"type": _TOOL}],
        "completion_args": {"max_tokens": what.max_tokens},
        "store": False,
    }
    document = await post(site, v1_url(site, "/conversations"), body, _WHAT, client)
    if not isinstance(document.get("outputs"), list):
        raise malformed(_WHAT)
    rows = objects(document, "outputs")
    messages = [row for row in rows if row.get("type") == "message.output"]
    parts = [one for row in messages for one in objects(row, "content")]
    answer = "".join(
        text(row, "content") or "".join(text(one, "text") for one in objects(row, "content"))
        for row in messages
    )
    cited = (
        Source(text(one, "url"), text(one, "title"), text(one, "description"))
        for one in parts
        if one.get("type") == "tool_reference"
    )
    searches = [row for row in rows if row.get("type") == "tool.execution"]
    return SearchResult(answer, _distinct(cited), (what.query,) if searches else ())


# Ollama: a search engine, no model.


async def _ollama(site: Site, what: WebSearch, client: Client) -> SearchResult:
    if what.domains:
        raise WireError(
            ErrorKind.INVALID_REQUEST, "this provider's search cannot be held to domains"
        )
    body: dict[str, object] = {"query": what.query}
    if what.max_results is not None:
        body["max_results"] = what.max_results
    document = await post(site, root_url(site, "/api/web_search"), body, _WHAT, client)
    if not isinstance(document.get("results"), list):
        raise malformed(_WHAT)
    return SearchResult("", _distinct(map(_source, objects(document, "results"))), (what.query,))


#: The implementations, by dialect.
WEB_SEARCH: Final[Mapping[str, Searching]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "google": _google,
    "openrouter": _openrouter,
    "mistral": _mistral,
    "ollama": _ollama,
}
