"""What a model's host wants told in headers, from the rulebook (S6.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from eukhe.core import quirks_directives as d
from eukhe.core.quirks import targets

if TYPE_CHECKING:
    from eukhe.models.registry import Model
    from eukhe.wire.affinity import Affinity

__all__ = ["affinity_of", "is_copilot"]

_COPILOT: Final = "github-copilot"


def affinity_of(model: Model) -> Affinity:
    """Return how the host wants to be told the session; empty for not at all."""
    if not model.setting(d.SESSION_AFFINITY, False):
        return ""
    return cast("Affinity", model.setting(d.SESSION_AFFINITY_FORMAT, "openai"))


def is_copilot(model: Model) -> bool:
    """Whether the model's host is GitHub Copilot (S6.2)."""
    return targets(model.quirks.rulebook, model.key).host == _COPILOT
