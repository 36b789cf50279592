"""How many input tokens a request has, as far as this side can tell: the local estimate (S6.6).

Four bytes of UTF-8 count as a token. For English text that is the usual four characters; letters of other scripts
have two or three bytes and count for more, as they do with most tokenizers. Nothing is sent.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from eukhe.wire.messages import (
    AssistantMessage,
    ImageBlock,
    SystemMessage,
    TextBlock,
    ThinkingBlock,
    ToolCall,
)

if TYPE_CHECKING:
    from eukhe.wire.messages import AssistantBlock, Message, ToolSpec, UserBlock
    from eukhe.wire.request import Request

__all__ = ["IMAGE_TOKENS", "estimate", "tokens_of", "tokens_of_text", "tokens_of_tool"]

_BYTES_A_TOKEN: Final = 4

IMAGE_TOKENS: Final = 1_600
"""What a picture counts. Providers scale a large one down, so the bytes of its file say nothing."""

_MESSAGE_TOKENS: Final = 4
"""What a message counts beside its content: its role, and the marks around it."""


def tokens_of_text(text: str) -> int:
    """The tokens of a text, rounded up."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return -(-size // _BYTES_A_TOKEN)


def tokens_of(message: Message) -> int:
    """The tokens of a message."""
    if isinstance(message, SystemMessage):
        return _MESSAGE_TOKENS + tokens_of_text(message.text)
    return _MESSAGE_TOKENS + sum(map(_tokens_of_block, message.content))


def tokens_of_tool(tool: ToolSpec) -> int:
    """The tokens of a tool on offer: its name, its description and its schema."""
    schema = json.dumps(tool.schema, ensure_ascii=False, separators=(",", ":"))
    return tokens_of_text(tool.name) + tokens_of_text(tool.description) + tokens_of_text(schema)


def estimate(request: Request, counted: int = 0) -> int:
    """The input tokens of a request.

    The server's own count is the base where there is one: that of the newest reply of the same provider and model
    which is in the request and told its usage. All of that request and its reply are in it, and what came after is
    estimated. Without one the whole is: the messages and the tools.

    Args:
        request: The request.
        counted: The number of the first message whose usage counts. A reply before it was made with a history
            that was compacted since.
    """
    messages, tokens = request.messages, 0
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if place >= counted and (base := _counted(message, request)):
            return base + tokens
        tokens += tokens_of(message)
    return tokens + sum(map(tokens_of_tool, request.tools))


def _counted(message: Message, request: Request) -> int:
    """What the server counted up to the end of a reply; 0 where it told nothing that this request can use."""
    if not isinstance(message, AssistantMessage) or message.usage is None:
        return 0
    origin = message.origin
    same = (origin.provider, origin.model) == (request.provider, request.model)
    return message.usage.total if same and message.usage.output else 0


def _tokens_of_block(block: UserBlock | AssistantBlock) -> int:
    match block:
        case TextBlock(text=text):
            return tokens_of_text(text)
        case ThinkingBlock(text=text, replay=replay):
            return tokens_of_text(text) + tokens_of_text(replay)
        case ToolCall(id=call_id, name=name, arguments=arguments):
            return tokens_of_text(call_id) + tokens_of_text(name) + tokens_of_text(arguments)
        case ImageBlock():
            return IMAGE_TOKENS
