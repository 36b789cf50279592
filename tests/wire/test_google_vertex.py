"""Vertex AI: where a request goes and with which credentials, and the tokens of an account."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from eukhe.wire.errors import ErrorKind
from eukhe.wire.google_account import Account
from eukhe.wire.google_vertex import KEYED_URL, keyed_url, real_key, stream
from tests.servers.api import Api
from tests.servers.chat import ChatServer, Reply
from tests.servers.google import GENERATE, part, said
from tests.wire.google_helpers import asked
from tests.wire.helpers import KEY, failure, message

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from eukhe.wire.events import Event

PLACE = "/v1/projects/p-1/locations/europe-west1/publishers/google"
VERTEX = GENERATE._replace(path=PLACE, key=("authorization", "Bearer "))
USER = {
    "type": "authorized_user",
    "client_id": "client-1",
    "client_secret": "very-secret-client",
    "refresh_token": "very-secret-refresh",
}
GIVEN = Reply(json={"access_token": "ya29.token", "expires_in": 3600, "token_type": "Bearer"})


def _grants(method: str, path: str, headers: Mapping[str, str], raw: bytes) -> Iterator[str]:
    form = parse_qs(raw.decode(), strict_parsing=True)
    if (method, path) != ("POST", "/token"):
        yield f"no such path: {method} {path}"
    if headers.get("content-type") != "application/x-www-form-urlencoded":
        yield "no form"
    if headers.keys() & {"authorization", "x-team"}:
        yield "headers of another server"
    if form.get("grant_type") == ["refresh_token"]:
        for name in ("client_id", "client_secret", "refresh_token"):
            if form.get(name) != [USER[name]]:
                yield f"invalid {name}"
    elif form.get("grant_type") != ["urn:ietf:params:oauth:grant-type:jwt-bearer"]:
        yield "unsupported_grant_type"


TOKENS = Api(_grants, "/token")


def collect(
    base_url: str, key: str = "", account: Account | None = None, **more: Any
) -> list[Event]:
    request = replace(asked(base_url=base_url, **more), api_key=key, provider="google-vertex")

    async def run() -> list[Event]:
        async with aclosing(stream(request, account=account)) as events:
            return [event async for event in events]

    return asyncio.run(run())


def account(tmp_path: Path, tokens: ChatServer | None = None, **info: object) -> Account:
    path = tmp_path / "adc.json"
    uri = {} if tokens is None else {"token_uri": tokens.base_url}
    path.write_text(json.dumps({**USER, **uri, **info}))
    return Account(path)


def test_an_api_key_is_sent_where_it_is_taken() -> None:
    with ChatServer([said(part("hi"))], api=VERTEX) as server:
        reply = message(collect(server.base_url, KEY))
        assert server.problems == ()
        request = server.requests[0]
    assert request.path == "/v1/publishers/google/models/m:streamGenerateContent?alt=sse"
    assert request.headers["x-goog-api-key"] == KEY
    assert "authorization" not in request.headers
    assert (reply.text, reply.origin.api) == ("hi", "google-vertex")


@pytest.mark.parametrize(
    "host",
    [
        "aiplatform.googleapis.com",
        "europe-west1-aiplatform.googleapis.com",
        "aiplatform.eu.rep.googleapis.com",
    ],
)
def test_the_address_of_keys_is_the_same_for_every_place(host: str) -> None:
    assert keyed_url(f"https://{host}{PLACE}") == KEYED_URL
    assert keyed_url(KEYED_URL) == KEYED_URL
    own = "http://127.0.0.1:9/proxy/publishers/google"
    assert keyed_url(own) == own


def test_an_account_sends_its_token_and_fetches_it_once(tmp_path: Path) -> None:
    with (
        ChatServer([GIVEN], api=TOKENS) as tokens,
        ChatServer([said(part("a")), said(part("b"))], api=VERTEX) as server,
    ):
        one = account(tmp_path, tokens, quota_project_id="q-1")
        for text in "ab":
            events = collect(server.base_url, "", one, headers={"X-Team": "blue"})
            assert message(events).text == text
        assert tokens.problems == server.problems == ()
        assert len(tokens.requests) == 1
        for request in server.requests:
            assert request.path == f"{PLACE}/models/m:streamGenerateContent?alt=sse"
            assert request.headers["authorization"] == "Bearer ya29.token"
            assert request.headers["x-goog-user-project"] == "q-1"
            assert request.headers["x-team"] == "blue"


def test_a_token_that_ends_is_fetched_again(tmp_path: Path) -> None:
    short = Reply(json={"access_token": "short-token", "expires_in": 30})
    with (
        ChatServer([short, GIVEN], api=TOKENS) as tokens,
        ChatServer([said(part("a"))] * 2, api=VERTEX) as server,
    ):
        one = account(tmp_path, tokens)
        for _ in "ab":
            message(collect(server.base_url, "", one))
        sent = [request.headers["authorization"] for request in server.requests]
    assert sent == ["Bearer short-token", "Bearer ya29.token"]


def test_what_stands_for_a_key_in_examples_is_none(tmp_path: Path) -> None:
    assert [real_key(key) for key in ("<your key>", "a<b>", "")] == ["", "a<b>", ""]
    with (
        ChatServer([GIVEN], api=TOKENS) as tokens,
        ChatServer([said(part("a"))], api=VERTEX) as server,
    ):
        message(collect(server.base_url, "<authenticated>", account(tmp_path, tokens)))
        assert "x-goog-api-key" not in server.requests[0].headers


def test_a_grant_that_is_spent_says_what_to_do_and_shows_no_secret(tmp_path: Path) -> None:
    refused = Reply(
        status=400,
        json={"error": "invalid_grant", "error_description": f"bad {USER['refresh_token']}"},
    )
    echo = Reply(status=400, raw=f"no {USER['client_secret']} {USER['refresh_token']}".encode())
    with ChatServer([refused, echo], api=TOKENS) as tokens:
        for _ in range(2):
            error = failure(collect("http://127.0.0.1:1" + PLACE, "", account(tmp_path, tokens)))
            assert error.kind is ErrorKind.AUTH
            assert "gcloud auth application-default login" in error.message
            assert str(tmp_path / "adc.json") in error.message
            assert "very-secret" not in f"{error!r} {error.provider_message}"


def test_a_token_is_never_shown(tmp_path: Path) -> None:
    body = {"error": {"code": 401, "message": "bad ya29.token", "status": "UNAUTHENTICATED"}}
    with (
        ChatServer([GIVEN], api=TOKENS) as tokens,
        ChatServer([Reply(status=401, json=body)], api=VERTEX) as server,
    ):
        error = failure(collect(server.base_url, "", account(tmp_path, tokens)))
    assert (error.kind, error.provider_message) == (ErrorKind.AUTH, "bad [hidden]")


@pytest.mark.parametrize(
    ("written", "why"),
    [
        (None, "cannot be read (No such file or directory)"),
        ("{", "is no JSON object"),
        ("[]", "is no JSON object"),
        ('{"type": "moon"}', "is of the type 'moon'"),
        ('{"type": "authorized_user", "client_id": "a"}', "has no client_secret"),
        ('{"type": "service_account"}', "has no client_email"),
        ('{"type": "service_account", "client_email": "a@b"}', "has no private_key"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(tmp_path: Path, written: str | None, why: str) -> None:
    path = tmp_path / "adc.json"
    if written is not None:
        path.write_text(written)
    error = failure(collect("http://127.0.0.1:1" + PLACE, "", Account(path)))
    assert error.kind is ErrorKind.AUTH
    assert f"{path} {why}" in error.message
    assert not error.transient


@pytest.mark.parametrize("answer", [Reply(json={}), Reply(json=[1]), Reply(raw=b"<html>")])
def test_a_token_server_without_a_token_is_told(tmp_path: Path, answer: Reply) -> None:
    with ChatServer([answer], api=TOKENS) as tokens:
        error = failure(collect("http://127.0.0.1:1" + PLACE, "", account(tmp_path, tokens)))
    assert "got no access token" in error.message


def test_without_key_account_or_project_the_error_says_what_to_set(tmp_path: Path) -> None:
    error = failure(collect("https://aiplatform.googleapis.com/v1/publishers/google"))
    assert "GOOGLE_APPLICATION_CREDENTIALS" in error.message
    keyed = "https://aiplatform.googleapis.com/v1/publishers/google"
    error = failure(collect(keyed, "", account(tmp_path)))
    assert "GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION" in error.message
    assert error.kind is ErrorKind.AUTH


def test_the_key_of_a_service_account_names_the_package_that_signs_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("google", "google.auth", "google.auth.crypt"):
        monkeypatch.setitem(sys.modules, name, None)  # as where it is not installed
    key = {"type": "service_account", "client_email": "a@b", "private_key": "very-secret-pem"}
    error = failure(collect("http://127.0.0.1:1" + PLACE, "", account(tmp_path, None, **key)))
    assert "pip install 'eukhe[cloud]'" in error.message
    assert "very-secret" not in error.message


def test_a_service_account_signs_a_claim(tmp_path: Path) -> None:
    pem = (
        rsa.generate_private_key(65537, 2048)
        .private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        .decode()
    )
    key = {"type": "service_account", "client_email": "a@b", "private_key": pem}
    with (
        ChatServer([GIVEN], api=TOKENS) as tokens,
        ChatServer([said(part("hi"))], api=VERTEX) as server,
    ):
        assert message(collect(server.base_url, "", account(tmp_path, tokens, **key))).text == "hi"
        assert tokens.problems == ()
        form = parse_qs(tokens.requests[0].raw.decode())
        assert form["assertion"][0].count(".") == 2
