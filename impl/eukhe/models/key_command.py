"""Runs the command that prints a key: bounded in time and output, and done when the command itself has ended."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Done", "run"]

_PIECE: Final = 1 << 16
_LOOK: Final = 0.01
"""Seconds between two looks at whether the command has ended."""


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a command.

    Attributes:
        status: How it ended; negative for the signal that killed it, None where it was ended.
        output: What it printed; it may be a key.
        errors: The beginning of what it printed on stderr.
        whole: Whether `output` is all that it printed.
    """

    status: int | None
    output: bytes = field(repr=False)
    errors: bytes
    whole: bool


def run(command: str, environ: Mapping[str, str], seconds: float, most: int) -> Done:
    """Run a command in a shell, without input.

    What it leaves in the background is left alone, and is not waited for although it may hold the pipes open.

    Args:
        command: The shell's line.
        environ: Its environment.
        seconds: How long it may run before it is ended, with all that it has started.
        most: How many bytes it may print before it is ended.

    Raises:
        OSError: There is no shell, or it cannot run.
    """
    child = subprocess.Popen(
        ["/bin/sh", "-c", command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(environ),
        start_new_session=True,  # so that what the command started ends with it
    )
    with child, selectors.DefaultSelector() as pipes:
        heard = _Heard(child, pipes)
        try:
            ended = heard.until(time.monotonic() + seconds, most)
        except BaseException:
            _end(child)
            raise
        if not ended:
            _end(child)
    whole = len(heard.output) <= most
    return Done(child.returncode if ended and whole else None, heard.output, heard.errors, whole)


class _Heard:
    """What came out of a child so far."""

    def __init__(self, child: subprocess.Popen[bytes], pipes: selectors.BaseSelector) -> None:
        self.output = b""
        self.errors = b""
        self._child = child
        self._pipes = pipes
        for pipe in (child.stdout, child.stderr):
            if pipe is not None:
                os.set_blocking(pipe.fileno(), False)
                self._pipes.register(pipe, selectors.EVENT_READ, pipe is child.stdout)

    def until(self, end: float, most: int) -> bool:
        """Listen until the child has ended; False when that was too late, or it printed too much."""
        while self._child.poll() is None:
            if len(self.output) > most or time.monotonic() > end:
                return False
            self._listen(_LOOK, most)
        while len(self.output) <= most and time.monotonic() <= end:
            if not self._listen(0, most):  # all that was left in the pipes is here
                break
        return True

    def _listen(self, seconds: float, most: int) -> bool:
        """Wait for something and take it; False for nothing."""
        if not self._pipes.get_map():
            time.sleep(seconds)  # both pipes are closed, and the child goes on
            return False
        ready = self._pipes.select(seconds)
        for key, _ in ready:
            with suppress(BlockingIOError):
                piece = os.read(key.fd, _PIECE)
                if not piece:
                    self._pipes.unregister(key.fileobj)
                elif key.data:
                    self.output += piece
                else:
                    self.errors = (self.errors + piece)[:most]
        return bool(ready)


def _end(child: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except OSError:
        child.kill()
