"""A model as Anthropic's Messages see it: what its server takes, and what a thinking level sends (S6.1, S6.13).

Only the model's settings are asked, never its id.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from eukhe.core import quirks_directives as d
from eukhe.core.effort import Level
from eukhe.core.quirks import query, setting
from eukhe.models.affinity import is_copilot
from eukhe.models.claude import LEAST, budget_of, effort_of, fitted
from eukhe.wire.anthropic_body import Compat
from eukhe.wire.request import Options

if TYPE_CHECKING:
    from eukhe.models.registry import Model
    from eukhe.models.speak import Ask, Stream

__all__ = ["messages_compat", "options_of", "stream_of"]

#: The longest answer that is asked for where the user says nothing; thinking comes on top of it.
_CEILING: Final = 32_000


def messages_compat(model: Model) -> Compat:
    """Return what differs at the model's server, and of the model."""
    affinity = model.setting(d.SESSION_AFFINITY, False)
    form = model.setting(d.SESSION_AFFINITY_FORMAT, "openai")
    header = "x-session-id" if form == "openrouter" else "x-session-affinity"
    return Compat(
        bearer=is_copilot(model),
        copilot=is_copilot(model),
        long_cache=model.setting(d.SUPPORTS_LONG_CACHE_RETENTION, True),
        cache_tools=model.setting(d.CACHE_CONTROL_ON_TOOLS, True),
        eager_tools=model.setting(d.EAGER_TOOL_INPUT_STREAMING, True),
        strict=model.setting(d.SUPPORTS_STRICT_MODE, False),
        strict_cap=setting(None, query(model.quirks.rulebook, model.key, d.STRICT_CAP), None),
        temperature=model.setting(d.SUPPORTS_TEMPERATURE, True),
        forced_choice=model.setting(d.SUPPORTS_FORCED_TOOL_CHOICE, True),
        empty_signature=model.setting(d.ALLOW_EMPTY_SIGNATURE, False),
        result_id=model.setting(d.REQUIRES_TOOL_RESULT_ID, False),
        session_header=header if affinity else "",
    )


def stream_of(model: Model) -> Stream:
    """Return the Messages API as the model's server takes it."""
    from eukhe.wire.anthropic_messages import stream  # it brings the HTTP client along

    return partial(stream, compat=messages_compat(model))


def options_of(model: Model, ask: Ask) -> Options:
    """Return what a request asks for."""
    longest = model.entry.max_tokens
    answer = longest if model.explicit_max_tokens else min(longest, _CEILING)
    extra: dict[str, object] = {}
    if model.entry.reasoning:
        if ask.level is Level.OFF:
            if Level.OFF in model.levels:
                extra["thinking"] = {"type": "disabled"}
        elif model.setting(d.ADAPTIVE_THINKING, False):
            extra["thinking"] = {"type": "adaptive", "display": "summarized"}
            extra["output_config"] = {"effort": effort_of(model, ask.level)}
        else:
            answer, budget = fitted(answer, budget_of(model, ask), longest)
            # A reply that is too short for any budget is asked for without thinking.
            manual = {"type": "enabled", "budget_tokens": budget}
            extra["thinking"] = manual if budget >= LEAST else {"type": "disabled"}
    if ask.tier is not None and ask.tier != "default" and ask.tier in model.tiers:
        extra["service_tier"] = ask.tier
    return Options(max_tokens=answer, session=ask.session, extra=extra)
