"""How many tokens a thinking level is worth (S6.13): the user's number, else the rule's, else the default's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eukhe.core.effort import Level
from eukhe.core.quirks import query, setting
from eukhe.core.quirks_directives import THINKING_BUDGETS, Budgets

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.models.registry import Model

__all__ = ["of_level", "rule_of", "user_budget"]

#: The levels above `high`, which have the budget of `high`.
_AS_HIGH: Final = (Level.XHIGH, Level.MAX)


def rule_of(model: Model) -> Budgets | None:
    """Return the budgets that the rulebook gives a model; None where no rule does."""
    return setting(None, query(model.quirks.rulebook, model.key, THINKING_BUDGETS), None)


def of_level(budgets: Budgets, level: Level) -> int:
    """Return the budget of a level that thinks.

    Args:
        budgets: The budgets.
        level: Any level but `off`.
    """
    name = Level.HIGH.value if level in _AS_HIGH else level.value
    return int(getattr(budgets, name))


def user_budget(budgets: Mapping[str, int], level: Level) -> int | None:
    """Return what the user's `thinkingBudgets` say of a level; None where they say nothing."""
    high = budgets.get(Level.HIGH.value) if level in _AS_HIGH else None
    return budgets.get(level.value, high)
