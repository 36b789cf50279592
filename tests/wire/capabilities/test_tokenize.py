"""`tokenize`: ids and the bytes that they stand for (S6.7)."""

from __future__ import annotations

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
