"""Compaction in a session: the decisions of `core.compaction` with a request, a task and rows behind them (S6.6).

What starts, what waits and how each start finds its end is the ledger's to say. This module looks at the context,
has the summary written in a task of its own, and puts it in its place.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eukhe.agent.compact.events import CompactionEnd, CompactionStart
from eukhe.agent.compact.summary import SummaryFailedError
from eukhe.agent.compact.summary_text import Part
from eukhe.agent.compact.tokens import tokens_of
from eukhe.agent.events import Notice
from eukhe.agent.rows.transcript import usage_to_json
from eukhe.core import compaction as core
from eukhe.core.compaction import IDLE, Effect
from eukhe.wire.messages import ToolResultMessage, UserMessage

if TYPE_CHECKING:
    from collections.abc import Callable

    from eukhe.agent.compact.events import Reason, Status
    from eukhe.agent.compact.gauge import Gauge
    from eukhe.agent.compact.settings import Compaction
    from eukhe.agent.compact.summary import Writer, Written
    from eukhe.agent.events import Listener
    from eukhe.agent.rows.record import Recorder
    from eukhe.core.compaction import Change, Ledger
    from eukhe.session.tree import Json
    from eukhe.wire.messages import Usage
    from eukhe.wire.request import Request

__all__ = ["CompactionFailedError", "Compactor", "NothingToCompactError"]

_TRIES = 2
"""How often a request that is over the limit waits for a compaction before it goes out or fails."""


class NothingToCompactError(Exception):
    """A compaction was asked for, and none started; the text says why."""


class CompactionFailedError(Exception):
    """A compaction was asked for, and there is no summary; the text says why."""


@dataclass(frozen=True, slots=True)
class _Job:
    """One compaction.

    Attributes:
        reason: why it started.
        tokens: the tokens of the context then.
        last: the id of the last row that it summarizes.
        base: the id of the row of the summary before it, 0 for none.
        instructions: what the user wants of the summary.
    """

    reason: Reason
    tokens: int
    last: int
    base: int
    instructions: str = ""


class Compactor:
    """Compacts the conversation of a run.

    Args:
        settings: tells what the settings say, and the model where requests go now.
        recorder: writes the rows, and has the context.
        writer: asks for the summaries.
        gauge: tells how long the next request is.
        emit: the listener.
    """

    def __init__(
        self,
        settings: Callable[[], Compaction],
        recorder: Recorder,
        writer: Writer,
        gauge: Gauge,
        emit: Listener,
    ) -> None:
        self._settings = settings
        self._recorder = recorder
        self._writer = writer
        self._gauge = gauge
        self._emit = emit
        self._ledger: Ledger = IDLE
        self._job: _Job | None = None
        self._queued: tuple[_Job, Written] | None = None
        self._task: asyncio.Task[None] | None = None
        self._ended: CompactionEnd | None = None
        self._in_run = False
        self._gave_up = False

    @property
    def ledger(self) -> Ledger:
        """Where the compactions stand."""
        return self._ledger

    def begin(self) -> None:
        """Begin a run: from here on a summary waits for a boundary."""
        self._in_run, self._gave_up = True, False

    def end(self) -> None:
        """End a run. A summary that waits is placed; a compaction that runs goes on (S6.6)."""
        self._in_run = False
        self._place()

    async def before_request(self) -> str | None:
        """Look at the next request: place what waits, start, and wait where the request is over the limit.

        Returns:
            Why the request cannot go out, in words for the user; None when it can.
        """
        self._place()
        settings = self._settings()
        policy = settings.policy
        if policy is None or not settings.enabled:
            return None
        why: str | None = None
        for _ in range(_TRIES):
            context = await self._gauge.tokens()
            if self._place():  # it was finished while the provider counted
                context = self._gauge.estimated()
            after, effects = core.prepare(self._ledger, policy, context)
            over = Effect.WAIT in effects
            if Effect.START in effects:
                job = self._planned("threshold", context, policy.keeps)
                if job is not None and (over or not self._gave_up):
                    self._start(job, (after, effects), blocks=over)
            if not over or not self._ledger.running:
                return None
            await self._wait()
            if self._place():
                why = None
                continue
            why = (
                f"the conversation has about {context:,} tokens, more than the {policy.limit:,} that a request "
                f"to this model may have, and it could not be compacted: {self._why()}"
            )
        return why

    async def overflowed(self) -> str | None:
        """Make the conversation shorter after the provider refused it as too long.

        Returns:
            Why it is not shorter, in words for the user; None when it is.
        """
        if not self._settings().enabled:
            return "compaction is off (compaction.enabled)"
        if self._ledger.running:
            await self._wait()
        if self._place():
            return None
        # Whatever the window is said to be, this context is above it: at most half of it can stay.
        rows = sum(tokens_of(row.message) for row in self._recorder.context.rows)
        keeps = min(self._settings().keeps, rows // 2)
        job = self._planned("overflow", self._gauge.estimated(), keeps)
        if job is None:
            return "there is nothing in it that could be compacted"
        self._start(job, core.manual(self._ledger), blocks=True)
        await self._wait()
        return None if self._place() else f"it could not be compacted: {self._why()}"

    async def compact(self, instructions: str = "") -> str:
        """Compact because the user asks for it, wait for the end, and return the summary.

        Args:
            instructions: what the user wants of the summary.

        Raises:
            NothingToCompactError: there is nothing to compact, or a compaction is under way.
            CompactionFailedError: there is no summary.
        """
        self._place()
        change = core.manual(self._ledger)
        if Effect.START not in change[1]:
            raise NothingToCompactError("a compaction is under way already")
        rows, keeps = self._recorder.context.rows, self._settings().keeps
        job = self._planned("manual", self._gauge.estimated(), keeps, instructions)
        if job is None:
            tokens = sum(tokens_of(row.message) for row in rows)
            raise NothingToCompactError(
                f"there is nothing to compact: of the conversation about {tokens:,} tokens are not summarized "
                f"yet, and the newest {keeps:,} stay as they are (compaction.keepRecentTokens)"
            )
        self._start(job, change, blocks=True)
        try:
            await self._wait()
        except asyncio.CancelledError:
            await self.abort()
            raise
        self._place()
        if self._ended is None or self._ended.summary is None:
            raise CompactionFailedError(self._why())
        return self._ended.summary

    async def settle(self) -> None:
        """Wait for a compaction that outlived its run. A cancellation ends it."""
        self._reap()
        if self._task is None:
            return
        self._emit(
            Notice("waiting for the compaction to end; Ctrl-C stops it and loses nothing else")
        )
        try:
            await self._wait()
        except asyncio.CancelledError:
            await self.abort()
            raise

    async def abort(self) -> None:
        """End the compaction that runs; a summary that is finished stays in the queue."""
        task = self._task
        if task is None:
            return
        self._task = None
        task.cancel()
        await asyncio.wait({task})
        if self._job is not None:  # the task never got to run
            self._fail(self._job, "aborted", None, None)

    async def moved(self) -> None:
        """Take note that the session is at another row: what was summarized there is lost (S6.6)."""
        await self.abort()
        if self._queued is None:
            return
        (job, written), self._queued = self._queued, None
        self._ledger, effects = core.lost(self._ledger)
        if Effect.FAILED in effects:
            self._close(job, "failed", "the session went to another row", written.usage)

    def _planned(
        self, reason: Reason, tokens: int, keeps: int, instructions: str = ""
    ) -> _Job | None:
        """Choose what a compaction would summarize; None where there is nothing to cut."""
        context = self._recorder.context
        rows = context.rows
        weights = [tokens_of(row.message) for row in rows]
        results = [isinstance(row.message, ToolResultMessage) for row in rows]
        cut = core.cut(weights, results, keeps)
        if cut == 0:
            return None
        base = 0 if context.standing is None else context.standing.id
        return _Job(reason, tokens, rows[cut - 1].id, base, instructions)

    def _start(self, job: _Job, change: Change, *, blocks: bool) -> None:
        self._emit(CompactionStart(job.reason, job.tokens, blocks))
        self._ledger, self._job = change[0], job
        context = self._recorder.context
        rows = [row for row in context.rows if row.id <= job.last]
        kept = context.rows[len(rows) :]
        part = Part(
            tuple(row.message for row in rows),
            "" if context.standing is None else context.standing.text,
            bool(kept) and not isinstance(kept[0].message, UserMessage),
            job.instructions,
        )
        self._task = asyncio.create_task(self._work(job, self._gauge.request(), part))

    async def _work(self, job: _Job, template: Request, part: Part) -> None:
        try:
            written = await self._writer.write(template, part, self._settings().told)
        except SummaryFailedError as failure:
            self._fail(job, "failed", failure.text, failure.usage)
        except asyncio.CancelledError:
            self._fail(job, "aborted", None, None)
            raise
        except Exception as error:
            self._fail(job, "failed", f"{type(error).__name__}: {error}", None)
            raise
        else:
            self._finish(job, written)

    def _finish(self, job: _Job, written: Written) -> None:
        """Take the summary of the running compaction: into the queue, or in its place at once."""
        self._job = None
        self._ledger, effects = core.finished(self._ledger, in_run=self._in_run)
        if Effect.SKIPPED in effects and self._queued is not None:
            stale, old = self._queued
            self._close(stale, "skipped", None, old.usage)
        if Effect.PLACED in effects:
            self._put(job, written)
        else:
            self._queued = (job, written)

    def _fail(self, job: _Job, status: Status, error: str | None, usage: Usage | None) -> None:
        """End the running compaction without a summary."""
        self._job, self._gave_up = None, True
        self._ledger, effects = core.failed(self._ledger)
        if Effect.FAILED in effects:
            self._close(job, status, error, usage)

    def _place(self) -> bool:
        """Reach a boundary: place the summary that waits, or skip it; whether one was placed."""
        self._reap()
        if self._queued is None:
            return False
        (job, written), self._queued = self._queued, None
        if self._is_stale(job):
            self._ledger, _ = core.overtaken(self._ledger)
        self._ledger, effects = core.place(self._ledger)
        if Effect.PLACED in effects:
            self._put(job, written)
            return True
        self._close(job, "skipped", None, written.usage)
        return False

    def _is_stale(self, job: _Job) -> bool:
        """Whether another summary was placed since the compaction started."""
        standing = self._recorder.context.standing
        return (0 if standing is None else standing.id) != job.base

    def _put(self, job: _Job, written: Written) -> None:
        """Place a summary: one commit."""
        first_kept = self._recorder.context.first_after(job.last)
        after = self._gauge.with_summary(written.text, first_kept)
        body: dict[str, Json] = {
            "reason": job.reason,
            "instructions": job.instructions or None,
            "tokensBefore": job.tokens,
            "tokensAfter": after,
        }
        if written.usage is not None:
            body["usage"] = usage_to_json(written.usage)
        row = self._recorder.compaction(body, written.text, first_kept)
        self._tell(CompactionEnd(job.reason, "success", job.tokens, after, row, written.text, None))
        if written.left_out:
            self._emit(
                Notice(
                    f"{written.left_out} long or old messages did not fit in the request for the summary and are "
                    "not whole in it"
                )
            )

    def _close(self, job: _Job, status: Status, error: str | None, usage: Usage | None) -> None:
        """Store and tell that a compaction ended without a summary."""
        body: dict[str, Json] = {
            "reason": job.reason,
            "status": status,
            "tokensBefore": job.tokens,
            "error": error,
        }
        if usage is not None:
            body["usage"] = usage_to_json(usage)
        self._recorder.compaction_end(body)
        self._tell(CompactionEnd(job.reason, status, job.tokens, error=error))

    def _tell(self, end: CompactionEnd) -> None:
        self._ended = end
        self._emit(end)

    def _why(self) -> str:
        """Why the last compaction gave no summary."""
        if self._ended is None or self._ended.error is None:
            return "it was stopped"
        return self._ended.error

    async def _wait(self) -> None:
        """Wait for the task; a cancellation of the waiting leaves it running."""
        if self._task is not None:
            await asyncio.wait({self._task})
            self._reap()

    def _reap(self) -> None:
        """Let go of a task that is over; what it died of is raised."""
        task = self._task
        if task is not None and task.done():
            self._task = None
            if not task.cancelled():
                task.result()
