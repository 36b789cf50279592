"""`tokenize`: ids and the bytes that they stand for (S6.7)."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

import pytest

from eukhe.wire.capabilities.tokenize import Tokenize, Tokens, tokenize
from eukhe.wire.errors import ErrorKind
from tests.servers.operations import Answer, Asked, OperationServer
from tests.wire.capabilities.cases import failure, run, site

HELLO = Tokenize("m", "h\u00e9")


def ask(dialect: str, answer: object, what: Tokenize = HELLO) -> tuple[Tokens, Asked]:
    with OperationServer({"POST /tokenize": Answer(answer)}) as server:
        return run(tokenize(dialect, site(server, "/v1"), what)), server.asked[0]


def test_llama_cpp_gives_pieces_as_text_and_as_bytes_where_they_are_none() -> None:
    rows = [{"id": 104, "piece": "h"}, {"id": 7, "piece": [195]}, {"id": 8, "piece": [169]}]
    found, asked = ask("llama-cpp", {"tokens": rows})
    assert found == Tokens((104, 7, 8), (b"h", b"\xc3", b"\xa9"))
    assert b"".join(found.pieces).decode() == HELLO.text
    assert asked.body == {
        "model": "m",
        "content": "h\u00e9",
        "add_special": False,
        "with_pieces": True,
    }


def test_half_a_character_in_a_piece_is_no_failure() -> None:
    assert ask("llama-cpp", {"tokens": [{"id": 1, "piece": "\ud83d"}]})[0].pieces == (b"?",)


def test_an_older_llama_cpp_gives_ids_alone() -> None:
    assert ask("llama-cpp", {"tokens": [1, 2]})[0] == Tokens((1, 2))
    assert ask("llama-cpp", {"tokens": []})[0] == Tokens(())


def test_vllm_gives_ids_and_their_number() -> None:
    found, asked = ask("vllm", {"count": 2, "max_model_len": 9, "tokens": [1, 2]})
    assert found == Tokens((1, 2))
    assert asked.body == {"model": "m", "prompt": "h\u00e9", "add_special_tokens": False}
    _, asked = ask("vllm", {"tokens": [1]}, Tokenize("m", "x", special=True))
    assert asked.body["add_special_tokens"] is True


VERTEX = "/v1/publishers/google"


def vertex(answer: object, what: Tokenize = HELLO) -> Coroutine[Any, Any, Tokens]:
    async def asking() -> Tokens:
        path = f"POST {VERTEX}/models/m:computeTokens"
        with OperationServer({path: Answer(answer)}) as server:
            found = await tokenize("vertex", site(server, VERTEX), what)
            said = {"role": "user", "parts": [{"text": what.text}]}
            assert server.asked[0].body == {"contents": [said]}
            return found

    return asking()


def test_vertex_gives_ids_as_texts_and_pieces_in_base64() -> None:
    rows = [
        {"role": "user", "tokenIds": ["104", "7"], "tokens": ["aA==", "ww=="]},
        {"role": "user", "tokenIds": ["8"], "tokens": ["qQ=="]},
    ]
    assert run(vertex({"tokensInfo": rows})) == Tokens((104, 7, 8), (b"h", b"\xc3", b"\xa9"))
    assert run(vertex({"tokensInfo": [{"role": "user"}]})) == Tokens(())
    longest = {"tokenIds": ["9" * 19], "tokens": ["aA=="]}
    assert run(vertex({"tokensInfo": [longest]})).ids == (10**19 - 1,)


@pytest.mark.parametrize("row", [
    {"tokenIds": ["1"], "tokens": []},
    {"tokenIds": ["-1"], "tokens": ["aA=="]},
    {"tokenIds": ["\u0661"], "tokens": ["aA=="]},
    {"tokenIds": ["1" * 20], "tokens": ["aA=="]},
    {"tokenIds": [""], "tokens": ["aA=="]},
    {"tokenIds": ["1"], "tokens": ["a"]},
])  # fmt: skip
def test_tokens_of_vertex_that_are_none_are_refused(row: object) -> None:
    assert failure(vertex({"tokensInfo": [row]})).kind is ErrorKind.PROTOCOL


def test_vertex_does_not_show_the_tokens_around_a_text() -> None:
    error = failure(vertex({}, Tokenize("m", "x", special=True)))
    assert error.kind is ErrorKind.INVALID_REQUEST


@pytest.mark.parametrize(
    ("dialect", "answer"),
    [
        ("llama-cpp", {"tokens": [1, "2"]}),
        ("llama-cpp", {"tokens": [1, {"id": 2, "piece": "x"}]}),
        ("llama-cpp", {"tokens": [{"id": None, "piece": "x"}]}),
        ("llama-cpp", {"tokens": [{"id": 1}]}),
        ("llama-cpp", {"tokens": [{"id": 1, "piece": [256]}]}),
        ("llama-cpp", {"tokens": {"id": 1}}),
        ("vllm", {"tokens": [1, True], "count": 2}),
        ("vllm", {"tokens": [1, 2], "count": 3}),
    ],
)
def test_tokens_that_are_none_are_refused(dialect: str, answer: object) -> None:
    with OperationServer({"POST /tokenize": Answer(answer)}) as server:
        error = failure(tokenize(dialect, site(server, ""), HELLO))
    assert error.kind is ErrorKind.PROTOCOL
    assert error.message == "the server answered with something else than tokens"
