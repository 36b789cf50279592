"""`/compact` and compaction in the real program: its lines, its events, its totals, a kill while it runs."""

from __future__ import annotations

import json
import os
import signal
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.agent.compaction_lab import SUMMARY, CompactionServer, say, texts
from tests.cli.test_model import write
from tests.servers.chat import Call, Reply

if TYPE_CHECKING:
    from tests.cli.eukhe_process import Home

_MODEL = ("--model", "acme/small")
_KEEP = ("--set", "compaction.keepRecentTokens=100", "--set", "compaction.reserveTokens=1000")


def acme(home: Home, server: CompactionServer, name: str = "acme") -> None:
    """One provider with a model of a small window, in `models.json`."""
    model = {
        "id": "small",
        "contextWindow": 5_000,
        "maxTokens": 500,
        "cost": {"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0},
    }
    provider = {"baseUrl": server.base_url, "api": "openai-completions", "apiKey": "k"}
    write(home, "models.json", {"providers": {name: {**provider, "models": [model]}}})


def _heard(stdout: str, *types: str) -> list[dict[str, Any]]:
    events = [json.loads(line) for line in stdout.splitlines()]
    return [event for event in events if event["type"] in types]


def _prompt(word: str) -> str:
    return f"{word} " + "x" * 600


def test_compact_runs_alone_and_before_a_prompt(home: Home) -> None:
    with CompactionServer([say(50), say(60), say(70), say(80)], [SUMMARY]) as server:
        acme(home, server)
        home.run("-p", _prompt("alpha"), *_MODEL, *_KEEP)
        home.run("-p", _prompt("beta"), "--continue")
        done = home.run("-p", "/compact keep the paths", "--continue")
        assert done.returncode == 0, done.stderr
        assert done.stdout == ""
        assert "compacted from about" in done.stderr
        assert texts(server.summarized[0])[0].endswith("keep the paths")
        done = home.run("-p", f"/compact\n{_prompt('gamma')}", "--continue", "--mode", "json")
        kinds = ("compaction_start", "compaction_end", "agent_start", "agent_end")
        assert [one["type"] for one in _heard(done.stdout, *kinds)] == list(kinds[2:])
        done = home.run("-p", f"/compact\n{_prompt('delta')}", "--continue", "--mode", "json")
        assert [one["type"] for one in _heard(done.stdout, *kinds)] == list(kinds)
        assert server.problems == ()
        assert "alpha" not in "".join(texts(server.asked[-1]))
    kinds_of_rows = [kind for kind, _ in home.rows()]
    assert kinds_of_rows.count("eukhe.compaction") == 2
    assert kinds_of_rows.count("session_slash_command") == 3
    shown = home.run("sessions", "show").stdout
    assert "THE SUMMARY" in shown
    assert "alpha" in shown, "no row is deleted"


def test_compact_is_refused_politely_where_there_is_nothing_to_compact(home: Home) -> None:
    with CompactionServer([say(50), say(60)], [SUMMARY]) as server:
        acme(home, server)
        alone = home.run("-p", "/compact", *_MODEL)
        assert alone.returncode == 1
        assert alone.stderr.startswith("eukhe: /compact: there is nothing to compact")
        followed = home.run("-p", "/compact\nhello", *_MODEL)
        assert followed.returncode == 0, "the prompt is sent: it has all the room it can have"
        assert followed.stdout == "reply 50\n"
        assert "there is nothing to compact" in followed.stderr
        assert server.summarized == []
    (row,) = (one for one in home.show()["entries"] if one["kind"].endswith("command_result"))
    assert row["body"]["error"]["kind"] == "NothingToCompact"


def test_compact_that_fails_ends_the_run_before_its_prompt(home: Home) -> None:
    broken = Reply(status=400, json={"error": {"message": "out of order"}})
    with CompactionServer([say(50), say(60)], [broken]) as server:
        acme(home, server)
        home.run("-p", _prompt("alpha"), *_MODEL, *_KEEP)
        done = home.run(
            "-p", "/compact\nhello", "--continue", "--set", "compaction.keepRecentTokens=1"
        )
        assert done.returncode == 1
        assert "not compacted: the server answered 400: out of order" in done.stderr
        assert len(server.asked) == 1


def test_compact_is_the_last_command_of_a_prompt(home: Home) -> None:
    with CompactionServer([], [SUMMARY]) as server:
        acme(home, server)
        done = home.run("-p", "/compact\n/set maxToolRounds 3\nhi", *_MODEL)
        assert done.returncode == 2
        assert "make it the last of them" in done.stderr
        assert server.requests == []


def test_a_conversation_over_the_threshold_of_its_model_is_compacted(home: Home) -> None:
    replies = [say(3_600), say(3_700), say(300)]
    with CompactionServer(replies, [Reply(text="THE SUMMARY", usage=(50, 10))]) as server:
        acme(home, server)
        home.run("-p", _prompt("alpha"), *_MODEL, *_KEEP)
        done = home.run("-p", _prompt("beta"), "--continue", "--mode", "json")
        ends = _heard(done.stdout, "compaction_start", "compaction_end")
        assert [one["type"] for one in ends] == ["compaction_start", "compaction_end"]
        assert ends[0]["reason"] == "threshold"
        assert ends[1]["status"] == "success"
        done = home.run("-p", "gamma", "--continue")
        assert "THE SUMMARY" in texts(server.asked[-1])[0]
        usage = home.run("-p", "/usage", "--continue").stderr
    assert f"input {3_595 + 3_695 + 50 + 295:,}, output {5 * 3 + 10}" in usage


def test_off_means_off_and_without_a_window_nothing_starts_by_itself(home: Home) -> None:
    with CompactionServer([say(4_900)] * 4, [SUMMARY]) as server:
        acme(home, server)
        off = ("--set", "compaction.enabled=false")
        home.run("-p", _prompt("alpha"), *_MODEL, *_KEEP, *off)
        home.run("-p", _prompt("beta"), "--continue")
        at = ("--base-url", server.base_url, "--model", "m")
        home.run("-p", _prompt("alpha"), *at, *_KEEP)
        done = home.run("-p", _prompt("beta"), "--continue")
        assert done.returncode == 0
        assert server.summarized == []


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_a_process_that_ends_while_a_compaction_runs_leaves_no_open_pair(
    home: Home, end: signal.Signals
) -> None:
    hangs = Reply(text="never", sent=0, end="hang")
    slow = Reply(calls=[Call("bash", {"command": "sleep 30"})], usage=(3_600, 5))
    with CompactionServer([say(3_600), slow, say(300)], [hangs, SUMMARY]) as server:
        acme(home, server)
        home.run("-p", _prompt("alpha"), *_MODEL, *_KEEP)
        process = home.start("-p", _prompt("beta"), "--continue", "--mode", "json")
        until = time.monotonic() + 30
        while len(server.asked) < 2 or not server.summarized:
            assert time.monotonic() < until
            time.sleep(0.02)
        os.kill(process.pid, end)
        out, _ = process.communicate(timeout=30)
        kinds = [json.loads(line)["type"] for line in out.decode().splitlines()]
        assert kinds.count("compaction_start") == 1
        assert kinds.count("compaction_end") == (0 if end is signal.SIGKILL else 1)
        stored = [kind for kind, _ in home.rows() if "compaction" in kind]
        assert stored == ([] if end is signal.SIGKILL else ["eukhe.compaction_end"])
        done = home.run("-p", "gamma", "--continue", "--mode", "json")
        assert done.returncode == 0, done.stderr
        pairs = [one["type"] for one in _heard(done.stdout, "compaction_start", "compaction_end")]
        assert pairs == ["compaction_start", "compaction_end"]
        assert server.problems == ()
    assert [kind for kind, _ in home.rows()].count("eukhe.compaction") == 1


def test_a_provider_that_counts_tokens_is_asked_and_one_that_does_not_is_named(home: Home) -> None:
    counts = ("--set", "compaction.providerTokenCount=true")
    with CompactionServer([say(50), say(60)], [SUMMARY]) as server:
        acme(home, server, "llama-cpp")
        server.count = 4_500
        model = ("--model", "llama-cpp/small")
        done = home.run("-p", _prompt("alpha"), *model, *_KEEP, *counts, "--mode", "json")
        assert done.returncode == 0, done.stderr
        assert [one["tokens"] for one in _heard(done.stdout, "compaction_start")] == [4_500]
        body = server.counted[0].body
        assert body["messages"][-1]["content"].startswith("alpha")
        assert body["tools"], "the tools count as well"
        assert server.counted[0].headers["authorization"] == "Bearer k"
    with CompactionServer([say(50), say(60)], [SUMMARY]) as server:
        acme(home, server)
        done = home.run("-p", _prompt("alpha"), *_MODEL, *_KEEP, *counts)
        assert done.returncode == 0
        assert "compaction.providerTokenCount: acme does not have" in done.stderr
        assert "estimated instead" in done.stderr
        assert server.counted == []


def test_a_compaction_that_fails_beside_the_run_does_not_part_its_text(home: Home) -> None:
    broken = Reply(status=400, json={"error": {"message": "out of order"}})
    slowly = Reply(text=["one ", "two ", "three"], delay=0.3, usage=(100, 5))
    with CompactionServer([say(3_600), slowly], [broken]) as server:
        acme(home, server)
        home.run("-p", _prompt("alpha"), *_MODEL, *_KEEP)
        done = home.run("-p", _prompt("beta"), "--continue")
        assert done.stdout == "one two three\n"
        assert "not compacted: the server answered 400: out of order" in done.stderr


def test_ctrl_c_leaves_a_compaction_that_outlives_the_answer(home: Home) -> None:
    hangs = Reply(text="never", sent=0, end="hang")
    with CompactionServer([say(3_600), say(3_700)], [hangs]) as server:
        acme(home, server)
        home.run("-p", _prompt("alpha"), *_MODEL, *_KEEP)
        process = home.start("-p", _prompt("beta"), "--continue")
        assert process.stderr is not None
        said = b""
        while b"waiting for the compaction" not in said:
            piece = process.stderr.read(1)
            assert piece, said
            said += piece
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert out == b"reply 3700\n"
    assert [kind for kind, _ in home.rows()][-2:] == ["assistant", "eukhe.compaction_end"]
