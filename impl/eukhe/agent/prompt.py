"""The system prompt that eukhe sends when the user gives none."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def system_prompt(cwd: Path, tools: Sequence[str]) -> str:
    """The built-in prompt. It holds no time and nothing random, so that prompt caches hit.

    Args:
        cwd: the working directory of the tools.
        tools: names of the tools on offer.
    """
    lines = ["You are eukhe, a coding agent that works in a terminal for its user."]
    if tools:
        lines += [
            f"The working directory is {cwd}.",
            f"Your tools are: {', '.join(tools)}. Use them to look at things rather than to guess, "
            "and to check what you did.",
        ]
    lines.append("Answer briefly and in plain text. Say what you could not do.")
    return "\n".join(lines)
