"""`eukhe model`: what the commands share. Each command is imported when it runs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import click

from eukhe.cli.lazy import LazyCommand, LazyGroup
from eukhe.cli.settings import Known, known, note
from eukhe.models.credentials import Credentials
from eukhe.models.patterns import Chosen, choose
from eukhe.models.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.core.default_model import Ref
    from eukhe.models.registry import Model

__all__ = ["Models", "chosen", "dollars", "found", "models_of", "named", "tokens", "warn"]


class ModelGroup(LazyGroup):
    """The commands of `eukhe model`."""

    table = {  # noqa: RUF012 - a constant
        "list": LazyCommand("eukhe.cli.model_list:list_models", "List the models."),
        "show": LazyCommand("eukhe.cli.model_show:show_model", "Show all that is known of one."),
        "default": LazyCommand("eukhe.cli.model_default:default_model", "Show or set the default."),
    }


@click.group(cls=ModelGroup, invoke_without_command=True)
@click.pass_context
def model(ctx: click.Context) -> None:
    """List models, show what is known of one, choose the one that sessions start on."""
    if ctx.invoked_subcommand is None:
        raise click.UsageError(f"`eukhe model` needs a command: {', '.join(ModelGroup.table)}")


class Models(NamedTuple):
    """What a command about models works with.

    Attributes:
        settings: The settings of this directory.
        registry: The models.
        credentials: Where the keys are.
    """

    settings: Known
    registry: Registry
    credentials: Credentials

    @property
    def values(self) -> Mapping[str, object]:
        """The settings that a new session would see."""
        return self.settings.family.cvars.values


def models_of(ctx: click.Context) -> Models:
    """Load what a command works with."""
    settings = known(ctx)
    home = settings.config.files.agent_dir
    registry = Registry.of(home, os.environ)
    return Models(settings, registry, Credentials.of(home, os.environ, registry.custom))


def warn(models: Models) -> None:
    """Tell what is wrong with the settings, the catalogs, `models.json` and `auth.json` on stderr, a line each."""
    note(models.settings.config.issues)
    for message in (*models.registry.messages, models.credentials.message):
        if message:
            click.echo(f"eukhe: note: {message}", err=True)


def named(models: Models, text: str) -> Model:
    """Return the model that a text names; a level behind it says nothing of the model.

    Raises:
        click.UsageError: none has the name, or several have; the message names candidates.
    """
    return found(models, chosen(models, text).ref)


def chosen(models: Models, text: str) -> Chosen:
    """Return the model and the level that a text names.

    Raises:
        click.UsageError: As for `named`.
    """
    one = choose(models.registry, text, models.credentials)
    if not isinstance(one, Chosen):
        raise click.UsageError(one.message)
    return one


def found(models: Models, ref: Ref) -> Model:
    """Return a model that is there."""
    model = models.registry.find(ref)
    if model is None:
        raise click.UsageError(f"there is no model {ref}")
    return model


def tokens(count: int) -> str:
    """A number of tokens, shortly: 200k, 1M, 1.05M."""
    if count >= 1_000_000:
        return f"{count / 1_000_000:.2f}".rstrip("0").rstrip(".") + "M"
    return f"{count / 1000:.0f}k" if count >= 1000 else str(count)


def dollars(price: float) -> str:
    """A price in dollars a million tokens, without zeros that say nothing."""
    return f"{price:.6f}".rstrip("0").rstrip(".")
