"""A prompt that runs, as its caller holds it."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Self

from eukhe.api.errors import OtherLoopError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator

    from eukhe.agent.events import AgentEvent
    from eukhe.agent.who import Outcome
    from eukhe.api.feed import Feed

__all__ = ["Prompting"]


class Prompting:
    """A prompt: an async iterator of its events. `Session.prompt` makes it; it begins when it is first read.

    Leaving it aborts the run: a `break` or an exception in an `async for` over it, when nothing else refers to it;
    the end of `async with`; `aclose`; a cancellation while it is read. `await` reads it to its end and returns the
    outcome.

    Args:
        begin: starts the run, and returns what it tells.
    """

    def __init__(self, begin: Callable[[], Awaitable[Feed]]) -> None:
        self._begin = begin
        self._feed: Feed | None = None
        self._closed = False

    @property
    def outcome(self) -> Outcome | None:
        """How the run ended; None while it works, and when it was aborted."""
        return None if self._feed is None else self._feed.outcome

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> AgentEvent:
        if self._closed:
            raise StopAsyncIteration
        if self._feed is None:
            self._feed = await self._begin()
        try:
            event = await self._feed.take()
        except OtherLoopError:
            raise  # the run goes on where it is
        except BaseException:
            # Cancelled, or the run broke: either way nobody reads on.
            self._leave()
            raise
        if event is None:
            self._closed = True
            raise StopAsyncIteration
        return event

    def __await__(self) -> Generator[object, None, Outcome | None]:
        return self._to_the_end().__await__()

    async def _to_the_end(self) -> Outcome | None:
        async for _ in self:
            pass
        return self.outcome

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Leave the prompt, and wait until its run has ended."""
        self._leave()
        if self._feed is not None:
            await self._feed.ended()

    def _leave(self) -> None:
        self._closed = True
        if self._feed is not None:
            self._feed.leave()

    def __del__(self) -> None:
        # An event loop that is closed has cancelled the run itself.
        with contextlib.suppress(RuntimeError):
            self._leave()
