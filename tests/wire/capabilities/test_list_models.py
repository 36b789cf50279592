"""`list_models`: what each provider's list says of a model, and lists of many pages (S6.7)."""

from __future__ import annotations

import pytest

from eukhe.wire.capabilities.list_models import Listed, ListPrices, list_models
from eukhe.wire.errors import ErrorKind
from tests.servers.operations import Answer, Asked, OperationServer, Routes
from tests.wire.capabilities.cases import failure, run, site


def listed(dialect: str, base: str, routes: Routes) -> tuple[Listed, ...]:
    with OperationServer(routes) as server:
        return run(list_models(dialect, site(server, base)))


def page(*rows: object) -> Answer:
    return Answer({"object": "list", "data": list(rows)})


def test_openai_lists_ids_and_vllm_its_window() -> None:
    rows = ({"id": "gpt-5.5", "owned_by": "x"}, {"id": "v", "max_model_len": 4096, "root": "v"})
    assert listed("openai", "/v1", {"GET /v1/models": page(*rows)}) == (
        Listed("gpt-5.5"),
        Listed("v", context_window=4096),
    )


@pytest.mark.parametrize("key", ["max_model_len", "context_window", "context_length"])
def test_the_window_is_read_under_each_name_that_servers_have_for_it(key: str) -> None:
    row = {"id": "m", "name": "M", key: 4096, "max_completion_tokens": 512}
    assert listed("openai", "/v1", {"GET /v1/models": page(row)}) == (Listed("m", "M", 4096, 512),)


def test_rows_that_are_none_are_left_out_and_fields_of_another_type_are_not_read() -> None:
    rows = (
        7,
        None,
        {"id": 5},
        {"id": ""},
        {"name": "no id"},
        {"id": "m", "name": 7, "max_model_len": True},
    )
    assert listed("openai", "/v1", {"GET /v1/models": page(*rows)}) == (Listed("m"),)


@pytest.mark.parametrize("window", [-1, 0.5, "4096", 10**30, None, [1]])
def test_a_window_that_is_no_count_is_not_known(window: object) -> None:
    rows = {"id": "m", "max_model_len": window}
    assert listed("openai", "/v1", {"GET /v1/models": page(rows)}) == (Listed("m"),)


def test_anthropic_goes_on_after_the_last_id() -> None:
    first = {
        "id": "claude-opus-5",
        "display_name": "Claude Opus 5",
        "max_input_tokens": 1_000_000,
        "max_tokens": 128_000,
    }
    routes = {
        "GET /v1/models?limit=1000": Answer(
            {"data": [first], "has_more": True, "last_id": "claude-opus-5"}
        ),
        "GET /v1/models?limit=1000&after_id=claude-opus-5": Answer(
            {"data": [{"id": "claude-z"}], "has_more": False, "last_id": "claude-z"}
        ),
    }
    expected = (
        Listed("claude-opus-5", "Claude Opus 5", 1_000_000, 128_000),
        Listed("claude-z"),
    )
    assert listed("anthropic", "", routes) == expected
    assert listed("anthropic", "/v1", routes) == expected


def test_google_goes_on_with_the_page_token() -> None:
    first = {
        "name": "models/gemini-3.8-flash",
        "displayName": "Flash",
        "inputTokenLimit": 1_048_576,
        "outputTokenLimit": 65_536,
        "thinking": True,
    }
    routes = {
        "GET /v1beta/models?pageSize=1000": Answer({"models": [first], "nextPageToken": "p 2"}),
        "GET /v1beta/models?pageSize=1000&pageToken=p+2": Answer(
            {"models": [{"name": "models/x"}]}
        ),
    }
    assert listed("google", "/v1beta", routes) == (
        Listed("gemini-3.8-flash", "Flash", 1_048_576, 65_536, reasoning=True),
        Listed("x"),
    )


