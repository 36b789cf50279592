"""The reply as it grows: deltas in, an `AssistantMessage` out, whole or partial."""

from __future__ import annotations

from eukhe.wire.messages import (
    AssistantBlock,
    AssistantMessage,
    Origin,
    StopReason,
    TextBlock,
    ThinkingBlock,
    ToolCall,
    Usage,
)

__all__ = ["Assembly", "OpenCall"]


class OpenCall:
    """A tool call whose arguments are still coming.

    Attributes:
        number: Its number in the reply, from 0.
        id: The id so far.
        name: The name so far.
        parts: The pieces of argument text.
        shown: How many of the pieces were given out as events.
        started: Whether its start was given out.
    """

    __slots__ = ("id", "name", "number", "parts", "shown", "started")

    def __init__(self, number: int) -> None:
        self.number = number
        self.id = ""
        self.name = ""
        self.parts: list[str] = []
        self.shown = 0
        self.started = False

    @property
    def text(self) -> str:
        """The argument text so far."""
        return "".join(self.parts)

    def call(self) -> ToolCall:
        """Return the call as it stands; no argument text at all, or `null`, means no arguments."""
        text = self.text
        return ToolCall(self.id, self.name, "{}" if text.strip() in ("", "null") else text)


class _Run:
    """Deltas of one kind that follow each other."""

    __slots__ = ("field", "parts", "thinking")

    def __init__(self, *, thinking: bool, field: str) -> None:
        self.thinking = thinking
        self.field = field
        self.parts: list[str] = []


class Assembly:
    """A reply that is being put together; blocks stand in the order in which they began.

    Args:
        origin: Where the reply comes from.
        taken: Ids of calls that the conversation already has; a minted id is none of them.

    Attributes:
        model: The model name that the server gave.
        response_id: The server's id of the reply.
        usage: The last token counts.
        calls: The calls, in order.
        replay: What the same origin gets back with the first thinking block.
    """

    def __init__(self, origin: Origin, taken: frozenset[str] = frozenset()) -> None:
        self.model = ""
        self.response_id = ""
        self.usage: Usage | None = None
        self.calls: list[OpenCall] = []
        self.replay = ""
        self._origin = origin
        self._taken = taken
        self._blocks: list[_Run | OpenCall] = []
        self._last: _Run | None = None

    def text(self, piece: str) -> None:
        """Add text."""
        run = self._last
        if run is None or run.thinking:
            run = self._open(_Run(thinking=False, field=""))
        run.parts.append(piece)

    def thinking(self, piece: str, field: str = "") -> None:
        """Add thinking that came in the wire field `field`."""
        run = self._last
        if run is None or not run.thinking or run.field != field:
            run = self._open(_Run(thinking=True, field=field))
        run.parts.append(piece)

    def new_call(self) -> OpenCall:
        """Begin a call."""
        call = OpenCall(len(self.calls))
        self.calls.append(call)
        self._blocks.append(call)
        self._last = None
        return call

    def settle_ids(self) -> None:
        """Give an id to each call that has none, and another to each that bears the id of an earlier one.

        A minted id depends only on the conversation: `call_N` with the least N that is free.
        """
        given = self._taken.union(call.id for call in self.calls)
        seen: set[str] = set()
        number = 0
        for call in self.calls:
            if not call.id or call.id in seen:
                while f"call_{number}" in given:
                    number += 1
                call.id = f"call_{number}"
                number += 1
            seen.add(call.id)

    def message(self, stop: StopReason) -> AssistantMessage:
        """Return the reply as it stands."""
        blocks: list[AssistantBlock] = []
        replay = self.replay
        for block in self._blocks:
            if isinstance(block, OpenCall):
                blocks.append(block.call())
            elif block.thinking:
                blocks.append(ThinkingBlock("".join(block.parts), block.field, replay))
                replay = ""
            else:
                blocks.append(TextBlock("".join(block.parts)))
        if replay:
            blocks.insert(0, ThinkingBlock("", "", replay))
        return AssistantMessage(
            tuple(blocks), stop, self.usage, self._origin, self.model, self.response_id
        )

    def _open(self, run: _Run) -> _Run:
        self._blocks.append(run)
        self._last = run
        return run
