"""`usage`: what was spent and what is left, in each provider's own report (S6.7)."""

from __future__ import annotations

import pytest

from eukhe.wire.capabilities.usage import AccountUsage, Money, Spent, TokensUsed, Usage, usage
from eukhe.wire.errors import ErrorKind
from tests.servers.operations import Answer, Asked, OperationServer, Routes
from tests.wire.capabilities.cases import SINCE, failure, run, site

NOON = Usage(SINCE + 43_200)


def ask(dialect: str, base: str, routes: Routes) -> AccountUsage:
    with OperationServer(routes) as server:
        return run(usage(dialect, site(server, base), NOON))


def test_openrouter_says_what_a_key_spent_and_has_left() -> None:
    row = {
        "label": "sk-or...",
        "limit": 20,
        "limit_remaining": 12.5,
        "usage": 7.5,
        "usage_daily": 0.25,
        "usage_weekly": 1,
        "usage_monthly": 7.5,
        "is_free_tier": False,
    }
    found = ask("openrouter", "/api/v1", {"GET /api/v1/key": Answer({"data": row})})
    amounts = {"day": 0.25, "week": 1.0, "month": 7.5, "all time": 7.5}
    assert found == AccountUsage(
        "sk-or...",
        tuple(Spent(period, Money(amount, "USD")) for period, amount in amounts.items()),
        Money(20.0, "USD"),
        (Money(12.5, "USD"),),
    )


def test_a_key_without_a_limit_has_none() -> None:
    row = {"label": "k", "limit": None, "limit_remaining": None, "usage": 0}
    found = ask("openrouter", "/api/v1", {"GET /api/v1/key": Answer({"data": row})})
    assert found == AccountUsage("k", (Spent("all time", Money(0.0, "USD")),))


def test_deepseek_says_what_is_left_in_each_currency() -> None:
    rows = [
        {"currency": "CNY", "total_balance": "110.00", "granted_balance": "10.00"},
        {"currency": "USD", "total_balance": "4.20"},
        {"currency": "EUR", "total_balance": "much"},
    ]
    answer = Answer({"is_available": True, "balance_infos": rows})
    found = ask("deepseek", "", {"GET /user/balance": answer})
    assert found == AccountUsage(remaining=(Money(110.0, "CNY"), Money(4.2, "USD")))


def bucket(*results: object, **more: object) -> dict[str, object]:
    return {**more, "results": list(results)}


def test_openai_reports_tokens_by_day_and_model_and_sums_the_costs_over_all_pages() -> None:
    tokens = {
        "model": "gpt-5.5",
        "input_tokens": 1000,
        "input_cached_tokens": 400,
        "output_tokens": 9,
        "num_model_requests": 3,
    }
    start = NOON.since
    path = f"/v1/organization/usage/completions?start_time={start}&bucket_width=1d&group_by%5B%5D=model"
    costs = f"/v1/organization/costs?start_time={start}&bucket_width=1d"

    def cost(value: object, currency: str) -> dict[str, object]:
        return {"object": "bucket", "amount": {"value": value, "currency": currency}}

    first = {"data": [bucket(cost(1.25, "usd"), cost("0.5", "usd"), cost(2, "eur"))]}
    found = ask("openai", "/v1", {
        f"GET {path}": Answer({"data": [bucket(tokens, start_time=SINCE)], "has_more": True, "next_page": "p2"}),
        f"GET {path}&page=p2": Answer({"data": [bucket(tokens, start_time=SINCE + 86_400)], "has_more": False}),
        f"GET {costs}": Answer({**first, "has_more": True, "next_page": "p2"}),
        f"GET {costs}&page=p2": Answer({"data": [bucket(cost(1, "usd")), bucket()], "has_more": False}),
    })  # fmt: skip
    assert found.spent == (
        Spent("report", Money(2.75, "USD")),
        Spent("report", Money(2.0, "EUR")),
    )
    assert found.tokens == tuple(
        TokensUsed(day, "gpt-5.5", 600, 400, 0, 9, 3) for day in ("2025-11-30", "2025-12-01")
    )


