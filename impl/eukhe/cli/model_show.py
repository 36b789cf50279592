"""`eukhe model show`: every fact of a model, with the rule or the file that it comes from."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from eukhe.cli.inspect.model import answers, plain
from eukhe.cli.model import Models, dollars, models_of, named, warn
from eukhe.cli.settings import option_json, option_where, print_json
from eukhe.core.ladder import NULLS, Origin
from eukhe.core.quirks import cache_write_1h_multiplier, service_tier_multiplier, targets
from eukhe.models.compat import DIRECTIVE_OF
from eukhe.models.registry import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eukhe.models.registry import Model

_WIDTH = 12


@click.command("show")
@click.argument("model", metavar="ID")
@option_json
@option_where
@click.pass_context
def show_model(ctx: click.Context, /, model: str, as_json: bool, **_: object) -> None:
    """Show what is known of a model, and which rule or file says it.

    ID is PROVIDER/ID, an id, a pattern, or a part of a name that only one model has.
    """
    models = models_of(ctx)
    warn(models)
    one = named(models, model)
    facts = list(_facts(models, one))
    if as_json:
        print_json([{"fact": head, "value": value, "from": where} for head, value, where in facts])
        return
    for head, value, where in facts:
        click.echo(f"{head:<{_WIDTH}}{value}" + (f"  ({where})" if where else ""))


def _facts(models: Models, model: Model) -> Iterator[tuple[str, str, str]]:
    """The facts: what it is, its value, where it comes from."""
    entry, book = model.entry, model.quirks.rulebook
    row = model.source.value
    if model.source in (Source.CUSTOM, Source.OVERRIDDEN):
        row = f"{row}: {models.registry.custom.path}"
    at = targets(book, model.key)
    yield "model", str(model.ref), row
    yield "name", entry.name, ""
    moved = model.origin is Origin.MOVED
    yield (
        "api",
        entry.api,
        f"the subscription in {models.credentials.storage.path}" if moved else "",
    )
    yield "base URL", entry.base_url or "from the environment of the credentials", ""
    yield "input", ", ".join(entry.input), ""
    yield "context", f"{entry.context_window:,} tokens, replies up to {entry.max_tokens:,}", ""
    yield "family", at.family or "none", "the rulebook"
    if model.overlap is not None:
        yield "overlap", model.overlap.message, "the rulebook"
    yield "host", at.host or "none", "the rulebook"
    own = {DIRECTIVE_OF[key].name for key in entry.compat or {} if key in DIRECTIVE_OF}
    for name, answer in answers(model.quirks, model.key).items():
        if name not in own:
            where = f"{answer.layer.name.lower()} {answer.target}, rules[{answer.rule}]"
            yield "directive", f"{name} = {json.dumps(plain(answer.value))}", where
    for key, value in (entry.compat or {}).items():
        yield "compat", f"{key} = {json.dumps(value)}", row
    yield "levels", ", ".join(model.levels) or "none", _of_ladder(model, row)
    sent = {level: model.sends(level) for level in model.levels}
    words = [f"{level} as {json.dumps(word)}" for level, word in sent.items() if word is not None]
    if words:
        yield "sends", ", ".join(words), ""
    tiers = ((tier, service_tier_multiplier(book, model.key, tier)) for tier in model.tiers)
    yield "tiers", ", ".join(t if x == 1 else f"{t} x {x:g}" for t, x in tiers), "the rulebook"
    cost = entry.cost
    prices = (
        f"input {dollars(cost.input)}, output {dollars(cost.output)}, cache read {dollars(cost.cache_read)}, "
        f"cache write {dollars(cost.cache_write)} dollars per 1M tokens"
    )
    yield "prices", prices, row
    hour = cache_write_1h_multiplier(book, entry.id)
    if hour is not None:
        yield "1h writes", f"{dollars(hour * cost.input)} dollars per 1M tokens", "the rulebook"
    found = models.credentials.find(entry.provider)
    yield "key", "yes" if found else "no", found.detail if found else "`eukhe auth set`"


def _of_ladder(model: Model, row: str) -> str:
    if not model.entry.reasoning:
        return "the default ladder"
    if model.entry.thinking_level_map is not None:
        return row
    if model.ladder is NULLS:
        return "nothing is known of a level over the subscription"
    return "the rulebook" if model.ladder else "the default ladder"
