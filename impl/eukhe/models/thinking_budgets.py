"""How many tokens a thinking level is worth (S6.13): the user's number, else the rule's, else the default's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eukhe.core.effort import Level
from eukhe.core.quirks import query, setting
from eukhe.core.quirks_directives import THINKING_BUDGETS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.core.quirks_directives import Budgets
    from eukhe.models.registry import Model
    from eukhe.models.speak import Ask

__all__ = ["budget_of", "of_level"]

#: The levels above `high`, which have the budget of `high`.
_AS_HIGH: Final = (Level.XHIGH, Level.MAX)


def budget_of(model: Model, ask: Ask) -> int | None:
    """Return the budget of a level that thinks: the user's inside the rule's bounds, else the rule's.

    None where neither says anything.

    Args:
        model: The model.
        ask: What the session asks, with any level but `off`.
    """
    rule = setting(None, query(model.quirks.rulebook, model.key, THINKING_BUDGETS), None)
    told = _told(ask.budgets, ask.level)
    if rule is None:
        return told
    if told is None:
        return of_level(rule, ask.level)
    return min(max(told, rule.minimal), rule.high)


def of_level(budgets: Budgets, level: Level) -> int:
    """Return the budget of a level that thinks.

    Args:
        budgets: The budgets.
        level: Any level but `off`.
    """
    name = Level.HIGH.value if level in _AS_HIGH else level.value
    return int(getattr(budgets, name))


def _told(budgets: Mapping[str, int], level: Level) -> int | None:
    """What the user's `thinkingBudgets` say of a level; None where they say nothing."""
    high = budgets.get(Level.HIGH.value) if level in _AS_HIGH else None
    return budgets.get(level.value, high)
