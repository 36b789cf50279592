"""A forced tool choice as a server takes it (S6.3): what it cannot take is softened, never sent to be refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eukhe.wire.messages import ToolSpec
    from eukhe.wire.request import Request

__all__ = ["fitting_choice", "warn_unsent"]


def fitting_choice(
    choice: str | None, tools: Sequence[ToolSpec], *, forced: bool = True, named: bool = True
) -> str | None:
    """Return the choice that goes out; the soft prompt of a forced call names the tool in any case.

    Args:
        choice: `auto`, `none`, `required`, `tool:NAME`, or None for the server's default.
        tools: The tools on offer.
        forced: Whether the model takes a forced choice.
        named: Whether the server takes a tool by its name; `required` says the same where there is one tool.
    """
    if choice in (None, "auto", "none"):
        return choice
    if not forced:
        return "auto"
    if choice != "required" and not named:
        return "required" if len(tools) == 1 else "auto"
    return choice


def warn_unsent(request: Request, *, by_budget: bool) -> None:
    """Say in the log that the forced choice of a request is left out.

    Args:
        request: The request.
        by_budget: Whether that is for its thinking, which has a budget of tokens; else it is for the model.
    """
    import logging  # only this warning pays for the import

    logging.getLogger(__name__).warning(
        "%s: the forced tool choice %s is not sent, because %s does not permit it",
        request.model,
        request.options.tool_choice,
        "manual extended thinking" if by_budget else "the model",
    )
