"""The operation `usage` (S6.7): what an account or a key has spent and has left, not the tokens of a reply."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from eukhe.wire.capabilities.reading import malformed, number, object_at, objects, text, whole
from eukhe.wire.capabilities.site import Auth, chosen, get, operation, root_url, v1_url
from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.http import endpoint

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    import httpx

    from eukhe.wire.capabilities.site import Site

__all__ = ["USAGE", "AccountUsage", "Money", "Spent", "TokensUsed", "Usage", "usage"]

_WHAT: Final = "a usage report"
_MOST_PAGES: Final = 50
_CENTS: Final = 100
_DAY: Final = 86_400


@dataclass(frozen=True, slots=True)
class Usage:
    """What to report.

    Attributes:
        since: The start of the report, in seconds since 1970; the providers that only know fixed periods report
            those.
    """

    since: int


@dataclass(frozen=True, slots=True)
class Money:
    """An amount of money.

    Attributes:
        amount: How much, in whole units (dollars, not cents).
        currency: Such as `USD`.
    """

    amount: float
    currency: str


@dataclass(frozen=True, slots=True)
class Spent:
    """Money spent.

    Attributes:
        period: `day`, `week`, `month` or `all time`, or `report` for the time since the report's start.
        money: How much.
    """

    period: str
    money: Money


@dataclass(frozen=True, slots=True)
class TokensUsed:
    """Tokens of one model on one day.

    Attributes:
        day: The UTC date, such as `2026-11-30`.
        model: The model; empty where the report does not tell.
        input: Input tokens that no cache served.
        cached: Input tokens that a cache served.
        cache_write: Input tokens that were written to a cache.
        output: Output tokens.
        requests: How many requests; `None` where the report does not tell.
    """

    day: str
    model: str
    input: int = 0
    cached: int = 0
    cache_write: int = 0
    output: int = 0
    requests: int | None = None

    @property
    def given(self) -> int:
        """Every input token, cached or not."""
        return self.input + self.cached + self.cache_write


@dataclass(frozen=True, slots=True)
class AccountUsage:
    """What an account or a key has spent and has left.

    Attributes:
        label: What the provider calls the key; empty where it does not say.
        spent: Money spent, by period.
        limit: The most that the key may spend; `None` for no limit, or none that is known.
        remaining: What is left, one amount a currency.
        tokens: Tokens by day and model.
    """

    label: str = ""
    spent: tuple[Spent, ...] = ()
    limit: Money | None = None
    remaining: tuple[Money, ...] = ()
    tokens: tuple[TokensUsed, ...] = ()


if TYPE_CHECKING:
    Client = httpx.AsyncClient | None
    Reporting = Callable[[Site, Usage, Client], Awaitable[AccountUsage]]
    Row = Mapping[str, object]


async def usage(dialect: str, site: Site, what: Usage, client: Client = None) -> AccountUsage:
    """Ask what the account of a key has spent and has left.

    Args:
        dialect: One of the dialects of `USAGE`.
        site: Where to ask. OpenAI and Anthropic answer to the key of an administrator only.
        what: What to report.
        client: The client to use; `None` opens one for each request.

    Raises:
        WireError: It failed, or the reply is no usage report.
    """
    reporting = chosen(USAGE, dialect)
    async with operation(site):
        try:
            return await reporting(site, what, client)
        except WireError as error:
            if dialect in _ADMIN and error.kind in (ErrorKind.AUTH, ErrorKind.PERMISSION):
                error.message += (
                    "; this report takes the key of an administrator of the organization"
                )
            raise


async def _openrouter(site: Site, _: Usage, client: Client) -> AccountUsage:
    document = await get(site, endpoint(site.base_url, "/key"), _WHAT, client)
    row = document.get("data")
    if not isinstance(row, dict):
        raise malformed(_WHAT)
    periods = {
        "day": "usage_daily",
        "week": "usage_weekly",
        "month": "usage_monthly",
        "all time": "usage",
    }
    spent = [(period, number(row, key)) for period, key in periods.items()]
    limit, left = number(row, "limit"), number(row, "limit_remaining")
    if all(amount is None for _, amount in spent):
        raise malformed(_WHAT)
    return AccountUsage(
        text(row, "label"),
        tuple(Spent(period, Money(one, "USD")) for period, one in spent if one is not None),
        None if limit is None else Money(limit, "USD"),
        () if left is None else (Money(left, "USD"),),
    )


async def _deepseek(site: Site, _: Usage, client: Client) -> AccountUsage:
    document = await get(site, root_url(site, "/user/balance"), _WHAT, client)
    if not isinstance(document.get("balance_infos"), list):
        raise malformed(_WHAT)
    rows = objects(document, "balance_infos")
    left = [(number(row, "total_balance"), text(row, "currency")) for row in rows]
    return AccountUsage(
        remaining=tuple(Money(amount, name) for amount, name in left if amount is not None)
    )


async def _pages(
    site: Site, url: str, query: Mapping[str, str], client: Client, auth: Auth
) -> list[tuple[Row, Row]]:
    """Read a report of buckets page by page: each result with the bucket that it is in."""
    found: list[tuple[Row, Row]] = []
    page, seen = "", {""}
    for _ in range(_MOST_PAGES):
        asked = {**query, **({"page": page} if page else {})}
        document = await get(site, url, _WHAT, client, query=asked, auth=auth)
        if not isinstance(document.get("data"), list):
            raise malformed(_WHAT)
        for bucket in objects(document, "data"):
            found += ((bucket, row) for row in objects(bucket, "results"))
        page = text(document, "next_page") if document.get("has_more") is True else ""
        if not page:
            return found
        if page in seen:
            break
        seen.add(page)
    raise WireError(ErrorKind.PROTOCOL, "the usage report does not end")


async def _openai(site: Site, what: Usage, client: Client) -> AccountUsage:
    since = {"start_time": str(what.since), "bucket_width": "1d"}
    by_model = {**since, "group_by[]": "model"}
    url = endpoint(site.base_url, "/organization/usage/completions")
    tokens = await _pages(site, url, by_model, client, Auth.BEARER)
    url = endpoint(site.base_url, "/organization/costs")
    costs = await _pages(site, url, since, client, Auth.BEARER)
    amounts = [object_at(row, "amount") for _, row in costs]
    return AccountUsage(
        spent=_sums([(number(one, "value"), text(one, "currency")) for one in amounts]),
        tokens=tuple(_openai_tokens(bucket, row) for bucket, row in tokens),
    )


def _openai_tokens(bucket: Row, row: Row) -> TokensUsed:
    cached, start = whole(row, "input_cached_tokens") or 0, whole(bucket, "start_time")
    if start is None:
        raise malformed(_WHAT)
    return TokensUsed(
        _day(start),
        text(row, "model"),
        max(0, (whole(row, "input_tokens") or 0) - cached),
        cached,
        output=whole(row, "output_tokens") or 0,
        requests=whole(row, "num_model_requests"),
    )


def _day(seconds: int) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        raise malformed(_WHAT) from None


async def _anthropic(site: Site, what: Usage, client: Client) -> AccountUsage:
    start = datetime.fromtimestamp(what.since - what.since % _DAY, UTC).strftime(
        "%Y-%m-%dT%H:%M:%SZ"
    )
    since = {"starting_at": start, "bucket_width": "1d"}
    by_model = {**since, "group_by[]": "model"}
    url = v1_url(site, "/organizations/usage_report/messages")
    tokens = await _pages(site, url, by_model, client, Auth.ANTHROPIC)
    url = v1_url(site, "/organizations/cost_report")
    costs = await _pages(site, url, since, client, Auth.ANTHROPIC)
    amounts = [(number(row, "amount"), text(row, "currency")) for _, row in costs]
    return AccountUsage(
        spent=_sums([(None if one is None else one / _CENTS, name) for one, name in amounts]),
        tokens=tuple(_anthropic_tokens(bucket, row) for bucket, row in tokens),
    )


def _anthropic_tokens(bucket: Row, row: Row) -> TokensUsed:
    written = object_at(row, "cache_creation")
    return TokensUsed(
        text(bucket, "starting_at")[:10],
        text(row, "model"),
        whole(row, "uncached_input_tokens") or 0,
        whole(row, "cache_read_input_tokens") or 0,
        sum(whole(written, f"ephemeral_{time}_input_tokens") or 0 for time in ("1h", "5m")),
        whole(row, "output_tokens") or 0,
    )


def _sums(amounts: list[tuple[float | None, str]]) -> tuple[Spent, ...]:
    """Add amounts up, each currency for itself."""
    sums: dict[str, float] = {}
    for amount, currency in amounts:
        if amount is not None:
            name = currency.upper()
            sums[name] = sums.get(name, 0.0) + amount
    return tuple(Spent("report", Money(round(amount, 6), name)) for name, amount in sums.items())


_ADMIN: Final = ("openai", "anthropic")

#: The implementations, by dialect.
USAGE: Final[Mapping[str, Reporting]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "openrouter": _openrouter,
    "deepseek": _deepseek,
}
