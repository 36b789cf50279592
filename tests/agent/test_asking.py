"""Requests that fail, in a run of this process over real sockets: waits, rows, events, another provider."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from eukhe.agent import events
from eukhe.agent.compact.settings import Compaction
from eukhe.agent.retry.events import Failover, MessageVoid
from eukhe.agent.retry.failover import Candidate, Route, Unusable
from eukhe.agent.retry.policy import FailoverPolicy, RetryPolicy
from eukhe.agent.rows.record import RUN, AgentDocument, main_conversation
from eukhe.agent.run import Run
from eukhe.agent.who import Agent, Outcome
from eukhe.session.store import Session
from eukhe.tools import ToolContext, Toolset
from eukhe.wire.openai_completions import stream
from tests.agent.compaction_lab import SUMMARY, CompactionServer, call, say, texts
from tests.servers.chat import Call, ChatServer, Reply

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Lab:
    """A session in memory, its agent, and everything that it told, stored and waited for."""

    def __init__(self, cwd: Path, server: ChatServer, **more: Any) -> None:
        document = AgentDocument("m", server.base_url, str(cwd), ("bash",), provider="acme")
        context = ToolContext(cwd, {"PATH": "/usr/bin:/bin"})
        self.agent = Agent(document, Toolset.built_in(("bash",)), context, api_key="k", **more)
        self.session = Session.in_memory("m")
        self.told: list[events.AgentEvent] = []
        self.waits: list[float] = []
        self.at_wait: Callable[[], None] = lambda: None

    async def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.at_wait()
        await asyncio.sleep(0)

    def prompt(self, *texts: str) -> Outcome:
        """Run the prompts in one run object; how the last one ended."""

        async def go() -> Outcome:
            run = Run(
                self.session,
                self.agent,
                stream,
                self.told.append,
                sleep=self._sleep,
                random=lambda: 0.5,
            )
            for text in texts:
                outcome = await run.prompt(text)
            return outcome

        return asyncio.run(go())

    @property
    def rows(self) -> list[tuple[str, Any]]:
        conversation = main_conversation(self.session)
        assert conversation is not None
        return [(entry.kind, entry.body) for _, entry in self.session.entries(conversation)]

    @property
    def phase(self) -> object:
        conversation = main_conversation(self.session)
        assert conversation is not None
        body = self.session.document(RUN, conversation)
        return None if body is None else body["phase"]

    def of(self, *kinds: type[events.AgentEvent]) -> list[events.AgentEvent]:
        return [event for event in self.told if isinstance(event, kinds)]


def _error(status: int, message: str = "no", **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status=status, json={"error": {"message": message}}, headers=named)


def _cut(text: list[str], after: str) -> Reply:
    parts = list(Reply(text=text).body("m"))
    sent = sum(map(len, parts[: next(i for i, p in enumerate(parts) if after.encode() in p) + 1]))
    return Reply(text=text, sent=sent, end="cut")


def _route(server: ChatServer, provider: str, **more: Any) -> Route:
    return Route(stream, server.base_url, provider, "m", f"key-{provider}", **more)


def test_a_failed_request_goes_out_again_after_waits_that_double(tmp_path: Path) -> None:
    with ChatServer([_error(500), _error(500), _error(500), Reply(text="there")]) as server:
        lab = Lab(tmp_path, server)
        assert lab.prompt("go").text == "there"
        assert len(server.requests) == 4
        bodies = {request.raw for request in server.requests}
    assert lab.waits == [2.0, 4.0, 8.0]
    assert len(bodies) == 1, "the same request goes out again, byte for byte"
    kinds = [kind for kind, _ in lab.rows]
    assert kinds == ["user", "eukhe.retry", "eukhe.retry", "eukhe.retry", "assistant"]
    assert lab.rows[2][1] == {
        "provider": "acme",
        "attempt": 2,
        "maxAttempts": 3,
        "delayMs": 4000,
        "kind": "server",
        "message": "the server answered 500: no",
        "status": 500,
        "retryAfter": None,
    }
    starts = lab.of(events.RetryStart)
    assert starts[1] == events.RetryStart(2, 3, 4000, "the server answered 500: no")
    assert lab.of(events.RetryEnd) == [events.RetryEnd(n) for n in (1, 2, 3)]


def test_the_servers_wait_is_kept_in_milliseconds_too_and_its_word_counts(tmp_path: Path) -> None:
    replies = [
        _error(429, retry_after_ms="2500", retry_after="9"),
        _error(400, x_should_retry="true"),
        _error(503, x_should_retry="false"),
    ]
    with ChatServer(replies) as server:
        lab = Lab(tmp_path, server)
        assert lab.prompt("go").error is not None
        assert len(server.requests) == 3
    assert lab.waits == [2.5, 4.0]


def test_a_refused_key_is_tried_once_more(tmp_path: Path) -> None:
    with ChatServer([_error(401), _error(401), Reply(text="never")]) as server:
        lab = Lab(tmp_path, server)
        outcome = lab.prompt("go")
        assert len(server.requests) == 2
    assert outcome.error is not None
    assert outcome.error.kind.value == "auth"
    (failed,) = lab.of(events.RunFailed)
    assert isinstance(failed, events.RunFailed)
    assert failed.text.endswith("(after 1 retry)")


def test_a_stream_that_breaks_is_asked_again_and_its_part_is_void(tmp_path: Path) -> None:
    call = Call("bash", {"command": "echo >> ran"})
    half = Reply(text=["look "], calls=[call])
    parts = list(half.body("m"))
    cut = Reply(text=["look "], calls=[call], sent=len(b"".join(parts[:3])), end="cut")
    replies = [cut, _cut(["half ", "and half"], "half "), half, Reply(text="whole")]
    with ChatServer(replies) as server:
        lab = Lab(tmp_path, server)
        assert lab.prompt("go").text == "whole"
        assert server.problems == ()
        sent = [m["content"] for m in server.requests[3].body["messages"] if m["role"] != "system"]
    assert (tmp_path / "ran").read_text() == "\n", "a call of a broken stream does not run"
    assert sent[:2] == ["go", "look "], "no model gets a part to see"
    rows = [(kind, body.get("stop")) for kind, body in lab.rows]
    assert rows == [
        ("user", None),
        ("assistant", "error"),
        ("eukhe.retry", None),
        ("assistant", "error"),
        ("eukhe.retry", None),
        ("assistant", "toolUse"),
        ("tool_result", None),
        ("assistant", "stop"),
    ]
    order = [type(e) for e in lab.of(events.MessageEnd, MessageVoid, events.RetryStart)]
    assert order[:3] == [events.MessageEnd, MessageVoid, events.RetryStart]
    assert order.count(MessageVoid) == 2


def test_an_abort_in_the_wait_ends_it_and_the_run(tmp_path: Path) -> None:
    with ChatServer([_error(500), Reply(text="never")]) as server:
        lab = Lab(tmp_path, server)

        def abort() -> None:
            task = asyncio.current_task()
            assert task is not None
            task.cancel()

        lab.at_wait = abort
        with pytest.raises(asyncio.CancelledError):
            lab.prompt("go")
        assert len(server.requests) == 1
        assert lab.phase == "aborted"
        assert lab.of(events.RetryEnd) == [events.RetryEnd(1, aborted=True)]
        assert lab.told[-1] == events.AgentEnd("aborted", stored=True)
        assert [kind for kind, _ in lab.rows] == ["user", "eukhe.retry"]
        lab.at_wait = lambda: None
        assert lab.prompt("again").text == "never"


def test_another_provider_takes_over_with_its_own_key_price_and_address(tmp_path: Path) -> None:
    with (
        ChatServer([_error(402)] * 9) as poor,
        ChatServer([Reply(calls=[Call("bash", {"command": "true"})]), Reply(text="rich")]) as rich,
    ):
        other = _route(rich, "beta", cost=lambda *_: 0.25, headers={"X-Team": "t-beta"})
        made: list[str] = []

        def make() -> Route:
            made.append("beta")
            return other

        lab = Lab(tmp_path, poor, others=lambda: [Candidate("beta", make)])
        assert made == [], "no key is looked up before it is needed"
        assert lab.prompt("go").text == "rich"
        assert (len(poor.requests), len(rich.requests)) == (1, 2), "it stays there for the run"
        request = rich.requests[0]
        assert request.headers["authorization"] == "Bearer key-beta"
        assert request.headers["x-team"] == "t-beta"
        assert poor.requests[0].raw == request.raw
        assert lab.waits == []
    (moved,) = [body for kind, body in lab.rows if kind == "eukhe.failover"][:1]
    assert moved["provider"] == "acme"
    assert moved["instead"] == "beta"
    assert (moved["kind"], moved["status"], moved["model"]) == ("payment_required", 402, "m")
    first = lab.of(Failover)[0]
    assert isinstance(first, Failover)
    assert (first.provider, first.instead, first.model) == ("acme", "beta", "m")
    replies = [body for kind, body in lab.rows if kind == "assistant"]
    assert replies[0]["usage"]["cost"] == 0.25
    assert replies[0]["origin"]["provider"] == "beta"


def test_each_run_begins_at_the_sessions_own_provider(tmp_path: Path) -> None:
    with ChatServer([_error(402), Reply(text="2")]) as own, ChatServer([Reply(text="1")]) as other:
        lab = Lab(tmp_path, own, others=lambda: [Candidate("beta", lambda: _route(other, "beta"))])
        assert lab.prompt("go", "again").text == "2"
        assert (len(own.requests), len(other.requests)) == (2, 1)


def test_the_retries_of_a_provider_are_spent_before_another_one_is_asked(tmp_path: Path) -> None:
    with ChatServer([_error(500)] * 9) as bad, ChatServer([_error(500)] * 9) as worse:
        policy = RetryPolicy(max_retries=3, failover=FailoverPolicy(max_retries=2))
        lab = Lab(
            tmp_path,
            bad,
            retry=policy,
            others=lambda: [Candidate("beta", lambda: _route(worse, "beta"))],
        )
        outcome = lab.prompt("go")
        assert outcome.error is not None
        assert (len(bad.requests), len(worse.requests)) == (3, 4)
    assert lab.waits == [1.0, 2.0, 2.0, 4.0, 8.0], "the last provider has the usual schedule"
    (failed,) = lab.of(events.RunFailed)
    assert isinstance(failed, events.RunFailed)
    assert "7 requests" in failed.text


def test_a_request_goes_out_eight_times_at_most_when_it_moves(tmp_path: Path) -> None:
    with ChatServer([_error(500)] * 99) as bad:
        others = [Candidate(f"p{n}", partial(_route, bad, f"p{n}")) for n in range(20)]
        lab = Lab(
            tmp_path,
            bad,
            retry=RetryPolicy(max_retries=30, failover=FailoverPolicy(max_retries=0)),
            others=lambda: others,
        )
        lab.prompt("go")
        assert len(bad.requests) == 8
    assert len(lab.of(Failover)) == 7


def test_a_provider_that_cannot_take_over_is_named_and_passed_over(tmp_path: Path) -> None:
    with ChatServer([_error(402)]) as poor, ChatServer([Reply(text="hi")]) as rich:
        lab = Lab(
            tmp_path,
            poor,
            others=lambda: [
                Candidate("beta", lambda: Unusable("the key command of beta failed")),
                Candidate("gamma", lambda: _route(rich, "gamma")),
            ],
        )
        assert lab.prompt("go").text == "hi"
    (notice,) = lab.of(events.Notice)
    assert isinstance(notice, events.Notice)
    assert "the key command of beta failed" in notice.text


def test_without_a_usable_provider_the_usual_retries_go_on(tmp_path: Path) -> None:
    with ChatServer([_error(503), Reply(text="hi")]) as server:
        lab = Lab(tmp_path, server, others=lambda: [Candidate("beta", lambda: Unusable("no"))])
        assert lab.prompt("go").text == "hi"
    assert lab.waits == [2.0]


def test_what_is_wrong_with_the_request_is_not_sent_to_another_provider(tmp_path: Path) -> None:
    with ChatServer([_error(400)]) as server, ChatServer([Reply(text="hi")]) as rich:
        lab = Lab(
            tmp_path, server, others=lambda: [Candidate("beta", lambda: _route(rich, "beta"))]
        )
        assert lab.prompt("go").error is not None
        assert rich.requests == []
    assert lab.rows[-1][0] == "eukhe.error"


def test_the_window_of_the_provider_that_took_over_says_when_the_conversation_is_compacted(
    tmp_path: Path,
) -> None:
    own = [Reply(text="1"), _error(403)]
    with (
        ChatServer(own) as server,
        CompactionServer([call(4_200), say(900, "done")], [SUMMARY]) as other,
    ):
        route = _route(other, "beta", window=5_000)
        lab = Lab(
            tmp_path,
            server,
            others=lambda: [Candidate("beta", lambda: route)],
            compaction=Compaction(reserve=1_000, keep_recent=200, window=1_000_000),
        )
        assert lab.prompt("first " + "x" * 3_000, "second").text == "done"
        assert "THE SUMMARY" in texts(other.asked[-1])[0]
