"""`/model`, `/effort`, `/tier`, `/fast`, `/usage` in a prompt: they change the session and its requests (S10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.test_model import write
from tests.cli.test_run_model import acme, events
from tests.servers.chat import ChatServer, Reply

if TYPE_CHECKING:
    from tests.cli.eukhe_process import Home


def test_effort_sets_steps_and_shows_the_level(home: Home) -> None:
    with ChatServer([Reply(text="a"), Reply(text="b"), Reply(text="c")]) as server:
        acme(home, server)
        model = ("--model", "acme/qwen3.8-27b:low")
        done = home.run("-p", "/effort high\n/effort\nx", *model, "--mode", "json")
        home.run("-p", "/effort next\ny", "--continue")
        home.run("-p", "/effort previous\nz", "--continue")
        efforts = [request.body["reasoning_effort"] for request in server.requests]
    assert efforts == ["xhigh", "none", "xhigh"]
    said = [e["text"] for e in events(done.stdout) if e["type"] == "session_slash_command_result"]
    assert said == [
        "the thinking level is xhigh; acme/qwen3.8-27b does not offer high",
        "xhigh; there are: off, low, medium, xhigh",
    ]
    states = [e["thinkingLevel"] for e in events(done.stdout) if e["type"] == "model"]
    assert states == ["low", "xhigh"]


def test_model_switches_the_model_even_with_nothing_configured_before(home: Home) -> None:
    with ChatServer([Reply(text="a"), Reply(text="b")]) as server:
        acme(home, server)
        done = home.run("-p", "/model acme/qwen3.8-27b:low\nx")
        assert done.returncode == 0, done.stderr
        home.run("-p", "/model plain\ny", "--continue", "--model", "acme/qwen3.8-27b")
        bodies = [request.body for request in server.requests]
    assert [body["model"] for body in bodies] == ["qwen3.8-27b", "plain"]
    assert bodies[0]["reasoning_effort"] == "low"


def test_tier_and_fast_are_those_that_the_model_honours(home: Home) -> None:
    with ChatServer([Reply(text="a"), Reply(text="b"), Reply(text="c")]) as server:
        write(home, "models.json", {"providers": {"openrouter": {"baseUrl": server.base_url}}})
        home.environ["OPENROUTER_API_KEY"] = "sk-o"
        home.run("-p", "/tier flex\nx", "--model", "openrouter/moonshotai/kimi-k2.6")
        home.run("-p", "/fast\ny", "--continue")
        home.run("-p", "/fast\nz", "--continue")
        tiers = [request.body.get("service_tier") for request in server.requests]
    assert tiers == ["flex", "priority", None]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("/effort huge", "/effort: there is no level huge; there are: off, minimal"),
        ("/tier flex", "acme/plain honours default, not flex"),
        ("/fast", "acme/plain honours default, not priority"),
        ("/fast now", "/fast takes no arguments"),
        ("/effort next", "acme/plain offers fewer than two levels"),
        ("/model nothing-like-it", "/model: there is no model nothing-like-it"),
        ("/model gpt-5.5", "/model: gpt-5.5 names more than one model"),
        ("/usage all", "/usage takes no arguments"),
    ],
)
def test_a_refused_line_changes_nothing_and_ends_the_run(
    line: str, message: str, home: Home
) -> None:
    with ChatServer([]) as server:
        acme(home, server)
        done = home.run("-p", f"{line}\nx", "--model", "acme/plain")
        assert server.requests == []
    assert done.returncode == 1
    assert message in done.stderr


def test_usage_adds_up_what_the_replies_cost(home: Home) -> None:
    with ChatServer(
        [Reply(text="a", usage=(1000, 500)), Reply(text="b", usage=(1000, 500))]
    ) as server:
        acme(home, server)
        home.run("-p", "x", "--model", "acme/qwen3.8-27b")
        home.run("-p", "y", "--continue")
        done = home.run("-p", "/usage", "--continue")
    assert (
        "/usage: input 2,000, output 1,000, cache read 0, cache write 0 tokens; 0.0040 US dollars"
        in done.stderr
    )


def test_usage_tells_the_session_where_it_used_more_than_the_conversation(home: Home) -> None:
    with ChatServer([Reply(text="a", usage=(1000, 500)), Reply(text="b", usage=(7, 3))]) as server:
        home.run("-p", "x", "--base-url", server.base_url, "--model", "m")
        home.run("-p", "/rewind\ny", "--continue")
    done = home.run("-p", "/usage", "--continue")
    assert "/usage: input 7, output 3, cache read 0" in done.stderr
    assert "the whole session: input 1,007, output 503, cache read 0" in done.stderr
