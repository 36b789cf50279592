"""Minimal counterexamples: shrink greedily, then try every input below that size.

The size of an input is one number: an int counts itself, an enum member its place, an item of a tuple one more
than the item, a union part its place more. A greedy shrink ends in a local minimum; `below` finds the true one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from eukhe_laws.engine.codec import contains
from eukhe_laws.engine.domain import Domain, One, Prod, Seq, Sum

__all__ = ["below", "minimal", "shrink", "smaller", "tier", "weight"]

#: So many smaller inputs are tried before the search for the true minimum gives up.
TRIES = 20_000

Fails = Callable[[tuple[Any, ...]], bool]


def _place(node: One, value: Any) -> int:
    """The size of a scalar: what an unbounded int is, else its place among the values."""
    if node.kind == "int" and not node.finite:
        return int(value)
    for place, one in enumerate(node.values):
        if type(one) is type(value) and one == value:
            return place
    return len(node.values) + len(value)  # a string beyond the scope's words


def weight(domain: Domain, value: Any) -> int:
    """Return the size of a value."""
    match domain.node:
        case One() as node:
            return _place(node, value)
        case Sum(parts=parts):
            return next(
                place + weight(part, value)
                for place, part in enumerate(parts)
                if contains(part, value)
            )
        case Prod(parts=parts) as node:
            return sum(
                weight(part, item) for part, item in zip(parts, _items(node, value), strict=True)
            )
        case Seq(part=part, lo=lo):
            return len(value) - lo + sum(weight(part, item) for item in value)


def _items(node: Prod, value: Any) -> tuple[Any, ...]:
    return tuple(getattr(value, name) for name in node.names) if node.names else tuple(value)


def smaller(domain: Domain, value: Any) -> Iterator[Any]:
    """Yield values of the domain that are a step smaller, the boldest steps first."""
    match domain.node:
        case One(kind="int", finite=False):
            yield from sorted({0, value // 2, value - 1} - {value, -1})
        case One(values=values) as node:
            yield from values[: _place(node, value)]
        case Sum(parts=parts):
            at = next(place for place, part in enumerate(parts) if contains(part, value))
            for part in parts[:at]:
                yield from tier(part, 0)
            yield from smaller(parts[at], value)
        case Prod(make=make, parts=parts) as node:
            items = _items(node, value)
            for place, part in enumerate(parts):
                for less in smaller(part, items[place]):
                    yield make(*items[:place], less, *items[place + 1 :])
        case Seq(part=part, lo=lo):
            if len(value) // 2 > lo:
                yield value[: len(value) // 2]
                yield value[len(value) // 2 :]
            if len(value) > lo:
                for place in range(len(value)):
                    yield value[:place] + value[place + 1 :]
            for place, item in enumerate(value):
                for less in smaller(part, item):
                    yield (*value[:place], less, *value[place + 1 :])


def tier(domain: Domain, size: int) -> Iterator[Any]:
    """Yield every value of exactly that size."""
    if size < 0:
        return
    match domain.node:
        case One(kind="int", finite=False):
            yield size
        case One(values=values):
            if size < len(values):
                yield values[size]
        case Sum(parts=parts):
            for place, part in enumerate(parts):
                yield from tier(part, size - place)
        case Prod(make=make, parts=parts):
            for items in _together(parts, size):
                yield make(*items)
        case Seq(part=part, lo=lo, hi=hi, bounded=bounded):
            most = min(hi, lo + size) if bounded else lo + size
            for length in range(lo, most + 1):
                yield from _together((part,) * length, size - (length - lo))


def _together(parts: tuple[Domain, ...], size: int) -> Iterator[tuple[Any, ...]]:
    """Yield every combination of values whose sizes sum up to `size`."""
    if not parts:
        if size == 0:
            yield ()
        return
    head, *rest = parts
    if not rest:
        for item in tier(head, size):
            yield (item,)
        return
    for own in range(size + 1):
        for item in tier(head, own):
            for others in _together(tuple(rest), size - own):
                yield (item, *others)


def shrink(
    domains: tuple[Domain, ...], values: tuple[Any, ...], fails: Fails, deadline: float
) -> tuple[Any, ...]:
    """Take smaller steps as long as one still fails.

    Args:
        domains: The domain of each argument.
        values: Arguments that fail.
        fails: Whether arguments fail; it must be total.
        deadline: Of `time.monotonic`; past it the smallest found so far is given.
    """
    found = True
    while found and time.monotonic() < deadline:
        found = False
        for place, domain in enumerate(domains):
            for less in smaller(domain, values[place]):
                tried = (*values[:place], less, *values[place + 1 :])
                if fails(tried):
                    values, found = tried, True
                    break
                if time.monotonic() > deadline:
                    return values
            if found:
                break
    return values


def below(
    domains: tuple[Domain, ...], size: int, fails: Fails, deadline: float
) -> tuple[tuple[Any, ...] | None, bool]:
    """Try every input smaller than `size`, smallest first.

    Returns:
        The first that fails, or `None`; and whether every one before it was tried.
    """
    tries = 0
    for less in range(size):
        for tried in _together(domains, less):
            tries += 1
            if tries > TRIES or time.monotonic() > deadline:
                return None, False
            if fails(tried):
                return tried, True
    return None, True


def minimal(
    domains: tuple[Domain, ...], values: tuple[Any, ...], fails: Fails, seconds: float
) -> tuple[tuple[Any, ...], bool]:
    """Find the smallest arguments that fail.

    Returns:
        The arguments, and whether every smaller input was tried.
    """
    deadline = time.monotonic() + seconds
    local = shrink(domains, values, fails, deadline)
    size = sum(weight(domain, value) for domain, value in zip(domains, local, strict=True))
    better, whole = below(domains, size, fails, deadline)
    return (better if better is not None else local), whole
