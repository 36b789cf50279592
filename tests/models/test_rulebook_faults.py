"""A rulebook with mistakes is refused, and each mistake is named by its path (S6.1)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from eukhe.core.quirks import capability
from eukhe.core.quirks_directives import Capability
from eukhe.core.quirks_types import ModelKey
from eukhe.models.rulebook import RulebookError, read_rulebook, shipped_quirks

if TYPE_CHECKING:
    from pathlib import Path

DEFAULTS = {
    "ladders": {"reasoning": ["off", "high"], "plain": ["off"]},
    "budgets": {"minimal": 1, "low": 2, "medium": 3, "high": 4},
}


def faults(path: Path, **document: object) -> list[str]:
    path.write_text(json.dumps({"thinking_defaults": DEFAULTS, **document}))
    with pytest.raises(RulebookError) as failed:
        read_rulebook(path, {"list_models": ("openai",)})
    return [fault.text for fault in failed.value.faults]


def rule(target: str, layer: str = "model", **given: object) -> dict[str, object]:
    return {"layer": layer, "target": target, "directives": given}


MISTAKES = [
    (
        {"familys": []},
        "familys: there is no such key; did you mean families?",
    ),
    ({"rules": {}}, "rules: expected a list of objects, found an object"),
    ({"rules": [7]}, "rules[0]: expected an object, found 7"),
    (
        {"rules": [{"layer": "hosts", "target": "m", "directives": {}}]},
        'rules[0].layer: expected one of family, model, host, found "hosts"',
    ),
    (
        {"rules": [{"layer": "model", "target": "m"}]},
        "rules[0].directives: expected an object of directives, and it is missing",
    ),
    (
        {"rules": [rule("m", supports_stor=True)]},
        "rules[0].directives.supports_stor: there is no directive supports_stor; did you mean supports_store?",
    ),
    (
        {"rules": [rule("m", strict_cap=True)]},
        "rules[0].directives.strict_cap: expected a whole number of at least 0",
    ),
    (
        {"rules": [rule("m", thinking_format="omp")]},
        "rules[0].directives.thinking_format: expected one of openai, openrouter, deepseek, together, baseten, "
        "zai, qwen, chat-template, qwen-chat-template, string-thinking, ant-ling",
    ),
    (
        {"rules": [rule("m", thinking_ladder={"hi": None})]},
        "rules[0].directives.thinking_ladder: expected a map from thinking levels to strings or null",
    ),
    (
        {"rules": [rule("m", supports_store=True), rule("m", supports_store=False)]},
        "rules[1].directives.supports_store: an earlier row gives model m another value; keep one of the two",
    ),
    (
        {"rules": [rule("m", embed="openai")]},
        "rules[0].directives.embed: this eukhe does not implement that dialect; expected false",
    ),
    (
        {"rules": [rule("m", list_models="acme")]},
        "rules[0].directives.list_models: this eukhe does not implement that dialect; "
        "expected one of openai, or false",
    ),
    ({"rules": [rule("acme", "host")]}, "rules[0]: no host acme is declared in this rulebook"),
    (
        {
            "hosts": [{"id": "a", "scope": "capabilities"}],
            "rules": [rule("a", "host", supports_store=True)],
        },
        "rules[0].directives.supports_store: the host a has the scope capabilities, so it sets only the "
        "operations and prompt_progress",
    ),
    (
        {"hosts": [{"id": "a"}, {"id": "a"}]},
        "hosts[1]: an earlier row declares a; ids are unique",
    ),
    (
        {"hosts": [{"id": "a", "apis": ["x"]}, {"id": "b", "apis": ["x"]}]},
        "hosts[1]: an earlier host speaks the same wire API; one host owns it",
    ),
    (
        {"hosts": [{"id": "a", "providers": ["x"]}, {"id": "b", "providers": ["x"]}]},
        "hosts[1]: an earlier host names the same provider; one host owns it",
    ),
    (
        {"families": [{"id": "a", "pattern": "("}]},
        "families[0]: a pattern of a is no regular expression",
    ),
    (
        {"families": [{"id": "a", "pattern": "a", "revision": "3 or so"}]},
        "families[0]: 3 or so is no revision range; expected bounds such as >=4.3 <4.4",
    ),
    (
        {"service_tiers": [{"provider": "p", "api": "a", "tiers": ["flex"], "family": "f"}]},
        "service_tiers[0]: no family f is declared in this rulebook",
    ),
    (
        {"cache_write_1h_prices": [{"pattern": "a", "multiplier": "2"}]},
        'cache_write_1h_prices[0].multiplier: expected a number from 0 to 1e+06, found "2"',
    ),
    (
        {"provider_defaults": {"a.b": 5}},
        'provider_defaults."a.b": expected a text, found 5',
    ),
    (
        {"thinking_defaults": {**DEFAULTS, "ladders": {"reasoning": ["hi"], "plain": ["off"]}}},
        "thinking_defaults.ladders.reasoning: expected a list of some of off, minimal, low, medium, high, xhigh, "
        "max, each once",
    ),
    (
        {"thinking_defaults": {**DEFAULTS, "ladders": {"reasoning": ["off"]}}},
        "thinking_defaults.ladders.plain: expected a list of texts that are not empty, and it is missing",
    ),
]


@pytest.mark.parametrize(("document", "message"), MISTAKES, ids=lambda one: str(one)[:40])
def test_a_mistake_is_named_by_its_path(
    document: dict[str, object], message: str, tmp_path: Path
) -> None:
    assert faults(tmp_path / "book.json", **document) == [message]


def test_every_fault_of_a_rulebook_is_named(tmp_path: Path) -> None:
    found = faults(tmp_path / "book.json", rules=[rule("m", a=1, strict_cap=-1), rule("x", "host")])
    assert [text.split(":")[0] for text in found] == [
        "rules[0].directives.a",
        "rules[0].directives.strict_cap",
        "rules[1]",
    ]


def test_a_file_that_is_no_json_says_where(tmp_path: Path) -> None:
    path = tmp_path / "book.json"
    path.write_text('{"rules": [,]}')
    with pytest.raises(RulebookError, match=r"book\.json: line 1, column 12"):
        read_rulebook(path)
    with pytest.raises(RulebookError, match="there is no such file"):
        read_rulebook(tmp_path / "other.json")
    path.write_text("[]")
    with pytest.raises(RulebookError, match="expected an object, found a list"):
        read_rulebook(path)


def test_a_rulebook_without_thinking_defaults_has_the_shipped_ones(tmp_path: Path) -> None:
    path = tmp_path / "book.json"
    path.write_text("{}")
    assert read_rulebook(path).ladders == shipped_quirks().ladders
    assert read_rulebook(path).budgets == shipped_quirks().budgets


def test_a_dialect_that_is_implemented_is_the_answer(tmp_path: Path) -> None:
    path = tmp_path / "book.json"
    path.write_text(
        json.dumps({"thinking_defaults": DEFAULTS, "rules": [rule("m", list_models="openai")]})
    )
    book = read_rulebook(path, {"list_models": ("openai",)}).rulebook
    assert capability(book, ModelKey("m"), Capability.LIST_MODELS) == "openai"
