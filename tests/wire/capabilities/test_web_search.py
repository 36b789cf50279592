"""`web_search`: answers with their sources, in each provider's own shape (S6.7)."""

from __future__ import annotations

import pytest

from eukhe.wire.capabilities.web_search import SearchResult, Source, WebSearch, web_search
from eukhe.wire.errors import ErrorKind, WireError
from tests.servers.operations import Answer, Asked, OperationServer
from tests.wire.capabilities.cases import failure, run, site

NEWS = WebSearch("m", "what is new?")
NARROW = WebSearch("m", "what is new?", ("a.example",), 3, 100)
A, B = "https://a.example/1", "https://b.example/2"


def ask(
    dialect: str, base: str, what: WebSearch, *answers: object
) -> tuple[SearchResult, list[Asked]]:
    left = [Answer(one) for one in answers]
    with OperationServer({"*": lambda _: left.pop(0)}) as server:
        return run(web_search(dialect, site(server, base), what)), server.asked


def refused(dialect: str, answer: object, what: WebSearch = NEWS) -> WireError:
    with OperationServer({"*": Answer(answer)}) as server:
        return failure(web_search(dialect, site(server, "/v1"), what))


def test_openai_gives_citations_first_then_every_source_once() -> None:
    cited = {"type": "url_citation", "url": A, "title": "A", "start_index": 0, "end_index": 4}
    search = {
        "type": "search",
        "queries": ["new", "news"],
        "sources": [{"type": "url", "url": B}, {"url": A}],
    }
    opened = {"type": "open_page", "url": A}
    output = [
        {"type": "reasoning", "summary": []},
        {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": search},
        {"type": "web_search_call", "id": "ws_2", "status": "completed", "action": opened},
        {
            "type": "message",
            "content": [{"type": "output_text", "text": "This.", "annotations": [cited]}],
        },
    ]
    answer = {"status": "completed", "error": None, "output": output}
    found, (asked,) = ask("openai", "/v1", NARROW, answer)
    assert found == SearchResult("This.", (Source(A, "A"), Source(B)), ("new", "news"))
    assert asked.body == {
        "model": "m",
        "input": "what is new?",
        "tools": [{"type": "web_search", "filters": {"allowed_domains": ["a.example"]}}],
        "tool_choice": {"type": "web_search"},
        "include": ["web_search_call.action.sources"],
        "max_output_tokens": 100,
        "store": False,
    }
    cut, _ = ask("openai", "/v1", NEWS, {**answer, "status": "incomplete"})
    assert cut.cut


def use(query: str) -> dict[str, object]:
    return {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": query}}


def results(*rows: object) -> dict[str, object]:
    return {"type": "web_search_tool_result", "tool_use_id": "s1", "content": list(rows)}


def page(url: str, title: str) -> dict[str, object]:
    return {"type": "web_search_result", "url": url, "title": title, "encrypted_content": "x"}


def test_anthropic_goes_on_after_a_pause_with_all_that_came() -> None:
    citation = {
        "type": "web_search_result_location",
        "url": B,
        "title": "B",
        "cited_text": "it is so",
    }
    first = [use("new"), results(page(A, "A"), page(B, "B"))]
    second = [
        {"type": "text", "text": "This", "citations": [citation]},
        {"type": "text", "text": "."},
    ]
    found, asked = ask(
        "anthropic",
        "",
        NARROW,
        {"stop_reason": "pause_turn", "content": first},
        {"stop_reason": "end_turn", "content": second},
    )
    assert found == SearchResult("This.", (Source(B, "B", "it is so"), Source(A, "A")), ("new",))
    assert [one.path for one in asked] == ["/v1/messages", "/v1/messages"]
    tool = {"type": "web_search_20250305", "name": "web_search"}
    assert asked[0].body["tools"] == [{**tool, "allowed_domains": ["a.example"], "max_uses": 3}]
    assert asked[0].body["max_tokens"] == 100
    assert asked[1].body["messages"] == [
        {"role": "user", "content": "what is new?"},
        {"role": "assistant", "content": first},
    ]


def test_a_model_that_pauses_without_end_is_left() -> None:
    with OperationServer(
        {"*": Answer({"stop_reason": "pause_turn", "content": [use("x")]})}
    ) as server:
        error = failure(web_search("anthropic", site(server, ""), NEWS))
        assert len(server.asked) == 8
    assert error.kind is ErrorKind.SERVER


@pytest.mark.parametrize(
    ("code", "kind"),
    [("too_many_requests", ErrorKind.RATE_LIMIT), ("unavailable", ErrorKind.SERVER)],
)
def test_a_search_that_failed_is_an_error_unless_another_one_found_something(
    code: str, kind: ErrorKind
) -> None:
    failed = {
        "type": "web_search_tool_result",
        "content": {"type": "web_search_tool_result_error", "error_code": code},
    }
    error = refused("anthropic", {"stop_reason": "end_turn", "content": [use("x"), failed]})
    assert (error.kind, error.code) == (kind, code)
    content = [use("x"), failed, use("y"), results(page(A, "A")), {"type": "text", "text": "T"}]
    found, _ = ask("anthropic", "", NEWS, {"stop_reason": "max_tokens", "content": content})
    assert found == SearchResult("T", (Source(A, "A"),), ("x", "y"), cut=True)


def test_google_grounds_its_answer() -> None:
    ground = {
        "webSearchQueries": ["new"],
        "groundingChunks": [{"web": {"uri": A, "title": "a.example"}}, {"retrievedContext": {}}],
        "groundingSupports": [{"segment": {"text": "This."}, "groundingChunkIndices": [0]}],
    }
    parts = [{"text": "Hm.", "thought": True}, {"text": "This."}]
    candidate = {"content": {"parts": parts}, "finishReason": "STOP", "groundingMetadata": ground}
    found, (asked,) = ask("google", "/v1beta", NEWS, {"candidates": [candidate]})
    assert found == SearchResult("This.", (Source(A, "a.example"),), ("new",))
    assert asked.path == "/v1beta/models/m:generateContent"
    assert asked.body["tools"] == [{"googleSearch": {}}]
    candidate["finishReason"] = "MAX_TOKENS"
    assert ask("google", "", NEWS, {"candidates": [candidate]})[0].cut


def test_openrouter_gives_citations_with_what_the_pages_say() -> None:
    def citation(url: str, **more: object) -> dict[str, object]:
        return {"type": "url_citation", "url_citation": {"url": url, **more}}

    annotations = [citation(A, title="A"), citation(B), citation(A, content="text of A")]
    message = {"role": "assistant", "content": "This.", "annotations": annotations}
    answer = {"choices": [{"finish_reason": "stop", "message": message}]}
    found, (asked,) = ask("openrouter", "/api/v1", NARROW, answer)
    assert found == SearchResult("This.", (Source(A, "A", "text of A"), Source(B)))
    assert asked.body["tools"] == [
        {
            "type": "openrouter:web_search",
            "parameters": {"max_results": 3, "allowed_domains": ["a.example"]},
        }
    ]
    _, (asked,) = ask("openrouter", "/api/v1", NEWS, answer)
    assert asked.body["tools"] == [{"type": "openrouter:web_search"}]
    answer["choices"][0]["finish_reason"] = "length"
    assert ask("openrouter", "/api/v1", NEWS, answer)[0].cut


def test_mistral_gives_references_among_the_text() -> None:
    content = [
        {"type": "text", "text": "This"},
        {
            "type": "tool_reference",
            "tool": "web_search",
            "title": "A",
            "url": A,
            "description": "d",
        },
        {"type": "text", "text": "."},
    ]
    outputs = [
        {"type": "tool.execution", "name": "web_search"},
        {"type": "message.output", "content": content},
    ]
    found, (asked,) = ask("mistral", "", NEWS, {"outputs": outputs})
    assert found == SearchResult("This.", (Source(A, "A", "d"),), ("what is new?",))
    assert asked.path == "/v1/conversations"
    assert asked.body["store"] is False


def test_ollama_lists_pages_without_an_answer() -> None:
    rows = [{"title": "A", "url": A, "content": "x"}, {"title": "B", "url": B, "content": "y"}]
    found, (asked,) = ask("ollama", "", WebSearch("", "new", max_results=2), {"results": rows})
    assert found == SearchResult("", (Source(A, "A", "x"), Source(B, "B", "y")), ("new",))
    assert asked.path == "/api/web_search"
    assert asked.body == {"query": "new", "max_results": 2}
    none, _ = ask("ollama", "", NEWS, {"results": []})
    assert none.sources == ()


@pytest.mark.parametrize(
    ("dialect", "answer"),
    [
        ("openai", {"output": [{"type": "message", "content": [{"type": "output_text", "text": "I guess."}]}]}),
        ("anthropic", {"content": [{"type": "text", "text": "I guess."}]}),
        ("google", {"candidates": [{"content": {"parts": [{"text": "I guess."}]}}]}),
        ("openrouter", {"choices": [{"message": {"content": "I guess."}}]}),
        ("mistral", {"outputs": [{"type": "message.output", "content": "I guess."}]}),
    ],
)  # fmt: skip
def test_an_answer_without_a_search_is_no_search(dialect: str, answer: object) -> None:
    error = refused(dialect, answer)
    assert error.kind is ErrorKind.PROTOCOL
    assert error.message == "the model answered without a web search: 'I guess.'"


@pytest.mark.parametrize(
    ("dialect", "answer"),
    [
        ("anthropic", {"stop_reason": "refusal", "content": []}),
        ("google", {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}),
    ],
)
def test_a_question_that_is_refused_is_a_refusal(dialect: str, answer: object) -> None:
    assert refused(dialect, answer).kind is ErrorKind.SAFETY


@pytest.mark.parametrize("dialect", ["google", "mistral", "ollama"])
def test_domains_that_a_search_cannot_be_held_to_are_refused(dialect: str) -> None:
    with OperationServer({}) as server:
        error = failure(web_search(dialect, site(server, ""), NARROW))
        assert server.asked == []
    assert error.kind is ErrorKind.INVALID_REQUEST
    assert error.message == "this provider's search cannot be held to domains"
