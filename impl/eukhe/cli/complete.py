"""Shell completion: the ids of settings and the values they take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click.shell_completion import CompletionItem

from eukhe.core.cvar import Kind
from eukhe.settings.table import load_registry

if TYPE_CHECKING:
    import click

__all__ = ["ids", "switches", "values"]


def ids(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The ids that begin so."""
    return [
        CompletionItem(cvar.id, help=cvar.help)
        for cvar in load_registry().values()
        if cvar.id.startswith(incomplete)
    ]


def switches(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The ids of truth values that begin so."""
    return [
        CompletionItem(cvar.id, help=cvar.help)
        for cvar in load_registry().values()
        if cvar.type.kind is Kind.BOOL and cvar.id.startswith(incomplete)
    ]


def values(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The values of the setting that the line names, where it has few."""
    cvar = load_registry().get(str(ctx.params.get("name")))
    if cvar is None:
        return []
    words = ("true", "false") if cvar.type.kind is Kind.BOOL else cvar.type.choices
    return [CompletionItem(word) for word in words if word.startswith(incomplete)]