def test_a_list_that_goes_round_in_circles_is_an_error() -> None:
    def again(asked: Asked) -> Answer:
        last = {"a": "b", "b": "a"}.get(asked.path.rpartition("=")[2], "a")
        return Answer({"data": [{"id": last}], "has_more": True, "last_id": last})

    with OperationServer({"*": again}) as server:
        error = failure(list_models("anthropic", site(server, "")))
        assert len(server.asked) == 3
    assert error.kind is ErrorKind.PROTOCOL
    assert "goes round in circles" in error.message


def test_a_list_without_an_end_is_an_error_and_not_a_short_list() -> None:
    def more(asked: Asked) -> Answer:
        number = asked.path.rpartition("=")[2]
        following = str(int(number) + 1) if "pageToken" in asked.path else "1"
        return Answer({"models": [{"name": f"models/{following}"}], "nextPageToken": following})

    with OperationServer({"*": more}) as server:
        error = failure(list_models("google", site(server, "")))
        assert len(server.asked) == 50
    assert error.message == "the list of models does not end (50 models so far)"


def test_mistral_says_what_a_model_can() -> None:
    row = {
        "id": "devstral-medium-latest",
        "name": "devstral-medium-2511",
        "max_context_length": 262_144,
        "capabilities": {"function_calling": True, "vision": False, "reasoning": False},
    }
    blank = {"id": "mistral-embed"}
    assert listed("mistral", "", {"GET /v1/models": page(row, blank)}) == (
        Listed(
            "devstral-medium-latest",
            "devstral-medium-2511",
            262_144,
            input=("text",),
            tools=True,
            reasoning=False,
        ),
        Listed("mistral-embed"),
    )


def test_openrouter_says_windows_and_prices_per_million() -> None:
    row = {
        "id": "anthropic/claude-opus-5",
        "name": "Claude Opus 5",
        "context_length": 1_000_000,
        "pricing": {
            "prompt": "0.000005",
            "completion": "0.000025",
            "input_cache_read": "0.0000005",
            "input_cache_write": "-1",
        },
        "architecture": {"input_modalities": ["image", "text", "file"]},
        "top_provider": {"max_completion_tokens": 128_000},
        "supported_parameters": ["tools"],
    }
    assert listed("openrouter", "/api/v1", {"GET /api/v1/models": page(row)}) == (
        Listed(
            "anthropic/claude-opus-5",
            "Claude Opus 5",
            1_000_000,
            128_000,
            ("text", "image"),
            True,
            False,
            ListPrices(5.0, 25.0, 0.5),
        ),
    )


def test_what_is_free_costs_nothing_and_what_has_no_price_is_not_known() -> None:
    free = {"id": "f", "pricing": {"prompt": "0", "completion": "much"}}
    found = listed("openrouter", "/api/v1", {"GET /api/v1/models": page(free, {"id": "n"})})
    assert [one.prices for one in found] == [ListPrices(0.0), None]


def test_prices_of_a_cache_are_read() -> None:
    pricing = {"input_cache_read": "0.0000005", "input_cache_write": "0.0000012345678"}
    row = {"id": "m", "pricing": pricing}
    (found,) = listed("openrouter", "/api/v1", {"GET /api/v1/models": page(row)})
    assert found.prices == ListPrices(None, None, 0.5, 1.234568)
    given = {"cache_read_usd_per_mtok": 0.1, "cache_write_usd_per_mtok": 2}
    routes = {"GET /api/v1/models": page({"id": "m", "pricing": given})}
    (found,) = listed("prime-inference", "/api/v1", routes)
    assert found.prices == ListPrices(None, None, 0.1, 2.0)


def test_prime_inference_says_its_specs() -> None:
    row = {
        "id": "z-ai/glm-5.3",
        "display_name": "GLM 5.3",
        "pricing": {"input_usd_per_mtok": 1.2, "output_usd_per_mtok": 4},
        "specs": {
            "context_window": 204_800,
            "max_output_tokens": 131_072,
            "supports_reasoning": True,
            "modalities": ["text"],
        },
        "supported_parameters": ["tools", "seed"],
    }
    assert listed("prime-inference", "/api/v1", {"GET /api/v1/models": page(row)}) == (
        Listed(
            *("z-ai/glm-5.3", "GLM 5.3", 204_800, 131_072, ("text",), True, True),
            ListPrices(1.2, 4.0),
        ),
    )


