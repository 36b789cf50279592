"""GitHub Copilot, over the three wire APIs of its models: who began, and whether there are pictures."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from eukhe.models.speak import speaker
from eukhe.wire import anthropic_body, openai_compat, openai_responses_body
from eukhe.wire.anthropic_messages import stream as messages
from eukhe.wire.messages import (
    AssistantMessage,
    ImageBlock,
    Message,
    TextBlock,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from eukhe.wire.openai_completions import stream as completions
from eukhe.wire.openai_responses import stream as responses_stream
from eukhe.wire.request import Request
from tests.models.test_registry import model, registry
from tests.servers import anthropic, responses
from tests.servers.api import CHAT
from tests.servers.chat import Reply
from tests.wire.asking import recorded
from tests.wire.helpers import HELLO

if TYPE_CHECKING:
    from pathlib import Path

_PNG = ImageBlock("aGk=", "image/png")
_CALL = ToolCall("c", "t", "{}")
_ROUND = (*HELLO, AssistantMessage((_CALL,)), ToolResultMessage.of(_CALL, "r"))
_SEEN = (*_ROUND[:2], ToolResultMessage("c", "t", (TextBlock("r"), _PNG)))

APIS: dict[str, tuple[Any, Any, Any, Reply]] = {
    "completions": (completions, openai_compat.Compat, CHAT, Reply(text="ok")),
    "responses": (
        responses_stream,
        openai_responses_body.Compat,
        responses.RESPONSES,
        responses.said("ok"),
    ),
    "messages": (
        messages,
        anthropic_body.Compat,
        anthropic.MESSAGES,
        anthropic.said(anthropic.text("ok")),
    ),
}


@pytest.mark.parametrize("name", APIS)
@pytest.mark.parametrize(
    ("talk", "who", "pictures"),
    [
        (HELLO, "user", None),
        (_ROUND, "agent", None),
        (_SEEN, "agent", "true"),
        ((UserMessage((_PNG,)),), "user", "true"),
    ],
)
def test_copilot_is_told_who_began_and_whether_there_are_pictures(
    name: str, talk: tuple[Message, ...], who: str, pictures: str | None
) -> None:
    stream, compat, api, reply = APIS[name]
    request = Request("", "m", talk)
    told = recorded(partial(stream, compat=compat(copilot=True)), reply, api, request).headers
    assert (told["x-initiator"], told["openai-intent"]) == (who, "conversation-edits")
    assert told.get("copilot-vision-request") == pictures
    others = recorded(partial(stream, compat=compat()), reply, api, request).headers
    assert not {"x-initiator", "openai-intent", "copilot-vision-request"} & others.keys()


def test_every_model_of_copilot_is_asked_so_and_no_other(tmp_path: Path) -> None:
    found = registry(tmp_path)
    told = {
        one.entry.api: speaker(one.entry.api).stream_of(one).keywords["compat"].copilot  # type: ignore[attr-defined]  # a partial
        for one in found.models("github-copilot")
    }
    assert told == dict.fromkeys(
        ("anthropic-messages", "openai-completions", "openai-responses"), True
    )
    openai: Any = speaker("openai-responses").stream_of(model(found, "openai", "gpt-5.5"))
    assert not openai.keywords["compat"].copilot
