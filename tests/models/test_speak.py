"""Wire APIs by their name, and what a model without eyes is sent of a conversation with pictures."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from eukhe.models.provider_table import WIRE_APIS
from eukhe.models.speak import SPOKEN, speaker, stream_for
from eukhe.wire.history import without_pictures
from eukhe.wire.messages import (
    AssistantMessage,
    ImageBlock,
    TextBlock,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from eukhe.wire.request import Request
from tests.models.test_completions import custom
from tests.servers.chat import ChatServer, Reply
from tests.wire.asking import heard

if TYPE_CHECKING:
    from pathlib import Path

_PNG = ImageBlock("aGk=", "image/png")
_CALL = ToolCall("c", "read", "{}")
_TALK = (
    UserMessage((TextBlock("look"), _PNG)),
    AssistantMessage((_CALL,)),
    ToolResultMessage("c", "read", (_PNG,), is_error=True),
)


def test_every_wire_api_that_a_model_can_name_is_spoken() -> None:
    assert set(SPOKEN) == set(WIRE_APIS)


@pytest.mark.parametrize("api", SPOKEN)
def test_a_wire_api_is_set_up_by_two_functions(api: str) -> None:
    found = speaker(api)
    assert callable(found.stream_of)
    assert callable(found.options_of)
    assert import_module("eukhe.models.speak").speaker(api) is found


def test_pictures_are_put_into_words_and_nothing_else_changes() -> None:
    user, reply, result = without_pictures(_TALK)
    assert isinstance(user, UserMessage)
    assert isinstance(result, ToolResultMessage)
    unseen = TextBlock("(a picture, which this model cannot see)")
    assert user.content == (TextBlock("look"), unseen)
    assert reply is _TALK[1]
    assert (result.content, result.is_error, result.call_id) == ((unseen,), True, "c")


@pytest.mark.parametrize(("inputs", "seen"), [(["text"], False), (["text", "image"], True)])
def test_only_a_model_that_sees_pictures_is_sent_them(
    inputs: list[str], seen: bool, tmp_path: Path
) -> None:
    stream = stream_for(custom(tmp_path, input=inputs))
    with ChatServer([Reply(text="ok")]) as server:
        heard(stream(Request(server.base_url, "m", _TALK)))
        assert server.problems == ()
        raw = server.requests[0].raw
    assert (b"aGk=" in raw) is seen
