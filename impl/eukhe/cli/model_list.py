"""`eukhe model list`: the models, with their window, prices, thinking levels, tiers and credentials."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from eukhe.cli.model import Models, dollars, models_of, tokens, warn
from eukhe.cli.settings import option_json, option_where, print_json
from eukhe.models.patterns import includes

if TYPE_CHECKING:
    from eukhe.models.registry import Model

_HEADS = ("model", "context", "$ in/out", "levels", "tiers", "key")


def _wanted(models: Models, search: str, provider: str) -> list[Model]:
    """The models of a search: every word is a part of the provider, the id or the name, or a pattern."""
    if provider and provider not in models.registry.ids:
        there = ", ".join(models.registry.ids)
        raise click.UsageError(f"--provider: there is no provider {provider}; there are: {there}")
    rows = models.registry.models(provider) if provider else models.registry.every()
    words = search.lower().split()
    return [one for one in rows if all(_has(one, word) for word in words)]


def _has(model: Model, word: str) -> bool:
    return word in f"{model.ref} {model.entry.name}".lower() or includes(word, model.ref)


def _row(model: Model, keyed: bool) -> dict[str, object]:
    entry, cost = model.entry, model.entry.cost
    return {
        "provider": entry.provider,
        "id": entry.id,
        "name": entry.name,
        "api": entry.api,
        "baseUrl": entry.base_url,
        "reasoning": entry.reasoning,
        "input": list(entry.input),
        "contextWindow": entry.context_window,
        "maxTokens": entry.max_tokens,
        "cost": {
            "input": cost.input,
            "output": cost.output,
            "cacheRead": cost.cache_read,
            "cacheWrite": cost.cache_write,
        },
        "levels": list(model.levels),
        "tiers": list(model.tiers),
        "credentials": keyed,
        "source": model.source.value,
    }


def _line(model: Model, keyed: bool) -> tuple[str, ...]:
    cost = model.entry.cost
    return (
        str(model.ref),
        tokens(model.entry.context_window),
        f"{dollars(cost.input)}/{dollars(cost.output)}",
        " ".join(model.levels) or "none",
        " ".join(model.tiers[1:]) or "-",
        "yes" if keyed else "no",
    )


@click.command("list")
@click.argument("search", nargs=-1)
@click.option("--provider", metavar="P", default="", help="The models of this provider alone.")
@option_json
@option_where
@click.pass_context
def list_models(
    ctx: click.Context, /, search: tuple[str, ...], provider: str, as_json: bool, **_: object
) -> int:
    """List the models whose provider, id or name has every word of SEARCH."""
    models = models_of(ctx)
    warn(models)
    rows = _wanted(models, " ".join(search), provider)
    keyed = {one: one in models.credentials for one in models.registry.ids}
    if as_json:
        errors = [one.text for one in models.registry.custom.diagnostics]
        listed = [_row(one, keyed[one.entry.provider]) for one in rows]
        print_json({"models": listed, "modelsJsonErrors": errors})
        return 0
    if not rows:
        click.echo("eukhe: no model has these words", err=True)
        return 1
    lines = [_HEADS, *(_line(one, keyed[one.entry.provider]) for one in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEADS))]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        click.echo("  ".join(cells).rstrip())
    return 0
