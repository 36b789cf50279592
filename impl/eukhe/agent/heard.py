"""One reply as it is heard: its deltas go to the listener, under the repetition guard, to the stream's end."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eukhe.agent.events import MessageStart, MessageUpdate, PromptProgressed, ToolCallPreview
from eukhe.core.arguments_preview import Preview
from eukhe.core.guard import Guard
from eukhe.wire.events import (
    Done,
    Failed,
    PromptProgress,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolCallStart,
)
from eukhe.wire.messages import AssistantMessage, StopReason, TextBlock, ThinkingBlock

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from eukhe.agent.events import Listener
    from eukhe.core.guard import Repeat
    from eukhe.wire.events import Event


@dataclass(frozen=True, slots=True)
class Cut:
    """A reply that the guard ended, because it repeats itself (S6.5).

    Attributes:
        repeat: the repeat.
        partial: what came before the cut.
    """

    repeat: Repeat
    partial: AssistantMessage


class Heard:
    """Listens to one reply.

    Args:
        emit: the listener. What it raises ends the reply.
        repeat_limit: the window of the guard in chunks; 0 turns it off.
    """

    def __init__(self, emit: Listener, repeat_limit: int) -> None:
        self._emit = emit
        self._guard = Guard(repeat_limit)
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._names: dict[int, str] = {}
        self._previews: dict[int, Preview] = {}

    def partial(self, stop: StopReason) -> AssistantMessage:
        """What there is of a reply that did not come to its end; calls that were not whole are not in it."""
        blocks = (ThinkingBlock("".join(self._thinking)), TextBlock("".join(self._text)))
        return AssistantMessage(tuple(block for block in blocks if block.text), stop)

    async def listen(self, events: AsyncGenerator[Event, None]) -> Done | Failed | Cut:
        """Hear a reply to its end, and close its stream."""
        emit, guard = self._emit, self._guard
        text, thinking = self._text, self._thinking
        emit(MessageStart())
        async with aclosing(events) as stream:
            async for event in stream:
                match event:
                    case TextDelta(text=piece):
                        text.append(piece)
                        emit(MessageUpdate("text", piece))
                        if (repeat := guard.feed("text", piece)) is not None:
                            return Cut(repeat, self.partial(StopReason.ERROR))
                    case ThinkingDelta(text=piece):
                        thinking.append(piece)
                        emit(MessageUpdate("thinking", piece))
                        if (repeat := guard.feed("thinking", piece)) is not None:
                            return Cut(repeat, self.partial(StopReason.ERROR))
                    case PromptProgress(total, cache, processed, time_ms):
                        emit(PromptProgressed(total, cache, processed, time_ms))
                    case ToolCallStart(index=index, name=name):
                        self._names[index] = name
                    case ToolCallDelta(index=index, arguments=piece):
                        emit(MessageUpdate("arguments", piece, index))
                        self._preview(index, piece)
                    case Done() | Failed():
                        return event
                    case _:
                        pass
        raise RuntimeError("a wire stream ended without Done or Failed")

    def _preview(self, index: int, piece: str) -> None:
        preview = self._previews.get(index)
        if preview is None:
            preview = self._previews[index] = Preview()
        preview.feed(piece)
        if preview.due:
            self._emit(ToolCallPreview(index, self._names.get(index, ""), preview.value()))
