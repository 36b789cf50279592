"""Compaction that a user asks for or stops, and what stands after it: forks, rewinds, pictures, counts (S6.6)."""

from __future__ import annotations

import asyncio
import base64
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from eukhe.agent import events
from eukhe.agent.compact.compactor import CompactionFailedError, NothingToCompactError
from eukhe.agent.compact.events import CompactionEnd, CompactionStart
from eukhe.agent.compact.settings import CountFailedError
from eukhe.agent.rows.context import COMPACTION, COMPACTION_END, context_of
from eukhe.agent.rows.record import main_conversation
from eukhe.agent.rows.transcript import RETRY
from eukhe.agent.run import Run
from eukhe.agent.stored import branches
from eukhe.agent.stored.export import to_markdown
from eukhe.agent.stored.export_html import to_html
from eukhe.agent.stored.outline import outline
from eukhe.agent.stored.side_cache import digest_of
from eukhe.core.compaction import IDLE
from eukhe.session.store import Session
from eukhe.wire.openai_completions import stream
from tests.agent.compaction_lab import (
    BROKEN,
    SETTINGS,
    SUMMARY,
    CompactionServer,
    Lab,
    call,
    fill,
    say,
    texts,
)
from tests.servers.chat import Call, Reply, delta

if TYPE_CHECKING:
    from pathlib import Path

    from eukhe.wire.request import Request


def test_a_user_compacts_with_instructions(tmp_path: Path) -> None:
    with CompactionServer([say(100), say(200), say(90)], [SUMMARY]) as server:
        lab = Lab(server, tmp_path)
        lab.prompt(*fill(2))
        lab.compact("keep every path")
        told = texts(server.summarized[0])[0]
        lab.prompt("go on")
        assert "THE SUMMARY" in texts(server.asked[-1])[0]
        assert server.problems == ()
    assert told.endswith("heed this in the summary:\nkeep every path")
    assert [(one.type) for one in lab.compactions] == ["compaction_start", "compaction_end"]
    (row,) = lab.rows(COMPACTION)
    assert (row["reason"], row["instructions"]) == ("manual", "keep every path")


def test_with_nothing_to_compact_a_user_is_told_why_and_nothing_starts(tmp_path: Path) -> None:
    with CompactionServer([say(50)], [SUMMARY]) as server:
        lab = Lab(server, tmp_path)
        with pytest.raises(NothingToCompactError, match="0 tokens"):
            lab.compact()
        lab.prompt("short")
        with pytest.raises(NothingToCompactError, match="keepRecentTokens"):
            lab.compact()
        assert server.summarized == []
    assert lab.compactions == []


def test_a_compaction_that_fails_for_a_user_says_why_and_changes_nothing(tmp_path: Path) -> None:
    with CompactionServer([say(50), say(60), say(70)], [BROKEN]) as server:
        lab = Lab(server, tmp_path, retries=0)
        lab.prompt(*fill(2))
        with pytest.raises(CompactionFailedError, match="out of order"):
            lab.compact()
        lab.prompt("go on")
        assert any("prompt 0" in text for text in texts(server.asked[-1]))


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (Reply(text="   ", usage=(9, 1)), "the model gave no summary"),
        (
            Reply(finish="length", usage=(9, 1)),
            "the model hit its output limit before it gave a summary",
        ),
        (Reply(text="again\n" * 2_000, usage=(9, 1)), "the model repeats itself in the summary"),
    ],
)
def test_a_reply_that_is_no_summary_fails_the_compaction(
    reply: Reply, why: str, tmp_path: Path
) -> None:
    with CompactionServer([say(50), say(60)], [reply]) as server:
        lab = Lab(server, tmp_path, retries=0)
        lab.prompt(*fill(2))
        with pytest.raises(CompactionFailedError):
            lab.compact()
    assert [(end.status, end.error) for end in lab.ends] == [("failed", why)]


