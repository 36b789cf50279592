"""`eukhe sessions`, `--fork` and the session commands on the session, through the real program."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.eukhe_process import EUKHE, at
from tests.servers.chat import ChatServer, Reply, Script

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.cli.eukhe_process import Home


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(
        Script([Reply(text="a reply", usage=(1000, 234))], repeat_last=True)
    ) as running:
        yield running


def _listed(home: Home) -> list[dict[str, Any]]:
    found = json.loads(home.run("sessions", "list", "--json").stdout)
    assert isinstance(found, list)
    return found


def _id(home: Home, place: int = 0) -> str:
    return str(_listed(home)[place]["id"])


def _users(home: Home, *arguments: str) -> list[str]:
    return [text for kind, text in home.rows(*arguments) if kind == "user"]


def _entries(home: Home, *arguments: str) -> list[int]:
    return [row["id"] for row in home.show(*arguments)["entries"]]


def test_the_list_shows_age_model_tokens_directory_and_title(
    home: Home, server: ChatServer
) -> None:
    home.run("-p", "first", *at(server))
    line = home.run("sessions", "list").stdout
    assert re.fullmatch(rf"\S+ +\d+ s ago  m  +1.2k tok  {home.cwd}  first\n", line)
    assert home.run("sessions", "rename", _id(home), "The \x1b[2J big\none").returncode == 0
    assert home.run("sessions", "list").stdout.endswith("  The [2J big one\n")
    assert _listed(home)[0]["name"] == "The [2J big one"
    home.run("-p", "second", "--continue")
    assert _listed(home)[0]["title"] == "The [2J big one"
    assert _listed(home)[0]["tokens"] == 2468
    assert home.run("sessions", "rename", _id(home), " \n").returncode == 1


def test_a_fork_restores_the_settings_as_of_its_entry_and_leaves_the_source(
    home: Home, server: ChatServer
) -> None:
    home.run("-p", "/set maxToolRounds 7\none", *at(server))
    source = _id(home)
    point = _entries(home)[-1]
    home.run("-p", "/set maxToolRounds 9\ntwo", "--continue", "--model", "other")
    before = home.journals()[0].read_bytes()
    done = home.run("-p", "three", "--fork", source, "--at", str(point))
    assert done.returncode == 0, done.stderr
    assert home.journals()[0].read_bytes() == before
    assert _users(home, _id(home)) == ["one", "three"]
    assert _users(home, source) == ["one", "two"]
    shown = home.show(_id(home))
    assert shown["agent"]["model"] == "m"
    assert shown["origin"] == source
    assert shown["tokens"] == 1234, "what the source spent is not the fork's"
    said = home.run("-p", "/cvar", "--resume", _id(home)).stderr
    assert "maxToolRounds = 7" in said


def test_sessions_fork_prints_the_new_id_and_start_keeps_the_agent(
    home: Home, server: ChatServer
) -> None:
    home.run("-p", "one", *at(server))
    source = _id(home)
    done = home.run("sessions", "fork", source, "--at", "start", "--name", "fresh")
    new = done.stdout.strip()
    assert home.show(new)["entries"] == []
    assert (home.show(new)["agent"]["model"], home.show(new)["name"]) == ("m", "fresh")
    assert home.run("-p", "two", "--resume", new).returncode == 0
    assert _users(home, new) == ["two"]
    assert home.run("sessions", "fork", source, "--at", "77").returncode == 1


def test_a_rewind_takes_the_last_prompt_back_and_can_be_taken_back(
    home: Home, server: ChatServer
) -> None:
    home.run("-p", "one", *at(server))
    home.run("-p", "two", "--continue", "--model", "other")
    name = _id(home)
    done = home.run("sessions", "rewind", name)
    assert "2 entries were taken back" in done.stdout
    assert _users(home, name) == ["one"]
    assert home.show(name)["agent"]["model"] == "m"
    newest = re.search(r"--at (\d+) leads", done.stdout)
    assert newest is not None
    home.run("sessions", "rewind", name, "--at", newest[1])
    assert _users(home, name) == ["one", "two"]
    assert home.show(name)["agent"]["model"] == "other"
    assert "already" in home.run("sessions", "rewind", name, "--at", newest[1]).stderr


def test_session_commands_fork_rewind_draw_and_name(home: Home, server: ChatServer) -> None:
    home.run("-p", "one", *at(server))
    first = _entries(home)[-1]
    home.run("-p", "two", "--continue", "--model", "other")
    done = home.run("-p", f"/fork {first}\nthree", "--continue")
    assert done.returncode == 0, done.stderr
    sent = server.requests[-1].body["messages"]
    assert [m["content"] for m in sent if m["role"] == "user"] == ["one", "three"]
    assert server.requests[-1].body["model"] == "m", "the fork has the model of its entry"
    home.run("-p", "/rewind\n/name a tree", "--continue")
    assert _users(home) == ["one"]
    drawn = home.run("sessions", "tree").stdout
    assert "· a tree" in drawn
    assert f"forked after {first} (main)" in drawn
    assert "user        two" in drawn
    said = home.run("-p", "/tree\n/session", "--continue").stderr
    assert f"forked after {first} (main)" in said
    assert "name: a tree" in said
    assert "conversation 1\n" in said
    home.run("-p", "/tree 1", "--continue")
    assert _users(home) == ["one", "two"]
    for wrong in ("/tree 999", "/rewind 999", "/fork x", "/session x", "/tree x"):
        done = home.run("-p", wrong, "--continue")
        assert done.returncode == 1
        assert done.stderr.startswith(f"eukhe: {wrong.split()[0]}: "), wrong


def test_search_finds_rows_of_all_sessions_in_either_case(home: Home, server: ChatServer) -> None:
    home.run("-p", 'say "HELLO" to Ärger', *at(server))
    home.run("-p", "nothing here", *at(server))
    for text in ("hello", '"HELLO"', "ÄRGER", "say"):
        lines = home.run("sessions", "search", text).stdout.splitlines()
        assert len(lines) == 1, text
        assert 'user  say "HELLO" to Ärger' in lines[0]
    hit = json.loads(home.run("sessions", "search", "--json", "hello").stdout)
    assert hit["entry"] in _entries(home, hit["session"])
    none = home.run("sessions", "search", "absent")
    assert (none.returncode, none.stdout) == (1, "")
    limited = home.run("sessions", "search", "reply", "--limit", "1")
    assert len(limited.stdout.splitlines()) == 1
    assert "more than 1" in limited.stderr


def test_export_writes_markdown_html_and_json(home: Home) -> None:
    hostile = "<script>alert(1)</script>\n```\n# not a heading"
    steering = "\x1b[2J\0\x9b\x07\r\x7f"
    with ChatServer([Reply(text=hostile + steering)]) as running:
        home.run("-p", "<b>\n```bash", *at(running))
    for suffix in ("md", "html", "json"):
        assert home.run("sessions", "export", "-o", f"x.{suffix}").returncode == 0
    page = (home.cwd / "x.html").read_text()
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "default-src &#x27;none&#x27;" in page or "default-src 'none'" in page
    form = json.loads((home.cwd / "x.json").read_text())
    assert form["conversations"][0]["entries"][0]["body"]["content"][0]["text"] == "<b>\n```bash"
    markdown = (home.cwd / "x.md").read_text()
    assert hostile in markdown
    assert not (set(steering) - set("[2J")) & set(markdown + page)
    assert steering in form["conversations"][0]["entries"][1]["body"]["content"][0]["text"]
    assert home.run("sessions", "export").stdout == markdown
    assert home.run("sessions", "export", "--format", "html").stdout == page
    names = {path.name for path in home.cwd.iterdir()}
    assert names == {"x.md", "x.html", "x.json"}


def test_a_killed_export_leaves_the_old_file(home: Home, server: ChatServer) -> None:
    home.run("-p", "-", *at(server), stdin=b"long " * 200_000)
    target = home.cwd / "x.json"
    home.run("sessions", "export", "-o", str(target))
    whole = target.read_bytes()
    for attempt in range(6):
        child = home.start("sessions", "export", "-o", str(target))
        time.sleep(0.15 + 0.06 * attempt)
        child.send_signal(signal.SIGKILL)
        child.communicate()
        assert target.read_bytes() == whole


def test_delete_needs_yes_or_an_answer_and_takes_all(home: Home, server: ChatServer) -> None:
    home.run("-p", "one", *at(server))
    name = _id(home)
    refused = home.run("sessions", "delete", name)
    assert refused.returncode == 2
    assert "--yes" in refused.stderr
    assert _answer(home, b"n\n", "sessions", "delete", name)[0] == 130
    assert home.journals()
    code, shown = _answer(home, b"y\n", "sessions", "delete", name)
    assert (code, "one" in shown) == (0, True)
    assert list(home.sessions.iterdir()) == []
    assert home.run("sessions", "delete", name, "--yes").returncode == 2


def test_resume_without_an_id_lets_the_user_choose(home: Home, server: ChatServer) -> None:
    home.run("-p", "older", *at(server))
    home.run("-p", "newer", *at(server))
    code, shown = _answer(home, b"2\n", "-p", "more", "--resume")
    assert code == 0, shown
    assert _users(home) == ["older", "more"]
    assert home.run("-p", "by path", "--resume", str(home.journals()[1])).returncode == 0
    assert _users(home) == ["newer", "by path"]


def _answer(home: Home, answer: bytes, *arguments: str) -> tuple[int, str]:
    """Run with a terminal as stdin, and answer what is asked."""
    leader, follower = pty.openpty()
    try:
        child = subprocess.Popen(
            [str(EUKHE), *arguments],
            cwd=home.cwd,
            env=home.env,
            stdin=follower,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        os.write(leader, answer)
        out, _ = child.communicate(timeout=30)
    finally:
        os.close(leader)
        os.close(follower)
    return child.returncode, out.decode()


def _damage(path: Path, line: int) -> bytes:
    lines = path.read_bytes().splitlines(keepends=True)
    lines[line] = lines[line].replace(b'"op"', b'"OP"', 1)
    path.write_bytes(b"".join(lines))
    return path.read_bytes()


@pytest.mark.parametrize(("line", "left"), [(0, ["two"]), (1, ["one", "two"]), (2, ["one"])])
def test_repair_writes_a_copy_beside_it_that_goes_on(
    home: Home, server: ChatServer, line: int, left: list[str]
) -> None:
    home.run("-p", "one", *at(server))
    home.run("-p", "two", "--continue")
    (path,) = home.journals()
    name = path.parent.name
    assert "not damaged" in home.run("sessions", "repair", name).stderr
    damaged = _damage(path, line)
    listed = home.run("sessions", "list").stdout
    assert f"line {line + 1} " in listed
    assert f"eukhe sessions repair {name}" in listed
    done = home.run("sessions", "repair", name)
    assert done.returncode == 0, done.stderr
    assert f"line {line + 1} (byte " in done.stderr
    assert "checksum" in done.stderr
    assert path.read_bytes() == damaged, "never in place"
    new = done.stdout.strip()
    assert _users(home, new) == left
    more = home.run("-p", "three", "--resume", new, *at(server))
    assert more.returncode == 0, more.stderr
    assert home.show(new)["origin"] == name


def test_a_journal_in_which_nothing_reads_back_gives_no_copy(
    home: Home, server: ChatServer
) -> None:
    home.run("-p", "one", *at(server))
    (path,) = home.journals()
    path.write_bytes(b"not\na\njournal\n")
    done = home.run("sessions", "repair", path.parent.name)
    assert done.returncode == 1
    assert "no commit reads back" in done.stderr
    assert [child.name for child in home.sessions.iterdir()] == [path.parent.name]
