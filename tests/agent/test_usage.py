"""What a run and a session used: every reply counts once, whatever became of it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from eukhe.agent.rows.record import AgentDocument, main_conversation
from eukhe.agent.rows.spent import USAGE, Spent
from eukhe.agent.rows.usage import UsageTotal, session_spent
from eukhe.agent.run import Run
from eukhe.agent.stored import branches
from eukhe.agent.stored.side_cache import digest_of
from eukhe.agent.who import Agent
from eukhe.session.store import Session
from eukhe.tools import ToolContext, Toolset
from eukhe.wire.openai_completions import stream
from tests.servers.chat import ChatServer, Reply

if TYPE_CHECKING:
    from eukhe.agent import events
    from eukhe.wire.messages import Usage


def _price(usage: Usage, _: str | None = None) -> float:
    return usage.input / 1000


def _prompt(session: Session, server: ChatServer, *, priced: bool = True) -> UsageTotal:
    told: list[events.AgentEvent] = []
    document = AgentDocument("m", server.base_url, "/", ())
    cost = _price if priced else None
    agent = Agent(document, Toolset(), ToolContext(Path("/"), {}), cost=cost)
    asyncio.run(Run(session, agent, stream, told.append).prompt("go"))
    (total,) = (event for event in told if isinstance(event, UsageTotal))
    assert told.index(total) == len(told) - 2, "the end of the run comes after it"
    return total


def test_a_run_tells_what_it_used_and_what_the_session_used_in_all(tmp_path: Path) -> None:
    with (
        ChatServer([Reply(text="a", usage=(100, 5)), Reply(text="b", usage=(40, 7))]) as server,
        Session.create(tmp_path / "s") as session,
    ):
        _prompt(session, server)
        total = _prompt(session, server)
    assert total.run == {
        "replies": 1,
        "input": 40,
        "output": 7,
        "cacheRead": 0,
        "cacheWrite": 0,
        "reasoning": 0,
        "cost": 0.04,
        "priced": 1,
    }
    assert total.session["input"] == 140
    assert total.session["cost"] == 0.14


def test_without_a_price_the_cost_is_unknown_and_not_zero(tmp_path: Path) -> None:
    with ChatServer([Reply(text="a")]) as server, Session.create(tmp_path / "s") as session:
        total = _prompt(session, server, priced=False)
    assert total.run["cost"] is None
    assert total.session["cost"] is None


def test_a_reply_without_any_content_counts_though_it_leaves_no_message(tmp_path: Path) -> None:
    with (
        ChatServer([Reply(usage=(30, 1)), Reply(text="b", usage=(40, 7))]) as server,
        Session.create(tmp_path / "s") as session,
    ):
        total = _prompt(session, server)
        main = main_conversation(session)
        assert main is not None
        assert [row.kind for _, row in session.entries(main)] == ["user", USAGE, "assistant"]
    assert total.run["input"] == 70
    assert digest_of(tmp_path / "s").spent.input == 70


def test_what_was_taken_back_stays_spent_and_a_forks_copies_count_once(tmp_path: Path) -> None:
    with (
        ChatServer([Reply(text="a", usage=(100, 5)), Reply(text="b", usage=(40, 7))]) as server,
        Session.create(tmp_path / "s") as session,
    ):
        _prompt(session, server)
        branches.fork(session, None)
        assert session_spent(session).input == 100
        _prompt(session, server)
        branches.rewind(session, 0)
        assert session_spent(session).input == 140


def test_a_session_in_memory_tells_what_its_rows_say() -> None:
    with ChatServer([Reply(text="a", usage=(100, 5))]) as server:
        session = Session.in_memory("m")
        total = _prompt(session, server)
        branches.fork(session, None)
    assert total.session["input"] == 100
    assert session_spent(session).input == 100


def test_the_words_name_the_thinking_and_how_many_replies_have_a_price() -> None:
    spent = Spent()
    spent.add({"input": 1500, "output": 20, "reasoning": 8, "cacheRead": 3, "cost": 0.25})
    assert spent.in_words == (
        "input 1,500, output 20 (8 of them thinking), cache read 3, cache write 0 tokens; "
        "0.2500 US dollars"
    )
    spent.add({"input": 1})
    assert spent.in_words.endswith("0.2500 US dollars for 1 of 2 replies")
