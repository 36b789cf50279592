"""What the tools that list and search have in common: where they start, and results of bounded size."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

from eukhe.tools.files import path_of, shown, told
from eukhe.tools.output import OutputBuffer
from eukhe.tools.tool import ToolFailedError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable
    from pathlib import Path

    from eukhe.tools.tool import ToolContext

SECONDS = 20.0
"""How long a search may take."""

IGNORED_ARGUMENT = {
    "type": "boolean",
    "description": "Look also where .gitignore and the usual list (.git, node_modules, ...) say not to.",
}


def start_of(context: ToolContext, given: str) -> tuple[Path, os.stat_result]:
    """The file or directory where a tool starts, and what the system says of it.

    Raises:
        ToolFailedError: it is not there, cannot be looked at, or is a pipe or a device.
    """
    name = shown(given)
    with told(name, "looked at"):
        path = path_of(context.cwd, given)
    with told(name, "looked at", path):
        found = path.stat()
    if not (stat.S_ISDIR(found.st_mode) or stat.S_ISREG(found.st_mode)):
        raise ToolFailedError(f"{name} is a pipe, a socket or a device, not a directory")
    return path, found


def directory_of(context: ToolContext, given: str) -> Path:
    """The directory where a tool starts.

    Raises:
        ToolFailedError: as `start_of`, and when it is a file.
    """
    path, found = start_of(context, given)
    if not stat.S_ISDIR(found.st_mode):
        raise ToolFailedError(f"{shown(given)} is a file, not a directory")
    return path


def prefix_of(given: str) -> str:
    """What stands before a path below the start, so that the model can give it to another tool as it is."""
    return "" if given in ("", ".", "./") else given.rstrip("/") + "/"


def listed(lines: Iterable[str], outputs: Path | None) -> str:
    """The lines as a text for the model, cut in the middle when it is long, with the whole in a file.

    Args:
        lines: without their ends.
        outputs: where the file is made; None for no file.
    """
    buffer = OutputBuffer(outputs, lambda _: None)
    for line in lines:
        buffer.feed(f"{line}\n".encode("utf-8", "replace"))
    return buffer.finish().removesuffix("\n")


def with_notes(text: str, notes: Iterable[str]) -> str:
    """The text with the notes below it."""
    return "\n".join(filter(None, (text, *(f"[{note}]" for note in notes if note))))


def unread(count: int) -> str:
    """A note on directories and files that could not be read; empty for none."""
    return f"{count} could not be read" if count else ""
