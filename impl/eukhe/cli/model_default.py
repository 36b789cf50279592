"""`eukhe model default`: the model that new sessions start on, shown or saved (S6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from eukhe.cli.model import Models, chosen, found, models_of, warn
from eukhe.cli.settings import option_json, option_where, print_json, shown_path
from eukhe.core.default_model import UNSET
from eukhe.models.default import NoModel, saved_default, start
from eukhe.settings.setter import save_settings, unset_setting
from eukhe.settings.table import DEFAULT_MODEL, DEFAULT_PROVIDER, DEFAULT_THINKING_LEVEL

if TYPE_CHECKING:
    from eukhe.models.registry import Model


@click.command("default")
@click.argument("model", metavar="[ID]", required=False)
@click.option("--unset", is_flag=True, help="Save no default.")
@option_json
@option_where
@click.pass_context
def default_model(
    ctx: click.Context, /, model: str | None, unset: bool, as_json: bool, **_: object
) -> int:
    """Show the model that a new session starts on, or save ID as it.

    Without ID the exit code is 1 when a session would start with no model.
    """
    models = models_of(ctx)
    warn(models)
    if model is not None and unset:
        raise click.UsageError("an ID and --unset exclude each other")
    if model is not None:
        one = chosen(models, model)
        if one.level is not None:
            raise click.UsageError(
                f"a default model has no level; save that with `eukhe settings set {DEFAULT_THINKING_LEVEL} "
                f"{one.level}`, and the model with `eukhe model default {one.ref}`"
            )
        _save(models, found(models, one.ref))
        return 0
    if unset:
        for name in (DEFAULT_MODEL, DEFAULT_PROVIDER):
            unset_setting(models.settings.config, name)
        click.echo("no default model is saved")
        return 0
    return _show(models, as_json=as_json)


def _save(models: Models, model: Model) -> None:
    """Save the id and the provider in one write, so that no other process gets in between."""
    config, registry = models.settings.config, models.settings.registry
    pair = ((DEFAULT_MODEL, model.entry.id), (DEFAULT_PROVIDER, model.entry.provider))
    done = save_settings(registry, config, pair)
    click.echo(f"new sessions start on {model.ref} ({shown_path(done[0].path)})")
    for one in done:
        if one.shadowed is not None:
            click.echo(
                f"eukhe: note: {one.shadowed.origin} sets {one.shadowed.id}, so that counts instead",
                err=True,
            )
    if model.entry.provider not in models.credentials:
        click.echo(
            f"eukhe: note: there are no credentials for {model.entry.provider} yet: "
            f"`eukhe auth set {model.entry.provider}`",
            err=True,
        )


def _show(models: Models, *, as_json: bool) -> int:
    resolved = start(models.registry, models.credentials, models.values)
    saved = saved_default(models.values)
    if as_json:
        print_json(
            {
                "saved": None
                if saved == UNSET
                else {"provider": saved.provider, "model": saved.model},
                "model": None if resolved.model is None else str(resolved.model),
                "reason": None if resolved.row is None else resolved.row.reason.value,
                "hint": None
                if resolved.model
                else NoModel.of(resolved, models.registry, models.credentials).message,
            }
        )
        return 0 if resolved.model else 1
    if resolved.row is not None:
        click.echo(resolved.row.message, err=True)
    if resolved.model is None:
        click.echo(
            f"eukhe: {NoModel.of(resolved, models.registry, models.credentials).message}",
            err=True,
        )
        return 1
    what = "saved" if resolved.row is None and saved != UNSET else "the default of its provider"
    click.echo(f"{resolved.model}  ({what})")
    return 0
