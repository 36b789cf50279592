"""`embed`: vectors in the order of the texts, in numbers or base64, and replies that lie (S6.7)."""

from __future__ import annotations

import pytest

from eukhe.wire.capabilities.embed import Embed, Embeddings, embed
from eukhe.wire.errors import ErrorKind, WireError
from tests.servers.operations import Answer, Asked, OperationServer
from tests.wire.capabilities.cases import f32, failure, run, site

TWO = Embed("m", ("one", "two"))


def row(index: object, embedding: object) -> dict[str, object]:
    return {"object": "embedding", "index": index, "embedding": embedding}


def ask(dialect: str, base: str, what: Embed, answer: object) -> tuple[Embeddings, Asked]:
    with OperationServer({"*": Answer(answer)}) as server:
        return run(embed(dialect, site(server, base), what)), server.asked[0]


def refused(dialect: str, what: Embed, answer: object) -> WireError:
    with OperationServer({"*": Answer(answer)}) as server:
        return failure(embed(dialect, site(server, "/v1"), what))


def test_vectors_are_sorted_by_their_index() -> None:
    answer = {
        "data": [row(1, [0.25, 2]), row(0, [0.5, 1])],
        "model": "m-large",
        "usage": {"prompt_tokens": 4, "total_tokens": 4},
    }
    found, asked = ask("openai", "/v1", TWO, answer)
    assert found == Embeddings(((0.5, 1.0), (0.25, 2.0)), "m-large", 4)
    assert (asked.method, asked.path) == ("POST", "/v1/embeddings")
    assert asked.body == {"model": "m", "input": ["one", "two"]}


def test_base64_is_little_endian_float32_whether_it_was_asked_for_or_not() -> None:
    answer = {"data": [row(0, f32(1.0, -2.5, 3e38)), row(1, [1, 2, 3])]}
    for compact in (False, True):
        found, asked = ask("openai", "/v1", Embed("m", TWO.texts, compact=compact), answer)
        assert found.vectors[0][:2] == (1.0, -2.5)
        assert found.vectors[0][2] == pytest.approx(3e38)
        assert asked.body.get("encoding_format") == ("base64" if compact else None)


def test_each_server_has_its_own_name_for_the_dimensions() -> None:
    shorter = Embed("m", ("one",), dimensions=2)
    data = {"data": [row(0, [1, 2])]}
    assert ask("openai", "/v1", shorter, data)[1].body["dimensions"] == 2
    _, asked = ask("mistral", "", shorter, data)
    assert (asked.path, asked.body["output_dimension"]) == ("/v1/embeddings", 2)
    _, asked = ask("ollama", "/v1", shorter, {"embeddings": [[1, 2]]})
    assert asked.body == {"model": "m", "input": ["one"], "truncate": False, "dimensions": 2}
    _, asked = ask("google", "/v1beta", shorter, {"embedding": {"values": [1, 2]}})
    assert asked.body["outputDimensionality"] == 2


def test_google_embeds_one_text_alone_and_several_in_a_batch() -> None:
    one = Embed("models/gemini-embedding", ("one",), task="RETRIEVAL_QUERY")
    found, asked = ask("google", "/v1beta", one, {"embedding": {"values": [0.5]}})
    assert found == Embeddings(((0.5,),), "models/gemini-embedding")
    assert asked.path == "/v1beta/models/gemini-embedding:embedContent"
    assert asked.body == {"content": {"parts": [{"text": "one"}]}, "taskType": "RETRIEVAL_QUERY"}
    found, asked = ask("google", "/v1beta", TWO, {"embeddings": [{"values": [1]}, {"values": [2]}]})
    assert found.vectors == ((1.0,), (2.0,))
    assert asked.path == "/v1beta/models/m:batchEmbedContents"
    assert asked.body["requests"][1] == {
        "model": "models/m",
        "content": {"parts": [{"text": "two"}]},
    }


def test_ollama_counts_the_tokens_and_cuts_no_text_in_silence() -> None:
    answer = {"model": "m", "embeddings": [[1], [2]], "prompt_eval_count": 6}
    found, asked = ask("ollama", "/v1", TWO, answer)
    assert found == Embeddings(((1.0,), (2.0,)), "m", 6)
    assert asked.path == "/api/embed"
    assert asked.body["truncate"] is False


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([row(0, [1])], "did not give one embedding for each of 2 texts"),
        ([row(0, [1]), row(0, [2])], "did not give one embedding for each of 2 texts"),
        ([row(0, [1]), row(2, [2])], "did not give one embedding for each of 2 texts"),
        ([row(0, [1]), row("1", [2])], "did not give one embedding for each of 2 texts"),
        ([row(0, [1]), row(1, [2]), row(2, [3])], "did not give one embedding for each of 2 texts"),
        ([row(0, [1]), row(1, [2]), row(1, [3])], "did not give one embedding for each of 2 texts"),
        ([row(0, [1]), row(1, [1, 2])], "embeddings of different lengths"),
        ([row(0, []), row(1, [])], "embeddings of different lengths"),
        ([row(0, [1]), row(1, ["1"])], "something else than embeddings"),
        ([row(0, [1]), row(1, [True])], "something else than embeddings"),
        ([row(0, [1]), row(1, None)], "something else than embeddings"),
        ([row(0, [1]), row(1, "AAA")], "something else than embeddings"),
        ([row(0, [1]), row(1, "AAAAAAAA=")], "something else than embeddings"),
        ([row(0, [1]), row(1, "AAA=")], "something else than embeddings"),
        ([row(0, [1]), row(1, [10**400])], "something else than embeddings"),
        ([row(0, [1]), row(1, f32(float("nan")))], "a number that is not finite"),
        ([row(0, [1]), row(1, f32(float("inf")))], "a number that is not finite"),
    ],
)  # fmt: skip
def test_a_reply_that_is_not_one_sound_vector_a_text_is_refused(
    data: list[object], message: str
) -> None:
    error = refused("openai", TWO, {"data": data})
    assert error.kind is ErrorKind.PROTOCOL
    assert message in error.message


@pytest.mark.parametrize("dialect", ["google", "ollama"])
def test_too_few_or_too_many_vectors_are_refused(dialect: str) -> None:
    for count in (1, 3):
        vectors = [[1.0]] * count
        answer = {
            "embeddings": vectors if dialect == "ollama" else [{"values": one} for one in vectors]
        }
        error = refused(dialect, TWO, answer)
        assert error.message == f"the server gave {count} embeddings for 2 texts"


def test_vectors_of_another_length_than_asked_for_are_refused() -> None:
    error = refused("openai", Embed("m", ("one",), dimensions=3), {"data": [row(0, [1, 2])]})
    assert error.message == "the server gave embeddings of 2 dimensions, not 3"


def test_nothing_to_embed_is_wrong_use_and_sends_nothing() -> None:
    with OperationServer({}) as server:
        error = failure(embed("openai", site(server, "/v1"), Embed("m", ())))
        assert server.asked == []
    assert error.kind is ErrorKind.INVALID_REQUEST


def test_half_a_character_in_a_text_can_be_sent() -> None:
    _, asked = ask("openai", "/v1", Embed("m", ("a\ud83d",)), {"data": [row(0, [1])]})
    assert asked.body["input"] == ["a"]
