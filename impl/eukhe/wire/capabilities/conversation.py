"""A conversation in the form of each API that an operation takes one in.

The wire APIs write it, so that what is counted is what would be sent; only the fields that say something else
than what the model gets to read are left out.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, NamedTuple

from eukhe.core.arguments import sent_text
from eukhe.wire import anthropic_body, openai_body, openai_responses_body
from eukhe.wire.history import rounds
from eukhe.wire.messages import (
    AssistantMessage,
    ImageBlock,
    SystemMessage,
    TextBlock,
    UserMessage,
)
from eukhe.wire.request import Request

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eukhe.wire.history import Answered
    from eukhe.wire.messages import Message, ToolCall, ToolSpec, UserBlock

__all__ = ["Talk", "anthropic", "chat", "google", "has_pictures", "responses"]

Part = dict[str, object]

_RESPONSES: Final = openai_responses_body.Compat()
_CHAT: Final = openai_body.Compat()
_ANTHROPIC: Final = anthropic_body.Compat(eager_tools=False)


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


# The Gemini API.


def google(talk: Talk) -> Part:
    """Return the conversation as the Gemini API takes it."""
    found: Part = {"contents": list(_contents(talk.messages))}
    system = [one.text for one in talk.messages if isinstance(one, SystemMessage) and one.text]
    if system:
        found["systemInstruction"] = {"parts": [{"text": text} for text in system]}
    if talk.tools:
        declared = [
            {
                "name": tool.name,
                "description": tool.description,
                "parametersJsonSchema": tool.schema,
            }
            for tool in talk.tools
        ]
        found["tools"] = [{"functionDeclarations": declared}]
    return found


def _contents(messages: Sequence[Message]) -> Iterator[Part]:
    for one in rounds(messages):
        match one:
            case UserMessage(content):
                yield {"role": "user", "parts": list(_parts(content))}
            case AssistantMessage():
                said: list[Part] = [{"text": one.text}] if one.text else []
                calls = [
                    {"functionCall": {"name": call.name, "args": _object(call)}}
                    for call in one.calls
                ]
                yield {"role": "model", "parts": [*said, *calls]}
            case SystemMessage():
                pass
            case _:
                pictures = [
                    block
                    for answered in one
                    for block in answered.result.content
                    if isinstance(block, ImageBlock)
                ]
                yield {"role": "user", "parts": [*map(_response, one), *_parts(pictures)]}


def _response(answered: Answered) -> Part:
    call, result = answered
    key = "error" if result.is_error else "output"
    return {"functionResponse": {"name": call.name, "response": {key: result.text}}}


def _parts(content: Sequence[UserBlock]) -> Iterator[Part]:
    for block in content:
        match block:
            case ImageBlock(data, media_type):
                yield {"inlineData": {"mimeType": media_type, "data": data}}
            case TextBlock(text=text) if text:
                yield {"text": text}


def _object(call: ToolCall) -> object:
    return json.loads(sent_text(call.arguments))
