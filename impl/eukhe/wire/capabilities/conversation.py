"""A conversation in the form of each API that an operation takes one in.

The wire APIs write it, so that what is counted is what would be sent; only the fields that say something else
than what the model gets to read are left out.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, NamedTuple

from eukhe.wire import (
    anthropic_body,
    bedrock_body,
    google_body,
    openai_body,
    openai_compat,
    openai_responses_body,
)
from eukhe.wire.messages import ImageBlock, SystemMessage
from eukhe.wire.request import Request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eukhe.wire.messages import Message, ToolSpec

__all__ = ["Talk", "anthropic", "bedrock", "chat", "google", "has_pictures", "responses"]

Part = dict[str, object]

_RESPONSES: Final = openai_responses_body.Compat()
_CHAT: Final = openai_compat.Compat()
_ANTHROPIC: Final = anthropic_body.Compat(eager_tools=False)
_GOOGLE: Final = google_body.Compat()
_BEDROCK: Final = bedrock_body.Compat()


class Talk(NamedTuple):
    """A conversation that an operation is about.

    Attributes:
        model: The model.
        messages: The messages.
        tools: The tools on offer.
        provider: The provider's name, by which the model's own earlier replies are told from those of others.
    """

    model: str
    messages: Sequence[Message]
    tools: Sequence[ToolSpec] = ()
    provider: str = ""

    @property
    def request(self) -> Request:
        """The conversation as the wire APIs take it."""
        return Request(
            "", self.model, tuple(self.messages), tuple(self.tools), provider=self.provider
        )


def has_pictures(messages: Sequence[Message]) -> bool:
    """Whether a message of the user or a result of a tool holds a picture."""
    blocks = (
        block for one in messages if not isinstance(one, SystemMessage) for block in one.content
    )
    return any(isinstance(block, ImageBlock) for block in blocks)


def chat(talk: Talk) -> Part:
    """Return the conversation as Chat Completions takes it."""
    return _picked(openai_body.body(talk.request, _CHAT), "messages")


def responses(talk: Talk) -> Part:
    """Return the conversation as the Responses API takes it."""
    return _picked(openai_responses_body.body(talk.request, _RESPONSES), "input")


def anthropic(talk: Talk) -> Part:
    """Return the conversation as the Messages API takes it."""
    return _picked(anthropic_body.body(talk.request, _ANTHROPIC), "system", "messages")


def _picked(body: bytes, *keys: str) -> Part:
    """The fields of a request body that say what the model gets to read."""
    whole = json.loads(body)
    return {key: whole[key] for key in ("model", *keys, "tools") if key in whole}


def bedrock(talk: Talk) -> Part:
    """Return the conversation as Bedrock's Converse takes it."""
    return _picked(bedrock_body.body(talk.request, _BEDROCK), "messages", "system", "toolConfig")


def google(talk: Talk) -> Part:
    """Return the conversation as the Gemini API takes it."""
    return _picked(google_body.body(talk.request, _GOOGLE), "systemInstruction", "contents")
