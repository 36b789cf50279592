"""Names of models: whole names, ids, patterns, levels, and what is said when one is not enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eukhe.core.default_model import Ref
from eukhe.core.effort import Level
from eukhe.models.patterns import Ambiguous, Chosen, NoSuchModel, choose, includes, matching
from tests.models.test_models_json import LOCAL
from tests.models.test_registry import registry

if TYPE_CHECKING:
    from pathlib import Path

    from eukhe.models.registry import Registry


@pytest.fixture
def models(tmp_path: Path) -> Registry:
    rows = [
        {"id": one, "contextWindow": 9000} for one in ("llama:8b", "a/b", "odd:high", "gpt-5.5")
    ]
    return registry(tmp_path, acme={**LOCAL, "models": rows})


@pytest.mark.parametrize(
    ("text", "ref", "level"),
    [
        ("acme/llama:8b", Ref("acme", "llama:8b"), None),
        ("llama:8b", Ref("acme", "llama:8b"), None),
        ("llama:8b:low", Ref("acme", "llama:8b"), Level.LOW),
        ("acme/a/b", Ref("acme", "a/b"), None),
        ("a/b", Ref("acme", "a/b"), None),
        ("odd:high", Ref("acme", "odd:high"), None),
        ("odd:high:off", Ref("acme", "odd:high"), Level.OFF),
        ("openrouter/moonshotai/kimi-k2.6", Ref("openrouter", "moonshotai/kimi-k2.6"), None),
        ("Anthropic/Claude-Opus-5:max", Ref("anthropic", "claude-opus-5"), Level.MAX),
        ("claude-haiku-5-5", Ref("anthropic", "claude-haiku-5-5"), None),
        ("acme/lla*", Ref("acme", "llama:8b"), None),
        ("ama:8", Ref("acme", "llama:8b"), None),
    ],
)
def test_a_text_names_one_model(models: Registry, text: str, ref: Ref, level: Level | None) -> None:
    assert choose(models, text) == Chosen(ref, level)


@pytest.mark.parametrize(
    ("text", "ref"),
    [
        ("Local/Qwen3-8B", Ref("Local", "Qwen3-8B")),
        ("local/qwen3-8b-instruct", Ref("Local", "Qwen3-8B-Instruct")),
        ("Local/qwen3-8b", Ref("Local", "qwen3-8b")),
        ("Qwen3-8B", Ref("Local", "Qwen3-8B")),
        ("QWEN3-8B-INSTRUCT", Ref("Local", "Qwen3-8B-Instruct")),
    ],
)
def test_a_name_counts_as_it_is_written_and_then_in_any_case(
    tmp_path: Path, text: str, ref: Ref
) -> None:
    rows = [
        {"id": one, "contextWindow": 9000} for one in ("Qwen3-8B", "qwen3-8b", "Qwen3-8B-Instruct")
    ]
    found = registry(tmp_path, Local={**LOCAL, "models": rows})
    assert choose(found, text) == Chosen(ref, None)
    assert isinstance(choose(found, "LOCAL/QWEN3-8B"), Ambiguous)


def test_an_ambiguous_name_lists_the_candidates(models: Registry) -> None:
    found = choose(models, "gpt-5.5")
    assert isinstance(found, Ambiguous)
    assert Ref("acme", "gpt-5.5") in found.candidates
    assert "gpt-5.5 names more than one model, write one of: openai/gpt-5.5, " in found.message
    many = choose(models, "claude")
    assert isinstance(many, Ambiguous)
    assert f"and {len(many.candidates) - 12} more" in many.message
    assert isinstance(choose(models, "gpt-5.5:low"), Ambiguous)


def test_of_models_of_one_name_the_one_with_credentials_counts(models: Registry) -> None:
    assert choose(models, "gpt-5.5", {"acme"}) == Chosen(Ref("acme", "gpt-5.5"), None)
    assert choose(models, "gpt-5.5:low", {"openai"}) == Chosen(Ref("openai", "gpt-5.5"), Level.LOW)
    assert isinstance(choose(models, "gpt-5.5", {"groq"}), Ambiguous)
    # A whole name is never moved to a provider with credentials.
    assert choose(models, "openai/gpt-5.5", {"acme"}) == Chosen(Ref("openai", "gpt-5.5"), None)


def test_a_name_that_no_model_has_says_what_is_near(models: Registry) -> None:
    found = choose(models, "anthropic/claude-opuss-5-5")
    assert isinstance(found, NoSuchModel)
    assert "did you mean anthropic/claude-opus-5-5" in found.message
    assert "eukhe model list" in str(getattr(choose(models, "zzzz"), "message", ""))
    assert isinstance(choose(models, ""), NoSuchModel)


def test_a_scope_includes_models_by_pattern(models: Registry) -> None:
    assert includes("anthropic/*", Ref("anthropic", "claude-opus-5"))
    assert includes("CLAUDE-*", Ref("anthropic", "claude-opus-5"))
    assert not includes("claude", Ref("anthropic", "claude-opus-5"))
    assert matching(models, ["acme/*:high"]) == {
        Ref("acme", one) for one in ("llama:8b", "a/b", "odd:high", "gpt-5.5")
    }
    assert matching(models, ["odd:high"]) == frozenset()