def test_what_a_summary_used_counts_in_the_totals_also_when_it_failed(tmp_path: Path) -> None:
    empty = Reply(text="", finish="stop", usage=(30, 4))
    with (
        CompactionServer([say(105), say(205)], [empty, SUMMARY]) as server,
        Session.create(tmp_path / "one") as session,
    ):
        lab = Lab(server, tmp_path, session=session)
        lab.prompt(*fill(2))
        with pytest.raises(CompactionFailedError):
            lab.compact()
        lab.compact()
        assert [row["usage"]["input"] for row in lab.rows(COMPACTION_END)] == [30]
        spent = digest_of(tmp_path / "one").spent
    assert spent.input == 100 + 200 + 30 + 50
    assert spent.output == 5 + 5 + 4 + 10


def test_a_request_for_a_summary_is_retried_like_every_other_and_all_of_them_are_paid_for(
    tmp_path: Path,
) -> None:
    usage = {"prompt_tokens": 40, "completion_tokens": 3, "total_tokens": 43}
    broken = {"error": {"message": "out of order", "code": 500}}
    half = Reply(chunks=[delta({"content": "ha"}, usage=usage), broken])
    with CompactionServer([say(50), say(60)], [half, half, SUMMARY]) as server:
        lab = Lab(server, tmp_path)
        lab.prompt(*fill(2))
        lab.compact()
        assert len(server.summarized) == 3
    assert len(lab.waits) == 2
    (row,) = lab.rows(COMPACTION)
    assert (row["usage"]["input"], row["usage"]["output"]) == (40 + 40 + 50, 3 + 3 + 10)
    retries = lab.rows(RETRY)
    assert [(retry["attempt"], retry["purpose"]) for retry in retries] == [
        (1, "summary"),
        (2, "summary"),
    ]
    assert "out of order" in str(retries[0]["message"])
    told = [event for event in lab.heard if isinstance(event, events.RetryStart | events.RetryEnd)]
    assert [(type(event).__name__, event.attempt, event.purpose) for event in told] == [
        (name, n, "summary") for n in (1, 2) for name in ("RetryStart", "RetryEnd")
    ]


def test_an_abort_in_the_wait_ends_the_compaction_and_the_session_goes_on(tmp_path: Path) -> None:
    hangs = Reply(text="never", sent=0, end="hang")

    async def go(lab: Lab) -> None:
        task = asyncio.create_task(lab.run.prompt("now"))
        while not lab.starts:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with CompactionServer([say(4_200), say(60)], [hangs, SUMMARY]) as server:
        lab = Lab(server, tmp_path)
        lab.prompt(fill(1)[0])
        asyncio.run(go(lab))
        assert server.hung_up.wait(5), "the request for the summary was closed"
        assert [end.status for end in lab.ends] == ["aborted"]
        assert lab.heard[-1] == events.AgentEnd("aborted", stored=True)
        assert lab.order[-2:] == ["compaction_end", "agent_end"]
        assert lab.prompt("again")[0].text == "reply 60"
        assert server.problems == ()
    assert [row["status"] for row in lab.rows(COMPACTION_END)] == ["aborted"]


def test_an_aborted_run_ends_its_background_compaction_and_keeps_a_finished_summary(
    tmp_path: Path,
) -> None:
    slow = call(3_650, "sleep 60")

    async def go(lab: Lab, *, until_written: bool) -> None:
        task = asyncio.create_task(lab.run.prompt("now"))
        while not any(isinstance(one, events.ToolExecutionStart) for one in lab.heard):
            await asyncio.sleep(0.01)
        while until_written and lab.run.compactions.queued is None:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    for until_written, status in ((True, "success"), (False, "aborted")):
        summary = SUMMARY if until_written else Reply(text="x", sent=0, end="hang")
        with CompactionServer([say(3_600), slow], [summary]) as server:
            lab = Lab(server, tmp_path)
            lab.prompt(fill(1)[0])
            asyncio.run(go(lab, until_written=until_written))
        assert [end.status for end in lab.ends] == [status]
        assert lab.order[-2:] == ["compaction_end", "agent_end"]


