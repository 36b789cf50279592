"""How a model's host wants to be told the session, from the rulebook (S6.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from eukhe.core import quirks_directives as d

if TYPE_CHECKING:
    from eukhe.models.registry import Model
    from eukhe.wire.affinity import Affinity

__all__ = ["affinity_of"]


def affinity_of(model: Model) -> Affinity:
    """Return how the host wants to be told the session; empty for not at all."""
    if not model.setting(d.SESSION_AFFINITY, False):
        return ""
    return cast("Affinity", model.setting(d.SESSION_AFFINITY_FORMAT, "openai"))
