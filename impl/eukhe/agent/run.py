"""The run: prepare, request, stream, tools, and again until the final answer. Each step is a commit."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from eukhe.agent import events
from eukhe.agent.compact_settings import FULL, SHORTER
from eukhe.agent.compactor import Compactor
from eukhe.agent.decide import (
    Decided,
    Rounds,
    RoundsSpent,
    RunCalls,
    TruncateCalls,
    decide,
    retry_wait,
)
from eukhe.agent.gauge import Gauge
from eukhe.agent.heard import Cut, Heard
from eukhe.agent.noted import Noted
from eukhe.agent.prompt import joined, parts_of
from eukhe.agent.record import Recorder
from eukhe.agent.round import ROUNDS_SPENT, TRUNCATED, refuse_calls, run_round
from eukhe.agent.summary import Writer
from eukhe.agent.trouble import failure, reason
from eukhe.agent.who import Outcome
from eukhe.core.leak import MAX_NOTES, Again, Answer, Fail, Notes
from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.events import Done, Failed
from eukhe.wire.messages import AssistantMessage, StopReason, SystemMessage, UserMessage
from eukhe.wire.request import Request

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from eukhe.agent.decide import RetryPolicy
    from eukhe.agent.who import Agent, Stream
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
    ) -> None:
        self._agent = agent
        self._stream = stream
        self._emit = emit
        self._sleep = sleep
        self._recorder = Recorder(session, emit)
        self._recorder.stored = stored
        self._rounds = 0
        self._compactor = Compactor(
            agent.compaction,
            self._recorder,
            Writer(stream, agent.cost, agent.repeat_limit, self._summary_again),
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
        self._rounds = 0
        self._compactor.begin()
        self._emit(events.AgentStart(text))
        status: events.Status = "aborted"
        try:
            self._recorder.prepare(self._agent.document, text)
            answer = await self._turns()
            status = "done"
        except _FailedError as failed:
            status = "failed"
            error = failed.error
            self._emit(events.RunFailed(error.kind.value, failed.text, error.status))
            return Outcome(None, error, self._recorder.stored)
        except BaseException:
            await self._compactor.abort()
            raise
        finally:
            self._compactor.end()
            self._emit(events.AgentEnd(status, self._recorder.stored))
        return Outcome(answer, None, self._recorder.stored)

    async def compact(self, instructions: str = "") -> None:
        """Compact the conversation between two prompts (S6.6).

        Args:
            instructions: what the user wants of the summary.

        Raises:
            NothingToCompactError: there is nothing to compact.
            CompactionFailedError: there is no summary; the conversation is as it was.
        """
        await self._compactor.compact(instructions)

    async def settle(self) -> None:
        """Wait for a compaction that outlived its run. A cancellation ends it."""
        await self._compactor.settle()

    async def _turns(self) -> str:
        turn = 0
        while True:
            turn += 1
            self._emit(events.TurnStart(turn))
            decided = await self._answered()
            reply, answered = decided.reply, False
            match decided.step:
                case Answer(cut=cut, leak=leak):
                    answered = True
                    self._recorder.reply(reply, "done", self._rounds)
                    if leak is not None:
                        self._emit(events.Notice(f"{_LEAK_STAYS} ({leak.family} {leak.why})"))
                    if cut:
                        self._emit(events.Notice("the reply hit the output limit and ends early"))
                case Fail() as fail:
                    self._fail(reply, fail)
                case Again() as again:
                    self._again(reply, again)
                case RunCalls() | TruncateCalls() | RoundsSpent() as step:
                    await self._tools(reply, step)
            self._emit(events.TurnEnd(turn))
            if answered:
                return reply.text

    async def _tools(
        self, reply: AssistantMessage, step: RunCalls | TruncateCalls | RoundsSpent
    ) -> None:
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
        self._recorder.results(results, "aborted" if aborted else "request", self._rounds)
        if aborted:
            raise asyncio.CancelledError

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

    async def _answered(self) -> Decided:
        """One reply to a context that fits: compacted before it is sent, and once when it is refused (S6.6)."""
        noted = self._recorder.noted
        why = await self._compactor.before_request()
        if why is not None:
            document = self._agent.document
            error = WireError(
                ErrorKind.CONTEXT_OVERFLOW,
                f"{why}; {SHORTER}",
                url=document.base_url,
                model=document.model,
            )
            self._recorder.failure(error, AssistantMessage((), StopReason.ERROR), self._rounds)
            raise _FailedError(error)
        try:
            return await self._request()
        except _FailedError as failed:
            if failed.error.kind is not ErrorKind.CONTEXT_OVERFLOW:
                raise
            why = await self._compactor.overflowed()
            if why is not None:
                raise _FailedError(failed.error, f"; {why}; {SHORTER}") from failed
        self._recorder.noted = noted
        self._recorder.request(self._rounds)
        try:
            return await self._request()
        except _FailedError as failed:
            if failed.error.kind is not ErrorKind.CONTEXT_OVERFLOW:
                raise
            raise _FailedError(failed.error, f" (compacted already); {SHORTER}") from failed

    async def _summary_again(self, error: WireError, retries: int) -> bool:
        """Wait before a request for a summary goes out again; False when it does not."""
        wait = retry_wait(error, delivered=False, retries=retries, policy=self._agent.retry)
        if wait is not None:
            await self._sleep(wait)
        return wait is not None

    async def _request(self) -> Decided:
        """One reply, after as many retries as the server asks for and the policy allows."""
        retries = 0
        while True:
            end = await self._receive()
            if isinstance(end, Decided):
                return end
            error, policy = end.error, self._agent.retry
            delivered = bool(end.partial.content)
            wait = retry_wait(error, delivered=delivered, retries=retries, policy=policy)
            if wait is None:
                self._recorder.failure(error, end.partial, self._rounds)
                raise _FailedError(error, _why_no_retry(error, retries, policy))
            retries += 1
            self._recorder.retry(self._rounds)
            self._emit(
                events.RetryStart(retries, policy.max_retries, round(wait * 1000), error.message)
            )
            await self._sleep(wait)
            self._emit(events.RetryEnd(retries))
            self._recorder.request(self._rounds)

    async def _receive(self) -> Decided | Failed:
        """Hear one reply. An aborted one is stored as far as it came."""
        heard = Heard(self._emit, self._agent.repeat_limit)
        try:
            end = await heard.listen(self._stream(self._wire_request()))
        except BaseException:
            # Aborted, or the listener is gone: what there is of the reply is worth a row.
            self._recorder.reply(heard.partial(StopReason.ABORTED), "aborted", self._rounds)
            raise
        match end:
            case Done(message=message) if self._agent.compaction.overflows(message):
                refused = replace(self._priced(message), stop=StopReason.ERROR)
                return Failed(WireError(ErrorKind.CONTEXT_OVERFLOW, FULL), refused)
            case Done(message=message):
                return self._decide(self._priced(message))
            case Cut(repeat=repeat, partial=partial):
                return self._decide(partial, repeat)
            case Failed(error=error, partial=partial):
                partial = self._priced(partial)
                if partial.content:
                    self._emit(events.MessageEnd(partial))
                return Failed(error, partial)

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

    def _priced(self, message: AssistantMessage) -> AssistantMessage:
        """A reply with what it costs; a price that the server told stays."""
        usage, cost = message.usage, self._agent.cost
        if usage is None or cost is None or usage.cost is not None:
            return message
        return replace(message, usage=replace(usage, cost=cost(usage)))

    def _wire_request(self) -> Request:
        agent = self._agent
        document = agent.document
        prompt = joined(parts_of(agent))
        system = (SystemMessage(prompt),) if prompt else ()
        noted = self._recorder.noted
        note = () if noted is None else (UserMessage.of(noted.text),)
        return Request(
            base_url=document.base_url,
            model=document.model,
            messages=(*system, *self._recorder.messages, *note),
            tools=agent.tools.specs,
            api_key=agent.api_key,
            provider=document.provider,
            options=agent.options,
            headers=agent.headers,
            timeouts=agent.timeouts,
        )


def _why_no_retry(error: WireError, retries: int, policy: RetryPolicy) -> str:
    """Words about the wait that the server asked for; empty when it asked for none."""
    if error.retry_after is None or not error.transient:
        return ""
    if error.retry_after > policy.longest_wait:
        asked, limit = f"{error.retry_after:g} s", f"{policy.longest_wait:g} s"
        return f" (the server asks to wait {asked}; eukhe waits {limit} at most)"
    return f" (after {retries} retries, each when the server asked for it)" if retries else ""
