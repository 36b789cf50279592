"""The quirks rulebook (S6.1, S6.2, S6.7, S6.8, S6.11 to S6.13), with small tables like the shipped ones."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from eukhe.core import quirks_directives as directives
from eukhe.core import quirks_types as words
from eukhe.core.quirks import (
    DYNAMIC_BUDGET,
    Rulebook,
    cache_write_1h_multiplier,
    capability,
    provider_default,
    query,
    service_tier_multiplier,
    service_tiers,
    setting,
    targets,
    thinking_budget,
)
from eukhe.core.quirks_compile import compile_rulebook
from eukhe.core.quirks_directives import Budgets, Capability
from eukhe.core.quirks_targets import in_range, range_of, revision_of
from eukhe.core.quirks_types import (
    UNKNOWN,
    Book,
    CacheWritePrice,
    Family,
    Host,
    Layer,
    ModelKey,
    Refusal,
    Refused,
    Rule,
    Scope,
    ServiceTier,
    ServiceTierPrice,
    Table,
    Unsupported,
    Why,
)

_DIALECTS = {"list_models": ("openai",), "count_tokens": ("openai", "llama-cpp")}
_BOOK = Book(
    families=(
        Family("qwen-3.8", r"(?:^|/)qwen", prefix="qwen", revision=">=3.8"),
        Family("qwen", r"(?:^|/)(?:qwen|qwq)", prefix="qwen", revision="<3.8"),
        Family("gpt-priority", r"(?:^|/)gpt-5\.[45]$"),
        Family("gpt-priority-explicit-cache", r"(?:^|/)(?:gpt-5\.6(?:-|$)|gpt-6-astra$)"),
        Family("gpt-explicit-cache", r"(?:^|/)gpt-6(?:[-.]|$)", exclude=r"(?:^|/)gpt-6-astra$"),
        Family("claude", r"claude", on_name=True),
    ),
    hosts=(
        Host("openrouter", providers=("openrouter",)),
        Host("openrouter-url", fragments=("openrouter.ai",)),
        Host("loopback", fragments=("//localhost", "//127.0.0.1")),
        Host("azure", apis=("azure-openai-responses",)),
        Host("openai", Scope.CAPABILITIES, providers=("openai",), fragments=("api.openai.com",)),
        Host("llama-cpp", Scope.CAPABILITIES, providers=("llama-cpp",)),
    ),
    rules=(
        Rule(Layer.FAMILY, "qwen-3.8", {"thinking_ladder": {"off": "none", "minimal": None}}),
        Rule(Layer.FAMILY, "claude", {"prompt_caching": True, "supports_store": True}),
        Rule(Layer.MODEL, "claude-v2", {"prompt_caching": False}),
        Rule(
            Layer.HOST,
            "openrouter",
            {
                "cache_control_format": {
                    "ids": ["anthropic/"],
                    "then": "anthropic",
                    "else": "none",
                },
                "supports_store": False,
            },
        ),
        Rule(Layer.HOST, "openrouter-url", {"supports_store": False}),
        Rule(Layer.HOST, "loopback", {"supports_store": False, "list_models": False}),
        Rule(Layer.HOST, "openai", {"list_models": "openai", "embed": False}),
        Rule(Layer.HOST, "llama-cpp", {"prompt_progress": True, "count_tokens": "llama-cpp"}),
    ),
    service_tiers=(
        ServiceTier("openrouter", "openai-completions", ("flex", "priority")),
        ServiceTier("openai", "openai-responses", ("auto", "scale")),
        ServiceTier("openai-codex", "openai-codex-responses", ("auto", "scale")),
        ServiceTier("openai", "openai-responses", ("flex", "priority"), "gpt-priority"),
        ServiceTier("openai-codex", "openai-codex-responses", ("priority",), "gpt-priority"),
        ServiceTier(
            "openai", "openai-responses", ("flex", "priority"), "gpt-priority-explicit-cache"
        ),
        ServiceTier(
            "openai-codex", "openai-codex-responses", ("priority",), "gpt-priority-explicit-cache"
        ),
    ),
    service_tier_prices=(
        ServiceTierPrice("openai", "openai-responses", ("flex",), 0.5),
        ServiceTierPrice("openai", "openai-responses", ("priority", "fast"), 2),
        ServiceTierPrice("openai", "openai-responses", ("priority", "fast"), 2.5, "gpt-5.5"),
        ServiceTierPrice("openai-codex", "openai-codex-responses", ("flex",), 0.5),
    ),
    cache_write_1h_prices=(CacheWritePrice("claude", 2),),
    provider_defaults={"anthropic": "claude-opus-4-8"},
)


def _compiled(book: Book = _BOOK) -> Rulebook:
    rulebook = compile_rulebook(book, _DIALECTS)
    assert isinstance(rulebook, Rulebook), rulebook
    return rulebook


def _refused(*rules: Rule, book: Book = _BOOK) -> tuple[Refusal, ...]:
    compiled = compile_rulebook(replace(book, rules=rules), _DIALECTS)
    return compiled.refusals if isinstance(compiled, Refused) else ()


@pytest.mark.parametrize(
    ("prefix", "name", "revision"),
    [
        ("qwen", "qwen3.8-27b", (3, 8, 0)),
        ("qwen", "qwen3-8b", (3, 0, 0)),
        ("qwen", "qwen3-235b-a22b", (3, 0, 0)),
        ("qwen", "qwen-3-32b", (3, 0, 0)),
        ("qwen", "qwen2.5-coder-32b-instruct", (2, 5, 0)),
        ("qwen", "qwen3-8-max", (3, 8, 0)),
        ("qwen", "qwen-plus-2025-07-28", (0, 0, 0)),
        ("qwen", "qwen-max", (0, 0, 0)),
        ("qwen", "qwq-32b", (0, 0, 0)),
        ("qwen", "Qwen/Qwen3.8-2.4T-A95B", (3, 8, 0)),
        ("qwen", "qwen3-9.5b", (3, 0, 0)),
        ("claude", "claude-opus-4-6", (4, 6, 0)),
        ("claude", "claude-opus-4-20250514", (4, 0, 0)),
        ("claude", "us.anthropic.claude-sonnet-4-5-20250929", (4, 5, 0)),
        ("claude", "claude-3-7-sonnet-20250219", (3, 7, 0)),
        ("grok-", "x-ai/grok-4.20-0309-reasoning", (4, 20, 0)),
        ("gemini-", "gemini-3.1-pro-preview", (3, 1, 0)),
        ("gemini-", "gemini-exp-1206", (0, 0, 0)),
        ("gpt", "gpt-oss-120b", (0, 0, 0)),
        ("q", "q" + "0" * 9000 + "3." + "9" * 9000, (3, 0, 0)),
    ],
)
def test_the_revision_starts_at_the_first_digit_after_the_prefix(
    prefix: str, name: str, revision: tuple[int, int, int]
) -> None:
    assert revision_of(prefix, name) == revision


def test_a_later_minor_number_is_above_an_earlier_one() -> None:
    bounds = range_of(">=4.3 <4.4")
    assert bounds is not None
    assert not in_range(bounds, revision_of("grok-", "grok-4.20"))
    assert in_range(bounds, revision_of("grok-", "grok-4.3-latest"))


@pytest.mark.parametrize(
    "text", ["3.8", ">=", ">= 3.8", ">=3.8.1.2", "~3", ">=3.", ">=1000", "\ud800"]
)
def test_a_range_that_cannot_be_read_is_none(text: str) -> None:
    assert range_of(text) is None


def test_the_shipped_qwen_families_split_at_the_revision_3_8() -> None:
    rulebook = _compiled()
    for model, family in (
        ("qwen3.8-27b", "qwen-3.8"),
        ("qwen/qwen3.8-max", "qwen-3.8"),
        ("qwen3-8b", "qwen"),
        ("qwq-32b", "qwen"),
        ("deepseek-r1-distill-qwen-32b", None),
    ):
        assert targets(rulebook, ModelKey(model)).family == family


def test_a_model_two_families_match_names_no_family() -> None:
    both = ModelKey("claude-merge/qwen3-8b")
    rulebook = _compiled()
    assert targets(rulebook, both).family is None
    assert targets(rulebook, both).overlap == ("qwen", "claude")
    assert query(rulebook, both, directives.PROMPT_CACHING) is UNKNOWN


def test_families_that_overlap_on_a_model_are_found_whatever_their_order() -> None:
    for families in (_BOOK.families, _BOOK.families[::-1]):
        rulebook = _compiled(replace(_BOOK, families=families))
        assert len(targets(rulebook, ModelKey("claude-merge/qwen3-8b")).overlap) == 2


def test_a_display_name_can_name_the_family_and_an_exception_is_in_none() -> None:
    rulebook = _compiled()
    arn = ModelKey("arn:aws:bedrock:us-east-1:1:application-inference-profile/x", "Claude Opus 4.6")
    assert targets(rulebook, arn).family == "claude"
    assert targets(rulebook, ModelKey("gpt-6-astra")).family == "gpt-priority-explicit-cache"
    assert targets(rulebook, ModelKey("gpt-6-luna")).family == "gpt-explicit-cache"


def test_the_openrouter_provider_at_a_loopback_url_keeps_the_openrouter_settings() -> None:
    rulebook = _compiled()
    model = ModelKey(
        "anthropic/claude-opus-4.8", "", "openai-completions", "openrouter", "http://127.0.0.1:4000"
    )
    assert targets(rulebook, model).host == "openrouter"
    marks = query(rulebook, model, directives.CACHE_CONTROL_FORMAT)
    assert setting(None, marks, "none") == "anthropic"
    other = query(rulebook, model._replace(id="z-ai/glm-5.3"), directives.CACHE_CONTROL_FORMAT)
    assert setting(None, other, "anthropic") == "none"


def test_a_custom_provider_at_openrouter_ai_sends_no_cache_marks() -> None:
    rulebook = _compiled()
    model = ModelKey(
        "anthropic/claude-opus-4.8",
        "",
        "openai-completions",
        "mine",
        "https://OpenRouter.ai/api/v1",
    )
    assert targets(rulebook, model).host == "openrouter-url"
    assert query(rulebook, model, directives.CACHE_CONTROL_FORMAT) is UNKNOWN


def test_the_api_wins_over_the_provider_and_the_provider_over_the_url() -> None:
    rulebook = _compiled()
    model = ModelKey("m", "", "azure-openai-responses", "openrouter", "http://localhost")
    assert targets(rulebook, model).host == "azure"
    assert targets(rulebook, model._replace(api="")).host == "openrouter"
    assert targets(rulebook, model._replace(api="", provider="")).host == "loopback"
    assert targets(rulebook, ModelKey("m")).host is None


def test_a_local_openai_provider_keeps_the_loopback_settings() -> None:
    rulebook = _compiled()
    model = ModelKey("m", "", "openai-completions", "openai", "http://localhost:8080/v1")
    at = targets(rulebook, model)
    assert (at.host, at.capability_host) == ("loopback", "openai")
    store = query(rulebook, model, directives.SUPPORTS_STORE)
    assert setting(None, store, True) is False
    assert capability(rulebook, model, Capability.LIST_MODELS) == "openai"


def test_an_operation_that_is_false_or_unknown_is_unsupported() -> None:
    rulebook = _compiled()
    model = ModelKey("m", "", "openai-completions", "openai")
    for one in (Capability.EMBED, Capability.COMPACT):
        assert capability(rulebook, model, one) == Unsupported(one, "openai")
    progress = query(rulebook, model._replace(provider="llama-cpp"), directives.PROMPT_PROGRESS)
    assert setting(None, progress, False) is True


def test_the_host_wins_over_the_model_and_the_model_over_the_family() -> None:
    rulebook = _compiled()
    claude = ModelKey("claude-v2", "", "openai-completions", "openrouter")
    cached = query(rulebook, claude, directives.PROMPT_CACHING)
    assert cached == words.Known(False, Layer.MODEL, "claude-v2", 2)
    store = query(rulebook, claude, directives.SUPPORTS_STORE)
    assert store == words.Known(False, Layer.HOST, "openrouter", 3)
    assert setting(True, store, True) is True


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("supports_stor", True, Why.UNKNOWN_DIRECTIVE),
        ("supports_store", 1, Why.WRONG_TYPE),
        ("supports_store", None, Why.WRONG_TYPE),
        ("strict_cap", True, Why.WRONG_TYPE),
        ("strict_cap", -1, Why.WRONG_TYPE),
        ("strict_cap", 2.0, Why.WRONG_TYPE),
        ("strict_cap", math.nan, Why.WRONG_TYPE),
        ("max_tokens_field", "max", Why.WRONG_TYPE),
        ("max_tokens_field", ["max_tokens"], Why.WRONG_TYPE),
        ("thinking_ladder", {"hard": "x"}, Why.WRONG_TYPE),
        ("thinking_ladder", {"high": 3}, Why.WRONG_TYPE),
        ("thinking_ladder", {1: None}, Why.WRONG_TYPE),
        ("thinking_ladder", ["off"], Why.WRONG_TYPE),
        ("thinking_budgets", {"minimal": 1, "low": 2, "medium": 3}, Why.WRONG_TYPE),
        ("thinking_budgets", {"minimal": 4, "low": 3, "medium": 2, "high": 1}, Why.WRONG_TYPE),
        (
            "thinking_budgets",
            dict.fromkeys(("minimal", "low", "medium", "high", "max"), 1),
            Why.WRONG_TYPE,
        ),
        ("thinking_budgets", dict.fromkeys(("minimal", "low", "medium", "top"), 1), Why.WRONG_TYPE),
        ("list_models", True, Why.WRONG_TYPE),
        ("list_models", 0, Why.WRONG_TYPE),
        ("list_models", "google", Why.NO_IMPLEMENTATION),
        ("embed", "openai", Why.NO_IMPLEMENTATION),
        ("supports_store", {"ids": "anthropic/", "then": True, "else": False}, Why.WRONG_TYPE),
        ("supports_store", {"ids": [1], "then": True, "else": False}, Why.WRONG_TYPE),
        ("supports_store", {"ids": [], "then": True, "else": 3}, Why.WRONG_TYPE),
        ("supports_store", {"ids": [], "then": True}, Why.WRONG_TYPE),
        (
            "supports_store",
            {"ids": [], "then": True, "else": {"ids": [], "then": True, "else": True}},
            Why.WRONG_TYPE,
        ),
    ],
)
def test_a_wrong_directive_is_refused_with_its_rule(name: str, value: object, why: Why) -> None:
    good = Rule(Layer.MODEL, "x", {"strict_cap": 20})
    bad = Rule(Layer.MODEL, "m", {"strict_cap": 6, name: value})
    refusal = Refusal(why, Table.RULES, 1, Layer.MODEL, "m", name)
    assert _refused(good, bad) == (refusal,)


def test_equal_values_are_no_clash_and_different_ones_name_the_later_rule() -> None:
    ladder = {"off": "none", "high": None}
    one = Rule(Layer.MODEL, "m", {"thinking_ladder": ladder, "strict_cap": 1})
    again = Rule(Layer.MODEL, "m", {"thinking_ladder": dict(reversed(ladder.items()))})
    other = Rule(Layer.MODEL, "m", {"strict_cap": 2})
    assert _refused(one, again) == ()
    clash = Refusal(Why.CLASH, Table.RULES, 2, Layer.MODEL, "m", "strict_cap")
    assert _refused(one, again, other) == (clash,)
    elsewhere = Rule(Layer.FAMILY, "qwen", {"strict_cap": 2})
    assert _refused(one, elsewhere) == ()


def test_a_capability_host_sets_nothing_of_a_request() -> None:
    rule = Rule(Layer.HOST, "openai", {"supports_store": True, "prompt_progress": True})
    refusal = Refusal(Why.WRONG_SCOPE, Table.RULES, 0, Layer.HOST, "openai", "supports_store")
    assert _refused(rule) == (refusal,)


def test_a_pattern_that_python_warns_about_compiles_in_silence() -> None:
    rulebook = _compiled(Book(families=(Family("a", "[[x]"),)))
    assert targets(rulebook, ModelKey("[")).family == "a"


def test_every_fault_of_every_table_is_told() -> None:
    book = Book(
        families=(Family("a", "("), Family("a", "x", exclude="["), Family("b", "x", revision="3")),
        hosts=(Host("h", apis=("x",), providers=("p",)), Host("h", apis=("x",), providers=("p",))),
        rules=(Rule(Layer.HOST, "nobody", {}), Rule(Layer.FAMILY, "nobody", {})),
        service_tiers=(ServiceTier("p", "x", ("flex",), "nobody"),),
        service_tier_prices=(
            ServiceTierPrice("p", "x", ("flex",), -1),
            ServiceTierPrice("p", "x", ("flex",), math.nan, "m"),
            ServiceTierPrice("p", "x", ("flex", "fast"), 1),
            ServiceTierPrice("p", "x", ("fast",), 2),
        ),
        cache_write_1h_prices=(CacheWritePrice("x{99999999999999999999}", math.inf),),
    )
    compiled = compile_rulebook(book, {})
    assert isinstance(compiled, Refused)
    assert [(one.table.value, one.row, one.why.value, one.target) for one in compiled.refusals] == [
        ("families", 0, "bad_pattern", "a"),
        ("families", 1, "declared_twice", "a"),
        ("families", 1, "bad_pattern", "a"),
        ("families", 2, "bad_range", "b"),
        ("hosts", 1, "declared_twice", "h"),
        ("hosts", 1, "api_twice", "h"),
        ("hosts", 1, "provider_twice", "h"),
        ("rules", 0, "undeclared", "nobody"),
        ("rules", 1, "undeclared", "nobody"),
        ("service_tiers", 0, "undeclared", "nobody"),
        ("service_tier_prices", 0, "bad_number", ""),
        ("service_tier_prices", 1, "bad_number", "m"),
        ("service_tier_prices", 3, "clash", ""),
        ("cache_write_1h_prices", 0, "bad_pattern", ""),
        ("cache_write_1h_prices", 0, "bad_number", ""),
    ]


@pytest.mark.parametrize(
    ("provider", "api", "model", "tiers"),
    [
        ("openrouter", "openai-completions", "any/model", "default flex priority"),
        ("openrouter", "openai-responses", "any/model", "default"),
        ("openai", "openai-responses", "gpt-5.4-mini", "default auto scale"),
        ("openai", "openai-responses", "gpt-5.5", "default auto scale flex priority"),
        ("openai", "openai-responses", "gpt-6-astra", "default auto scale flex priority"),
        ("openai-codex", "openai-codex-responses", "gpt-5.6-sol", "default auto scale priority"),
        ("openai", "openai-completions", "gpt-5.5", "default"),
        ("anthropic", "anthropic-messages", "claude-opus-5", "default"),
    ],
)
def test_a_model_honours_the_tiers_of_the_table(
    provider: str, api: str, model: str, tiers: str
) -> None:
    key = ModelKey(model, "", api, provider)
    assert service_tiers(_compiled(), key) == tuple(tiers.split())


def test_a_tier_is_priced_by_the_model_first() -> None:
    rulebook = _compiled()
    gpt = ModelKey("gpt-5.5", "", "openai-responses", "openai")
    assert service_tier_multiplier(rulebook, gpt, "priority") == 2.5
    assert service_tier_multiplier(rulebook, gpt, "flex") == 0.5
    assert service_tier_multiplier(rulebook, gpt, "default") == 1
    assert service_tier_multiplier(rulebook, gpt._replace(id="gpt-5.4"), "fast") == 2
    assert service_tier_multiplier(rulebook, gpt._replace(provider="x"), "fast") == 1


def test_the_first_matching_row_prices_the_1h_cache_writes() -> None:
    rulebook = _compiled()
    assert cache_write_1h_multiplier(rulebook, "us.anthropic.Claude-Opus-5") == 2
    assert cache_write_1h_multiplier(rulebook, "kimi-k3") is None


def test_a_provider_that_the_table_does_not_name_has_no_default() -> None:
    rulebook = _compiled()
    assert provider_default(rulebook, "anthropic") == "claude-opus-4-8"
    assert provider_default(rulebook, "mine") is None


def test_the_users_budget_is_held_inside_the_rules_minimal_to_high() -> None:
    rule, default = Budgets(128, 2048, 8192, 32768), Budgets(1024, 2048, 8192, 16384)
    assert thinking_budget("low", {"low": 64}, rule, default) == 128
    assert thinking_budget("low", {"low": 99999}, rule, default) == 32768
    assert thinking_budget("max", {"high": 10000}, rule, default) == 10000
    assert thinking_budget("xhigh", {"low": 1}, rule, default) == 32768
    assert thinking_budget("minimal", {}, None, default) == 1024
    assert thinking_budget("minimal", {}, None, None) == DYNAMIC_BUDGET
    assert thinking_budget("minimal", {"minimal": 3}, None, None) == 3
    assert thinking_budget("off", {}, rule, default) is None
