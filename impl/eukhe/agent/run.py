"""The run: prepare, request, stream, tools, and again until the final answer. Each step is a commit."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from eukhe.agent import events
from eukhe.agent.compact.compactor import Compactor
from eukhe.agent.compact.fitting import fitting_reply
from eukhe.agent.compact.gauge import Gauge
from eukhe.agent.compact.settings import FULL
from eukhe.agent.compact.summary import Writer
from eukhe.agent.cost import priced
from eukhe.agent.decide import (
    Decided,
    Rounds,
    RoundsSpent,
    RunCalls,
    TruncateCalls,
    decide,
)
from eukhe.agent.heard import Cut, Heard
from eukhe.agent.inbox.entering import Boundary
from eukhe.agent.inbox.postbox import Postbox
from eukhe.agent.noted import Noted
from eukhe.agent.prompt.system import joined, parts_of
from eukhe.agent.retry.asking import Asking, GaveUp, chance
from eukhe.agent.round import ROUNDS_SPENT, TRUNCATED, refuse_calls, run_round
from eukhe.agent.rows.record import Recorder
from eukhe.agent.rows.spent import Spent
from eukhe.agent.rows.unfinished import NothingOpenError, open_rounds
from eukhe.agent.rows.usage import UsageTotal
from eukhe.agent.titles import Titler
from eukhe.agent.trouble import failure, reason
from eukhe.agent.who import Outcome
from eukhe.core.leak import MAX_NOTES, Again, Answer, Fail, Notes
from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.events import Done, Failed
from eukhe.wire.messages import AssistantMessage, StopReason, SystemMessage, UserMessage
from eukhe.wire.request import Request

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from eukhe.agent.compact.settings import Compaction
    from eukhe.agent.inbox.entering import Kind, Queued
    from eukhe.agent.retry.failover import Route
    from eukhe.agent.who import Agent, Stream
    from eukhe.core.compaction import Ledger
    from eukhe.core.guard import Repeat
    from eukhe.session.store import Session

_LEAK_STAYS = "the answer holds a tool call that was written as text, so no tool ran"


class _FailedError(Exception):
    """The run cannot go on; what is to be stored of it is stored."""

    def __init__(self, error: WireError, more: str = "") -> None:
        super().__init__(error.message + more)
        self.error = error
        self.text = error.message + more


class Run:
    """Runs prompts in one session, one after the other.

    Args:
        session: the session, open to write or in memory.
        agent: who runs.
        stream: the wire API.
        emit: the listener. What it raises ends the run.
        stored: False when the session should be on the disk and could not be put there.
        sleep: waits for seconds.
        random: gives a random number from 0 up to 1, for the jitter of waits.
    """

    def __init__(
        self,
        session: Session,
        agent: Agent,
        stream: Stream,
        emit: events.Listener,
        *,
        stored: bool = True,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        random: Callable[[], float] = chance,
    ) -> None:
        self._agent = agent
        self._session = session
        self._emit = emit
        self._recorder = Recorder(session, emit)
        self._recorder.stored = stored
        self._titler = Titler(session, agent, stream, self._recorder, emit)
        self._new_asking = partial(
            Asking, agent, stream, self._recorder, emit, sleep=sleep, random=random
        )
        self._asking = self._new_asking()
        self._rounds = 0
        self._postbox = Postbox(self._recorder, agent.modes, emit)
        self._compactor = Compactor(
            lambda: self._compaction,
            self._recorder,
            Writer(lambda: self._asking, agent.repeat_limit),
            Gauge(
                self._recorder,
                self._wire_request,
                emit,
                counts=agent.compaction.counts,
                count=agent.count,
            ),
            emit,
        )

    async def prompt(self, text: str) -> Outcome:
        """Run one prompt to its final answer.

        Returns:
            The answer, or the typed error of the request that failed. Either is stored.

        Raises:
            asyncio.CancelledError: the run was aborted; the tools' process groups are ended and what
                there is of the reply and the results is stored.
        """

        def prepare() -> None:
            self._rounds = 0
            placed = self._postbox.due(Boundary.START)
            self._recorder.prepare(self._agent.document, text, placed)
            self._postbox.open(placed)

        return await self._run(events.AgentStart(text), prepare)

    async def resume(self) -> Outcome:
        """Go on with the open run that a killed process left, from its last commit.

        The request goes out again. A call without a stored result becomes `interrupted` and is not run again.
        Notes stay spent, and retries begin anew. Messages that wait enter at their next boundary.

        Returns:
            As `prompt`.

        Raises:
            NothingOpenError: no run of the session is open.
            asyncio.CancelledError: as from `prompt`.
        """
        rounds = open_rounds(self._session)
        if rounds is None:
            raise NothingOpenError(self._session.id)
        messages = [row.message for row in self._recorder.context.rows]
        said = [one.text for one in messages if isinstance(one, UserMessage)]

        def prepare() -> None:
            ends_round = self._recorder.left_open  # else the request goes out again as it was
            placed = self._postbox.due(Boundary.ROUND) if ends_round else ()
            self._rounds = self._recorder.resume(self._agent.document, rounds, placed)
            self._postbox.open(placed)

        start = events.AgentStart(said[-1] if said else "", resumed=True)
        return await self._run(start, prepare)

    async def _run(self, start: events.AgentStart, prepare: Callable[[], None]) -> Outcome:
        self._asking = self._new_asking()
        self._compactor.begin()
        self._recorder.spent = Spent()
        self._emit(start)
        status: events.Status = "aborted"
        first = self._titler.first(start.prompt)
        try:
            prepare()
            async with self._titler.beside(first):
                answer = await self._turns()
            status = "done"
        except _FailedError as failed:
            status = "failed"
            error = failed.error
            self._emit(events.RunFailed(error.kind.value, failed.text, error.status))
            return Outcome(None, error, self._recorder.stored)
        except BaseException:
            await self._compactor.abort()
            self._recorder.aborted(self._rounds)
            raise
        finally:
            self._compactor.end()
            self._postbox.close()
            spent, stored = self._recorder.spent, self._recorder.stored
            self._emit(UsageTotal.of(self._session, spent, stored=stored))
            self._emit(events.AgentEnd(status, self._recorder.stored))
        return Outcome(answer, None, self._recorder.stored)

    def send(self, kind: Kind, text: str) -> Queued:
        """Accept a message while the run works. It is stored when this returns.

        Raises:
            RefusedMessageError: no run works, the text is empty or too long, or too many wait.
        """
        return self._postbox.accept(kind, text)

    @property
    def stored(self) -> bool:
        """Whether every commit reached the disk."""
        return self._recorder.stored

    async def compact(self, instructions: str = "") -> str:
        """Compact the conversation between two prompts, and return the summary (S6.6).

        Args:
            instructions: what the user wants of the summary.

        Raises:
            NothingToCompactError: there is nothing to compact.
            CompactionFailedError: there is no summary; the conversation is as it was.
        """
        return await self._compactor.compact(instructions)

    async def settle(self) -> None:
        """Wait for a compaction that outlived its run. A cancellation ends it."""
        await self._compactor.settle()

    async def moved(self) -> None:
        """Read the session again: it was taken to another row or conversation between two prompts."""
        await self._compactor.moved()
        self._recorder.reread()

    @property
    def compactions(self) -> Ledger:
        """Where the compactions of the conversation stand."""
        return self._compactor.ledger

    async def _turns(self) -> str:
        turn = 0
        while True:
            turn += 1
            self._emit(events.TurnStart(turn))
            decided = await self._request()
            reply, answered = decided.reply, False
            placed: tuple[Queued, ...] = ()
            match decided.step:
                case Answer(cut=cut, leak=leak):
                    placed = self._postbox.due(Boundary.ANSWER)
                    answered = not placed
                    self._rounds = self._rounds if answered else 0
                    self._recorder.reply(
                        reply, "done" if answered else "request", self._rounds, placed
                    )
                    if answered:
                        self._postbox.close()  # nothing that comes now could enter
                    if leak is not None:
                        self._emit(events.Notice(f"{_LEAK_STAYS} ({leak.family} {leak.why})"))
                    if cut:
                        self._emit(events.Notice("the reply hit the output limit and ends early"))
                case Fail() as fail:
                    self._fail(reply, fail)
                case Again() as again:
                    self._again(reply, again)
                case RunCalls() | TruncateCalls() | RoundsSpent() as step:
                    placed = await self._tools(reply, step)
            self._emit(events.TurnEnd(turn))
            self._postbox.placed(placed)
            if answered:
                return reply.text

    async def _tools(
        self, reply: AssistantMessage, step: RunCalls | TruncateCalls | RoundsSpent
    ) -> tuple[Queued, ...]:
        """Run the calls, and return the messages that entered after them."""
        # The calls are on the disk before the first of them runs, so none can ever run twice.
        self._recorder.reply(reply, "tools", self._rounds)
        aborted = False
        match step:
            case RunCalls(calls=calls):
                ran = await run_round(calls, self._agent.tools, self._agent.context, self._emit)
                results, aborted = ran.results, ran.aborted
            case TruncateCalls(calls=calls):
                results = refuse_calls(calls, TRUNCATED, self._emit)
            case RoundsSpent(calls=calls):
                self._recorder.results(
                    refuse_calls(calls, ROUNDS_SPENT, self._emit), "failed", self._rounds
                )
                limit = f"the run stopped after {self._rounds} tool rounds, the most it may have"
                raise _FailedError(WireError(ErrorKind.INVALID_REQUEST, limit))
        self._rounds += 1
        if aborted:
            self._recorder.results(results, "aborted", self._rounds)
            raise asyncio.CancelledError
        placed = self._postbox.due(Boundary.ROUND)
        self._recorder.results(results, "request", self._rounds, placed)
        return placed

    def _again(self, reply: AssistantMessage, again: Again) -> None:
        """Let the request go out again at once, with a note at its end (H4.7, H4.8)."""
        note, noted = again.note, Noted.of(again)
        self._recorder.note(noted, reply, self._rounds)
        said = reason(note.trouble, note.period, note.last)
        self._emit(events.NotedRetry(note.attempt, MAX_NOTES, note.trouble, said, noted.text))

    def _fail(self, reply: AssistantMessage, fail: Fail) -> None:
        """End the run: the notes are spent (H4.7)."""
        document = self._agent.document
        kind, text = failure(fail, self._agent.repeat_limit)
        error = WireError(kind, text, url=document.base_url, model=document.model)
        self._recorder.failure(error, reply, self._rounds)
        raise _FailedError(error)

    async def _request(self) -> Decided:
        """One reply, after as many retries and providers as the policy allows; a failure is stored."""
        end = await fitting_reply(
            self._compactor,
            partial(self._asking.ask, self._receive, self._rounds),
            partial(self._recorder.reply, phase="request", rounds=self._rounds),
        )
        if isinstance(end, GaveUp):
            self._recorder.failure(end.error, end.partial, self._rounds)
            raise _FailedError(end.error, end.more)
        return end

    async def _receive(self, route: Route) -> Decided | Failed:
        """Hear one reply. An aborted one is stored as far as it came."""
        heard = Heard(self._emit, self._agent.repeat_limit)
        self._titler.request_goes_out()
        try:
            end = await heard.listen(route.stream(self._wire_request()))
        except BaseException:
            # Aborted, or the listener is gone: what there is of the reply is worth a row.
            self._recorder.reply(heard.partial(StopReason.ABORTED), "aborted", self._rounds)
            raise
        match end:
            case Done(message=message) if self._compaction.overflows(message):
                refused = replace(priced(message, route.cost), stop=StopReason.ERROR)
                return Failed(WireError(ErrorKind.CONTEXT_OVERFLOW, FULL), refused)
            case Done(message=message):
                return self._decide(priced(message, route.cost))
            case Cut(repeat=repeat, partial=partial):
                return self._decide(partial, repeat)
            case Failed(error=error, partial=partial):
                partial = priced(partial, route.cost)
                if partial.content:
                    self._emit(events.MessageEnd(partial))
                return Failed(error, partial)

    @property
    def _compaction(self) -> Compaction:
        """How the conversation is compacted: the window is that of the provider which is asked now."""
        return replace(self._agent.compaction, window=self._asking.routes.now.window)

    def _decide(self, reply: AssistantMessage, repeat: Repeat | None = None) -> Decided:
        """Decide what becomes of a reply whose stream is over, and tell it as it is stored."""
        noted, messages = self._recorder.noted, self._recorder.messages
        decided = decide(
            reply,
            Notes() if noted is None else noted.notes,
            {tool.name: tool.schema for tool in self._agent.tools.specs},
            Rounds(self._rounds, self._agent.max_tool_rounds),
            repeat=repeat,
            taken={
                call.id for m in messages if isinstance(m, AssistantMessage) for call in m.calls
            },
        )
        self._emit(events.MessageEnd(decided.reply))
        return decided

    def _wire_request(self) -> Request:
        agent = self._agent
        route = self._asking.routes.now
        prompt = joined(parts_of(agent))
        system = (SystemMessage(prompt),) if prompt else ()
        noted = self._recorder.noted
        note = () if noted is None else (UserMessage.of(noted.text),)
        return Request(
            base_url=route.base_url,
            model=route.model,
            messages=(*system, *self._recorder.messages, *note),
            tools=agent.tools.specs,
            api_key=route.api_key,
            provider=route.provider,
            options=route.options,
            headers=route.headers,
            timeouts=agent.timeouts,
        )
