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

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_PATIENCE: Final = 0.5
"""Seconds that a signal waits for the loop until the next one breaks into whatever runs."""


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
            KeyboardInterrupt: a signal ended what could not be cancelled.
        """
        before = {number: signal.getsignal(number) for number in _SIGNALS}
        try:
            return asyncio.run(self._listening(work))
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    async def _listening(self, work: Callable[[], Coroutine[None, None, _T]]) -> _T:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()

        def cancel() -> None:
            if task is not None and not task.done():
                self._waits_since = None
                task.cancel()

        def stop(number: int, _: FrameType | None) -> None:
            self.first = self.first or number
            now = time.monotonic()
            since = now if self._waits_since is None else self._waits_since
            if loop.is_closed() or now - since > _PATIENCE:
                raise KeyboardInterrupt
            self._waits_since = since
            loop.call_soon_threadsafe(cancel)

        for number in _SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, stop)
        return await work()
