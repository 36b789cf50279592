"""The bridge of `cvar` (S4)."""

from eukhe_bridge.cvar.adapter import CORE
from eukhe_bridge.cvar.scenarios import Scenario
from eukhe_bridge.cvar.transcript import BRIDGE, RULES

__all__ = ["BRIDGE", "CORE", "RULES", "Scenario"]
