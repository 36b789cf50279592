"""A fast check of arguments against schemas that keep to the usual keywords of JSON Schema (Draft 2020-12).

`compiled` gives up on a schema with any other keyword; such a one needs a library. What it takes it checks as the
draft says.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["MAX_PROBLEMS", "CompiledCheck", "Schema", "compiled", "named"]

Schema: TypeAlias = Mapping[str, object]
Path: TypeAlias = tuple[str | int, ...]
Test: TypeAlias = Callable[[object], bool]

_ANNOTATIONS = frozenset(
    {
        "title",
        "description",
        "default",
        "examples",
        "deprecated",
        "readOnly",
        "writeOnly",
        "format",
        "$comment",
    }
)
_APPLIED = frozenset({"properties", "required", "additionalProperties", "items", "anyOf"})
_NESTING = 32

MAX_PROBLEMS = 8
"""Faults of one call that are named; more would drown the first."""

_SHOWN = 1000
"""Characters of the words about one union."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """One schema, made ready.

    Attributes:
        tests: what a value must pass, with the words for one that does not.
        properties: rules of named keys.
        required: keys that must be there.
        rest: the rule of other keys; None when there is none.
        items: the rule of items.
        branches: rules of which one must hold; empty for no such demand.
    """

    tests: tuple[tuple[Test, str], ...]
    properties: Mapping[str, _Rule]
    required: tuple[str, ...]
    rest: _Rule | None
    items: _Rule | None
    branches: tuple[_Rule, ...]

    def fits(self, value: object) -> bool:
        return next(self.problems(value, ()), None) is None

    def problems(self, value: object, path: Path) -> Iterator[str]:
        """What is wrong, in words. Asking a branch twice would double with each union in another."""
        for test, words in self.tests:
            if not test(value):
                yield f"{named(path)} {words}"
                return
        if isinstance(value, dict):
            yield from self._of_keys(value, path)
        elif isinstance(value, list) and self.items is not None:
            for at, item in enumerate(value):
                yield from self.items.problems(item, (*path, at))
        reasons: dict[str, None] = {}
        for branch in self.branches:
            reason = next(branch.problems(value, path), None)
            if reason is None:
                return
            reasons[reason] = None
        if reasons:
            yield _cut(" or ".join(reasons))

    def _of_keys(self, value: Mapping[str, object], path: Path) -> Iterator[str]:
        for key in self.required:
            if key not in value:
                yield f"{named((*path, key))} is missing"
        for key, child in value.items():
            rule = self.properties.get(key, self.rest)
            if rule is _NEVER and key not in self.properties:
                known = ", ".join(self.properties) or "none"
                yield f"{named((*path, key))} is not an argument (there are: {known})"
            elif rule is not None:
                yield from rule.problems(child, (*path, key))


_ALWAYS = _Rule((), {}, (), None, None, ())
_NEVER = _Rule(((lambda _: False, "is not allowed"),), {}, (), None, None, ())


class CompiledCheck:
    """Checks values against a schema and its parts."""

    def __init__(self, schema: Schema, rules: Mapping[int, _Rule]) -> None:
        self._schema = schema  # held, so that no other schema gets its parts' ids
        self._rules = rules

    def fits(self, schema: Schema, value: object) -> bool:
        """Whether a value passes the schema or a part of it."""
        rule = self._rules.get(id(schema))
        return rule is not None and rule.fits(value)

    def problems(self, value: object) -> tuple[str, ...]:
        """What is wrong with a value; the first few of it."""
        found = self._rules[id(self._schema)].problems(value, ())
        return tuple(problem for problem, _ in zip(found, range(MAX_PROBLEMS), strict=False))


def compiled(schema: Schema) -> CompiledCheck | None:
    """Make a schema ready; None when it says what only a library can check."""
    rules: dict[int, _Rule] = {}
    return None if _rule(schema, rules, _NESTING) is None else CompiledCheck(schema, rules)


def _rule(schema: object, rules: dict[int, _Rule], nesting: int) -> _Rule | None:
    if isinstance(schema, bool):
        return _ALWAYS if schema else _NEVER
    if not isinstance(schema, Mapping) or nesting == 0:
        return None
    tests: list[tuple[Test, str]] = []
    for keyword, wanted in schema.items():
        if keyword in _ANNOTATIONS or keyword in _APPLIED:
            continue
        make = _TESTS.get(keyword)
        made = None if make is None else make(wanted)
        if made is None:
            return None
        tests.append(made)
    # The type first: what has the wrong one needs no other words.
    tests.sort(key=lambda test: not test[1].startswith(_TYPE_WORDS))
    declared = schema.get("properties", {})
    required = schema.get("required", ())
    branches = schema.get("anyOf", ())
    if not (isinstance(declared, Mapping) and _is_list(required) and _is_list(branches)):
        return None
    properties = {key: _rule(part, rules, nesting - 1) for key, part in declared.items()}
    options = [_rule(part, rules, nesting - 1) for part in branches]
    rest = _optional(schema, "additionalProperties", rules, nesting)
    items = _optional(schema, "items", rules, nesting)
    parts = (*properties.values(), *options, rest, items)
    if None in parts or not all(isinstance(key, str) for key in required):
        return None
    rule = _Rule(
        tuple(tests),
        {key: part for key, part in properties.items() if part is not None},
        tuple(required),
        None if rest is _ALWAYS else rest,
        None if items is _ALWAYS else items,
        tuple(part for part in options if part is not None),
    )
    rules[id(schema)] = rule
    return rule


def _optional(schema: Schema, keyword: str, rules: dict[int, _Rule], nesting: int) -> _Rule | None:
    return _rule(schema[keyword], rules, nesting - 1) if keyword in schema else _ALWAYS


def named(path: Path) -> str:
    """A place in the arguments as the model reads it: `'edits[0].old'`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return repr(text.removeprefix(".")) if text else "the arguments"


