"""Schemas from outside that are made to hang or to end the program; none does."""

from __future__ import annotations

import json
import time
from types import MappingProxyType
from typing import TYPE_CHECKING

import pytest

from eukhe.core.arguments_schema import compiled
from eukhe.tools.arguments import ArgumentReader, BadArguments, GoodArguments
from eukhe.tools.arguments_apart import could_take_long, read_apart

if TYPE_CHECKING:
    from pathlib import Path

_NESTED = "^(a+)+$"


def _property(schema: dict[str, object]) -> dict[str, object]:
    return {"type": "object", "properties": {"v": schema}}


def _read(schema: dict[str, object], value: object) -> GoodArguments | BadArguments:
    return ArgumentReader(schema).read(json.dumps({"v": value}))


def test_unions_in_one_another_are_asked_once_each() -> None:
    schema: dict[str, object] = {"type": "integer"}
    for _ in range(29):
        schema = {"anyOf": [schema]}
    assert compiled(_property(schema)) is not None
    assert _read(_property(schema), "5") == GoodArguments(
        {"v": 5}, _read(_property(schema), "5").repairs
    )
    bad = _read(_property(schema), "x")
    assert isinstance(bad, BadArguments)
    assert bad.reason == "'v' must be an integer"


def test_the_words_about_a_wide_union_are_cut() -> None:
    bad = _read(_property({"anyOf": [{"minimum": n} for n in range(1000, 2000)]}), 1)
    assert isinstance(bad, BadArguments)
    assert bad.reason.startswith("'v' must be at least 1000 or 'v' must be at least 1001")
    assert len(bad.reason) < 1100


@pytest.mark.parametrize("keyword", ["anyOf", "allOf", "oneOf"])
def test_a_schema_deeper_than_the_stack_is_wrong_and_raises_nothing(keyword: str) -> None:
    schema: dict[str, object] = {"type": "integer"}
    for _ in range(3000):
        schema = {keyword: [schema]}
    bad = _read(_property(schema), "5")
    assert isinstance(bad, BadArguments)
    assert bad.value == {"v": "5"}
    assert bad.reason


def test_a_reference_is_followed_through_lists_and_percent_signs() -> None:
    shared = {"a b": {"type": "integer"}, "l": {"prefixItems": [{"type": "boolean"}]}}
    for ref, given, wanted in (
        ("#/$defs/a%20b", "5", 5),
        ("#/$defs/l/prefixItems/0", "true", True),
    ):
        good = _read({"$defs": shared, "properties": {"v": {"$ref": ref}}}, given)
        assert isinstance(good, GoodArguments), ref
        assert good.value == {"v": wanted}
    for ref in (
        "#/$defs/l/prefixItems/1",
        "#/$defs/l/prefixItems/\u0661",
        "#/$defs/l/prefixItems/x",
    ):
        bad = _read({"$defs": shared, "properties": {"v": {"$ref": ref}}}, "5")
        assert isinstance(bad, BadArguments), ref


@pytest.mark.parametrize("levels", [100, 101])
def test_what_is_decoded_counts_to_the_depth_of_what_holds_it(levels: int) -> None:
    def nested(count: int, leaf: object) -> object:
        for _ in range(count):
            leaf = [leaf]
        return leaf

    schema: dict[str, object] = {"type": "array"}
    for _ in range(27):
        schema = {"type": "array", "items": schema}
    text = json.dumps(nested(levels, 1))
    found = _read({"properties": {"v": schema}, "not": {"required": ["w"]}}, nested(27, text))
    # One object, 27 lists and those of the string: 128 are read.
    assert isinstance(found, GoodArguments if levels == 100 else BadArguments)


