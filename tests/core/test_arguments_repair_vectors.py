"""Keys, spellings and names, vector by vector; cases of one number show one rule."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import pytest

from eukhe.core.arguments_names import suggested_names, tool_unavailable
from eukhe.core.arguments_repair import Repair, Repaired, What, repair
from eukhe.core.arguments_schema import compiled

if TYPE_CHECKING:
    from collections.abc import Mapping

_OPEN: dict[str, object] = {"type": "object"}


def _repair(schema: dict[str, object], arguments: dict[str, object]) -> tuple[Repaired, bool]:
    """Repair by the compiled check, and whether the result passes."""
    check = compiled(schema)
    assert check is not None
    before = json.dumps(arguments)
    done = repair(schema, arguments, check.fits)
    assert json.dumps(arguments) == before, "what was given is not changed"
    return done, check.fits(schema, done.value)


@pytest.mark.parametrize(
    ("number", "given", "value", "repairs"),
    [
        (57, {'"path"': "a"}, {"path": "a"}, [("/path", '"\\"path\\""', '"path"')]),
        (58, {'"path"': "a", "path": "b"}, {'"path"': "a", "path": "b"}, []),
        (
            59,
            {"edits": [{'"old"': "x"}]},
            {"edits": [{"old": "x"}]},
            [("/edits/0/old", '"\\"old\\""', '"old"')],
        ),
        (60, {'"path': "a"}, {'"path': "a"}, []),
        # Layers, an empty name, order, two keys for one name, a slash in a path.
        (57, {'"\\"\\\\\\"a\\\\\\"\\""': 1}, {"a": 1}, [("/a", None, '"a"')]),
        (57, {json.dumps(json.dumps(json.dumps(json.dumps("a")))): 1}, None, []),
        (57, {'""': 1, '"': 2}, {'""': 1, '"': 2}, []),
        (57, {"b": 1, '"a"': 2, "c": 3}, {"b": 1, "a": 2, "c": 3}, [("/a", None, '"a"')]),
        (57, {'"a"': 1, '"\\u0061"': 2}, {"a": 1, '"\\u0061"': 2}, [("/a", None, '"a"')]),
        (57, {'"a/~b"': 1}, {"a/~b": 1}, [("/a~1~0b", None, '"a/~b"')]),
        (57, {'"5"': 1}, {"5": 1}, [("/5", None, '"5"')]),
        (57, {'"null"': 1}, {"null": 1}, [("/null", None, '"null"')]),
        (57, {'"5': 1, '5"': 2, "'a'": 3}, None, []),
    ],
)
def test_a_key_in_a_json_string_becomes_the_plain_key(
    number: int,
    given: dict[str, object],
    value: dict[str, object] | None,
    repairs: list[tuple[str, str | None, str]],
) -> None:
    done, _ = _repair(_OPEN, given)
    assert list(done.value.items()) == list((given if value is None else value).items()), number
    assert [(r.path, r.after) for r in done.repairs] == [(p, a) for p, _, a in repairs]
    assert all(r.what is What.KEY for r in done.repairs)
    for repaired, (_, before, _) in zip(done.repairs, repairs, strict=True):
        assert before is None or repaired.before == before


def test_58_the_quoted_key_beside_the_plain_one_is_unknown_to_a_closed_schema() -> None:
    schema = {"type": "object", "properties": {"path": {}}, "additionalProperties": False}
    done, passes = _repair(schema, {'"path"': "a", "path": "b"})
    assert (done.repairs, passes) == ((), False)


_ERROR: Any = object()
_STRINGS = {"type": "array", "items": {"type": "string"}}
_INTEGERS = {"type": "array", "items": {"type": "integer"}}


@pytest.mark.parametrize(
    ("number", "declared", "given", "result"),
    [
        (61, {"type": "object"}, '{"k":1}', {"k": 1}),
        (62, _INTEGERS, "[1,2]", [1, 2]),
        (63, _STRINGS, "a.py", ["a.py"]),
        (64, _STRINGS, '["a","b"]', ["a", "b"]),
        (65, _STRINGS, "[draft] x", ["[draft] x"]),
        (66, _INTEGERS, "a", _ERROR),
        (67, {"type": "string"}, 5, "5"),
        (67, {"type": "string"}, True, "true"),
        (67, {"type": "string"}, False, "false"),
        (67, {"type": "string"}, 1.5, "1.5"),
        (68, {"type": "string"}, {"a": 1}, _ERROR),
        (68, {"type": "string"}, [1], _ERROR),
        (68, {"type": "string"}, None, _ERROR),
        (69, {"type": "string"}, "5", "5"),
        (70, {"type": "string"}, '{"a":1}', '{"a":1}'),
        (71, {"type": "integer"}, "12", 12),
        (71, {"type": "integer"}, "1.5", _ERROR),
        (71, {"type": "integer"}, "", _ERROR),
        (71, {"type": "integer"}, " 12\n", 12),
        (71, {"type": "integer"}, "12.0", 12),
        (71, {"type": "integer"}, "1e3", 1000),
        (71, {"type": "integer"}, "0x10", 16),
        (71, {"type": "integer"}, "1_000", _ERROR),
        (71, {"type": "integer"}, "\u0661", _ERROR),
        (72, {"type": "number"}, "2.5", 2.5),
        (72, {"type": "number"}, "NaN", _ERROR),
        (72, {"type": "number"}, "inf", _ERROR),
        (72, {"type": "number"}, "1e999", _ERROR),
        (73, {"type": "boolean"}, "true", True),
        (73, {"type": "boolean"}, "false", False),
        (73, {"type": "boolean"}, "True", True),
        (73, {"type": "boolean"}, "maybe", _ERROR),
        (74, {"type": "boolean"}, "yes", _ERROR),
        (74, {"type": "boolean"}, 1, _ERROR),
        (74, {"type": "boolean"}, "TRUE", _ERROR),
        (75, {"anyOf": [{"type": "string"}, _STRINGS]}, "a", "a"),
        (77, {"type": "object"}, '{"k":', _ERROR),
        # More of the same rules.
        (61, {"type": "object"}, "[1]", _ERROR),
        (61, {"type": "object"}, "{k: 1}", _ERROR),
        (61, {"type": "object"}, '{"k":"a\nb"}', {"k": "a\nb"}),
        (61, {"type": "object"}, '{"\\"k\\"":1}', {"k": 1}),
        (61, {"type": "object", "properties": {"n": {"type": "integer"}}}, '{"n":"1"}', {"n": 1}),
        (62, _INTEGERS, '["1", "2"]', [1, 2]),
        (62, _INTEGERS, ["1", 2], [1, 2]),
        (62, _INTEGERS, '"[1]"', _ERROR),
        (63, {"type": "array"}, "a", _ERROR),
        (63, {"type": "array", "items": {"anyOf": [{"type": "string"}]}}, "a", ["a"]),
        (63, {"type": "array", "items": {"type": "string", "maxLength": 1}}, "ab", _ERROR),
        (63, _STRINGS, 5, _ERROR),
        (64, _STRINGS, "[1, 2]", ["1", "2"]),
        (64, _STRINGS, '[{"a":1}]', _ERROR),
        (67, {"type": "string", "enum": ["6"]}, 5, _ERROR),
        (71, {"type": "integer", "minimum": 5}, "3", _ERROR),
        (75, {"anyOf": [{"type": "integer"}, {"type": "boolean"}]}, "true", True),
        (75, {"type": ["integer", "boolean"]}, "true", True),
        (75, {"anyOf": [{"type": "boolean"}, {"type": "string"}]}, 5, "5"),
        (75, {"type": ["string", "integer"], "enum": [1]}, "1234567", _ERROR),
        (75, {"anyOf": [{"type": "null"}, {"type": "integer"}]}, None, None),
    ],
)
def test_another_spelling_of_the_declared_type_becomes_that_type(
    number: int, declared: dict[str, object], given: object, result: object
) -> None:
    schema: dict[str, object] = {"type": "object", "properties": {"v": declared}}
    done, passes = _repair(schema, {"v": given})
    expected = given if result is _ERROR else result
    assert passes is (result is not _ERROR), number
    assert json.dumps(done.value) == json.dumps({"v": expected}), number
    unchanged = json.dumps(expected) == json.dumps(given)
    assert bool(done.repairs) is not unchanged
    again, _ = _repair(schema, done.value)
    assert again == Repaired(done.value, ())


def test_76_an_unknown_key_of_a_closed_schema_stays_an_error_and_is_named() -> None:
    schema: dict[str, object] = {
        "type": "object",
        "properties": {"path": {"type": "string"}},
        "additionalProperties": False,
    }
    done, passes = _repair(schema, {"path": "a", "x": 1})
    assert (done, passes) == (Repaired({"path": "a", "x": 1}, ()), False)
    check = compiled(schema)
    assert check is not None
    assert check.problems(done.value) == ("'x' is not an argument (there are: path)",)


def test_each_repair_says_what_it_was_and_what_it_became_where() -> None:
    item = {"type": "object", "properties": {"n": {"type": "integer"}, "all": {"type": "boolean"}}}
    schema: dict[str, object] = {
        "type": "object",
        "properties": {"edits": {"type": "array", "items": item}},
    }
    done, passes = _repair(schema, {"edits": '[{"\\"n\\"": "1", "all": "true"}, {"n": 2}]'})
    assert passes
    assert done.value == {"edits": [{"n": 1, "all": True}, {"n": 2}]}
    assert done.repairs == (
        Repair(
            What.VALUE,
            "/edits",
            '"[{\\"\\\\\\"n\\\\\\"\\": \\"1\\", \\"all\\": \\"true\\"}, {\\"n\\": 2}]"',
            '[{"n": "1", "all": "true"}, {"n": 2}]',
        ),
        Repair(What.KEY, "/edits/0/n", '"\\"n\\""', '"n"'),
        Repair(What.VALUE, "/edits/0/n", '"1"', "1"),
        Repair(What.VALUE, "/edits/0/all", '"true"', "true"),
    )


def test_a_warning_shows_no_more_than_two_hundred_characters() -> None:
    schema: dict[str, object] = {"type": "object", "properties": {"v": _INTEGERS}}
    done, _ = _repair(schema, {"v": json.dumps([7] * 5000)})
    assert [len(done.repairs[0].before), len(done.repairs[0].after)] == [200, 200]


_OFFERED = ("read", "write", "edit", "mcp__git__log", "grep")


@pytest.mark.parametrize(
    ("number", "called", "names"),
    [
        (78, "raed", ("read",)),
        (79, "git_log", ("mcp__git__log",)),
        (79, "log", ("mcp__git__log",)),
        (80, "functions_grep", ("grep",)),
        (80, "functions__GREP", ("grep",)),
        (81, "zzzzzz", ()),
        (81, "", ()),
        (81, "_", ()),
        (81, "read" * 250_000, ()),
    ],
)
def test_a_call_of_no_offered_tool_is_told_what_it_may_have_meant(
    number: int, called: str, names: tuple[str, ...]
) -> None:
    assert suggested_names(called, _OFFERED) == names, number
    said = tool_unavailable(called, _OFFERED)
    assert said.startswith("tool_unavailable: there is no tool ")
    assert [name for name in _OFFERED if f" {name}" in said.partition("mean")[2]] == list(names)
    assert len(said) < 300


def test_near_names_come_nearest_first_equals_as_offered_and_three_at_most() -> None:
    assert suggested_names("tool", ["toooool", "tooll", "tol", "too", "toolxx"]) == (
        "tooll",
        "tol",
        "too",
    )
    assert suggested_names("fs_grab", ["my_grab", "fs_grap"]) == ("fs_grap", "my_grab")
    assert suggested_names("abc", ["abcd", "abcde", "abd"]) == ("abcd", "abd"), "one, for three"
    assert suggested_names("abcdefghi", ["abcdefxyz", "abcdexyzw"]) == ("abcdefxyz",), "a third"


def _by_hand(schema: Mapping[str, object], value: object) -> bool:
    """A check that knows `$ref`, `allOf` and `prefixItems`, for the schemas of these tests."""
    if schema.get("$ref") == "#/$defs/n":
        return _by_hand({"properties": {"n": {"type": "integer"}, "m": {"type": "boolean"}}}, value)
    for part in cast("list[Mapping[str, object]]", schema.get("allOf", [])):
        if not _by_hand(part, value):
            return False
    prefix = cast("list[Mapping[str, object]]", schema.get("prefixItems", []))
    if isinstance(value, list) and not all(map(_by_hand, prefix, value)):
        return False
    rest = {key: schema[key] for key in schema if key in ("type", "items")}
    check = compiled(rest)
    assert check is not None
    named = cast("Mapping[str, Mapping[str, object]]", schema.get("properties", {}))
    inside = value if isinstance(value, dict) else {}
    return check.fits(rest, value) and all(
        _by_hand(named[key], child) for key, child in inside.items() if key in named
    )


_N = {"properties": {"n": {"type": "integer"}, "m": {"type": "boolean"}}}


@pytest.mark.parametrize(
    ("declared", "given", "result"),
    [
        ({"$ref": "#/$defs/n"}, {"n": "1", "m": "true"}, {"n": 1, "m": True}),
        ({"$ref": "#/$defs/n"}, {"n": "1", "m": "maybe"}, {"n": 1, "m": "maybe"}),
        ({"allOf": [_N]}, {"n": "1", "m": "true"}, {"n": 1, "m": True}),
        ({"allOf": [_N]}, {"n": "1", "m": "maybe"}, {"n": "1", "m": "maybe"}),
        (
            {"allOf": [_N, {"properties": {"n": {"type": "string"}}}]},
            {"n": "1", "m": "true"},
            {"n": "1", "m": "true"},
        ),
        ({"prefixItems": [{"type": "integer"}, {"type": "boolean"}]}, ["1"], [1]),
        ({"prefixItems": [{"type": "integer"}]}, ["1", "2"], [1, "2"]),
    ],
)
def test_parts_that_all_have_to_hold_are_followed(
    declared: dict[str, object], given: object, result: object
) -> None:
    schema: dict[str, object] = {"properties": {"v": declared}, "$defs": {"n": _N}}
    done = repair(schema, {"v": given}, _by_hand)
    assert json.dumps(done.value["v"]) == json.dumps(result)
    assert bool(done.repairs) is (result != given)


def test_a_fault_is_said_in_words_that_fit() -> None:
    schema: dict[str, object] = {
        "properties": {
            "a": {"type": ["string", "null"]},
            "b": False,
            "c": {"anyOf": [{"type": "integer"}, {"type": "array"}]},
            "d": {"enum": ["x", 1, None]},
            "e": {"type": "integer", "minimum": 2},
        }
    }
    check = compiled(schema)
    assert check is not None
    assert check.problems({"a": 1, "b": 1, "c": "x", "d": 2, "e": "x"}) == (
        "'a' must be a string or null",
        "'b' is not allowed",
        "'c' must be an integer or 'c' must be an array",
        "'d' must be one of 'x', 1, null",
        "'e' must be an integer",
    )
