"""How fast the core of each area is against its spec, over the area's own bridge scenarios, contracts off."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

from benchmarks.common import Line, in_turns, show

NAME = "spec against core"
ROUNDS = 5
SCENARIOS = 120


def _through(side: Callable[[Any], str], scenarios: list[Any]) -> None:
    for scenario in scenarios:
        side(scenario)


def _measure() -> list[list[Any]]:
    """Time every area in this process: name, least seconds of the spec, least seconds of the core."""
    from eukhe_laws import AREAS

    found: list[list[Any]] = []
    for area in AREAS:
        bridge = importlib.import_module(f"eukhe_bridge.{area}").BRIDGE
        scenarios = list(bridge.scenarios(Random(1), SCENARIOS))

        spec, core = in_turns(
            [partial(_through, bridge.spec, scenarios), partial(_through, bridge.core, scenarios)],
            ROUNDS,
        )
        found.append([area, min(spec), min(core)])
    return found


def run() -> list[Line]:
    """Measure in a child process: contracts are switched off before the first import, or not at all."""
    child = subprocess.run(
        [sys.executable, "-m", "benchmarks.areas", "--child"],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "EUKHE_CONTRACTS": "0"},
    )
    return [
        Line(
            f"{area}: spec / core",
            spec / core,
            None,
            f"spec {spec * 1e3:.1f} ms, core {core * 1e3:.1f} ms for {SCENARIOS} scenarios",
        )
        for area, spec, core in json.loads(child.stdout)
    ]


if __name__ == "__main__":
    if "--child" in sys.argv:
        json.dump(_measure(), sys.stdout)
    else:
        show(NAME, run())
