"""A model as Google's generateContent sees it: a thinking level or a budget of tokens (S6.13).

Only the model's settings are asked, never its id.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from eukhe.core import quirks_directives as d
from eukhe.core.effort import Level
from eukhe.core.ladder import Origin
from eukhe.models.longest import CEILING
from eukhe.models.thinking_budgets import budget_of
from eukhe.wire.google_body import Compat
from eukhe.wire.request import Options

if TYPE_CHECKING:
    from eukhe.models.registry import Model
    from eukhe.models.speak import Ask, Stream

__all__ = ["google_compat", "options_of", "stream_of"]

#: The budget with which the model decides by itself.
_DYNAMIC: Final = -1
#: Levels that the API has no word for.
_WORDS: Final = {Level.XHIGH: "HIGH", Level.MAX: "HIGH"}


def google_compat(model: Model) -> Compat:
    """Return what differs at the model's server, and of the model."""
    return Compat(
        api=model.entry.api,
        signed_calls=model.setting(d.GOOGLE_THINKING_LEVEL, False),
        strict=model.setting(d.SUPPORTS_STRICT_MODE, False),
    )


def stream_of(model: Model) -> Stream:
    """Return generateContent as the model's server takes it."""
    from eukhe.wire.google_generative import stream  # it brings the HTTP client along

    return partial(stream, compat=google_compat(model))


def options_of(model: Model, ask: Ask) -> Options:
    """Return what a request asks for."""
    extra: dict[str, object] = {}
    if model.entry.reasoning:
        level = model.setting(d.GOOGLE_THINKING_LEVEL, False)
        thinking = _level(model, ask.level) if level else _budget(model, ask)
        extra["generationConfig"] = {"thinkingConfig": thinking}
    if ask.tier is not None and ask.tier != "default" and ask.tier in model.tiers:
        extra["serviceTier"] = ask.tier
    return Options(max_tokens=_longest(model, ask), session=ask.session, extra=extra)


def _level(model: Model, level: Level) -> dict[str, object]:
    """The level by its word; a model that is to be off thinks as little as it can and does not show it."""
    if level is Level.OFF:
        least = next((one for one in model.levels if one is not Level.OFF), Level.MINIMAL)
        word = model.sends(Level.OFF) or model.sends(least) or _WORDS.get(least, least.value)
        return {"thinkingLevel": word.upper()}
    word = model.sends(level) or _WORDS.get(level, level.value)
    return {"includeThoughts": True, "thinkingLevel": word.upper()}


def _budget(model: Model, ask: Ask) -> dict[str, object]:
    """The tokens of a level: the user's inside the rule's bounds, else the rule's, else the model decides."""
    if ask.level is Level.OFF:
        return {"thinkingBudget": 0}
    told = budget_of(model, ask)
    budget = _DYNAMIC if told is None else told
    return {"includeThoughts": True, "thinkingBudget": budget}


def _longest(model: Model, ask: Ask) -> int | None:
    """The most tokens of a reply. What a model thinks counts too, so it gets all that it can write."""
    entry = model.entry
    if model.explicit_max_tokens:
        return entry.max_tokens
    if model.origin is Origin.CUSTOM:
        return None
    thinks = entry.reasoning and ask.level is not Level.OFF
    return entry.max_tokens if thinks else min(entry.max_tokens, CEILING)
