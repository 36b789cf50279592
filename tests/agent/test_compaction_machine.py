"""Any order of prompts, compactions, aborts, rewinds and forks: each start finds one end, one at a time (S6.6)."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from eukhe.agent.compact.compactor import CompactionFailedError, NothingToCompactError
from eukhe.agent.compact.events import CompactionEnd, CompactionStart
from eukhe.agent.rows.context import COMPACTION, COMPACTION_END, context_of
from eukhe.agent.rows.record import main_conversation
from eukhe.agent.run import Run
from eukhe.agent.stored import branches
from eukhe.core import compaction as core
from eukhe.session.errors import SessionError
from eukhe.session.tree import Put
from eukhe.wire.openai_completions import stream
from tests.agent.compaction_lab import (
    BROKEN,
    SUMMARY,
    TOO_LONG,
    CompactionServer,
    Lab,
    call,
    is_summary,
    say,
)

if TYPE_CHECKING:
    from eukhe.agent import events
    from tests.servers.chat import Reply
    from tests.servers.check import Recorded

_POLICY = core.Policy(window=5_000, reserve=1_000, keep_recent=200)
_COUNTS = (100, 3_600, 4_200)
"""What the server counts: below the threshold, over it, over the limit."""


class _Gated(CompactionServer):
    """A server whose summaries can be held back, and whose replies are chosen step by step."""

    def __init__(self) -> None:
        super().__init__((), (SUMMARY,))
        self.next: list[Reply] = []
        self.summary = SUMMARY
        self.gate = asyncio.Event()

    def hold(self, *, holds: bool) -> None:
        """Hold summaries back, or let all go."""
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self.gate.clear if holds else self.gate.set)

    def _choose(self, request: Recorded) -> Reply:
        if is_summary(request):
            return self.summary
        return self.next.pop(0) if self.next else say(100)

    async def _answer(self, reply: Reply, request: Recorded, *streams: object) -> None:
        if is_summary(request):
            await self.gate.wait()
            reply = self.summary
        await super()._answer(reply, request, *streams)  # type: ignore[arg-type]  # the reader and the writer


class Compactions(RuleBasedStateMachine):
    """One session, driven over a real socket."""

    @initialize()
    def open(self) -> None:
        self.stack = contextlib.ExitStack()
        cwd = Path(self.stack.enter_context(TemporaryDirectory()))
        self.server = self.stack.enter_context(_Gated())
        self.runner = self.stack.enter_context(asyncio.Runner())
        self.lab = Lab(self.server, cwd, retries=0)
        self.lab.run = Run(self.lab.session, self.lab.agent, stream, self.hear)
        self.model = core.IDLE
        self.number = 0

    def teardown(self) -> None:
        if not hasattr(self, "stack"):
            return
        with contextlib.suppress(Exception):
            self.server.hold(holds=False)
            self.runner.run(self.lab.run.settle())
        try:
            self.the_pairs_are_those_of_the_ledger()
            assert self.lab.run.compactions == core.IDLE, "everything that started has ended"
            assert len(self.lab.starts) == len(self.lab.ends)
        finally:
            self.stack.close()

    def hear(self, event: events.AgentEvent) -> None:
        """Follow the core's ledger: a start must be allowed by it, an end must have its start."""
        self.lab.heard.append(event)
        match event:
            case CompactionStart(tokens=tokens, blocks=blocks, reason=reason):
                after, effects = core.manual(self.model)
                assert effects == (core.Effect.START,), "one at a time"
                if reason == "threshold":
                    seen = core.prepare(self.model, _POLICY, tokens)
                    assert seen[0] == after
                    assert (core.Effect.WAIT in seen[1]) is blocks
                self.model = after
            case CompactionEnd():
                assert self.model.running, "an end has its start"
                self.model = core.IDLE

    def _run(self, count: int, *, holds: bool, tools: bool) -> asyncio.Task[object]:
        self.number += 1
        # A request over the limit would wait for what is held back.
        now = self.lab.run._compactor._gauge.estimated()
        self.server.hold(holds=holds and max(now, count) + 500 < _POLICY.limit)
        self.server.next = [call(count, "sleep 0.05")] if tools else []
        self.server.next.append(say(count))
        return asyncio.ensure_future(self.lab.run.prompt(f"prompt {self.number} " + "x" * 500))

    @rule(
        count=st.sampled_from(_COUNTS),
        holds=st.booleans(),
        tools=st.booleans(),
        good=st.booleans(),
    )
    def prompt(self, count: int, holds: bool, tools: bool, good: bool) -> None:
        self.server.summary = SUMMARY if good else BROKEN

        async def go() -> None:
            await self._run(count, holds=holds, tools=tools)

        self.runner.run(go())
        sent = self.server.asked[-1] if self.server.asked else None
        if sent is not None:
            assert self.server.problems == ()

    @rule(count=st.sampled_from(_COUNTS), after=st.sampled_from((0.0, 0.01, 0.04)))
    def abort(self, count: int, after: float) -> None:
        async def go() -> None:
            task = self._run(count, holds=True, tools=True)
            await asyncio.sleep(after)
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

        self.runner.run(go())
        assert not self.lab.run.compactions.running, "an abort ends what runs"

    @rule(good=st.booleans())
    def overflow(self, good: bool) -> None:
        """The provider finds a prompt too long, whatever was counted."""
        self.server.summary = SUMMARY if good else BROKEN

        async def go() -> None:
            task = self._run(100, holds=False, tools=False)
            self.server.next.insert(0, TOO_LONG)
            await task

        self.runner.run(go())

    @rule(good=st.booleans())
    def settle(self, good: bool) -> None:
        self.server.summary = SUMMARY if good else BROKEN
        self.server.hold(holds=False)
        self.runner.run(self.lab.run.settle())
        assert not self.lab.run.compactions.running

    @rule(good=st.booleans())
    def compact(self, good: bool) -> None:
        self.server.summary = SUMMARY if good else BROKEN
        self.server.hold(holds=False)
        with contextlib.suppress(NothingToCompactError, CompactionFailedError):
            self.runner.run(self.lab.run.compact())

    @rule(back=st.integers(0, 6))
    def rewind(self, back: int) -> None:
        session, main = self.lab.session, main_conversation(self.lab.session)
        rows = [] if main is None else [i for i, _ in session.entries(main)]
        if back >= len(rows):
            return
        with contextlib.suppress(SessionError):
            branches.rewind(session, rows[-1 - back])
        self.runner.run(self.lab.run.moved())

    @rule()
    def fork(self) -> None:
        with contextlib.suppress(SessionError):
            branches.fork(self.lab.session, None)
        self.runner.run(self.lab.run.moved())

    @invariant()
    def the_pairs_are_those_of_the_ledger(self) -> None:
        if not hasattr(self, "lab"):
            return
        open_pairs = len(self.lab.starts) - len(self.lab.ends)
        ledger = self.lab.run.compactions
        assert open_pairs == int(ledger.running or ledger.queued is not None)
        assert self.model.running is (open_pairs == 1)

    @invariant()
    def the_messages_are_those_that_the_rows_make(self) -> None:
        if not hasattr(self, "lab"):
            return
        session = self.lab.session
        stored = context_of(session, main_conversation(session)).messages
        assert self.lab.run._recorder.messages == stored

    @invariant()
    def every_end_has_a_row(self) -> None:
        if not hasattr(self, "lab"):
            return
        values = [
            record.value
            for commit in self.lab.session.commits()
            for record in commit.records
            if isinstance(record, Put) and isinstance(record.value, dict)
        ]
        kinds = [value.get("kind") for value in values if "of" not in value]
        good = [end for end in self.lab.ends if end.status == "success"]
        assert kinds.count(COMPACTION) == len(good)
        assert kinds.count(COMPACTION_END) == len(self.lab.ends) - len(good)


def test_any_order_of_events_pairs_the_compactions_as_the_ledger_says() -> None:
    seen: set[tuple[str, str]] = set()

    class Watched(Compactions):
        def hear(self, event: events.AgentEvent) -> None:
            super().hear(event)
            if isinstance(event, CompactionStart):
                seen.add((event.reason, "blocks" if event.blocks else "beside"))
            if isinstance(event, CompactionEnd):
                seen.add((event.reason, event.status))

    run_state_machine_as_test(
        Watched,
        settings=settings(
            derandomize=True,
            database=None,
            deadline=None,
            max_examples=50,
            stateful_step_count=14,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.generate,),  # a shrinking that drives sockets would outlast the test
        ),
    )
    ends = {
        (reason, end)
        for reason in ("threshold", "manual", "overflow")
        for end in ("success", "failed")
    }
    assert seen >= ends | {
        ("threshold", "beside"),
        ("threshold", "blocks"),
        ("threshold", "aborted"),
    }
