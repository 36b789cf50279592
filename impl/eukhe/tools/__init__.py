"""The tools a model can call."""

from eukhe.tools.tool import Tool, ToolContext, ToolFailedError, ToolOutput
from eukhe.tools.toolset import BUILT_IN, DEFAULT, Toolset, UnknownToolError

__all__ = [
    "BUILT_IN",
    "DEFAULT",
    "Tool",
    "ToolContext",
    "ToolFailedError",
    "ToolOutput",
    "Toolset",
    "UnknownToolError",
]
