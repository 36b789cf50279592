"""What ends a run from outside: Ctrl-C, SIGTERM and SIGHUP."""

from __future__ import annotations

import asyncio
import signal
import time
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from types import FrameType

__all__ = ["Stops"]

_T = TypeVar("_T")

_PATIENCE: Final = 0.5
"""Seconds that a Ctrl-C waits for the loop until the next one breaks into whatever runs."""


class Stops:
    """Cancels a task at each signal: at the first it cleans up, at the second it leaves that as well.

    Python's own way at a second Ctrl-C is an exception in whatever runs at that moment. In the middle of the loop
    it loses what wakes a task, and the program waits for that task for ever. So it is raised only where nothing
    can be cancelled any more: in code that holds up the loop, and behind the end of the task.

    A signal that the process was started to ignore (`nohup`, a script's background job) stays ignored.

    Attributes:
        first: the number of the signal that came first; None when there was none.
    """

    def __init__(self) -> None:
        self.first: int | None = None
        self._waits_since: float | None = None

    def run(self, work: Callable[[], Coroutine[None, None, _T]]) -> _T:
        """Run the work in a loop of its own, as `asyncio.run` does.

        Args:
            work: makes the coroutine of the task.

        Raises:
            asyncio.CancelledError: a signal ended it.
            KeyboardInterrupt: Ctrl-C ended what could not be cancelled.
        """
        before = signal.getsignal(signal.SIGINT)
        try:
            return asyncio.run(self._listening(work))
        finally:
            signal.signal(signal.SIGINT, before)

    async def _listening(self, work: Callable[[], Coroutine[None, None, _T]]) -> _T:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()

        def cancel(number: int) -> None:
            self.first = self.first or number
            if task is not None and not task.done():
                self._waits_since = None
                task.cancel()

        def ctrl_c(number: int, _: FrameType | None) -> None:
            now = time.monotonic()
            since = now if self._waits_since is None else self._waits_since
            if loop.is_closed() or now - since > _PATIENCE:
                raise KeyboardInterrupt
            self._waits_since = since
            loop.call_soon_threadsafe(cancel, number)

        # A polite end from outside must commit and kill the tools as well.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is signal.SIG_IGN:
                continue
            if number is signal.SIGINT:
                signal.signal(number, ctrl_c)
            else:
                loop.add_signal_handler(number, cancel, number)
        try:
            return await work()
        finally:
            # The loop closes its socket for signals before it unlearns them: one in between would print a fault.
            signal.set_wakeup_fd(-1)
