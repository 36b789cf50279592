"""The conversation as a wire API sends it: each call with its result, failed replies left out, ids mapped.

`rounds` does once what every API demands, so that a body module only spells what it gets.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from eukhe.wire.messages import (
    AssistantMessage,
    ImageBlock,
    Origin,
    StopReason,
    SystemMessage,
    TextBlock,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eukhe.wire.messages import Message, UserBlock
    from eukhe.wire.request import Request

__all__ = [
    "NO_OUTPUT",
    "NO_RESULT",
    "Answered",
    "Round",
    "UniqueIds",
    "mapped_id",
    "origin_of",
    "rounds",
    "sent_name",
    "taken",
    "without_pictures",
]

NO_RESULT: Final = "error: this call was not run"
"""The text of the result that a call gets which has none."""
NO_OUTPUT: Final = "(no output)"
"""The text of a result that holds nothing."""
_NOT_IN_NAMES: Final = re.compile(r"[^a-zA-Z0-9_-]")
_NAME_LIMIT: Final = 64
_UNSEEN: Final = "(a picture, which this model cannot see)"


class Answered(NamedTuple):
    """A call with its result.

    Attributes:
        call: The call.
        result: Its result; one that says so where it has none.
    """

    call: ToolCall
    result: ToolResultMessage


Round: TypeAlias = "SystemMessage | UserMessage | AssistantMessage | tuple[Answered, ...]"
"""A message, or the results of the reply before it: one for each of its calls, in their order."""


def rounds(messages: Sequence[Message]) -> Iterator[Round]:
    """Yield what is sent of a conversation.

    A reply that failed, or that holds neither text nor call, is left out with the results of its calls. A result
    without a call is left out; a call without a result before the next message gets one that says so.
    """
    waiting: dict[str, ToolCall] = {}
    results: dict[str, ToolResultMessage] = {}
    for message in messages:
        if isinstance(message, ToolResultMessage):
            if message.call_id in waiting:
                results.setdefault(message.call_id, message)
            continue
        if waiting:
            yield _answers(waiting, results)
            waiting, results = {}, {}
        if not isinstance(message, AssistantMessage):
            yield message
        elif _is_sent(message):
            waiting = {call.id: call for call in message.calls}
            yield message
    if waiting:
        yield _answers(waiting, results)


def origin_of(request: Request, api: str) -> Origin:
    """Return the origin that the replies to a request have.

    Args:
        request: The request.
        api: The name of the wire API.
    """
    return Origin(api, request.provider, request.model)


def taken(request: Request) -> frozenset[str]:
    """Return the ids of the calls that the conversation already has; a minted id is none of them."""
    history = (message for message in request.messages if isinstance(message, AssistantMessage))
    return frozenset(call.id for message in history for call in message.calls)


def without_pictures(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return a conversation as a model without eyes gets it: with a word in the place of each picture."""
    return tuple(
        replace(message, content=tuple(map(_described, message.content)))
        if isinstance(message, UserMessage | ToolResultMessage)
        else message
        for message in messages
    )


def mapped_id(
    call_id: str, form: re.Pattern[str], *, prefix: str = "call_", length: int = 32
) -> str:
    """Return an id that a server takes: the same id when it has the form, else always the same other one.

    Args:
        call_id: The id.
        form: What the whole id must look like.
        prefix: How another id begins.
        length: Hexadecimal digits of another id after the prefix, at most 64.
    """
    if form.fullmatch(call_id):
        return call_id
    import hashlib  # only an id of another API pays for the import

    return prefix + hashlib.sha256(call_id.encode("utf-8", "replace")).hexdigest()[:length]


def sent_name(name: str) -> str:
    """Return the name of a call as servers take it: a model can write another one, which they would refuse."""
    return _NOT_IN_NAMES.sub("_", name)[:_NAME_LIMIT] or "unnamed"


class UniqueIds:
    """Ids that a server takes, none of them twice in a conversation: some count their calls anew in each reply.

    Of an id of the Responses API, which is two in one, the part before the bar is the call's.

    Args:
        form: What a whole id must look like; no blank fits.
        prefix: How an id begins that is not the call's own.
        length: Hexadecimal digits of such an id after the prefix, at most 64.
    """

    def __init__(self, form: re.Pattern[str], *, prefix: str = "call_", length: int = 32) -> None:
        self._form = form
        self._prefix = prefix
        self._length = length
        self._used: set[str] = set()

    def of(self, message: AssistantMessage) -> dict[str, str]:
        """Return the sent id of each call of a reply, by its own id; replies are given in their order."""
        found: dict[str, str] = {}
        for call in message.calls:
            own = call.id.partition("|")[0] or call.id
            sent, times = self._mapped(own), 1
            while sent in self._used:
                times += 1
                sent = self._mapped(f"{own} {times}")
            self._used.add(sent)
            found[call.id] = sent
        return found

    def _mapped(self, call_id: str) -> str:
        return mapped_id(call_id, self._form, prefix=self._prefix, length=self._length)


def _described(block: UserBlock) -> UserBlock:
    return TextBlock(_UNSEEN) if isinstance(block, ImageBlock) else block


def _is_sent(message: AssistantMessage) -> bool:
    failed = message.stop in (StopReason.ERROR, StopReason.ABORTED)
    return not failed and bool(message.text or message.calls)


def _answers(
    waiting: dict[str, ToolCall], results: dict[str, ToolResultMessage]
) -> tuple[Answered, ...]:
    return tuple(
        Answered(call, results.get(call_id) or _missing(call)) for call_id, call in waiting.items()
    )


def _missing(call: ToolCall) -> ToolResultMessage:
    return ToolResultMessage(call.id, call.name, (TextBlock(NO_RESULT),), is_error=True)
