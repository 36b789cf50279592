"""The seeded sampler: volume. N inputs and the seed decide; seconds are only the net."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from eukhe_laws.engine.domain import Domain, Scope
from eukhe_laws.engine.law import Law
from eukhe_laws.engine.search import claims, said, search
from eukhe_laws.engine.verdict import Finding

__all__ = ["draws", "sample"]


def draws(
    domains: tuple[Domain, ...], name: str, count: int, seed: int
) -> Iterator[tuple[Any, ...]]:
    """Draw `count` inputs. The stream depends on the law's name and the seed alone."""
    rng = Random(f"{seed}:{name}")
    makers = tuple(domain.draw() for domain in domains)
    for _ in range(count):
        yield tuple([make(rng) for make in makers])


def sample(
    law: Law,
    subject: Any,
    subject_name: str,
    *,
    count: int,
    seed: int,
    seconds: float,
    scope: Scope | None = None,
) -> tuple[Finding, ...]:
    """Draw inputs within the law's wide scope.

    Args:
        law: The law.
        subject: The functions under law.
        subject_name: `spec`, `core` or `both`.
        count: How many inputs.
        seed: The seed; it is printed with the claim.
        seconds: The net.
        scope: The bounds, instead of the law's wide scope.
    """
    within = law.wide if scope is None else scope
    stream = draws(law.domains(within), law.name, count, seed)
    tally = search(law, subject, stream, seconds)
    return claims(
        law,
        subject_name,
        "sample",
        tally,
        scope=said(law, within),
        whole=False,
        finite=False,
        seed=seed,
        seconds=seconds,
    )
