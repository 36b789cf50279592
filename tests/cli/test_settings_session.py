"""Settings in a session: `--set` and lines that start with `/`, through the real program and a real server."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

from tests.cli.eukhe_process import EUKHE, at
from tests.servers.chat import Call, ChatServer, Reply, Script

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.eukhe_process import Home

_CALL = Reply(calls=[Call("bash", {"command": "echo hi"})])


def _agent(home: Home) -> Path:
    directory = home.root / "home" / ".eukhe"
    directory.mkdir(parents=True, exist_ok=True)
    return directory


def test_a_set_on_the_command_line_limits_the_run_and_stays_with_the_session(home: Home) -> None:
    with ChatServer([_CALL, _CALL, _CALL, _CALL]) as server:
        done = home.run("-p", "go", *at(server), "--set", "maxToolRounds=1")
        assert done.returncode == 1
        assert "the run stopped after 1 tool rounds" in done.stderr
        done = home.run("-p", "go on", "--continue")
        assert "the run stopped after 1 tool rounds" in done.stderr
        assert len(server.requests) == 4
    assert not (_agent(home) / "settings.json").exists()


def test_session_commands_run_before_the_prompt_and_the_model_sees_none(home: Home) -> None:
    prompt = (
        '/set maxToolRounds 5\n/alias calm "set retry.enabled false"\n/calm\nhello\n/not a command'
    )
    with ChatServer([Reply(text="hi"), Reply(text="again")]) as server:
        done = home.run("-p", prompt, *at(server))
        assert (done.returncode, done.stdout) == (0, "hi\n")
        assert "/set: maxToolRounds = 5\n" in done.stderr
        assert "/calm: retry.enabled = false\n" in done.stderr
        done = home.run("-p", "/cvar\nmore", "--continue")
        assert "/cvar: maxToolRounds = 5; retry.enabled = false\n" in done.stderr
        sent = [m["content"] for m in server.requests[1].body["messages"] if m["role"] == "user"]
    assert sent == ["hello\n/not a command", "more"]
    kinds = [kind for kind, _ in home.rows()]
    assert kinds.count("session_slash_command") == 4
    assert kinds.count("session_slash_command_result") == 4


def test_commands_alone_need_no_model_and_send_nothing(home: Home) -> None:
    done = home.run("-p", "/set maxToolRounds 5")
    assert (done.returncode, done.stdout) == (0, "")
    with ChatServer([_CALL, Reply(text="end")]) as server:
        done = home.run("-p", "go", "--continue", *at(server))
    assert (done.returncode, done.stdout) == (0, "end\n")
    assert "-m" not in done.args


def test_a_refused_command_ends_the_run_before_the_prompt(home: Home) -> None:
    with ChatServer([Reply(text="never")]) as server:
        done = home.run("-p", "/set maxToolRounds x\nhello", *at(server), "--mode", "json")
        assert server.requests == []
    assert done.returncode == 1
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert events[-1] == {
        "type": "session_slash_command_result",
        "name": "set",
        "success": False,
        "text": "",
        "error": {
            "kind": "BadValue",
            "id": "maxToolRounds",
            "message": "maxToolRounds takes a whole number",
        },
    }
    assert done.stderr == "eukhe: /set: maxToolRounds takes a whole number\n"


def test_wrong_sets_and_commands_store_nothing(home: Home) -> None:
    for arguments, said in (
        (("-p", "x", "--set", "maxToolRounds"), "--set: 'maxToolRounds' is no ID=VALUE"),
        (("-p", "x", "--set", "nope=1"), "--set nope: there is no setting nope"),
        (("-p", "x", "--set", "trustedProjects=[]"), "only the global config sets it"),
        (("-p", "/sett x"), "there is no command /sett; did you mean /set?"),
        (("-p", "/zzzzzz"), "there are: /set, /toggle"),
    ):
        done = home.run(*arguments, "--base-url", "http://127.0.0.1:9/v1", "--model", "m")
        assert done.returncode == 2
        assert said in done.stderr
    assert not home.sessions.exists()


def test_a_switch_changes_only_its_own_session(home: Home) -> None:
    """Two sessions of one user at the same time: each switches what the other leaves alone."""
    (_agent(home) / "settings.json").write_text('{"retry": {"enabled": true}}\n')
    wait = "i=0; touch {0}; while [ ! -e {1} ]; do i=$((i+1)); [ $i -gt 500 ] && exit 1; sleep 0.02; done"
    both = [
        Reply(calls=[Call("bash", {"command": wait.format("one", "two")})]),
        Reply(text="one"),
    ]
    other = [
        Reply(calls=[Call("bash", {"command": wait.format("two", "one")})]),
        Reply(text="two"),
    ]
    with ChatServer(both) as first, ChatServer(other) as second:
        running = [
            home.start("-p", "/toggle retry.enabled\ngo", *at(first), "--mode", "json"),
            home.start("-p", "/set maxToolRounds 7\ngo", *at(second), "--mode", "json"),
        ]
        ended = [process.communicate(timeout=60) for process in running]
    assert [process.returncode for process in running] == [0, 0], ended
    ids = [json.loads(out.splitlines()[0])["id"] for out, _ in ended]
    said = [home.run("-p", "/cvar", "--resume", one).stderr for one in ids]
    assert said == ["/cvar: retry.enabled = false\n", "/cvar: maxToolRounds = 7\n"]
    assert (_agent(home) / "settings.json").read_text() == '{"retry": {"enabled": true}}\n'
    assert not (_agent(home) / "config.cfg").exists()


def test_settings_errors_are_told_at_open_and_stored_as_rows(home: Home) -> None:
    (_agent(home) / "settings.json").write_text('{\n  "nope": 1\n}')
    (_agent(home) / "binds.cfg").write_text("bind nokey x\n")
    with ChatServer([Reply(text="hi"), Reply(text="again")]) as server:
        done = home.run("-p", "hello", *at(server))
        assert (done.returncode, done.stdout) == (0, "hi\n")
        path = _agent(home) / "settings.json"
        assert f"eukhe: note: {path}:2: there is no setting nope" in done.stderr
        assert "binds.cfg: column 6: there is no such key" in done.stderr.replace(":1:", ":")
        home.run("-p", "more", "--continue")
        roles = [message["role"] for message in server.requests[1].body["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert [kind for kind, _ in home.rows()].count("eukhe.settings_error") == 2


def test_the_shell_and_its_prefix_are_those_of_the_settings(home: Home) -> None:
    shell = home.root / "myshell"
    shell.write_text('#!/bin/sh\necho "mine: $2"\n')
    shell.chmod(0o755)
    with ChatServer([_CALL, Reply(text="end"), _CALL, Reply(text="end")]) as server:
        home.run("-p", "go", *at(server), "--set", "shellCommandPrefix=echo first")
        home.run("-p", "go", "--continue", "--set", f"shellPath={shell}")
        results = [m["content"] for m in server.requests[3].body["messages"] if m["role"] == "tool"]
    assert results == ["first\nhi", "mine: echo first\necho hi"]


def test_a_reply_that_repeats_itself_is_cut(home: Home) -> None:
    loop = Reply(text=["The same ", "line again.\n"] * 200)
    with ChatServer([loop, Reply(text="better"), Reply(text="better")]) as server:
        done = home.run("-p", "go", *at(server), "--mode", "json")
        events = [json.loads(line) for line in done.stdout.splitlines()]
        cut = next(event for event in events if event["type"] == "message_end")["message"]
        assert cut["stop"] == "error"
        assert cut["content"][0]["text"].count("\n") == 64, "cut where the window is full"
        home.run("-p", "go on", "--continue")
        sent = server.requests[1].body["messages"]
    assert not any(message["role"] == "assistant" for message in sent), "never sent again"


def test_a_model_that_only_repeats_itself_fails_the_run(home: Home) -> None:
    loop = Reply(text=["The same ", "line again.\n"] * 200)
    with ChatServer(Script([loop], repeat_last=True)) as server:
        done = home.run("-p", "go", *at(server), "--mode", "json")
    assert done.returncode == 1
    events = [json.loads(line) for line in done.stdout.splitlines()]
    failed = next(event for event in events if event["type"] == "error")
    assert failed["kind"] == "stream_repeating"
    assert "The same line again." in failed["text"]


def test_the_window_of_the_guard_is_a_setting(home: Home) -> None:
    loop = "The same line again.\n" * 70
    with ChatServer([Reply(text=loop), Reply(text=loop)]) as server:
        done = home.run("-p", "go", *at(server), "--set", "retry.provider.streamRepeatLimit=0")
        assert (done.returncode, done.stdout) == (0, loop)
        done = home.run("-p", "go", *at(server), "--set", "retry.provider.streamRepeatLimit=100")
        assert (done.returncode, done.stdout) == (0, loop)


def test_the_retries_are_those_of_the_settings(home: Home) -> None:
    soon, once = ("--set", "retry.baseDelayMs=0"), ("--set", "retry.maxRetries=0")
    slow = Reply(status=429, json={"error": {"message": "Slow."}}, headers={"Retry-After": "0.1"})
    with ChatServer([slow, slow, slow]) as server:
        done = home.run("-p", "go", *at(server), "--set", "retry.maxRetries=1", *soon)
        assert "retry 1 of 1 in 0.1 s" in done.stderr
        assert len(server.requests) == 2
        home.run("-p", "go", *at(server), "--set", "retry.enabled=false")
        assert len(server.requests) == 3
    late = Reply(status=429, json={"error": {"message": "Slow."}}, headers={"Retry-After": "2"})
    with ChatServer([late]) as server:
        done = home.run("-p", "go", *at(server), "--set", "retry.provider.maxRetryDelayMs=1500")
        assert "eukhe waits 1.5 s at most" in done.stderr
    with ChatServer([Reply(text="late", wait=5)]) as server:
        done = home.run("-p", "go", *at(server), "--set", "retry.provider.timeoutMs=200", *once)
        assert "sent nothing for 0.2 s" in done.stderr


def test_the_users_prompt_files_are_sent_and_an_untrusted_projects_are_not(home: Home) -> None:
    (_agent(home) / "SYSTEM.md").write_text("Be kind.")
    (_agent(home) / "APPEND_SYSTEM.md").write_text("Be short.\n")
    (home.cwd / ".eukhe").mkdir()
    (home.cwd / ".eukhe" / "SYSTEM.md").write_text("Be evil.")

    def system(number: int) -> object:
        return server.requests[number].body["messages"][0]["content"]

    with ChatServer([Reply(text="x")] * 3) as server:
        done = home.run("-p", "go", *at(server))
        assert system(0) == "Be kind.\n\nBe short."
        assert "withheld: SYSTEM.md" in done.stderr
        assert home.run("trust").returncode == 0
        home.run("-p", "go", *at(server))
        assert system(1) == "Be evil.\n\nBe short."
        home.run("-p", "go", *at(server), "--system-prompt", "Mine.")
        assert system(2) == "Mine.\n\nBe short."


def test_what_is_piped_in_is_never_a_command(home: Home) -> None:
    with ChatServer([Reply(text="x")]) as server:
        done = subprocess.run(
            [str(EUKHE), "-p", "look", *at(server)],
            cwd=home.cwd,
            env=home.env,
            input=b"/set --global maxToolRounds 1\n",
            capture_output=True,
            check=True,
        )
        assert server.requests[0].body["messages"][-1]["content"].endswith("maxToolRounds 1")
    assert done.stdout == b"x\n"
    assert not (_agent(home) / "config.cfg").exists()


def test_the_credentials_of_a_server_are_masked_where_a_set_is_told(home: Home) -> None:
    entry = (
        r'"{\"a\": {\"url\": \"https://x.example\", \"headers\": {\"X\": \"0123456789secret\"}}}"'
    )
    done = home.run("-p", f"/set mcpServers {entry}\n/cvar")
    assert done.returncode == 0
    told = [line for line in done.stderr.splitlines() if "mcpServers" in line]
    assert len(told) == 2
    assert all("****cret" in line and "0123456789secret" not in line for line in told)


def test_what_a_command_says_cannot_steer_the_terminal(home: Home) -> None:
    hostile = "a\x1b]0;b\x07\x9bc\u202e"
    for line in (f'/set shellPath "{hostile}"', f"/set no{hostile} 1", f"/model {hostile}"):
        home.run("-p", line, "--continue" if home.journals() else "--set=retry.enabled=true")
    bodies = [row["body"] for row in home.show()["entries"]]
    told = [body["text"] + str(body["error"]) for body in bodies if "success" in body]
    assert len(told) == 3
    assert all(text.isprintable() for text in told)
