"""The bridge of `director` (S5)."""

from eukhe_bridge.director.adapter import CORE, DAMAGED, Bad
from eukhe_bridge.director.scenarios import BRIDGE, RULES, Scenario

__all__ = ["BRIDGE", "CORE", "DAMAGED", "RULES", "Bad", "Scenario"]