def test_anthropic_reports_whole_days_and_costs_in_cents() -> None:
    tokens = {
        "model": "claude-opus-5",
        "uncached_input_tokens": 100,
        "cache_read_input_tokens": 20,
        "cache_creation": {"ephemeral_1h_input_tokens": 3, "ephemeral_5m_input_tokens": 4},
        "output_tokens": 5,
    }
    since = "starting_at=2025-11-30T00%3A00%3A00Z&bucket_width=1d"
    day = bucket(tokens, starting_at="2025-11-30T00:00:00Z", ending_at="2025-12-01T00:00:00Z")
    path = f"/v1/organizations/usage_report/messages?{since}&group_by%5B%5D=model"
    cost = {"amount": "123.45", "currency": "USD"}
    found = ask("anthropic", "", {
        f"GET {path}": Answer({"data": [day], "has_more": False, "next_page": None}),
        f"GET /v1/organizations/cost_report?{since}": Answer({"data": [bucket(cost, cost)], "has_more": False}),
    })  # fmt: skip
    assert found == AccountUsage(
        spent=(Spent("report", Money(2.469, "USD")),),
        tokens=(TokensUsed("2025-11-30", "claude-opus-5", 100, 20, 7, 5),),
    )
    assert found.tokens[0].given == 127


def test_a_row_without_counts_counts_nothing() -> None:
    rows = {
        "openai": bucket({"input_cached_tokens": 5}, start_time=SINCE),
        "anthropic": bucket({}, starting_at="2025-11-30T00:00:00Z"),
    }
    for dialect, row in rows.items():
        answers = [Answer({"data": [row]}), Answer({"data": []})]

        def following(_: Asked, left: list[Answer] = answers) -> Answer:
            return left.pop(0)

        with OperationServer({"*": following}) as server:
            found = run(usage(dialect, site(server, ""), NOON))
        cached = 5 if dialect == "openai" else 0
        assert found.tokens == (TokensUsed("2025-11-30", "", 0, cached),)
        assert found.spent == ()


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
@pytest.mark.parametrize(("status", "kind"), [(401, ErrorKind.AUTH), (403, ErrorKind.PERMISSION)])
def test_a_plain_key_is_told_that_an_administrators_is_needed(
    dialect: str, status: int, kind: ErrorKind
) -> None:
    refusal = Answer({"error": {"message": "insufficient permissions"}}, status)
    with OperationServer({"*": refusal}) as server:
        error = failure(usage(dialect, site(server, "/v1"), NOON))
    assert error.kind is kind
    assert "insufficient permissions; this report takes the key of an admin" in error.message


def test_a_report_that_goes_round_in_circles_is_an_error() -> None:
    def again(asked: Asked) -> Answer:
        return Answer({"data": [], "has_more": True, "next_page": "p2"})

    with OperationServer({"*": again}) as server:
        error = failure(usage("openai", site(server, "/v1"), NOON))
        assert len(server.asked) == 2
    assert error.message == "the usage report does not end"


@pytest.mark.parametrize(
    ("dialect", "answer"),
    [
        ("openrouter", {"data": []}),
        ("openrouter", {"data": {"label": "k", "usage": "much"}}),
        ("deepseek", {"balance_infos": {}}),
        ("openai", {"data": {}}),
        ("anthropic", {"data": "x"}),
        ("openai", {"data": [bucket({}, start_time=2**62)]}),
        ("openai", {"data": [bucket({})]}),
    ],
)
def test_a_report_that_is_none_is_refused(dialect: str, answer: object) -> None:
    with OperationServer({"*": Answer(answer)}) as server:
        error = failure(usage(dialect, site(server, ""), NOON))
    assert error.kind is ErrorKind.PROTOCOL
    assert error.message == "the server answered with something else than a usage report"