@pytest.mark.parametrize(
    ("schema", "arguments"),
    [
        (_property({"type": "string", "pattern": _NESTED}), {"v": "a" * 40 + "!"}),
        ({"patternProperties": {_NESTED: {"type": "integer"}}}, {"a" * 40 + "!": 1}),
    ],
)
def test_a_pattern_that_would_take_for_ever_refuses_the_call(
    schema: dict[str, object], arguments: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    def soon(schema: dict[str, object], text: str) -> GoodArguments | BadArguments | None:
        return read_apart(schema, text, 1.5)

    monkeypatch.setattr("eukhe.tools.arguments_apart.read_apart", soon)
    start = time.monotonic()
    bad = ArgumentReader(schema).read(json.dumps(arguments))
    assert time.monotonic() - start < 30
    assert isinstance(bad, BadArguments)
    assert bad.value == arguments
    assert (
        bad.reason
        == f"the tool's own schema has a pattern that could not be tried in time: {_NESTED}"
    )


@pytest.mark.parametrize(
    "arguments",
    ["{v: '" + "a" * 40 + "', n: '5', f: 1.0, '\"u\"': '\ud800é'}", '{"v": "' + "b" * 40 + '"}'],
)
def test_arguments_that_are_read_apart_come_out_the_same(
    arguments: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = {
        "properties": {
            "v": {"type": "string", "pattern": "^(?:aa)+$"},
            "n": {"type": "integer"},
        }
    }
    (tmp_path / "json.py").write_text("raise SystemExit('a module of the working folder')")
    monkeypatch.chdir(tmp_path)
    apart = read_apart(schema, arguments)
    assert apart == ArgumentReader(schema).read(arguments)
    assert apart == ArgumentReader(schema, apart=False).read(arguments)


@pytest.mark.parametrize("draft", [None, "https://json-schema.org/draft/2020-12/schema"])
@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_references_that_double_at_each_step_are_given_up(keyword: str, draft: str | None) -> None:
    parts: dict[str, object] = {"n0": {"type": "integer"}}
    for step in range(40):
        parts[f"n{step + 1}"] = {keyword: [{"$ref": f"#/$defs/n{step}"}] * 2}
    schema = {"$defs": parts, "properties": {"v": {"$ref": "#/$defs/n40"}}}
    reader = ArgumentReader(schema if draft is None else {"$schema": draft, **schema})
    start = time.monotonic()
    bad = reader.read('{"v": "x"}')
    assert time.monotonic() - start < 60
    assert isinstance(bad, BadArguments)
    assert bad.reason == "the tool's own schema takes too long to check"
    assert reader.read('{"w": "x"}') == GoodArguments({"w": "x"}), "the next call has its own steps"


def test_large_arguments_have_steps_enough() -> None:
    item = {"properties": {"n": {"type": "integer", "multipleOf": 1}}, "required": ["n"]}
    schema = _property({"type": "array", "items": item})
    value = [{"n": n} for n in range(20_000)]
    assert _read(schema, value) == GoodArguments({"v": value})


def test_a_number_that_is_too_large_to_check_is_the_fault_of_the_arguments() -> None:
    bad = _read(_property({"type": "number", "multipleOf": 0.5}), 10**400)
    assert isinstance(bad, BadArguments)
    assert bad.reason == "the arguments hold a number that is too large for the tool's schema"


def test_a_schema_that_cannot_be_sent_to_another_process_is_not_an_error() -> None:
    deep: dict[str, object] = {"pattern": _NESTED}
    for _ in range(100_000):
        deep = {"allOf": [deep]}
    assert read_apart(deep, "{}") is None
    assert read_apart({"pattern": {1, 2}}, "{}") is None
    given = {"properties": MappingProxyType({"v": MappingProxyType({"type": "integer"})})}
    found = read_apart(MappingProxyType(given), '{"v": "5"}')
    assert found is not None
    assert found.value == {"v": 5}


@pytest.mark.parametrize(
    ("pattern", "length", "long"),
    [
        (_NESTED, 8, False),
        (_NESTED, 40, True),
        ("^[a-z]+$", 200, False),
        ("^[a-z]+$", 10_000_000, True),
        ("a*a*a*b", 30, False),
        ("a*a*a*b", 5000, True),
        ("^(a|b)$", 200, False),
        ("^(a|aa){1,99}$", 40, True),
        ("abc", 1_000_000, False),
    ],
)
def test_what_could_take_long_is_told_by_the_pattern_and_the_length(
    pattern: str, length: int, long: bool
) -> None:
    assert could_take_long(pattern, length) is long
