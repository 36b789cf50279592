"""Titles in this process, over a real socket: for whom, beside what, and what becomes of a bad reply (S9)."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from eukhe.agent import events
from eukhe.agent.retry.in_flight import InFlight
from eukhe.agent.rows.naming import TITLE, TITLED, draft_name, name_of
from eukhe.agent.rows.record import AgentDocument, main_conversation
from eukhe.agent.run import Run
from eukhe.agent.stored.side_cache import digest_of
from eukhe.agent.titles import INSTRUCTIONS, cleaned
from eukhe.agent.who import Agent
from eukhe.session.store import Session
from eukhe.tools import ToolContext, Toolset
from eukhe.wire.openai_completions import stream
from eukhe.wire.request import Options
from tests.servers.chat import Call, ChatServer, Reply, Script

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping

    from eukhe.agent.who import Outcome, Stream
    from eukhe.session.tree import Json
    from eukhe.wire.events import Event
    from eukhe.wire.request import Request

_SLOW = Reply(text="done", wait=0.4, usage=(10, 5))
"""A turn that takes longer than a title."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session"


def _server(title: Reply | None, *replies: Reply) -> ChatServer:
    return ChatServer(Script(replies or (_SLOW,), title=title))


def _prompt(
    session: Session,
    server: ChatServer,
    text: str = "Why is the sky blue?",
    emit: Callable[[events.AgentEvent], None] = lambda _: None,
    options: Options | None = Options(max_tokens=64),  # noqa: B008 - a frozen value
    in_flight: InFlight | None = None,
    provider: str = "",
    api: Stream = stream,
) -> Outcome:
    document = AgentDocument("m", server.base_url, "/", ("read",), provider=provider)
    context = ToolContext(session.directory or Path("/"), {})
    agent = Agent(
        document,
        Toolset.built_in(("read",)),
        context,
        title_options=options,
        in_flight=in_flight,
        cost=lambda usage, _="": usage.output / 100,
    )
    return asyncio.run(Run(session, agent, api, emit).prompt(text))


def _rows(session: Session) -> list[Mapping[str, Json]]:
    main = main_conversation(session)
    assert main is not None
    return [entry.body for _, entry in session.entries(main) if entry.kind == TITLED]


def test_the_first_message_of_a_session_titles_it_beside_the_turn(path: Path) -> None:
    told: list[events.AgentEvent] = []
    title = Reply(text='"The Colour of the Sky."\n', usage=(70, 6))
    replies = (_SLOW, Reply(text="blue too"))
    with _server(title, *replies) as server, Session.create(path) as session:
        assert _prompt(session, server, emit=told.append).text == "done"
        (request,) = server.titles
        assert session.document(TITLE) == {"text": "The Colour of the Sky", "by": "model"}
        (row,) = _rows(session)
        assert _prompt(session, server, "and the sea?").text == "blue too"
        assert len(server.titles) == 1, "a second message asks for none"
    assert [m["content"] for m in request.body["messages"]] == [
        INSTRUCTIONS,
        "<message>\nWhy is the sky blue?\n</message>",
    ]
    assert "tools" not in request.body
    assert request.body["max_tokens"] == 64
    named = [event for event in told if isinstance(event, events.SessionTitle)]
    assert named == [events.SessionTitle("The Colour of the Sky", "model")]
    assert isinstance(told[-1], events.AgentEnd)
    assert row["text"] == "The Colour of the Sky"
    assert row["error"] is None
    assert digest_of(path).spent.input == 10 + 10 + 70
    assert digest_of(path).spent.cost == pytest.approx((5 + 5 + 6) / 100)
    commits = (path / "main.jsonl").read_text().splitlines()
    (commit,) = (line for line in commits if TITLE in line)
    kinds = [record["value"]["type"] for record in json.loads(commit)["records"]]
    assert kinds == ["entry", "document"], "a commit of its own"


def test_the_model_never_sees_the_row_of_a_title(path: Path) -> None:
    with (
        _server(Reply(text="Sky"), _SLOW, Reply(text="b")) as server,
        Session.create(path) as session,
    ):
        _prompt(session, server)
        _prompt(session, server, "on")
        assert name_of(session) == "Sky"
        roles = [message["role"] for message in server.requests[1].body["messages"]]
    assert roles == ["system", "user", "assistant", "user"]


