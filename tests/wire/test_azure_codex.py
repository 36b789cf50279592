"""Responses at an Azure resource and at the ChatGPT backend: addresses, keys, bodies, errors."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from eukhe.wire import azure_openai_responses as azure
from eukhe.wire import openai_codex_responses as codex
from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.messages import (
    AssistantMessage,
    Origin,
    SystemMessage,
    ThinkingBlock,
    ToolCall,
    ToolResultMessage,
    ToolSpec,
)
from eukhe.wire.request import Options, Request
from tests.servers.chat import ChatServer, Reply
from tests.servers.responses import (
    AZURE,
    CODEX,
    call,
    chatgpt_token,
    events,
    reasoning,
    said,
    sse,
    text,
)
from tests.wire.asking import ask, heard, recorded
from tests.wire.helpers import HELLO, KEY, failure, message

if TYPE_CHECKING:
    from collections.abc import Mapping

_ASK = Request("", "m", HELLO, api_key=KEY, provider="p")
_TOKEN = chatgpt_token()
_CODEX_ASK = replace(_ASK, api_key=_TOKEN)


@pytest.mark.parametrize(
    ("base", "path"),
    [
        ("", "/openai/v1/responses?api-version=v1"),
        ("/", "/openai/v1/responses?api-version=v1"),
        ("/openai", "/openai/v1/responses?api-version=v1"),
        ("/openai/v1/", "/openai/v1/responses?api-version=v1"),
        ("/openai/v1?api-version=preview", "/openai/v1/responses?api-version=preview"),
        ("/proxy/openai/v1", "/proxy/openai/v1/responses?api-version=v1"),
    ],
)
def test_the_address_of_azure_is_completed(base: str, path: str) -> None:
    with ChatServer([], api=AZURE) as server:
        request = replace(_ASK, base_url=f"{server.base_url}{base}")
        heard(azure.stream(request))
        assert server.requests[0].path == path


def test_azure_gets_the_key_in_its_own_header_and_a_token_as_a_bearer() -> None:
    got = recorded(azure.stream, said("ok"), AZURE, _ASK)
    assert (got.headers["api-key"], "authorization" in got.headers) == (KEY, False)
    entra = partial(azure.stream, token="entra-token")
    with ChatServer([said("ok")], api=AZURE._replace(problems=lambda *_: iter(()))) as server:
        heard(entra(replace(_ASK, base_url=server.base_url, api_key="")))
        headers = server.requests[0].headers
    assert (headers["authorization"], "api-key" in headers) == ("Bearer entra-token", False)


@pytest.mark.parametrize("key", [KEY, ""])
def test_neither_the_key_nor_the_token_of_azure_is_shown(key: str) -> None:
    word = key or "entra-token"
    body = {"error": {"message": f"bad {word}", "code": "401"}}
    with ChatServer([Reply(status=401, json=body)] * 2, api=AZURE) as server:
        request = replace(_ASK, base_url=server.base_url, api_key=key)
        error = failure(heard(azure.stream(request, token="entra-token")))
    assert word not in f"{error!r} {error}"


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (404, "DeploymentNotFound", ErrorKind.NOT_FOUND),
        (400, "content_filter", ErrorKind.SAFETY),
        (429, "429", ErrorKind.RATE_LIMIT),
    ],
)
def test_errors_of_azure_have_their_kind(status: int, code: str, kind: ErrorKind) -> None:
    body = {"error": {"code": code, "message": "no", "innererror": {"code": "x"}}}
    reply = Reply(status=status, json=body, headers={"retry-after-ms": "1500"})
    error = failure(ask(azure.stream, reply, AZURE, _ASK))
    assert (error.kind, error.code, error.retry_after) == (kind, code, 1.5)


def test_encrypted_reasoning_that_azure_tells_last_goes_back() -> None:
    found = events([reasoning("hm"), call("t", "{}")])
    for event in found[:-1]:
        if event.get("item", {}).get("type") == "reasoning":
            event["item"] = {**event["item"], "encrypted_content": None}
    with ChatServer([sse(found), said("ok")], api=AZURE) as server:
        request = replace(_ASK, base_url=server.base_url)
        reply = message(heard(azure.stream(request)))
        assert reply.origin == Origin("azure-openai-responses", "p", "m")
        result = ToolResultMessage.of(reply.calls[0], "r")
        heard(azure.stream(replace(request, messages=(*HELLO, reply, result))))
        assert server.problems == ()
        assert server.requests[1].body["input"][1]["encrypted_content"] == "sealed"


@pytest.mark.parametrize("base", ["", "/codex", "/codex/", "/codex/responses"])
def test_the_address_of_codex_is_completed(base: str) -> None:
    with ChatServer([said("ok")], api=CODEX) as server:
        request = replace(_CODEX_ASK, base_url=f"{server.base_url}{base}")
        heard(codex.stream(request))
        assert server.problems == ()


def test_the_request_as_the_chatgpt_backend_gets_it() -> None:
    tool = ToolSpec("t", "", {"type": "object", "not": {}})
    options = Options(max_tokens=99, session="s-1", extra={"text": {"verbosity": "low"}})
    request = replace(
        _CODEX_ASK, messages=(SystemMessage("Be brief."), *HELLO), tools=(tool,), options=options
    )
    got = recorded(codex.stream, said("ok"), CODEX, request)
    assert got.headers["authorization"] == f"Bearer {_TOKEN}"
    assert got.headers["chatgpt-account-id"] == "acc-1"
    assert (got.headers["session_id"], got.headers["originator"]) == ("s-1", "eukhe")
    assert got.body["instructions"] == "Be brief."
    assert got.body["input"] == [
        {"role": "user", "content": [{"type": "input_text", "text": "hello"}]}
    ]
    assert got.body["tools"][0]["strict"] is None
    assert (got.body["store"], got.body["prompt_cache_key"]) == (False, "s-1")


@pytest.mark.parametrize(
    "token",
    [
        "sk-an-api-key",
        "a.b.c",
        "a.e30.c",
        "a.!!!!.c",
        "",
        chatgpt_token(7),
        chatgpt_token(""),
        "a.WzFd.c",
    ],
)
def test_a_credential_that_names_no_account_is_told_before_anything_is_sent(token: str) -> None:
    with pytest.raises(WireError, match="names no account"):
        codex.account_of(token)
    with ChatServer([], api=CODEX) as server:
        request = replace(_ASK, base_url=server.base_url, api_key=token)
        error = failure(heard(codex.stream(request)))
        assert server.requests == []
    assert error.kind is ErrorKind.AUTH
    assert not token or token not in f"{error!r}"


def test_the_end_of_codex_has_another_spelling() -> None:
    found = events([text("ok")])
    found[-1]["type"] = "response.done"
    assert message(ask(codex.stream, sse(found), CODEX, _CODEX_ASK)).text == "ok"


_LIMIT = {"type": "usage_limit_reached", "message": "The usage limit has been reached"}


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"resets_at": 1_800_000_000}, "resets at 2027-01-15 08:00 UTC"),
        ({"resets_in_seconds": 7500}, "resets in 2 h 5 min"),
        ({"resets_in_seconds": 200_000}, "resets in 2 d 7 h"),
        ({"resets_in_seconds": 61}, "resets in 2 min"),
        ({"resets_in_seconds": -1}, "has been reached"),
        ({"resets_at": "soon"}, "usage limit"),
        ({"resets_at": 10**30}, "usage limit"),
        ({"resets_at": True}, "usage limit"),
    ],
)
def test_a_spent_usage_limit_is_never_asked_again_and_says_when_it_resets(
    more: Mapping[str, Any], told: str
) -> None:
    refused = Reply(status=429, json={"error": {**_LIMIT, **more}})
    in_stream = sse([{"type": "error", "error": {**_LIMIT, **more}}])
    for reply in (refused, in_stream):
        error = failure(ask(codex.stream, reply, CODEX, _CODEX_ASK))
        assert (error.kind, error.transient) == (ErrorKind.PAYMENT_REQUIRED, False)
        assert told in error.message
        assert ("resets" in error.message) is ("resets" in told)


def test_a_plan_without_codex_is_never_asked_again() -> None:
    body = {"error": {"code": "usage_not_included", "message": "Upgrade", "plan_type": "free"}}
    error = failure(ask(codex.stream, Reply(status=403, json=body), CODEX, _CODEX_ASK))
    assert error.transient is False


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_what_codex_says_for_a_moment_can_be_asked_again(status: int) -> None:
    body = {"error": {"code": "rate_limit_exceeded", "message": "slow"}}
    error = failure(ask(codex.stream, Reply(status=status, json=body), CODEX, _CODEX_ASK))
    assert error.transient


def test_the_three_apis_do_not_take_each_other_s_reasoning() -> None:
    sealed = '{"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "s"}'
    one = ToolCall("c|fc_1", "t", "{}")
    for stream, api, request in (
        (azure.stream, AZURE, _ASK),
        (codex.stream, CODEX, _CODEX_ASK),
    ):
        old = AssistantMessage(
            (ThinkingBlock("", "", sealed), one), origin=Origin("openai-responses", "p", "m")
        )
        messages = (*HELLO, old, ToolResultMessage.of(one, "r"))
        got = recorded(stream, said("ok"), api, replace(request, messages=messages))
        kinds = [item.get("type") for item in got.body["input"]]
        assert kinds == [None, "function_call", "function_call_output"]
