"""A model as Mistral's chat sees it: how its server is asked, and what a thinking level sends (S6.1, S10).

Only the model's settings are asked, never its id: the rulebook knows which models take an effort, and the others
have a mode.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from eukhe.core import quirks_directives as d
from eukhe.core.effort import Level
from eukhe.core.quirks import query, setting
from eukhe.models.longest import longest_reply
from eukhe.wire.mistral_body import Compat
from eukhe.wire.request import Options

if TYPE_CHECKING:
    from eukhe.models.registry import Model
    from eukhe.models.speak import Ask, Stream

__all__ = ["mistral_compat", "options_of", "stream_of"]


def mistral_compat(model: Model) -> Compat:
    """Return what differs at the model's server."""
    return Compat(
        strict=model.setting(d.SUPPORTS_STRICT_MODE, True),
        strict_cap=setting(None, query(model.quirks.rulebook, model.key, d.STRICT_CAP), None),
        forced_choice=model.setting(d.SUPPORTS_FORCED_TOOL_CHOICE, True),
        named_choice=model.setting(d.SUPPORTS_NAMED_TOOL_CHOICE, True),
        assistant_after_result=model.setting(d.REQUIRES_ASSISTANT_AFTER_TOOL_RESULT, False),
        cache_key=model.setting(d.SUPPORTS_PROMPT_CACHE_KEY, False),
    )


def stream_of(model: Model) -> Stream:
    """Return the API as the model's server takes it."""
    from eukhe.wire.mistral_conversations import stream  # it brings the HTTP client along

    return partial(stream, compat=mistral_compat(model))


def options_of(model: Model, ask: Ask) -> Options:
    """Return what a request asks for."""
    extra = _thinking(model, ask.level) if model.entry.reasoning else {}
    return Options(max_tokens=longest_reply(model), session=ask.session, extra=extra)


def _thinking(model: Model, level: Level) -> dict[str, object]:
    on = level is not Level.OFF
    if not model.setting(d.SUPPORTS_REASONING_EFFORT, True):
        return {"prompt_mode": "reasoning"} if on else {}
    word = model.sends(level)
    if on:
        return {"reasoning_effort": level.value if word is None else word}
    # A model that cannot be off is sent nothing, and then does as it does.
    off = "none" if word is None else word
    return {"reasoning_effort": off} if Level.OFF in model.levels else {}
