"""How this package starts Python processes of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

__all__ = ["command", "environment"]


def command(module: str, *arguments: str) -> list[str]:
    """Return the command that runs a module with the interpreter of this process.

    `-P` keeps the directory that the user is in off the path: a file `enum.py` in it must not be imported.
    """
    return [sys.executable, "-P", "-m", module, *arguments]


def environment(**more: str) -> Mapping[str, str]:
    """Return the environment of a child that imports what this process can import, with contracts off."""
    path = os.pathsep.join(entry for entry in sys.path if entry)
    return {
        **os.environ,
        "PYTHONPATH": path,
        "PYTHONHASHSEED": "0",
        "EUKHE_CONTRACTS": "0",
        **more,
    }
