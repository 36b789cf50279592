"""A model as Google's generateContent sees it: levels, budgets and the length of a reply (S6.13)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from eukhe.core.effort import Level
from eukhe.models.google import google_compat, options_of
from eukhe.models.speak import Ask, speaker
from eukhe.models.vertex import credentials_file
from tests.models.test_registry import model, registry

if TYPE_CHECKING:
    from eukhe.models.registry import Model

CUSTOM = {"baseUrl": "http://127.0.0.1:9", "api": "google-generative-ai", "apiKey": "k"}


def built_in(tmp_path: Path, id_: str, provider: str = "google") -> Model:
    return model(registry(tmp_path), provider, id_)


def custom(tmp_path: Path, id_: str = "m", **more: object) -> Model:
    entry = {**CUSTOM, "models": [{"id": id_, "reasoning": True, **more}]}
    return model(registry(tmp_path, acme=entry), "acme", id_)


def thinking(one: Model, level: Level, **more: Any) -> object:
    extra = options_of(one, Ask(level, **more)).extra
    generation = extra.get("generationConfig")
    return generation["thinkingConfig"] if isinstance(generation, dict) else generation


def budget(tokens: int) -> dict[str, Any]:
    return {"includeThoughts": True, "thinkingBudget": tokens}


@pytest.mark.parametrize(
    ("id_", "level", "word"),
    [
        ("gemini-3.1-pro-preview", Level.LOW, "LOW"),
        ("gemini-3.1-pro-preview", Level.HIGH, "HIGH"),
        ("gemini-3-flash-preview", Level.MINIMAL, "MINIMAL"),
        ("gemini-3-flash-preview", Level.MEDIUM, "MEDIUM"),
    ],
)
def test_a_level_model_is_sent_a_level(tmp_path: Path, id_: str, level: Level, word: str) -> None:
    for provider in ("google", "google-vertex"):
        one = built_in(tmp_path, id_, provider)
        assert thinking(one, level) == {"includeThoughts": True, "thinkingLevel": word}
        assert google_compat(one).signed_calls
        assert google_compat(one).api == one.entry.api


def test_levels_above_high_are_high_and_the_maps_word_wins(tmp_path: Path) -> None:
    levels = {"xhigh": "high", "max": "HIGH", "low": "minimal"}
    one = custom(tmp_path, "gemini-3-x", thinkingLevelMap=levels)
    found = [thinking(one, level) for level in (Level.XHIGH, Level.MAX, Level.LOW)]
    assert [one["thinkingLevel"] for one in found if isinstance(one, dict)] == [
        "HIGH",
        "HIGH",
        "MINIMAL",
    ]


def test_off_is_the_least_that_a_level_model_can_think_and_is_not_shown(tmp_path: Path) -> None:
    assert thinking(custom(tmp_path, "gemini-3-x"), Level.OFF) == {"thinkingLevel": "MINIMAL"}
    pro = custom(tmp_path, "gemini-3-y", thinkingLevelMap={"minimal": None})
    assert thinking(pro, Level.OFF) == {"thinkingLevel": "LOW"}


@pytest.mark.parametrize(
    ("id_", "budgets"),
    [
        ("gemini-2.5-pro", (128, 2048, 8192, 32768)),
        ("gemini-2.5-flash", (128, 2048, 8192, 24576)),
        ("gemini-2.5-flash-lite", (512, 2048, 8192, 24576)),
    ],
)
def test_a_budget_model_is_sent_the_rules_budget(
    tmp_path: Path, id_: str, budgets: tuple[int, ...]
) -> None:
    one = built_in(tmp_path, id_)
    levels = (Level.MINIMAL, Level.LOW, Level.MEDIUM, Level.HIGH)
    assert [thinking(one, level) for level in levels] == [budget(tokens) for tokens in budgets]
    assert not google_compat(one).signed_calls


def test_the_users_budget_wins_inside_the_bounds_of_the_rule(tmp_path: Path) -> None:
    one = built_in(tmp_path, "gemini-2.5-flash-lite")
    assert thinking(one, Level.LOW, budgets={"low": 3000}) == budget(3000)
    assert thinking(one, Level.LOW, budgets={"low": 1}) == budget(512)
    assert thinking(one, Level.LOW, budgets={"low": 10**6}) == budget(24576)
    assert thinking(one, Level.LOW, budgets={"high": 1}) == budget(2048)


def test_a_model_with_no_rule_is_sent_the_users_budget_or_decides_by_itself(tmp_path: Path) -> None:
    one = custom(tmp_path)
    assert thinking(one, Level.LOW) == budget(-1)
    assert thinking(one, Level.LOW, budgets={"low": 7}) == budget(7)


def test_off_is_no_budget_and_a_plain_model_is_sent_nothing(tmp_path: Path) -> None:
    assert thinking(built_in(tmp_path, "gemini-2.5-flash"), Level.OFF) == {"thinkingBudget": 0}
    assert thinking(custom(tmp_path, reasoning=False), Level.OFF) is None


def test_a_reply_has_room_for_what_the_model_thinks(tmp_path: Path) -> None:
    one = built_in(tmp_path, "gemini-2.5-flash")
    assert options_of(one, Ask(Level.HIGH)).max_tokens == 65536
    assert options_of(one, Ask(Level.OFF)).max_tokens == 32_000
    assert options_of(custom(tmp_path), Ask(Level.LOW)).max_tokens is None
    assert options_of(custom(tmp_path, maxTokens=99), Ask(Level.LOW)).max_tokens == 99


def test_the_speaker_is_found(tmp_path: Path) -> None:
    one = built_in(tmp_path, "gemini-2.5-flash")
    assert callable(speaker("google-generative-ai").stream_of(one))
    one = built_in(tmp_path, "gemini-3-flash-preview", "google-vertex")
    assert callable(speaker("google-vertex").stream_of(one))
    assert speaker("google-vertex").options_of(one, Ask(session="s")).session == "s"


def test_the_credentials_file_is_the_one_that_is_named_else_gclouds(tmp_path: Path) -> None:
    name = "application_default_credentials.json"
    assert credentials_file({}) is None
    assert credentials_file({"HOME": str(tmp_path)}) is None
    usual = tmp_path / ".config" / "gcloud" / name
    usual.parent.mkdir(parents=True)
    usual.write_text("{}")
    assert credentials_file({"HOME": str(tmp_path)}) == usual
    own = tmp_path / name
    own.write_text("{}")
    assert credentials_file({"HOME": str(tmp_path), "CLOUDSDK_CONFIG": str(tmp_path)}) == own
    named = {"HOME": str(tmp_path), "GOOGLE_APPLICATION_CREDENTIALS": "/not/there"}
    assert credentials_file(named) == Path("/not/there")
