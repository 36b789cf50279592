"""Shapes: every length and constructor fixed, only scalars left to a solver.

A type within a scope is a finite list of shapes. A solver that decides all of them has decided the law for *all*
naturals and all tuples up to the length of the scope, which no enumeration can say.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from eukhe_laws.engine.domain import Domain, DomainError, One, Prod, Scope, Seq, Sum
from eukhe_laws.engine.law import Law

__all__ = [
    "Fixed",
    "Inputs",
    "Node",
    "Open",
    "Shape",
    "build",
    "count",
    "fit",
    "leaves",
    "plan",
    "said",
]


@dataclass(frozen=True)
class Open:
    """A scalar left to the solver: its type, and for an int the least and greatest value, if it has them."""

    type: Any
    lo: int | None = None
    hi: int | None = None


@dataclass(frozen=True)
class Fixed:
    """A value that the shape fixes: `None`, a control int, a member of a given choice."""

    value: Any


@dataclass(frozen=True)
class Node:
    """A value made from parts: `make(*kids)`."""

    make: Callable[..., Any]
    kids: tuple[Shape, ...]


Shape = Open | Fixed | Node

#: One shape a parameter of a law.
Inputs = tuple[Shape, ...]


def _items(*items: Any) -> tuple[Any, ...]:
    return items


def _scalars(node: One, control: bool) -> tuple[Shape, ...]:
    if node.kind == "str":
        raise DomainError("strings have no shapes: a solver gets nowhere with them")
    if control or node.kind in ("none", "among") or len(node.values) == 1:
        return tuple(Fixed(value) for value in node.values)
    if node.kind != "int":
        return (Open(node.type),)
    if node.finite:
        return (Open(int, min(node.values), max(node.values)),)
    return (Open(int, 0),)


def _shapes(domain: Domain, control: bool) -> tuple[Shape, ...]:
    match domain.node:
        case One() as node:
            return _scalars(node, control)
        case Sum(parts=parts):
            return tuple(shape for part in parts for shape in _shapes(part, control))
        case Prod(make=make, parts=parts):
            inner = [_shapes(part, control) for part in parts]
            return tuple(Node(make, kids) for kids in itertools.product(*inner))
        case Seq(part=part, lo=lo, hi=hi):
            item = _shapes(part, control)
            lengths = [itertools.product(item, repeat=n) for n in range(lo, hi + 1)]
            return tuple(Node(_items, kids) for kids in itertools.chain(*lengths))


def count(domain: Domain, control: bool = False) -> int:
    """Return how many shapes a domain has, without making them.

    Raises:
        DomainError: the domain holds strings.
    """
    match domain.node:
        case One() as node:
            return len(_scalars(node, control))
        case Sum(parts=parts):
            return sum(count(part, control) for part in parts)
        case Prod(parts=parts):
            return math.prod(count(part, control) for part in parts)
        case Seq(part=part, lo=lo, hi=hi):
            return sum(count(part, control) ** n for n in range(lo, hi + 1))


def leaves(shape: Shape) -> tuple[Open, ...]:
    """Return the scalars that a shape leaves open, in the order in which `build` takes them."""
    match shape:
        case Open():
            return (shape,)
        case Fixed():
            return ()
        case Node(kids=kids):
            return tuple(leaf for kid in kids for leaf in leaves(kid))


def build(shape: Shape, scalars: Iterator[Any]) -> Any:
    """Make the value of a shape, taking one scalar for each open leaf."""
    match shape:
        case Open():
            return next(scalars)
        case Fixed(value=value):
            return value
        case Node(make=make, kids=kids):
            return make(*[build(kid, scalars) for kid in kids])


def _domains(law: Law, scope: Scope) -> tuple[tuple[Domain, bool], ...]:
    named = zip(law.parameters, law.domains(scope), strict=True)
    return tuple((domain, name in law.control) for (name, _), domain in named)


def _total(law: Law, scope: Scope) -> int:
    return math.prod(count(domain, control) for domain, control in _domains(law, scope))


def _shorter(scope: Scope) -> Scope:
    over = tuple((name, _shorter(inner)) for name, inner in scope.over)
    return replace(scope, size=max(0, scope.size - 1), over=over)


def _sizes(scope: Scope) -> int:
    return scope.size + sum(_sizes(inner) for _, inner in scope.over)


def fit(law: Law, most: int) -> Scope:
    """Return the law's scope, with tuples shortened until it has at most `most` shapes, if it can be.

    Raises:
        DomainError: the law quantifies over strings.
    """
    scope = law.scope
    while _total(law, scope) > most and _sizes(scope):
        scope = _shorter(scope)
    return scope


def plan(law: Law, scope: Scope, most: int) -> tuple[Inputs, ...]:
    """Return the shapes of a law's inputs, the smallest first; at most `most` of them.

    Args:
        law: The law.
        scope: The lengths of tuples, and the bounds of the control parameters.
        most: Where to stop.
    """
    each = [_shapes(domain, control) for domain, control in _domains(law, scope)]
    every = itertools.islice(itertools.product(*each), most)
    return tuple(sorted(every, key=lambda inputs: sum(len(leaves(one)) for one in inputs)))


def _kinds(domain: Domain) -> frozenset[str]:
    """Say what in a domain has no bound of its own: `naturals`, `tuples`."""
    match domain.node:
        case One(kind="int", finite=False):
            return frozenset({"naturals"})
        case One():
            return frozenset()
        case Sum(parts=parts) | Prod(parts=parts):
            return frozenset().union(*(_kinds(part) for part in parts))
        case Seq(part=part, bounded=bounded):
            return _kinds(part) | (frozenset() if bounded else {"tuples"})


def said(law: Law, scope: Scope) -> str:
    """Say in words what deciding every shape decides: `all naturals, tuples <= 2, cap < 4`."""
    free = [domain for domain, control in _domains(law, scope) if not control]
    kinds: frozenset[str] = frozenset().union(*(_kinds(domain) for domain in free))
    plain = {
        name
        for (name, _), (domain, control) in zip(law.parameters, _domains(law, scope), strict=True)
        if control or "tuples" not in _kinds(domain)
    }
    parts = ["all naturals"] if "naturals" in kinds else ["every scalar"]
    if "tuples" in kinds:
        parts.append(f"tuples <= {scope.size}")
        parts += [
            f"{name}: tuples <= {inner.size}"
            for name, inner in scope.over
            if inner.size != scope.size and name not in plain
        ]
    parts += [
        f"{name} < {scope.at(name).nat}"
        for (name, _), (domain, control) in zip(law.parameters, _domains(law, scope), strict=True)
        if control and "naturals" in _kinds(domain)
    ]
    return ", ".join(parts)
