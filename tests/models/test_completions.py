"""A model as Chat Completions sees it: the compat of its server, and a thinking level on the wire (S6, S10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from eukhe.core.effort import Level
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
