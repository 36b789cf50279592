"""What an engine looked at, in one line: the same words in every report."""

from __future__ import annotations

from eukhe_laws.engine.areas import BRIDGE
from eukhe_laws.engine.verdict import Evidence

__all__ = ["spelled_evidence"]


def spelled_evidence(one: Evidence) -> str:
    """Spell evidence: the engine, its bounds, how much it looked at, the seed, and what else to know."""
    parts = [f"{one.engine}: {one.scope}"]
    if one.shapes is not None:
        parts.append(f"{one.shapes[0]} of {one.shapes[1]} shapes, {one.paths:,} paths")
    elif one.engine != BRIDGE:
        met = "" if one.premise == one.inputs else f", {one.premise:,} meet the premise"
        parts.append(f"{one.inputs:,} inputs{met}")
    if one.seed is not None:
        parts.append(f"seed {one.seed}")
    if one.note:
        parts.append(one.note)
    return "; ".join(parts)
