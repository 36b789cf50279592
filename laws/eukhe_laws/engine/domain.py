"""Domains: one reading of a type serves every engine.

A domain is read from the annotation of a law's parameter: frozen dataclasses, enums, tuples, unions, `bool`,
`None`, `int` (a natural: a law never sees a negative one unless it says so with `Range`), and `str`. The
reading is a tree of four node kinds; `values`, `draw`, `size` and `finite` are folds over it, and so are the
Hypothesis strategies and the CrossHair shapes in their own modules.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from random import Random
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

__all__ = [
    "Among",
    "Domain",
    "DomainError",
    "One",
    "Prod",
    "Range",
    "Scope",
    "Seq",
    "Sized",
    "Sum",
    "domain",
    "kinds",
    "words_of",
]


class DomainError(TypeError):
    """A type that no engine can quantify over."""


@dataclass(frozen=True)
class Range:
    """`Annotated[int, Range(lo, hi)]`: the whole numbers lo to hi, both included. A finite domain."""

    lo: int
    hi: int


@dataclass(frozen=True)
class Among:
    """`Annotated[T, Among((a, b))]`: one of these values. A finite domain."""

    values: tuple[Any, ...]


@dataclass(frozen=True)
class Sized:
    """`Annotated[tuple[T, ...], Sized(lo, hi)]`: lo to hi items, whatever the scope. Finite when T is."""

    lo: int
    hi: int


@dataclass(frozen=True)
class Scope:
    """The bounds of a search: an `int` is 0 to nat-1, a tuple holds 0 to size items, a `str` is one of words.

    `over` gives a parameter, or a dataclass field of that name at any depth below it, bounds of its own.
    """

    nat: int = 3
    size: int = 2
    words: tuple[str, ...] = ("", "a", "b")
    over: tuple[tuple[str, Scope], ...] = ()

    def at(self, name: str) -> Scope:
        """Return the bounds below the parameter or field `name`; what it does not name is inherited."""
        found = dict(self.over).get(name)
        if found is None:
            return self
        return replace(found, over=found.over + self.over)

    def grown(self, nat: int = 2, size: int = 2) -> Scope:
        """Return the scope with every bound raised by `nat` and `size`: the sampler's default."""
        return replace(
            self,
            nat=self.nat + nat,
            size=self.size + size,
            over=tuple((name, scope.grown(nat, size)) for name, scope in self.over),
        )


@dataclass(frozen=True)
class One:
    """A choice of values: `kind` is `int`, `bool`, `none`, `enum`, `among` or `str`."""

    kind: str
    type: Any
    values: tuple[Any, ...]
    finite: bool


@dataclass(frozen=True)
class Sum:
    """A union: exactly one of the parts."""

    parts: tuple[Domain, ...]


@dataclass(frozen=True)
class Prod:
    """A frozen dataclass or a fixed tuple: `make(*parts)`; `names` are the fields, or empty for a tuple."""

    make: Callable[..., Any]
    names: tuple[str, ...]
    parts: tuple[Domain, ...]


@dataclass(frozen=True)
class Seq:
    """A tuple of lo to hi items of one part; `finite` says that the bounds are the type's own."""

    part: Domain
    lo: int
    hi: int
    bounded: bool


Node = One | Sum | Prod | Seq


def _tuple(*items: Any) -> tuple[Any, ...]:
    return items


def _annotated(args: tuple[Any, ...], scope: Scope) -> Node:
    base, *marks = args
    for mark in marks:
        if isinstance(mark, Range):
            return One("int", int, tuple(range(mark.lo, mark.hi + 1)), finite=True)
        if isinstance(mark, Among):
            return One("among", base, mark.values, finite=True)
        if isinstance(mark, Sized):
            inner = _read(base, scope)
            if not isinstance(inner, Seq):
                raise DomainError(f"Sized marks a tuple of any length, not {base}")
            return Seq(inner.part, mark.lo, mark.hi, bounded=True)
    return _read(base, scope)


def _read(tp: Any, scope: Scope) -> Node:
    origin, args = get_origin(tp), get_args(tp)
    if hasattr(tp, "__supertype__"):  # a NewType is its base: ids are ints
        return _read(tp.__supertype__, scope)
    if origin is Annotated:
        return _annotated(args, scope)
    if tp is bool:
        return One("bool", bool, (False, True), finite=True)
    if tp is int:
        return One("int", int, tuple(range(scope.nat)), finite=False)
    if tp is str:
        return One("str", str, scope.words, finite=False)
    if tp is None or tp is NoneType:
        return One("none", NoneType, (None,), finite=True)
    if isinstance(tp, type) and issubclass(tp, Enum):
        return One("enum", tp, tuple(tp), finite=True)
    if origin in (Union, UnionType):
        return Sum(tuple(Domain(part, scope) for part in args))
    if origin is tuple and len(args) == 2 and args[1] is ...:
        return Seq(Domain(args[0], scope), 0, scope.size, bounded=False)
    if origin is tuple:
        return Prod(_tuple, (), tuple(Domain(part, scope) for part in args))
    if isinstance(tp, type) and is_dataclass(tp):
        hints = get_type_hints(tp, include_extras=True)
        names = tuple(f.name for f in fields(tp) if f.init)
        return Prod(tp, names, tuple(Domain(hints[name], scope.at(name)) for name in names))
    raise DomainError(
        f"no domain for {tp!r}: use frozen dataclasses, enums, tuples, unions, bool, int, str, None"
    )


