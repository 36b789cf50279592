"""Arguments in another spelling of what the schema declares (S6 argument repair, 3, 4 and 5).

Two things are put right: keys that are JSON strings themselves, and values that are another spelling of their
declared type. A value changes only where it fails its schema as it is and passes it afterwards, so a repair of a
repair changes nothing. Each change is a `Repair`, which becomes a warning on the tool result.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from eukhe.core.arguments import Parsed, Reading
from eukhe.core.arguments_json import json_value
from eukhe.core.arguments_text import MAX_DEPTH, as_json, read_number

__all__ = ["Fits", "Repair", "Repaired", "What", "pointer", "repair", "text_repairs"]

Schema: TypeAlias = Mapping[str, object]
Fits: TypeAlias = Callable[[Schema, object], bool]
"""Whether a value passes a schema that is a part of the tool's schema. It raises nothing."""

LAYERS = 3
"""JSON strings in one another that a key is peeled out of."""

SHOWN_CHARACTERS = 200
"""How much of a value a warning shows."""

_SPACE = " \t\n\r"
_BOOLEANS = {"true": True, "True": True, "false": False, "False": False}


class What(Enum):
    """What a repair changed.

    Attributes:
        TEXT: the text as a whole was no strict JSON.
        KEY: the name of a key.
        VALUE: the spelling of a value.
    """

    TEXT = "text"
    KEY = "key"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class Repair:
    """One thing that was put right.

    Attributes:
        what: what it is.
        path: where, as a JSON pointer into the repaired arguments; empty for all of them.
        before: what the model wrote: text for `TEXT`, else JSON; its first 200 characters.
        after: what it became, as JSON; its first 200 characters.
    """

    what: What
    path: str
    before: str
    after: str

    def to_json(self) -> dict[str, str]:
        """The warning that a tool result carries."""
        return {
            "type": "argument_repaired",
            "what": self.what.value,
            "path": self.path,
            "from": self.before,
            "to": self.after,
        }


@dataclass(frozen=True, slots=True)
class Repaired:
    """Arguments as they are checked and run.

    Attributes:
        value: the arguments; the given object itself when nothing was put right.
        repairs: what was put right, in the order in which it was done.
    """

    value: dict[str, object]
    repairs: tuple[Repair, ...]


def repair(schema: Schema, arguments: dict[str, object], fits: Fits) -> Repaired:
    """Put keys and values right.

    Args:
        schema: the schema of the tool's arguments.
        arguments: the parsed arguments; they are not changed.
        fits: checks a value against the schema or a part of it.
    """
    plain = _plain_keys(arguments)
    try:
        mended = _Mender(schema, fits).mend(schema, plain.value)
    except RecursionError:  # the schema is nested deeper than any that is meant
        mended = _Mended(plain.value)
    if not isinstance(mended.value, dict):
        mended = _Mended(plain.value)
    value = mended.value
    if not isinstance(value, dict):
        return Repaired(arguments, ())
    changes = (*plain.changes, *mended.changes)
    return Repaired(
        value,
        tuple(Repair(c.what, pointer(c.path), c.before, c.after) for c in changes),
    )


def text_repairs(text: str, parsed: Parsed) -> tuple[Repair, ...]:
    """The repair of the text as a whole; none when it was strict JSON."""
    if parsed.reading is Reading.STRICT:
        return ()
    return (Repair(What.TEXT, "", text[:SHOWN_CHARACTERS], _shown(parsed.value)),)


