"""The teeth of an area in words: the two rates, the laws without a kill, and the diff of every survivor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from eukhe_laws.engine.teeth import BAR, LAWS_BAR, Fate, Teeth

__all__ = ["data", "rate", "summary", "text"]


def rate(part: int, whole: int) -> str:
    """Say a share as whole percent, rounded down: 100% means all of them."""
    return f"{100 * part // whole}%" if whole else "none"


def summary(teeth: Teeth) -> str:
    """Say an area's teeth in one line."""
    made, laws, both = teeth.made(), teeth.killed_by_laws(), teeth.killed()
    said = (
        f"{teeth.area}: {made} mutants, {laws} killed by the laws alone ({rate(laws, made)}), "
        f"{both} by laws or bridge ({rate(both, made)}), {made - both} survived"
    )
    idle = len(teeth.toothless)
    return said + (f", {idle} laws killed none" if idle else "")


def _sides(teeth: Teeth) -> Iterator[str]:
    for side in ("spec", "core"):
        made = teeth.made(side)
        if made:
            laws, both = teeth.killed_by_laws(side), teeth.killed(side)
            yield f"  {side}: {made} mutants, laws {rate(laws, made)}, laws or bridge {rate(both, made)}"


def _shown(title: str, fates: tuple[Fate, ...]) -> Iterator[str]:
    if fates:
        yield f"{title} ({len(fates)})"
    for one in fates:
        by = f" [{one.by}: {one.how}{', ' + one.said if one.said else ''}]" if one.by else ""
        yield f"  {one.file}:{one.line}: {one.function}: {one.change}{by}"
        if one.survived or one.by == "bridge":
            yield from (f"      {line}".rstrip() for line in one.diff.splitlines()[2:])


def text(teeth: Teeth, *, every: bool = False) -> str:
    """Say an area's teeth in full, with the diff of each mutant that the laws alone do not kill.

    Args:
        teeth: What the mutants showed.
        every: Also list each killed mutant with who killed it.
    """
    lines = [summary(teeth), *_sides(teeth)]
    hows = Counter(one.how for one in teeth.fates if one.how)
    kinds = ", ".join(f"{name} {count}" for name, count in hows.most_common())
    lines.append(f"  killed how: {kinds or 'none'}")
    lines.append(f"  {teeth.budget}, seed {teeth.seed}, {teeth.seconds:.0f} s")
    lines.append(f"  bars: laws alone {LAWS_BAR:.0%}, laws or bridge {BAR:.0%}")
    if teeth.toothless:
        cut = " (the search was stopped by the clock)" if teeth.cut else ""
        lines.append(f"Laws that killed no mutant{cut}: {', '.join(teeth.toothless)}")
    lines += _shown("Survived", teeth.survivors)
    lines += _shown("Killed by the bridge only", teeth.bridge_only)
    if every:
        rest = tuple(one for one in teeth.fates if one.by not in ("", "bridge"))
        lines += _shown("Killed by the laws", rest)
    return "\n".join(lines)


def _side_data(teeth: Teeth, side: str | None) -> dict[str, int]:
    return {
        "made": teeth.made(side),
        "killed_by_laws": teeth.killed_by_laws(side),
        "killed": teeth.killed(side),
    }


def data(teeth: Teeth) -> dict[str, Any]:
    """Return an area's teeth as JSON can say them; only `run` holds a wall time."""
    return {
        "area": teeth.area,
        "ok": teeth.ok,
        **_side_data(teeth, None),
        "spec": _side_data(teeth, "spec"),
        "core": _side_data(teeth, "core"),
        "laws": {"kill": [n for n, kills in teeth.laws if kills], "idle": list(teeth.toothless)},
        "survivors": [asdict(one) for one in teeth.survivors],
        "bridge_only": [asdict(one) for one in teeth.bridge_only],
        "budget": teeth.budget,
        "seed": teeth.seed,
        "run": {"seconds": round(teeth.seconds, 3), "cut": teeth.cut},
    }
