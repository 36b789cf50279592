"""The longest reply that a request asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eukhe.core.ladder import Origin

if TYPE_CHECKING:
    from eukhe.models.registry import Model

__all__ = ["CEILING", "longest_reply"]

#: The longest reply that is asked for where the user says nothing, in tokens.
CEILING: Final = 32_000


def longest_reply(model: Model) -> int | None:
    """Return the most tokens of a reply: the user's number, else the catalog's below our ceiling.

    None for a model of the user's own without a number: its server knows better than a default of ours.
    """
    if model.explicit_max_tokens:
        return model.entry.max_tokens
    if model.origin is Origin.CUSTOM:
        return None
    return min(model.entry.max_tokens, CEILING)
