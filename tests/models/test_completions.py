"""A model as Chat Completions sees it: the compat of its server, and a thinking level on the wire (S6, S10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from eukhe.core.effort import Level
from eukhe.models.claude import budget_of as claude_budget
from eukhe.models.completions import completions_compat, options_of
from eukhe.models.speak import Ask
from tests.models.test_models_json import LOCAL
from tests.models.test_registry import model, registry

if TYPE_CHECKING:
    from pathlib import Path

    from eukhe.models.registry import Model

QWEN = {"reasoning": True, "contextWindow": 32_000}


def custom(tmp_path: Path, id_: str = "m", **more: object) -> Model:
    entry = {**LOCAL, "models": [{"id": id_, "contextWindow": 32_000, **more}]}
    return model(registry(tmp_path, acme=entry), "acme", id_)


def sent(one: Model, level: Level, tier: str | None = None) -> dict[str, Any]:
    return dict(options_of(one, Ask(level, tier)).extra)


def test_a_custom_qwen_3_8_model_sends_the_rulebook_ladder(tmp_path: Path) -> None:
    one = custom(tmp_path, "qwen3.8-27b", **QWEN)
    assert " ".join(one.levels) == "off low medium xhigh"
    assert sent(one, Level.OFF) == {"reasoning_effort": "none"}
    on = {"chat_template_kwargs": {"enable_thinking": True, "preserve_thinking": True}}
    assert sent(one, Level.LOW) == {**on, "reasoning_effort": "low"}
    assert sent(one, Level.XHIGH) == {**on, "reasoning_effort": "xhigh"}


def test_an_older_custom_qwen_model_has_the_toggle_of_its_template(tmp_path: Path) -> None:
    one = custom(tmp_path, "qwen3-8b", **QWEN)
    off = {"chat_template_kwargs": {"enable_thinking": False, "preserve_thinking": False}}
    assert sent(one, Level.OFF) == off
    assert sent(one, Level.HIGH)["chat_template_kwargs"]["enable_thinking"] is True


def test_a_model_without_reasoning_is_sent_no_level(tmp_path: Path) -> None:
    assert sent(custom(tmp_path), Level.OFF) == {}
    assert sent(custom(tmp_path, "qwen3.8-x"), Level.OFF) == {}


FORMATS = [
    ("openai", Level.HIGH, {"reasoning_effort": "high"}),
    ("openai", Level.OFF, {}),
    (
        "zai",
        Level.HIGH,
        {"thinking": {"type": "enabled", "clear_thinking": False}, "reasoning_effort": "high"},
    ),
    ("zai", Level.OFF, {"thinking": {"type": "disabled"}}),
    ("deepseek", Level.HIGH, {"thinking": {"type": "enabled"}, "reasoning_effort": "high"}),
    ("deepseek", Level.OFF, {"thinking": {"type": "disabled"}}),
    ("qwen", Level.HIGH, {"enable_thinking": True}),
    ("qwen", Level.OFF, {"enable_thinking": False}),
    ("openrouter", Level.HIGH, {"reasoning": {"effort": "high"}}),
    ("openrouter", Level.OFF, {"reasoning": {"effort": "none"}}),
    ("together", Level.HIGH, {"reasoning": {"enabled": True}, "reasoning_effort": "high"}),
    ("together", Level.OFF, {"reasoning": {"enabled": False}}),
    ("string-thinking", Level.HIGH, {"thinking": "high"}),
    ("string-thinking", Level.OFF, {"thinking": "none"}),
    ("ant-ling", Level.HIGH, {"reasoning": {"effort": "high"}}),
    ("ant-ling", Level.OFF, {}),
]


@pytest.mark.parametrize(("form", "level", "fields"), FORMATS)
def test_each_thinking_format_has_its_fields(
    form: str, level: Level, fields: dict[str, Any], tmp_path: Path
) -> None:
    one = custom(tmp_path, reasoning=True, compat={"thinkingFormat": form})
    assert sent(one, level) == fields


def test_a_model_that_cannot_be_off_is_sent_nothing_at_openrouter(tmp_path: Path) -> None:
    compat = {"thinkingFormat": "openrouter"}
    one = custom(tmp_path, reasoning=True, compat=compat, thinkingLevelMap={"off": None})
    assert sent(one, Level.OFF) == {}


def test_a_template_gets_the_arguments_that_the_user_wrote(tmp_path: Path) -> None:
    kwargs = {
        "fixed": 1,
        "on": {"$var": "thinking.enabled"},
        "how": {"$var": "thinking.effort", "omitWhenOff": True},
    }
    one = custom(
        tmp_path,
        reasoning=True,
        compat={"thinkingFormat": "chat-template", "chatTemplateKwargs": kwargs},
    )
    on = {"chat_template_kwargs": {"fixed": 1, "on": True, "how": "low"}}
    assert sent(one, Level.LOW) == on
    assert sent(one, Level.OFF) == {"chat_template_kwargs": {"fixed": 1, "on": False}}


def test_the_compat_is_that_of_the_host(tmp_path: Path) -> None:
    found = registry(tmp_path)
    zai = completions_compat(model(found, "zai", "glm-5.3"))
    assert (zai.max_tokens_field, zai.system_role) == ("max_tokens", "system")
    assert not completions_compat(model(found, "cerebras", "gpt-oss-120b")).usage_in_stream
    router = model(found, "openrouter", "anthropic/claude-opus-4.7")
    assert completions_compat(router).system_role == "developer"
    other = completions_compat(model(found, "openrouter", "moonshotai/kimi-k2.6"))
    assert (other.max_tokens_field, other.system_role) == ("max_completion_tokens", "system")
    plain = completions_compat(custom(tmp_path, compat={"supportsFinishReason": False}))
    assert not plain.needs_finish


def test_the_fields_of_a_host_go_along(tmp_path: Path) -> None:
    found = registry(tmp_path)
    glm = sent(model(found, "zai", "glm-5.3"), Level.MAX)
    thinking = {"type": "enabled", "clear_thinking": False}
    assert glm == {"tool_stream": True, "thinking": thinking, "reasoning_effort": "max"}
    groq = model(found, "groq", "openai/gpt-oss-120b")
    assert sent(groq, Level.LOW) == {"store": False, "reasoning_effort": "low"}
    router = model(found, "openrouter", "moonshotai/kimi-k2.6")
    assert sent(router, Level.LOW, "flex")["service_tier"] == "flex"
    assert "service_tier" not in sent(router, Level.LOW, "default")
    assert "service_tier" not in sent(groq, Level.LOW, "flex")


def test_the_longest_reply_is_asked_for_where_it_is_known(tmp_path: Path) -> None:
    found = registry(tmp_path)
    big = options_of(model(found, "zai", "glm-5.3"), Ask(Level.HIGH))
    assert big.max_tokens == 32_000
    assert options_of(custom(tmp_path), Ask()).max_tokens is None
    own = custom(tmp_path, maxTokens=20_000)
    assert options_of(own, Ask()).max_tokens == 20_000


def test_a_custom_provider_at_openrouter_ai_sends_no_cache_marks(tmp_path: Path) -> None:
    rows = [{"id": "anthropic/claude-opus-4.7", "contextWindow": 32_000}]
    entry = {**LOCAL, "baseUrl": "https://openrouter.ai/api/v1", "models": rows}
    found = registry(tmp_path, acme=entry)
    custom_ = completions_compat(model(found, "acme", "anthropic/claude-opus-4.7"))
    assert (custom_.cache_marks, custom_.affinity) == (False, "openrouter")
    own = completions_compat(model(found, "openrouter", "anthropic/claude-opus-4.7"))
    assert (own.cache_marks, own.affinity) == (True, "openrouter")
    other = completions_compat(model(found, "openrouter", "moonshotai/kimi-k2.6"))
    assert not other.cache_marks


def test_the_openrouter_provider_at_a_loopback_url_keeps_the_openrouter_settings(
    tmp_path: Path,
) -> None:
    found = registry(tmp_path, openrouter={"baseUrl": "http://127.0.0.1:4000/v1"})
    one = model(found, "openrouter", "anthropic/claude-opus-4.7")
    compat = completions_compat(one)
    assert (compat.cache_marks, compat.affinity, compat.system_role) == (
        True,
        "openrouter",
        "developer",
    )
    assert sent(one, Level.OFF)["store"] is False


def test_what_a_host_requires_of_history_comes_from_the_rulebook_and_compat(tmp_path: Path) -> None:
    found = registry(tmp_path)
    deepseek = completions_compat(model(found, "deepseek", "deepseek-v3.2"))
    assert deepseek.reasoning_content
    plain = completions_compat(custom(tmp_path))
    assert not (plain.reasoning_content or plain.thinking_as_text or plain.strict)
    told = completions_compat(
        custom(
            tmp_path,
            reasoning=True,
            compat={
                "requiresThinkingAsText": True,
                "requiresAssistantAfterToolResult": True,
                "requiresReasoningContentOnAssistantMessages": True,
                "supportsStrictMode": True,
                "supportsForcedToolChoice": False,
                "supportsNamedToolChoice": False,
                "supportsPromptCacheKey": True,
                "supportsLongCacheRetention": False,
                "cacheControlFormat": "anthropic",
                "sendSessionAffinityHeaders": True,
            },
        )
    )
    assert (told.thinking_as_text, told.assistant_after_result) == (True, True)
    assert (told.reasoning_content, told.strict, told.cache_marks) == (True, True, True)
    assert (told.forced_choice, told.named_choice) == (False, False)
    assert (told.cache_key, told.long_cache, told.affinity) == (True, False, "openai")


@pytest.mark.parametrize("key", ["thinkingTokenBudgetField", "supportsThinkingTokenBudget"])
def test_a_level_sends_its_budget_where_the_server_takes_one(key: str, tmp_path: Path) -> None:
    value = "thinking_token_budget" if key == "thinkingTokenBudgetField" else True
    one = custom(tmp_path, reasoning=True, compat={key: value})
    assert sent(one, Level.LOW) == {"reasoning_effort": "low", "thinking_token_budget": 2048}
    assert sent(one, Level.OFF) == {}
    own = options_of(one, Ask(Level.LOW, None, {"low": 77}))
    assert own.extra["thinking_token_budget"] == 77


def test_the_users_budget_stays_inside_the_rule_of_the_model_on_every_api(tmp_path: Path) -> None:
    row = {
        "id": "gemini-2.5-flash",
        "reasoning": True,
        "compat": {"supportsThinkingTokenBudget": True},
    }
    found = registry(tmp_path, acme={**LOCAL, "models": [{**row, "contextWindow": 32_000}]})
    one = model(found, "acme", "gemini-2.5-flash")

    def budget(budgets: dict[str, int]) -> object:
        return options_of(one, Ask(Level.HIGH, None, budgets)).extra["thinking_token_budget"]

    assert [budget({"high": told}) for told in (1, 5000, 10**6)] == [128, 5000, 24_576]
    assert budget({}) == 24_576, "the rule's"
    claude = model(
        registry(tmp_path, acme={**LOCAL, "api": "anthropic-messages", "models": [row]}),
        "acme",
        "gemini-2.5-flash",
    )
    asked = Ask(Level.LOW, None, {"low": 10**6})
    assert claude_budget(claude, asked) == 24_576


def test_a_template_can_be_given_the_budget(tmp_path: Path) -> None:
    kwargs = {"budget": {"$var": "thinking.budget", "omitWhenOff": True}}
    compat = {"thinkingFormat": "chat-template", "chatTemplateKwargs": kwargs}
    one = custom(tmp_path, reasoning=True, compat=compat)
    assert sent(one, Level.HIGH) == {"chat_template_kwargs": {"budget": 16384}}
    assert sent(one, Level.OFF) == {}


def test_routing_and_priority_go_along(tmp_path: Path) -> None:
    compat = {"vercelGatewayRouting": {"only": ["a"]}, "vllmPriority": 3}
    one = custom(tmp_path, compat=compat)
    gateway = {"providerOptions": {"gateway": {"only": ["a"]}}, "priority": 3}
    assert sent(one, Level.OFF) == gateway


def test_prompt_progress_is_asked_of_llama_cpp(tmp_path: Path) -> None:
    rows = [{"id": "m", "contextWindow": 32_000}]
    llama = model(registry(tmp_path, **{"llama-cpp": {**LOCAL, "models": rows}}), "llama-cpp", "m")
    assert sent(llama, Level.OFF) == {"return_progress": True}
    assert sent(custom(tmp_path), Level.OFF) == {}
    told = custom(tmp_path, compat={"supportsPromptProgress": True})
    assert sent(told, Level.OFF) == {"return_progress": True}
