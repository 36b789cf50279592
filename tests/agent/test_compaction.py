"""Compaction that nobody asked for, over a real socket (S6.6): in the background, blocking, on an overflow."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from eukhe.agent import events
from eukhe.agent.compact.events import CompactionEnd, CompactionStart
from eukhe.agent.compact.settings import Compaction
from eukhe.agent.compact.tokens import tokens_of_text
from eukhe.agent.rows.context import COMPACTION, COMPACTION_END
from eukhe.session.store import Session
from tests.agent.compaction_lab import (
    BROKEN,
    SETTINGS,
    SUMMARY,
    TOO_LONG,
    CompactionServer,
    Lab,
    call,
    fill,
    say,
    texts,
)
from tests.servers.chat import Reply, delta

if TYPE_CHECKING:
    from pathlib import Path


def test_over_the_threshold_the_run_goes_on_and_the_summary_stands_at_the_next_boundary(
    tmp_path: Path,
) -> None:
    replies = [say(100), say(200), call(3_600, "sleep 0.3"), say(3_700), say(900)]
    with CompactionServer(replies, [SUMMARY]) as server:
        lab = Lab(server, tmp_path)
        assert [one.text for one in lab.prompt(*fill(3))][-1] == "reply 3700"
        # The third prompt's tool round is over the threshold; its second request starts the compaction.
        assert lab.order[-4:] == ["turn_start", "compaction_start", "agent_end", "compaction_end"]
        start, end = lab.compactions
        assert start == CompactionStart("threshold", 3_607, blocks=False)
        assert isinstance(end, CompactionEnd)
        assert (end.status, end.summary, end.error) == ("success", "THE SUMMARY", None)
        assert end.tokens_after is not None
        assert end.tokens_after < end.tokens_before
        lab.prompt("go on")
        assert server.problems == ()
    summary, *kept = texts(server.asked[-1])
    assert "THE SUMMARY" in summary
    assert kept[-1] == "go on"
    assert not any("prompt 0" in text for text in kept)
    assert "prompt 0" in texts(server.summarized[0])[0]
    assert "tools" not in server.summarized[0].body
    (row,) = lab.rows(COMPACTION)
    assert row["reason"] == "threshold"
    assert row["usage"]["input"] == 50
    assert (row["tokensBefore"], row["tokensAfter"]) == (end.tokens_before, end.tokens_after)


def test_a_summary_that_is_finished_in_a_run_is_placed_before_its_next_request(
    tmp_path: Path,
) -> None:
    replies = [say(3_600), call(3_650, "sleep 0.5; printf 'y%.0s' $(seq 1000)"), say(700)]
    with CompactionServer(replies, [SUMMARY]) as server:
        lab = Lab(server, tmp_path)
        lab.prompt("first " + "x" * 2_000, "second")
        assert server.problems == ()
        assert len(server.summarized) == 1, "what the server counted before is void"
    assert lab.order == [
        "agent_start",
        "turn_start",
        "agent_end",
        "agent_start",
        "turn_start",
        "compaction_start",
        "turn_start",
        "compaction_end",
        "agent_end",
    ]
    sent = texts(server.asked[-1])
    assert "THE SUMMARY" in sent[0]
    assert not any("first" in text for text in sent[1:])
    # The tool round that came after the start is kept whole: the call and its result.
    roles = [m["role"] for m in server.asked[-1].body["messages"]]
    assert roles[-2:] == ["assistant", "tool"]


def test_over_the_limit_the_request_waits_for_the_summary(tmp_path: Path) -> None:
    with CompactionServer([say(100), say(4_200), say(700)], [SUMMARY]) as server:
        lab = Lab(server, tmp_path)
        outcomes = lab.prompt(*fill(2), "now")
        assert outcomes[-1].text == "reply 700"
        assert server.problems == ()
        paths = [one in server.summarized for one in server.requests]
    assert paths == [False, False, True, False], "the last request came after the summary"
    start, end = lab.compactions
    assert isinstance(start, CompactionStart)
    assert start.blocks
    assert isinstance(end, CompactionEnd)
    assert end.status == "success"
    sent = texts(server.asked[-1])
    assert "THE SUMMARY" in sent[0]
    assert sent[-1] == "now"


def test_at_the_threshold_and_at_the_limit_nothing_happens(tmp_path: Path) -> None:
    """Both comparisons are strict: more than, not at least."""
    now = 4 + 1  # the tokens of the prompt `now`
    for tokens, started in ((3_500 - now, False), (3_501 - now, True)):
        with CompactionServer([say(tokens), say(100)], [SUMMARY]) as server:
            lab = Lab(server, tmp_path)
            lab.prompt(fill(1)[0], "now")
            assert bool(server.summarized) is started
            assert [start.blocks for start in lab.starts] == [False] * started
    for tokens, blocks in ((4_000 - now, False), (4_001 - now, True)):
        with CompactionServer([say(tokens), say(100)], [SUMMARY]) as server:
            lab = Lab(server, tmp_path)
            lab.prompt(fill(1)[0], "now")
            assert [start.blocks for start in lab.starts] == [blocks]


def test_a_later_compaction_takes_the_previous_summary_in_and_starts_at_its_boundary(
    tmp_path: Path,
) -> None:
    replies = [say(4_200), say(100), say(4_300), say(100)]
    summaries = [Reply(text="FIRST"), Reply(text="SECOND")]
    with CompactionServer(replies, summaries) as server:
        lab = Lab(server, tmp_path)
        lab.prompt(
            "alpha " + "x" * 500, "beta " + "x" * 500, "gamma " + "x" * 500, "delta" + "x" * 500
        )
        assert server.problems == ()
        one, two = (texts(request)[0] for request in server.summarized)
    assert "alpha" in one
    assert "previous-summary" not in one
    assert "FIRST" in two
    assert "alpha" not in two
    assert "beta" in two
    sent = texts(server.asked[-1])
    assert "SECOND" in sent[0]
    assert not any("FIRST" in text for text in sent)
    assert [row["summary"] for row in lab.rows(COMPACTION)] == ["FIRST", "SECOND"]


def test_a_cut_inside_a_turn_says_so_and_never_keeps_a_result_without_its_call(
    tmp_path: Path,
) -> None:
    rounds = [call(100, f"echo {'y' * 300} {number}") for number in range(4)]
    rounds.append(call(4_100, "echo last"))
    with CompactionServer([*rounds, say(300)], [SUMMARY]) as server:
        lab = Lab(server, tmp_path)
        (outcome,) = lab.prompt("do five things")
        assert outcome.text == "reply 300"
        assert server.problems == (), "no result without its call"
    roles = [m["role"] for m in server.asked[-1].body["messages"]]
    assert roles[:3] == ["system", "user", "assistant"], "the summary, then the rest of the turn"
    assert "The last turn is not over" in texts(server.summarized[0])[0]


def test_nothing_starts_when_there_is_nothing_to_cut(tmp_path: Path) -> None:
    """A system prompt that fills the window leaves no history: the request goes out, and nothing is told."""
    with CompactionServer([say(4_900), say(4_900)], [SUMMARY]) as server:
        lab = Lab(server, tmp_path)
        outcomes = lab.prompt("a", "b")
        assert [one.text for one in outcomes] == ["reply 4900"] * 2
        assert server.summarized == []
    assert lab.compactions == []


def test_a_summary_that_fails_in_the_background_leaves_the_run_alone_and_is_not_asked_again(
    tmp_path: Path,
) -> None:
    replies = [say(3_600), call(3_600, "sleep 0.4"), call(3_600, "sleep 0.4"), say(3_600)]
    with CompactionServer(replies, [BROKEN]) as server:
        lab = Lab(server, tmp_path, retries=0)
        outcomes = lab.prompt(fill(1)[0], "go")
        assert outcomes[-1].text == "reply 3600"
        assert len(server.summarized) == 1
        lab.prompt("again")
        assert len(server.summarized) == 2, "the next run tries once more"
    assert [end.status for end in lab.ends] == ["failed", "failed"]
    assert "out of order" in str(lab.ends[0].error)
    assert [row["status"] for row in lab.rows(COMPACTION_END)] == ["failed", "failed"]


def test_over_the_limit_a_summary_that_fails_ends_the_run_with_what_to_do(tmp_path: Path) -> None:
    with CompactionServer([say(4_200), say(50)], [BROKEN, BROKEN, SUMMARY]) as server:
        lab = Lab(server, tmp_path, retries=0)
        outcomes = lab.prompt(fill(1)[0], "go")
        error = outcomes[-1].error
        assert error is not None
        assert "more than the 4,000" in error.message
        assert "out of order" in error.message
        failed = [one for one in lab.heard if isinstance(one, events.RunFailed)]
        assert "/compact" in failed[-1].text
        assert len(server.asked) == 1, "the request never went out"
        assert [end.status for end in lab.ends] == ["failed", "failed"]
        assert lab.prompt("again")[0].text == "reply 50", "the session can go on"
        assert server.problems == ()


def test_a_request_that_the_provider_finds_too_long_is_compacted_and_sent_again_once(
    tmp_path: Path,
) -> None:
    unknown = replace(SETTINGS, window=None)
    with CompactionServer([say(50), TOO_LONG, say(60)], [SUMMARY]) as server:
        lab = Lab(server, tmp_path, unknown)
        outcomes = lab.prompt(fill(1)[0], "go")
        assert outcomes[-1].text == "reply 60"
        assert server.problems == ()
        assert "THE SUMMARY" in texts(server.asked[-1])[0]
        assert [start.reason for start in lab.starts] == ["overflow"]
    with CompactionServer([say(50), TOO_LONG, TOO_LONG], [SUMMARY]) as server:
        lab = Lab(server, tmp_path, unknown)
        error = lab.prompt(fill(1)[0], "go")[-1].error
        assert error is not None
        assert len(server.asked) == 3
        failed = [one for one in lab.heard if isinstance(one, events.RunFailed)]
        assert "compacted already" in failed[-1].text
        assert "larger context window" in failed[-1].text


def test_what_came_of_a_reply_that_is_refused_in_the_middle_is_stored(tmp_path: Path) -> None:
    refused = {"error": {"message": "prompt is too long", "code": "context_length_exceeded"}}
    half = Reply(chunks=[delta({"content": "half a reply"}), refused])
    with CompactionServer([say(50), half, say(60)], [SUMMARY]) as server:
        lab = Lab(server, tmp_path)
        assert lab.prompt(fill(1)[0], "go")[-1].text == "reply 60"
        assert server.problems == ()
    kept = [row for row in lab.rows("assistant") if "half a reply" in str(row["content"])]
    assert [row["stop"] for row in kept] == ["error"]
    assert not any("half a reply" in text for text in texts(server.asked[-1]))


def test_an_overflow_cuts_a_conversation_that_would_be_kept_whole(tmp_path: Path) -> None:
    """Nobody knows the window, but it is smaller than what was refused."""
    with CompactionServer([*[say(50)] * 3, TOO_LONG, say(60)], [SUMMARY]) as server:
        lab = Lab(server, tmp_path, Compaction())
        assert lab.prompt(*fill(3), "go")[-1].text == "reply 60"
        sent = texts(server.asked[-1])
    assert "THE SUMMARY" in sent[0]
    assert sent[-1] == "go"
    assert any("prompt 2" in text for text in sent), "less than half of it stays"


def test_an_overflow_without_compaction_says_what_to_do(tmp_path: Path) -> None:
    off = replace(SETTINGS, enabled=False)
    with CompactionServer([say(4_500), TOO_LONG], [SUMMARY]) as server:
        lab = Lab(server, tmp_path, off)
        lab.prompt(fill(1)[0], "go")
        assert server.summarized == []
    failed = [one for one in lab.heard if isinstance(one, events.RunFailed)]
    assert "compaction is off (compaction.enabled)" in failed[-1].text
    assert lab.compactions == []


def test_a_huge_single_message_is_summarized_as_far_as_it_fits(tmp_path: Path) -> None:
    """The request for the summary is too long as well: it is asked for with less of the text."""
    huge = "begin " + "word " * 20_000 + " end"
    with CompactionServer([TOO_LONG, say(60)], [TOO_LONG, TOO_LONG, SUMMARY]) as server:
        lab = Lab(server, tmp_path, replace(SETTINGS, window=None))
        (outcome,) = lab.prompt(huge)
        assert outcome.text == "reply 60"
        sizes = [len(texts(request)[0]) for request in server.summarized]
        assert sizes[0] > 1.8 * sizes[1] > 3 * sizes[2]
        told = texts(server.summarized[-1])[0]
    assert "begin" in told
    assert " end\n" in told
    assert "characters left out]" in told
    assert any(isinstance(one, events.Notice) and "not whole" in one.text for one in lab.heard)


def test_a_reply_without_output_at_a_full_window_is_an_overflow(tmp_path: Path) -> None:
    full = Reply(text="", finish="length", usage=(4_990, 0))
    with CompactionServer([say(50), full, say(60)], [SUMMARY]) as server:
        lab = Lab(server, tmp_path)
        assert lab.prompt(fill(1)[0], "go")[-1].text == "reply 60"
    assert [start.reason for start in lab.starts] == ["overflow"]


def test_a_session_goes_on_from_every_commit_around_a_compaction(tmp_path: Path) -> None:
    """Ending the process after any commit is the same as having only that much of the journal."""
    replies = [say(3_600), call(3_700, "sleep 0.3"), call(800, "true"), say(900)]
    with (
        CompactionServer(replies, [SUMMARY]) as server,
        Session.create(tmp_path / "whole") as session,
    ):
        lab = Lab(server, tmp_path, session=session)
        lab.prompt(fill(1, 2_000)[0], "go")
    lines = (tmp_path / "whole" / "main.jsonl").read_bytes().splitlines(keepends=True)
    placed = next(at for at, line in enumerate(lines) if COMPACTION.encode() in line)
    assert 0 < placed < len(lines) - 1
    for count in range(1, len(lines) + 1):
        copy = tmp_path / f"prefix-{count}"
        copy.mkdir()
        (copy / "main.jsonl").write_bytes(b"".join(lines[:count]))
        with (
            CompactionServer([say(50)] * 2, [SUMMARY]) as server,
            Session.open_to_write(copy) as session,
        ):
            lab = Lab(server, tmp_path, replace(SETTINGS, enabled=False), session=session)
            assert lab.prompt("again")[0].text == "reply 50"
            assert server.problems == ()
            sent = texts(server.asked[0])
        assert ("THE SUMMARY" in sent[0]) is (count > placed)
        assert any("prompt 0" in text for text in sent) is (count <= placed)


def test_with_a_known_window_a_request_for_a_summary_fits_it_at_once(tmp_path: Path) -> None:
    with CompactionServer([say(4_200), say(60)], [SUMMARY]) as server:
        lab = Lab(server, tmp_path)
        lab.prompt(fill(1, 40_000)[0], "now")
        (request,) = server.summarized
        assert tokens_of_text(texts(request)[0]) < 3_000 + 600, "what is told, and what is asked"
    assert any(isinstance(one, events.Notice) and "not whole" in one.text for one in lab.heard)


def test_an_overflow_takes_the_summary_that_is_being_written(tmp_path: Path) -> None:
    slow = Reply(text="THE SUMMARY", usage=(50, 10), wait=0.4)
    with CompactionServer([say(3_600), TOO_LONG, say(60)], [slow]) as server:
        lab = Lab(server, tmp_path)
        assert lab.prompt(fill(1)[0], "now")[-1].text == "reply 60"
        assert len(server.summarized) == 1
        assert "THE SUMMARY" in texts(server.asked[-1])[0]
    assert [(end.reason, end.status) for end in lab.ends] == [("threshold", "success")]
