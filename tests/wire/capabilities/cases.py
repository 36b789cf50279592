"""Every operation in every dialect, with what its real endpoint answers: the failures are tried on all of them."""

from __future__ import annotations

import asyncio
import base64
import struct
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from eukhe.wire.capabilities import (
    compact,
    count_tokens,
    embed,
    generate_image,
    list_models,
    tokenize,
    usage,
    web_search,
)
from eukhe.wire.capabilities.site import Site
from eukhe.wire.errors import WireError
from eukhe.wire.messages import UserMessage
from eukhe.wire.request import Timeouts
from tests.servers.operations import Answer, OperationServer, Routes

T = TypeVar("T")

KEY = "sk-test-key-123"
QUICK = Timeouts(connect=5.0, read=5.0, write=5.0, error=5.0)
PNG = b"\x89PNG\r\n\x1a\n and so on"
PNG64 = base64.b64encode(PNG).decode()
HELLO = (UserMessage.of("hello"),)
SINCE = 1_764_460_800  # 2025-11-30, midnight UTC


def f32(*numbers: float) -> str:
    """Numbers as the base64 of little-endian float32."""
    return base64.b64encode(struct.pack(f"<{len(numbers)}f", *numbers)).decode()


def run(asking: Coroutine[Any, Any, T]) -> T:
    """Run one operation to its end."""
    return asyncio.run(asking)


def failure(asking: Coroutine[Any, Any, object]) -> WireError:
    """Return the error that an operation ends with."""
    try:
        found = asyncio.run(asking)
    except WireError as error:
        return error
    raise AssertionError(f"it did not fail: {found}")


def site(server: OperationServer, base: str, **more: Any) -> Site:
    """The site of a server, `base` being the path of the base URL."""
    return replace(Site(server.url + base, KEY, timeouts=QUICK, deadline=20.0), **more)


@dataclass(frozen=True)
class Case:
    """One operation in one dialect.

    Attributes:
        operation: The operation.
        dialect: The dialect.
        base: The path of the base URL.
        ask: Asks it.
        routes: What the real endpoints answer.
    """

    operation: str
    dialect: str
    base: str
    ask: Callable[[Site], Coroutine[Any, Any, object]]
    routes: Routes

    def __str__(self) -> str:
        return f"{self.operation}-{self.dialect}"


def _case(operation: str, dialect: str, base: str, what: object, routes: Routes) -> Case:
    module = _MODULES[operation]
    ask: Callable[..., Awaitable[object]] = getattr(module, operation)

    async def asking(site: Site) -> object:
        given = () if what is None else (what,)
        return await ask(dialect, site, *given)

    return Case(operation, dialect, base, asking, routes)


_MODULES = {
    "count_tokens": count_tokens,
    "list_models": list_models,
    "embed": embed,
    "generate_image": generate_image,
    "tokenize": tokenize,
    "usage": usage,
    "web_search": web_search,
    "compact": compact,
}
_COUNT = count_tokens.CountTokens("m", HELLO)
_EMBED = embed.Embed("m", ("one", "two"))
_DRAW = generate_image.GenerateImage("m", "a cat")
_SPLIT = tokenize.Tokenize("m", "hello")
_USAGE = usage.Usage(SINCE)
_SEARCH = web_search.WebSearch("m", "what is new?")
_COMPACT = compact.Compact("m", HELLO)
_VECTORS = [{"index": 0, "embedding": [0.5, 1]}, {"index": 1, "embedding": [0.25, 2]}]
_WEB = {"uri": "https://a.example/", "title": "A"}
_PAGE = {"data": [], "has_more": False}

