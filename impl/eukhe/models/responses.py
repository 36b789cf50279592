"""A model as OpenAI's Responses see it: what its server takes, and what a thinking level sends (S6.1, S6.13).

Only the model's settings are asked, never its id.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from eukhe.core import quirks_directives as d
from eukhe.core.effort import Level
from eukhe.core.quirks import query, setting
from eukhe.models.affinity import affinity_of, is_copilot
from eukhe.models.longest import longest_reply
from eukhe.wire.openai_responses_body import Compat
from eukhe.wire.request import Options

if TYPE_CHECKING:
    from eukhe.models.registry import Model
    from eukhe.models.speak import Ask, Stream

__all__ = ["options_of", "responses_compat", "stream_of"]


def responses_compat(model: Model) -> Compat:
    """Return what differs at the model's server, and of the model."""
    developer = model.entry.reasoning and model.setting(d.SUPPORTS_DEVELOPER_ROLE, True)
    return Compat(
        api=model.entry.api,
        system="developer" if developer else "system",
        strict=model.setting(d.SUPPORTS_STRICT_MODE, True),
        strict_cap=setting(None, query(model.quirks.rulebook, model.key, d.STRICT_CAP), None),
        max_output_tokens=model.setting(d.SUPPORTS_MAX_OUTPUT_TOKENS, True),
        cache_breakpoints=model.setting(d.EXPLICIT_CACHE_BREAKPOINTS, False),
        cache_key=model.setting(d.SUPPORTS_PROMPT_CACHE_KEY, True),
        long_cache=model.setting(d.SUPPORTS_LONG_CACHE_RETENTION, True),
        affinity=affinity_of(model),
        copilot=is_copilot(model),
    )


def stream_of(model: Model) -> Stream:
    """Return the Responses API as the model's server takes it."""
    from eukhe.wire.openai_responses import stream  # it brings the HTTP client along

    return partial(stream, compat=responses_compat(model))


def options_of(model: Model, ask: Ask, *, explicit_cache: bool = True) -> Options:
    """Return what a request asks for.

    Args:
        model: The model.
        ask: What the session asks.
        explicit_cache: Whether the server takes what goes with explicit cache marks.
    """
    extra: dict[str, object] = {}
    if model.entry.reasoning:
        marks = explicit_cache and model.setting(d.EXPLICIT_CACHE_BREAKPOINTS, False)
        if reasoning := _reasoning(model, ask.level, all_turns=marks):
            extra["reasoning"] = reasoning
        extra["include"] = ["reasoning.encrypted_content"]
    if ask.tier is not None and ask.tier != "default" and ask.tier in model.tiers:
        extra["service_tier"] = ask.tier
    return Options(max_tokens=longest_reply(model), session=ask.session, extra=extra)


def _reasoning(model: Model, level: Level, *, all_turns: bool) -> dict[str, object]:
    """How much to think: the map's word for the level, else the level's own; nothing where it cannot be off."""
    found: dict[str, object] = {}
    word = model.sends(level)
    known = model.setting(d.SUPPORTS_REASONING_EFFORT, True)
    if level is not Level.OFF:
        # Where a host takes no effort, a model that thinks in one way alone is not told which.
        if known or len(set(model.levels) - {Level.OFF}) > 1:
            found["effort"] = level.value if word is None else word
        if model.setting(d.SUPPORTS_REASONING_SUMMARY, True):
            found["summary"] = "auto"
    elif Level.OFF in model.levels and known:
        found["effort"] = "none" if word is None else word
    if all_turns:
        found["context"] = "all_turns"
    return found