def pointer(path: tuple[str | int, ...]) -> str:
    """The JSON pointer (RFC 6901) of a path."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


@dataclass(frozen=True, slots=True)
class _Change:
    """A repair below some value; the path starts there."""

    what: What
    path: tuple[str | int, ...]
    before: str
    after: str

    def under(self, part: str | int) -> _Change:
        return _Change(self.what, (part, *self.path), self.before, self.after)


@dataclass(frozen=True, slots=True)
class _Mended:
    """A value and what was changed in it."""

    value: object
    changes: tuple[_Change, ...] = ()


def _plain_keys(value: object) -> _Mended:
    """Take every key that is a JSON string out of it, unless the plain key stands beside it (rule 3)."""
    if isinstance(value, list):
        return _each(value, ((at, _plain_keys(item)) for at, item in enumerate(value)))
    if not isinstance(value, dict):
        return _Mended(value)
    renamed, changes = _renamed(value)
    below = _each(renamed, ((key, _plain_keys(child)) for key, child in renamed.items()))
    return _Mended(below.value, (*changes, *below.changes))


def _renamed(value: dict[str, object]) -> tuple[dict[str, object], tuple[_Change, ...]]:
    if not any(key.startswith('"') for key in value):
        return value, ()
    names: dict[str, str] = {}
    taken = set(value)
    for key in value:
        name = _plain_key(key)
        if name is not None and name not in taken:
            taken.add(name)
            names[key] = name
    changes = (_Change(What.KEY, (name,), _shown(key), _shown(name)) for key, name in names.items())
    return {names.get(key, key): child for key, child in value.items()}, tuple(changes)


def _plain_key(key: str) -> str | None:
    """The name that a quoted key stands for; None for a key that is no JSON string, or too many in one another."""
    name: object = key
    for _ in range(LAYERS):
        if not (isinstance(name, str) and len(name) > 2 and name[0] == name[-1] == '"'):
            break
        inner = json_value(name)
        if not isinstance(inner, str):
            break
        name = inner
    if not isinstance(name, str) or not name:
        return None
    # One layer more than are peeled would be peeled by the next repair.
    more = len(name) > 2 and name[0] == name[-1] == '"' and json_value(name) is not None
    return None if more else name


def _each(
    value: dict[str, object] | list[object], children: Iterator[tuple[str | int, _Mended]]
) -> _Mended:
    """The container with its changed children put in; itself when none changed."""
    changed = [(at, child) for at, child in children if child.changes]
    if not changed:
        return _Mended(value)
    changes = tuple(change.under(at) for at, child in changed for change in child.changes)
    new = {at: child.value for at, child in changed}
    if isinstance(value, dict):
        return _Mended({key: new.get(key, old) for key, old in value.items()}, changes)
    return _Mended([new.get(at, old) for at, old in enumerate(value)], changes)


class _Mender:
    """Repairs spellings against one schema.

    What a value became under a part of the schema is remembered: unions would else look at it again and again.
    """

    def __init__(self, root: Schema, fits: Fits) -> None:
        self._root = root
        self._fits = fits
        self._known: dict[tuple[int, int], _Mended] = {}
        self._kept: list[object] = []

    def mend(self, schema: object, value: object, depth: int = 0) -> _Mended:
        """The value as it passes the schema, or as near to that as its parts can be brought."""
        same = _Mended(value)
        if not isinstance(schema, Mapping) or depth > MAX_DEPTH or value is None:
            return same
        place = (id(schema), id(value))
        if place in self._known:
            return self._known[place]
        self._known[place] = same  # a `$ref` to itself ends here
        self._kept.append(value)  # a value that is gone could leave its id to another
        if self._fits(schema, value):
            return same
        mended = self._through_parts(schema, self._own(schema, value, depth), depth)
        for branch in (*_list(schema, "anyOf"), *_list(schema, "oneOf")):
            taken = self.mend(branch, mended.value, depth)
            if taken.changes and self._fits(schema, taken.value):
                mended = _Mended(taken.value, (*mended.changes, *taken.changes))
                break
        if (
            mended.changes and mended.value == value
        ):  # two parts of the schema that contradict each other
            mended = same
        self._known[place] = mended
        return mended

    def _through_parts(self, schema: Schema, mended: _Mended, depth: int) -> _Mended:
        """Repair by the schemas that all have to hold: the one that is referred to, and those of `allOf`."""
        target = self._referred(schema)
        for part in (target, *_list(schema, "allOf")):
            step = self.mend(part, mended.value, depth)
            if not step.changes:
                continue
            within = part is target and isinstance(mended.value, (dict, list))
            if within or self._fits(schema, step.value):
                mended = _Mended(step.value, (*mended.changes, *step.changes))
        return mended

    def _own(self, schema: Schema, value: object, depth: int) -> _Mended:
        """Repair by the schema's own keywords: the parts of a container, the spelling of anything else."""
        if isinstance(value, dict):
            named, rest = schema.get("properties"), schema.get("additionalProperties")
            known = named if isinstance(named, Mapping) else {}
            other = None if "patternProperties" in schema else rest
            parts = ((k, self.mend(known.get(k, other), v, depth + 1)) for k, v in value.items())
            return _each(value, parts)
        if isinstance(value, list):
            first = _list(schema, "prefixItems")
            rules = (*first, *[schema.get("items")] * (len(value) - len(first)))
            pairs = enumerate(zip(rules, value, strict=False))
            return _each(value, ((at, self.mend(r, v, depth + 1)) for at, (r, v) in pairs))
        for other in self._spellings(schema, value, depth):
            # What is inside a container that was a string may be misspelt as well.
            inside = isinstance(other.value, (dict, list))
            below = self.mend(schema, other.value, depth) if inside else _Mended(other.value)
            if self._fits(schema, below.value):
                return _Mended(below.value, (*other.changes, *below.changes))
        return _Mended(value)

    def _spellings(self, schema: Schema, value: object, depth: int) -> Iterator[_Mended]:
        """What the value could stand for, by each declared type in turn (rule 4)."""
        for kind in _types(schema):
            other: object = None
            match kind, value:
                case "object" | "array", str():
                    other = json_value(value, MAX_DEPTH - depth)
                    wanted = dict if kind == "object" else list
                    if not isinstance(other, wanted):
                        single = kind == "array" and self._declares(schema.get("items"), "string")
                        other = [value] if single else None
                case "string", bool():
                    other = "true" if value else "false"
                case "string", int() | float():
                    other = json.dumps(value)
                case "boolean", str():
                    other = _BOOLEANS.get(value.strip(_SPACE))
                case "number" | "integer", str():
                    other = read_number(value.strip(_SPACE))
                    if kind == "integer" and isinstance(other, float):
                        other = int(other) if other.is_integer() else None
            if other is not None:
                plain = _plain_keys(other)
                change = _Change(What.VALUE, (), _shown(value), _shown(plain.value))
                yield _Mended(plain.value, (change, *plain.changes))

    def _declares(self, schema: object, kind: str, hops: int = 8) -> bool:
        """Whether a schema names the type, itself or in a branch."""
        if not isinstance(schema, Mapping) or hops == 0:
            return False
        if kind in _types(schema):
            return True
        branches = [part for key in ("allOf", "anyOf", "oneOf") for part in _list(schema, key)]
        return any(
            self._declares(part, kind, hops - 1) for part in (self._referred(schema), *branches)
        )

    def _referred(self, schema: Schema) -> object:
        """The part of the tool's own schema that a `$ref` names; None for any other."""
        ref = schema.get("$ref")
        if not isinstance(ref, str) or not ref.startswith("#"):
            return None
        if "%" in ref:
            from urllib.parse import unquote  # hardly any schema pays for the import

            ref = unquote(ref)
        found: object = self._root
        for part in ref[1:].split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            if isinstance(found, (list, tuple)):
                index = int(name) if name.isdecimal() and len(name) < 8 else len(found)
                found = found[index] if index < len(found) else None
            else:
                found = found.get(name) if isinstance(found, Mapping) else None
        return found if ref == "#" or ref.startswith("#/") else None


def _types(schema: Schema) -> tuple[str, ...]:
    kind = schema.get("type")
    kinds = kind if isinstance(kind, (list, tuple)) else (kind,)
    return tuple(one for one in kinds if isinstance(one, str))


def _list(schema: Schema, key: str) -> tuple[object, ...]:
    value = schema.get(key)
    return tuple(value) if isinstance(value, (list, tuple)) else ()


def _shown(value: object) -> str:
    return as_json(value, SHOWN_CHARACTERS)
