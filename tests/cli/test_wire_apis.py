"""`eukhe -p` over the other wire APIs: tools, leaked calls, repaired arguments, prices, keys."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.test_model import write
from tests.servers import anthropic, bedrock, google, mistral, responses
from tests.servers.chat import ChatServer

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.eukhe_process import Home
    from tests.servers.api import Api
    from tests.servers.script import Reply

KEY = "sk-very-secret-key"


@dataclass(frozen=True)
class Wire:
    """A wire API as these tests use it.

    Attributes:
        provider: A built-in provider that speaks it.
        model: A model of it.
        variable: Where its key is.
        api: Its server.
        text: Makes a reply of one text.
        call: Makes a reply of thinking and one call of `bash`, from its raw argument text.
        results: The texts of the results in a request, and whether each is an error.
        calls: The arguments of the calls in a request.
    """

    provider: str
    model: str
    variable: str
    api: Api
    text: Callable[[str], Reply]
    call: Callable[[str], Reply]
    results: Callable[[dict[str, Any]], list[tuple[str, bool]]]
    calls: Callable[[dict[str, Any]], list[Any]]


def _anthropic_blocks(body: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [b for m in body["messages"] for b in m["content"] if b["type"] == kind]


def _google_parts(body: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [p[kind] for c in body["contents"] for p in c["parts"] if kind in p]


def _converse_blocks(body: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [b[kind] for m in body["messages"] for b in m["content"] if kind in b]


def _items(body: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [item for item in body["input"] if item.get("type") == kind]


WIRES = {
    "anthropic-messages": Wire(
        "anthropic",
        "claude-haiku-4-5",
        "ANTHROPIC_API_KEY",
        anthropic.MESSAGES,
        lambda text: anthropic.said(anthropic.text(*text)),
        lambda arguments: anthropic.said(
            anthropic.thinking("hm", signature="c2ln"), anthropic.call("bash", arguments)
        ),
        lambda body: [
            (block["content"], block.get("is_error", False))
            for block in _anthropic_blocks(body, "tool_result")
        ],
        lambda body: [block["input"] for block in _anthropic_blocks(body, "tool_use")],
    ),
    "google-generative-ai": Wire(
        "google",
        "gemini-3-flash-preview",
        "GEMINI_API_KEY",
        google.GENERATE,
        lambda text: google.said(*map(google.part, text)),
        lambda arguments: google.said(
            google.thought("hm"), google.call("bash", json.loads(arguments), signature="c2ln")
        ),
        lambda body: [
            (
                one["response"].get("output", one["response"].get("error")),
                "error" in one["response"],
            )
            for one in _google_parts(body, "functionResponse")
        ],
        lambda body: [one["args"] for one in _google_parts(body, "functionCall")],
    ),
    "openai-responses": Wire(
        "openai",
        "gpt-5.5",
        "OPENAI_API_KEY",
        responses.RESPONSES,
        lambda text: responses.said(*text),
        lambda arguments: responses.sse(
            responses.events(
                [
                    responses.reasoning("hm", encrypted="c2ln"),
                    responses.call("bash", arguments),
                ]
            )
        ),
        lambda body: [(one["output"], False) for one in _items(body, "function_call_output")],
        lambda body: [json.loads(one["arguments"]) for one in _items(body, "function_call")],
    ),
    "mistral-conversations": Wire(
        "mistral",
        "magistral-medium-latest",
        "MISTRAL_API_KEY",
        mistral.MISTRAL,
        lambda text: mistral.said(*text),
        lambda arguments: mistral.said(
            [mistral.thinking("hm", signature="c2ln", closed=True)],
            calls=[mistral.call("bash", arguments)],
        ),
        lambda body: [(m["content"], False) for m in body["messages"] if m["role"] == "tool"],
        lambda body: [
            json.loads(call["function"]["arguments"])
            for message in body["messages"]
            for call in message.get("tool_calls", ())
        ],
    ),
    "bedrock-converse-stream": Wire(
        "amazon-bedrock",
        "us.anthropic.claude-opus-5-5",
        "AWS_BEARER_TOKEN_BEDROCK",
        bedrock.BEDROCK,
        lambda text: bedrock.said(bedrock.text(*text)),
        lambda arguments: bedrock.said(
            bedrock.thought("hm", signature="c2ln"), bedrock.call("bash", arguments)
        ),
        lambda body: [
            (one["content"][0]["text"], one["status"] == "error")
            for one in _converse_blocks(body, "toolResult")
        ],
        lambda body: [one["input"] for one in _converse_blocks(body, "toolUse")],
    ),
}


@pytest.fixture(params=WIRES)
def wire(request: pytest.FixtureRequest) -> Wire:
    return WIRES[request.param]


def point(home: Home, wire: Wire, server: ChatServer) -> tuple[str, ...]:
    """Point the built-in provider at the server, and return the options that choose its model."""
    write(home, "models.json", {"providers": {wire.provider: {"baseUrl": server.base_url}}})
    home.environ[wire.variable] = KEY
    return ("--model", f"{wire.provider}/{wire.model}")


def test_a_built_in_model_is_asked_at_the_address_of_models_json(home: Home, wire: Wire) -> None:
    with ChatServer([wire.text("hello")], api=wire.api) as server:
        done = home.run("-p", "hi", *point(home, wire, server), "--mode", "json")
        assert server.problems == ()
        header, before = wire.api.key
        assert server.requests[0].headers[header] == before + KEY
    assert (done.returncode, done.stderr) == (0, "")
    told = {event["type"]: event for event in map(json.loads, done.stdout.splitlines())}
    assert told["message_end"]["message"]["usage"]["cost"] > 0
    assert told["model"]["id"] == wire.model
    stored = home.journals()[0].read_text()
    assert KEY not in done.stdout + stored
    assert wire.model in stored


def test_a_tool_runs_and_its_thinking_goes_back_signed(home: Home, wire: Wire) -> None:
    call = wire.call('{"command": "echo ran"}')
    with ChatServer([call, wire.text("done"), wire.text("more")], api=wire.api) as server:
        options = point(home, wire, server)
        first = home.run("-p", "go", *options)
        second = home.run("-p", "again", "--continue")
        assert server.problems == ()
        bodies = [request.body for request in server.requests]
    assert (first.stdout, second.stdout) == ("done\n", "more\n")
    assert wire.results(bodies[1]) == [("ran", False)]
    assert wire.calls(bodies[2]) == [{"command": "echo ran"}]
    assert all("c2ln" in json.dumps(body) for body in bodies[1:])


def test_a_leaked_call_runs_as_a_call(home: Home, wire: Wire) -> None:
    leak = '<tool_call>\n{"name": "bash", "arguments": {"command": "echo leaked"}}\n</tool_call>'
    with ChatServer([wire.text(leak), wire.text("done")], api=wire.api) as server:
        done = home.run("-p", "go", *point(home, wire, server))
        assert server.problems == ()
        body = server.requests[1].body
    assert (done.returncode, done.stdout.endswith("\ndone\n")) == (0, True)
    assert wire.results(body) == [("leaked", False)]
    assert wire.calls(body) == [{"command": "echo leaked"}]
    assert "tool_call>" not in json.dumps(body)


def test_arguments_of_the_wrong_type_are_repaired(home: Home, wire: Wire) -> None:
    call = wire.call('{"command": "echo repaired", "timeout": "30"}')
    with ChatServer([call, wire.text("done")], api=wire.api) as server:
        done = home.run("-p", "go", *point(home, wire, server), "--mode", "json")
        assert server.problems == ()
        body = server.requests[1].body
    assert done.returncode == 0
    assert wire.results(body) == [("repaired", False)]
    assert '"argument_repaired"' in done.stdout


def test_another_provider_goes_on_with_the_conversation(home: Home) -> None:
    """Thinking of another model is dropped, and its calls go over with ids that the next server takes."""
    first, second = WIRES["google-generative-ai"], WIRES["anthropic-messages"]
    call = first.call('{"command": "echo ran"}')
    with (
        ChatServer([call, first.text("done"), first.text("back")], api=first.api) as one,
        ChatServer([second.text("over")], api=second.api) as other,
    ):
        providers = {
            wire.provider: {"baseUrl": server.base_url}
            for wire, server in ((first, one), (second, other))
        }
        write(home, "models.json", {"providers": providers})
        home.environ |= {wire.variable: KEY for wire in (first, second)}
        home.run("-p", "go", "--model", f"{first.provider}/{first.model}")
        home.run("-p", "now you", "--continue", "--model", f"{second.provider}/{second.model}")
        home.run("-p", "you again", "--continue", "--model", f"{first.provider}/{first.model}")
        assert one.problems == other.problems == ()
        bodies = [other.requests[0].body, one.requests[2].body]
    assert "c2ln" not in json.dumps(bodies[0])
    assert second.results(bodies[0]) == [("ran", False)]
    assert "c2ln" in json.dumps(bodies[1])
    assert first.calls(bodies[1]) == [{"command": "echo ran"}]


def test_vertex_is_asked_with_the_token_of_an_account(home: Home) -> None:
    from tests.wire.test_google_vertex import GIVEN, PLACE, TOKENS, USER, VERTEX

    with (
        ChatServer([GIVEN], api=TOKENS) as tokens,
        ChatServer([google.said(google.part("hi"))], api=VERTEX) as server,
    ):
        write(home, "models.json", {"providers": {"google-vertex": {"baseUrl": server.base_url}}})
        adc = home.root / "adc.json"
        adc.write_text(json.dumps({**USER, "token_uri": tokens.base_url}))
        home.environ |= {
            "GOOGLE_APPLICATION_CREDENTIALS": str(adc),
            "GOOGLE_CLOUD_PROJECT": "p-1",
            "GOOGLE_CLOUD_LOCATION": "europe-west1",
        }
        done = home.run("-p", "hi", "--model", "google-vertex/gemini-3-flash-preview")
        assert tokens.problems == server.problems == ()
        assert server.requests[0].path.startswith(PLACE)
    assert (done.returncode, done.stdout, done.stderr) == (0, "hi\n", "")


def test_the_users_thinking_budget_is_sent(home: Home) -> None:
    wire = WIRES["anthropic-messages"]
    with ChatServer([wire.text("a"), wire.text("b")], api=wire.api) as server:
        options = point(home, wire, server)
        home.run("-p", "x", *options, "--thinking", "low")
        write(home, "settings.json", {"thinkingBudgets": {"low": 4321}})
        home.run("-p", "x", *options, "--thinking", "low")
        assert server.problems == ()
        thinking = [request.body["thinking"] for request in server.requests]
    assert [one["budget_tokens"] for one in thinking] == [2048, 4321]


def test_a_cache_for_an_hour_is_asked_for_and_its_price_is_told(home: Home) -> None:
    wire = WIRES["anthropic-messages"]
    million = 1_000_000
    start = {
        "input_tokens": 0,
        "output_tokens": 0,
        "cache_creation_input_tokens": million,
        "cache_creation": {"ephemeral_1h_input_tokens": million},
    }
    reply = anthropic.said(anthropic.text("a"), start=start, usage={"output_tokens": 0})
    with ChatServer([reply], api=wire.api) as server:
        write(home, "settings.json", {"promptCache": "long"})
        done = home.run("-p", "x", *point(home, wire, server), "--mode", "json")
        marks = json.dumps(server.requests[0].body).count('"ttl": "1h"')
    told = {event["type"]: event for event in map(json.loads, done.stdout.splitlines())}
    usage = told["message_end"]["message"]["usage"]
    assert (marks, usage["cacheWrite1h"]) == (3, million)
    assert usage["cost"] == pytest.approx(2.0)  # twice the input of 1 dollar a million


def test_a_refusal_says_what_the_server_said_and_no_key(home: Home, wire: Wire) -> None:
    from tests.servers.script import Script

    script = Script((wire.text("hi"),), key="another")
    with ChatServer(script, api=wire.api) as server:
        done = home.run("-p", "hi", *point(home, wire, server))
    assert done.returncode == 1
    assert "Incorrect API key provided" in done.stderr
    assert KEY not in done.stdout + done.stderr
