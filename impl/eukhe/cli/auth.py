"""`eukhe auth`: the keys in `auth.json`. A key is never an argument and never shown."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from eukhe.cli.secret import read_secret
from eukhe.cli.settings import given_agent_dir, option_json, print_json, shown_path
from eukhe.settings.auth import AuthStorage
from eukhe.settings.masking import masked

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

_option_agent_dir = click.option(
    "--agent-dir", type=click.Path(file_okay=False), help="Where all state is."
)


@click.group(invoke_without_command=True)
@click.pass_context
def auth(ctx: click.Context) -> None:
    """Store, list and remove the keys of providers."""
    if ctx.invoked_subcommand is None:
        raise click.UsageError("`eukhe auth` needs a command: set, remove or list")


def _provider(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.argument("provider", callback=_checked)(command)


def _checked(_: click.Context, __: click.Parameter, value: str) -> str:
    if not value.strip() or value == "version" or not value.isprintable():
        raise click.BadParameter(f"{value!r} is no name of a provider")
    return value


@auth.command("set")
@_provider
@_option_agent_dir
@click.pass_context
def set_key(ctx: click.Context, /, provider: str, **_: object) -> None:
    """Store the key of PROVIDER; it is asked for, or read from stdin."""
    storage = AuthStorage.of(given_agent_dir(ctx))
    storage.read()  # a broken file is told before the user types a key
    storage.set(provider, read_secret(f"key of {provider}"))
    click.echo(f"the key of {provider} is stored in {shown_path(storage.path)}")


@auth.command("remove")
@_provider
@_option_agent_dir
@click.pass_context
def remove_key(ctx: click.Context, /, provider: str, **_: object) -> None:
    """Remove what is stored for PROVIDER."""
    storage = AuthStorage.of(given_agent_dir(ctx))
    if not storage.remove(provider):
        raise click.UsageError(f"nothing is stored for {provider} in {shown_path(storage.path)}")
    click.echo(f"the key of {provider} was removed from {shown_path(storage.path)}")


@auth.command("list")
@option_json
@_option_agent_dir
@click.pass_context
def list_keys(ctx: click.Context, /, as_json: bool, **_: object) -> None:
    """List the providers that have credentials and where these come from; keys are masked."""
    home = given_agent_dir(ctx)
    storage = AuthStorage.of(home)
    rows = [
        {"provider": name, "type": one.type, "key": masked(one.key) if one.key else ""}
        for name, one in storage.read().items()
    ]
    rows += _elsewhere(home, {row["provider"] for row in rows})
    if as_json:
        print_json(rows)
        return
    for row in rows:
        click.echo("  ".join(filter(None, row.values())))
    if not rows:
        click.echo(
            f"there are no credentials: none in {shown_path(storage.path)}, the environment or models.json",
            err=True,
        )


def _elsewhere(home: Path, stored: set[str]) -> list[dict[str, str]]:
    """The credentials of other providers: in the environment and in `models.json`. No command runs."""
    from eukhe.models.credentials import Credentials
    from eukhe.models.custom import FILE, load_models_json
    from eukhe.models.provider_table import PROVIDERS

    custom = load_models_json(home / FILE, os.environ)
    credentials = Credentials.of(home, os.environ, custom)
    names = [one for one in dict.fromkeys((*PROVIDERS, *custom.providers)) if one not in stored]
    found = ((name, credentials.find(name)) for name in names)
    return [
        {"provider": name, "type": one.place.value, "from": one.detail}
        for name, one in found
        if one is not None
    ]
