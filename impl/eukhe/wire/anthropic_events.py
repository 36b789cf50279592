"""The events of Anthropic's Messages, read into ours: blocks by their index, counts that only ever overwrite."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from eukhe.wire.assembly import Assembly, OpenCall, Run
from eukhe.wire.error_body import failed, one_line
from eukhe.wire.errors import ErrorKind, WireError, ended_early
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
from eukhe.wire.unicode import Joiner

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.wire.events import Event
    from eukhe.wire.messages import AssistantMessage, Origin
    from eukhe.wire.sse import SseEvent
    from eukhe.wire.strict_tools import Schema

__all__ = ["STATUSES", "MessageReader", "read_usage"]

#: The statuses that the types of errors stand for; inside a stream the type is all there is.
STATUSES: Final[Mapping[str, int]] = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
_STOPS: Final = {
    "end_turn": StopReason.STOP,
    "stop_sequence": StopReason.STOP,
    "pause_turn": StopReason.STOP,
    "compaction": StopReason.STOP,
    "tool_use": StopReason.TOOL_USE,
    "max_tokens": StopReason.LENGTH,
    "model_context_window_exceeded": StopReason.LENGTH,
}
_REFUSED: Final = ("refusal", "sensitive")


class _Block:
    """A block that is still coming.

    Attributes:
        holder: Where its pieces go.
        joiner: Joins the halves of its code points.
        input: The arguments that a call began with; empty for none.
        signed: The pieces of the signature.
    """

    __slots__ = ("holder", "input", "joiner", "signed")

    def __init__(self, holder: Run | OpenCall) -> None:
        self.holder = holder
        self.joiner = Joiner()
        self.input = ""
        self.signed: list[str] = []


class MessageReader:
    """Reads the stream of one reply.

    Args:
        origin: Where the reply comes from.
        taken: Ids of calls that the conversation already has.
        strict: The own schemas of the tools that got a strict one.

    Attributes:
        finish: The stop reason that came; empty for none yet.
        ended: Whether the server said that nothing more comes.
        begun: Whether any event of the API came.
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
        self._strict = {} if strict is None else strict  # it is filled when the request is made
        self._blocks: dict[object, _Block] = {}
        self._every: list[_Block] = []
        self._counts: dict[str, object] = {}
        self._why = ""

    def read(self, event: SseEvent, out: list[Event]) -> None:
        """Take one server-sent event and append what it says to `out`; an event of another name is ignored.

        Raises:
            WireError: `PROTOCOL` for what is no event of the API; an error that the server put into the stream.
        """
        value = read_object(event, STATUSES)
        if value is None:
            self.ended = self.ended or event.data.strip() == "[DONE]"
            return
        match value.get("type"):
            case "content_block_delta":
                self._delta(value.get("index"), _map(value.get("delta")), out, event.damaged)
            case "content_block_start":
                self._begin(value.get("index"), _map(value.get("content_block")), out)
            case "message_start":
                self._start(_map(value.get("message")), out)
            case "message_delta":
                delta = _map(value.get("delta"))
                self._finish(delta.get("stop_reason"), delta.get("stop_details"))
                self._usage(value.get("usage"), out)
            case "message_stop":
                self.ended = True
                if self.begun:
                    self.finish = self.finish or "end_turn"
            case "error":
                raise failed(value, STATUSES)
            case None if value.get("error"):
                raise failed(value, STATUSES)

    def whole(self, value: object, out: list[Event]) -> bool:
        """Take a whole reply that was not streamed; False for what is none.

        Raises:
            WireError: The value is an error.
        """
        if not isinstance(value, dict) or value.get("type") == "error" or value.get("error"):
            raise failed(value, STATUSES)
        blocks = value.get("content")
        if not isinstance(blocks, list):
            return False
        self._start(value, out)
        for index, block in enumerate(blocks):
            self._begin(index, _map(block), out)
        self._finish(value.get("stop_reason") or "end_turn", value.get("stop_details"))
        return True

    def end(self, out: list[Event]) -> None:
        """Say that the stream is over and append the ends of its calls and `Done` to `out`.

        Raises:
            WireError: `STREAM_ENDED` for a stream that was cut off, `SAFETY` for a refusal, `SERVER` for any other
                stop reason that is no success.
        """
        if not self.finish:
            raise ended_early(begun=self.begun)
        stop = _STOPS.get(self.finish)
        if stop is None:
            word = one_line(self.finish, 80)
            if self.finish in _REFUSED:
                why = self._why or "it gives no reason"
                raise WireError(
                    ErrorKind.SAFETY, f"the model refused to answer: {why}", None, self._why, word
                )
            raise WireError(
                ErrorKind.SERVER,
                f"the server ended the reply with the stop reason {word!r}",
                code=word,
            )
        self._close(out)
        stop = self._assembly.ending(stop)
        out.append(Done(self._assembly.message(stop)))

    def partial(self) -> AssistantMessage:
        """Return what has come so far, as the part of a failed reply."""
        self._keep()
        self._assembly.settle_ids()
        return self._assembly.message(StopReason.ERROR)

    def _start(self, message: Mapping[str, object], out: list[Event]) -> None:
        self._assembly.model = _line(message.get("model")) or self._assembly.model
        self._assembly.response_id = _line(message.get("id")) or self._assembly.response_id
        self._begun(out)
        self._usage(message.get("usage"), out)

    def _begun(self, out: list[Event]) -> None:
        """Tell that the reply began, once and first, also where its start is missing or comes late."""
        if not self.begun:
            self.begun = True
            out.append(Start(self._assembly.model, self._assembly.response_id))

    def _begin(self, index: object, block: Mapping[str, object], out: list[Event]) -> None:
        """Begin a block; one of a kind that is not known is ignored with its deltas."""
        self._begun(out)
        match block.get("type"):
            case "text":
                self._piece(self._open(index, thinking=False), block.get("text"), out)
            case "thinking":
                opened = self._open(index, thinking=True)
                self._piece(opened, block.get("thinking"), out)
                self._sign(opened, block.get("signature"))
            case "redacted_thinking":
                run = self._assembly.new_run(thinking=True)
                run.replay = json.dumps({"data": _text(block.get("data"))})
            case "tool_use":
                call = self._assembly.new_call()
                call.id, call.name = _text(block.get("id")), _text(block.get("name"))
                opened = self._blocks[_key(index)] = _Block(call)
                self._every.append(opened)
                given = block.get("input")
                opened.input = json.dumps(given) if given and isinstance(given, dict) else ""
                call.started = True
                out.append(ToolCallStart(call.number, call.id, call.name))

    def _delta(
        self, index: object, delta: Mapping[str, object], out: list[Event], damaged: bool
    ) -> None:
        if not self.begun:
            self._begun(out)
        block = self._blocks.get(_key(index))
        match delta.get("type"):
            case "text_delta":
                self._piece(self._run(block, index, thinking=False), delta.get("text"), out)
            case "thinking_delta":
                self._piece(self._run(block, index, thinking=True), delta.get("thinking"), out)
            case "signature_delta":
                self._sign(self._run(block, index, thinking=True), delta.get("signature"))
            case "input_json_delta":
                if block is None or not isinstance(block.holder, OpenCall):
                    return  # of a call that the server makes itself
                if damaged:
                    raise WireError(
                        ErrorKind.PROTOCOL,
                        "the server sent a tool call with bytes that are not UTF-8",
                    )
                self._piece(block, delta.get("partial_json"), out)

    def _open(self, index: object, *, thinking: bool) -> _Block:
        block = self._blocks[_key(index)] = _Block(self._assembly.new_run(thinking=thinking))
        self._every.append(block)
        return block

    def _run(self, block: _Block | None, index: object, *, thinking: bool) -> _Block:
        """The block of a delta; one that did not begin, or is of another kind, begins now."""
        if block is not None:
            holder = block.holder
            if isinstance(holder, Run) and holder.thinking == thinking:
                return block
        return self._open(index, thinking=thinking)

    def _piece(self, block: _Block, piece: object, out: list[Event]) -> None:
        if isinstance(piece, str) and piece and (text := block.joiner.take(piece)):
            self._add(block.holder, text, out)

    def _add(self, holder: Run | OpenCall, text: str, out: list[Event]) -> None:
        holder.parts.append(text)
        if isinstance(holder, OpenCall):
            out.append(ToolCallDelta(holder.number, text))
        else:
            out.append(ThinkingDelta(text) if holder.thinking else TextDelta(text))

    def _sign(self, block: _Block, piece: object) -> None:
        if isinstance(piece, str) and piece:
            block.signed.append(piece)

    def _keep(self) -> None:
        """Keep the signatures with what they sign."""
        for block in self._every:
            if block.signed:
                block.holder.replay = json.dumps({"signature": "".join(block.signed)})

    def _finish(self, reason: object, details: object) -> None:
        if isinstance(reason, str) and reason:
            self.finish = reason
            said = _map(details)
            category, why = _line(said.get("category")), _line(said.get("explanation"))
            self._why = f"{category}: {why}" if category and why else category or why

    def _usage(self, value: object, out: list[Event]) -> None:
        """Take counts: each that is present overwrites the one before."""
        told = {name: one for name, one in _map(value).items() if one is not None}
        if not told:
            return
        self._begun(out)
        self._counts |= told
        self._assembly.service_tier = _line(self._counts.get("service_tier"))
        counts = read_usage(self._counts)
        if counts != self._assembly.usage:
            self._assembly.usage = counts
            out.append(UsageUpdate(counts))

    def _close(self, out: list[Event]) -> None:
        self._keep()
        for block in self._every:
            holder = block.holder
            if rest := block.joiner.rest():
                self._add(holder, rest, out)
            if block.input and not holder.parts:
                self._add(holder, block.input, out)
        self._assembly.settle_ids()
        for call in self._assembly.calls:
            if call.name in self._strict:
                call.parts = [restored(call.text, self._strict[call.name])]
            out.append(ToolCallEnd(call.number, call.call()))


def read_usage(usage: Mapping[str, object]) -> Usage:
    """Read token counts; what is missing, negative or no number is 0."""
    creation = _map(usage.get("cache_creation"))
    hour = count(creation.get("ephemeral_1h_input_tokens"))
    parts = hour + count(creation.get("ephemeral_5m_input_tokens"))
    details = _map(usage.get("output_tokens_details"))
    written = count(usage.get("cache_creation_input_tokens")) or parts
    return Usage(
        input=count(usage.get("input_tokens")),
        output=count(usage.get("output_tokens")),
        cache_read=count(usage.get("cache_read_input_tokens")),
        cache_write=written,
        reasoning=count(details.get("thinking_tokens")),
        cache_write_1h=min(hour, written),
    )


def _key(index: object) -> object:
    """An index as a key of a table; what cannot be one is one of all such."""
    return index if isinstance(index, int | str) else None


def _map(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _line(value: object) -> str:
    return one_line(value, 200) if isinstance(value, str) else ""
