"""A model as Responses see it: its server, the level, the tier and the cache (S6.1, S6.8, S6.13)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from eukhe.core.effort import Level
from eukhe.models.responses import options_of, responses_compat
from eukhe.models.speak import Ask
from tests.models.test_models_json import LOCAL
from tests.models.test_registry import model, registry

if TYPE_CHECKING:
    from pathlib import Path

    from eukhe.models.registry import Model

_SEALED = ["reasoning.encrypted_content"]


def custom(tmp_path: Path, id_: str = "m", **more: object) -> Model:
    rows = [{"id": id_, "contextWindow": 32_000, **more}]
    entry = {**LOCAL, "api": "openai-responses", "models": rows}
    return model(registry(tmp_path, acme=entry), "acme", id_)


def sent(one: Model, level: Level = Level.OFF, tier: str | None = None) -> dict[str, Any]:
    return dict(options_of(one, Ask(level, tier)).extra)


def test_a_level_is_an_effort_with_a_summary_and_its_reasoning_comes_back_sealed(
    tmp_path: Path,
) -> None:
    one = model(registry(tmp_path), "openai", "gpt-5.5")
    on = {"effort": "high", "summary": "auto"}
    assert sent(one, Level.HIGH) == {"reasoning": on, "include": _SEALED}
    assert sent(one, Level.XHIGH)["reasoning"]["effort"] == "xhigh"
    assert sent(one) == {"reasoning": {"effort": "none"}, "include": _SEALED}


def test_off_is_the_map_s_word_or_nothing_where_it_cannot_be_off(tmp_path: Path) -> None:
    one = custom(tmp_path, reasoning=True, thinkingLevelMap={"off": "zero"})
    assert sent(one)["reasoning"] == {"effort": "zero"}
    one = custom(tmp_path, reasoning=True, thinkingLevelMap={"off": None})
    assert sent(one) == {"include": _SEALED}
    one = custom(tmp_path, reasoning=True, compat={"supportsReasoningEffort": False})
    assert sent(one) == {"include": _SEALED}, "as at GitHub Copilot"
    assert sent(one, Level.LOW)["reasoning"]["effort"] == "low"


def test_explicit_cache_marks_go_to_no_gateway_of_copilot(tmp_path: Path) -> None:
    found = registry(tmp_path)
    assert responses_compat(model(found, "openai", "gpt-5.6")).cache_breakpoints
    copilot = model(found, "github-copilot", "gpt-5.6-sol")
    assert not responses_compat(copilot).cache_breakpoints
    assert "context" not in sent(copilot, Level.HIGH)["reasoning"]


def test_a_model_without_reasoning_is_sent_no_level(tmp_path: Path) -> None:
    assert sent(custom(tmp_path)) == {}
    assert responses_compat(custom(tmp_path)).system == "system"


def test_a_host_without_summaries_is_not_asked_for_one(tmp_path: Path) -> None:
    one = custom(tmp_path, reasoning=True, compat={"supportsReasoningSummary": False})
    assert sent(one, Level.LOW)["reasoning"] == {"effort": "low"}


@pytest.mark.parametrize(
    ("id_", "marks"), [("gpt-5.5", False), ("gpt-5.6-sol", True), ("gpt-6-astra", True)]
)
def test_explicit_cache_breakpoints_are_the_family_s(id_: str, marks: bool, tmp_path: Path) -> None:
    one = model(registry(tmp_path), "openai", id_)
    assert responses_compat(one).cache_breakpoints is marks
    context = {"context": "all_turns"} if marks else {}
    assert sent(one, Level.LOW)["reasoning"] == {"effort": "low", "summary": "auto", **context}


def test_a_tier_is_sent_when_the_model_honours_it(tmp_path: Path) -> None:
    found = registry(tmp_path)
    fast = model(found, "openai", "gpt-5.5")
    assert sent(fast, tier="priority")["service_tier"] == "priority"
    assert "service_tier" not in sent(fast, tier="default")
    assert "service_tier" not in sent(custom(tmp_path), tier="priority")


def test_the_settings_are_those_of_the_host_and_of_compat(tmp_path: Path) -> None:
    openai = responses_compat(model(registry(tmp_path), "openai", "gpt-5.5"))
    assert (openai.system, openai.strict, openai.strict_cap) == ("developer", True, None)
    assert (openai.cache_key, openai.affinity, openai.max_output_tokens) == (True, "", True)
    other = custom(
        tmp_path,
        reasoning=True,
        compat={
            "supportsDeveloperRole": False,
            "supportsStrictMode": False,
            "supportsMaxOutputTokens": False,
            "supportsPromptCacheKey": False,
            "supportsLongCacheRetention": False,
            "sendSessionAffinityHeaders": True,
            "sessionAffinityFormat": "openrouter",
            "supportsExplicitPromptCacheMode": True,
        },
    )
    told = responses_compat(other)
    assert (told.system, told.strict, told.max_output_tokens) == ("system", False, False)
    assert (told.cache_key, told.long_cache, told.affinity) == (False, False, "openrouter")
    assert told.cache_breakpoints


def test_the_session_and_the_longest_reply_go_along(tmp_path: Path) -> None:
    one = model(registry(tmp_path), "openai", "gpt-5.5")
    options = options_of(one, Ask(Level.OFF, None, {}, "s-1"))
    assert (options.session, options.max_tokens) == ("s-1", 32_000)
    assert options_of(custom(tmp_path), Ask()).max_tokens is None