def test_an_abort_before_the_summary_was_asked_for_ends_its_compaction_too(tmp_path: Path) -> None:
    """The task of the compaction is cancelled before it got to run at all."""

    async def go(lab: Lab) -> None:
        task = asyncio.current_task()
        assert task is not None

        def listen(event: events.AgentEvent) -> None:
            lab.heard.append(event)
            if isinstance(event, CompactionStart):
                task.cancel()

        run = Run(lab.session, lab.agent, stream, listen)
        with pytest.raises(asyncio.CancelledError):
            await run.compact()
        assert run.compactions == IDLE

    with CompactionServer([say(50), say(60)], [SUMMARY]) as server:
        lab = Lab(server, tmp_path)
        lab.prompt(*fill(2))
        asyncio.run(go(lab))
        assert server.summarized == []
    assert [end.status for end in lab.ends] == ["aborted"]


def test_a_run_that_breaks_before_the_summary_was_asked_for_ends_its_compaction_too(
    tmp_path: Path,
) -> None:
    """Nothing waits between the start of the compaction and the break: its task never runs."""
    heard: list[events.AgentEvent] = []

    def listen(event: events.AgentEvent) -> None:
        heard.append(event)
        if isinstance(event, events.MessageStart):
            raise BrokenPipeError

    with CompactionServer([say(3_600)], [SUMMARY]) as server:
        lab = Lab(server, tmp_path)
        lab.prompt(fill(1)[0])
        with pytest.raises(BrokenPipeError):
            asyncio.run(Run(lab.session, lab.agent, stream, listen).prompt("now"))
    pairs = [one.type for one in heard if isinstance(one, CompactionStart | CompactionEnd)]
    assert pairs == ["compaction_start", "compaction_end"]
    assert [row["status"] for row in lab.rows(COMPACTION_END)] == ["aborted"]


def test_a_summary_behind_a_later_one_is_skipped(tmp_path: Path) -> None:
    """The later one is placed while the first waits for its boundary."""

    async def go(lab: Lab) -> None:
        def listen(event: events.AgentEvent) -> None:
            lab.heard.append(event)
            if isinstance(event, events.ToolExecutionEnd):
                assert run.compactions.queued is not None
                run._recorder.compaction({}, "LATER", None)

        run = Run(lab.session, lab.agent, stream, listen)
        await run.prompt("now")

    with CompactionServer([say(3_600), call(3_650, "sleep 0.4"), say(100)], [SUMMARY]) as server:
        lab = Lab(server, tmp_path)
        lab.prompt(fill(1)[0])
        asyncio.run(go(lab))
        assert "LATER" in texts(server.asked[-1])[0]
    assert [end.status for end in lab.ends] == ["skipped"]
    (row,) = lab.rows(COMPACTION_END)
    assert (row["status"], row["usage"]["output"]) == ("skipped", 10)


def test_a_listener_that_fails_leaves_no_compaction_behind(tmp_path: Path) -> None:
    with CompactionServer(
        [say(3_600), say(3_700)], [Reply(text="x", sent=0, end="hang")]
    ) as server:
        lab = Lab(server, tmp_path)
        lab.prompt(fill(1)[0])

        def listen(event: events.AgentEvent) -> None:
            if isinstance(event, events.MessageUpdate):
                raise BrokenPipeError

        run = Run(lab.session, lab.agent, stream, listen)
        with pytest.raises(BrokenPipeError):
            asyncio.run(run.prompt("now"))
        assert server.hung_up.wait(5)


def _rounds(lab: Lab, server: CompactionServer, name: str) -> list[str]:
    """What the model gets of the session with one more prompt."""
    lab.run = Run(lab.session, lab.agent, stream, lab.heard.append)
    lab.prompt(name)
    return texts(server.asked[-1])


