"""`eukhe inspect`: what the core decides about something that you bring, for people who report or hunt a fault."""

from __future__ import annotations

import click

from eukhe.cli.lazy import LazyCommand, LazyGroup


class InspectGroup(LazyGroup):
    """The decisions that can be looked at."""

    table = {  # noqa: RUF012 - a constant
        "args": LazyCommand(
            "eukhe.cli.inspect.args:args", "What is read from the arguments of a call."
        ),
        "compaction": LazyCommand(
            "eukhe.cli.inspect.compaction:compaction", "When a context is compacted, and where."
        ),
        "expand": LazyCommand(
            "eukhe.cli.inspect.expand:expand_line", "What a line with aliases runs."
        ),
        "guard": LazyCommand("eukhe.cli.inspect.guard:guard", "Where a stream is cut."),
        "model": LazyCommand("eukhe.cli.inspect.model:model", "What the rulebook says of a model."),
        "reply": LazyCommand(
            "eukhe.cli.inspect.reply:reply", "What becomes of a reply, with its leaked calls."
        ),
        "strict": LazyCommand("eukhe.cli.inspect.strict:strict", "Which tools get strict schemas."),
    }


@click.group(cls=InspectGroup, invoke_without_command=True)
@click.pass_context
def inspect(ctx: click.Context) -> None:
    """Show what the decision core makes of an input. Nothing is sent, stored or run."""
    if ctx.invoked_subcommand is None:
        names = ", ".join(InspectGroup.table)
        raise click.UsageError(f"`eukhe inspect` needs a command: {names}")
