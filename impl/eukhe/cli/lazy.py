"""A click group whose commands are imported when they run."""

from __future__ import annotations

import gc
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, cast

import click

if TYPE_CHECKING:
    from collections.abc import Mapping


class LazyCommand(NamedTuple):
    """A command that is known by its place. Not a dataclass: that module is a tenth of the start.

    Attributes:
        place: `module:attribute` of the click command.
        help: one line for the list of commands.
        extra: the extra of the distribution that brings what the command imports; empty for none.
    """

    place: str
    help: str
    extra: str = ""


class LazyGroup(click.Group):
    """A group over a table of commands. Its help and its errors import none of them.

    Attributes:
        table: the commands by name; set by whoever makes the group.
    """

    table: Mapping[str, LazyCommand] = {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names, in the order of the table."""
        return [*self.table, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command.

        Raises:
            click.ClickException: an extra that the command needs is not installed.
        """
        entry = self.table.get(cmd_name)
        if entry is None:
            return super().get_command(ctx, cmd_name)
        module, _, attribute = entry.place.partition(":")
        collects = gc.isenabled()
        gc.disable()  # an import makes much that stays and no garbage worth looking for
        try:
            return cast("click.Command", getattr(import_module(module), attribute))
        except ModuleNotFoundError as error:
            if not entry.extra or (error.name or "").startswith("eukhe."):
                raise
            raise click.ClickException(
                f"`eukhe {cmd_name}` needs the package {error.name!r}, which is not installed; "
                f"install it with: pip install 'eukhe[{entry.extra}]'"
            ) from error
        finally:
            if collects:
                gc.enable()

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which ones are near.

        Raises:
            click.UsageError: no command has the name.
        """
        name = args[0]
        if name in self.table or name in self.commands:
            return super().resolve_command(ctx, args)
        from difflib import get_close_matches  # only a mistake pays for the import

        names = self.list_commands(ctx)
        near = get_close_matches(name, names)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are: {', '.join(names)}"
        raise click.UsageError(f"there is no command {name!r}; {hint}", ctx)

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's own signature
        formatter: click.HelpFormatter,
    ) -> None:
        """List the commands from the table alone."""
        rows = [(name, entry.help) for name, entry in self.table.items()]
        rows += [(name, command.get_short_help_str()) for name, command in self.commands.items()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
