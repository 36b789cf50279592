"""Events of Bedrock's Converse stream, read into events of eukhe: blocks by their index, then why it stopped."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from eukhe.wire.assembly import Assembly, OpenCall, Run
from eukhe.wire.error_body import failed, is_error, one_line
from eukhe.wire.errors import ErrorKind, WireError, ended_early
from eukhe.wire.event_stream import EXCEPTION
from eukhe.wire.events import (
    Done,
    Start,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    UsageUpdate,
)
from eukhe.wire.messages import StopReason, Usage
from eukhe.wire.payload import count, read_object
from eukhe.wire.strict_tools import restored
from eukhe.wire.unicode import Joiner, encodable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.wire.events import Event
    from eukhe.wire.messages import AssistantMessage, Origin
    from eukhe.wire.sse import SseEvent
    from eukhe.wire.strict_tools import Schema

__all__ = ["ConverseReader", "read_usage"]

_STOPS: Final = {
    "end_turn": StopReason.STOP,
    "stop_sequence": StopReason.STOP,
    "tool_use": StopReason.TOOL_USE,
    "max_tokens": StopReason.LENGTH,
    "model_context_window_exceeded": StopReason.LENGTH,
}
_FILTERED: Final = frozenset({"guardrail_intervened", "content_filtered"})

#: The HTTP statuses that exceptions inside a stream stand for. A model that fails is a server that fails.
_STATUSES: Final = {
    "throttlingException": 429,
    "modelNotReadyException": 429,
    "serviceUnavailableException": 503,
    "internalServerException": 500,
    "modelStreamErrorException": 500,
    "modelErrorException": 500,
    "modelTimeoutException": 408,
    "validationException": 400,
    "serviceQuotaExceededException": 400,
    "accessDeniedException": 403,
    "resourceNotFoundException": 404,
}


class ConverseReader:
    """Reads the stream of one reply.

    Args:
        origin: Where the reply comes from.
        taken: Ids of calls that the conversation already has.
        strict: The tools that get a strict schema, each with its own one; it is filled when the request is made.

    Attributes:
        finish: The stop reason that came; empty for none yet.
        ended: Whether the last event, the counts, came.
        begun: Whether any event came.
    """

    def __init__(
        self,
        origin: Origin,
        taken: frozenset[str] = frozenset(),
        strict: Mapping[str, Schema] | None = None,
    ) -> None:
        self.finish = ""
        self.ended = False
        self.begun = False
        self._assembly = Assembly(origin, taken)
        self._strict = {} if strict is None else strict
        self._blocks: dict[int, Run | OpenCall] = {}
        self._joiners: dict[int, Joiner] = {}
        self._sealed: dict[Run, dict[str, list[str]]] = {}

    def read(self, event: SseEvent, out: list[Event]) -> None:
        """Take one event and append what it says to `out`.

        Raises:
            WireError: `PROTOCOL` for what is no event; an exception that the server put into the stream.
        """
        value = read_object(event._replace(name=""))
        if event.name.startswith(EXCEPTION):
            code = event.name.removeprefix(EXCEPTION)
            raise failed({**(value or {}), "code": code}, _STATUSES)
        if value is None:
            return
        if not self.begun:
            self.begun = True
            out.append(Start())
        index = value.get("contentBlockIndex")
        match event.name:
            case "contentBlockStart" if isinstance(index, int):
                self._open(index, value.get("start"), out)
            case "contentBlockDelta" if isinstance(index, int):
                delta = value.get("delta")
                if isinstance(delta, dict):
                    self._delta(index, delta, out, damaged=event.damaged)
            case "messageStop":
                stop = value.get("stopReason")
                self.finish = stop if isinstance(stop, str) and stop else "none"
            case "metadata":
                self._metadata(value, out)

    def whole(self, value: object, out: list[Event]) -> bool:
        """Take a whole reply that was not streamed; False for what is none.

        Raises:
            WireError: The value is an error.
        """
        output = value.get("output") if isinstance(value, dict) else None
        message = output.get("message") if isinstance(output, dict) else None
        content = message.get("content") if isinstance(message, dict) else None
        if not isinstance(value, dict) or not isinstance(content, list):
            if isinstance(value, dict) and is_error(value):
                raise failed(value, _STATUSES)
            return False
        self.begun = True
        out.append(Start())
        for index, block in enumerate(content):
            if isinstance(block, dict):
                self._whole_block(index, block, out)
        stop = value.get("stopReason")
        self.finish = stop if isinstance(stop, str) and stop else "end_turn"
        self._metadata(value, out)
        return True

    def end(self, out: list[Event]) -> None:
        """Say that the stream is over and append the ends of its calls and `Done` to `out`.

        Raises:
            WireError: `STREAM_ENDED` for a stream that was cut off, `SAFETY` for one that a filter cut, `SERVER`
                for any other stop reason that is no success.
        """
        stop = self._stop()
        for index in self._joiners:
            self._piece(index, self._joiners[index].rest(), out)
        self._settle()
        for call in self._assembly.calls:
            if call.name in self._strict:
                call.parts = [restored(call.text, self._strict[call.name])]
            out.append(ToolCallEnd(call.number, call.call()))
        stop = self._assembly.ending(stop)
        out.append(Done(self._assembly.message(stop)))

    def partial(self) -> AssistantMessage:
        """Return what has come so far, as the part of a failed reply."""
        self._settle()
        return self._assembly.message(StopReason.ERROR)

    def _settle(self) -> None:
        """Settle the ids of the calls, and keep the seals of thinking with it."""
        self._assembly.settle_ids()
        for run, pieces in self._sealed.items():
            run.replay = json.dumps({key: "".join(found) for key, found in pieces.items()})

    def _open(self, index: int, start: object, out: list[Event]) -> None:
        """Begin a call; blocks of text and of thinking begin with their first delta."""
        use = start.get("toolUse") if isinstance(start, dict) else None
        if not isinstance(use, dict) or index in self._blocks:
            return
        call = self._assembly.new_call()
        call.id, call.name = _word(use.get("toolUseId")), _word(use.get("name"))
        call.started = True
        self._blocks[index] = call
        out.append(ToolCallStart(call.number, call.id, call.name))

    def _delta(
        self, index: int, delta: Mapping[str, object], out: list[Event], *, damaged: bool
    ) -> None:
        if isinstance(text := delta.get("text"), str):
            self._run(index, thinking=False)
            self._take(index, text, out)
        if isinstance(thought := delta.get("reasoningContent"), dict):
            run = self._run(index, thinking=True)
            self._take(index, _word(thought.get("text")), out)
            for key in ("signature", "redactedContent"):
                if isinstance(run, Run) and (piece := encodable(_word(thought.get(key)))):
                    self._sealed.setdefault(run, {}).setdefault(key, []).append(piece)
        if isinstance(use := delta.get("toolUse"), dict):
            if damaged:
                raise WireError(
                    ErrorKind.PROTOCOL, "the server sent a tool call with bytes that are not UTF-8"
                )
            if index not in self._blocks:
                self._open(index, {"toolUse": {}}, out)
            self._take(index, _word(use.get("input")), out)

    def _run(self, index: int, *, thinking: bool) -> Run | OpenCall:
        block = self._blocks.get(index)
        if block is None:
            block = self._blocks[index] = self._assembly.new_run(thinking=thinking)
        return block

    def _take(self, index: int, piece: str, out: list[Event]) -> None:
        if piece:
            self._piece(index, self._joiners.setdefault(index, Joiner()).take(piece), out)

    def _piece(self, index: int, text: str, out: list[Event]) -> None:
        block = self._blocks[index]
        if not text:
            return
        block.parts.append(text)
        if isinstance(block, OpenCall):
            out.append(ToolCallDelta(block.number, text))
        else:
            out.append(ThinkingDelta(text) if block.thinking else TextDelta(text))

    def _whole_block(self, index: int, block: Mapping[str, object], out: list[Event]) -> None:
        if isinstance(use := block.get("toolUse"), dict):
            self._open(index, {"toolUse": use}, out)
            self._take(index, json.dumps(use.get("input", {}), ensure_ascii=False), out)
        elif isinstance(thought := block.get("reasoningContent"), dict):
            text = thought.get("reasoningText")
            self._delta(
                index,
                {"reasoningContent": text if isinstance(text, dict) else thought},
                out,
                damaged=False,
            )
        else:
            self._delta(index, block, out, damaged=False)

    def _metadata(self, value: Mapping[str, object], out: list[Event]) -> None:
        self.ended = bool(self.finish)
        tier = value.get("serviceTier")
        self._assembly.service_tier = _word(tier.get("type")) if isinstance(tier, dict) else ""
        usage = value.get("usage")
        if isinstance(usage, dict):
            self._assembly.usage = read_usage(usage)
            out.append(UsageUpdate(self._assembly.usage))

    def _stop(self) -> StopReason:
        stop = _STOPS.get(self.finish)
        if stop is not None:
            return stop
        if not self.finish:
            raise ended_early(begun=self.begun)
        code = one_line(self.finish, 80)
        if self.finish in _FILTERED:
            raise WireError(ErrorKind.SAFETY, "the provider's filter cut the reply", code=code)
        raise WireError(
            ErrorKind.SERVER, f"the server ended the reply with the stop reason {code!r}", code=code
        )


def read_usage(usage: Mapping[str, object]) -> Usage:
    """Read token counts; what is missing, negative or no number is 0."""
    details = usage.get("cacheDetails")
    hours = (
        count(one.get("inputTokens"))
        for one in (details if isinstance(details, list) else ())
        if isinstance(one, dict) and one.get("ttl") == "1h"
    )
    written = count(usage.get("cacheWriteInputTokens"))
    return Usage(
        input=count(usage.get("inputTokens")),
        output=count(usage.get("outputTokens")),
        cache_read=count(usage.get("cacheReadInputTokens")),
        cache_write=written,
        cache_write_1h=min(sum(hours), written),
    )


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""
