"""`eukhe provider`: what a provider can do beside the chat stream, which models it has, what was spent (S6.7)."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Final

import click

from eukhe.cli.model import Models, dollars, models_of, named, tokens, warn
from eukhe.cli.settings import option_json, option_where, print_json
from eukhe.core.quirks_directives import Capability

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence
    from typing import TypeVar

    from eukhe.models.capabilities import Provider
    from eukhe.models.registry import Model
    from eukhe.wire.capabilities.list_models import Listed
    from eukhe.wire.capabilities.usage import AccountUsage, TokensUsed

    T = TypeVar("T")

_DAY: Final = 86_400
_DEADLINE: Final = 120.0


@click.group(invoke_without_command=True)
@click.pass_context
def provider(ctx: click.Context) -> None:
    """Show what providers can do, and ask one for its models and for what was spent."""
    if ctx.invoked_subcommand is None:
        raise click.UsageError("`eukhe provider` needs a command: caps, models or usage")


def _first(models: Models, name: str) -> Model:
    """A model of a provider, or the model that is named."""
    if name in models.registry.ids:
        rows = models.registry.models(name)
        if not rows:
            raise click.UsageError(f"{name} has no model; add one to {models.registry.custom.path}")
        return rows[0]
    if "/" in name:
        return named(models, name)
    there = ", ".join(models.registry.ids)
    raise click.UsageError(f"there is no provider {name}; there are: {there}")


@provider.command("caps")
@click.argument("name", metavar="[PROVIDER[/MODEL]]", required=False)
@option_json
@option_where
@click.pass_context
def caps(ctx: click.Context, /, name: str | None, as_json: bool, **_: object) -> None:
    """Show the operations beside the chat stream, each with its dialect. No request is sent."""
    from eukhe.models.capabilities import capabilities_of

    models = models_of(ctx)
    warn(models)
    names = list(models.registry.ids) if name is None else [name]
    # A provider without a model has no address that could be asked for anything.
    known = {one: _first(models, one) for one in names if name or models.registry.ids[one]}
    support = {one: capabilities_of(model) for one, model in known.items()}
    if as_json:
        print_json(support)
        return
    if name is not None:
        _table([(one.value, dialect or "-") for one, dialect in support[name].items()])
        return
    heads = ("provider", *(one.value for one in Capability))
    _table([heads, *((one, *(d or "-" for d in has.values())) for one, has in support.items())])


@provider.command("models")
@click.argument("name", metavar="PROVIDER")
@option_json
@option_where
@click.pass_context
def list_of(ctx: click.Context, /, name: str, as_json: bool, **_: object) -> None:
    """Ask PROVIDER which models it has; `+` marks those that the catalog does not know."""
    from eukhe.models.capabilities import list_models

    models = models_of(ctx)
    warn(models)
    model = _first(models, name)
    rows = _asked(models, model, list_models)
    known = set(models.registry.ids[model.entry.provider])
    if as_json:
        print_json([_row(one, one.id in known) for one in rows])
        return
    _table([_line(one, one.id in known) for one in rows])


@provider.command("usage")
@click.argument("name", metavar="PROVIDER")
@click.option("--days", type=click.IntRange(1, 366), default=30, show_default=True, metavar="N",
              help="How far back a report by day goes; a provider with fixed periods tells those.")  # fmt: skip
@option_json
@option_where
@click.pass_context
def usage_of(ctx: click.Context, /, name: str, days: int, as_json: bool, **_: object) -> None:
    """Ask PROVIDER what the key or its account has spent and has left."""
    from eukhe.models.capabilities import usage
    from eukhe.wire.capabilities.usage import Usage

    models = models_of(ctx)
    warn(models)
    what = Usage(int(time.time()) - days * _DAY)
    found = _asked(models, _first(models, name), lambda provider: usage(provider, what))
    if as_json:
        print_json(_document(found))
        return
    _table(_usage_lines(found, days))


def _asked(
    models: Models, model: Model, ask: Callable[[Provider], Coroutine[object, object, T]]
) -> T:
    """Ask a provider, or say in one line why it cannot be asked or did not answer."""
    from eukhe.models.capabilities import CapabilityError, Provider
    from eukhe.wire.errors import WireError

    try:
        return asyncio.run(ask(Provider(model, models.credentials, deadline=_DEADLINE)))
    except (CapabilityError, WireError) as error:
        raise click.ClickException(str(error)) from error


def _table(rows: Sequence[Sequence[str]]) -> None:
    """Print rows in columns. What a server said is shown without what could steer a terminal."""
    from eukhe.settings.issues import printable

    cells = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        click.echo(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        )


def _line(one: Listed, known: bool) -> tuple[str, ...]:
    window = "" if one.context_window is None else tokens(one.context_window)
    price = ""
    if one.prices is not None and one.prices.input is not None and one.prices.output is not None:
        price = f"{dollars(one.prices.input)}/{dollars(one.prices.output)}"
    can = ["image"] * ("image" in one.input) + ["tools"] * bool(one.tools)
    can += ["reasoning"] * bool(one.reasoning) + [one.status] * bool(one.status)
    name = "" if one.name == one.id else one.name
    return f"{' ' if known else '+'} {one.id}", name, window, price, " ".join(can)


def _row(one: Listed, known: bool) -> dict[str, object]:
    prices = one.prices
    return {
        "id": one.id,
        "name": one.name,
        "known": known,
        "contextWindow": one.context_window,
        "maxTokens": one.max_tokens,
        "input": list(one.input),
        "tools": one.tools,
        "reasoning": one.reasoning,
        "cost": None
        if prices is None
        else {
            "input": prices.input,
            "output": prices.output,
            "cacheRead": prices.cache_read,
            "cacheWrite": prices.cache_write,
        },
        "status": one.status,
    }


def _usage_lines(found: AccountUsage, days: int) -> list[tuple[str, str]]:
    """What a report says, a line each; the tokens are added up by model."""
    lines = [("key", found.label)] if found.label else []
    for spent in found.spent:
        period = f"last {days} days" if spent.period == "report" else spent.period
        lines.append((f"spent, {period}", f"{spent.money.amount:.2f} {spent.money.currency}"))
    if found.limit is not None:
        lines.append(("limit", f"{found.limit.amount:.2f} {found.limit.currency}"))
    lines += [("remaining", f"{one.amount:.2f} {one.currency}") for one in found.remaining]
    by_model: dict[str, list[TokensUsed]] = {}
    for row in found.tokens:
        by_model.setdefault(row.model, []).append(row)
    for model, rows in by_model.items():
        given = sum(one.given for one in rows)
        output = sum(one.output for one in rows)
        lines.append((model or "all models", f"{given:,} tokens in, {output:,} out"))
    return lines or [("spent", "nothing is reported")]


def _document(found: AccountUsage) -> Mapping[str, object]:
    from dataclasses import asdict

    return {
        "label": found.label,
        "spent": [{"period": one.period, **asdict(one.money)} for one in found.spent],
        "limit": None if found.limit is None else asdict(found.limit),
        "remaining": [asdict(one) for one in found.remaining],
        "tokens": [asdict(one) for one in found.tokens],
    }
