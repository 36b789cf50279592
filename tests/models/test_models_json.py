"""`models.json`: providers one by one, every mistake named by `providers.ID`, keys never shown (S6)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from eukhe.core.catalog import Cost
from eukhe.models.custom import FILE, ModelsConfig, load_models_json
from eukhe.models.jsonc import plain_json

if TYPE_CHECKING:
    from pathlib import Path

LOCAL: dict[str, Any] = {
    "baseUrl": "http://127.0.0.1:8080/v1",
    "api": "openai-completions",
    "apiKey": "none",
    "models": [{"id": "m", "contextWindow": 32_000}],
}


def load(tmp_path: Path, document: object, environ: dict[str, str] | None = None) -> ModelsConfig:
    path = tmp_path / "models.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return load_models_json(path, environ or {})


def said(config: ModelsConfig) -> list[str]:
    return [
        f"{one.id or 'file'}{' dropped' if one.dropped else ''}: {one.message}"
        for one in config.diagnostics
    ]


def test_a_sound_entry_has_what_the_file_says_and_the_defaults(tmp_path: Path) -> None:
    model = {
        "id": "big",
        "name": "Big",
        "reasoning": True,
        "input": ["text", "image"],
        "cost": {"input": 1, "cacheRead": 0.1},
        "contextWindow": 64_000,
        "maxTokens": 8_000,
        "thinkingLevelMap": {"high": "hi", "low": None},
        "compat": {"supportsStore": True, "vllmPriority": 1},
        "headers": {"x": "$Y"},
        "baseUrl": "http://10.0.0.1/v1/",
    }
    document = {
        "providers": {"acme": {**LOCAL, "name": "Acme", "models": [*LOCAL["models"], model]}}
    }
    config = load(tmp_path, document)
    assert said(config) == []
    acme = config.providers["acme"]
    small, big = acme.models
    assert (acme.name, acme.api_key, acme.base_url) == ("Acme", "none", LOCAL["baseUrl"])
    assert (small.name, small.reasoning, small.input) == ("m", False, ("text",))
    assert (small.context_window, small.max_tokens, small.cost) == (32_000, 16_384, Cost())
    assert small.api == "openai-completions"
    assert big.cost == Cost(1, 0, 0.1, 0)
    assert big.thinking_level_map == {"high": "hi", "low": None}
    assert big.base_url == "http://10.0.0.1/v1"
    assert (big.compat, big.headers) == ({"supportsStore": True, "vllmPriority": 1}, {"x": "$Y"})


def test_a_bad_entry_drops_only_that_provider(tmp_path: Path) -> None:
    bad = {**LOCAL, "models": [{"id": ""}, {"id": "n", "contextWindow": "big"}]}
    config = load(tmp_path, {"providers": {"a": LOCAL, "b": bad, "c": LOCAL}})
    assert list(config.providers) == ["a", "c"]
    dropped = [one for one in config.diagnostics if one.dropped]
    assert {one.id for one in dropped} == {"providers.b"}
    assert [one.message for one in dropped] == [
        'providers.b.models[0].id: expected a text of 1 to 1024 characters, found ""',
        'providers.b.models[1].contextWindow: expected a whole number from 1 to 100,000,000, found "big"',
    ]
    assert dropped[0].text.endswith("; providers.b is not used")


MISTAKES = [
    (
        {"baseUrl": None},
        "providers.acme.baseUrl: expected a text of 1 to 2048 characters, found null",
    ),
    (
        {"baseUrl": "localhost:8080"},
        "providers.acme.baseUrl: expected an address such as https://api",
    ),
    ({"baseUrl": ...}, "providers.acme.baseUrl: it is missing; write the server's address"),
    (
        {"api": ...},
        "providers.acme.api: it is missing; one of openai-completions, openai-responses",
    ),
    ({"api": "openai"}, "providers.acme.api: expected one of openai-completions"),
    ({"apiKey": ...}, "providers.acme.apiKey: it is missing; write a variable ($NAME), a text"),
    ({"apiKey": ""}, "providers.acme.apiKey: expected a text that is not empty"),
    ({"apiKey": ["sk-secret"]}, "providers.acme.apiKey: expected a text that is not empty"),
    ({"headers": {"x": 5}}, "providers.acme.headers.x: expected a text"),
    ({"headers": {"x": ["sk-secret"]}}, "providers.acme.headers.x: expected a text"),
    (
        {"compat": {"thinkingFormat": "omp"}},
        "providers.acme.compat.thinkingFormat: expected one of",
    ),
    ({"compat": []}, "providers.acme.compat: expected an object, found a list"),
    (
        {"compat": {"openRouterRouting": ["a"]}},
        "providers.acme.compat.openRouterRouting: expected an object, found a list",
    ),
    ({"compat": {"vllmPriority": True}}, "providers.acme.compat.vllmPriority: expected a whole"),
    (
        {"compat": {"supportsThinkingTokenBudget": "yes"}},
        "providers.acme.compat.supportsThinkingTokenBudget: expected true or false",
    ),
    (
        {"compat": {"chatTemplateKwargs": {"a": {"$var": "thinking"}}}},
        "providers.acme.compat.chatTemplateKwargs.a.$var: expected one of thinking.enabled, thinking.effort",
    ),
    (
        {"compat": {"chatTemplateArgs": {"a": []}}},
        "providers.acme.compat.chatTemplateArgs.a: expected a text, a number",
    ),
    ({"authHeader": "yes"}, 'providers.acme.authHeader: expected true or false, found "yes"'),
    ({"models": {}}, "providers.acme.models: expected a list of objects, found an object"),
    ({"models": ["m"]}, 'providers.acme.models[0]: expected an object, found "m"'),
    (
        {"models": [{}]},
        "providers.acme.models[0].id: expected a text of 1 to 1024 characters, and it",
    ),
    (
        {"models": [{"id": "a"}, {"id": "a"}]},
        "providers.acme.models[0].id: a stands twice; ids are",
    ),
    (
        {"models": [{"id": "a", "reasoning": "no"}]},
        "providers.acme.models[0].reasoning: expected true",
    ),
    (
        {"models": [{"id": "a", "input": ["video"]}]},
        "providers.acme.models[0].input: expected a list",
    ),
    (
        {"models": [{"id": "a", "cost": {"input": -1}}]},
        "providers.acme.models[0].cost.input: expected a",
    ),
    (
        {"models": [{"id": "a", "maxTokens": 0}]},
        "providers.acme.models[0].maxTokens: expected a whole",
    ),
    (
        {"models": [{"id": "a", "thinkingLevelMap": {"hi": "x"}}]},
        "providers.acme.models[0].thinkingLevelMap.hi: there is no such key; did you mean high?",
    ),
    (
        {"models": [{"id": "a", "thinkingLevelMap": {"high": 1}}]},
        "providers.acme.models[0].thinkingLevelMap.high: expected a text or null, found 1",
    ),
    ({"modelOverrides": {"a": {}}}, "providers.acme.modelOverrides: acme is no built-in provider"),
    ({"models": []}, None),
]


@pytest.mark.parametrize(("change", "message"), MISTAKES, ids=lambda one: str(one)[:50])
def test_every_mistake_is_named_by_its_path(
    change: dict[str, Any], message: str | None, tmp_path: Path
) -> None:
    entry = {key: value for key, value in {**LOCAL, **change}.items() if value is not ...}
    config = load(tmp_path, {"providers": {"acme": entry, "other": LOCAL}})
    dropped = [one.message for one in config.diagnostics if one.dropped]
    assert ([one[: len(message or "")] for one in dropped]) == ([message] if message else [])
    assert ("acme" in config.providers) is (message is None)
    assert "other" in config.providers
    assert not any("sk-secret" in one.text for one in config.diagnostics)


def test_an_entry_that_changes_nothing_is_a_mistake(tmp_path: Path) -> None:
    config = load(
        tmp_path,
        {"providers": {"anthropic": {"name": "A"}, "acme": 5, "openai": {"baseUrl": "http://h"}}},
    )
    assert list(config.providers) == ["openai"]
    assert [one.message[:60] for one in config.diagnostics] == [
        "providers.anthropic: expected models, or one of baseUrl, api",
        "providers.acme: expected an object, found 5",
    ]


def test_what_is_probably_not_meant_is_told_and_used_all_the_same(tmp_path: Path) -> None:
    document = {
        "providers": {
            "acme": {
                **LOCAL,
                "apiKey": "ACME_KEY",
                "baseUrl": "http://localhost:8080/v1/chat/completions",
                "models": [{"id": "m", "maxTokens": 128_000, "contextWindw": 5}],
            },
            "anthropic": {"models": [{"id": "claude-opus-5"}]},
        }
    }
    config = load(tmp_path, document)
    assert list(config.providers) == ["acme", "anthropic"]
    assert config.providers["acme"].base_url == "http://localhost:8080/v1"
    assert not any(one.dropped for one in config.diagnostics)
    text = "\n".join(one.text for one in config.diagnostics)
    assert "providers.acme.baseUrl: it ends in /chat/completions, which eukhe adds itself" in text
    assert (
        "providers.acme.apiKey: it is spelled like an environment variable that is not set" in text
    )
    assert "models[0].contextWindw: there is no such key; did you mean contextWindow?" in text
    assert "models[0].contextWindow: it is missing, so 128,000 tokens are taken" in text
    assert "models[0].maxTokens: a reply of 128,000 tokens leaves nothing of the window" in text
    assert "it replaces the whole built-in row of claude-opus-5; modelOverrides" in text
    assert "ACME_KEY" not in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1, column 2: Expecting property name enclosed in double quotes"),
        (
            '{"providers": []}',
            'providers: expected an object, found a list; write {"providers": {"ID"',
        ),
        ("[]", 'expected an object, found a list; write {"providers": {"ID": {...}}}'),
        ('{\n// a comment\n"providers": {"a": }\n}', "line 3, column 20: Expecting value"),
        ('{"providers": {"a": {}, "a": {}}}', 'the key "a" stands twice in one object'),
    ],
)
def test_a_file_that_cannot_be_read_is_one_diagnostic(
    text: str, message: str, tmp_path: Path
) -> None:
    config = load(tmp_path, text)
    assert config.providers == {}
    (only,) = config.diagnostics
    assert (only.id, only.dropped) == ("", True)
    assert only.message.startswith(message)
    (tmp_path / "models.json").unlink()
    (tmp_path / "models.json").mkdir()
    (only,) = load_models_json(tmp_path / "models.json", {}).diagnostics
    assert only.id == ""


def test_no_file_gives_nothing_and_says_nothing(tmp_path: Path) -> None:
    config = load_models_json(tmp_path / "models.json", {})
    assert (config.providers, config.diagnostics) == ({}, ())


def test_comments_and_trailing_commas_are_read(tmp_path: Path) -> None:
    text = """{
      // my server
      "providers": { /* one */
        "acme": {"baseUrl": "http://127.0.0.1:1/v1", "api": "openai-completions", "apiKey": "a,}//b",
                 "models": [{"id": "x//y", "contextWindow": 9000, "maxTokens": 100,},],},
      },
    }"""
    config = load(tmp_path, text)
    assert said(config) == []
    assert config.providers["acme"].models[0].id == "x//y"
    assert config.providers["acme"].api_key == "a,}//b"
    assert len(plain_json(text)) == len(text)


def test_a_byte_order_mark_is_told(tmp_path: Path) -> None:
    (only,) = load(tmp_path, '\ufeff{"providers": {}}').diagnostics
    assert only.message == "it begins with a byte order mark; save it as UTF-8 without one"


@pytest.mark.parametrize(
    ("id_", "shown"),
    [
        ("", 'providers.""'),
        ("a/b", "providers.a/b"),
        (" a", "providers. a"),
        ("\x1b[31mred", 'providers."\\u001b[31mred"'),
        ("x\ud800", 'providers."x\\ud800"'),
        ("a" * 129, f"providers.{'a' * 129}"),
    ],
)
def test_an_id_that_cannot_stand_before_a_model_is_told_and_the_others_stay(
    tmp_path: Path, id_: str, shown: str
) -> None:
    path = tmp_path / FILE
    path.write_text(json.dumps({"providers": {id_: LOCAL, "good": LOCAL}}))
    found = load_models_json(path, {})
    assert tuple(found.providers) == ("good",)
    (only,) = (one for one in found.diagnostics if one.dropped)
    assert only.id == shown
    assert only.said == (
        f"{shown}: expected an id of 1 to 128 characters without / and control characters; "
        f"{shown} is not used"
    )


def test_a_key_that_nothing_reads_is_told_and_the_provider_is_used(tmp_path: Path) -> None:
    row = {"id": "a", "contextWindow": 9000, "cost": {"inputs": 1, "tiers": []}}
    compat = {"supportsStor": True, "supportsToolSearch": True, "later": 1}
    config = load(tmp_path, {"providers": {"acme": {**LOCAL, "compat": compat, "models": [row]}}})
    told = [one.message for one in config.diagnostics]
    assert [one.partition(";")[0] for one in told] == [
        "providers.acme.models[0].cost.inputs: there is no such key",
        "providers.acme.compat.supportsStor: there is no such key",
        "providers.acme.compat.later: there is no such key",
    ]
    assert "did you mean supportsStore?" in told[1]
    assert (config.providers["acme"].compat or {})["later"] == 1
