"""The thinking levels of a catalog row (S10), from the flags of the source and what makers say of their lines.

A map says only what differs from the default ladder: a wire string is sent, None removes the level.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

LEVELS = ("off", "minimal", "low", "medium", "high", "xhigh", "max")
DEFAULT = LEVELS[:5]
Levels = dict[str, str | None]

_FIXED: Levels = {
    "off": None,
    "minimal": None,
    "low": "low",
    "medium": None,
    "high": "high",
    "max": "max",
}
_TOGGLE: Levels = {"minimal": None, "low": None, "medium": None}
_GPT = re.compile(r"(?:^|[./])(?:gpt-[5-9]|o[134](?:-|$)|gpt-oss)")
_GROK: tuple[tuple[str, Levels], ...] = (
    (r"grok-4\.3", {"off": "none", "minimal": None}),
    (r"grok-4\.5", {"off": None, "minimal": None}),
    (r"grok-4\.[67]", {"off": None, "minimal": None, "xhigh": "xhigh"}),
    (r"grok", {"off": None, **_TOGGLE}),  # thinks as it likes
)
#: What only Google's own APIs have a word for.
_GOOGLE: tuple[tuple[str, Levels], ...] = (
    (r"gemma-?4", {"off": None, "minimal": "MINIMAL", "low": None, "medium": None, "high": "HIGH"}),
)
#: Lines of models by pattern, the first one that is found counts.
_LINES: tuple[tuple[str, Levels], ...] = (
    (
        r"gemini-(?:3|3\.1)-pro",
        {"off": None, "minimal": None, "low": "LOW", "medium": None, "high": "HIGH"},
    ),
    (r"gemini-(?:3\.[78]|4)", {"off": None, "minimal": None}),
    (r"gemini-(?:3|flash-|pro-)|gemini-2\.5-pro", {"off": None}),
    (r"gemma-?4", {"off": None, **_TOGGLE}),
    (
        r"qwen-?3\.8",  # the words of its own chat template
        {
            "off": "none",
            "minimal": None,
            "low": "low",
            "medium": "medium",
            "high": None,
            "xhigh": "xhigh",
        },
    ),
    (
        r"deepseek-(?:v4|flash)",
        {"minimal": None, "low": None, "medium": None, "high": "high", "xhigh": "max"},
    ),
    (
        r"kimi-k3",
        _FIXED,
    ),
    (r"kimi-k2\.7-code", {"off": None, **_TOGGLE}),
    (
        r"glm-5[.-][3-9]",
        _FIXED,
    ),
    (r"kimi-|glm-|magistral|deepseek-", _TOGGLE),
)


def levels_of(provider: str, model: str, row: Mapping[str, object]) -> Levels | None:
    """Return the map of a reasoning model; None where the default ladder is right.

    Args:
        provider: The provider's id.
        model: The model's id.
        row: Its flags in the source.
    """
    found = _map(provider, model.lower(), row)
    return {level: found[level] for level in LEVELS if level in found} or None


def efforts(levels: Levels | None) -> int:
    """Return how many levels beside `off` a map leaves: with one, there is no effort to send."""
    found = levels or {}
    kept = [level for level in DEFAULT if found.get(level, "") is not None]
    kept += [level for level in found if level not in DEFAULT and found[level] is not None]
    return len(kept) - ("off" in kept)


def _map(provider: str, model: str, row: Mapping[str, object]) -> Levels:
    listed = row.get("reasoning_effort_levels")
    if isinstance(listed, list):
        words = {"off": "none", **{level: level for level in LEVELS[1:]}}
        kept = {level: word for level, word in words.items() if word in listed}
        return {level: kept.get(level) for level in DEFAULT} | kept
    if "claude" in model:
        return _claude(row)
    if provider == "openrouter":
        return {}  # it maps efforts to every model by itself
    if provider == "together":
        return dict(_TOGGLE)
    if provider == "nvidia" or (provider == "github-copilot" and not _GPT.search(model)):
        return {"off": None, **_TOGGLE}  # they take no effort and have no toggle
    if _GPT.search(model):
        return _gpt(model, row)
    if provider == "groq" and "qwen" in model:
        return {"off": "none", "minimal": None, "low": None, "medium": None, "high": "default"}
    lines = _GROK if "grok" in model else _LINES
    if provider.startswith("google"):
        lines = _GOOGLE + lines
    return next((dict(found) for pattern, found in lines if re.search(pattern, model)), {})


def _claude(row: Mapping[str, object]) -> Levels:
    found: Levels = {}
    if row.get("thinking_always_on"):
        found["off"] = None
    if row.get("supports_xhigh_reasoning_effort"):
        found["xhigh"] = "xhigh"
    if row.get("supports_max_reasoning_effort"):
        found["max"] = "max"
    return found


def _gpt(model: str, row: Mapping[str, object]) -> Levels:
    found: Levels = {"off": "none" if row.get("supports_none_reasoning_effort") else None}
    if not row.get("supports_minimal_reasoning_effort"):
        found["minimal"] = None
    if row.get("supports_low_reasoning_effort") is False:
        found["low"] = None
    if row.get("supports_xhigh_reasoning_effort"):
        found["xhigh"] = "xhigh"
    if row.get("supports_max_reasoning_effort") or re.search(r"gpt-5\.6", model):
        found["max"] = "max"
    return found
