"""The operation `count_tokens` (S6.7): the provider's own count of a request's input tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from eukhe.wire.capabilities import conversation
from eukhe.wire.capabilities.reading import malformed, text, whole
from eukhe.wire.capabilities.site import (
    Auth,
    chosen,
    google_model,
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
    from eukhe.wire.messages import Message, ToolSpec

__all__ = ["COUNT_TOKENS", "CountTokens", "TokenCount", "count_tokens"]

_WHAT: Final = "a count of tokens"
_REGIONS: Final = re.compile(r"^(?:us|us-gov|eu|apac|au|jp|ca|global)\.")


@dataclass(frozen=True, slots=True)
class CountTokens:
    """What to count.

    Attributes:
        model: The model whose tokens are counted.
        messages: The conversation.
        tools: The tools on offer, which count as well.
        provider: The provider's name in the settings: the thinking of its own earlier replies is sent, and counts.
    """

    model: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    provider: str = ""


@dataclass(frozen=True, slots=True)
class TokenCount:
    """A count.

    Attributes:
        tokens: Input tokens of the conversation and the tools.
    """

    tokens: int


if TYPE_CHECKING:
    Client = httpx.AsyncClient | None
    Counting = Callable[[Site, CountTokens, Client], Awaitable[int]]


async def count_tokens(
    dialect: str, site: Site, what: CountTokens, client: Client = None
) -> TokenCount:
    """Have the provider count the tokens of a conversation.

    Args:
        dialect: One of the dialects of `COUNT_TOKENS`.
        site: Where to ask.
        what: What to count.
        client: The client to use; `None` opens one for each request.

    Raises:
        WireError: It failed, or the reply holds no count.
    """
    counting = chosen(COUNT_TOKENS, dialect)
    async with operation(site, what.model):
        return TokenCount(await counting(site, what, client))


def _count(document: Mapping[str, object], key: str) -> int:
    found = whole(document, key)
    if found is None:
        raise malformed(_WHAT)
    return found


def _talk(what: CountTokens) -> conversation.Talk:
    return conversation.Talk(what.model, what.messages, what.tools, what.provider)


async def _openai(site: Site, what: CountTokens, client: Client) -> int:
    url = endpoint(site.base_url, "/responses/input_tokens")
    body = conversation.responses(_talk(what))
    return _count(await post(site, url, body, _WHAT, client), "input_tokens")


async def _anthropic(site: Site, what: CountTokens, client: Client) -> int:
    url = v1_url(site, "/messages/count_tokens")
    body = conversation.anthropic(_talk(what))
    document = await post(site, url, body, _WHAT, client, auth=Auth.ANTHROPIC)
    return _count(document, "input_tokens")


async def _google(site: Site, what: CountTokens, client: Client) -> int:
    model = google_model(what.model)
    url = endpoint(site.base_url, f"/{model}:countTokens")
    body = {"generateContentRequest": {"model": model, **conversation.google(_talk(what))}}
    document = await post(site, url, body, _WHAT, client, auth=Auth.GOOGLE)
    return _count(document, "totalTokens")


async def _vertex(site: Site, what: CountTokens, client: Client) -> int:
    url = endpoint(site.base_url, f"/{google_model(what.model)}:countTokens")
    body = conversation.google(_talk(what))
    document = await post(site, url, body, _WHAT, client, auth=Auth.GOOGLE)
    return _count(document, "totalTokens")


async def _bedrock(site: Site, what: CountTokens, client: Client) -> int:
    # Counts are had for models and not for the profiles that spread a model over regions.
    model = quote(_REGIONS.sub("", what.model), safe="")
    url = endpoint(site.base_url, f"/model/{model}/count-tokens")
    body = {"input": {"converse": conversation.bedrock(_talk(what))}}
    return _count(await post(site, url, body, _WHAT, client), "inputTokens")


async def _llama_cpp(site: Site, what: CountTokens, client: Client) -> int:
    body = conversation.chat(_talk(what))
    try:
        url = v1_url(site, "/chat/completions/input_tokens")
        return _count(await post(site, url, body, _WHAT, client), "input_tokens")
    except WireError as error:
        if error.kind is not ErrorKind.NOT_FOUND:
            raise
    # An older build: the prompt as the model's template writes it, and its tokens.
    _refuse_pictures(what)
    document = await post(site, root_url(site, "/apply-template"), body, "a prompt", client)
    prompt = text(document, "prompt")
    if not prompt:
        raise malformed("a prompt")
    content = {"model": what.model, "content": prompt, "add_special": True, "parse_special": True}
    document = await post(site, root_url(site, "/tokenize"), content, _WHAT, client)
    return _listed(document)


async def _vllm(site: Site, what: CountTokens, client: Client) -> int:
    _refuse_pictures(what)
    body = conversation.chat(_talk(what))
    url = root_url(site, "/tokenize")
    document = await post(site, url, {**body, "add_generation_prompt": True}, _WHAT, client)
    return _count(document, "count")


def _listed(document: Mapping[str, object]) -> int:
    tokens = document.get("tokens")
    if not isinstance(tokens, list):
        raise malformed(_WHAT)
    return len(tokens)


def _refuse_pictures(what: CountTokens) -> None:
    """Refuse pictures where the server would count the place of each and not its tokens."""
    if conversation.has_pictures(what.messages):
        raise WireError(
            ErrorKind.INVALID_REQUEST, "this server cannot count the tokens of pictures"
        )


#: The implementations, by dialect.
COUNT_TOKENS: Final[Mapping[str, Counting]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "google": _google,
    "vertex": _vertex,
    "bedrock": _bedrock,
    "llama-cpp": _llama_cpp,
    "vllm": _vllm,
}
