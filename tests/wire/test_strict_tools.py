"""Strict tool schemas: who gets one, what it says, and that the tool never sees what strictness added."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it ships no types

from eukhe.tools.toolset import BUILT_IN, Toolset
from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.messages import ToolSpec
from eukhe.wire.strict_tools import (
    ANTHROPIC_SUBSET,
    OPENAI_SUBSET,
    plan,
    restored,
    strict_schema,
)


def schema(*required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


def tool(name: str, priority: int = 0, *, strict: bool = False, **properties: Any) -> ToolSpec:
    return ToolSpec(name, "", schema(*properties, **properties), priority, strict)


def flags(*tools: ToolSpec, cap: int | None = None, on: bool = True) -> list[bool]:
    found = plan(tools, on=on, cap=cap, subset=OPENAI_SUBSET)
    return [one is not None for one in found]


def test_the_strict_budget_keeps_the_highest_priorities_and_the_earlier_of_equals() -> None:
    tools = [tool("a"), tool("b", 2), tool("c"), tool("d", 1)]
    assert flags(*tools, cap=2) == [False, True, False, True]
    assert flags(*tools, cap=3) == [True, True, False, True]


def test_a_strict_plan_sends_tools_past_the_cap_loose_and_drops_none() -> None:
    tools = [tool("a"), tool("b"), tool("c")]
    assert flags(*tools, cap=1) == [True, False, False]
    assert flags(*tools, cap=0) == [False] * 3
    assert flags(*tools) == [True] * 3
    assert flags(*tools, on=False) == [False] * 3


def test_a_tool_that_cannot_be_strict_takes_none_of_the_budget() -> None:
    free = ToolSpec("free", "", {"type": "object"} | {"additionalProperties": True}, 9)
    assert flags(free, tool("a"), cap=1) == [False, True]


@pytest.mark.parametrize(
    ("tools", "on", "cap", "said"),
    [
        ([tool("a", 1), tool("b", strict=True)], True, 1, "b: a strict schema is required"),
        ([tool("b", strict=True)], False, None, "b requires a strict schema, and its server"),
        ([tool("b", strict=True, x={})], True, None, "b requires a strict schema, and its schema"),
    ],
)
def test_a_tool_that_requires_a_strict_schema_and_gets_none_is_an_error(
    tools: list[ToolSpec], on: bool, cap: int | None, said: str
) -> None:
    with pytest.raises(WireError, match=said) as caught:
        plan(tools, on=on, cap=cap, subset=OPENAI_SUBSET)
    assert caught.value.kind is ErrorKind.INVALID_REQUEST


def test_what_may_be_left_out_may_be_null_instead() -> None:
    own = schema(
        "path",
        path={"type": "string", "default": "x"},
        limit={"type": "integer", "minimum": 1},
        kind={"type": "string", "enum": ["a", "b"]},
        either={"anyOf": [{"type": "string"}, {"type": "number"}]},
        parts={"type": "array", "items": schema("a", a={"type": "string"}, b={"type": "string"})},
    )
    part = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": ["string", "null"]}},
        "required": ["a", "b"],
        "additionalProperties": False,
    }
    assert strict_schema(own, OPENAI_SUBSET) == {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "limit": {"type": ["integer", "null"], "minimum": 1},
            "kind": {"type": ["string", "null"], "enum": ["a", "b", None]},
            "either": {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "null"}]},
            "parts": {"type": ["array", "null"], "items": part},
        },
        "required": ["path", "limit", "kind", "either", "parts"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    "own",
    [
        {"type": "array", "items": {"type": "string"}},
        {"type": "object", "additionalProperties": True},
        {"type": "object", "additionalProperties": {"type": "string"}},
        schema(a={}),
        schema(a={"type": "array"}),
        schema(a={"$ref": "#/x"}),
        schema(a={"type": "string", "not": {}}),
        schema(a={"const": 1}),
        schema("b", a={"type": "string"}),
        {"type": "object", "properties": 7},
        {"type": "object", "patternProperties": {}},
        {},
    ],
)
def test_what_a_strict_schema_cannot_say_is_sent_loose(own: dict[str, Any]) -> None:
    assert strict_schema(own, OPENAI_SUBSET) is None


def test_a_bound_that_the_subset_lacks_is_left_to_the_client() -> None:
    bounds = schema("a", a={"type": "string", "minLength": 1, "pattern": "x"})
    openai, anthropic = (strict_schema(bounds, one) for one in (OPENAI_SUBSET, ANTHROPIC_SUBSET))
    assert openai is not None
    assert openai["properties"] == {"a": {"type": "string", "pattern": "x"}}
    assert anthropic is not None
    assert anthropic["properties"] == {"a": {"type": "string"}}


def test_a_schema_that_never_ends_is_sent_loose() -> None:
    own: dict[str, Any] = {"type": "string"}
    for _ in range(500):
        own = schema("a", a=own)
    assert strict_schema(own, OPENAI_SUBSET) is None


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_built_in_tool_can_be_strict(name: str) -> None:
    (spec,) = Toolset.built_in([name]).specs
    strict = strict_schema(spec.schema, OPENAI_SUBSET)
    assert strict is not None
    Draft202012Validator.check_schema(strict)
    assert list(strict["properties"]) == strict["required"]  # type: ignore[call-overload]  # both are lists of names


def test_the_nulls_of_strictness_are_taken_out_and_others_stay() -> None:
    own = schema(
        "path",
        path={"type": "string"},
        limit={"type": "integer"},
        note={"type": ["string", "null"]},
        parts={"type": "array", "items": schema("a", a={"type": "string"}, b={"type": "string"})},
    )
    sent = '{"path":"é","limit":null,"note":null,"parts":[{"a":"x","b":null}]}'
    assert json.loads(restored(sent, own)) == {"path": "é", "note": None, "parts": [{"a": "x"}]}
    assert restored('{"path":null}', own) == '{"path":null}', "a needed property stays wrong"
    for text in ('{ "path" : "null" }', '{"path": null', "null", "[null]", '"null"'):
        assert restored(text, own) == text


_LEAF = st.sampled_from(
    [{"type": "string"}, {"type": "integer"}, {"type": ["number", "null"]}, {"enum": ["a", None]}]
)


def _objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    def made(properties: dict[str, Any]) -> st.SearchStrategy[Any]:
        names = (
            st.lists(st.sampled_from(sorted(properties)), unique=True)
            if properties
            else st.just([])
        )
        return names.map(
            lambda some: {**schema(*some, **properties), "additionalProperties": False}
        )

    return st.dictionaries(st.sampled_from("abc"), inner, max_size=3).flatmap(made)


_SCHEMAS = st.recursive(
    _LEAF,
    lambda inner: _objects(inner) | inner.map(lambda one: {"type": "array", "items": one}),
    max_leaves=6,
)


def _value(own: Any, draw: Any, *, nulls: bool) -> Any:
    """A value that fits the tool's own schema; with `nulls`, as a strict schema has it."""
    if own.get("type") == "object":
        found = {}
        for name, one in own["properties"].items():
            if name in own["required"] or draw(st.booleans()):
                found[name] = _value(one, draw, nulls=nulls)
            elif nulls:
                found[name] = None
        return found
    if own.get("type") == "array":
        return [_value(own["items"], draw, nulls=nulls) for _ in range(draw(st.integers(0, 2)))]
    if "enum" in own:
        return draw(st.sampled_from(own["enum"]))
    kind = draw(st.sampled_from(own["type"])) if isinstance(own["type"], list) else own["type"]
    return {"string": "null", "integer": 1, "number": 1.5, "null": None}[kind]


@given(_objects(_SCHEMAS), st.data())
def test_arguments_that_fit_the_strict_schema_fit_the_tool_s_own_when_they_are_read(
    own: dict[str, Any], data: st.DataObject
) -> None:
    strict = strict_schema(own, OPENAI_SUBSET)
    assert strict is not None
    value = _value(own, data.draw, nulls=True)
    Draft202012Validator(strict).validate(value)
    Draft202012Validator(own).validate(json.loads(restored(json.dumps(value), own)))
