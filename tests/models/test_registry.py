"""The registry: the built-in catalog with `models.json` on top, and what each model offers (S6, S10)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from eukhe.core import quirks_directives as d
from eukhe.core.default_model import Ref
from eukhe.core.effort import Level
from eukhe.models.addresses import address_of
from eukhe.models.bundled import PACKAGE_DIR
from eukhe.models.compiled import every_compiled
from eukhe.models.prices import Price, Tokens, price
from eukhe.models.registry import Model, Registry, Source
from tests.models.test_bundled import ROW
from tests.models.test_models_json import LOCAL

if TYPE_CHECKING:
    from pathlib import Path


def registry(tmp_path: Path, **providers: dict[str, Any]) -> Registry:
    (tmp_path / "models.json").write_text(json.dumps({"providers": providers}))
    return Registry.of(tmp_path, {PACKAGE_DIR: str(tmp_path)})


def model(found: Registry, provider: str, id_: str) -> Model:
    one = found.find(Ref(provider, id_))
    assert one is not None
    return one


def local(**more: object) -> dict[str, Any]:
    return {**LOCAL, "models": [{"id": "m", "contextWindow": 32_000, **more}]}


def test_without_files_the_registry_is_the_compiled_catalog(tmp_path: Path) -> None:
    found = Registry.of(tmp_path, {PACKAGE_DIR: str(tmp_path)})
    addressed = (replace(one, base_url=address_of(one, {})) for one in every_compiled())
    assert tuple(one.entry for one in found.every()) == tuple(addressed)
    assert found.messages == ()
    assert model(found, "anthropic", "claude-opus-5").source is Source.COMPILED
    assert found.find(Ref("anthropic", "gpt-5.5")) is None
    assert Ref("openai", "gpt-5.5") in found


def test_a_custom_provider_comes_behind_the_built_in_ones(tmp_path: Path) -> None:
    found = registry(tmp_path, acme=local(name="M"))
    assert list(found.ids)[-1] == "acme"
    one = model(found, "acme", "m")
    assert (one.entry.name, one.source) == ("M", Source.CUSTOM)
    assert not one.explicit_max_tokens
    found = registry(tmp_path, acme=local(maxTokens=99))
    assert model(found, "acme", "m").explicit_max_tokens


def test_a_custom_qwen_model_gets_the_ladder_of_its_family(tmp_path: Path) -> None:
    rows = [
        {"id": "qwen3.8-27b", "reasoning": True, "contextWindow": 1000},
        {"id": "qwen3-8b", "reasoning": True, "contextWindow": 1000},
        {"id": "qwen-plain", "contextWindow": 1000},
        {
            "id": "qwen3.8-own",
            "reasoning": True,
            "thinkingLevelMap": {"max": "m"},
            "contextWindow": 9,
        },
    ]
    found = registry(tmp_path, acme={**LOCAL, "models": rows})
    levels = {one.entry.id: " ".join(one.levels) for one in found.models("acme")}
    assert levels == {
        "qwen3.8-27b": "off low medium xhigh",
        "qwen3-8b": "off high",
        "qwen-plain": "off",
        "qwen3.8-own": "off minimal low medium high max",
    }
    one = model(found, "acme", "qwen3.8-27b")
    assert [one.sends(level) for level in (Level.OFF, Level.LOW)] == ["none", "low"]
    assert model(found, "acme", "qwen3-8b").sends(Level.OFF) is None


def test_a_built_in_model_keeps_the_ladder_of_its_catalog(tmp_path: Path) -> None:
    found = registry(tmp_path, openrouter={"models": [{"id": "qwen3.8-x", "reasoning": True}]})
    one = model(found, "openrouter", "qwen3.8-x")
    assert " ".join(one.levels) == "off minimal low medium high"
    assert (one.entry.api, one.entry.base_url) == (
        "openai-completions",
        "https://openrouter.ai/api/v1",
    )


def test_models_json_replaces_adds_and_changes_built_in_models(tmp_path: Path) -> None:
    entry = {
        "baseUrl": "https://proxy.example",
        "headers": {"X-Team": "a", "x-one": "low"},
        "compat": {"supportsStore": False, "supportsTemperature": True},
        "models": [{"id": "claude-opus-5", "name": "Mine"}, {"id": "claude-new"}],
        "modelOverrides": {
            "claude-sonnet-5": {
                "name": "Sonnet",
                "cost": {"input": 9},
                "maxTokens": 50,
                "thinkingLevelMap": {"low": None},
                "compat": {"supportsStore": True},
                "headers": {"X-One": "high"},
            },
            "no-such-model": {"name": "ignored"},
        },
    }
    found = registry(tmp_path, anthropic=entry)
    mine = model(found, "anthropic", "claude-opus-5")
    assert (mine.entry.name, mine.source, mine.entry.cost.input) == ("Mine", Source.CUSTOM, 0)
    new = model(found, "anthropic", "claude-new").entry
    assert (new.api, new.base_url) == ("anthropic-messages", "https://proxy.example")
    sonnet = model(found, "anthropic", "claude-sonnet-5")
    assert sonnet.source is Source.OVERRIDDEN
    assert (sonnet.entry.name, sonnet.entry.max_tokens, sonnet.entry.base_url) == (
        "Sonnet",
        50,
        "https://proxy.example",
    )
    assert (sonnet.entry.cost.input, sonnet.entry.cost.output) == (9, 10)
    assert sonnet.entry.thinking_level_map == {"xhigh": "xhigh", "max": "max", "low": None}
    assert sonnet.entry.compat == {"supportsStore": True, "supportsTemperature": True}
    assert sonnet.entry.headers == {"X-Team": "a", "X-One": "high"}
    assert sonnet.explicit_max_tokens
    other = model(found, "anthropic", "claude-haiku-5-5")
    assert other.entry.headers == {"X-Team": "a", "x-one": "low"}
    assert not other.explicit_max_tokens
    assert "no-such-model" not in found.ids["anthropic"]


def test_compat_wins_over_the_rulebook_and_the_rulebook_over_the_default(tmp_path: Path) -> None:
    found = registry(tmp_path, a=local(), b=local(compat={"supportsStore": True, "x": 1}))
    assert model(found, "a", "m").setting(d.SUPPORTS_STORE, True) is False
    assert model(found, "b", "m").setting(d.SUPPORTS_STORE, True) is True
    assert model(found, "a", "m").setting(d.SUPPORTS_FINISH_REASON, True) is True
    assert model(found, "a", "m").setting(d.THINKING_FORMAT, "openai") == "openai"
    zai = model(found, "zai", "glm-5.3")
    assert zai.setting(d.THINKING_FORMAT, "openai") == "zai"
    assert zai.setting(d.MAX_TOKENS_FIELD, "max_completion_tokens") == "max_tokens"


def test_a_bundled_model_says_that_it_is_one(tmp_path: Path) -> None:
    (tmp_path / "models.bundled.json").write_text(json.dumps({"schemaVersion": 1, "models": [ROW]}))
    found = registry(tmp_path)
    assert model(found, "anthropic", "claude-next").source is Source.BUNDLED
    (tmp_path / "models.bundled.json").write_text("{}")
    found = Registry.of(tmp_path, {PACKAGE_DIR: str(tmp_path)})
    assert "is damaged, so the compiled catalog is used alone" in found.messages[0]


def test_a_model_that_two_families_match_says_so(tmp_path: Path) -> None:
    rows = [
        {"id": "claude-opus-5-gemma-4-merge", "contextWindow": 9000},
        {"id": "x", "contextWindow": 9},
    ]
    found = registry(tmp_path, acme={**LOCAL, "models": rows})
    overlap = model(found, "acme", "claude-opus-5-gemma-4-merge").overlap
    assert overlap is not None
    assert overlap.families == ("claude-adaptive", "gemma-4")
    assert model(found, "acme", "x").overlap is None


PRICES = [
    ("claude-opus-5", Tokens(2_000, 1_000, 50_000, 10_000, 4_000), None, None, 0.1375),
    ("claude-opus-5", Tokens(cache_write=10_000), None, None, 0.0625),
    ("gpt-5.5", Tokens(8_000, 2_000, 40_000), "priority", None, 0.30),
    ("gpt-5.5", Tokens(8_000, 2_000, 40_000), None, "priority", 0.30),
    ("gpt-5.5", Tokens(8_000, 2_000, 40_000), "default", "priority", 0.12),
    ("gpt-5.5", Tokens(8_000, 2_000, 40_000), "flex", "priority", 0.06),
    ("gpt-5.4", Tokens(8_000, 2_000, 40_000), "fast", None, 0.12),
]


@pytest.mark.parametrize(("id_", "tokens", "answered", "asked", "total"), PRICES)
def test_a_response_costs_its_rates_times_its_tier(
    id_: str, tokens: Tokens, answered: str | None, asked: str | None, total: float, tmp_path: Path
) -> None:
    found = registry(tmp_path)
    one = model(found, "anthropic" if "claude" in id_ else "openai", id_)
    assert price(one, tokens, answered, asked).total == pytest.approx(total)


def test_the_parts_of_a_price_add_up(tmp_path: Path) -> None:
    cost = {"input": 10, "output": 50, "cacheRead": 1, "cacheWrite": 12.5}
    one = model(registry(tmp_path, acme=local(cost=cost)), "acme", "m")
    found = price(one, Tokens(1_000_000, 100_000, 10_000, 20_000), None, None)
    assert found == Price(10, 5, 0.01, 0.25)
    assert found.total == pytest.approx(15.26)


def test_codex_bills_what_was_asked_for_when_it_answers_default(tmp_path: Path) -> None:
    one = model(registry(tmp_path), "openai-codex", "gpt-5.5")
    asked = price(one, Tokens(8_000, 2_000, 40_000), "default", "priority")
    assert asked.total == pytest.approx(0.30)


def test_an_override_of_a_model_that_is_not_there_is_told(tmp_path: Path) -> None:
    overrides = {"claude-opuss-5": {"maxTokens": 9}, "claude-opus-5": {"maxTokens": 9}}
    found = registry(tmp_path, anthropic={"modelOverrides": overrides})
    (message,) = found.messages
    where = f"{tmp_path / 'models.json'}: providers.anthropic.modelOverrides.claude-opuss-5: "
    assert message.startswith(f"{where}anthropic has no model of this id")
    assert model(found, "anthropic", "claude-opus-5").entry.max_tokens == 9
