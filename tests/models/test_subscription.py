"""A stored xAI subscription moves the xAI models to another wire API (S6.9)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from eukhe.core.default_model import Ref
from eukhe.core.effort import Level
from eukhe.models.bundled import PACKAGE_DIR
from eukhe.models.registry import Model, Registry
from eukhe.models.responses import options_of
from eukhe.models.speak import Ask

if TYPE_CHECKING:
    from pathlib import Path

SIGN_IN = {"type": "oauth", "access": "token", "refresh": "other", "expires": 1}


def registry(tmp_path: Path, stored: object, **providers: dict[str, Any]) -> Registry:
    text = stored if isinstance(stored, str) else json.dumps(stored)
    (tmp_path / "auth.json").write_text(text)
    (tmp_path / "models.json").write_text(json.dumps({"providers": providers}))
    return Registry.of(tmp_path, {PACKAGE_DIR: str(tmp_path)})


def model(found: Registry, provider: str, id_: str) -> Model:
    one = found.find(Ref(provider, id_))
    assert one is not None
    return one


def test_a_stored_subscription_moves_the_xai_models_and_no_others(tmp_path: Path) -> None:
    found = registry(tmp_path, {"xai": SIGN_IN, "groq": SIGN_IN})
    assert {one.entry.api for one in found.models("xai")} == {"openai-responses"}
    assert {one.entry.api for one in found.models("groq")} == {"openai-completions"}
    grok = model(found, "xai", "grok-4.6")
    assert " ".join(grok.levels) == "low medium high xhigh", "its own map counts"
    assert grok.entry.base_url == "https://api.x.ai/v1"


@pytest.mark.parametrize(
    "stored",
    [
        {},
        {"xai": {"type": "api_key", "key": "sk"}},
        {"xai": {"type": "oauth"}},
        {"xai": {"type": "oauth", "access": ""}},
        {"grok": SIGN_IN},
        "{",
    ],
)
def test_anything_else_leaves_them_where_they_are(tmp_path: Path, stored: object) -> None:
    found = registry(tmp_path, stored)
    assert {one.entry.api for one in found.models("xai")} == {"openai-completions"}


def test_a_moved_model_without_a_map_has_the_ladder_of_its_family_or_no_level(
    tmp_path: Path,
) -> None:
    added = [{"id": "grok-4.5-fast", "reasoning": True}, {"id": "grok-9", "reasoning": True}]
    found = registry(tmp_path, {"xai": SIGN_IN}, xai={"models": added})
    assert model(found, "xai", "grok-4.5-fast").entry.api == "openai-responses"
    assert model(found, "xai", "grok-4.5-fast").levels == ("low", "medium", "high")
    assert model(found, "xai", "grok-9").levels == (), "its map sets every level to null"
    assert model(found, "xai", "grok-4.20-non-reasoning").levels == ("off",)


def test_a_moved_model_is_told_its_effort_where_it_takes_one(tmp_path: Path) -> None:
    found = registry(tmp_path, {"xai": SIGN_IN})

    def told(id_: str, level: Level) -> object:
        return options_of(model(found, "xai", id_), Ask(level)).extra.get("reasoning")

    assert told("grok-4.6", Level.XHIGH) == {"effort": "xhigh"}
    assert told("grok-4.3", Level.OFF) == {"effort": "none"}
    assert model(found, "xai", "grok-4.20-reasoning").levels == ("high",)
    assert told("grok-4.20-reasoning", Level.HIGH) is None, "it thinks as it likes"


def test_a_model_whose_entry_names_its_api_stays_there(tmp_path: Path) -> None:
    added = [{"id": "grok-own", "api": "openai-completions", "reasoning": True}]
    found = registry(tmp_path, {"xai": SIGN_IN}, xai={"models": added})
    assert model(found, "xai", "grok-own").entry.api == "openai-completions"
    assert "off" in model(found, "xai", "grok-own").levels
