"""Titles through the real program: where they are shown, and that a run without one is as good."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.cli.eukhe_process import at
from tests.servers.chat import ChatServer, Reply, Script

if TYPE_CHECKING:
    from tests.cli.eukhe_process import Home

_TURN = Reply(text="Because of the air.", wait=0.5)
"""A turn that takes longer than a title."""


def _titles(home: Home) -> list[str]:
    done = home.run("sessions", "list", "--json")
    return [summary["title"] for summary in json.loads(done.stdout)]


def test_a_list_shows_the_title_and_then_the_name_that_the_user_gives(home: Home) -> None:
    title = Reply(text="Colour of the sky", usage=(50, 6))
    with ChatServer(Script([_TURN], title=title)) as server:
        done = home.run("-p", "Why is the sky blue?", *at(server))
        assert (done.returncode, done.stdout, done.stderr) == (0, "Because of the air.\n", "")
        assert server.problems == ()
        assert all(request.problems == () for request in server.titles)
    assert _titles(home) == ["Colour of the sky"]
    (summary,) = json.loads(home.run("sessions", "list", "--json").stdout)
    assert summary["namedBy"] == "model"
    assert home.run("sessions", "tree").stdout.splitlines()[0].endswith("sky (title)")
    assert "title: Colour of the sky" in home.run("-p", "/session", "--continue").stderr
    assert summary["tokens"] == 10 + 5 + 50 + 6
    usage = home.run("-p", "/usage", "--continue")
    assert "input 60, output 11" in usage.stderr
    assert home.run("-p", "/name mine", "--continue").returncode == 0
    assert _titles(home) == ["mine"]
    assert home.run("sessions", "tree").stdout.splitlines()[0].endswith("· mine")


def test_the_event_of_a_title_comes_before_the_end_of_the_run(home: Home) -> None:
    with ChatServer(Script([_TURN], title=Reply(text="Sky"))) as server:
        done = home.run("-p", "go", *at(server), "--mode", "json")
    types = [json.loads(line)["type"] for line in done.stdout.splitlines()]
    assert types.index("session_title") < types.index("agent_end")
    assert {"type": "session_title", "text": "Sky", "by": "model"} in [
        json.loads(line) for line in done.stdout.splitlines()
    ]


@pytest.mark.parametrize(
    "title", [None, Reply(status=500, json={"error": {"message": "down"}})], ids=["silent", "down"]
)
def test_a_run_whose_title_fails_is_as_good_as_any(home: Home, title: Reply | None) -> None:
    with ChatServer(Script([_TURN], title=title)) as server:
        done = home.run("-p", "Why is the sky blue?", *at(server))
        assert len(server.titles) == 1
    assert (done.returncode, done.stdout, done.stderr) == (0, "Because of the air.\n", "")
    assert _titles(home) == ["Why is the sky blue?"]


def test_no_title_is_asked_for_where_none_is_wanted(home: Home) -> None:
    with ChatServer(Script([Reply(text="x")], repeat_last=True, title=Reply(text="T"))) as server:
        home.run("-p", "a", *at(server), "--no-session")
        home.run("-p", "a", *at(server), "--set", "titles.generate=false")
        home.run("-p", "/name mine\ngo", *at(server))
        home.run("-p", "go", "--fork", home.journals()[0].parent.name, "--at", "start")
        assert server.titles == []
        assert home.run("settings", "set", "titles.generate", "false").returncode == 0
        home.run("-p", "b", *at(server))
        assert len(server.requests) == 5
        assert server.titles == []
