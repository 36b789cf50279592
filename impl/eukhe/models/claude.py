"""How much Claude thinks, on Anthropic's own API and on Bedrock alike (S6.13)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eukhe.core.effort import Level
from eukhe.models import thinking_budgets

if TYPE_CHECKING:
    from eukhe.models.registry import Model
    from eukhe.models.speak import Ask

__all__ = ["LEAST", "budget_of", "effort_of", "fitted"]

#: The smallest budget that the API takes, and the least that is left of a reply for the answer.
LEAST: Final = 1024

_EFFORTS: Final = {
    Level.MINIMAL: "low",
    Level.LOW: "low",
    Level.MEDIUM: "medium",
}


def effort_of(model: Model, level: Level) -> str:
    """Return the effort of adaptive thinking: the map's word for the level, else the level's own."""
    return model.sends(level) or _EFFORTS.get(level, "high")


def budget_of(model: Model, ask: Ask) -> int:
    """Return the tokens of a level: the user's number or the rule's, else the default's."""
    told = thinking_budgets.budget_of(model, ask)
    if told is None:
        told = thinking_budgets.of_level(model.quirks.budgets, ask.level)
    return max(told, LEAST)


def fitted(answer: int, budget: int, longest: int) -> tuple[int, int]:
    """Return the tokens of the reply and those of them that it may think.

    The budget comes on top of the answer, both inside what the model can write, and the answer keeps its least.

    Args:
        answer: The tokens of the answer.
        budget: Those that thinking is worth.
        longest: The most that the model can write.
    """
    whole = min(answer + budget, longest)
    return whole, min(budget, whole - LEAST)