CASES = (
    _case("count_tokens", "openai", "/v1", _COUNT, {
        "POST /v1/responses/input_tokens": Answer({"object": "response.input_tokens", "input_tokens": 7}),
    }),
    _case("count_tokens", "anthropic", "", _COUNT, {
        "POST /v1/messages/count_tokens": Answer({"input_tokens": 7}),
    }),
    _case("count_tokens", "google", "/v1beta", _COUNT, {
        "POST /v1beta/models/m:countTokens": Answer({"totalTokens": 7}),
    }),
    _case("count_tokens", "vertex", "/v1/publishers/google", _COUNT, {
        "POST /v1/publishers/google/models/m:countTokens": Answer({"totalTokens": 7}),
    }),
    _case("count_tokens", "bedrock", "", _COUNT, {
        "POST /model/m/count-tokens": Answer({"inputTokens": 7}),
    }),
    _case("count_tokens", "llama-cpp", "/v1", _COUNT, {
        "POST /v1/chat/completions/input_tokens": Answer({"input_tokens": 7}),
    }),
    _case("count_tokens", "vllm", "/v1", _COUNT, {
        "POST /tokenize": Answer({"count": 7, "max_model_len": 4096, "tokens": [1, 2, 3, 4, 5, 6, 7]}),
    }),
    _case("list_models", "openai", "/v1", None, {"GET /v1/models": Answer({"data": [{"id": "m"}]})}),
    _case("list_models", "anthropic", "", None, {
        "GET /v1/models?limit=1000": Answer({"data": [{"id": "m"}], "has_more": False}),
    }),
    _case("list_models", "google", "/v1beta", None, {
        "GET /v1beta/models?pageSize=1000": Answer({"models": [{"name": "models/m"}]}),
    }),
    _case("list_models", "mistral", "", None, {"GET /v1/models": Answer({"data": [{"id": "m"}]})}),
    _case("list_models", "llama-cpp", "/v1", None, {
        "GET /v1/models": Answer({"data": [{"id": "m", "meta": None}]}),
        "GET /props": Answer({"default_generation_settings": {"n_ctx": 8192}}),
    }),
    _case("list_models", "openrouter", "/api/v1", None, {
        "GET /api/v1/models": Answer({"data": [{"id": "m"}]}),
    }),
    _case("list_models", "ollama", "/v1", None, {
        "GET /api/tags": Answer({"models": [{"name": "m", "model": "m"}]}),
        "POST /api/show": Answer({"capabilities": ["completion"], "model_info": {}}),
    }),
    _case("list_models", "prime-inference", "/api/v1", None, {
        "GET /api/v1/models": Answer({"data": [{"id": "m"}]}),
    }),
    _case("embed", "openai", "/v1", _EMBED, {"POST /v1/embeddings": Answer({"data": _VECTORS})}),
    _case("embed", "google", "/v1beta", _EMBED, {
        "POST /v1beta/models/m:batchEmbedContents": Answer(
            {"embeddings": [{"values": [0.5, 1]}, {"values": [0.25, 2]}]}
        ),
    }),
    _case("embed", "mistral", "", _EMBED, {"POST /v1/embeddings": Answer({"data": _VECTORS})}),
    _case("embed", "ollama", "/v1", _EMBED, {
        "POST /api/embed": Answer({"embeddings": [[0.5, 1], [0.25, 2]]}),
    }),
    _case("generate_image", "openai", "/v1", _DRAW, {
        "POST /v1/images/generations": Answer({"created": 1, "data": [{"b64_json": PNG64}]}),
    }),
    _case("generate_image", "google", "/v1beta", _DRAW, {
        "POST /v1beta/models/m:generateContent": Answer({"candidates": [{"content": {"parts": [
            {"inlineData": {"mimeType": "image/png", "data": PNG64}}
        ]}}]}),
    }),
    _case("generate_image", "openrouter", "/api/v1", _DRAW, {
        "POST /api/v1/chat/completions": Answer({"choices": [{"message": {"content": "", "images": [
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG64}"}}
        ]}}]}),
    }),
    _case("tokenize", "llama-cpp", "/v1", _SPLIT, {
        "POST /tokenize": Answer({"tokens": [{"id": 5, "piece": "hello"}]}),
    }),
    _case("tokenize", "vllm", "/v1", _SPLIT, {
        "POST /tokenize": Answer({"count": 1, "max_model_len": 4096, "tokens": [5]}),
    }),
    _case("tokenize", "vertex", "/v1/publishers/google", _SPLIT, {
        "POST /v1/publishers/google/models/m:computeTokens": Answer(
            {"tokensInfo": [{"role": "user", "tokenIds": ["5"], "tokens": ["aGVsbG8="]}]}
        ),
    }),
    _case("usage", "openai", "/v1", _USAGE, {
        f"GET /v1/organization/usage/completions?start_time={SINCE}&bucket_width=1d&group_by%5B%5D=model": (
            Answer(_PAGE)
        ),
        f"GET /v1/organization/costs?start_time={SINCE}&bucket_width=1d": Answer(_PAGE),
    }),
    _case("usage", "anthropic", "", _USAGE, {
        "GET /v1/organizations/usage_report/messages?starting_at=2025-11-30T00%3A00%3A00Z&bucket_width=1d"
        "&group_by%5B%5D=model": Answer(_PAGE),
        "GET /v1/organizations/cost_report?starting_at=2025-11-30T00%3A00%3A00Z&bucket_width=1d": (
            Answer(_PAGE)
        ),
    }),
    _case("usage", "openrouter", "/api/v1", _USAGE, {
        "GET /api/v1/key": Answer({"data": {"label": "k", "limit": None, "usage": 1.5}}),
    }),
    _case("usage", "deepseek", "", _USAGE, {
        "GET /user/balance": Answer(
            {"is_available": True, "balance_infos": [{"currency": "USD", "total_balance": "4.20"}]}
        ),
    }),
    _case("web_search", "openai", "/v1", _SEARCH, {
        "POST /v1/responses": Answer({"status": "completed", "error": None, "output": [
            {"type": "web_search_call", "action": {"type": "search", "query": "new"}},
            {"type": "message", "content": [{"type": "output_text", "text": "This."}]},
        ]}),
    }),
    _case("web_search", "anthropic", "", _SEARCH, {
        "POST /v1/messages": Answer({"stop_reason": "end_turn", "content": [
            {"type": "server_tool_use", "name": "web_search", "input": {"query": "new"}},
            {"type": "text", "text": "This."},
        ]}),
    }),
    _case("web_search", "google", "/v1beta", _SEARCH, {
        "POST /v1beta/models/m:generateContent": Answer({"candidates": [{
            "content": {"parts": [{"text": "This."}]},
            "groundingMetadata": {"webSearchQueries": ["new"], "groundingChunks": [{"web": _WEB}]},
        }]}),
    }),
    _case("web_search", "openrouter", "/api/v1", _SEARCH, {
        "POST /api/v1/chat/completions": Answer({"choices": [{"message": {
            "content": "This.",
            "annotations": [
                {"type": "url_citation", "url_citation": {"url": "https://a.example/", "title": "A"}}
            ],
        }}]}),
    }),
    _case("web_search", "mistral", "", _SEARCH, {
        "POST /v1/conversations": Answer({"outputs": [
            {"type": "tool.execution", "name": "web_search"},
            {"type": "message.output", "content": "This."},
        ]}),
    }),
    _case("web_search", "ollama", "", _SEARCH, {
        "POST /api/web_search": Answer({"results": [{"title": "A", "url": "https://a.example/", "content": "x"}]}),
    }),
    _case("compact", "openai", "/v1", _COMPACT, {
        "POST /v1/responses/compact": Answer({"id": "resp_1", "object": "response.compaction", "output": [
            {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAA"}
        ]}),
    }),
)  # fmt: skip
