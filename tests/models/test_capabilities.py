"""The operations of a provider: what the rulebook says it has, and that nothing else is ever asked (S6.7)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from eukhe.core.quirks import query
from eukhe.core.quirks_directives import CAPABILITIES, Capability
from eukhe.core.quirks_types import UNKNOWN
from eukhe.models import capabilities
from eukhe.models.capabilities import (
    CapabilityError,
    CredentialsError,
    Provider,
    UnsupportedError,
    capabilities_of,
)
from eukhe.models.credentials import Credentials
from eukhe.models.registry import Registry
from eukhe.models.rulebook import SHIPPED_PATH, read_rulebook, shipped_quirks
from eukhe.wire.capabilities.compact import Compact
from eukhe.wire.capabilities.count_tokens import CountTokens, TokenCount
from eukhe.wire.capabilities.dialects import DIALECTS
from eukhe.wire.capabilities.embed import Embed
from eukhe.wire.capabilities.generate_image import GenerateImage
from eukhe.wire.capabilities.list_models import Listed
from eukhe.wire.capabilities.tokenize import Tokenize
from eukhe.wire.capabilities.usage import Usage
from eukhe.wire.capabilities.web_search import WebSearch
from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.messages import UserMessage
from eukhe.wire.request import Timeouts
from tests.servers.operations import Answer, Asked, OperationServer

if TYPE_CHECKING:
    from pathlib import Path

HELLO = (UserMessage.of("hello"),)

ASK: dict[Capability, Callable[[Provider], Coroutine[Any, Any, object]]] = {
    Capability.COUNT_TOKENS: lambda at: capabilities.count_tokens(at, CountTokens("m", HELLO)),
    Capability.LIST_MODELS: capabilities.list_models,
    Capability.EMBED: lambda at: capabilities.embed(at, Embed("m", ("one",))),
    Capability.GENERATE_IMAGE: lambda at: capabilities.generate_image(at, GenerateImage("m", "x")),
    Capability.TOKENIZE: lambda at: capabilities.tokenize(at, Tokenize("m", "hello")),
    Capability.USAGE: lambda at: capabilities.usage(at, Usage(0)),
    Capability.WEB_SEARCH: lambda at: capabilities.web_search(at, WebSearch("m", "x")),
    Capability.COMPACT: lambda at: capabilities.compact(at, Compact("m", HELLO)),
}


def provider(tmp_path: Path, name: str, url: str = "", **more: Any) -> Provider:
    """A provider of a `models.json` with one model, `m`."""
    entry = {"api": "openai-completions", "apiKey": "sk-test-key", "models": [{"id": "m"}], **more}
    if url:
        entry["baseUrl"] = url
    (tmp_path / "models.json").write_text(json.dumps({"providers": {name: entry}}))
    registry = Registry.of(tmp_path, {})
    assert not registry.messages or "contextWindow" in registry.messages[0]
    model = next(one for one in registry.models(name) if one.entry.id == "m")
    credentials = Credentials.of(tmp_path, {}, registry.custom)
    return Provider(model, credentials, timeouts=Timeouts(read=5.0), deadline=20.0)


def ask(operation: Capability, at: Provider) -> object:
    return asyncio.run(ASK[operation](at))


@pytest.mark.parametrize("operation", Capability)
def test_an_operation_that_a_provider_lacks_fails_before_credentials_or_a_request(
    operation: Capability, tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    with OperationServer({}) as server:
        command = f"!touch {ran}; echo key"
        at = provider(
            tmp_path, "azure", server.url, apiKey=command, api="azure-openai-responses", headers={"X": command}
        )  # fmt: skip
        with pytest.raises(UnsupportedError) as caught:
            ask(operation, at)
        assert server.asked == []
    assert (caught.value.capability, caught.value.provider) == (operation, "azure")
    assert not ran.exists()
    assert isinstance(caught.value, CapabilityError)
    assert f"azure does not have the operation {operation}, or eukhe" in str(caught.value)


@pytest.mark.parametrize("operation", Capability)
def test_an_operation_that_a_provider_has_needs_its_credentials_and_nobody_elses(
    operation: Capability, tmp_path: Path
) -> None:
    name = "llama-cpp" if operation is Capability.TOKENIZE else "openai"
    with OperationServer({}) as server:
        at = provider(tmp_path, name, server.url, apiKey="$NO_SUCH_KEY")
        with pytest.raises(CredentialsError) as caught:
            ask(operation, at)
        assert server.asked == []
    assert caught.value.provider == name
    assert "NO_SUCH_KEY" in str(caught.value)


@pytest.mark.parametrize("operation", Capability)
def test_a_failed_request_is_asked_once_and_never_of_another_provider(
    operation: Capability, tmp_path: Path
) -> None:
    name = "llama-cpp" if operation is Capability.TOKENIZE else "openai"
    refusal = {"error": {"message": "no sk-test-key here", "code": "x"}}
    with OperationServer({"*": Answer(refusal, 500)}) as server:
        at = provider(tmp_path, name, f"{server.url}/v1")
        with pytest.raises(WireError) as caught:
            ask(operation, at)
        assert len(server.asked) == 1
    assert caught.value.kind is ErrorKind.SERVER
    assert "no [hidden] here" in str(caught.value)


def test_a_header_without_a_value_is_told_by_its_name(tmp_path: Path) -> None:
    with OperationServer({}) as server:
        at = provider(tmp_path, "openai", server.url, headers={"X-Org": "$NO_SUCH_ORG"})
        with pytest.raises(
            CredentialsError, match=r"providers\.openai\.headers\.X-Org: .*NO_SUCH_ORG"
        ):
            ask(Capability.LIST_MODELS, at)
        assert server.asked == []


def test_the_key_and_the_headers_of_the_provider_are_sent(tmp_path: Path) -> None:
    models = Answer({"models": [{"name": "models/m"}]})
    with OperationServer({"*": models}) as server:
        more = {"headers": {"X-Org": "acme"}, "authHeader": True}
        at = provider(tmp_path, "google", f"{server.url}/v1beta", **more)
        assert ask(Capability.LIST_MODELS, at) == (Listed("m"),)
        (asked,) = server.asked
    assert asked.headers["x-goog-api-key"] == "sk-test-key"
    assert asked.headers["authorization"] == "Bearer sk-test-key"
    assert asked.headers["x-org"] == "acme"
    assert "sk-test-key" not in repr(at)


def test_the_model_that_is_asked_decides_and_not_the_one_that_stands_for_the_provider(
    tmp_path: Path,
) -> None:
    book = json.loads(SHIPPED_PATH.read_text())
    split = {"ids": ["text-embedding"], "then": "openai", "else": False}
    book["rules"] = [{"layer": "host", "target": "openai", "directives": {"embed": split}}]
    for table in ("service_tiers", "families"):
        book[table] = []
    path = tmp_path / "book.json"
    path.write_text(json.dumps(book))
    answer = {"data": [{"index": 0, "embedding": [1.0]}]}
    with OperationServer({"POST /v1/embeddings": Answer(answer)}) as server:
        at = provider(tmp_path, "openai", f"{server.url}/v1")
        at = replace(at, model=replace(at.model, quirks=read_rulebook(path)))
        with pytest.raises(UnsupportedError):
            asyncio.run(capabilities.embed(at, Embed("gpt-5.5", ("x",))))
        found = asyncio.run(capabilities.embed(at, Embed("text-embedding-3-small", ("x",))))
    assert found.vectors == ((1.0,),)


OFFICIAL = {
    "openai": "https://api.openai.com/v1",
    "google": "https://generativelanguage.googleapis.com/v1beta",
    "anthropic": "https://api.anthropic.com",
    "openrouter": "https://openrouter.ai/api/v1",
    "mistral": "https://api.mistral.ai",
    "deepseek": "https://api.deepseek.com",
    "groq": "https://api.groq.com/openai/v1",
    "prime-inference": "https://api.pinference.ai/api/v1",
    "llama-cpp": "http://127.0.0.1:8080/v1",
    "vllm": "http://127.0.0.1:8000/v1",
    "ollama": "http://127.0.0.1:11434/v1",
    "ollama-cloud": "https://ollama.com",
    "google-vertex": "https://aiplatform.googleapis.com/v1/publishers/google",
    "amazon-bedrock": "https://bedrock-runtime.us-east-1.amazonaws.com",
    "my-server": "http://127.0.0.1:8080/v1",
    "my-proxy": "https://llm.example/v1",
}
# In the order of the operations; a dash is none.
SUPPORT = {
    "openai": "openai openai openai openai - openai openai openai",
    "google": "google google google google - - google -",
    "anthropic": "anthropic anthropic - - - anthropic anthropic -",
    "openrouter": "- openrouter openai openrouter - openrouter openrouter -",
    "mistral": "- mistral mistral - - - mistral -",
    "deepseek": "- openai - - - deepseek - -",
    "groq": "- openai - - - - - -",
    "prime-inference": "- prime-inference - - - - - -",
    "llama-cpp": "llama-cpp llama-cpp openai - llama-cpp - - -",
    "vllm": "vllm openai openai - vllm - - -",
    "ollama": "- ollama ollama - - - - -",
    "ollama-cloud": "- ollama - - - - ollama -",
    "google-vertex": "vertex - - google vertex - google -",
    "amazon-bedrock": "bedrock - - - - - - -",
    "my-server": "- openai openai - - - - -",
    "my-proxy": "- - - - - - - -",
}


@pytest.mark.parametrize("name", SUPPORT)
def test_the_shipped_rulebook_says_what_each_provider_has(name: str, tmp_path: Path) -> None:
    apis = {"mistral": "mistral-conversations", "google-vertex": "google-vertex"}
    apis["amazon-bedrock"] = "bedrock-converse-stream"
    api = apis.get(name, "openai-completions")
    found = capabilities_of(provider(tmp_path, name, OFFICIAL[name], api=api).model)
    assert list(found) == list(Capability)
    assert [dialect or "-" for dialect in found.values()] == SUPPORT[name].split()


def test_a_local_openai_provider_has_the_operations_of_openai(tmp_path: Path) -> None:
    local = provider(tmp_path, "openai", "http://127.0.0.1:9/v1").model
    assert capabilities_of(local)[Capability.COMPACT] == "openai"


COUNT = Answer({"totalTokens": 7})
VERTEX = "/v1/projects/p/locations/l/publishers/google"


def test_a_key_of_vertex_has_no_project_in_its_address(tmp_path: Path) -> None:
    with OperationServer({"POST /v1/publishers/google/models/m:countTokens": COUNT}) as server:
        at = provider(tmp_path, "google-vertex", server.url + VERTEX, api="google-vertex")
        assert ask(Capability.COUNT_TOKENS, at) == TokenCount(7)
        assert server.asked[0].headers["x-goog-api-key"] == "sk-test-key"


def test_an_account_of_vertex_sends_its_token_and_no_key(tmp_path: Path) -> None:
    form: list[bytes] = []

    def token(asked: Asked) -> Answer:
        form.append(asked.body)
        return Answer({"access_token": "ya29.token", "expires_in": 3600})

    routes = {"POST /token": token, f"POST {VERTEX}/models/m:countTokens": lambda _: COUNT}
    with OperationServer(routes) as server:
        named = {"client_id": "c", "client_secret": "s", "refresh_token": "r"}
        account = {"type": "authorized_user", "token_uri": f"{server.url}/token", **named}
        path = tmp_path / "account.json"
        path.write_text(json.dumps({**account, "quota_project_id": "payer"}))
        url = server.url + VERTEX
        at = provider(tmp_path, "google-vertex", url, api="google-vertex", apiKey="<your key>")
        environ = {"GOOGLE_APPLICATION_CREDENTIALS": str(path)}
        at = replace(at, model=replace(at.model, environ=environ))
        assert ask(Capability.COUNT_TOKENS, at) == TokenCount(7)
        headers = server.asked[1].headers
    assert b"refresh_token=r" in form[0]
    assert headers["authorization"] == "Bearer ya29.token"
    assert headers["x-goog-user-project"] == "payer"
    assert "x-goog-api-key" not in headers


def test_vertex_without_a_key_and_an_account_sends_nothing(tmp_path: Path) -> None:
    with OperationServer({}) as server:
        url = server.url + VERTEX
        at = provider(tmp_path, "google-vertex", url, api="google-vertex", apiKey="<your key>")
        with pytest.raises(CredentialsError, match="needs an API key, or an account"):
            ask(Capability.COUNT_TOKENS, replace(at, model=replace(at.model, environ={})))
        assert server.asked == []


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        (
            {"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "s3cr3t"},
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/",
        ),
        ({"AWS_BEARER_TOKEN_BEDROCK": "token-1"}, "Bearer token-1"),
    ],
)  # fmt: skip
def test_bedrock_is_sent_its_token_or_a_signature(
    environ: dict[str, str], expected: str, tmp_path: Path
) -> None:
    with OperationServer({"POST /model/m/count-tokens": Answer({"inputTokens": 7})}) as server:
        more = {"api": "bedrock-converse-stream", "apiKey": "unused"}
        at = provider(tmp_path, "amazon-bedrock", server.url, **more)
        credentials = Credentials.of(tmp_path, environ, at.credentials.custom)
        region = {"AWS_REGION": "eu-central-1"}
        model = replace(at.model, environ={**environ, **region})
        at = replace(at, model=model, credentials=credentials)
        assert ask(Capability.COUNT_TOKENS, at) == TokenCount(7)
        (asked,) = server.asked
    sent = asked.headers["authorization"]
    assert sent.startswith(expected)
    assert ("/eu-central-1/bedrock/aws4_request" in sent) is ("AWS4" in expected)
    assert "s3cr3t" not in repr(asked)


def test_every_dialect_is_used_by_the_shipped_rulebook_and_written_in_its_schema() -> None:
    schema = json.loads(SHIPPED_PATH.with_name("rulebook.schema.json").read_text())
    named: dict[str, set[str]] = {}
    for rule in shipped_quirks().rules:
        for name, value in rule.directives.items():
            if name in DIALECTS and isinstance(value, str):
                named.setdefault(name, set()).add(value)
    assert named == {name: set(words) for name, words in DIALECTS.items()}
    for name, words in DIALECTS.items():
        plain, split = schema["$defs"]["directives"]["properties"][name]["anyOf"]
        assert plain["enum"] == [*words, False]
        assert split["properties"]["then"] == split["properties"]["else"] == plain
    assert set(DIALECTS) == set(Capability)


def test_a_provider_that_no_rule_names_is_unknown_and_has_nothing(tmp_path: Path) -> None:
    model = provider(tmp_path, "my-proxy", OFFICIAL["my-proxy"]).model
    for directive in CAPABILITIES.values():
        assert query(model.quirks.rulebook, model.key, directive) is UNKNOWN
