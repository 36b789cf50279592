"""Values as JSON (for replay ids) and as Python (for people), read by their domain.

JSON form: a bool, int, str or null is itself; an enum member is its name; a value of `Among` its place in the
list; a dataclass an object of its fields; a tuple an array; a union `{"part": value}`, with the part's label.
"""

from __future__ import annotations

import hashlib
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from eukhe_laws.engine.domain import Domain, One, Prod, Seq, Sum

__all__ = ["CodecError", "contains", "decode", "encode", "form", "imports", "python", "version"]


class CodecError(ValueError):
    """JSON that is no value of the domain."""


def _natural(domain: Domain) -> bool:
    return isinstance(domain.node, One) and domain.node.kind == "int" and not domain.node.finite


def contains(domain: Domain, value: Any) -> bool:
    """Whether `value` is of the domain's type, whatever the bounds of its scope."""
    match domain.node:
        case One(kind="str"):
            return type(value) is str
        case One(values=values):
            if _natural(domain):
                return type(value) is int and value >= 0
            return any(type(value) is type(one) and value == one for one in values)
        case Sum(parts=parts):
            return any(contains(part, value) for part in parts)
        case Prod(make=make, names=(), parts=parts):
            return (
                type(value) is tuple
                and len(value) == len(parts)
                and all(contains(part, item) for part, item in zip(parts, value, strict=True))
            )
        case Prod(make=make, names=names, parts=parts):
            return type(value) is make and all(
                contains(part, getattr(value, name))
                for part, name in zip(parts, names, strict=True)
            )
        case Seq(part=part, lo=lo, hi=hi, bounded=bounded):
            fits = type(value) is tuple and (not bounded or lo <= len(value) <= hi)
            return fits and all(contains(part, item) for item in value)


def _label(parts: tuple[Domain, ...], place: int) -> str:
    """Name one part of a union: its type's name, with its place where two share it."""
    names = [getattr(part.type, "__name__", str(part.type)) for part in parts]
    name = "None" if names[place] == "NoneType" else names[place]
    return name if names.count(names[place]) == 1 else f"{name}/{place}"


def encode(domain: Domain, value: Any) -> Any:
    """Encode a value as JSON.

    Raises:
        CodecError: the value is not of the domain's type.
    """
    match domain.node:
        case One(kind="enum") if isinstance(value, Enum):
            return value.name
        case One(kind="among", values=values):
            return next(
                i for i, one in enumerate(values) if type(one) is type(value) and one == value
            )
        case One():
            return value
        case Sum(parts=parts):
            for place, part in enumerate(parts):
                if contains(part, value):
                    return {_label(parts, place): encode(part, value)}
            raise CodecError(f"{value!r} is no {domain.type}")
        case Prod(names=(), parts=parts):
            return [encode(part, item) for part, item in zip(parts, value, strict=True)]
        case Prod(names=names, parts=parts):
            return {
                name: encode(part, getattr(value, name))
                for part, name in zip(parts, names, strict=True)
            }
        case Seq(part=part):
            return [encode(part, item) for item in value]


def decode(domain: Domain, data: Any) -> Any:
    """Decode what `encode` gave.

    Raises:
        CodecError: the JSON is no value of the domain.
    """
    wrong = CodecError(f"{data!r} is no {getattr(domain.type, '__name__', domain.type)}")
    match domain.node, data:
        case One(kind="enum", values=values), str():
            found = next((one for one in values if one.name == data), wrong)
        case One(kind="among", values=values), int():
            found = values[data] if 0 <= data < len(values) else wrong
        case One(kind="enum" | "among"), _:
            found = wrong
        case One(), _:
            found = data if contains(domain, data) else wrong
        case Sum(parts=parts), dict():
            labels = [_label(parts, place) for place in range(len(parts))]
            tags = list(data)
            if len(tags) != 1 or tags[0] not in labels:
                raise wrong
            found = decode(parts[labels.index(tags[0])], data[tags[0]])
        case Prod(names=(), parts=parts), list() if len(data) == len(parts):
            found = tuple(decode(part, item) for part, item in zip(parts, data, strict=True))
        case Prod(make=make, names=names, parts=parts), dict() if set(data) == set(names):
            found = make(
                *(decode(part, data[name]) for part, name in zip(parts, names, strict=True))
            )
        case Seq(part=part), list():
            found = tuple(decode(part, item) for item in data)
            if not contains(domain, found):
                raise wrong
        case _:
            raise wrong
    if isinstance(found, CodecError):
        raise found
    return found


def form(domain: Domain) -> str:
    """Spell the type's structure: what an encoded value depends on. Bounds of the scope play no part."""
    match domain.node:
        case One(kind="enum", type=tp, values=values):
            return f"{tp.__name__}({','.join(one.name for one in values)})"
        case One(kind=kind, values=values, finite=finite):
            return f"{kind}{values!r}" if finite else kind
        case Sum(parts=parts):
            return "|".join(f"{_label(parts, i)}={form(part)}" for i, part in enumerate(parts))
        case Prod(make=make, names=names, parts=parts):
            inner = ",".join(form(part) for part in parts)
            return f"{make.__name__}({','.join(names)})[{inner}]"
        case Seq(part=part, lo=lo, hi=hi, bounded=bounded):
            return f"[{form(part)}]{lo}-{hi}" if bounded else f"[{form(part)}]"


def version(domains: tuple[tuple[str, Domain], ...]) -> str:
    """Return the digest of named domains: ids of another one belong to another version of the law."""
    text = ";".join(f"{name}:{form(domain)}" for name, domain in domains)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def python(value: Any) -> str:
    """Spell a value as the Python expression that builds it."""
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if is_dataclass(value) and not isinstance(value, type):
        inner = ", ".join(
            f"{f.name}={python(getattr(value, f.name))}" for f in fields(value) if f.init
        )
        return f"{type(value).__name__}({inner})"
    if type(value) is tuple:
        inner = ", ".join(python(item) for item in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    return repr(value)


def imports(value: Any) -> frozenset[tuple[str, str]]:
    """Return the names that `python(value)` uses: module and name of each class."""
    if isinstance(value, Enum):
        return frozenset({(type(value).__module__, type(value).__name__)})
    if is_dataclass(value) and not isinstance(value, type):
        own = frozenset({(type(value).__module__, type(value).__name__)})
        return own.union(*(imports(getattr(value, f.name)) for f in fields(value) if f.init))
    if type(value) is tuple:
        return frozenset().union(*(imports(item) for item in value))
    return frozenset()
