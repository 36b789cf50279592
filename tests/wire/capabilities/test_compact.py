"""`compact`: what comes back goes out again unchanged, and nothing is lost in silence (S6.7)."""

from __future__ import annotations

import pytest

from eukhe.wire.capabilities.compact import Compact, Compacted, compact
from eukhe.wire.errors import ErrorKind
from eukhe.wire.messages import SystemMessage, Usage, UserMessage
from tests.servers.operations import Answer, OperationServer
from tests.wire.capabilities.cases import failure, run, site

PATH = "POST /v1/responses/compact"
USER = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]}
MARK = {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAA", "new_field": [1]}
TALK = (SystemMessage("Be brief."), UserMessage.of("hello"), SystemMessage("Be kind."))


def test_the_items_come_back_whole_with_what_it_took() -> None:
    usage = {
        "input_tokens": 900, "input_tokens_details": {"cached_tokens": 100},
        "output_tokens": 50,
        "output_tokens_details": {"reasoning_tokens": 20},
    }  # fmt: skip
    answer = {
        "id": "resp_1",
        "object": "response.compaction",
        "output": [USER, MARK],
        "usage": usage,
    }
    with OperationServer({PATH: Answer(answer)}) as server:
        found = run(compact("openai", site(server, "/v1"), Compact("m", TALK, cache_key="k")))
        (asked,) = server.asked
    assert found == Compacted((USER, MARK), "resp_1", Usage(800, 50, 100, reasoning=20))
    assert asked.body == {
        "model": "m",
        "input": [{"role": "user", "content": [{"type": "input_text", "text": "hello"}]}],
        "instructions": "Be brief.\n\nBe kind.",
        "prompt_cache_key": "k",
    }


def test_counts_that_are_not_told_are_none() -> None:
    for usage, expected in (({}, None), ({"total_tokens": 9}, Usage()), ("much", None)):
        with OperationServer({PATH: Answer({"output": [MARK], "usage": usage})}) as server:
            found = run(compact("openai", site(server, "/v1"), Compact("m", TALK)))
            assert "prompt_cache_key" not in server.asked[0].body
        assert found.usage == expected


def test_a_later_compaction_starts_with_the_items_of_the_earlier_one() -> None:
    with OperationServer({PATH: Answer({"output": [MARK]})}) as server:
        first = run(compact("openai", site(server, "/v1"), Compact("m", TALK[1:2])))
        again = Compact("m", (UserMessage.of("more"),), first.items)
        found = run(compact("openai", site(server, "/v1"), again))
        assert server.asked[1].body["input"][0] == MARK
        assert server.asked[1].body["input"][1]["content"][0]["text"] == "more"
        assert "instructions" not in server.asked[1].body
    assert found == Compacted((MARK,))


@pytest.mark.parametrize(
    "output",
    [
        [],
        [USER],
        [MARK, MARK],
        [{**MARK, "encrypted_content": ""}],
        [{"type": "compaction"}],
        "gAAA",
    ],
)
def test_an_answer_that_does_not_hold_the_conversation_is_refused(output: object) -> None:
    with OperationServer({PATH: Answer({"output": output})}) as server:
        error = failure(compact("openai", site(server, "/v1"), Compact("m", TALK)))
    assert error.kind is ErrorKind.PROTOCOL
    assert error.message == "the server answered with something else than a compacted conversation"


def test_nothing_to_compact_is_wrong_use_and_sends_nothing() -> None:
    with OperationServer({}) as server:
        for messages in ((), TALK[:1]):
            error = failure(compact("openai", site(server, "/v1"), Compact("m", messages)))
            assert error.kind is ErrorKind.INVALID_REQUEST
        assert server.asked == []
