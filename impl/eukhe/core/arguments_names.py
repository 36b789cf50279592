"""Which offered tools a call may have meant that names none of them (S6 argument repair, 6)."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["SUGGESTED", "suggested_names", "tool_unavailable"]

SUGGESTED = 3
"""The most names that an answer suggests."""

_COMPARED = 100
"""Characters of a called name that are compared: the cost grows with them, and a model sends any."""

_SHOWN = 80


def tool_unavailable(called: str, offered: Iterable[str]) -> str:
    """What the model gets to read in the place of a result."""
    near = suggested_names(called, offered)
    shown = repr(called if len(called) <= _SHOWN else f"{called[:_SHOWN]}\u2026")
    if near:
        return f"tool_unavailable: there is no tool {shown}; did you mean {', '.join(near)}?"
    return f"tool_unavailable: there is no tool {shown} in this run"


def suggested_names(called: str, offered: Iterable[str]) -> tuple[str, ...]:
    """At most three offered names that the called one may stand for.

    First those at a small edit distance, the nearest first and equals as they are offered; then those that end
    with the last `_` segment of the called name. Small is 2, or a third of the called name's length if that is
    more, and 1 for names of up to three characters. Case does not count.
    """
    names = tuple(dict.fromkeys(offered))
    wanted = called[:_COMPARED].lower()
    limit = 1 if len(wanted) <= 3 else max(2, len(wanted) // 3)
    distances = {name: _distance(wanted, name.lower(), limit) for name in names}
    near = sorted((name for name in names if distances[name] <= limit), key=distances.__getitem__)
    segment = called.rsplit("_", 1)[-1].lower()
    ends = (name for name in names if segment and name.lower().endswith(segment))
    return tuple(dict.fromkeys([*near, *ends]))[:SUGGESTED]


def _distance(one: str, other: str, limit: int) -> int:
    """Insertions, deletions and replacements from one to the other; above `limit` it is not exact."""
    if abs(len(one) - len(other)) > limit:
        return limit + 1
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, start=1):
        before, row[0] = row[0], i
        for j, right in enumerate(other, start=1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (left != right))
        if min(row) > limit:
            break
    return min(row) if min(row) > limit else row[-1]
