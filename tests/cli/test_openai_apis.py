"""`eukhe -p` over Responses, at OpenAI, at Azure and at the ChatGPT backend: servers on loopback."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.test_model import write
from tests.servers.chat import ChatServer, Reply, delta
from tests.servers.responses import (
    AZURE,
    CODEX,
    RESPONSES,
    call,
    chatgpt_token,
    events,
    reasoning,
    said,
    sse,
    text,
)

if TYPE_CHECKING:
    from tests.cli.eukhe_process import Home

_KEY = "sk-very-secret"
_DOT = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)
_LS = call("bash", '{"command": "echo one", "timeout": null}')


def at(home: Home, provider: str, server: ChatServer, **more: object) -> None:
    """Put the server in the place of a provider."""
    entry = {"baseUrl": server.base_url, **more}
    write(home, "models.json", {"providers": {provider: entry}})


def told(output: str, kind: str) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in output.splitlines()]
    return [event for event in found if event["type"] == kind]


def hidden(home: Home, *texts: str) -> None:
    """Check that the key is neither in what was shown nor in what is stored."""
    stored = "".join(path.read_text() for path in home.journals())
    assert _KEY not in stored.join(texts)


def test_a_tool_round_over_responses_with_the_reasoning_that_goes_back(home: Home) -> None:
    home.environ["OPENAI_API_KEY"] = _KEY
    first = sse(events([reasoning("hm"), _LS], service_tier="priority"))
    with ChatServer([first, said("Done.")], api=RESPONSES) as server:
        at(home, "openai", server)
        done = home.run(
            *("-p", "x", "--model", "openai/gpt-5.5:high", "--tier", "priority", "--mode", "json")
        )
        one, two = (request.body for request in server.requests)
        assert server.problems == ()
    assert (done.returncode, done.stderr) == (0, "")
    assert one["reasoning"] == {"effort": "high", "summary": "auto"}
    assert (one["service_tier"], one["store"]) == ("priority", False)
    assert one["include"] == ["reasoning.encrypted_content"]
    assert one["prompt_cache_key"] == two["prompt_cache_key"] == home.show()["id"]
    assert {tool["name"]: tool["strict"] for tool in one["tools"]}["bash"] is True
    assert two["input"][: len(one["input"])] == one["input"], "a prompt only grows at its end"
    kinds = [item["type"] for item in two["input"][len(one["input"]) :]]
    assert kinds == ["reasoning", "function_call", "function_call_output"]
    assert "one" in two["input"][-1]["output"]
    replies = [event["message"] for event in told(done.stdout, "message_end")]
    costs = [reply["usage"]["cost"] for reply in replies if "usage" in reply]
    base = (30 * 5 + 60 * 0.5 + 20 * 30) / 1e6
    assert costs[0] == pytest.approx(2.5 * base), "the tier that the reply names"
    hidden(home, done.stdout)


def test_a_reply_that_was_served_at_another_tier_costs_what_that_one_does(home: Home) -> None:
    home.environ["OPENAI_API_KEY"] = _KEY
    with ChatServer([said("ok", service_tier="default")], api=RESPONSES) as server:
        at(home, "openai", server)
        arguments = ("-p", "x", "--model", "openai/gpt-5.5", "--tier", "flex", "--mode", "json")
        done = home.run(*arguments)
    (reply,) = [event["message"] for event in told(done.stdout, "message_end")]
    base = (30 * 5 + 60 * 0.5 + 20 * 30) / 1e6
    assert reply["usage"]["cost"] == pytest.approx(base)


def test_what_the_server_says_that_a_reply_costs_is_what_it_costs(home: Home) -> None:
    home.environ["OPENROUTER_API_KEY"] = _KEY
    counts = {"prompt_tokens": 1000, "completion_tokens": 1000, "cost": 0.0625}
    with ChatServer([Reply(chunks=[delta({"content": "a"}, "stop", usage=counts)])]) as server:
        at(home, "openrouter", server)
        done = home.run("-p", "x", "--model", "openrouter/openai/gpt-5.5", "--mode", "json")
    (reply,) = [event["message"] for event in told(done.stdout, "message_end")]
    assert reply["usage"]["cost"] == 0.0625


def test_a_session_that_moves_to_another_api_takes_its_calls_along(home: Home) -> None:
    home.environ["OPENAI_API_KEY"] = _KEY
    first = sse(events([reasoning("hm"), text("Look."), _LS]))
    with (
        ChatServer([first, said("Done.")], api=RESPONSES) as server,
        ChatServer([Reply(text="Fine.")]) as other,
    ):
        at(home, "openai", server)
        home.run("-p", "x", "--model", "openai/gpt-5.5")
        entry = {"baseUrl": other.base_url, "api": "openai-completions", "apiKey": "k"}
        local = {**entry, "models": [{"id": "m", "contextWindow": 9000}]}
        write(home, "models.json", {"providers": {"acme": local}})
        done = home.run("-p", "y", "--continue", "--model", "acme/m")
        assert other.problems == ()
        sent = other.requests[0].body["messages"]
    assert (done.returncode, done.stdout) == (0, "Fine.\n")
    calls = [message for message in sent if message.get("tool_calls")]
    results = [message for message in sent if message["role"] == "tool"]
    assert calls[0]["tool_calls"][0]["id"] == results[0]["tool_call_id"]
    assert b"sealed" not in other.requests[0].raw


def test_azure_is_asked_at_its_resource_for_the_deployment(home: Home) -> None:
    home.environ |= {
        "AZURE_OPENAI_API_KEY": _KEY,
        "AZURE_OPENAI_DEPLOYMENT_NAME_MAP": "gpt-5.2-pro=mine",
    }
    missing = home.run("-p", "x", "--model", "azure/gpt-5.2-pro")
    assert missing.returncode == 2
    assert "AZURE_OPENAI_RESOURCE_NAME" in missing.stderr
    with ChatServer([said("Done.")], api=AZURE) as server:
        home.environ["AZURE_OPENAI_BASE_URL"] = server.base_url
        done = home.run("-p", "x", "--model", "azure/gpt-5.2-pro")
        assert server.problems == ()
        request = server.requests[0]
    assert (done.returncode, done.stdout, done.stderr) == (0, "Done.\n", "")
    assert (request.headers["api-key"], request.body["model"]) == (_KEY, "mine")
    hidden(home, done.stdout)


def test_the_chatgpt_backend_is_asked_with_the_token_of_a_sign_in(home: Home) -> None:
    token = chatgpt_token()
    home.environ["OPENAI_CODEX_TOKEN"] = token
    limit = {"type": "usage_limit_reached", "message": "Spent", "resets_at": 1_800_000_000}
    refusal = Reply(status=429, json={"error": limit}, headers={"retry-after": "0"})
    with ChatServer([said("Done."), refusal], api=CODEX) as server:
        at(home, "openai-codex", server)
        done = home.run("-p", "x", "--model", "openai-codex/gpt-5.5:low")
        failed = home.run("-p", "y", "--continue")
        assert server.problems == ()
        assert len(server.requests) == 2, "a spent limit is not asked again"
    assert (done.returncode, done.stdout, done.stderr) == (0, "Done.\n", "")
    assert failed.returncode == 1
    assert "resets at 2027-01-15 08:00 UTC" in failed.stderr
    assert token not in failed.stderr + "".join(path.read_text() for path in home.journals())


def test_an_api_key_is_no_token_of_a_sign_in(home: Home) -> None:
    home.environ["OPENAI_CODEX_TOKEN"] = _KEY
    with ChatServer([], api=CODEX) as server:
        at(home, "openai-codex", server)
        done = home.run("-p", "x", "--model", "openai-codex/gpt-5.5")
        assert server.requests == []
    assert done.returncode == 1
    assert "no access token of a ChatGPT sign-in" in done.stderr
    hidden(home, done.stderr)


def test_a_model_that_sees_no_pictures_is_sent_a_word_in_their_place(home: Home) -> None:
    home.environ["OPENAI_API_KEY"] = _KEY
    (home.cwd / "dot.png").write_bytes(base64.b64decode(_DOT))
    look = call("read", '{"path": "dot.png", "offset": null, "limit": null}')
    with (
        ChatServer([sse(events([look])), said("A dot.")], api=RESPONSES) as server,
        ChatServer([Reply(text="Fine.")]) as other,
    ):
        at(home, "openai", server)
        home.run("-p", "look", "--model", "openai/gpt-5.5")
        assert b"input_image" in server.requests[1].raw
        entry = {"baseUrl": other.base_url, "api": "openai-completions", "apiKey": "k"}
        local = {**entry, "models": [{"id": "m", "contextWindow": 9000}]}
        write(home, "models.json", {"providers": {"acme": local}})
        done = home.run("-p", "y", "--continue", "--model", "acme/m")
        assert other.problems == ()
        raw = other.requests[0].raw
    assert done.stdout == "Fine.\n"
    assert b"image_url" not in raw
    assert b"(a picture, which this model cannot see)" in raw
