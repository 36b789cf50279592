"""`eukhe provider`: support without a request, and lists of models in every dialect (S6.7)."""

from __future__ import annotations

import asyncio
import http.server
import json
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from eukhe.models.rulebook import DIALECTS, shipped_quirks
from eukhe.wire.list_models import list_models
from eukhe.wire.request import Request
from tests.cli.test_model import write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.eukhe_process import Home


class _Pages(http.server.BaseHTTPRequestHandler):
    pages: ClassVar[dict[str, tuple[int, Any]]] = {}
    asked: ClassVar[list[tuple[str, dict[str, str]]]] = []

    def do_GET(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        type(self).asked.append((self.path, headers))
        status, body = self.pages.get(self.path, (404, {"error": {"message": "no such page"}}))
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: object) -> None:
        pass


Asked = list[tuple[str, dict[str, str]]]


@contextmanager
def serving(pages: dict[str, tuple[int, Any]]) -> Iterator[tuple[str, Asked]]:
    asked: Asked = []
    handler = type("Pages", (_Pages,), {"pages": pages, "asked": asked})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def use(home: Home, provider: str, url: str, **more: object) -> None:
    entry = {"baseUrl": url, "apiKey": "sk-test-key", **more}
    write(home, "models.json", {"providers": {provider: entry}})


OPENAI = {"data": [{"id": "gpt-5.5"}, {"id": "gpt-new", "name": "New"}, {"id": 5}, 7]}


def test_caps_shows_the_support_and_sends_nothing(home: Home) -> None:
    with serving({}) as (url, asked):
        use(home, "openai", url)
        found = json.loads(home.run("provider", "caps", "--json").stdout)
        one = home.run("provider", "caps", "openai/gpt-5.5")
        assert asked == []
    assert found["openai"]["list_models"] == "openai"
    assert found["azure"]["list_models"] is None
    assert set(found["openai"]) == {
        *("count_tokens", "list_models", "embed", "generate_image", "tokenize", "usage"),
        *("web_search", "compact"),
    }
    assert one.stdout == "openai/gpt-5.5  list_models (openai)\n"


def test_the_openai_dialect_is_one_page_with_a_bearer_key(home: Home) -> None:
    with serving({"/v1/models": (200, OPENAI)}) as (url, asked):
        use(home, "openai", f"{url}/v1", headers={"X-Org": "acme"})
        done = home.run("provider", "models", "openai")
    assert done.stdout == "  gpt-5.5\n+ gpt-new  New\n"
    ((_, headers),) = asked
    assert headers["authorization"] == "Bearer sk-test-key"
    assert headers["x-org"] == "acme"


def test_the_anthropic_dialect_goes_on_after_the_last_id() -> None:
    first = {"data": [{"id": "claude-opus-5", "display_name": "Claude Opus 5"}], "has_more": True}
    pages = {
        "/v1/models?limit=1000": (200, {**first, "last_id": "claude-opus-5"}),
        "/v1/models?limit=1000&after_id=claude-opus-5": (
            200,
            {"data": [{"id": "claude-z"}], "has_more": False, "last_id": "claude-z"},
        ),
    }
    with serving(pages) as (url, asked):
        found = _asked("anthropic", url)
    assert [one.id for one in found] == ["claude-opus-5", "claude-z"]
    assert found[0].name == "Claude Opus 5"
    assert asked[0][1]["x-api-key"] == "sk-test-key"
    assert asked[0][1]["anthropic-version"] == "2023-06-01"


def test_the_google_dialect_goes_on_with_the_page_token(home: Home) -> None:
    pages = {
        "/v1beta/models?pageSize=1000": (
            200,
            {"models": [{"name": "models/gemini-3.8-flash"}], "nextPageToken": "p2"},
        ),
        "/v1beta/models?pageSize=1000&pageToken=p2": (
            200,
            {"models": [{"name": "models/gemini-x", "displayName": "X"}]},
        ),
    }
    with serving(pages) as (url, asked):
        use(home, "google", f"{url}/v1beta")
        done = home.run("provider", "models", "google", "--json")
    assert [(one["id"], one["known"]) for one in json.loads(done.stdout)] == [
        ("gemini-3.8-flash", True),
        ("gemini-x", False),
    ]
    assert asked[0][1]["x-goog-api-key"] == "sk-test-key"


def _asked(dialect: str, url: str) -> Any:
    return asyncio.run(list_models(dialect, Request(url, "m", (), api_key="sk-test-key")))


def test_an_operation_that_a_provider_lacks_fails_before_credentials_or_a_request(
    home: Home,
) -> None:
    done = home.run("provider", "models", "azure")
    assert done.returncode == 1
    assert "azure does not have the operation list_models" in done.stderr
    assert "credentials" not in done.stderr
    done = home.run("provider", "models", "groq")
    assert "there are no credentials for groq" in done.stderr
    done = home.run("provider", "models", "nobody")
    assert done.returncode == 2


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (401, {"error": {"message": "bad key sk-test-key"}}, "bad key"),
        (200, b"<html>", "something else than a list of models"),
        (200, {"data": "x"}, "something else than a list of models"),
    ],
)
def test_a_refusal_is_told_without_the_key(
    status: int, body: object, message: str, home: Home
) -> None:
    with serving({"/v1/models": (status, body)}) as (url, _):
        use(home, "openai", f"{url}/v1")
        done = home.run("provider", "models", "openai")
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr
    assert "sk-test-key" not in done.stderr


def test_every_dialect_of_the_shipped_rulebook_is_implemented() -> None:
    named = {
        value
        for rule in shipped_quirks().rules
        for name, value in rule.directives.items()
        if name == "list_models"
    }
    assert named == set(DIALECTS["list_models"])
