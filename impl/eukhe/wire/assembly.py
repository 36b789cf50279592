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
from eukhe.wire.unicode import encodable

__all__ = ["Assembly", "OpenCall", "Run"]


class OpenCall:
    """A tool call whose arguments are still coming.

    Attributes:
        number: Its number in the reply, from 0.
        parts: The pieces of argument text.
        shown: How many of the pieces were given out as events.
        started: Whether its start was given out.
        replay: What the same origin gets back with the call.
    """

    __slots__ = ("_id", "_name", "number", "parts", "replay", "shown", "started")

    def __init__(self, number: int) -> None:
        self.number = number
        self._id = ""
        self._name = ""
        self.parts: list[str] = []
        self.shown = 0
        self.started = False
        self.replay = ""

    @property
    def id(self) -> str:
        """The id so far; it can be encoded, whatever the server sent."""
        return self._id

    @id.setter  # noqa: A003 -- the field's name
    def id(self, value: str) -> None:
        self._id = encodable(value, instead="\ufffd")

    @property
    def name(self) -> str:
        """The name so far; it can be encoded, whatever the server sent."""
        return self._name

    @name.setter
    def name(self, value: str) -> None:
        self._name = encodable(value, instead="\ufffd")

    @property
    def text(self) -> str:
        """The argument text so far."""
        return "".join(self.parts)

    def call(self) -> ToolCall:
        """Return the call as it stands; no argument text at all, or `null`, means no arguments."""
        text = self.text
        arguments = "{}" if text.strip() in ("", "null") else text
        return ToolCall(self.id, self.name, arguments, self.replay)


class Run:
    """A block of text or of thinking that is still coming.

    Attributes:
        thinking: Whether it is thinking.
        field: The wire field that thinking comes in.
        parts: The pieces.
        replay: What the same origin gets back with the block.
    """

    __slots__ = ("field", "parts", "replay", "thinking")

    def __init__(self, *, thinking: bool, field: str = "") -> None:
        self.thinking = thinking
        self.field = field
        self.parts: list[str] = []
        self.replay = ""


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
        replay: What the same origin gets back with the first thinking block that has nothing of its own.
        service_tier: The service tier that the server named.
    """

    def __init__(self, origin: Origin, taken: frozenset[str] = frozenset()) -> None:
        self.model = ""
        self.response_id = ""
        self.usage: Usage | None = None
        self.calls: list[OpenCall] = []
        self.replay = ""
        self.service_tier = ""
        self._origin = origin
        self._taken = taken
        self._blocks: list[Run | OpenCall] = []
        self._last: Run | None = None

    def text(self, piece: str) -> None:
        """Add text."""
        run = self._last
        if run is None or run.thinking:
            run = self.new_run(thinking=False)
        run.parts.append(piece)

    def thinking(self, piece: str, field: str = "") -> None:
        """Add thinking that came in the wire field `field`."""
        run = self._last
        if run is None or not run.thinking or run.field != field:
            run = self.new_run(thinking=True, field=field)
        run.parts.append(piece)

    def new_run(self, *, thinking: bool, field: str = "") -> Run:
        """Begin a block of text or thinking, also where one of its kind is the last."""
        run = Run(thinking=thinking, field=field)
        self._blocks.append(run)
        self._last = run
        return run

    def new_call(self) -> OpenCall:
        """Begin a call."""
        call = OpenCall(len(self.calls))
        self.calls.append(call)
        self._blocks.append(call)
        self._last = None
        return call

    def settle_ids(self, also: frozenset[str] = frozenset()) -> None:
        """Give an id to each call that has none, and another to each that bears the id of an earlier one.

        A minted id depends only on the conversation: `call_N` with the least N that is free.

        Args:
            also: More ids that a minted one is none of.
        """
        given = self._taken.union((call.id for call in self.calls), also)
        seen: set[str] = set()
        number = 0
        for call in self.calls:
            if not call.id or call.id in seen:
                while f"call_{number}" in given:
                    number += 1
                call.id = f"call_{number}"
                number += 1
            seen.add(call.id)

    def ending(self, stop: StopReason) -> StopReason:
        """Return why a whole reply ended: its calls decide, but one that was cut at its length stays cut.

        Args:
            stop: What the server says.
        """
        if stop is StopReason.LENGTH:
            return stop
        return StopReason.TOOL_USE if self.calls else StopReason.STOP

    def message(self, stop: StopReason) -> AssistantMessage:
        """Return the reply as it stands; a block that holds nothing is left out."""
        blocks: list[AssistantBlock] = []
        replay = self.replay
        for block in self._blocks:
            if isinstance(block, OpenCall):
                blocks.append(block.call())
                continue
            text, own = "".join(block.parts), block.replay
            if block.thinking and not own:
                own, replay = replay, ""
            if not text and not own:
                continue
            if block.thinking:
                blocks.append(ThinkingBlock(text, block.field, own))
            else:
                blocks.append(TextBlock(text, own))
        if replay:
            blocks.insert(0, ThinkingBlock("", "", replay))
        return AssistantMessage(
            tuple(blocks),
            stop,
            self.usage,
            self._origin,
            self.model,
            self.response_id,
            self.service_tier,
        )
