"""`eukhe inspect model`: what the rulebook says of a model, and which rule says it (S6, S10)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eukhe.cli.inspect.given import as_json, show
from eukhe.core import ladder
from eukhe.core.catalog import Cost, Entry
from eukhe.core.quirks import (
    cache_write_1h_multiplier,
    provider_default,
    query,
    service_tier_multiplier,
    targets,
)
from eukhe.core.quirks_directives import DIRECTIVES, Budgets
from eukhe.core.quirks_types import Known
from eukhe.models.compiled import compiled, compiled_ids
from eukhe.models.registry import Model, Source
from eukhe.models.rulebook import Quirks, RulebookError, read_rulebook, shipped_quirks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eukhe.core.quirks_directives import Value
    from eukhe.core.quirks_types import ModelKey

_WIDTH = 12


def _quirks(rules: str | None) -> Quirks:
    try:
        return shipped_quirks() if rules is None else read_rulebook(Path(rules))
    except RulebookError as error:
        for fault in error.faults[:-1]:
            click.echo(f"{error.path}: {fault.text}", err=True)
        raise click.UsageError(f"{error.path}: {error.faults[-1].text}") from error


def answers(quirks: Quirks, key: ModelKey) -> dict[str, Known[Value]]:
    """Return what the rulebook answers for a model, by the directive's name."""
    found = ((name, query(quirks.rulebook, key, one)) for name, one in DIRECTIVES.items())
    return {name: answer for name, answer in found if isinstance(answer, Known)}


def plain(value: Value) -> object:
    """A value as JSON has it."""
    if isinstance(value, Budgets):
        return value._asdict()
    return dict(value) if isinstance(value, Mapping) else value


def _model(quirks: Quirks, id_: str, given: Mapping[str, str | None], *, reasoning: bool) -> Model:
    """The catalog's model when its provider is known and has the id; else one of a custom provider."""
    provider = given["provider"] or ""
    if not provider and id_.partition("/")[0] in compiled_ids():
        provider, _, id_ = id_.partition("/")
    row = next((one for one in compiled(provider) if one.id == id_), None)
    if row is None:
        url, name = given["base_url"] or "", given["name"] or ""
        api = given["api"] or "openai-completions"
        row = Entry(provider, id_, api, url, name, reasoning, ("text",), Cost(), 1, 1)
        return Model(row, Source.CUSTOM, ladder.Origin.CUSTOM, False, quirks)
    row = replace(
        row,
        api=given["api"] or row.api,
        base_url=given["base_url"] or row.base_url,
        name=given["name"] or row.name,
        reasoning=row.reasoning and reasoning,
    )
    return Model(row, Source.COMPILED, ladder.Origin.BUILT_IN, False, quirks)


def _report(model: Model) -> dict[str, object]:
    quirks, key = model.quirks, model.key
    book = quirks.rulebook
    at = targets(book, key)
    cost = model.entry.cost
    return {
        "model": key.id,
        "api": key.api,
        "family": at.family,
        "overlap": list(at.overlap),
        "host": at.host,
        "capabilityHost": at.capability_host,
        "directives": {
            name: {
                "value": plain(answer.value),
                "layer": answer.layer.name.lower(),
                "target": answer.target,
                "rule": f"rules[{answer.rule}]",
            }
            for name, answer in answers(quirks, key).items()
        },
        "levels": {level.value: model.sends(level) for level in model.levels},
        "tiers": {tier: service_tier_multiplier(book, key, tier) for tier in model.tiers},
        "cacheWrite1h": cache_write_1h_multiplier(book, key.id),
        "providerDefault": provider_default(book, key.provider),
        "cost": None
        if model.source is Source.CUSTOM
        else [cost.input, cost.output, cost.cache_read, cost.cache_write],
    }


def _rows(model: Model) -> Iterable[tuple[str, str]]:
    """The report as rows of a name and a text."""
    quirks, key = model.quirks, model.key
    book = quirks.rulebook
    at = targets(book, key)
    yield "model", at.model
    both = " and ".join(at.overlap)
    yield "family", f"none: {both} match" if at.overlap else at.family or "none"
    yield "host", at.host or "none"
    if at.capability_host != at.host:
        yield "operations", f"of the host {at.capability_host}"
    for name, answer in answers(quirks, key).items():
        value = json.dumps(plain(answer.value), ensure_ascii=False)
        where = f"{answer.layer.name.lower()} {answer.target}, rules[{answer.rule}]"
        yield "directive", f"{name} = {value} ({where})"
    yield "levels", ", ".join(model.levels) or "none"
    texts = {level: model.sends(level) for level in model.levels}
    sent = (f"{level} as {json.dumps(text)}" for level, text in texts.items() if text is not None)
    yield "sends", ", ".join(sent) or "each level in the wire API's own form"
    prices = ((tier, service_tier_multiplier(book, key, tier)) for tier in model.tiers)
    yield "tiers", ", ".join(name if many == 1 else f"{name} x {many:g}" for name, many in prices)
    if model.source is not Source.CUSTOM:
        cost = model.entry.cost
        rates = (cost.input, cost.output, cost.cache_read, cost.cache_write)
        yield "prices", " / ".join(f"{rate:g}" for rate in rates) + " dollars per 1M tokens"
    write = cache_write_1h_multiplier(book, key.id)
    yield "1h writes", "at the cache write rate" if write is None else f"{write:g} x input rate"


@click.command("model")
@click.argument("model", metavar="ID")
@click.option("--provider", metavar="P", help="The provider's id.")
@click.option("--api", metavar="A", help="The wire API.")
@click.option("--base-url", metavar="U", help="The base URL.")
@click.option("--name", metavar="N", help="The display name.")
@click.option("--plain", is_flag=True, help="Take it as a model that does not reason.")
@click.option("--rules", metavar="FILE", help="A rulebook in place of the shipped one.")
@as_json
def model(model: str, plain: bool, rules: str | None, as_json: bool, **given: str | None) -> None:
    """Show what the rulebook says of a model, and which rule says it.

    With a provider of the catalog that has the ID, what is not given comes from its row; else ID is a model of a
    custom provider, over openai-completions unless --api says another.
    """
    found = _model(_quirks(rules), model, given, reasoning=not plain)
    if as_json:
        show(_report(found))
        return
    for head, text in _rows(found):
        click.echo(f"{head:<{_WIDTH}}{text}")
