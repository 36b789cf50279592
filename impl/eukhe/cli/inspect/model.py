"""`eukhe inspect model`: what the rulebook says of a model, and which rule says it (S6, S10)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eukhe.cli.inspect.given import as_json, show
from eukhe.core import ladder
from eukhe.core.quirks import (
    cache_write_1h_multiplier,
    provider_default,
    query,
    service_tier_multiplier,
    service_tiers,
    targets,
)
from eukhe.core.quirks_directives import DIRECTIVES, THINKING_LADDER, Budgets
from eukhe.core.quirks_types import Known, ModelKey
from eukhe.models.rulebook import Quirks, RulebookError, read_rulebook, shipped_quirks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eukhe.core.quirks_directives import Value

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


def _levels(quirks: Quirks, key: ModelKey, *, reasoning: bool) -> dict[str, str | None]:
    """The levels on offer to a custom model, each with what is sent; None for the wire API's own form."""
    rule = query(quirks.rulebook, key, THINKING_LADDER)
    rung = rule.value if isinstance(rule, Known) else None
    chosen = ladder.ladder_of(ladder.Origin.CUSTOM, reasoning, None, rung)
    levels = ladder.offered(reasoning, chosen, quirks.ladders)
    return {level.value: ladder.wire(reasoning, chosen, level) for level in levels}


def _report(quirks: Quirks, key: ModelKey, *, reasoning: bool) -> dict[str, object]:
    book = quirks.rulebook
    at = targets(book, key)
    tiers = service_tiers(book, key)
    return {
        "model": key.id,
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
        "levels": _levels(quirks, key, reasoning=reasoning),
        "tiers": {tier: service_tier_multiplier(book, key, tier) for tier in tiers},
        "cacheWrite1h": cache_write_1h_multiplier(book, key.id),
        "providerDefault": provider_default(book, key.provider),
    }


def _rows(quirks: Quirks, key: ModelKey, *, reasoning: bool) -> Iterable[tuple[str, str]]:
    """The report as rows of a name and a text."""
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
    levels = _levels(quirks, key, reasoning=reasoning)
    yield "levels", ", ".join(levels) or "none"
    sent = (f"{level} as {json.dumps(text)}" for level, text in levels.items() if text is not None)
    yield "sends", ", ".join(sent) or "each level in the wire API's own form"
    prices = ((tier, service_tier_multiplier(book, key, tier)) for tier in service_tiers(book, key))
    yield "tiers", ", ".join(name if many == 1 else f"{name} x {many:g}" for name, many in prices)
    write = cache_write_1h_multiplier(book, key.id)
    yield "1h writes", "at the cache write rate" if write is None else f"{write:g} x input rate"


@click.command("model")
@click.argument("model", metavar="ID")
@click.option("--provider", metavar="P", default="", help="The provider's id.")
@click.option("--api", metavar="A", default="openai-completions", help="The wire API.")
@click.option("--base-url", metavar="U", default="", help="The base URL.")
@click.option("--name", metavar="N", default="", help="The display name.")
@click.option("--plain", is_flag=True, help="Take it as a model that does not reason.")
@click.option("--rules", metavar="FILE", help="A rulebook in place of the shipped one.")
@as_json
def model(
    model: str,
    provider: str,
    api: str,
    base_url: str,
    name: str,
    plain: bool,
    rules: str | None,
    as_json: bool,
) -> None:
    """Show what the rulebook says of a model of a custom provider, and which rule says it."""
    quirks = _quirks(rules)
    key = ModelKey(model, name, api, provider, base_url)
    if as_json:
        show(_report(quirks, key, reasoning=not plain))
        return
    for head, text in _rows(quirks, key, reasoning=not plain):
        click.echo(f"{head:<{_WIDTH}}{text}")
