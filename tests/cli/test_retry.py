"""Requests that fail, end to end: waits, other providers, full ones, and runs that a killed process left."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.eukhe_process import at
from tests.cli.test_model import write
from tests.servers.chat import Call, ChatServer, Reply, Script

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    from tests.cli.eukhe_process import Home

SOON = ("--set", "retry.baseDelayMs=0")


def _error(status: int, message: str, **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status=status, json={"error": {"message": message}}, headers=named)


def _events(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


def _wait_for(condition: Callable[[], object], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def _next(process: subprocess.Popen[bytes], kind: str) -> dict[str, Any]:
    assert process.stdout is not None
    events = (json.loads(line) for line in process.stdout)
    return next(event for event in events if event["type"] == kind)


def test_a_short_wait_that_the_server_asks_for_is_kept(home: Home) -> None:
    slow = _error(429, "Slow down.", Retry_After="0.2")
    with ChatServer([slow, slow, Reply(text="there")]) as server:
        done = home.run("-p", "hello", *at(server), *SOON)
        assert (done.returncode, done.stdout) == (0, "there\n")
        assert len(server.requests) == 3
    assert done.stderr.count("Slow down.") == 2
    assert "retry 2 of 3 in 0.2 s" in done.stderr
    assert [kind for kind, _ in home.rows()] == ["user", "eukhe.retry", "eukhe.retry", "assistant"]


def test_a_server_that_goes_on_failing_is_left_after_three_retries(home: Home) -> None:
    with ChatServer([_error(503, "Loading.")] * 9) as server:
        done = home.run("-p", "hello", *at(server), *SOON, "--mode", "json")
        assert done.returncode == 1
        assert len(server.requests) == 4
    events = _events(done.stdout)
    starts = [event for event in events if event["type"] == "auto_retry_start"]
    assert [(e["attempt"], e["maxAttempts"], e["delayMs"]) for e in starts] == [
        (n, 3, 0) for n in (1, 2, 3)
    ]
    ends = [event for event in events if event["type"] == "auto_retry_end"]
    assert [(end["attempt"], end["aborted"], end["purpose"]) for end in ends] == [
        (n, False, "reply") for n in (1, 2, 3)
    ]
    (error,) = [event for event in events if event["type"] == "error"]
    assert error["status"] == 503
    assert "after 3 retries" in error["text"]
    assert events[-1]["status"] == "failed"


def test_a_long_word_of_the_server_hides_no_retry(home: Home) -> None:
    with ChatServer([_error(500, "no " * 100), Reply(text="there")]) as server:
        done = home.run("-p", "hello", *at(server), *SOON)
    assert done.stderr.endswith("no; retry 1 of 3 in 0 s\n")


def test_retries_can_be_turned_off(home: Home) -> None:
    with ChatServer([_error(500, "no")] * 2) as server:
        done = home.run("-p", "hello", *at(server), "--set", "retry.enabled=false")
        assert (done.returncode, len(server.requests)) == (1, 1)


def test_a_stream_that_breaks_is_asked_again_and_programs_hear_what_is_void(home: Home) -> None:
    whole = Reply(text=["half ", "and half"])
    parts = list(whole.body("m"))
    sent = len(b"".join(parts[: next(i for i, p in enumerate(parts) if b"half " in p) + 1]))
    cut = Reply(text=["half ", "and half"], sent=sent, end="cut")
    with ChatServer([cut, whole, cut, whole, Reply(text="more")]) as server:
        done = home.run("-p", "hello", *at(server), *SOON)
        assert (done.returncode, done.stdout) == (0, "half \nhalf and half\n")
        told = home.run("-p", "again", "--continue", "--mode", "json")
        home.run("-p", "more", "--continue")
        assert server.problems == ()
        last = [m["content"] for m in server.requests[4].body["messages"][1:]]
    assert last == ["hello", "half and half", "again", "half and half", "more"]
    text = ""
    for event in _events(told.stdout):
        if event["type"] == "message_update":
            text += event["text"]
        elif event["type"] == "message_void":
            text = ""
    assert text == "half and half", "who drops what is void has the reply"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_in_the_wait_ends_the_run(home: Home, number: signal.Signals) -> None:
    slow = _error(429, "Slow down.", Retry_After="50")
    with ChatServer([slow, Reply(text="fresh")]) as server:
        with home.start("-p", "hello", *at(server), "--mode", "json") as process:
            assert _next(process, "auto_retry_start")["delayMs"] == 50_000
            process.send_signal(number)
            out, err = process.communicate(timeout=20)
        assert process.returncode == 128 + number
        assert b"Traceback" not in err
        events = _events(out.decode())
        assert [event["type"] for event in events] == ["auto_retry_end", "usage", "agent_end"]
        assert (events[0]["aborted"], events[-1]["status"]) == (True, "aborted")
        nothing = home.run("--continue")
        assert nothing.returncode == 2
        assert "nothing to go on with" in nothing.stderr
        assert home.run("-p", "again", "--continue").stdout == "fresh\n"
        assert server.problems == ()


def _two_providers(home: Home, own: ChatServer, other: ChatServer, **more: object) -> None:
    def entry(server: ChatServer, key: str, model: str) -> dict[str, object]:
        models = [{"id": model, "contextWindow": 9000, "cost": {"input": 1, "output": 2}}]
        api = "openai-completions"
        return {"baseUrl": server.base_url, "api": api, "apiKey": key, "models": models}

    providers = {
        "aaa": entry(other, "$AAA_KEY", "other-model"),
        "mine": entry(own, "$MINE", "open-model"),
        "keyless": {**entry(other, "$NOWHERE", "open-model")},
        "spare": entry(other, "$SPARE", "open-model"),
    }
    write(home, "models.json", {"providers": providers})
    write(home, "settings.json", more)
    home.environ |= {"MINE": "key-of-mine", "SPARE": "key-of-spare", "AAA_KEY": "key-of-aaa"}


def test_another_configured_provider_of_the_same_model_takes_over(home: Home) -> None:
    call = Call("bash", {"command": "echo ${MINE:-hidden} ${SPARE:-hidden}"})
    with (
        ChatServer([_error(402, "No credit left.")] * 2) as own,
        ChatServer([Reply(calls=[call], usage=(1_000_000, 0)), Reply(text="hi")]) as spare,
    ):
        _two_providers(home, own, spare)
        done = home.run("-p", "go", "--model", "mine/open-model")
        request = spare.requests[0]
        assert (len(own.requests), len(spare.requests)) == (1, 2)
        result = spare.requests[1].body["messages"][-1]["content"]
    assert (done.returncode, done.stdout) == (0, "hi\n")
    assert "No credit left.; spare is asked instead" in done.stderr
    assert request.headers["authorization"] == "Bearer key-of-spare"
    assert result == "hidden hidden", "a tool sees no key, whichever provider it is of"
    shown = home.show()
    (row,) = [row["body"] for row in shown["entries"] if row["kind"] == "eukhe.failover"]
    assert (row["provider"], row["instead"], row["model"]) == ("mine", "spare", "open-model")
    origins = [r["body"]["origin"] for r in shown["entries"] if r["kind"] == "assistant"]
    assert {origin["provider"] for origin in origins} == {"spare"}
    assert shown["entries"][2]["body"]["usage"]["cost"] == pytest.approx(1.0)
    assert "key-of" not in json.dumps(shown)


@pytest.mark.parametrize(
    "settings",
    [{"retry": {"failover": {"enabled": False}}}, {"enabledModels": ["mine/*"]}],
    ids=["off", "scope"],
)
def test_no_other_provider_is_asked_against_the_users_will(
    home: Home, settings: dict[str, object]
) -> None:
    with ChatServer([_error(402, "No credit left.")]) as own, ChatServer([]) as spare:
        _two_providers(home, own, spare, **settings)
        done = home.run("-p", "go", "--model", "mine/open-model")
        assert (done.returncode, len(spare.requests)) == (1, 0)
    assert done.stderr.count("\n") == 1


def test_a_second_process_waits_while_a_provider_has_all_that_it_may(home: Home) -> None:
    replies = [Reply(sent=-1, end="hang"), Reply(text="second")]
    with ChatServer(replies) as server:
        write(home, "settings.json", {"providerMaxInFlight": {f"127.0.0.1:{server.port}": 1}})
        with home.start("-p", "one", *at(server)) as first:
            _wait_for(lambda: server.requests)
            with home.start("-p", "two", *at(server), "--mode", "json") as second:
                wait = _next(second, "provider_wait_start")
                assert (wait["provider"], wait["limit"]) == (f"127.0.0.1:{server.port}", 1)
                first.kill()
                first.wait()
                out, _ = second.communicate(timeout=20)
        assert second.returncode == 0
    events = _events(out.decode())
    assert events[0]["type"] == "provider_wait_end"
    assert events[0]["aborted"] is False
    assert events[-1]["status"] == "done"


def test_a_malformed_limit_lets_one_request_through_at_a_time(home: Home) -> None:
    with ChatServer([Reply(sent=-1, end="hang")] * 2) as server:
        write(home, "settings.json", {"providerMaxInFlight": "many"})
        with home.start("-p", "one", *at(server)) as first:
            _wait_for(lambda: server.requests)
            with home.start("-p", "two", *at(server), "--mode", "json") as second:
                assert _next(second, "provider_wait_start")["limit"] == 1
                second.send_signal(signal.SIGINT)
                out, _ = second.communicate(timeout=20)
                assert second.returncode == 130
            first.kill()
        said = home.run("settings", "list").stderr
        assert "a value that is no object limits every provider to 1" in said
        assert "no effect" not in said
    assert [event["type"] for event in _events(out.decode())] == [
        "provider_wait_end",
        "usage",
        "agent_end",
    ]


def test_a_run_that_was_killed_in_a_tool_goes_on_without_a_prompt(home: Home) -> None:
    call = Call("bash", {"command": "echo >> ran; echo $$ > pid; sleep 300"})
    with ChatServer([Reply(text="I look.", calls=[call]), Reply(text="done")]) as server:
        with home.start("-p", "go", *at(server)) as process:
            pid = home.cwd / "pid"
            _wait_for(lambda: pid.exists() and pid.read_text().endswith("\n"))
            process.kill()
            process.communicate(timeout=20)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(int(pid.read_text()), signal.SIGKILL)
        done = home.run("--continue", "--mode", "json")
        assert done.returncode == 0
        sent = server.requests[1].body["messages"]
        assert server.problems == ()
        assert home.run("--continue").returncode == 2
    assert (home.cwd / "ran").read_text() == "\n"
    assert [m["role"] for m in sent] == ["system", "user", "assistant", "tool"]
    assert sent[-1]["content"].startswith("interrupted:")
    (start,) = [event for event in _events(done.stdout) if event["type"] == "agent_start"]
    assert start == {"type": "agent_start", "prompt": "go", "resumed": True}
    assert [kind for kind, _ in home.rows()] == ["user", "assistant", "tool_result", "assistant"]


def test_a_run_that_was_killed_in_a_wait_goes_on_at_once(home: Home) -> None:
    slow = _error(429, "Slow down.", Retry_After="50")
    with ChatServer([slow, Reply(text="there")]) as server:
        with home.start("-p", "go", *at(server), "--mode", "json") as process:
            _next(process, "auto_retry_start")
            process.kill()
        (session,) = home.journals()
        done = home.run("--resume", session.parent.name)
        assert (done.returncode, done.stdout, done.stderr) == (0, "there\n", "")
        assert server.requests[0].raw == server.requests[1].raw
    assert [kind for kind, _ in home.rows()] == ["user", "eukhe.retry", "assistant"]


def test_there_is_nothing_to_go_on_with_when_the_last_run_is_over(home: Home) -> None:
    with ChatServer(Script([Reply(text="hi")])) as server:
        assert home.run("-p", "go", *at(server)).returncode == 0
        before = home.journals()[0].read_bytes()
        done = home.run("--continue")
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        "has nothing to go on with: its last run is over; give it a prompt with -p" in done.stderr
    )
    assert done.stderr.count("\n") == 1
    assert home.journals()[0].read_bytes() == before
