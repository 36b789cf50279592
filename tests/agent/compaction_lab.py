"""A session with a server that knows a request for a summary from others, for the tests of compaction."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from eukhe.agent.compact.events import CompactionEnd, CompactionStart
from eukhe.agent.compact.settings import Compaction
from eukhe.agent.compact.summary_text import INSTRUCTED
from eukhe.agent.retry.policy import RetryPolicy
from eukhe.agent.rows.record import AgentDocument, main_conversation
from eukhe.agent.run import Run
from eukhe.agent.who import Agent, Outcome
from eukhe.session.store import Session
from eukhe.tools import ToolContext, Toolset
from eukhe.wire.openai_completions import stream
from tests.servers.chat import Call, ChatServer, Reply

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from pathlib import Path

    from eukhe.agent import events
    from eukhe.agent.cost import Cost
    from tests.servers.check import Recorded


class CompactionServer(ChatServer):
    """Answers requests for summaries from a script of their own.

    Args:
        replies: the answers to the run's requests, in order.
        summaries: the answers to the requests for summaries, in order; the last one serves all later ones.
    """

    def __init__(self, replies: Iterable[Reply], summaries: Iterable[Reply]) -> None:
        super().__init__(replies)
        self._summaries = tuple(summaries)
        self._written = 0
        self.count: int | None = None
        """What the counter of tokens says, as llama.cpp has one; None for a server without one."""

    def _choose(self, request: Recorded) -> Reply:
        if self.count is not None and is_count(request):
            return Reply(json={"input_tokens": self.count})
        if request.problems or not is_summary(request):
            return super()._choose(request)
        reply = self._summaries[min(self._written, len(self._summaries) - 1)]
        self._written += 1
        return reply

    @property
    def asked(self) -> list[Recorded]:
        """The run's requests."""
        return [one for one in self.requests if not is_summary(one) and not is_count(one)]

    @property
    def counted(self) -> list[Recorded]:
        """The requests for a count of tokens."""
        return [one for one in self.requests if is_count(one)]

    @property
    def summarized(self) -> list[Recorded]:
        """The requests for summaries."""
        return [one for one in self.requests if is_summary(one)]


def is_summary(request: Recorded) -> bool:
    """Whether a request asks for a summary."""
    messages = request.body.get("messages") or [{}]
    return bool(messages[0].get("content") == INSTRUCTED)


def is_count(request: Recorded) -> bool:
    """Whether a request asks for a count of tokens."""
    return request.path.endswith("/input_tokens")


def texts(request: Recorded) -> list[str]:
    """The texts of the messages of a request, without the system prompt."""
    return [str(m["content"]) for m in request.body["messages"] if m["role"] != "system"]


ORDERED = ("agent_start", "turn_start", "compaction_start", "compaction_end", "agent_end")


def fill(turns: int = 3, size: int = 800) -> list[str]:
    """Prompts that are long enough to be cut."""
    return [f"prompt {number} " + "x" * size for number in range(turns)]


SETTINGS = Compaction(reserve=1_000, keep_recent=200, window=5_000)
"""The limit is 4,000 tokens, the threshold 3,500."""


def say(tokens: int, text: str = "") -> Reply:
    """A reply after which the context has so many tokens, as the server counts."""
    return Reply(text=text or f"reply {tokens}", usage=(tokens - 5, 5))


def call(tokens: int, command: str = "true") -> Reply:
    return Reply(calls=[Call("bash", {"command": command})], usage=(tokens - 5, 5))


SUMMARY = Reply(text="THE SUMMARY", usage=(50, 10))
BROKEN = Reply(status=500, json={"error": {"message": "out of order"}})
TOO_LONG = Reply(
    status=400, json={"error": {"message": "prompt is too long", "code": "context_length_exceeded"}}
)


class Lab:
    """One session with its server."""

    def __init__(
        self,
        server: CompactionServer,
        tmp_path: Path,
        settings: Compaction = SETTINGS,
        session: Session | None = None,
        count: Callable[[Any], Awaitable[int]] | None = None,
        retries: int = 3,
        tools: tuple[str, ...] = ("bash",),
        cost: Cost | None = None,
    ) -> None:
        self.session = session or Session.in_memory("s")
        self.heard: list[events.AgentEvent] = []
        document = AgentDocument("m", server.base_url, str(tmp_path), tools, "You help.")
        context = ToolContext(tmp_path, {"PATH": "/usr/bin:/bin"})
        self.agent = Agent(
            document,
            Toolset.built_in(tools),
            context,
            compaction=settings,
            count=count,
            retry=RetryPolicy(max_retries=retries),
            cost=cost,
        )
        self.waits: list[float] = []
        self.run = Run(self.session, self.agent, stream, self.heard.append, sleep=self.wait)

    async def wait(self, seconds: float) -> None:
        """Wait for nothing: what a run waits for is only noted."""
        self.waits.append(seconds)

    def prompt(self, *prompts: str) -> list[Outcome]:
        async def go() -> list[Outcome]:
            outcomes = [await self.run.prompt(text) for text in prompts]
            await self.run.settle()
            return outcomes

        return asyncio.run(go())

    def compact(self, instructions: str = "") -> None:
        asyncio.run(self.run.compact(instructions))

    @property
    def compactions(self) -> list[events.AgentEvent]:
        return [one for one in self.heard if isinstance(one, CompactionStart | CompactionEnd)]

    @property
    def starts(self) -> list[CompactionStart]:
        return [one for one in self.heard if isinstance(one, CompactionStart)]

    @property
    def ends(self) -> list[CompactionEnd]:
        return [one for one in self.heard if isinstance(one, CompactionEnd)]

    @property
    def order(self) -> list[str]:
        return [one.type for one in self.heard if one.type in ORDERED]

    def rows(self, kind: str) -> list[dict[str, Any]]:
        main = main_conversation(self.session)
        assert main is not None
        return [dict(row.body) for _, row in self.session.entries(main) if row.kind == kind]
