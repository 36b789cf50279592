"""The bundled catalog: its strict parse, the pinned transports, and the union with the compiled one (C1)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from eukhe.models.builtin import BuiltIn
from eukhe.models.bundled import FILE, PACKAGE_DIR, Bundle, bundle_path, load_bundle
from eukhe.models.compiled import compiled, every_compiled

if TYPE_CHECKING:
    from pathlib import Path

ROW: dict[str, Any] = {
    "id": "claude-next",
    "name": "Claude Next",
    "api": "anthropic-messages",
    "provider": "anthropic",
    "baseUrl": "https://api.anthropic.com",
    "reasoning": True,
    "input": ["text", "image"],
    "cost": {"input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 1.25},
    "contextWindow": 100_000,
    "maxTokens": 10_000,
}


def bundle(tmp_path: Path, *rows: dict[str, Any], **more: object) -> Bundle:
    path = tmp_path / FILE
    path.write_text(json.dumps({"schemaVersion": 1, "models": list(rows), **more}))
    return load_bundle(path)


def test_a_bundled_model_that_the_compiled_catalog_lacks_comes_first(tmp_path: Path) -> None:
    found = BuiltIn(bundle(tmp_path, ROW, generated="by hand"))
    assert [one.id for one in found.models("anthropic")][:2] == ["claude-next", "claude-fable-5"]
    assert found.every()[0].name == "Claude Next"
    assert found.ids["anthropic"][0] == "claude-next"
    assert found.bundle.message == ""


def test_a_bundle_without_a_compiled_model_keeps_it(tmp_path: Path) -> None:
    found = BuiltIn(bundle(tmp_path, ROW))
    assert "claude-haiku-5-5" in {one.id for one in found.models("anthropic")}
    assert len(found.every()) == len(every_compiled()) + 1
    assert found.models("groq") == compiled("groq")


def test_a_bundled_model_fills_its_gaps_from_the_compiled_one(tmp_path: Path) -> None:
    found = BuiltIn(bundle(tmp_path, {**ROW, "id": "claude-opus-5-5", "name": "New name"}))
    one = found.models("anthropic")[0]
    assert (one.id, one.name, one.context_window) == ("claude-opus-5-5", "New name", 100_000)
    assert one.thinking_level_map == {"off": None, "xhigh": "xhigh", "max": "max"}
    assert len(found.every()) == len(every_compiled())


def test_without_a_bundle_the_catalog_is_the_compiled_one(tmp_path: Path) -> None:
    found = BuiltIn.of({PACKAGE_DIR: str(tmp_path)})
    assert found.bundle.path == tmp_path / FILE
    assert found.every() == every_compiled()
    assert bundle_path({}).parent.name == "eukhe"


DAMAGE = [
    ({"id": ""}, 'models[0].id: expected a text of 1 to 1024 characters, found ""'),
    ({"name": "a\nb"}, "models[0].name: expected a text without control characters"),
    ({"reasoning": 1}, "models[0].reasoning: expected true or false, found 1"),
    ({"input": ["audio"]}, "models[0].input: expected a list of some of text, image, each once"),
    ({"input": []}, "models[0].input: expected a list of some of text, image, each once"),
    ({"cost": {"input": 1}}, "models[0].cost.output: expected a number from 0 to 1e+06, and it is"),
    ({"cost": {**ROW["cost"], "input": -1}}, "models[0].cost.input: expected a number from 0"),
    (
        {"contextWindow": 0},
        "models[0].contextWindow: expected a whole number from 1 to 100,000,000",
    ),
    ({"maxTokens": True}, "models[0].maxTokens: expected a whole number from 1"),
    ({"headers": {}}, "models[0].headers: there is no such key"),
    ({"thinkingLevelMap": {"huge": None}}, "models[0].thinkingLevelMap.huge: there is no such key"),
    ({"thinkingLevelMap": {"max": ""}}, "models[0].thinkingLevelMap.max: expected a text of 1 to"),
    (
        {"compat": {"supportsStor": True}},
        "models[0].compat.supportsStor: there is no such key; did",
    ),
    ({"compat": {"supportsStore": "no"}}, "models[0].compat.supportsStore: expected true or false"),
    (
        {"baseUrl": "https://evil.example"},
        "models[0].baseUrl: this eukhe has no transport anthropic-messages at https://evil.example for anthropic",
    ),
    ({"api": "openai-completions"}, "models[0].baseUrl: this eukhe has no transport openai-comp"),
    ({"provider": "acme"}, "models[0].baseUrl: this eukhe has no transport anthropic-messages at"),
]


@pytest.mark.parametrize(("more", "message"), DAMAGE, ids=lambda one: str(one)[:40])
def test_one_bad_row_damages_the_whole_file(
    more: dict[str, Any], message: str, tmp_path: Path
) -> None:
    found = bundle(tmp_path, {**ROW, **more}, {**ROW, "id": "claude-other"})
    assert found.models is None
    assert found.faults[0].text.startswith(message)
    assert BuiltIn(found).every() == every_compiled()
    assert f"{found.path} is damaged, so the compiled catalog is used alone" in found.message


def test_a_model_that_stands_twice_damages_the_file(tmp_path: Path) -> None:
    found = bundle(tmp_path, ROW, ROW)
    assert [fault.text for fault in found.faults] == [
        "models[1].id: anthropic/claude-next stands twice"
    ]


def test_a_file_of_another_form_is_damaged(tmp_path: Path) -> None:
    assert bundle(tmp_path).faults[0].text == "models: expected 1 to 20,000 models, found 0"
    assert "schemaVersion" in bundle(tmp_path, ROW, schemaVersion=2).message
    (tmp_path / FILE).write_text("{")
    assert "line 1, column 2" in load_bundle(tmp_path / FILE).message
