"""A model as Mistral's chat sees it: an effort where the rulebook says so, else a mode (S6.1, S10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from eukhe.core.effort import Level
from eukhe.models.mistral import mistral_compat, options_of
from eukhe.models.speak import Ask
from tests.models.test_models_json import LOCAL
from tests.models.test_registry import model, registry

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("id_", "level", "fields"),
    [
        ("mistral-medium-latest", Level.HIGH, {"reasoning_effort": "high"}),
        ("mistral-medium-latest", Level.OFF, {"reasoning_effort": "none"}),
        ("magistral-medium-latest", Level.HIGH, {"prompt_mode": "reasoning"}),
        ("magistral-medium-latest", Level.OFF, {}),
        ("zai-glm-5", Level.MAX, {"reasoning_effort": "max"}),
        ("zai-glm-5", Level.OFF, {}),
        ("mistral-large-3", Level.OFF, {}),
    ],
)
def test_a_level_is_an_effort_or_a_mode(
    id_: str, level: Level, fields: dict[str, Any], tmp_path: Path
) -> None:
    one = model(registry(tmp_path), "mistral", id_)
    assert options_of(one, Ask(level, None, {}, "s")).extra == fields


def test_a_model_of_ones_own_can_say_what_it_takes(tmp_path: Path) -> None:
    compat = {
        "supportsReasoningEffort": False,
        "requiresAssistantAfterToolResult": True,
        "supportsStrictMode": False,
        "supportsPromptCacheKey": True,
    }
    rows = [{"id": "m", "contextWindow": 1000, "reasoning": True, "compat": compat}]
    entry = {**LOCAL, "api": "mistral-conversations", "models": rows}
    one = model(registry(tmp_path, acme=entry), "acme", "m")
    assert options_of(one, Ask(Level.LOW)).extra == {"prompt_mode": "reasoning"}
    told = mistral_compat(one)
    assert (told.assistant_after_result, told.strict, told.cache_key) == (True, False, True)
