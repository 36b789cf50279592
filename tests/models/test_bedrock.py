"""A model as Bedrock sees it: effort or budget, block binding, cache points, regions (S6.13)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from eukhe.core.effort import Level
from eukhe.models.bedrock import (
    converse_compat,
    is_gov_cloud,
    options_of,
    region_of,
    stream_of,
)
from eukhe.models.bundled import PACKAGE_DIR
from eukhe.models.registry import Registry
from eukhe.models.speak import Ask
from tests.models.test_registry import model

if TYPE_CHECKING:
    from pathlib import Path

    from eukhe.models.registry import Model

_BINDING = {"prefix_mismatch_behavior": "drop_block"}
_ROW: dict[str, Any] = {"reasoning": True, "contextWindow": 200_000, "maxTokens": 64_000}


def found(tmp_path: Path, id_: str, row: dict[str, Any] | None = None, **environ: str) -> Model:
    models = [] if row is None else [{"id": id_, **row}]
    providers = {"amazon-bedrock": {"models": models}} if models else {}
    (tmp_path / "models.json").write_text(json.dumps({"providers": providers}))
    registry = Registry.of(tmp_path, {PACKAGE_DIR: str(tmp_path), **environ})
    return model(registry, "amazon-bedrock", id_)


def fields(one: Model, level: Level, **more: Any) -> Any:
    return options_of(one, Ask(level, **more)).extra.get("additionalModelRequestFields")


def test_an_adaptive_model_thinks_by_effort_with_its_blocks_bound(tmp_path: Path) -> None:
    one = found(tmp_path, "us.anthropic.claude-opus-5-5")
    thinking = {"type": "adaptive", "display": "summarized", "block_binding": _BINDING}
    assert fields(one, Level.MINIMAL) == {"thinking": thinking, "output_config": {"effort": "low"}}
    assert fields(one, Level.MAX)["output_config"] == {"effort": "max"}


def test_the_model_s_own_word_for_a_level_is_its_effort(tmp_path: Path) -> None:
    row = {**_ROW, "thinkingLevelMap": {"xhigh": "xhigh", "medium": "mid"}}
    one = found(tmp_path, "us.anthropic.claude-opus-5-x", row)
    assert fields(one, Level.XHIGH)["output_config"] == {"effort": "xhigh"}
    assert fields(one, Level.MEDIUM)["output_config"] == {"effort": "mid"}
    assert fields(one, Level.HIGH)["output_config"] == {"effort": "high"}
    assert fields(one, Level.OFF) == {"thinking": {"type": "disabled"}}


def test_the_4_6_line_is_adaptive_without_bound_blocks(tmp_path: Path) -> None:
    one = found(tmp_path, "anthropic.claude-opus-4-6-v1", _ROW)
    assert fields(one, Level.HIGH)["thinking"] == {"type": "adaptive", "display": "summarized"}


@pytest.mark.parametrize(
    ("id_", "environ"),
    [
        ("us-gov.anthropic.claude-opus-5-5", {}),
        ("us.anthropic.claude-opus-5-5", {"AWS_REGION": "us-gov-west-1"}),
    ],
)
def test_gov_cloud_gets_neither_display_nor_bound_blocks(
    id_: str, environ: dict[str, str], tmp_path: Path
) -> None:
    one = found(tmp_path, id_, None, **environ)
    assert is_gov_cloud(one)
    assert fields(one, Level.HIGH)["thinking"] == {"type": "adaptive"}


def test_an_older_model_thinks_by_a_budget_on_top_of_its_answer(tmp_path: Path) -> None:
    one = found(tmp_path, "anthropic.claude-sonnet-4-20250514-v1:0", _ROW)
    options = options_of(one, Ask(Level.LOW))
    assert options.extra["additionalModelRequestFields"] == {
        "thinking": {"type": "enabled", "budget_tokens": 2048},
        "anthropic_beta": ["interleaved-thinking-2025-05-14"],
    }
    assert options.max_tokens == 64_000
    own = fields(one, Level.LOW, budgets={"low": 5000})
    assert own["thinking"]["budget_tokens"] == 5000
    small = found(tmp_path, "anthropic.claude-sonnet-4-x", {**_ROW, "maxTokens": 1500})
    assert fields(small, Level.LOW) == {"thinking": {"type": "disabled"}}


def test_forced_adaptive_thinking_wins_over_the_rulebook(tmp_path: Path) -> None:
    arn = "arn:aws:bedrock:us-east-1:1:application-inference-profile/abc"
    one = found(tmp_path, arn, {**_ROW, "compat": {"forceAdaptiveThinking": True}})
    assert fields(one, Level.HIGH)["thinking"]["type"] == "adaptive"
    named = found(tmp_path, arn, {**_ROW, "name": "Claude Opus 5.5"})
    assert fields(named, Level.HIGH)["thinking"]["block_binding"] == _BINDING


def test_other_models_get_only_what_the_user_says_they_take(tmp_path: Path) -> None:
    assert fields(found(tmp_path, "openai.gpt-oss-120b-1:0"), Level.HIGH) is None
    for form, sent in (
        ("openai", {"reasoning_effort": "high"}),
        ("openrouter", {"reasoning": {"effort": "high"}}),
    ):
        row = {**_ROW, "compat": {"thinkingFormat": form}}
        one = found(tmp_path, "openai.gpt-oss-x", row)
        assert fields(one, Level.HIGH) == sent
        assert fields(one, Level.OFF) is None


@pytest.mark.parametrize(
    ("id_", "environ", "caches"),
    [
        ("us.anthropic.claude-opus-5-5", {}, True),
        ("anthropic.claude-opus-4-6-v1", {}, True),
        ("anthropic.claude-haiku-4-5-x", {}, True),
        ("anthropic.claude-3-haiku-x", {}, False),
        ("anthropic.claude-3-haiku-x", {"AWS_BEDROCK_FORCE_CACHE": "1"}, False),
        ("amazon.nova-x", {}, False),
        ("amazon.nova-x", {"AWS_BEDROCK_FORCE_CACHE": "1"}, True),
        ("amazon.nova-x", {"AWS_BEDROCK_FORCE_CACHE": "0"}, False),
    ],
)
def test_cache_points_are_the_family_s_or_forced_where_no_rule_knows(
    id_: str, environ: dict[str, str], caches: bool, tmp_path: Path
) -> None:
    assert converse_compat(found(tmp_path, id_, _ROW, **environ)).cache_points is caches


def test_the_settings_of_a_model_are_those_of_the_rulebook(tmp_path: Path) -> None:
    opus = converse_compat(found(tmp_path, "us.anthropic.claude-opus-5-5"))
    assert (opus.forced_choice, opus.temperature, opus.strict) == (False, False, False)
    assert opus.strict_cap == 6
    own = {**_ROW, "compat": {"supportsStrictMode": True, "supportsLongCacheRetention": False}}
    told = converse_compat(found(tmp_path, "amazon.nova-x", own))
    assert (told.strict, told.long_cache, told.temperature) == (True, False, True)


@pytest.mark.parametrize(
    ("environ", "region"),
    [
        ({}, "us-east-1"),
        ({"AWS_REGION": "eu-west-3"}, "eu-west-3"),
        ({"AWS_ENDPOINT_URL_BEDROCK_RUNTIME": "http://127.0.0.1:1"}, "us-east-1"),
        (
            {"AWS_ENDPOINT_URL_BEDROCK_RUNTIME": "http://127.0.0.1:1", "AWS_DEFAULT_REGION": "x-1"},
            "x-1",
        ),
    ],
)
def test_requests_are_signed_for_the_region_of_the_address(
    environ: dict[str, str], region: str, tmp_path: Path
) -> None:
    one = found(tmp_path, "us.anthropic.claude-opus-5-5", None, **environ)
    stream: Any = stream_of(one)
    assert region_of(one) == stream.keywords["region"] == region
    assert "secret" not in repr(found(tmp_path, one.entry.id, AWS_SECRET_ACCESS_KEY="secret"))
