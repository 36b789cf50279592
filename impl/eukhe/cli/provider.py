"""`eukhe provider`: what a provider can do beside the chat stream, and which models it says that it has (S6.7)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import click

from eukhe.cli.model import Models, models_of, named, warn
from eukhe.cli.settings import option_json, option_where, print_json
from eukhe.core.quirks import capability
from eukhe.core.quirks_directives import Capability
from eukhe.core.quirks_types import Unsupported
from eukhe.models.credentials import NoKey
from eukhe.models.values import Unresolved, resolve

if TYPE_CHECKING:
    from eukhe.models.registry import Model
    from eukhe.wire.list_models import Listed


@click.group(invoke_without_command=True)
@click.pass_context
def provider(ctx: click.Context) -> None:
    """Show what providers can do, and ask one for its models."""
    if ctx.invoked_subcommand is None:
        raise click.UsageError("`eukhe provider` needs a command: caps or models")


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


def _support(model: Model) -> dict[str, str | None]:
    """The dialect of each operation; None for one that the provider does not have."""
    found = {one: capability(model.quirks.rulebook, model.key, one) for one in Capability}
    return {
        one.value: None if isinstance(dialect, Unsupported) else dialect
        for one, dialect in found.items()
    }


@provider.command("caps")
@click.argument("name", metavar="[PROVIDER[/MODEL]]", required=False)
@option_json
@option_where
@click.pass_context
def caps(ctx: click.Context, /, name: str | None, as_json: bool, **_: object) -> None:
    """Show the operations beside the chat stream, each with its dialect. No request is sent."""
    models = models_of(ctx)
    warn(models)
    names = list(models.registry.ids) if name is None else [name]
    table = {one: _support(_first(models, one)) for one in names}
    if as_json:
        print_json(table)
        return
    for one, support in table.items():
        has = [f"{operation} ({dialect})" for operation, dialect in support.items() if dialect]
        click.echo(f"{one}  {', '.join(has) or 'none'}")


@provider.command("models")
@click.argument("name", metavar="PROVIDER")
@option_json
@option_where
@click.pass_context
def list_of(ctx: click.Context, /, name: str, as_json: bool, **_: object) -> None:
    """Ask PROVIDER which models it has; `+` marks those that the catalog does not know."""
    models = models_of(ctx)
    warn(models)
    model = _first(models, name)
    dialect = capability(model.quirks.rulebook, model.key, Capability.LIST_MODELS)
    if isinstance(dialect, Unsupported):
        raise click.ClickException(
            f"{dialect.provider} does not have the operation {dialect.capability.value}, or eukhe does not know it"
        )
    rows = _asked(models, model, dialect)
    known = set(models.registry.ids[model.entry.provider])
    if as_json:
        print_json([{"id": one.id, "name": one.name, "known": one.id in known} for one in rows])
        return
    for one in rows:
        click.echo(
            f"{' ' if one.id in known else '+'} {one.id}" + (f"  {one.name}" if one.name else "")
        )


def _asked(models: Models, model: Model, dialect: str) -> tuple[Listed, ...]:
    from eukhe.wire.errors import WireError
    from eukhe.wire.list_models import list_models
    from eukhe.wire.request import Request

    key = models.credentials.key(model.entry.provider)
    if isinstance(key, NoKey):
        raise click.ClickException(key.message)
    headers: dict[str, str] = {}
    for name, written in (model.entry.headers or {}).items():
        value = resolve(written, models.credentials.environ)
        if isinstance(value, Unresolved):
            raise click.ClickException(f"the header {name}: {value.message}")
        headers[name] = value.text
    request = Request(model.entry.base_url, model.entry.id, (), api_key=key.text, headers=headers)
    try:
        return asyncio.run(list_models(dialect, request))
    except WireError as error:
        raise click.ClickException(error.message) from error
