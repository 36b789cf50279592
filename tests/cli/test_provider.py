"""`eukhe provider`: support without a request, the list of a provider's models, what was spent (S6.7)."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.cli.test_model import write
from tests.servers.operations import Answer, OperationServer

if TYPE_CHECKING:
    from tests.cli.eukhe_process import Home

KEY = "sk-test-key"
OPENAI = Answer({"data": [{"id": "gpt-5.5"}, {"id": "gpt-new", "name": "New"}, {"id": 5}, 7]})
OPERATIONS = [
    *("count_tokens", "list_models", "embed", "generate_image", "tokenize", "usage"),
    *("web_search", "compact"),
]


def use(home: Home, provider: str, url: str, **more: object) -> None:
    entry = {"baseUrl": url, "apiKey": KEY, **more}
    write(home, "models.json", {"providers": {provider: entry}})


def test_caps_shows_all_eight_operations_and_sends_nothing(home: Home) -> None:
    with OperationServer({}) as server:
        use(home, "openai", server.url)
        found = json.loads(home.run("provider", "caps", "--json").stdout)
        table = home.run("provider", "caps")
        one = home.run("provider", "caps", "openai/gpt-5.5")
        assert server.asked == []
    assert all(list(support) == OPERATIONS for support in found.values())
    openai = {**dict.fromkeys(OPERATIONS, "openai"), "tokenize": None}
    assert found["openai"] == openai
    assert found["azure"] == dict.fromkeys(OPERATIONS)
    lines = [line.split() for line in table.stdout.splitlines()]
    assert lines[0] == ["provider", *OPERATIONS]
    assert ["openai", *(dialect or "-" for dialect in openai.values())] in lines
    assert [line[0] for line in lines[1:]] == list(found)
    shown = [line.split() for line in one.stdout.splitlines()]
    assert shown == [[name, dialect or "-"] for name, dialect in openai.items()]
    asked = home.run("provider", "caps", "openai", "--json")
    assert json.loads(asked.stdout) == {"openai": openai}


def test_caps_needs_no_credentials_and_runs_no_command(home: Home) -> None:
    ran = home.root / "ran"
    use(home, "openai", "http://127.0.0.1:1", apiKey=f"!touch {ran}")
    assert home.run("provider", "caps").returncode == 0
    assert not ran.exists()


def test_models_marks_what_the_catalog_does_not_know(home: Home) -> None:
    with OperationServer({"GET /v1/models": OPENAI}) as server:
        use(home, "openai", f"{server.url}/v1", headers={"X-Org": "acme"})
        done = home.run("provider", "models", "openai")
    assert done.stdout == "  gpt-5.5\n+ gpt-new  New\n"
    (asked,) = server.asked
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.headers["x-org"] == "acme"


def test_models_shows_what_the_provider_says_of_each(home: Home) -> None:
    row = {
        "id": "a/b",
        "name": "B",
        "context_length": 200_000,
        "pricing": {"prompt": "0.000003", "completion": "0.000015"},
        "architecture": {"input_modalities": ["text", "image"]},
        "supported_parameters": ["tools", "reasoning"],
    }
    with OperationServer({"GET /api/v1/models": Answer({"data": [row]})}) as server:
        use(home, "openrouter", f"{server.url}/api/v1")
        shown = home.run("provider", "models", "openrouter").stdout
        found = json.loads(home.run("provider", "models", "openrouter", "--json").stdout)
    assert shown == "+ a/b  B  200k  3/15  image tools reasoning\n"
    assert found == [
        {
            "id": "a/b",
            "name": "B",
            "known": False,
            "contextWindow": 200_000,
            "maxTokens": None,
            "input": ["text", "image"],
            "tools": True,
            "reasoning": True,
            "cost": {"input": 3.0, "output": 15.0, "cacheRead": None, "cacheWrite": None},
            "status": "",
        }
    ]


def test_what_a_server_says_cannot_steer_the_terminal(home: Home) -> None:
    bad = Answer({"data": [{"id": "m\x1b[2J", "name": "x\nroot"}]})
    with OperationServer({"GET /v1/models": bad}) as server:
        use(home, "openai", f"{server.url}/v1")
        shown = home.run("provider", "models", "openai").stdout
    assert shown == "+ m\\x1b[2J  x\\nroot\n"


def test_usage_says_what_was_spent_and_what_is_left(home: Home) -> None:
    row = {
        "label": "sk-or-v1-abc...def",
        "limit": 20,
        "limit_remaining": 12.5,
        "usage": 7.5,
        "usage_daily": 0.25,
        "usage_weekly": 1,
        "usage_monthly": 7.5,
    }
    with OperationServer({"GET /api/v1/key": Answer({"data": row})}) as server:
        use(home, "openrouter", f"{server.url}/api/v1")
        shown = home.run("provider", "usage", "openrouter").stdout
        found = json.loads(home.run("provider", "usage", "openrouter", "--json").stdout)
    assert shown.splitlines() == [
        "key              sk-or-v1-abc...def",
        "spent, day       0.25 USD",
        "spent, week      1.00 USD",
        "spent, month     7.50 USD",
        "spent, all time  7.50 USD",
        "limit            20.00 USD",
        "remaining        12.50 USD",
    ]
    assert found["spent"][0] == {"period": "day", "amount": 0.25, "currency": "USD"}
    assert found["remaining"] == [{"amount": 12.5, "currency": "USD"}]


def test_usage_adds_the_tokens_up_by_model(home: Home) -> None:
    def page(results: list[object]) -> Answer:
        buckets = [{"start_time": day * 86_400, "results": results} for day in (20_000, 20_001)]
        return Answer({"object": "page", "data": buckets, "has_more": False, "next_page": None})

    row = {"model": "gpt-5.5", "input_tokens": 1000, "input_cached_tokens": 400, "output_tokens": 9}
    cost = {"amount": {"value": 1.25, "currency": "usd"}}
    answers = {"usage/completions": page([row]), "costs": page([cost])}
    with OperationServer(
        {"*": lambda asked: answers[asked.path.partition("?")[0].partition("organization/")[2]]}
    ) as server:
        use(home, "openai", f"{server.url}/v1")
        done = home.run("provider", "usage", "openai", "--days", "2")
    since = {parse_qs(urlsplit(one.path).query)["start_time"][0] for one in server.asked}
    assert 0 <= time.time() - 2 * 86_400 - int(since.pop()) < 60
    assert not since
    assert done.stdout.splitlines() == [
        "spent, last 2 days  2.50 USD",
        "gpt-5.5             2,000 tokens in, 18 out",
    ]


@pytest.mark.parametrize("command", ["models", "usage"])
def test_an_operation_that_a_provider_lacks_fails_before_credentials_or_a_request(
    command: str, home: Home
) -> None:
    operation = {"models": "list_models", "usage": "usage"}[command]
    done = home.run("provider", command, "azure")
    assert (done.returncode, done.stdout) == (1, "")
    assert f"azure does not have the operation {operation}" in done.stderr
    assert "credentials" not in done.stderr
    done = home.run("provider", command, "deepseek")
    assert "there are no credentials for deepseek" in done.stderr
    done = home.run("provider", command, "nobody")
    assert done.returncode == 2


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Answer({"error": {"message": f"bad key {KEY}"}}, 401), "bad key [hidden]"),
        (Answer(b"<html>"), "something else than a list of models"),
        (Answer({"data": "x"}), "something else than a list of models"),
    ],
)
def test_a_refusal_is_told_without_the_key(answer: Answer, message: str, home: Home) -> None:
    with OperationServer({"GET /v1/models": answer}) as server:
        use(home, "openai", f"{server.url}/v1")
        done = home.run("provider", "models", "openai")
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr
    assert KEY not in done.stderr
    assert "Traceback" not in done.stderr
