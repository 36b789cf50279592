"""A model as Bedrock sees it: what the rulebook says of Claude there, and who signs (S6.1, S6.13).

Only the model's settings are asked, never its id; the partition of AWS that it is in is part of its address.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final

from eukhe.core import quirks_directives as d
from eukhe.core.effort import Level
from eukhe.core.quirks import query, setting, targets
from eukhe.models.claude import LEAST, budget_of, effort_of, fitted
from eukhe.models.longest import CEILING
from eukhe.wire.bedrock_body import Compat
from eukhe.wire.request import Options

if TYPE_CHECKING:
    from eukhe.models.registry import Model
    from eukhe.models.speak import Ask, Stream

__all__ = ["converse_compat", "is_gov_cloud", "options_of", "region_of", "stream_of"]

#: The families whose thinking is asked for as Anthropic's API does.
_CLAUDE: Final = ("claude-adaptive", "claude-adaptive-4-6", "claude-cached", "claude-uncached")
_THINK_BETWEEN_CALLS: Final = "interleaved-thinking-2025-05-14"
_HOST_REGION: Final = re.compile(r"https://bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.")
_GOV_IDS: Final = ("us-gov.", "arn:aws-us-gov:")


def converse_compat(model: Model) -> Compat:
    """Return what differs at the model."""
    caches = setting(None, query(model.quirks.rulebook, model.key, d.PROMPT_CACHING), None)
    if caches is None:
        caches = model.environ.get("AWS_BEDROCK_FORCE_CACHE") == "1"
    return Compat(
        cache_points=caches,
        strict=model.setting(d.SUPPORTS_STRICT_MODE, False),
        strict_cap=setting(None, query(model.quirks.rulebook, model.key, d.STRICT_CAP), None),
        forced_choice=model.setting(d.SUPPORTS_FORCED_TOOL_CHOICE, True),
        temperature=model.setting(d.SUPPORTS_TEMPERATURE, True),
        long_cache=model.setting(d.SUPPORTS_LONG_CACHE_RETENTION, True),
    )


def stream_of(model: Model) -> Stream:
    """Return Converse as the model takes it."""
    from eukhe.wire.aws_account import find_keys
    from eukhe.wire.bedrock_converse import stream  # it brings the HTTP client along

    keys = partial(find_keys, model.environ)
    return partial(stream, compat=converse_compat(model), region=region_of(model), keys=keys)


def options_of(model: Model, ask: Ask) -> Options:
    """Return what a request asks for."""
    longest = model.entry.max_tokens
    answer = longest if model.explicit_max_tokens else min(longest, CEILING)
    fields: dict[str, object] = {}
    adaptive = model.setting(d.ADAPTIVE_THINKING, False)
    if model.entry.reasoning and (adaptive or _is_claude(model)):
        if ask.level is Level.OFF:
            if Level.OFF in model.levels:
                fields["thinking"] = {"type": "disabled"}
        elif adaptive:
            fields |= {
                "thinking": _adaptive(model),
                "output_config": {"effort": effort_of(model, ask.level)},
            }
        else:
            answer, budget = fitted(answer, budget_of(model, ask), longest)
            # A reply that is too short for any budget is asked for without thinking.
            if budget >= LEAST:
                fields["thinking"] = {"type": "enabled", "budget_tokens": budget}
                fields["anthropic_beta"] = [_THINK_BETWEEN_CALLS]
            else:
                fields["thinking"] = {"type": "disabled"}
    elif model.entry.reasoning:
        fields |= _effort(model, ask.level)
    extra: dict[str, object] = {"additionalModelRequestFields": fields} if fields else {}
    return Options(max_tokens=answer, session=ask.session, extra=extra)


def region_of(model: Model) -> str:
    """Return the region that requests are signed for: that of the address, else that of the environment."""
    found = _HOST_REGION.match(model.entry.base_url)
    if found is not None:
        return found[1]
    named = model.environ.get("AWS_REGION") or model.environ.get("AWS_DEFAULT_REGION")
    return named or "us-east-1"


def is_gov_cloud(model: Model) -> bool:
    """Whether the model is in GovCloud, which takes less of what thinking can be asked with."""
    return region_of(model).startswith("us-gov-") or model.entry.id.startswith(_GOV_IDS)


def _is_claude(model: Model) -> bool:
    return targets(model.quirks.rulebook, model.key).family in _CLAUDE


def _adaptive(model: Model) -> dict[str, object]:
    thinking: dict[str, object] = {"type": "adaptive"}
    if not is_gov_cloud(model):
        thinking["display"] = "summarized"
        if model.setting(d.THINKING_BLOCK_BINDING, False):
            thinking["block_binding"] = {"prefix_mismatch_behavior": "drop_block"}
    return thinking


def _effort(model: Model, level: Level) -> dict[str, object]:
    """What turns the thinking of other models, where the user says in which form it does.

    Bedrock hands these fields to the model as they are, and most models refuse one that they do not know.
    """
    word = model.sends(level)
    effort = word if word is not None else None if level is Level.OFF else level.value
    if effort is None:
        return {}
    match model.setting(d.THINKING_FORMAT, ""):
        case "openai":
            return {"reasoning_effort": effort}
        case "openrouter":
            return {"reasoning": {"effort": effort}}
    return {}