class Domain:
    """A type read within a scope. `node` is the reading; the rest are folds over it."""

    __slots__ = ("_draw", "_values", "node", "scope", "type")

    def __init__(self, tp: Any, scope: Scope) -> None:
        self.type = tp
        self.scope = scope
        self.node: Node = _read(tp, scope)
        self._draw: Callable[[Random], Any] | None = None
        self._values: tuple[Any, ...] | None = None

    @property
    def finite(self) -> bool:
        """Whether the type itself has finitely many values, all of which `values` gives."""
        match self.node:
            case One(finite=finite):
                return finite
            case Sum(parts=parts) | Prod(parts=parts):
                return all(part.finite for part in parts)
            case Seq(part=part, bounded=bounded):
                return bounded and part.finite

    def size(self) -> int:
        """Return how many values the scope holds, without making them."""
        match self.node:
            case One(values=values):
                return len(values)
            case Sum(parts=parts):
                return sum(part.size() for part in parts)
            case Prod(parts=parts):
                total = 1
                for part in parts:
                    total *= part.size()
                return total
            case Seq(part=part, lo=lo, hi=hi):
                return sum(part.size() ** n for n in range(lo, hi + 1))

    def values(self) -> tuple[Any, ...]:
        """Return every value within the scope, smallest first; memoised, so ask for `size` before."""
        if self._values is None:
            self._values = tuple(self._each())
        return self._values

    def _each(self) -> Iterator[Any]:
        match self.node:
            case One(values=values):
                yield from values
            case Sum(parts=parts):
                for part in parts:
                    yield from part.values()
            case Prod(make=make, parts=parts):
                for items in itertools.product(*(part.values() for part in parts)):
                    yield make(*items)
            case Seq(part=part, lo=lo, hi=hi):
                for n in range(lo, hi + 1):
                    yield from itertools.product(part.values(), repeat=n)

    def draw(self) -> Callable[[Random], Any]:
        """Return the sampler of this domain: a closure built once, which is where its speed comes from."""
        if self._draw is None:
            self._draw = self._sampler()
        return self._draw

    def _sampler(self) -> Callable[[Random], Any]:
        match self.node:
            case One(values=values):
                if len(values) == 1:
                    only = values[0]
                    return lambda _rng: only
                count = len(values)
                return lambda rng: values[int(rng.random() * count)]
            case Sum(parts=parts):
                draws = tuple(part.draw() for part in parts)
                kinds = len(draws)
                return lambda rng: draws[int(rng.random() * kinds)](rng)
            case Prod(make=make, parts=parts):
                members = tuple(part.draw() for part in parts)
                return lambda rng: make(*[member(rng) for member in members])
            case Seq(part=part, lo=lo, hi=hi):
                item, span = part.draw(), hi - lo + 1
                return lambda rng: tuple([item(rng) for _ in range(lo + int(rng.random() * span))])


def kinds(read: Domain) -> frozenset[str]:
    """Name what the scope bounds in a domain: `ints`, `tuples`, `strings`; nothing in a finite one."""
    match read.node:
        case One(kind="str"):
            return frozenset({"strings"})
        case One(finite=finite):
            return frozenset() if finite else frozenset({"ints"})
        case Sum(parts=parts) | Prod(parts=parts):
            return frozenset().union(*map(kinds, parts))
        case Seq(part=part, bounded=bounded):
            return kinds(part) if bounded else kinds(part) | {"tuples"}


def _fields(read: Domain) -> Iterator[tuple[str, Domain]]:
    """Yield every dataclass field at any depth, with its domain."""
    match read.node:
        case Prod(names=names, parts=parts):
            if names:
                yield from zip(names, parts, strict=True)
            for part in parts:
                yield from _fields(part)
        case Sum(parts=parts):
            for part in parts:
                yield from _fields(part)
        case Seq(part=part):
            yield from _fields(part)


def _bounds(scope: Scope, which: frozenset[str], base: Scope | None = None) -> str:
    said = (
        ("ints", scope.nat, base and base.nat, f"ints < {scope.nat}"),
        ("tuples", scope.size, base and base.size, f"tuples <= {scope.size}"),
        ("strings", scope.words, base and base.words, f"strings: {len(scope.words)} words"),
    )
    return ", ".join(text for kind, own, old, text in said if kind in which and own != old)


def words_of(scope: Scope, named: Sequence[tuple[str, Domain]]) -> str:
    """Say bounds in words, as far as they bound anything: `ints < 3, tuples <= 2; cap: ints < 5`.

    Args:
        scope: The bounds.
        named: Each parameter with its domain, read within these bounds.
    """
    every = [*((name, "", read) for name, read in named)]
    every += [(name, ".", one) for _, read in named for name, one in _fields(read)]
    parts = [_bounds(scope, frozenset().union(*(kinds(read) for _, read in named)))]
    for name, own in scope.over:
        places = dict.fromkeys(mark for at, mark, _ in every if at == name)
        for mark in places:
            which = [kinds(read) for at, sign, read in every if (at, sign) == (name, mark)]
            said = _bounds(own, frozenset().union(*which), scope)
            parts += [f"{mark}{name}: {said}"] if said else []
    return "; ".join(part for part in parts if part) or "the whole domain"


def domain(tp: Any, scope: Scope) -> Domain:
    """Read `tp` within `scope`.

    Raises:
        DomainError: the type, or a part of it, is none that an engine can quantify over.
    """
    return Domain(tp, scope)