def test_ollama_is_asked_about_a_hundred_models_and_names_the_others() -> None:
    rows = [{"model": f"m{number}"} for number in range(102)]
    show = Answer({"model_info": {}, "capabilities": ["tools"]})
    routes: Routes = {"GET /api/tags": Answer({"models": rows}), "POST /api/show": show}
    found = listed("ollama", "", routes)
    assert [one.tools for one in found] == [True] * 100 + [None] * 2


LLAMA = {
    "id": "qwen.gguf",
    "architecture": {"input_modalities": ["text", "image"]},
    "meta": {"n_ctx_train": 262_144, "n_params": 1},
}


def test_llama_cpp_says_the_window_that_is_served() -> None:
    served = Answer({"default_generation_settings": {"n_ctx": 8192}, "chat_template": "x"})
    routes = {"GET /v1/models": page(LLAMA), "GET /props": served}
    (found,) = listed("llama-cpp", "/v1", routes)
    assert found == Listed("qwen.gguf", context_window=8192, input=("text", "image"))


@pytest.mark.parametrize("props", [
    Answer({"error": {"message": "no such page", "type": "not_found_error"}}, 404),
    Answer({"error": {"message": "not supported", "type": "not_supported_error"}}, 501),
    Answer(b"hello"),
    Answer({}),
])  # fmt: skip
def test_without_properties_llama_cpp_says_the_window_of_the_training(props: Answer) -> None:
    (found,) = listed("llama-cpp", "/v1", {"GET /v1/models": page(LLAMA), "GET /props": props})
    assert found.context_window == 262_144


def test_properties_that_fail_in_another_way_are_an_error() -> None:
    broken = Answer({"error": {"message": "boom"}}, 500)
    with OperationServer({"GET /v1/models": page(LLAMA), "GET /props": broken}) as server:
        assert failure(list_models("llama-cpp", site(server, "/v1"))).kind is ErrorKind.SERVER


def test_a_router_of_llama_cpp_says_what_is_loaded_and_is_not_asked_for_properties() -> None:
    rows = (
        {"id": "a", "status": {"value": "loaded"}, "meta": None},
        {"id": "b", "status": {"value": "unloaded"}},
    )
    for some in (rows, rows[:1]):
        found = listed("llama-cpp", "/v1", {"GET /v1/models": page(*some)})
        assert found == (Listed("a", status="loaded"), Listed("b", status="unloaded"))[: len(some)]


def test_ollama_says_windows_and_abilities_model_by_model() -> None:
    def show(asked: Asked) -> Answer:
        match asked.body["model"]:
            case "qwen3:8b":
                info = {"general.architecture": "qwen3", "qwen3.context_length": 40_960}
                return Answer(
                    {"model_info": info, "capabilities": ["completion", "tools", "thinking"]}
                )
            case "llava:7b":
                return Answer({"model_info": {}, "capabilities": ["completion", "vision"]})
            case _:
                return Answer({"error": "model not found"}, 404)

    rows = [
        {"name": name, "model": name, "size": 1} for name in ("qwen3:8b", "llava:7b", "gone:1b")
    ]
    routes: Routes = {"GET /api/tags": Answer({"models": rows}), "POST /api/show": show}
    expected = (
        Listed("qwen3:8b", context_window=40_960, input=("text",), tools=True, reasoning=True),
        Listed("llava:7b", input=("text", "image"), tools=False, reasoning=False),
        Listed("gone:1b"),
    )
    assert listed("ollama", "/v1", routes) == expected
    assert listed("ollama", "", routes) == expected
