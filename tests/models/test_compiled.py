"""The compiled catalog: what is in it, what the rulebook says of it, and how much is read for one model."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from typing import TYPE_CHECKING

from eukhe.core import ladder
from eukhe.core.effort import LADDER
from eukhe.core.quirks import provider_default, query, service_tiers, setting
from eukhe.core.quirks_directives import THINKING_LADDER
from eukhe.core.quirks_types import ModelKey
from eukhe.models.compiled import (
    DATA,
    compiled,
    compiled_ids,
    every_compiled,
    key_of,
    transports,
)
from eukhe.models.completions import options_of
from eukhe.models.overlap import check_catalog
from eukhe.models.registry import Model, Source
from eukhe.models.rulebook import shipped_quirks
from eukhe.models.speak import Ask

if TYPE_CHECKING:
    from eukhe.core.catalog import Entry

PROVIDERS = {
    *("anthropic", "openai", "openai-codex", "azure", "google", "google-vertex", "amazon-bedrock"),
    *("mistral", "openrouter", "groq", "xai", "deepseek", "cerebras", "zai", "huggingface"),
    *("prime-inference", "github-copilot"),
}


def named(provider: str, model: str) -> Entry:
    return next(one for one in compiled(provider) if one.id == model)


def test_no_two_families_match_one_catalog_model() -> None:
    assert check_catalog(shipped_quirks().rulebook, map(key_of, every_compiled())) == ()


def test_the_catalog_has_every_provider_and_each_model_once() -> None:
    assert set(compiled_ids()) >= PROVIDERS
    keys = [(one.provider, one.id) for one in every_compiled()]
    assert len(keys) == len(set(keys))
    assert len(keys) == sum(map(len, compiled_ids().values()))


def test_every_row_is_sound() -> None:
    for one in every_compiled():
        assert one.name.isprintable() and one.name, one
        assert 0 < one.max_tokens <= one.context_window, one
        assert set(one.input) <= {"text", "image"} and "text" in one.input, one
        cost = one.cost
        assert min(cost.input, cost.output, cost.cache_read, cost.cache_write) >= 0, one
        assert set(one.thinking_level_map or {}) <= set(LADDER), one
        assert one.thinking_level_map != {}, one
        assert one.reasoning or one.thinking_level_map is None, one


def test_the_manifest_has_the_digest_of_every_file_and_the_licence_of_every_source() -> None:
    manifest = json.loads((DATA / "manifest.json").read_text())
    files = {path.name for path in DATA.glob("*.json")} - {"manifest.json"}
    assert set(manifest["files"]) == files
    for name, digest in manifest["files"].items():
        assert hashlib.sha256((DATA / name).read_bytes()).hexdigest() == digest, name
    notice = (DATA / "NOTICE").read_text()
    for source in manifest["sources"]:
        assert source["licence"] == "MIT"
        assert source["version"]
        assert source["notice"] in notice


def test_the_default_model_of_every_provider_is_in_the_catalog() -> None:
    book = shipped_quirks().rulebook
    for provider in PROVIDERS:
        default = provider_default(book, provider)
        assert default in compiled_ids()[provider], provider
    assert set(book.provider_defaults) == PROVIDERS


def former_predicate(one: Entry, tier: str) -> bool:
    """The tiers as they were decided by hand before they were data (S6.8)."""
    if tier == "default":
        return True
    at = (one.provider, one.api)
    if at == ("openrouter", "openai-completions"):
        return tier in ("flex", "priority")
    bare = one.id.rpartition("/")[2].lower()
    paid = bare in ("gpt-5.4", "gpt-5.5", "gpt-5.6", "gpt-6-astra") or bare.startswith("gpt-5.6-")
    if at == ("openai", "openai-responses"):
        return tier in ("auto", "scale") or (paid and tier in ("flex", "priority"))
    if at == ("openai-codex", "openai-codex-responses"):
        return tier in ("auto", "scale") or (paid and tier == "priority")
    return False


def test_the_table_keeps_every_answer_of_the_former_predicate() -> None:
    book = shipped_quirks().rulebook
    honoured = 0
    for one in every_compiled():
        offered = service_tiers(book, key_of(one))
        for tier in ("default", "auto", "scale", "flex", "priority", "fast", "batch"):
            assert (tier in offered) == former_predicate(one, tier), (one.provider, one.id, tier)
        honoured += len(offered) > 1
    assert honoured > 100


def test_the_levels_of_some_models_are_those_that_their_makers_name() -> None:
    expected = {
        ("anthropic", "claude-opus-5-5"): "minimal low medium high xhigh max",
        ("anthropic", "claude-haiku-4-5"): "off minimal low medium high",
        ("anthropic", "claude-opus-4-6"): "off minimal low medium high max",
        ("openai", "gpt-5"): "minimal low medium high",
        ("openai", "gpt-5.5"): "off low medium high xhigh",
        ("openai", "gpt-6-astra"): "low medium high xhigh max",
        ("openai", "gpt-4.1"): "off",
        ("google", "gemini-3.1-pro-preview"): "low high",
        ("xai", "grok-4.6"): "low medium high xhigh",
        ("mistral", "mistral-large-4"): "off high",
        ("zai", "glm-5.3"): "low high max",
        ("deepseek", "deepseek-v4-pro"): "off high xhigh",
        ("groq", "openai/gpt-oss-120b"): "low medium high",
        ("cerebras", "qwen-3.8-27b"): "off low medium xhigh",
        ("cerebras", "gemma-4-31b"): "high",
    }
    for (provider, model), levels in expected.items():
        one = named(provider, model)
        chosen = ladder.chosen(one.thinking_level_map, None)
        assert " ".join(ladder.offered(one.reasoning, chosen, ladder.SHIPPED)) == levels, model


def test_a_catalog_model_of_a_family_has_the_ladder_of_its_family() -> None:
    shown = named("xai", "grok-4.6").thinking_level_map
    assert shown == {"off": None, "minimal": None, "xhigh": "xhigh"}
    rule = query(shipped_quirks().rulebook, ModelKey("qwen3.8-27b"), THINKING_LADDER)
    assert named("cerebras", "qwen-3.8-27b").thinking_level_map == setting(None, rule, None)


def test_the_words_of_google_go_to_google_alone() -> None:
    loud = {
        one.api
        for one in every_compiled()
        for word in (one.thinking_level_map or {}).values()
        if word is not None and word.isupper()
    }
    assert loud == {"google-generative-ai", "google-vertex"}


def test_a_level_that_is_offered_over_chat_completions_changes_the_request() -> None:
    # Otherwise a user would choose between levels that are all the same.
    for one in every_compiled():
        if one.api == "openai-completions" and one.reasoning:
            model = Model(one, Source.COMPILED, ladder.Origin.BUILT_IN, False, shipped_quirks())
            sent = [str(options_of(model, Ask(level)).extra) for level in model.levels]
            assert len(set(sent)) == len(sent), (one.provider, one.id, sent)


def test_prices_are_in_dollars_a_million_tokens() -> None:
    assert named("anthropic", "claude-opus-5").cost.input == 5
    assert named("anthropic", "claude-opus-5").cost.cache_write == 6.25
    assert named("openai-codex", "gpt-5.5").cost == named("openai", "gpt-5.5").cost


def test_the_api_of_a_copilot_model_is_that_of_its_maker() -> None:
    apis = {one.id: one.api for one in compiled("github-copilot")}
    assert apis["claude-sonnet-5.5"] == "anthropic-messages"
    assert apis["gpt-6-sol"] == "openai-responses"
    assert apis["gemini-4-argon"] == "openai-completions"
    compat = {one.id: one.compat for one in compiled("github-copilot")}
    assert compat["claude-haiku-4.5"] == {"supportsEagerToolInputStreaming": False}


def test_a_bedrock_model_is_reached_in_its_region() -> None:
    regions = {one.id.partition(".")[0]: one.base_url for one in compiled("amazon-bedrock")}
    assert regions["eu"] == "https://bedrock-runtime.eu-central-1.amazonaws.com"
    assert regions["us"] == "https://bedrock-runtime.us-east-1.amazonaws.com"
    assert ("openai", "openai-responses", "https://api.openai.com/v1") in transports()


def test_a_provider_costs_its_own_file_only() -> None:
    code = (
        "import sys, pathlib\n"
        "seen = []\n"
        "sys.addaudithook(lambda event, args: seen.append(str(args[0])) if event == 'open' else None)\n"
        "from eukhe.models.compiled import compiled\n"
        "assert compiled('groq') and compiled('no-such') == ()\n"
        "print(sorted(pathlib.Path(one).name for one in seen if one.endswith('.json')))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['groq.json', 'index.json']\n"