def test_a_turn_that_is_over_does_not_wait_for_its_title(path: Path) -> None:
    with _server(None, Reply(text="at once")) as server, Session.create(path) as session:
        assert _prompt(session, server).text == "at once"  # the title's reply never comes
        assert len(server.titles) == 1
        assert (name_of(session), _rows(session)) == ("", [])


@pytest.mark.parametrize(("provider", "titled"), [("", False), ("acme", True)])
def test_the_next_request_to_a_server_of_ones_own_does_not_wait_behind_the_title(
    path: Path, provider: str, titled: bool
) -> None:
    look = Reply(calls=[Call("read", {"path": "/etc/hostname"})])
    with (
        _server(Reply(text="Sky", wait=0.5), look, Reply(text="done", wait=1.0)) as server,
        Session.create(path) as session,
    ):
        assert _prompt(session, server, provider=provider).text == "done"
        assert len(server.titles) == 1
        assert bool(_rows(session)) is titled


def test_the_request_of_the_turn_goes_out_before_that_for_the_title(path: Path) -> None:
    arrived: list[str] = []

    async def noting(request: Request) -> AsyncGenerator[Event, None]:
        arrived.append("turn" if request.tools else "title")
        async with aclosing(stream(request)) as events_of_it:
            async for event in events_of_it:
                yield event

    with _server(Reply(text="Sky")) as server, Session.create(path) as session:
        _prompt(session, server, api=noting)
    assert arrived == ["turn", "title"]


def test_a_title_that_is_there_when_the_turn_ends_is_taken(path: Path) -> None:
    """Both replies come at once; which of them is read first must not matter."""
    named = 0
    for number in range(5):
        session_path = path.with_name(f"session-{number}")
        with (
            _server(Reply(text="Sky"), Reply(text="x")) as server,
            Session.create(session_path) as session,
        ):
            _prompt(session, server)
            named += name_of(session) == "Sky"
    assert named


def test_a_name_that_the_user_gives_meanwhile_stays(path: Path) -> None:
    with (
        _server(Reply(text="Sky", wait=0.5), Reply(text=["a", "b"], delay=0.25)) as server,
        Session.create(path) as session,
    ):
        told: list[events.AgentEvent] = []

        def name(event: events.AgentEvent) -> None:
            told.append(event)
            if isinstance(event, events.MessageUpdate) and event.text == "a":
                draft = session.draft()
                draft_name(draft, "mine")
                session.commit(*draft.records)

        _prompt(session, server, emit=name)
        assert name_of(session) == "mine"
        assert len(_rows(session)) == 1, "what it cost is kept"
    assert not any(isinstance(event, events.SessionTitle) for event in told)


@pytest.mark.parametrize(
    ("title", "error"),
    [
        (Reply(status=500, json={"error": {"message": "no such thing"}}), "no such thing"),
        (Reply(thinking="hm, the sky", finish="length"), "holds no title"),
        (Reply(text=" \n`.`\n"), "holds no title"),
        (Reply(text="Sky", sent=200, end="cut"), ""),
        (Reply(text=["The Sky\n"] * 100), "the model repeats itself"),
        (Reply(text="Sky", thinking=["hm\n", "hm, hm\n"] * 100), "the model repeats itself"),
    ],
    ids=["refused", "only thinking", "nothing", "cut", "a loop", "a loop of thinking"],
)
def test_a_title_that_fails_leaves_the_session_without_one_and_says_so_in_a_row(
    path: Path, title: Reply, error: str
) -> None:
    told: list[events.AgentEvent] = []
    with _server(title, _SLOW, Reply(text="b")) as server, Session.create(path) as session:
        assert _prompt(session, server, emit=told.append).text == "done"
        assert _prompt(session, server, "on").text == "b"
        assert len(server.titles) == 1, "only the first message asks"
        assert name_of(session) == ""
        (row,) = _rows(session)
        assert row["text"] is None
        assert error in str(row["error"])
        assert str(row["error"])
    assert not any(isinstance(event, events.Notice | events.RunFailed) for event in told)


