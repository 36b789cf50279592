"""One request, until there is a reply to it or it has failed for good: waits, retries, failover."""

from __future__ import annotations

import os
from contextlib import aclosing, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from eukhe.agent.decide import Decided
from eukhe.agent.events import Notice, RetryEnd, RetryStart
from eukhe.agent.retry.events import Failover, MessageVoid
from eukhe.agent.retry.failover import Route, Routes
from eukhe.agent.retry.policy import Again, End, Move, Spent, after_failure, in_words
from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.events import Failed
from eukhe.wire.messages import AssistantMessage, StopReason

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable
    from contextlib import AbstractAsyncContextManager

    from eukhe.agent.events import Listener
    from eukhe.agent.retry.policy import Next
    from eukhe.agent.rows.record import Recorder
    from eukhe.agent.who import Agent, Stream
    from eukhe.session.tree import Json
    from eukhe.wire.events import Event
    from eukhe.wire.request import Request

__all__ = ["Asking", "GaveUp", "chance"]


def chance() -> float:
    """A random number from 0 up to 1."""
    return int.from_bytes(os.urandom(4), "big") / 2**32


@dataclass(frozen=True, slots=True)
class GaveUp:
    """The request failed for good. Nothing of its last try is stored yet.

    Attributes:
        error: how the last try failed.
        partial: what came of its reply.
        more: what a user should know beside the error's own words; empty for nothing.
    """

    error: WireError
    partial: AssistantMessage
    more: str


class Asking:
    """Sends the requests of one run.

    Args:
        agent: who runs.
        stream: the wire API of the session's own model.
        recorder: stores each retry and each move.
        emit: the listener.
        sleep: waits for seconds.
        random: gives a random number from 0 up to 1.

    Attributes:
        routes: the way that requests take now, and what is left.
    """

    def __init__(
        self,
        agent: Agent,
        stream: Stream,
        recorder: Recorder,
        emit: Listener,
        *,
        sleep: Callable[[float], Awaitable[None]],
        random: Callable[[], float],
    ) -> None:
        document = agent.document
        own = Route(
            stream,
            document.base_url,
            document.provider,
            document.model,
            agent.api_key,
            agent.headers,
            agent.options,
            agent.cost,
            agent.compaction.window,
        )
        self.routes = Routes(own, agent.others)
        self._agent = agent
        self._recorder = recorder
        self._emit = emit
        self._sleep = sleep
        self._random = random

    async def ask(
        self, receive: Callable[[Route], Awaitable[Decided | Failed]], rounds: int
    ) -> Decided | GaveUp:
        """Get one reply.

        Args:
            receive: sends the request over a route and hears its reply to the end.
            rounds: the tool rounds that the run has had, for its document.

        Raises:
            asyncio.CancelledError: the run was aborted; the caller stores that.
        """
        spent = Spent()
        while True:
            end = await self._once(receive)
            if isinstance(end, Decided):
                return end
            left, error = self.routes.now, end.error
            step = self._next(error, spent)
            match step:
                case End(why=why):
                    more = in_words(why, error, spent, self._agent.retry)
                    return GaveUp(error, end.partial, more)
                case Again():
                    await self._again(step, end, rounds)
                    auth = spent.auth or error.kind is ErrorKind.AUTH
                    spent = Spent(spent.requests + 1, step.attempt, auth, spent.moved)
                case Move():
                    self._moved(left, end, rounds)
                    spent = Spent(spent.requests + 1, moved=True)

    async def wait(self, error: WireError, retries: int) -> bool:
        """Wait before the request for a summary goes out again to the provider of now; False when it does not.

        Args:
            error: how it failed.
            retries: how often it went out again already.
        """
        spent = Spent(retries + 1, retries, auth=retries > 0)
        step = after_failure(error, spent, self._agent.retry, others=False, chance=self._random())
        if isinstance(step, Again):
            self._recorder.retry_of_summary(self._body(step, error) | {"purpose": "summary"})
            await self._wait(step, error, "summary")
            return True
        return False

    async def beside(self, request: Request) -> AsyncGenerator[Event, None]:
        """Send a request beside the run's own, once, over the route of now; it takes its turn like every other."""
        route = self.routes.now
        async with self._slot(route), aclosing(route.stream(request)) as events:
            async for event in events:
                yield event

    async def _once(
        self, receive: Callable[[Route], Awaitable[Decided | Failed]]
    ) -> Decided | Failed:
        """Send the request once, when its provider has room for it."""
        route = self.routes.now
        try:
            async with self._slot(route):
                return await receive(route)
        except WireError as error:
            error = replace(error, url=route.base_url, model=route.model)
            return Failed(error, AssistantMessage((), StopReason.ERROR))

    def _slot(self, route: Route) -> AbstractAsyncContextManager[None]:
        """A turn at a provider, waited for where only so many requests may be in flight."""
        counted = self._agent.in_flight
        if counted is None:
            return nullcontext()
        return counted.slot(route.name, self._emit, self._sleep)

    def _next(self, error: WireError, spent: Spent) -> Next:
        """What becomes of the request; of a move, the first one that can be made."""
        policy, random = self._agent.retry, self._random()
        while True:
            others = policy.enabled and policy.failover.enabled and self.routes.others
            step = after_failure(error, spent, policy, others=others, chance=random)
            if not isinstance(step, Move):
                return step
            made = self.routes.move()
            if isinstance(made, Route):
                return step
            self._emit(Notice(f"another provider cannot take over: {made.message}"))

    async def _again(self, again: Again, end: Failed, rounds: int) -> None:
        """Wait until the request goes out again. A start always has its end."""
        self._recorder.retry(self._body(again, end.error), end.partial, rounds)
        self._void(end)
        await self._wait(again, end.error, "reply")
        self._recorder.request(rounds)

    async def _wait(self, again: Again, error: WireError, purpose: str) -> None:
        delay = _milliseconds(again)
        self._emit(RetryStart(again.attempt, again.most, delay, error.message, purpose))
        aborted = True
        try:
            await self._sleep(again.wait)
            aborted = False
        finally:
            self._emit(RetryEnd(again.attempt, aborted, purpose))

    def _body(self, again: Again, error: WireError) -> dict[str, Json]:
        """The row of a retry."""
        return {
            "provider": self.routes.now.name,
            "attempt": again.attempt,
            "maxAttempts": again.most,
            "delayMs": _milliseconds(again),
            **_of(error),
        }

    def _moved(self, left: Route, end: Failed, rounds: int) -> None:
        error, now = end.error, self.routes.now
        body: dict[str, Json] = {
            "provider": left.name,
            "instead": now.name,
            "model": now.model,
            **_of(error),
        }
        self._recorder.failover(body, end.partial, rounds)
        self._void(end)
        self._emit(Failover(left.name, now.name, now.model, error.message))

    def _void(self, end: Failed) -> None:
        if end.partial.content:
            self._emit(MessageVoid())


def _milliseconds(again: Again) -> int:
    return round(again.wait * 1000)


def _of(error: WireError) -> dict[str, Json]:
    return {
        "kind": error.kind.value,
        "message": error.message,
        "status": error.status,
        "retryAfter": error.retry_after,
    }
