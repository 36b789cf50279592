"""Calls of a tool as a run makes them."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from eukhe.tools import ToolContext, Toolset
from eukhe.tools.arguments import GoodArguments

if TYPE_CHECKING:
    from pathlib import Path

    from eukhe.tools import ToolOutput


def call(cwd: Path, tool: str, outputs: Path | None = None, /, **arguments: object) -> str:
    """Run a tool; the text of its result."""
    return output_of(ToolContext(cwd, {}, outputs), tool, **arguments).text


def output_of(given: ToolContext, tool: str, /, **arguments: object) -> ToolOutput:
    """Run a tool with arguments that its own schema takes; its result."""
    tools = Toolset.built_in((tool,))
    checked = tools.arguments(tool, json.dumps(arguments))
    assert isinstance(checked, GoodArguments), checked
    made = tools.get(tool)
    assert made is not None
    return asyncio.run(made.run(checked.value, given))