def test_a_rewind_and_a_fork_across_a_compaction_have_the_rows_as_of_their_entry(
    tmp_path: Path,
) -> None:
    with CompactionServer([say(n) for n in range(50, 100)], [SUMMARY]) as server:
        lab = Lab(server, tmp_path)
        lab.prompt(*fill(3))
        main = main_conversation(lab.session)
        assert main is not None
        newest = lab.session.entries(main)[-1][0]
        lab.compact()
        after = _rounds(lab, server, "after")
        assert "THE SUMMARY" in after[0]

        branches.fork(lab.session, None)
        forked = _rounds(lab, server, "forked")
        assert forked[: len(after)] == after, "a fork behind it has the summary and the kept rows"

        branches.fork(lab.session, None)
        twice = _rounds(lab, server, "twice")
        assert twice[: len(forked)] == forked, "and so has a fork of the fork"

        branches.fork(lab.session, newest)
        before = _rounds(lab, server, "before")
        assert "prompt 0" in before[0], "a fork before it has all rows"

        branches.go_to(lab.session, main)
        branches.rewind(lab.session, newest)
        back = _rounds(lab, server, "back")
        assert "prompt 0" in back[0], "and so has a rewind"
        assert not any("THE SUMMARY" in text for text in back)
        assert server.problems == ()


def test_a_fork_to_a_new_session_has_the_summary_or_the_whole_as_of_its_entry(
    tmp_path: Path,
) -> None:
    with (
        CompactionServer([say(n) for n in range(50, 60)], [SUMMARY]) as server,
        Session.create(tmp_path / "one") as session,
    ):
        lab = Lab(server, tmp_path, session=session)
        lab.prompt(*fill(3))
        main = main_conversation(session)
        assert main is not None
        newest = session.entries(main)[-1][0]
        lab.compact()
        branches.fork_to(session, None, tmp_path / "behind")
        branches.fork_to(session, newest, tmp_path / "before")
        for name, first in (("behind", "THE SUMMARY"), ("before", "prompt 0")):
            with Session.open_to_write(tmp_path / name) as fork:
                lab.session = fork
                assert first in _rounds(lab, server, "go on")[0]
        assert server.problems == ()


def test_the_context_of_a_stored_session_is_the_one_that_the_run_had(tmp_path: Path) -> None:
    with (
        CompactionServer([say(n) for n in range(50, 60)], [SUMMARY]) as server,
        Session.create(tmp_path / "one") as session,
    ):
        lab = Lab(server, tmp_path, session=session)
        lab.prompt(*fill(3))
        lab.compact()
        lab.prompt("then")
        had = texts(server.asked[-1])
    with Session.open_to_read(tmp_path / "one") as again:
        context = context_of(again, main_conversation(again))
        sent = [message.text for message in context.messages]
    assert sent[: len(had)] == had
    assert context.counted == 2, (
        "the kept reply was made with the whole history, so its count is void"
    )
    assert had[2] == "then"


def test_pictures_count_as_pictures_and_are_told_as_such(tmp_path: Path) -> None:
    picture = b"\x89PNG\r\n\x1a\n" + b"\0" * 400_000
    (tmp_path / "p.png").write_bytes(picture)
    read = Call("read", {"path": "p.png"})
    replies = [Reply(calls=[read], usage=None), Reply(calls=[read], usage=None)]
    with CompactionServer([*replies, Reply(text="done", usage=None)], [SUMMARY]) as server:
        lab = Lab(server, tmp_path, tools=("bash", "read"))
        sees = replace(lab.agent.context, takes_images=lambda: True)
        lab.run = Run(lab.session, replace(lab.agent, context=sees), stream, lab.heard.append)
        assert lab.prompt(fill(1)[0])[0].text == "done"
        assert server.problems == ()
        assert base64.b64encode(picture).decode() in server.asked[1].raw.decode()
        (start,) = lab.starts
        assert 3_500 < start.tokens < 4_500, "two pictures of 1,600 tokens, whatever their bytes"
        assert "[a picture, image/png]" in texts(server.summarized[0])[0]


