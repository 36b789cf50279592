"""Exhaustion: every input within stated bounds, or of the types' whole domain."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

from eukhe_laws.engine.domain import Domain, Scope
from eukhe_laws.engine.law import Law
from eukhe_laws.engine.search import claims, said, search
from eukhe_laws.engine.verdict import Finding

__all__ = ["FINITE", "bounds", "exhaust", "finite", "size"]

#: A domain that is finite by its types is enumerated whole up to this size, whatever the limit.
FINITE = 300_000


def size(law: Law, scope: Scope) -> int:
    """Return how many inputs the scope holds."""
    return math.prod(domain.size() for domain in law.domains(scope))


def finite(law: Law) -> bool:
    """Whether the law's types have finitely many values, so that bounds play no part."""
    return all(domain.finite for domain in law.domains(law.scope))


def bounds(law: Law, limit: int, *, grow: bool = False) -> Scope:
    """Choose the bounds: the declared scope, or the largest within it that holds at most `limit` inputs.

    Args:
        law: The law.
        limit: The most inputs to enumerate.
        grow: Whether to go beyond the declared scope as far as the limit allows (the deep profile).
    """
    if grow:
        larger = [law.scope.grown(nat, length) for nat, length in ((1, 1), (1, 0), (0, 1))]
        fits = [(size(law, scope), scope) for scope in larger if size(law, scope) <= limit]
        if fits:
            return max(fits, key=lambda one: one[0])[1]
    scope = law.scope
    while size(law, scope) > limit and (scope.nat > 1 or scope.size > 0):
        scope = _smaller(scope)
    return scope


def _smaller(scope: Scope) -> Scope:
    over = tuple((name, _smaller(inner)) for name, inner in scope.over)
    return Scope(max(1, scope.nat - 1), max(0, scope.size - 1), scope.words, over)


def exhaust(
    law: Law,
    subject: Any,
    subject_name: str,
    *,
    limit: int,
    seconds: float,
    grow: bool = False,
) -> tuple[Finding, ...]:
    """Try every input within the law's scope.

    A scope that holds more than `limit` inputs is cut down evenly, and the evidence says so; a finite domain is
    enumerated whole up to `FINITE`. What is still too large gives no evidence at all.

    Args:
        law: The law.
        subject: The functions under law.
        subject_name: `spec`, `core` or `both`.
        limit: The most inputs to enumerate.
        seconds: The net.
        grow: Whether to enlarge the scope as far as the limit allows.
    """
    scope = bounds(law, limit, grow=grow)
    domains = law.domains(scope)
    ends = all(domain.finite for domain in domains)
    count = math.prod(domain.size() for domain in domains)
    most = max(limit, FINITE) if ends else limit
    if count > most:
        return ()  # the first of too many are all alike: more for the sampler
    tally = search(law, subject, _product(domains), seconds)
    return claims(
        law,
        subject_name,
        "exhaust",
        tally,
        scope=said(law, scope),
        whole=True,
        finite=ends,
        seconds=seconds,
    )


def _product(domains: tuple[Domain, ...]) -> Iterator[tuple[Any, ...]]:
    return itertools.product(*(domain.values() for domain in domains))
