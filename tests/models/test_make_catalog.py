"""The script that makes the compiled catalog, on small data sets."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts/make_catalog.py"
FACTS: dict[str, Any] = {
    "mode": "chat",
    "supports_function_calling": True,
    "max_input_tokens": 200_000,
    "max_output_tokens": 64_000,
    "input_cost_per_token": 3e-07,
    "output_cost_per_token": 1.5e-06,
}


def made(tmp_path: Path, litellm: dict[str, Any], models_dev: dict[str, Any]) -> Path:
    (tmp_path / "litellm.json").write_text(json.dumps(litellm))
    (tmp_path / "models.json.gz").write_bytes(
        gzip.compress(json.dumps(models_dev).encode(), mtime=0)
    )
    out = tmp_path / "out"
    command = [sys.executable, str(SCRIPT), "--litellm", str(tmp_path / "litellm.json")]
    command += ["--models-dev", str(tmp_path / "models.json.gz"), "--out", str(out)]
    subprocess.run(command, check=True, capture_output=True)
    return out


def rows(out: Path, provider: str) -> dict[str, Any]:
    document = json.loads((out / f"{provider}.json").read_text())
    return {row["id"]: row for row in document["models"]}


def claude(**more: object) -> dict[str, Any]:
    return {**FACTS, "litellm_provider": "anthropic", **more}


def test_a_row_becomes_a_model_with_prices_a_million_tokens(tmp_path: Path) -> None:
    source = {
        "claude-x-1-5": claude(
            supports_adaptive_thinking=True, supports_vision=True, thinking_always_on=True
        ),
        "groq/a/b": {**FACTS, "litellm_provider": "groq", "cache_read_input_token_cost": 1e-08},
    }
    listed = {"groq": {"models": {"a/b": {"name": "Model B"}}}}
    out = made(tmp_path, source, listed)
    assert rows(out, "anthropic")["claude-x-1-5"] == {
        "id": "claude-x-1-5",
        "name": "Claude X 1.5",
        "reasoning": True,
        "input": ["text", "image"],
        "cost": [0.3, 1.5, 0.03, 0.375],
        "contextWindow": 200_000,
        "maxTokens": 64_000,
        "thinkingLevelMap": {"off": None},
    }
    assert rows(out, "groq")["a/b"]["name"] == "Model B"
    assert rows(out, "groq")["a/b"]["cost"] == [0.3, 1.5, 0.01, 0]
    assert json.loads((out / "index.json").read_text()) == {
        "anthropic": ["claude-x-1-5"],
        "groq": ["a/b"],
    }


@pytest.mark.parametrize(
    "more",
    [
        {"mode": "embedding"},
        {"supports_function_calling": False},
        {"max_output_tokens": None},
        {"deprecation_date": "2026-11-30"},
        {"litellm_provider": "nobody"},
    ],
    ids=str,
)
def test_what_cannot_be_used_is_left_out(more: dict[str, Any], tmp_path: Path) -> None:
    out = made(tmp_path, {"claude-a": claude(), "claude-b": claude(**more)}, {})
    assert list(rows(out, "anthropic")) == ["claude-a"]


def test_a_window_ends_at_the_step_of_the_price(tmp_path: Path) -> None:
    source = {
        "gpt-9": {
            **FACTS,
            "litellm_provider": "openai",
            "max_input_tokens": 900_000,
            "input_cost_per_token_above_272k_tokens": 1e-06,
        },
        "xai/grok-9": {**FACTS, "litellm_provider": "xai", "max_output_tokens": 200_000},
    }
    out = made(tmp_path, source, {})
    assert rows(out, "openai")["gpt-9"]["contextWindow"] == 272_000
    assert rows(out, "xai")["grok-9"]["maxTokens"] == 131_072


def test_a_resold_row_takes_what_it_leaves_out_from_the_maker(tmp_path: Path) -> None:
    limits = {key: value for key, value in FACTS.items() if "cost" not in key}
    source = {
        "gpt-9": {
            **FACTS,
            "litellm_provider": "openai",
            "supports_reasoning": True,
            "supports_none_reasoning_effort": True,
        },
        "chatgpt/gpt-9": {**limits, "litellm_provider": "chatgpt"},
    }
    row = rows(made(tmp_path, source, {}), "openai-codex")["gpt-9"]
    assert row["cost"] == [0.3, 1.5, 0, 0]
    assert row["thinkingLevelMap"] == {"off": "none", "minimal": None}


def test_the_same_sources_give_the_same_bytes(tmp_path: Path) -> None:
    rows_of_model = {
        "tool_call": True,
        "name": "M",
        "limit": {"context": 9000, "output": 9000},
        "modalities": {"input": ["text", "image"], "output": ["text"]},
        "cost": {"input": 1, "output": 2.5},
        "reasoning": True,
    }
    listed = {"openrouter": {"models": {"b/m": rows_of_model, "a/m": rows_of_model}}}
    first = made(tmp_path, {"claude-a": claude()}, listed)
    before = {path.name: path.read_bytes() for path in first.iterdir()}
    assert rows(first, "openrouter")["a/m"] == {
        "id": "a/m",
        "name": "M",
        "reasoning": True,
        "input": ["text", "image"],
        "cost": [1, 2.5, 0, 0],
        "contextWindow": 9000,
        "maxTokens": 9000,
    }
    again = made(tmp_path, {"claude-a": claude()}, listed)
    assert {path.name: path.read_bytes() for path in again.iterdir()} == before
    manifest = json.loads(before["manifest.json"])
    assert [source["version"] for source in manifest["sources"]] == [None, None]