def test_the_provider_is_asked_for_its_count_first_and_named_when_it_has_none(
    tmp_path: Path,
) -> None:
    asked: list[int] = []

    async def count(request: Request) -> int:
        asked.append(len(request.messages))
        if len(asked) > 2:
            raise CountFailedError("the counter is out of order")
        return 4_500 if len(asked) == 2 else 10

    counts = replace(SETTINGS, counts=True)
    with CompactionServer([say(50), say(60), say(60), say(60)], [SUMMARY]) as server:
        lab = Lab(server, tmp_path, counts, count=count)
        lab.prompt(fill(1)[0], "b")
        assert [start.tokens for start in lab.starts] == [4_500]
        assert lab.starts[0].blocks
        lab.prompt("c", "d")
        assert len(asked) == 5, "once a request, and again after the wait"
    said = [one.text for one in lab.heard if isinstance(one, events.Notice)]
    assert said == [
        "compaction.providerTokenCount: the counter is out of order; the tokens are estimated instead"
    ]
    with CompactionServer([say(50)], [SUMMARY]) as server:
        lab = Lab(server, tmp_path, counts)
        lab.prompt("a")
    said = [one.text for one in lab.heard if isinstance(one, events.Notice)]
    assert "has no counter of tokens" in said[0]


def test_a_summary_that_is_finished_while_the_provider_counts_is_in_the_request(
    tmp_path: Path,
) -> None:
    answers = [10, 3_600, 4_500]

    async def count(_: Request) -> int:
        while len(answers) == 1 and lab.run.compactions.queued is None:
            await asyncio.sleep(0.01)
        return answers.pop(0)

    slow = Reply(text="THE SUMMARY", usage=(50, 10), wait=0.3)
    with CompactionServer([say(50), call(60), say(70)], [slow]) as server:
        lab = Lab(server, tmp_path, replace(SETTINGS, counts=True), count=count)
        lab.prompt(fill(1)[0], "now")
        assert "THE SUMMARY" in texts(server.asked[-1])[0]
        assert len(server.summarized) == 1


def test_a_session_that_moved_loses_the_summary_that_was_being_written(tmp_path: Path) -> None:
    async def go(lab: Lab) -> None:
        await lab.run.prompt("now")
        await lab.run.moved()

    with CompactionServer([say(3_600), say(70)], [Reply(text="x", sent=0, end="hang")]) as server:
        lab = Lab(server, tmp_path)
        lab.prompt(fill(1)[0])
        asyncio.run(go(lab))
    assert [one.type for one in lab.compactions] == ["compaction_start", "compaction_end"]
    assert [end.status for end in lab.ends] == ["aborted"]


def test_a_session_that_moved_loses_a_summary_that_waits_for_its_boundary(tmp_path: Path) -> None:
    async def go(lab: Lab) -> None:
        task = asyncio.create_task(lab.run.prompt("now"))
        while lab.run.compactions.queued is None:
            await asyncio.sleep(0.01)
        await lab.run.moved()
        await task

    with CompactionServer([say(3_600), call(3_650, "sleep 0.6"), say(70)], [SUMMARY]) as server:
        lab = Lab(server, tmp_path, replace(SETTINGS, keep_recent=2_000))
        lab.prompt(fill(1, 9_000)[0])
        asyncio.run(go(lab))
    assert [(end.status, end.error) for end in lab.ends][:1] == [
        ("failed", "the session went to another row")
    ]
    assert lab.rows(COMPACTION_END)[0]["usage"]["output"] == 10


def test_exports_and_the_tree_show_the_summary(tmp_path: Path) -> None:
    with CompactionServer([say(50), say(60)], [Reply(text="SO <far>", usage=None)]) as server:
        lab = Lab(server, tmp_path)
        lab.prompt(*fill(2))
        lab.compact()
    markdown = "".join(to_markdown(lab.session))
    assert "## Summary of what is above" in markdown
    assert "SO <far>" in markdown
    assert "prompt 0" in markdown, "no row is deleted"
    assert "SO &lt;far&gt;" in "".join(to_html(lab.session))
    assert any(COMPACTION in line and "SO <far>" in line for line in outline(lab.session))


def test_a_start_and_its_end_as_json() -> None:
    start = events.to_json(CompactionStart("threshold", 10, blocks=True))
    assert start == {
        "type": "compaction_start",
        "reason": "threshold",
        "tokens": 10,
        "blocks": True,
    }
    end = events.to_json(CompactionEnd("manual", "success", 10, 5, 7, "s"))
    assert end == {
        "type": "compaction_end",
        "reason": "manual",
        "status": "success",
        "tokensBefore": 10,
        "tokensAfter": 5,
        "entry": 7,
        "summary": "s",
        "error": None,
    }
