"""Messages as rows, rows as messages."""

from __future__ import annotations

import json

from eukhe.agent.rows import transcript
from eukhe.session.nodes import Entry
from eukhe.wire.messages import (
    AssistantMessage,
    ImageBlock,
    Message,
    Origin,
    StopReason,
    TextBlock,
    ThinkingBlock,
    ToolCall,
    ToolResultMessage,
    Usage,
    UserMessage,
)

_USER = UserMessage((TextBlock("look"), ImageBlock("aGk=", "image/png")))
_REPLY = AssistantMessage(
    (
        ThinkingBlock("hm", "reasoning", '{"s":1}'),
        TextBlock("ok"),
        TextBlock("signed", '{"s":2}'),
        ToolCall("c1", "bash", "{x"),
        ToolCall("c3", "bash", "{}", '{"s":3}'),
    ),
    StopReason.TOOL_USE,
    Usage(1, 2, 3, 4, 5, 0.25, 2),
    Origin("openai-completions", "p", "m"),
    "m-2",
    "r1",
    "priority",
)
_RESULT = ToolResultMessage("c1", "bash", (TextBlock("no"),), is_error=True)


def _row(message: Message) -> Entry:
    match message:
        case UserMessage():
            entry = Entry("user", transcript.user_to_json(message))
        case AssistantMessage():
            entry = Entry("assistant", transcript.assistant_to_json(message))
        case ToolResultMessage():
            entry = Entry("tool_result", transcript.result_to_json(message))
        case _:
            raise AssertionError(message)
    return Entry(entry.kind, json.loads(json.dumps(entry.body)))


def test_a_row_without_a_tier_and_writes_for_an_hour_is_read_as_before() -> None:
    body = transcript.assistant_to_json(AssistantMessage((), usage=Usage(1)))
    assert "serviceTier" not in body
    assert "cacheWrite1h" not in json.dumps(body)
    read = transcript.from_entry(Entry("assistant", body))
    assert isinstance(read, AssistantMessage)
    assert (read.service_tier, read.usage) == ("", Usage(1))


def test_every_message_survives_its_row() -> None:
    bare = AssistantMessage((), StopReason.ERROR)
    messages: tuple[Message, ...] = (_USER, _REPLY, bare, _RESULT)
    for message in messages:
        assert transcript.from_entry(_row(message)) == message


def test_a_row_of_another_kind_or_shape_is_read_as_far_as_it_goes() -> None:
    assert transcript.from_entry(Entry("eukhe.error", {"message": "x"})) is None
    odd = Entry("assistant", {"content": [7, {"type": "hologram"}], "stop": 3, "usage": "x"})
    assert transcript.from_entry(odd) == AssistantMessage((), StopReason.ERROR)
    assert transcript.from_entry(Entry("user", {"content": "text"})) == UserMessage(())


def test_a_reply_that_failed_or_was_aborted_is_not_sent_again() -> None:
    rows: list[Message] = [
        _USER,
        AssistantMessage((TextBlock("half"),), StopReason.ABORTED),
        _REPLY,
        _RESULT,
    ]
    sent = transcript.messages_of(_row(message) for message in rows)
    assert sent == (_USER, _REPLY, _RESULT)


def test_only_calls_of_the_last_reply_without_a_result_are_open() -> None:
    two = AssistantMessage((ToolCall("c1", "a", "{}"), ToolCall("c2", "b", "{}")))
    assert transcript.open_calls([_USER, two, _RESULT]) == (two.calls[1],)
    assert transcript.open_calls([_USER, two]) == two.calls
    assert transcript.open_calls([two, _RESULT, _USER]) == ()
    assert transcript.open_calls([]) == ()
