"""The bridge as a line of the report: scenarios through spec and core, transcripts compared byte for byte."""

from __future__ import annotations

import importlib
import time
from pathlib import Path

from eukhe_bridge.kit import Bridge, Outcome, run
from eukhe_laws.engine.verdict import Counterexample, Evidence, Finding, Verdict, merge

__all__ = ["bridge_of", "run_bridge", "verdict_of", "write"]


def bridge_of(area: str) -> Bridge[object]:
    """Import an area's bridge.

    Raises:
        Exception: whatever the import raises; `AttributeError` when the module binds no `BRIDGE`.
    """
    found: Bridge[object] = importlib.import_module(f"eukhe_bridge.{area}").BRIDGE
    return found


def write(outcome: Outcome, directory: Path) -> None:
    """Write both transcripts, as `AREA.spec.txt` and `AREA.core.txt`.

    Raises:
        OSError: the directory cannot be written to.
    """
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in (("spec", outcome.spec), ("core", outcome.core)):
        path = directory / f"{outcome.area}.{name}.txt"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))


def verdict_of(outcome: Outcome, seconds: float) -> Verdict:
    """Turn what the bridge found into a verdict: its rules are the witnesses that must be reached."""
    rules = len(outcome.rules)
    evidence = Evidence(
        "bridge",
        f"{outcome.scenarios} scenarios, {rules} rules",
        inputs=outcome.scenarios,
        premise=outcome.scenarios,
        seed=outcome.seed,
        reached=outcome.rules,
    )
    found: list[Finding] = [evidence]
    if outcome.differences:
        first = outcome.differences[0]
        found.append(
            Counterexample(
                "bridge",
                "both",
                raised=f"{len(outcome.differences)} of {outcome.scenarios} transcripts differ",
                python=f"# scenario {first.number}: {first.scenario}\n{first.diff}",
            )
        )
    names = tuple(name for name, _ in outcome.rules)
    return merge(outcome.area, "bridge", "both", found, witnesses=names, seconds=seconds)


def run_bridge(area: str, seed: int, transcripts: str = "") -> Verdict:
    """Run an area's bridge.

    Args:
        area: The area.
        seed: The seed of the scenarios.
        transcripts: A directory for both transcripts; empty to write none.

    Raises:
        Exception: whatever the bridge raises.
    """
    start = time.monotonic()
    outcome = run(bridge_of(area), seed)
    if transcripts:
        write(outcome, Path(transcripts))
    return verdict_of(outcome, time.monotonic() - start)