def test_no_title_is_asked_for_what_is_not_stored_forked_or_turned_off(path: Path) -> None:
    with _server(Reply(text="Sky"), *[Reply(text="x")] * 4) as server:
        _prompt(Session.in_memory("m"), server)
        with Session.create(path.with_name("fork")) as fork:
            draft = fork.draft()
            draft.document("eukhe.origin", {"session": "other", "entry": 3})
            fork.commit(*draft.records)
            _prompt(fork, server)
        with Session.create(path.with_name("named")) as named:
            draft = named.draft()
            draft_name(draft, "mine")
            named.commit(*draft.records)
            _prompt(named, server)
        with Session.create(path) as session:
            _prompt(session, server, options=None)
        assert server.titles == []


@pytest.mark.parametrize("limit", [1, 5, None])
def test_a_provider_with_a_limit_of_requests_is_not_asked_for_a_title(
    path: Path, limit: int | None
) -> None:
    with _server(Reply(text="Sky")) as server, Session.create(path) as session:
        name = server.base_url.removeprefix("http://").removesuffix("/v1")
        in_flight = InFlight(path / "run", {name: limit}.get)
        assert _prompt(session, server, in_flight=in_flight).text == "done"
        assert len(server.titles) == (0 if limit else 1)


def test_the_end_of_a_turn_that_fails_ends_the_request_for_its_title(path: Path) -> None:
    refused = Reply(status=400, json={"error": {"message": "no"}})
    with _server(None, refused) as server, Session.create(path) as session:
        assert _prompt(session, server).error is not None
        assert _rows(session) == []


def test_an_abort_ends_the_request_for_the_title(path: Path) -> None:
    async def go(session: Session, server: ChatServer) -> None:
        document = AgentDocument("m", server.base_url, "/", ())
        agent = Agent(document, Toolset(), ToolContext(path, {}), title_options=Options())
        run = asyncio.create_task(Run(session, agent, stream, lambda _: None).prompt("go"))
        while not (server.titles and server.requests):
            await asyncio.sleep(0.01)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        assert not [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]

    with _server(None, Reply(end="hang", sent=0)) as server, Session.create(path) as session:
        asyncio.run(go(session, server))
        assert _rows(session) == []


def test_a_long_message_is_shown_to_the_title_in_part(path: Path) -> None:
    with _server(Reply(text="Sky")) as server, Session.create(path) as session:
        _prompt(session, server, "words " * 10_000)
        (request,) = server.titles
    assert len(request.raw) < 5000


@pytest.mark.parametrize(
    ("reply", "title"),
    [
        ("Fix the parser", "Fix the parser"),
        ('  "Fix the parser."  \n\nBecause it is broken.', "Fix the parser"),
        ("**Title: Fix the parser**", "Fix the parser"),
        ("# Fix the parser", "Fix the parser"),
        ("\u201eParser reparieren\u201c", "Parser reparieren"),
        ("<think>\nThe user wants\n</think>\n\nFix it", "Fix it"),
        ("<think>\nThe user wants", ""),
        ("Fix\x1b[31m \u202ethe\tparser\x00", "Fix [31m the parser"),
        ("\n\n...\n", ""),
        ("", ""),
        ("Is it C++?", "Is it C++?"),
        ("a" * 100, "a" * 59 + "\u2026"),
        (
            "one two three " * 10,
            "one two three one two three one two three one two three one\u2026",
        ),
    ],
)
def test_a_title_is_one_bounded_line_without_marks_around_it(reply: str, title: str) -> None:
    assert cleaned(reply) == title
    assert len(cleaned(reply)) <= 60
    assert not title or title.isprintable()


def test_a_replay_counts_what_a_title_cost(path: Path) -> None:
    usage: dict[str, Json] = {"input": 7, "output": 2, "cost": 0.5}
    with Session.create(path) as session:
        draft = session.draft()
        main = draft.conversation()
        draft.entry(main, TITLED, {"text": None, "error": "x", "usage": usage})
        session.commit(*draft.records)
    spent = digest_of(path).spent
    assert (spent.input, spent.output, spent.cost, spent.priced) == (7, 2, 0.5, 1)
