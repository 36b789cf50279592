"""Near names for a tool that is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_COMPARED = 100
"""Characters of a called name that are compared: the cost grows with them, and a model sends any."""

SUGGESTED = 3
"""The most names that an answer suggests (S6 argument repair, 6)."""


def suggested_names(called: str, offered: Iterable[str]) -> tuple[str, ...]:
    """Offered names like the called one: small edit distance first, then the same last segment."""
    names = tuple(offered)
    called = called[:_COMPARED]
    limit = 1 if len(called) <= 3 else max(2, len(called) // 3)
    distances = {name: _distance(called.lower(), name.lower()) for name in names}
    near = sorted((n for n in names if distances[n] <= limit), key=lambda n: distances[n])
    segment = called.rsplit("_", 1)[-1]
    same_end = [n for n in names if segment and n not in near and n.endswith(segment)]
    return tuple((near + same_end)[:SUGGESTED])


def _distance(one: str, other: str) -> int:
    """Edit distance: insertions, deletions and replacements."""
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, start=1):
        before, row[0] = row[0], i
        for j, right in enumerate(other, start=1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (left != right))
    return row[-1]
