"""The conversation as Chat Completions takes it: each call is followed by its result at once."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final, TypeAlias

from eukhe.wire.chat_form import ChatForm, chat_messages, result_text, sent_calls
from eukhe.wire.history import UniqueIds, sent_name
from eukhe.wire.messages import ThinkingBlock

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from eukhe.wire.history import Answered
    from eukhe.wire.messages import AssistantMessage, Message, Origin
    from eukhe.wire.openai_compat import Compat

__all__ = ["messages_of"]

Fields: TypeAlias = "dict[str, object]"

_ID: Final = re.compile(r".{1,40}", re.DOTALL)


def messages_of(messages: Sequence[Message], origin: Origin, compat: Compat) -> Iterator[Fields]:
    """Return the messages of a request.

    Args:
        messages: The conversation.
        origin: Where the replies of this request come from.
        compat: What differs at the server.
    """
    form = ChatForm(
        compat.system_role,
        compat.assistant_after_result,
        # Unique in a reply only; over several of them some servers look at their form.
        lambda message: UniqueIds(_ID).of(message),
        lambda message, ids: _assistant(message, ids, origin, compat),
        lambda answer, ids: _result(answer, ids, compat),
        lambda url: {"url": url},
    )
    return chat_messages(messages, form)


def _assistant(
    message: AssistantMessage, ids: Mapping[str, str], origin: Origin, compat: Compat
) -> Fields:
    """A reply as it goes back. Its thinking goes back to its own origin only, in the field it came in."""
    text, own = message.text, message.origin == origin
    if own and compat.thinking_as_text and message.thinking:
        text = "\n\n".join(filter(None, (message.thinking, text)))
    sent: Fields = {"role": "assistant", "content": text or None}
    if own and compat.thinking_replay and not compat.thinking_as_text:
        for block in message.content:
            if isinstance(block, ThinkingBlock):
                if block.field:
                    sent[block.field] = f"{sent.get(block.field, '')}{block.text}"
                if block.replay:
                    sent |= json.loads(block.replay)
    if compat.reasoning_content:
        sent.setdefault("reasoning_content", "")
    if message.calls:
        sent["tool_calls"] = sent_calls(message, ids)
    return sent


def _result(answer: Answered, ids: Mapping[str, str], compat: Compat) -> Fields:
    call, result = answer
    sent: Fields = {
        "role": "tool",
        "tool_call_id": ids[call.id],
        "content": result_text(result),
    }
    if compat.name_in_result:
        sent["name"] = sent_name(call.name)
    return sent
