"""Compaction through the Python API: it can outlive its run, and the answer stands whatever becomes of it."""

from __future__ import annotations

import asyncio
import json
import os
from typing import TYPE_CHECKING

import pytest

from eukhe import CompactionFailedError, NothingToCompactError, Session, events
from tests.agent.compaction_lab import SUMMARY, CompactionServer, say, texts
from tests.servers.chat import Reply

if TYPE_CHECKING:
    from pathlib import Path

    from eukhe import SessionOpening


def _open(root: Path, server: CompactionServer) -> SessionOpening:
    agent = root / "agent"
    agent.mkdir(exist_ok=True)
    model = {"id": "small", "contextWindow": 5_000, "maxTokens": 500}
    provider = {"baseUrl": server.base_url, "api": "openai-completions", "apiKey": "k"}
    text = json.dumps({"providers": {"acme": {**provider, "models": [model]}}})
    (agent / "models.json").write_text(text)
    settings = {
        "compaction.keepRecentTokens": 100,
        "compaction.reserveTokens": 1_000,
        "titles.generate": False,
    }
    environ = {"PATH": os.environ["PATH"], "HOME": str(root)}
    return Session.open(
        model="acme/small", cwd=root, agent_dir=agent, environ=environ, settings=settings
    )


def test_a_prompt_tells_the_end_of_a_compaction_that_outlives_its_run(tmp_path: Path) -> None:
    slow = Reply(text="THE SUMMARY", usage=(50, 10), wait=0.3)
    with CompactionServer([say(3_600), say(3_700), say(90)], [slow]) as server:

        async def go() -> list[str]:
            async with _open(tmp_path, server) as session:
                await session.prompt("first " + "x" * 600)
                heard = [event.type async for event in session.prompt("second")]
                await session.prompt("third")
                return heard

        heard = asyncio.run(go())
        assert "THE SUMMARY" in texts(server.asked[-1])[0]
    compactions = [one for one in heard if one.startswith("compaction")]
    assert compactions == ["compaction_start", "compaction_end"]
    assert heard.index("agent_end") < heard.index("compaction_end")


def test_an_answer_stands_when_its_reader_leaves_before_the_compaction_ends(tmp_path: Path) -> None:
    hangs = Reply(text="never", sent=0, end="hang")
    with CompactionServer([say(3_600), say(3_700), say(90)], [hangs, SUMMARY]) as server:

        async def go() -> None:
            async with _open(tmp_path, server) as session:
                await session.prompt("first " + "x" * 600)
                async with session.prompt("second") as prompt:
                    async for event in prompt:
                        if isinstance(event, events.AgentEnd):
                            break
                assert prompt.outcome is not None
                assert prompt.outcome.text == "reply 3700"
                ends = [row for _, row in session.entries if row.kind == "eukhe.compaction_end"]
                assert [row.body["status"] for row in ends] == ["aborted"]
                outcome = await session.prompt("third")
                assert outcome is not None
                assert outcome.text == "reply 90"

        asyncio.run(go())
        assert server.problems == ()


def test_compact_writes_a_summary_that_heeds_what_is_said_and_is_read_like_a_prompt(
    tmp_path: Path,
) -> None:
    failed = Reply(status=400, json={"error": {"message": "no summaries today"}})
    replies = [say(300), say(400), say(90)]
    with CompactionServer(replies, [failed, Reply(text="THE SUMMARY", usage=(50, 10))]) as server:

        async def go() -> None:
            async with _open(tmp_path, server) as session:
                with pytest.raises(NothingToCompactError):
                    await session.compact()
                await session.prompt("first " + "x" * 600)
                await session.prompt("second " + "y" * 600)
                with pytest.raises(CompactionFailedError, match="no summaries today"):
                    await session.compact()
                work = session.compact("keep the names")
                heard = [event.type async for event in work]
                assert heard == ["compaction_start", "compaction_end"]
                assert work.outcome is not None
                assert work.outcome.text == "THE SUMMARY"
                await session.prompt("third")

        asyncio.run(go())
        assert "keep the names" in texts(server.summarized[-1])[-1]
        assert "THE SUMMARY" in texts(server.asked[-1])[0]


def test_an_abort_ends_a_compaction_that_was_asked_for(tmp_path: Path) -> None:
    hangs = Reply(text="never", sent=0, end="hang")
    with CompactionServer([say(300), say(400), say(90)], [hangs]) as server:

        async def go() -> None:
            async with _open(tmp_path, server) as session:
                await session.prompt("first " + "x" * 600)
                await session.prompt("second " + "y" * 600)
                work = session.compact()
                async for event in work:
                    if isinstance(event, events.CompactionStart):
                        await session.abort()
                    if isinstance(event, events.CompactionEnd):
                        assert event.status == "aborted"
                assert work.outcome is None
                outcome = await session.prompt("third")
                assert outcome is not None
                assert outcome.text == "reply 90"

        asyncio.run(go())
