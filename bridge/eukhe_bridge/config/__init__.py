"""The bridge of `config` (S4b)."""

from eukhe_bridge.config.adapter import CORE
from eukhe_bridge.config.scenarios import Scenario
from eukhe_bridge.config.transcript import BRIDGE, RULES

__all__ = ["BRIDGE", "CORE", "RULES", "Scenario"]
