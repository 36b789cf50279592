"""The three standard streams, made fit for any text and any caller."""

from __future__ import annotations

import os
import sys
from typing import TextIO


def ready_streams() -> None:
    """Lead closed streams to nowhere, and let text that an encoding cannot show come out escaped.

    A caller can close any of the three (`>&-`). Python then has None in its place, and the next file that
    is opened would get its number, so that whatever prints to the number would write into that file.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the least number that is free: this one
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - open to the end
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - open to the end
    for stream in (sys.stdout, sys.stderr):
        getattr(stream, "reconfigure", lambda **_: None)(errors="backslashreplace")


def drop_stuck_output() -> None:
    """Drop what the standard output does not take, a full disk for example.

    Python would try it again at the end of the process, and end with a code of its own.
    """
    try:
        sys.stdout.flush()
    except OSError:
        lead_nowhere(sys.stdout)


def lead_nowhere(stream: TextIO) -> None:
    """Lead a stream to nowhere, with all that is still to be written to it."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
