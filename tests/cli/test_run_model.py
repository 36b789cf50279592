"""`eukhe -p` with a model of the catalog or of `models.json`: what is sent, shown, stored and paid (S6, S10)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.test_model import write
from tests.servers.chat import Call, ChatServer, Reply, delta

if TYPE_CHECKING:
    from tests.cli.eukhe_process import Home

QWEN = {
    "id": "qwen3.8-27b",
    "reasoning": True,
    "contextWindow": 32_000,
    "cost": {"input": 1, "output": 2},
}


def acme(home: Home, server: ChatServer, **more: object) -> None:
    entry = {
        "baseUrl": server.base_url,
        "api": "openai-completions",
        "apiKey": "$ACME_KEY",
        "models": [QWEN, {"id": "plain", "contextWindow": 9000}],
        **more,
    }
    write(home, "models.json", {"providers": {"acme": entry}})
    home.environ["ACME_KEY"] = "sk-acme"


def events(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


def test_a_model_of_models_json_is_asked_at_its_address_with_its_key_and_level(home: Home) -> None:
    with ChatServer([Reply(text="hi", usage=(1_000_000, 500_000))]) as server:
        acme(home, server, headers={"X-Team": "$ACME_KEY-team"})
        done = home.run("-p", "x", "--model", "acme/qwen3.8-27b:xhigh", "--mode", "json")
        request = server.requests[0]
    assert (done.returncode, done.stderr) == (0, "")
    assert request.headers["authorization"] == "Bearer sk-acme"
    assert request.headers["x-team"] == "sk-acme-team"
    assert request.body["model"] == "qwen3.8-27b"
    assert request.body["reasoning_effort"] == "xhigh"
    assert request.body["chat_template_kwargs"]["enable_thinking"] is True
    assert "store" not in request.body
    assert "max_completion_tokens" not in request.body
    assert request.body["messages"][0]["role"] == "system"
    told = {event["type"]: event for event in events(done.stdout)}
    assert told["model"] == {
        "type": "model",
        "provider": "acme",
        "id": "qwen3.8-27b",
        "thinkingLevel": "xhigh",
        "availableThinkingLevels": ["off", "low", "medium", "xhigh"],
        "serviceTier": None,
        "availableServiceTiers": ["default"],
    }
    assert told["message_end"]["message"]["usage"]["cost"] == pytest.approx(2.0)
    assert "sk-acme" not in done.stdout
    stored = (next(home.sessions.iterdir()) / "main.jsonl").read_text()
    assert "sk-acme" not in stored
    assert '"cost":2' in stored


def test_a_level_that_is_not_offered_moves_to_one_that_is_and_is_shown_as_sent(home: Home) -> None:
    with ChatServer([Reply(text="a"), Reply(text="b"), Reply(text="c")]) as server:
        acme(home, server)
        first = home.run("-p", "x", "--model", "qwen3.8", "--thinking", "high", "--mode", "json")
        home.run("-p", "y", "--continue")
        home.run("-p", "z", "--continue", "--thinking", "minimal")
        efforts = [request.body["reasoning_effort"] for request in server.requests]
    assert efforts == ["xhigh", "xhigh", "low"]
    assert events(first.stdout)[1]["thinkingLevel"] == "xhigh"


def test_a_new_session_settles_on_the_default_level(home: Home) -> None:
    with ChatServer([Reply(text="a"), Reply(text="b")]) as server:
        acme(home, server)
        home.run("-p", "x", "--model", "qwen3.8")
        write(home, "settings.json", {"defaultThinkingLevel": "off"})
        home.run("-p", "x", "--model", "qwen3.8")
        efforts = [request.body["reasoning_effort"] for request in server.requests]
    assert efforts == ["medium", "none"]


def test_a_switch_of_the_model_keeps_the_level_where_it_is_offered(home: Home) -> None:
    with ChatServer([Reply(text="a"), Reply(text="b"), Reply(text="c")]) as server:
        acme(home, server)
        home.run("-p", "x", "--model", "qwen3.8:low")
        done = home.run("-p", "y", "--continue", "--model", "acme/plain", "--mode", "json")
        bodies = [request.body for request in server.requests]
    assert (bodies[0]["reasoning_effort"], "reasoning_effort" in bodies[1]) == ("low", False)
    assert bodies[1]["model"] == "plain"
    assert events(done.stdout)[1]["availableThinkingLevels"] == ["off"]


def test_the_saved_default_is_used_without_a_model(home: Home) -> None:
    with ChatServer([Reply(text="hi")]) as server:
        acme(home, server)
        write(home, "settings.json", {"defaultProvider": "acme", "defaultModel": "plain"})
        done = home.run("-p", "x")
        assert server.requests[0].body["model"] == "plain"
    assert (done.returncode, done.stdout, done.stderr) == (0, "hi\n", "")


def test_a_saved_default_that_is_gone_is_told_in_a_row_and_replaced(home: Home) -> None:
    with ChatServer([Reply(text="hi")]) as server:
        write(home, "models.json", {"providers": {"groq": {"baseUrl": server.base_url}}})
        write(home, "settings.json", {"defaultProvider": "groq", "defaultModel": "gone"})
        home.environ["GROQ_API_KEY"] = "sk-g"
        done = home.run("-p", "x")
        body = server.requests[0].body
    assert done.returncode == 0
    assert (
        "The saved default model groq/gone is not used, because the catalog does not have it: "
        "this session runs on groq/openai/gpt-oss-120b." in done.stderr
    )
    assert (body["model"], body["reasoning_effort"]) == ("openai/gpt-oss-120b", "medium")
    rows = [kind for kind, _ in home.rows()]
    assert rows[0] == "eukhe.default_model"
    assert [message["role"] for message in body["messages"]] == ["developer", "user"]


def test_a_saved_default_without_a_key_never_moves(home: Home) -> None:
    home.environ["XAI_API_KEY"] = "sk-x"
    write(home, "settings.json", {"defaultProvider": "groq", "defaultModel": "openai/gpt-oss-20b"})
    done = home.run("-p", "x")
    assert done.returncode == 1
    assert "because its provider has no credentials: this session has no model." in done.stderr
    assert "run `eukhe auth set groq`" in done.stderr
    assert [kind for kind, _ in home.rows()] == ["eukhe.default_model"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--model", "acme/qwen3.8-27b", "--thinking", "huge"),
            "--thinking: there is no level huge",
        ),
        (
            ("--model", "acme/qwen3.8-27b", "--tier", "flex"),
            "acme/qwen3.8-27b honours default, not flex",
        ),
        (("--model", "groq/openai/gpt-oss-20b"), "there are no credentials for groq"),
        (
            ("--model", "anthropic/claude-opus-55"),
            "there is no model anthropic/claude-opus-55; did you",
        ),
        (("--model", "gpt-5.5"), "gpt-5.5 names more than one model, write one of: "),
    ],
)
def test_what_cannot_be_run_is_said_before_a_session_is_made(
    arguments: tuple[str, ...], message: str, home: Home
) -> None:
    with ChatServer([]) as server:
        acme(home, server)
        done = home.run("-p", "x", *arguments)
        assert server.requests == []
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert not home.sessions.exists()


def test_a_key_whose_command_fails_shows_its_errors(home: Home) -> None:
    with ChatServer([]) as server:
        acme(home, server, apiKey="!echo sk-leak; echo the vault is locked >&2; exit 1")
        done = home.run("-p", "x", "--model", "acme/plain")
    assert done.returncode == 2
    assert "providers.acme.apiKey: the command for it ended with 1" in done.stderr
    assert "the vault is locked" in done.stderr
    assert "sk-leak" not in done.stderr


def test_the_tools_do_not_see_the_key(home: Home) -> None:
    calls = [Call("bash", {"command": "echo key=$ACME_KEY odd=$ODDLY_NAMED"})]
    with ChatServer([Reply(calls=calls), Reply(text="ok")]) as server:
        acme(home, server, apiKey="$ODDLY_NAMED")
        home.environ["ODDLY_NAMED"] = "sk-odd"
        home.run("-p", "x", "--model", "acme/plain")
        results = [m["content"] for m in server.requests[1].body["messages"] if m["role"] == "tool"]
    assert results == ["key= odd="]


def test_no_server_sees_what_models_json_names_for_another(home: Home) -> None:
    names = ("IN_A_HEADER", "OF_A_MODEL", "OF_AN_OTHER", "OF_A_CHANGE")
    home.environ |= dict.fromkeys(names, "sk-odd") | {"SHOWN": "yes"}
    command = {"command": "echo $SHOWN; env | grep sk-odd"}
    replies = [Reply(calls=[Call("bash", command)]), Reply(text="ok")]
    with ChatServer(replies + replies) as server:
        acme(home, server, headers={"X-Auth": "Bearer ${IN_A_HEADER}"})
        path = home.root / "home" / ".eukhe" / "models.json"
        document = json.loads(path.read_text())
        document["providers"]["acme"]["models"][0]["headers"] = {"X": "$OF_A_MODEL"}
        document["providers"]["openai"] = {
            "apiKey": "OF_AN_OTHER",
            "modelOverrides": {"gpt-5": {"headers": {"X": "$OF_A_CHANGE"}}},
        }
        path.write_text(json.dumps(document))
        home.run("-p", "x", "--model", "acme/plain")
        home.run("-p", "x", "--model", "m", "--base-url", server.base_url)
        sent = [request.body["messages"][-1] for request in server.requests[1::2]]
    assert [m["content"] for m in sent] == ["yes\n[exit code 1]"] * 2


def test_a_bad_entry_of_models_json_is_told_and_the_others_run(home: Home) -> None:
    with ChatServer([Reply(text="hi")]) as server:
        acme(home, server)
        document = json.loads((home.root / "home/.eukhe/models.json").read_text())
        document["providers"]["bad"] = {"baseUrl": 5, "models": []}
        write(home, "models.json", document)
        done = home.run("-p", "x", "--model", "acme/plain")
    assert done.returncode == 0
    assert "models.json: providers.bad.baseUrl: expected a text" in done.stderr
    assert [kind for kind, _ in home.rows()] == ["eukhe.settings_error", "user", "assistant"]


def test_a_model_that_two_families_match_is_told_once(home: Home) -> None:
    with ChatServer([Reply(text="hi")]) as server:
        rows = [{"id": "claude-opus-5-gemma-4-merge", "contextWindow": 9000}]
        acme(home, server, models=rows)
        done = home.run("-p", "x", "--model", "acme/claude-opus-5-gemma-4-merge")
    assert done.stdout == "hi\n"
    assert done.stderr.count("the families claude-adaptive and gemma-4 both match") == 1


def test_a_server_that_is_named_by_its_address_gets_the_level_that_was_asked_for(
    home: Home,
) -> None:
    with ChatServer([Reply(text="a"), Reply(text="b"), Reply(text="c")]) as server:
        own = ("--base-url", server.base_url, "--model", "m")
        home.run("-p", "x", *own, "--thinking", "low")
        home.run("-p", "y", "--continue")
        home.run("-p", "z", *own)
        efforts = [request.body.get("reasoning_effort") for request in server.requests]
    assert efforts == ["low", "low", None]


@pytest.mark.parametrize("name", ["acme/plain", "Acme/plain"])
def test_a_session_leaves_its_own_server_for_a_provider_of_models_json(
    home: Home, name: str
) -> None:
    with ChatServer([Reply(text="a")]) as own, ChatServer([Reply(text="b")]) as server:
        home.run("-p", "x", "--base-url", own.base_url, "--model", "m")
        acme(home, server)
        done = home.run("-p", "y", "--continue", "--model", name)
        assert (done.returncode, done.stdout, done.stderr) == (0, "b\n", "")
        assert [request.body["model"] for request in server.requests] == ["plain"]
        assert len(own.requests) == 1


def test_the_progress_of_a_prompt_is_told_where_the_server_tells_it(home: Home) -> None:
    told = {"total": 10, "cache": 4, "processed": 7, "time_ms": 3}
    chunks = [
        delta({"role": "assistant", "content": None}, prompt_progress=told),
        delta({"content": "ok"}, finish="stop"),
    ]
    with ChatServer([Reply(chunks=chunks)]) as server:
        acme(home, server, compat={"supportsPromptProgress": True})
        done = home.run("-p", "x", "--model", "acme/plain", "--mode", "json")
        assert server.requests[0].body["return_progress"] is True
    kinds = [event["type"] for event in events(done.stdout)]
    assert kinds.index("prompt_progress") < kinds.index("message_update")
    (progress,) = (event for event in events(done.stdout) if event["type"] == "prompt_progress")
    wanted = {"type": "prompt_progress", "total": 10, "cache": 4, "processed": 7, "timeMs": 3}
    assert progress == wanted
