"""The local estimate of a request's input tokens (S6.6)."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from eukhe.agent.compact.tokens import (
    IMAGE_TOKENS,
    estimate,
    tokens_of,
    tokens_of_text,
    tokens_of_tool,
)
from eukhe.wire.messages import (
    AssistantMessage,
    ImageBlock,
    Message,
    Origin,
    SystemMessage,
    TextBlock,
    ThinkingBlock,
    ToolCall,
    ToolResultMessage,
    ToolSpec,
    Usage,
    UserMessage,
)
from eukhe.wire.request import Request

_USER = UserMessage.of("x" * 400)
_TOOL = ToolSpec("bash", "Run a command.", {"type": "object", "properties": {}})


def _request(*messages: Message, tools: tuple[ToolSpec, ...] = ()) -> Request:
    return Request("http://127.0.0.1/v1", "m", messages, tools, provider="p")


def _reply(usage: Usage | None, model: str = "m", provider: str = "p") -> AssistantMessage:
    return AssistantMessage((TextBlock("yes"),), usage=usage, origin=Origin("a", provider, model))


def test_four_bytes_are_a_token_rounded_up() -> None:
    assert [tokens_of_text("x" * n) for n in (0, 1, 4, 5, 8)] == [0, 1, 1, 2, 2]
    assert tokens_of_text("\u6587" * 100) == 75, "three bytes a letter"
    assert tokens_of_text("\u0436" * 100) == 50, "two"
    assert tokens_of_text("\ud800") == 1, "half a pair counts like any letter"


def test_everything_of_a_message_that_is_sent_counts() -> None:
    assert tokens_of(SystemMessage("x" * 40)) == 14
    assert tokens_of(_USER) == 104
    call = ToolCall("c" * 8, "bash", "y" * 40)
    thinking = ThinkingBlock("t" * 40, replay="r" * 80)
    assert tokens_of(AssistantMessage((thinking, call))) == 4 + 10 + 20 + 2 + 1 + 10
    assert tokens_of(ToolResultMessage.of(call, "z" * 40)) == 14


def test_a_picture_counts_the_same_whatever_its_bytes() -> None:
    small, large = (UserMessage((ImageBlock(d, "image/png"),)) for d in ("AA", "A" * 4_000_000))
    assert tokens_of(small) == tokens_of(large) == 4 + IMAGE_TOKENS


def test_without_a_count_of_the_server_messages_and_tools_are_estimated() -> None:
    assert estimate(_request(_USER, _USER)) == 208
    with_tool = estimate(_request(_USER, tools=(_TOOL,)))
    assert with_tool == 104 + tokens_of_tool(_TOOL)
    assert tokens_of_tool(_TOOL) > 10


def test_the_newest_count_of_the_server_is_the_base_and_only_what_came_after_is_estimated() -> None:
    older, newer = Usage(1_000, 10), Usage(input=3_000, output=50, cache_read=900, cache_write=20)
    request = _request(_USER, _reply(older), _USER, _reply(newer), _USER, tools=(_TOOL,))
    assert estimate(request) == 3_970 + 104, "the tools are in what the server counted"


def test_a_count_that_tells_nothing_of_this_request_is_no_base() -> None:
    local = estimate(_request(_USER, _reply(None), _USER))
    for other in (
        _reply(Usage()),
        _reply(Usage(9_000, 9), model="other"),
        _reply(Usage(9_000, 9), provider="other"),
    ):
        assert estimate(_request(_USER, other, _USER)) == local


def test_a_count_from_before_a_compaction_is_no_base() -> None:
    request = _request(_USER, _reply(Usage(9_000, 9)), _USER)
    assert estimate(request, 1) == 9_009 + 104
    assert estimate(request, 2) == estimate(_request(_USER, _reply(None), _USER))


_MESSAGES = st.lists(
    st.one_of(
        st.text(max_size=50).map(UserMessage.of),
        st.builds(
            lambda text, used: AssistantMessage(
                (TextBlock(text),), usage=used, origin=Origin("a", "p", "m")
            ),
            st.text(max_size=50),
            st.none() | st.builds(Usage, st.integers(0, 10_000), st.integers(0, 500)),
        ),
    ),
    max_size=12,
)


@settings(derandomize=True, database=None, deadline=None, max_examples=300)
@given(_MESSAGES, st.text(max_size=80), st.integers(0, 14))
def test_another_message_never_makes_a_request_shorter(
    messages: list[Message], text: str, counted: int
) -> None:
    request = _request(*messages)
    longer = replace(request, messages=(*request.messages, UserMessage.of(text)))
    assert estimate(longer, counted) == estimate(request, counted) + tokens_of(UserMessage.of(text))
