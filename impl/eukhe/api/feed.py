"""What stands between a run, which tells its events, and the caller, who takes them in time of their own."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import aclosing
from typing import TYPE_CHECKING, Final

from eukhe.agent.events import ToolExecutionUpdate
from eukhe.api.errors import OtherLoopError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable

    from eukhe.agent.events import AgentEvent
    from eukhe.agent.run import Run
    from eukhe.agent.who import Outcome, Stream
    from eukhe.wire.events import Event
    from eukhe.wire.request import Request

__all__ = ["MOST_WAITING", "Feed"]

MOST_WAITING: Final = 1000
"""Events that wait for the caller before the reply of the server is read on."""


class Feed:
    """The events of one run. It does not know the caller's iterator, so that this can be left and forgotten.

    Args:
        told: events that come first.

    Attributes:
        outcome: how the run ended; None while it works, and when it was aborted.
        left: whether the caller takes no more events.
    """

    def __init__(self, told: Iterable[AgentEvent] = ()) -> None:
        self.outcome: Outcome | None = None
        self.left = False
        self.run: Run | None = None
        self._events = deque(told)
        self._task: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._aborted = False
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()

    def put(self, event: AgentEvent) -> None:
        """Take an event of the run.

        Live output of a tool is left out when the caller is too slow for it: it can have any length, the run does
        not wait for it, and the result that follows has what counts.
        """
        full = len(self._events) >= MOST_WAITING
        if self.left or (full and isinstance(event, ToolExecutionUpdate)):
            return
        self._events.append(event)
        if len(self._events) >= MOST_WAITING:
            self._room.clear()
        self._news.set()

    def paced(self, stream: Stream) -> Stream:
        """A wire API that reads a reply no faster than its events are taken."""

        async def paced(request: Request) -> AsyncGenerator[Event, None]:
            async with aclosing(stream(request)) as events:
                async for event in events:
                    await self._room.wait()
                    yield event

        return paced

    def start(self, run: Run, work: Callable[[Run], Coroutine[object, object, Outcome]]) -> None:
        """Let the run begin."""
        self.run = run

        async def go() -> None:
            self.outcome = await work(run)

        self._loop = asyncio.get_running_loop()
        self._task = self._loop.create_task(go())
        self._task.add_done_callback(self._over)

    def _over(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled():
            task.exception()  # it is raised to the caller if there is one; nobody else has to hear of it
        self._news.set()

    @property
    def over(self) -> bool:
        """Whether the run has ended, or its event loop, without which nothing of it goes on."""
        if self._task is None or self._loop is None:
            return False
        return self._task.done() or self._loop.is_closed()

    @property
    def is_elsewhere(self) -> bool:
        """Whether the run works in another event loop than the caller: nothing here may touch it."""
        return self._task is not None and not self.over and self._loop is not _running_loop()

    async def take(self) -> AgentEvent | None:
        """Return the next event; None when there is none any more.

        Raises:
            OtherLoopError: the run works in another event loop.
            Exception: what ended the run when it was neither a failure that is told as an event nor an abort.
        """
        if self.is_elsewhere:
            raise OtherLoopError
        while not self._events:
            if self._task is None or self._task.cancelled():
                return None
            if self.over:
                if not self._task.done():
                    return None
                await self._task
                return None
            self._news.clear()
            await self._news.wait()
        event = self._events.popleft()
        if len(self._events) < MOST_WAITING:
            self._room.set()
        return event

    def abort(self) -> None:
        """Abort the run; once, because a second abort would end the tidying up after the first."""
        if not self._aborted and self._task is not None and not self.over:
            self._aborted = True
            self._task.cancel()

    def leave(self) -> None:
        """Take no more events, and abort the run if it works. It can be called from anywhere."""
        self.left = True
        self._events.clear()
        if self.is_elsewhere and self._loop is not None:
            # The garbage collector runs in any thread, and a task is no thing for two.
            self._loop.call_soon_threadsafe(self.abort)
        else:
            self.abort()

    async def ended(self) -> None:
        """Wait until the run has ended.

        Raises:
            OtherLoopError: the run works in another event loop.
        """
        if self.is_elsewhere:
            raise OtherLoopError
        if self._task is not None and not self.over:
            await asyncio.wait((self._task,))

    def then(self, last: Callable[[], object]) -> None:
        """Have something done when the run has ended, which nobody waits for."""
        if self._task is not None:
            self._task.add_done_callback(lambda _: last())


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
