"""Conversations that the tests of several wire APIs send: results out of order, and what no one would think of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from eukhe.wire.messages import (
    AssistantBlock,
    AssistantMessage,
    Message,
    Origin,
    StopReason,
    SystemMessage,
    TextBlock,
    ToolCall,
    ToolResultMessage,
    UserBlock,
    UserMessage,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["any_messages", "any_replies", "any_talk", "out_of_order"]


def out_of_order(origin: Origin, names: Sequence[str]) -> tuple[Message, ...]:
    """A reply of three calls, the results of the second and of the first, and what the user says then."""
    calls = tuple(
        ToolCall(call_id, name, arguments)
        for call_id, name, arguments in zip("abc", names, ('{"x": 1}', "{}", "{}"), strict=True)
    )
    return (
        AssistantMessage(calls, StopReason.STOP, None, origin),
        ToolResultMessage.of(calls[1], "two"),
        ToolResultMessage.of(calls[0], "one", is_error=True),
        UserMessage.of("go on"),
    )


def any_replies(
    said: st.SearchStrategy[AssistantBlock],
    calls: st.SearchStrategy[ToolCall],
    *origins: Origin,
    most: int = 2,
    unique_by: Callable[[ToolCall], str] = lambda call: call.id,
) -> st.SearchStrategy[AssistantMessage]:
    """Replies of up to `most` blocks and two calls, whatever they stopped for."""
    return st.builds(
        lambda said, calls, stop, origin: AssistantMessage((*said, *calls), stop, origin=origin),
        st.lists(said, max_size=most),
        st.lists(calls, max_size=2, unique_by=unique_by),
        st.sampled_from(StopReason),
        st.sampled_from(origins),
    )


def any_messages(
    texts: st.SearchStrategy[str],
    blocks: st.SearchStrategy[tuple[UserBlock, ...]],
    replies: st.SearchStrategy[AssistantMessage],
    results: st.SearchStrategy[ToolResultMessage],
) -> st.SearchStrategy[Message]:
    """Messages of every kind: instructions of `texts`, a user's `blocks`, replies and results."""
    return st.builds(SystemMessage, texts) | st.builds(UserMessage, blocks) | replies | results


def any_talk(
    texts: st.SearchStrategy[str], blocks: st.SearchStrategy[AssistantBlock], origin: Origin
) -> st.SearchStrategy[Message]:
    """Messages of every kind but results; calls stand anywhere in a reply."""
    return st.one_of(
        st.builds(SystemMessage, texts),
        st.builds(UserMessage, st.tuples(st.builds(TextBlock, texts))),
        st.lists(blocks, max_size=3, unique_by=lambda block: getattr(block, "id", id(block))).map(
            lambda found: AssistantMessage(tuple(found), StopReason.STOP, None, origin)
        ),
    )
