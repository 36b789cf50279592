"""`count_tokens`: the whole conversation is counted, by the server itself (S6.7)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from eukhe.wire.capabilities.count_tokens import CountTokens, TokenCount, count_tokens
from eukhe.wire.errors import ErrorKind
from eukhe.wire.messages import (
    AssistantMessage,
    ImageBlock,
    Origin,
    SystemMessage,
    TextBlock,
    ThinkingBlock,
    ToolCall,
    ToolResultMessage,
    ToolSpec,
    UserMessage,
)
from tests.servers.operations import Answer, Asked, OperationServer, Routes
from tests.wire.capabilities.cases import failure, run, site

CALL = ToolCall("call_1", "ls", '{"path": "."}')
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}
TALK = (
    SystemMessage("Be brief."),
    UserMessage((TextBlock("What is in"), TextBlock(" here?"))),
    AssistantMessage((TextBlock("Let me look."), CALL)),
    ToolResultMessage.of(CALL, "a.txt", is_error=True),
    UserMessage.of("And now?"),
)
WHOLE = CountTokens("m", TALK, (ToolSpec("ls", "Lists.", SCHEMA),))
PICTURE = CountTokens("m", (UserMessage((ImageBlock("aGk=", "image/png"),)),))


def count(dialect: str, base: str, what: CountTokens, routes: Routes) -> tuple[int, list[Asked]]:
    with OperationServer(routes) as server:
        return run(count_tokens(dialect, site(server, base), what)).tokens, server.asked


def test_openai_counts_input_items_and_tools() -> None:
    routes = {"POST /v1/responses/input_tokens": Answer({"input_tokens": 41})}
    found, (asked,) = count("openai", "/v1", WHOLE, routes)
    assert found == 41
    system, first, *items, last = asked.body["input"]
    assert system["content"] == "Be brief."
    assert [part["text"] for part in first["content"]] == ["What is in", " here?"]
    assert [item["type"] for item in items] == ["message", "function_call", "function_call_output"]
    assert items[1]["call_id"] == items[2]["call_id"] == "call_1"
    assert last["content"] == [{"type": "input_text", "text": "And now?"}]
    (tool,) = asked.body["tools"]
    assert (tool["type"], tool["name"]) == ("function", "ls")
    assert list(tool["parameters"]["properties"]) == ["path"]


def test_anthropic_counts_blocks_system_and_tools() -> None:
    routes = {"POST /v1/messages/count_tokens": Answer({"input_tokens": 42})}
    for base in ("", "/v1"):
        found, (asked,) = count("anthropic", base, WHOLE, routes)
        assert found == 42
    assert [block["text"] for block in asked.body["system"]] == ["Be brief."]
    assert [row["role"] for row in asked.body["messages"]] == ["user", "assistant", "user"]
    use = asked.body["messages"][1]["content"][1]
    assert use == {"type": "tool_use", "id": "call_1", "name": "ls", "input": {"path": "."}}
    result, text = asked.body["messages"][2]["content"]
    assert (result["tool_use_id"], result["content"], result["is_error"]) == (
        "call_1",
        "a.txt",
        True,
    )
    assert text["text"] == "And now?"
    (tool,) = asked.body["tools"]
    assert {**tool, "cache_control": None} == {
        "name": "ls",
        "description": "Lists.",
        "input_schema": SCHEMA,
        "cache_control": None,
    }


def test_google_counts_contents_system_and_tools() -> None:
    routes = {"POST /v1beta/models/m:countTokens": Answer({"totalTokens": 43})}
    found, (asked,) = count("google", "/v1beta", WHOLE, routes)
    assert found == 43
    request = asked.body["generateContentRequest"]
    assert request["model"] == "models/m"
    assert request["systemInstruction"] == {"parts": [{"text": "Be brief."}]}
    assert [one["role"] for one in request["contents"]] == ["user", "model", "user", "user"]
    assert request["contents"][1]["parts"][1] == {
        "functionCall": {"name": "ls", "args": {"path": "."}}
    }
    response = {"name": "ls", "response": {"error": "a.txt"}}
    assert request["contents"][2]["parts"] == [{"functionResponse": response}]
    (tool,) = request["tools"]
    assert tool["functionDeclarations"][0]["parametersJsonSchema"] == SCHEMA


def test_google_counts_pictures_of_users_and_of_results() -> None:
    picture = ImageBlock("aGk=", "image/png")
    result = ToolResultMessage("call_1", "ls", (TextBlock("see"), picture))
    talk = (UserMessage((picture,)), AssistantMessage((CALL,)), result)
    routes = {"POST /v1beta/models/m:countTokens": Answer({"totalTokens": 1})}
    _, (asked,) = count("google", "/v1beta", CountTokens("m", talk), routes)
    first, _, answered, after = asked.body["generateContentRequest"]["contents"]
    inline = {"inlineData": {"mimeType": "image/png", "data": "aGk="}}
    assert first["parts"] == after["parts"] == [inline]
    assert answered["parts"][0]["functionResponse"]["response"] == {"output": "see"}


def test_vertex_takes_the_request_itself() -> None:
    base = "/v1/projects/p/locations/l/publishers/google"
    routes = {f"POST {base}/models/m:countTokens": Answer({"totalTokens": 46})}
    found, (asked,) = count("vertex", base, WHOLE, routes)
    assert found == 46
    assert set(asked.body) == {"contents", "systemInstruction", "tools"}
    assert asked.headers["x-goog-api-key"]


@pytest.mark.parametrize(
    ("model", "asked_for"),
    [
        ("us.anthropic.claude-opus-5", "anthropic.claude-opus-5"),
        ("us-gov.anthropic.claude-opus-5", "anthropic.claude-opus-5"),
        ("anthropic.claude-3-haiku-20240307-v1:0", "anthropic.claude-3-haiku-20240307-v1%3A0"),
        ("amazon.nova-pro", "amazon.nova-pro"),
    ],
)
def test_bedrock_counts_for_a_model_and_not_for_a_profile_of_regions(
    model: str, asked_for: str
) -> None:
    routes = {f"POST /model/{asked_for}/count-tokens": Answer({"inputTokens": 47})}
    found, (asked,) = count("bedrock", "", replace(WHOLE, model=model), routes)
    assert found == 47
    converse = asked.body["input"]["converse"]
    assert set(converse) == {"messages", "system", "toolConfig"}
    assert converse["system"] == [{"text": "Be brief."}]
    assert [row["role"] for row in converse["messages"]] == ["user", "assistant", "user"]
    assert converse["toolConfig"]["tools"][0]["toolSpec"]["name"] == "ls"


def test_the_thinking_of_the_providers_own_replies_counts() -> None:
    thought = ThinkingBlock("Hm.", replay='{"signature": "sig"}')
    reply = AssistantMessage(
        (thought, TextBlock("Yes.")), origin=Origin("anthropic-messages", "anthropic", "m")
    )
    talk = (UserMessage.of("?"), reply, UserMessage.of("Sure?"))
    routes = {"POST /v1/messages/count_tokens": Answer({"input_tokens": 5})}
    for provider, expected in (("anthropic", ["thinking", "text"]), ("other", ["text"])):
        _, (asked,) = count("anthropic", "", CountTokens("m", talk, provider=provider), routes)
        assert [block["type"] for block in asked.body["messages"][1]["content"]] == expected


def test_llama_cpp_counts_a_chat() -> None:
    routes = {"POST /v1/chat/completions/input_tokens": Answer({"input_tokens": 44})}
    found, (asked,) = count("llama-cpp", "/v1", WHOLE, routes)
    assert found == 44
    assert list(asked.body) == ["model", "messages", "tools"]
    roles = [row["role"] for row in asked.body["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "user"]


def test_an_older_llama_cpp_writes_the_prompt_and_its_tokens_are_counted() -> None:
    routes = {
        "POST /apply-template": Answer({"prompt": "<s>Be brief."}),
        "POST /tokenize": Answer({"tokens": [1, 2, 3]}),
    }
    found, asked = count("llama-cpp", "/v1", WHOLE, routes)
    assert found == 3
    assert [one.path for one in asked] == [
        "/v1/chat/completions/input_tokens",
        "/apply-template",
        "/tokenize",
    ]
    assert asked[2].body == {
        "model": "m",
        "content": "<s>Be brief.",
        "add_special": True,
        "parse_special": True,
    }


def test_a_llama_cpp_that_fails_is_not_asked_in_another_way() -> None:
    loading = {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}
    with OperationServer({"*": Answer(loading, 503)}) as server:
        error = failure(count_tokens("llama-cpp", site(server, "/v1"), WHOLE))
        assert len(server.asked) == 1
    assert error.kind is ErrorKind.OVERLOADED


def test_vllm_counts_the_tokens_of_the_messages() -> None:
    routes = {"POST /tokenize": Answer({"count": 45, "max_model_len": 9, "tokens": []})}
    found, (asked,) = count("vllm", "/v1", WHOLE, routes)
    assert found == 45
    assert list(asked.body) == ["model", "messages", "tools", "add_generation_prompt"]
    assert asked.body["add_generation_prompt"] is True


@pytest.mark.parametrize("dialect", ["vllm", "llama-cpp"])
def test_pictures_are_refused_where_only_their_places_would_count(dialect: str) -> None:
    with OperationServer({}) as server:
        error = failure(count_tokens(dialect, site(server, "/v1"), PICTURE))
        assert all(one.path != "/tokenize" for one in server.asked)
    assert error.kind is ErrorKind.INVALID_REQUEST
    assert error.message == "this server cannot count the tokens of pictures"


def test_a_newer_llama_cpp_counts_pictures() -> None:
    routes = {"POST /v1/chat/completions/input_tokens": Answer({"input_tokens": 300})}
    assert count("llama-cpp", "/v1", PICTURE, routes)[0] == 300


@pytest.mark.parametrize("value", [None, "7", -1, 1.5, True, [7]])
def test_a_count_that_is_none_is_refused(value: object) -> None:
    with OperationServer({"*": Answer({"input_tokens": value, "count": value})}) as server:
        for dialect in ("openai", "anthropic", "vllm"):
            error = failure(count_tokens(dialect, site(server, "/v1"), WHOLE))
            assert error.kind is ErrorKind.PROTOCOL
            assert error.message == "the server answered with something else than a count of tokens"


def test_no_tokens_are_a_count() -> None:
    routes = {"POST /v1/responses/input_tokens": Answer({"input_tokens": 0})}
    with OperationServer(routes) as server:
        found = run(count_tokens("openai", site(server, "/v1"), CountTokens("m", ())))
    assert found == TokenCount(0)