def _cut(words: str) -> str:
    return words if len(words) <= _SHOWN else f"{words[:_SHOWN]}\u2026"


def _is_list(value: object) -> bool:
    return isinstance(value, (list, tuple))


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_whole(value: object) -> bool:
    return _is_number(value) and (isinstance(value, int) or float(value).is_integer())  # type: ignore[arg-type]  # a number


_TYPES: Mapping[str, Test] = {
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": _is_number,
    "integer": _is_whole,
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}

_TYPE_WORDS = ("must be a ", "must be an ", "must be null")


def _type(wanted: object) -> tuple[Test, str] | None:
    kinds = tuple(wanted) if isinstance(wanted, (list, tuple)) else (wanted,)
    tests = [_TYPES.get(kind) if isinstance(kind, str) else None for kind in kinds]
    known = [test for test in tests if test is not None]
    if len(known) != len(kinds) or not kinds:
        return None
    words = " or ".join(
        "null" if kind == "null" else f"{'an' if str(kind)[0] in 'aeiou' else 'a'} {kind}"
        for kind in kinds
    )
    if len(known) == 1:
        return known[0], f"must be {words}"
    return (lambda value: any(test(value) for test in known)), f"must be {words}"


def _enum(wanted: object) -> tuple[Test, str] | None:
    if not isinstance(wanted, (list, tuple)):
        return None
    if not all(one is None or isinstance(one, (str, int, float)) for one in wanted):
        return None  # containers are equal or not by rules of their own
    allowed = tuple(wanted)
    words = f"must be one of {', '.join(map(_word, allowed))}"
    return (
        lambda value: any(
            value == one and isinstance(value, bool) is isinstance(one, bool) for one in allowed
        )
    ), words


def _word(value: object) -> str:
    return repr(value) if isinstance(value, str) else json.dumps(value)


def _bound(
    words: str, holds: Callable[[float, float], bool]
) -> Callable[[object], tuple[Test, str] | None]:
    def make(wanted: object) -> tuple[Test, str] | None:
        if isinstance(wanted, bool) or not isinstance(wanted, (int, float)):
            return None
        limit = wanted
        return (
            lambda value: (
                not isinstance(value, (int, float))
                or isinstance(value, bool)
                or holds(value, limit)
            )
        ), f"must be {words} {limit}"

    return make


def _size(
    words: str, kind: type[str | list[object]], holds: Callable[[float, float], bool]
) -> Callable[[object], tuple[Test, str] | None]:
    def make(wanted: object) -> tuple[Test, str] | None:
        if isinstance(wanted, bool) or not isinstance(wanted, int):
            return None
        limit = wanted
        what = "characters" if kind is str else "items"
        return (
            lambda value: (
                not isinstance(value, (str, list))
                or not isinstance(value, kind)
                or holds(len(value), limit)
            )
        ), f"must have {words} {limit} {what}"

    return make


_TESTS: Mapping[str, Callable[[object], tuple[Test, str] | None]] = {
    "type": _type,
    "enum": _enum,
    "const": lambda wanted: _enum((wanted,)),
    "minimum": _bound("at least", operator.ge),
    "maximum": _bound("at most", operator.le),
    "exclusiveMinimum": _bound("more than", operator.gt),
    "exclusiveMaximum": _bound("less than", operator.lt),
    "minLength": _size("at least", str, operator.ge),
    "maxLength": _size("at most", str, operator.le),
    "minItems": _size("at least", list, operator.ge),
    "maxItems": _size("at most", list, operator.le),
}
