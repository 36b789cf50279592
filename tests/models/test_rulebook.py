"""The shipped rulebook: what it says of families, hosts, tiers and prices (S6.2, S6.7 to S6.13)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import jsonschema  # type: ignore[import-untyped]  # it ships no types
import pytest

from eukhe.core import ladder
from eukhe.core import quirks_directives as directives
from eukhe.core.quirks import (
    cache_write_1h_multiplier,
    query,
    service_tier_multiplier,
    service_tiers,
    targets,
    thinking_budget,
)
from eukhe.core.quirks_directives import DIRECTIVES, Budgets, Directive, Value
from eukhe.core.quirks_types import UNKNOWN, Known, ModelKey
from eukhe.models.overlap import FamilyOverlap, check_catalog
from eukhe.models.rulebook import SHIPPED_PATH, read_rulebook, shipped_quirks

if TYPE_CHECKING:
    from pathlib import Path

LOCAL = "http://127.0.0.1:4000/v1"
ROUTER = "https://openrouter.ai/api/v1"


def family(model: str, name: str = "") -> str | None:
    return targets(shipped_quirks().rulebook, ModelKey(model, name)).family


def host(provider: str, url: str, api: str = "openai-completions") -> str | None:
    return targets(shipped_quirks().rulebook, ModelKey("m", "", api, provider, url)).host


def answer(directive: Directive[Value], key: ModelKey) -> Value | None:
    found = query(shipped_quirks().rulebook, key, directive)
    return found.value if isinstance(found, Known) else None


def test_the_shipped_rulebook_fits_its_schema() -> None:
    schema = json.loads(SHIPPED_PATH.with_name("rulebook.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(json.loads(SHIPPED_PATH.read_text()))
    assert set(schema["$defs"]["directives"]["properties"]) == set(DIRECTIVES)


def test_the_shipped_default_ladders_are_those_of_s10() -> None:
    assert shipped_quirks().ladders == ladder.SHIPPED
    assert shipped_quirks().budgets == Budgets(1024, 2048, 8192, 16384)


def test_the_shipped_qwen_families_split_at_the_revision_3_8() -> None:
    for model in ("qwen3.8-27b", "qwen/qwen3.8-max", "qwen3-8-flash", "Qwen/Qwen3.8-2.4T-A95B"):
        assert family(model) == "qwen-3.8", model
    for model in ("qwen3-8b", "qwq-32b", "qwen3.7-plus", "qwen2.5-coder", "qwen-max", "qwen-3-32b"):
        assert family(model) == "qwen", model


FAMILIES = {
    "grok-4.3": ("grok-4.3", "x-ai/grok-4.3", "grok-4.3-latest"),
    "grok-4.5": ("grok-4.5",),
    "grok-4.6": ("grok-4.6", "grok-4.7"),
    "gpt-priority": ("gpt-5.5", "openai/gpt-5.4"),
    "gpt-priority-explicit-cache": ("gpt-5.6-sol", "gpt-5.6", "gpt-6-astra"),
    "gpt-explicit-cache": ("gpt-6.1-sol", "gpt-6-luna", "gpt-5.7", "gpt-5.60", "gpt-6-astra-law"),
    "claude-adaptive": (
        "claude-opus-5-5",
        "us.anthropic.claude-sonnet-5",
        "anthropic/claude-opus-4.8",
        "claude-haiku-5-5",
        "claude-mythos-preview",
    ),
    "claude-adaptive-4-6": ("claude-sonnet-4.6", "anthropic.claude-opus-4-6-v1"),
    "claude-cached": (
        "claude-haiku-4-5",
        "claude-opus-4-20250514",
        "claude-opus-4-1",
        "claude-opus-4",
        "claude-3-7-sonnet-20250219",
    ),
    "claude-uncached": ("claude-3-haiku", "claude-3-opus", "claude-3-5-sonnet", "claude-v2:1"),
    "gemini-3-plus": ("gemini-3-pro-preview", "gemini-3.8-flash", "gemini-4-argon"),
    "gemini-latest": ("gemini-flash-latest", "gemini-flash-lite-latest"),
    "gemma-4": ("gemma-4-31b-it", "google/gemma4-26b"),
    "gemini-2.5-pro": ("gemini-2.5-pro-preview-05-06",),
    "gemini-2.5-flash": ("gemini-2.5-flash-preview-09-2025",),
    "gemini-2.5-flash-lite": ("gemini-2.5-flash-lite-preview-09-2025",),
}
OF_NO_FAMILY = (
    "deepseek-r1-distill-qwen-32b",
    "qwen25-coder-32b",
    "Qwen-SEA-LION-v4-32B",
    "grok-4.20-0309-reasoning",
    "grok-4-fast",
    "grok-4-07-09",
    "grok-code-fast-1",
    "grok-4.8",
    "gpt-5.4-mini",
    "gpt-5.5-pro",
    "gpt-5.5-2026-04-23",
    "gpt-35-turbo",
    "gpt-oss-120b",
    "gpt-4o",
    "gemini-robotics-er-2-preview",
    "gemini-exp-1206",
    "gemini-pro-latest",
    "gemini-2.5-computer-use-preview",
    "gemma-3-27b-it",
    "codegemma-7b",
)


@pytest.mark.parametrize(("name", "models"), FAMILIES.items(), ids=FAMILIES)
def test_a_model_is_in_its_family(name: str, models: tuple[str, ...]) -> None:
    assert {model: family(model) for model in models} == dict.fromkeys(models, name)


@pytest.mark.parametrize("model", OF_NO_FAMILY)
def test_a_model_that_only_looks_alike_is_in_no_family(model: str) -> None:
    assert family(model) is None


def test_a_claude_model_is_found_by_its_display_name() -> None:
    arn = "arn:aws:bedrock:eu-west-1:1:application-inference-profile/abc"
    assert family(arn) is None
    assert family(arn, "Claude Opus 5.5") == "claude-adaptive"
    assert family(arn, "Claude 3 Haiku") == "claude-uncached"


def test_a_model_two_shipped_families_match_names_no_family() -> None:
    found = targets(shipped_quirks().rulebook, ModelKey("claude-opus-5-gemma-4-merge"))
    assert found.family is None
    assert found.overlap == ("claude-adaptive", "gemma-4")
    assert answer(directives.ADAPTIVE_THINKING, ModelKey("claude-opus-5-gemma-4-merge")) is None


def test_families_that_overlap_on_a_catalog_model_are_rejected(tmp_path: Path) -> None:
    document = json.loads(SHIPPED_PATH.read_text())
    document["families"].append({"id": "sonnets", "pattern": "sonnet"})
    path = tmp_path / "book.json"
    path.write_text(json.dumps(document))
    models = [ModelKey(one) for one in ("claude-sonnet-5", "gpt-5.5", "claude-3-5-sonnet")]
    found = check_catalog(read_rulebook(path).rulebook, models)
    assert found == (
        FamilyOverlap("claude-sonnet-5", ("claude-adaptive", "sonnets")),
        FamilyOverlap("claude-3-5-sonnet", ("claude-uncached", "sonnets")),
    )
    assert found[0].message == (
        "the families claude-adaptive and sonnets both match the model claude-sonnet-5, so it is in none of them; "
        "narrow a pattern, a range or an except of one"
    )
    assert check_catalog(shipped_quirks().rulebook, models) == ()


def test_a_local_openai_provider_keeps_the_loopback_settings() -> None:
    assert host("openai", LOCAL) == "loopback"
    assert host("google", LOCAL) == "loopback"
    assert host("my-proxy", LOCAL) == "loopback"
    found = targets(
        shipped_quirks().rulebook, ModelKey("m", "", "openai-completions", "openai", LOCAL)
    )
    assert found.capability_host == "openai"


def test_a_custom_provider_at_openrouter_ai_sends_no_cache_marks() -> None:
    url = ModelKey("anthropic/claude-opus-5", "", "openai-completions", "mine", ROUTER)
    own = url._replace(provider="openrouter")
    assert answer(directives.CACHE_CONTROL_FORMAT, url) is None
    assert answer(directives.CACHE_CONTROL_FORMAT, own) == "anthropic"
    assert (
        answer(directives.CACHE_CONTROL_FORMAT, own._replace(id="moonshotai/kimi-k2.6")) == "none"
    )
    for name, directive in DIRECTIVES.items():
        if name != "cache_control_format":
            assert answer(directive, url) == answer(directive, own), name


def test_the_openrouter_provider_at_a_loopback_url_keeps_the_openrouter_settings() -> None:
    assert host("openrouter", LOCAL) == "openrouter"
    assert host("zai", ROUTER) == "zai"
    key = ModelKey("m", "", "openai-completions", "openrouter", LOCAL)
    assert answer(directives.SUPPORTS_STORE, key) is None
    assert answer(directives.THINKING_FORMAT, key) == "openrouter"


def test_a_wire_api_with_one_host_names_it() -> None:
    assert host("mine", LOCAL, "bedrock-converse-stream") == "amazon-bedrock"
    assert host("mine", LOCAL, "openai-codex-responses") == "openai-codex"
    assert host("mine", LOCAL, "mistral-conversations") == "mistral"


def test_the_llama_cpp_host_reports_the_progress_of_the_prompt() -> None:
    key = ModelKey("m", "", "openai-completions", "llama-cpp", LOCAL)
    assert answer(directives.PROMPT_PROGRESS, key) is True
    assert answer(directives.SUPPORTS_STORE, key) is False
    assert answer(directives.PROMPT_PROGRESS, key._replace(provider="mine")) is None


LADDERS = {
    "qwen3.8-27b": ("off low medium xhigh", "none"),
    "qwen3-8b": ("off high", None),
    "grok-4.3": ("off low medium high", "none"),
    "grok-4.5": ("low medium high", None),
    "grok-4.6": ("low medium high xhigh", None),
}


@pytest.mark.parametrize(("model", "shown"), LADDERS.items(), ids=LADDERS)
def test_a_family_has_its_ladder(model: str, shown: tuple[str, str | None]) -> None:
    quirks = shipped_quirks()
    rule = query(quirks.rulebook, ModelKey(model), directives.THINKING_LADDER)
    assert rule is not UNKNOWN
    chosen = ladder.ladder_of(ladder.Origin.CUSTOM, True, None, rule.value)
    assert " ".join(ladder.offered(True, chosen, quirks.ladders)) == shown[0]
    assert chosen.get("off") == shown[1]


def test_the_google_budgets_are_those_of_the_model() -> None:
    expected = {
        "gemini-2.5-pro": Budgets(128, 2048, 8192, 32768),
        "gemini-2.5-flash": Budgets(128, 2048, 8192, 24576),
        "gemini-2.5-flash-lite": Budgets(512, 2048, 8192, 24576),
    }
    for model, budgets in expected.items():
        assert answer(directives.THINKING_BUDGETS, ModelKey(model)) == budgets
        assert answer(directives.GOOGLE_THINKING_LEVEL, ModelKey(model)) is False
        assert thinking_budget("high", {"high": 10**6}, budgets, None) == budgets.high
    assert answer(directives.GOOGLE_THINKING_LEVEL, ModelKey("gemma-4-31b")) is True


def test_caching_and_thinking_of_claude_and_gpt() -> None:
    assert answer(directives.PROMPT_CACHING, ModelKey("claude-3-haiku")) is False
    for model in ("claude-opus-5-5", "claude-opus-4-6", "claude-haiku-4-5"):
        assert answer(directives.PROMPT_CACHING, ModelKey(model)) is True
    assert answer(directives.THINKING_BLOCK_BINDING, ModelKey("claude-opus-4-6")) is None
    assert answer(directives.ADAPTIVE_THINKING, ModelKey("claude-opus-4-6")) is True
    assert answer(directives.SUPPORTS_FORCED_TOOL_CHOICE, ModelKey("claude-opus-5-5")) is False
    assert answer(directives.SUPPORTS_FORCED_TOOL_CHOICE, ModelKey("claude-haiku-5-5")) is True
    assert answer(directives.EXPLICIT_CACHE_BREAKPOINTS, ModelKey("gpt-6-astra")) is True
    assert answer(directives.EXPLICIT_CACHE_BREAKPOINTS, ModelKey("gpt-5.5")) is None


def test_the_shipped_prices_are_those_of_the_tier_and_of_1h_cache_writes() -> None:
    book = shipped_quirks().rulebook
    responses = ModelKey("gpt-5.4", "", "openai-responses", "openai")
    assert service_tier_multiplier(book, responses, "flex") == 0.5
    assert service_tier_multiplier(book, responses, "fast") == 2
    assert service_tier_multiplier(book, responses._replace(id="gpt-5.5"), "priority") == 2.5
    assert service_tier_multiplier(book, responses._replace(api="openai-completions"), "fast") == 2
    codex = ModelKey("gpt-5.5", "", "openai-codex-responses", "openai-codex")
    assert service_tier_multiplier(book, codex, "priority") == 2.5
    assert service_tier_multiplier(book, codex, "fast") == 1
    assert service_tier_multiplier(book, codex._replace(provider="openrouter"), "flex") == 1
    assert cache_write_1h_multiplier(book, "us.anthropic.Claude-Opus-5") == 2
    assert cache_write_1h_multiplier(book, "gpt-5.5") is None


def test_the_shipped_tiers_are_those_of_the_provider_and_family() -> None:
    book = shipped_quirks().rulebook
    responses = ModelKey("gpt-5.5", "", "openai-responses", "openai")
    codex = ModelKey("gpt-5.5", "", "openai-codex-responses", "openai-codex")
    assert service_tiers(book, responses) == ("default", "auto", "scale", "flex", "priority")
    assert service_tiers(book, codex) == ("default", "auto", "scale", "priority")
    assert service_tiers(book, codex._replace(id="gpt-5.5-pro")) == ("default", "auto", "scale")
    router = ModelKey("m", "", "openai-completions", "openrouter")
    assert service_tiers(book, router) == ("default", "flex", "priority")
    assert service_tiers(book, router._replace(provider="mine")) == ("default",)
