"""Strict tool schemas (S6.4): which tools of a request get one, what it says, how its arguments are read.

A strict schema forbids a property to be left out, so one that the tool lets be left out may be null instead; that
null is taken out again when the arguments come, and the tool never sees it. Bounds that the provider's subset
lacks are left to the client, which checks all arguments anyway; a schema whose shape it lacks is sent loose.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, TypeAlias

from eukhe.core.strict import PastCap, Tool, budget
from eukhe.wire.errors import ErrorKind, WireError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eukhe.wire.messages import ToolSpec
    from eukhe.wire.request import Request

__all__ = [
    "ANTHROPIC_SUBSET",
    "OPENAI_SUBSET",
    "Schema",
    "Strict",
    "StrictCompat",
    "own_schemas",
    "plan",
    "restored",
    "strict_plan",
    "strict_schema",
]

Schema: TypeAlias = Mapping[str, object]

_DEPTH: Final = 10
_SHAPE: Final = frozenset(
    {"type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf"}
)
_SAID: Final = frozenset({"description", "title"})
#: Keywords that say nothing about what fits, and that strict subsets refuse.
_DROPPED: Final = frozenset(
    {"default", "examples", "$schema", "$comment", "deprecated", "readOnly", "writeOnly"}
)

#: Keywords that only narrow what fits, so that a schema without them still has the shape.
_BOUNDS: Final = frozenset(
    {"pattern", "format", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems"}
    | {"multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
)

#: What OpenAI's strict schemas may say.
OPENAI_SUBSET: Final = (
    _SHAPE
    | _SAID
    | {"pattern", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
    | {"minItems", "maxItems"}
)
#: What Anthropic's strict schemas may say.
ANTHROPIC_SUBSET: Final = _SHAPE | _SAID


class Strict(NamedTuple):
    """A tool that gets a strict schema.

    Attributes:
        schema: What is sent.
        own: The tool's own schema, by which the arguments are read back.
    """

    schema: Schema
    own: Schema


class StrictCompat(Protocol):
    """What differs between servers in what they take of strict schemas."""

    @property
    def strict(self) -> bool:
        """Whether the server takes strict tool schemas."""

    @property
    def strict_cap(self) -> int | None:
        """How many of them; None for any number."""


def plan(
    tools: Sequence[ToolSpec], *, on: bool, cap: int | None, subset: frozenset[str]
) -> tuple[Strict | None, ...]:
    """Return for each tool, in the order of the request, its strict schema or None for a loose one (S6.4).

    Args:
        tools: The tools on offer.
        on: Whether the server takes strict schemas.
        cap: How many it takes in one request; None for any number.
        subset: The keywords that it takes in them.

    Raises:
        WireError: `INVALID_REQUEST`: a tool that requires a strict schema can have none.
    """
    found = [strict_schema(tool.schema, subset) if on else None for tool in tools]
    for tool, schema in zip(tools, found, strict=True):
        if tool.strict and schema is None:
            why = (
                "its schema says more than a strict one can"
                if on
                else "its server takes no strict schemas"
            )
            raise WireError(
                ErrorKind.INVALID_REQUEST,
                f"the tool {tool.name} requires a strict schema, and {why}",
            )
    able = [place for place, schema in enumerate(found) if schema is not None]
    asked = [Tool(tools[at].name, tools[at].priority, tools[at].strict) for at in able]
    spent = budget(asked, len(asked) if cap is None else cap)
    if isinstance(spent, PastCap):
        raise WireError(
            ErrorKind.INVALID_REQUEST,
            f"{', '.join(spent.names)}: a strict schema is required, "
            f"and the server takes {spent.cap} in one request",
        )
    strict = {at for at, chosen in zip(able, spent.strict, strict=True) if chosen}
    return tuple(
        Strict(schema, tools[at].schema) if at in strict and schema is not None else None
        for at, schema in enumerate(found)
    )


def strict_plan(
    request: Request, compat: StrictCompat, subset: frozenset[str]
) -> tuple[Strict | None, ...]:
    """Return which tools of a request get a strict schema, and which (S6.4): `plan`, for a server.

    Args:
        request: The request.
        compat: What the server takes.
        subset: The keywords that it takes in strict schemas.

    Raises:
        WireError: `INVALID_REQUEST`: a tool that requires a strict schema can have none.
    """
    return plan(request.tools, on=compat.strict, cap=compat.strict_cap, subset=subset)


def own_schemas(
    request: Request, compat: StrictCompat, subset: frozenset[str]
) -> dict[str, Schema]:
    """Return the tools that get a strict schema, each with its own, by which `restored` reads arguments back.

    Args:
        request: The request.
        compat: What the server takes.
        subset: The keywords that it takes in strict schemas.

    Raises:
        WireError: As `strict_plan` does.
    """
    found = zip(request.tools, strict_plan(request, compat, subset), strict=True)
    return {tool.name: strict.own for tool, strict in found if strict is not None}


def strict_schema(schema: Schema, subset: frozenset[str]) -> Schema | None:
    """Return a tool's schema in its strict form, or None where it has none.

    Args:
        schema: The schema of the arguments, an object schema.
        subset: The keywords that the server takes.
    """
    if schema.get("type") != "object":
        return None
    return _strict(schema, subset, _DEPTH)


def restored(text: str, own: Schema) -> str:
    """Return the arguments of a strict call as the tool knows them: without the nulls that stand for nothing.

    Args:
        text: The raw argument text.
        own: The tool's own schema.

    Returns:
        The same text where there is nothing to take out, or where it is no JSON.
    """
    if "null" not in text:
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    known = _without_nulls(value, own)
    return text if known == value else json.dumps(known, ensure_ascii=False)


def _strict(schema: object, subset: frozenset[str], depth: int) -> Schema | None:
    if not isinstance(schema, Mapping) or depth == 0:
        return None
    told = {k: v for k, v in schema.items() if k in subset or k not in _DROPPED | _BOUNDS}
    if not told.keys() <= subset or not ({"type", "enum", "const", "anyOf"} & told.keys()):
        return None
    kinds = told.get("type")
    names = kinds if isinstance(kinds, list) else [kinds]
    if "anyOf" in told:
        found = [_strict(one, subset, depth - 1) for one in _list(told["anyOf"])]
        if not found or None in found:
            return None
        told["anyOf"] = found
    if "object" in names:
        return _object(told, subset, depth)
    if "array" in names:
        items = _strict(told.get("items"), subset, depth - 1)
        return None if items is None else {**told, "items": items}
    return None if {"properties", "required", "items"} & told.keys() else told


def _object(told: dict[str, object], subset: frozenset[str], depth: int) -> Schema | None:
    properties, needed = told.get("properties", {}), _list(told.get("required", []))
    # A schema that lets other properties in on purpose would lose its meaning.
    if told.get("additionalProperties", False) is not False or not isinstance(properties, Mapping):
        return None
    known: dict[str, object] = {}
    for name, one in properties.items():
        strict = _strict(one, subset, depth - 1)
        if strict is not None and name not in needed:
            strict = _nullable(strict)
        if strict is None:
            return None
        known[name] = strict
    if not set(map(str, needed)) <= known.keys():
        return None
    return {**told, "properties": known, "required": list(known), "additionalProperties": False}


def _nullable(schema: Schema) -> Schema | None:
    """A schema that null fits as well."""
    if _takes_null(schema):
        return schema
    if "anyOf" in schema and "type" not in schema and "enum" not in schema:
        return {**schema, "anyOf": [*_list(schema["anyOf"]), {"type": "null"}]}
    if "const" in schema or "anyOf" in schema:
        return None
    found = dict(schema)
    if "type" in schema:
        kinds = schema["type"]
        found["type"] = [*(kinds if isinstance(kinds, list) else [kinds]), "null"]
    if "enum" in schema:
        found["enum"] = [*_list(schema["enum"]), None]
    return found


def _takes_null(schema: object) -> bool:
    if not isinstance(schema, Mapping):
        return False
    kinds = schema.get("type")
    names = kinds if isinstance(kinds, list) else [kinds]
    fits = "null" in names or "type" not in schema
    if "enum" in schema:
        return fits and None in _list(schema["enum"])
    if "const" in schema:
        return fits and schema["const"] is None
    if "anyOf" in schema:
        return fits and any(map(_takes_null, _list(schema["anyOf"])))
    return "null" in names


def _without_nulls(value: object, own: object) -> object:
    if not isinstance(own, Mapping):
        return value
    if isinstance(value, list):
        return [_without_nulls(item, own.get("items")) for item in value]
    properties = own.get("properties")
    if not isinstance(value, dict) or not isinstance(properties, Mapping):
        return value
    needed = _list(own.get("required", []))
    return {
        name: _without_nulls(item, properties.get(name))
        for name, item in value.items()
        if item is not None or name in needed or _takes_null(properties.get(name))
    }


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
