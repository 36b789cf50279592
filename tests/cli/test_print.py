"""`eukhe -p` end to end: the real program, a real socket, real tools."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.cli.eukhe_process import EUKHE, at
from tests.servers.chat import Call, ChatServer, Reply, Script

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.eukhe_process import Home

_LARGEST = [
    Reply(thinking="Let me look.", calls=[Call("bash", {"command": "wc -c *"}, split=3)]),
    Reply(
        text="Now the text. ",
        calls=[
            Call("read", {"path": "b.txt"}),
            Call("bash", {"command": "sleep 0.3; echo slow"}),
            Call("bash", {"command": "echo quick"}),
        ],
    ),
    Reply(text=["b.txt is ", "the ", "largest."], usage=(120, 7), piece=3),
]


@pytest.fixture
def files(home: Home) -> None:
    (home.cwd / "a.txt").write_text("a\n")
    (home.cwd / "b.txt").write_text("bbbb\n")


@pytest.mark.usefixtures("files")
def test_the_tools_run_and_the_final_answer_is_printed_and_stored(home: Home) -> None:
    with ChatServer(_LARGEST) as server:
        done = home.run("-p", "which file is largest?", *at(server))
        assert server.problems == ()
        last = server.requests[2].body["messages"]
    assert (done.returncode, done.stdout) == (0, "Now the text. \nb.txt is the largest.\n")
    assert done.stderr.splitlines() == [
        "bash: wc -c *",
        "read: b.txt",
        "bash: sleep 0.3; echo slow",
        "bash: echo quick",
    ]
    results = [m["content"] for m in last if m["role"] == "tool"]
    assert results[0].split() == ["2", "a.txt", "5", "b.txt", "7", "total"]
    assert results[1:] == ["bbbb\n", "slow", "quick"], "results keep the order of the calls"
    rows = home.rows()
    assert [kind for kind, _ in rows] == [
        "user",
        "assistant",
        "tool_result",
        "assistant",
        "tool_result",
        "tool_result",
        "tool_result",
        "assistant",
    ]
    assert rows[-1][1] == "b.txt is the largest."


@pytest.mark.usefixtures("files")
def test_the_calls_of_one_reply_run_side_by_side(home: Home) -> None:
    meet = "touch {0}; for i in $(seq 200); do [ -e {1} ] && exit 0; sleep 0.02; done; exit 1"
    calls = [
        Call("bash", {"command": meet.format("one", "two")}),
        Call("bash", {"command": meet.format("two", "one")}),
    ]
    with ChatServer([Reply(calls=calls), Reply(text="met")]) as server:
        assert home.run("-p", "meet", *at(server)).stdout == "met\n"
        tools = [m["content"] for m in server.requests[1].body["messages"] if m["role"] == "tool"]
    assert tools == ["[no output]", "[no output]"]


def test_continue_goes_on_with_the_session_and_its_server(home: Home) -> None:
    with ChatServer([Reply(text="one"), Reply(text="two"), Reply(text="three")]) as server:
        home.run("-p", "first", *at(server), "--system-prompt", "Be brief.")
        done = home.run("-p", "and the smallest?", "--continue")
        assert (done.returncode, done.stdout) == (0, "two\n")
        session_id = home.show()["id"]
        assert home.run("-p", "third", "--resume", session_id[:20]).stdout == "three\n"
        sent = [(m["role"], m["content"]) for m in server.requests[2].body["messages"]]
        assert server.problems == ()
    assert sent == [
        ("system", "Be brief."),
        ("user", "first"),
        ("assistant", "one"),
        ("user", "and the smallest?"),
        ("assistant", "two"),
        ("user", "third"),
    ]
    assert len(home.journals()) == 1


def test_continue_takes_the_newest_session_of_this_directory(home: Home) -> None:
    with ChatServer([Reply(text=str(n)) for n in range(5)]) as server:
        home.run("-p", "here", *at(server))
        other = home.root / "elsewhere"
        other.mkdir()
        home.run("-p", "there", *at(server), "--cwd", str(other))
        home.run("-p", "again", "--continue")
        assert [m["content"] for m in server.requests[2].body["messages"][1:]] == [
            "here",
            "0",
            "again",
        ]
        home.run("-p", "again", "--continue", "--cwd", str(other))
        assert [m["content"] for m in server.requests[3].body["messages"][1:]] == [
            "there",
            "1",
            "again",
        ]


def test_no_session_stores_nothing(home: Home) -> None:
    with ChatServer([Reply(text="hi")]) as server:
        assert home.run("-p", "hello", *at(server), "--no-session").stdout == "hi\n"
    assert not home.sessions.exists()


@pytest.mark.usefixtures("files")
def test_json_mode_prints_every_event_as_a_line(home: Home) -> None:
    with ChatServer(_LARGEST) as server:
        done = home.run("-p", "which?", *at(server), "--mode", "json")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert list(events[0]) == ["type", "version", "id", "directory", "cwd", "model", "baseUrl"]
    assert events[0]["type"] == "session"
    assert events[0]["id"] == home.show()["id"]
    kinds = [event["type"] for event in events]
    assert kinds[1:3] == ["agent_start", "turn_start"]
    assert kinds[-3:] == ["turn_end", "usage", "agent_end"]
    replies = [e["message"]["usage"] for e in events if e["type"] == "message_end"]
    for total in (events[-2]["run"], events[-2]["session"]):
        assert total["input"] == sum(usage["input"] for usage in replies)
        assert total["replies"] == len(replies)
    assert events[-1] == {"type": "agent_end", "status": "done", "stored": True}
    for name, count in {"turn": 3, "message": 3, "tool_execution": 4}.items():
        assert kinds.count(f"{name}_start") == kinds.count(f"{name}_end") == count
    pieces = [event for event in events if event["type"] == "message_update"]
    assert "".join(p["text"] for p in pieces if p["kind"] == "thinking") == "Let me look."
    assert "".join(p["text"] for p in pieces if p["kind"] == "text").endswith(
        "b.txt is the largest."
    )
    first = "".join(p["text"] for p in pieces if p["kind"] == "arguments" and p["call"] == 0)
    assert first.startswith('{"command": "wc -c *"}')
    outputs = [event["text"] for event in events if event["type"] == "tool_execution_update"]
    assert {"slow\n", "quick\n"} <= set(outputs)
    ends = [event for event in events if event["type"] == "message_end"]
    assert ends[-1]["message"]["usage"]["input"] == 120


def test_text_streams_out_before_the_reply_is_over(home: Home) -> None:
    body = Reply(text="early late")
    first = next(i for i, event in enumerate(body.body("m")) if b"early" in event)
    sent = len(b"".join(list(body.body("m"))[: first + 1]))
    with (
        ChatServer([Reply(text="early late", sent=sent, end="hang")]) as server,
        home.start("-p", "x", *at(server)) as process,
    ):
        assert process.stdout is not None
        assert process.stdout.read(10) == b"early late"
        assert process.poll() is None
        process.kill()


@pytest.mark.parametrize(
    ("given", "stdin", "prompt"),
    [
        ("-", b"from the pipe\n", "from the pipe\n"),
        ("about this:", b"a\nb\n", "about this:\n\na\nb"),
        ("alone", b"", "alone"),
        ("odd", b"\xff\xfe", "odd\n\n\ufffd\ufffd"),
    ],
)
def test_the_prompt_comes_from_the_option_and_the_pipe(
    home: Home, given: str, stdin: bytes, prompt: str
) -> None:
    with ChatServer([Reply(text="ok")]) as server:
        assert home.run("-p", given, *at(server), stdin=stdin).returncode == 0
        assert server.requests[0].body["messages"][-1]["content"] == prompt


def test_the_key_goes_to_the_server_and_nowhere_else(home: Home) -> None:
    home.environ["MY_SERVER"] = "k-123456789"
    home.environ["OTHER_API_KEY"] = "k-987654321"
    replies = [Reply(calls=[Call("bash", {"command": "env"})]), Reply(text="done"), Reply(text="2")]
    with ChatServer(Script(replies, key="k-123456789")) as server:
        run = home.run("-p", "env", *at(server), "--api-key-env", "MY_SERVER", "--mode", "json")
        assert run.returncode == 0, run.stderr
        assert home.run("-p", "again", "--continue").returncode == 0, (
            "the variable's name is stored"
        )
        assert all(b"k-987" not in r.raw and b"k-123" not in r.raw for r in server.requests)
    assert "k-123" not in run.stdout + run.stderr
    for path in home.sessions.rglob("*"):
        assert path.is_dir() or b"k-123" not in path.read_bytes()


def test_a_stored_key_variable_does_not_go_to_another_server(home: Home) -> None:
    home.environ["MY_SERVER"] = "k-123456789"
    with ChatServer([Reply(text="one")]) as old, ChatServer([Reply(text="two")]) as new:
        home.run("-p", "x", *at(old), "--api-key-env", "MY_SERVER")
        assert home.run("-p", "y", "--continue", "--base-url", new.base_url).returncode == 0
        assert old.requests[0].headers["authorization"] == "Bearer k-123456789"
        assert "authorization" not in new.requests[0].headers


def test_the_chosen_tools_are_offered_and_no_others(home: Home) -> None:
    with ChatServer([Reply(text="1"), Reply(text="2"), Reply(text="3")]) as server:
        home.run("-p", "x", *at(server))
        home.run("-p", "x", *at(server), "--tools", "bash")
        home.run("-p", "x", *at(server), "--no-tools")
        offered = [
            [tool["function"]["name"] for tool in request.body.get("tools", [])]
            for request in server.requests
        ]
    assert offered == [["read", "bash", "edit", "write"], ["bash"], []]


def test_a_reader_that_goes_away_ends_the_run_quietly(home: Home, tmp_path: Path) -> None:
    replies = [Reply(text=["line\n"] * 3000, delay=0.001)]
    with ChatServer(replies) as server:
        command = f"{EUKHE} -p x {' '.join(at(server))} | head -n 1"
        done = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {command}"],
            cwd=home.cwd,
            env=home.env,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=60,
        )
    assert done.stdout == b"line\n"
    assert done.stderr == b""
    assert done.returncode == 1
    assert home.rows()[-1][1].startswith("line\n"), "what there was of the reply is stored"


def test_sessions_lists_and_shows_what_is_stored(home: Home) -> None:
    assert home.run("sessions", "list").stdout == ""
    with ChatServer([Reply(text="one"), Reply(text="\x1b[2Jtwo")]) as server:
        home.run("-p", "the first\nprompt", *at(server))
        home.run("-p", "another", *at(server))
    lines = home.run("sessions", "list").stdout.splitlines()
    assert [line.rsplit("  ", 1)[1] for line in lines] == ["another", "the first prompt"]
    listed = json.loads(home.run("sessions", "list", "--json").stdout)
    assert [item["prompts"] for item in listed] == [1, 1]
    assert home.run("sessions", "show").stdout.splitlines()[1:] == ["", "> another", "", "[2Jtwo"]
    assert "> the first\nprompt\n\none" in home.run("sessions", "show", listed[1]["id"]).stdout
    moved = home.root / "moved"
    home.sessions.rename(moved)
    for arguments in (["sessions", "list", "--session-dir"], ["--session-dir"]):
        more = ["sessions", "list"] if len(arguments) == 1 else []
        done = home.run(*arguments, str(moved), *more)
        assert len(done.stdout.splitlines()) == 2


def test_a_terminal_gets_no_orders_from_the_model(home: Home) -> None:
    call = Call("bash", {"command": "true # \x1b]0;title\x07"})
    replies = [Reply(text="\x1b[2Ja\tb\x9b1m\n", calls=[call]), Reply(text="end")]
    with ChatServer(replies * 2) as server:
        for no_color in ("", "1"):
            home.environ["NO_COLOR"] = no_color
            shown = _on_a_terminal(home, "-p", "x", *at(server))
            dim, plain = ("", "") if no_color else ("\x1b[2m", "\x1b[0m")
            assert shown == f"[2Ja\tb1m\r\n{dim}bash: true # ]0;title{plain}\r\nend\r\n"


def _on_a_terminal(home: Home, *arguments: str) -> str:
    """Run with both streams on one pseudo terminal; what it shows."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [str(EUKHE), *arguments],
        cwd=home.cwd,
        env=home.env,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    ):
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # Linux ends a terminal that nobody writes to with EIO
            while piece := os.read(ours, 4096):
                shown += piece
    os.close(ours)
    return shown.decode()
