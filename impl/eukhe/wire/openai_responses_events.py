"""Events of a response, read into events of eukhe: items by their place in the output, then the status."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eukhe.wire.assembly import Assembly
from eukhe.wire.error_body import failed, is_error, one_line
from eukhe.wire.errors import ErrorKind, WireError, ended_early
from eukhe.wire.events import Done, Start, ToolCallEnd, UsageUpdate
from eukhe.wire.messages import StopReason, Usage
from eukhe.wire.openai_responses_items import CallItem, TextItem, opened, word
from eukhe.wire.payload import count, read_object
from eukhe.wire.strict_tools import restored

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.wire.events import Event
    from eukhe.wire.messages import AssistantMessage, Origin
    from eukhe.wire.openai_responses_items import Item
    from eukhe.wire.sse import SseEvent

__all__ = ["ResponseReader", "read_usage"]

_BEGINS: Final = frozenset({"created", "in_progress", "queued"})
_ENDS: Final = frozenset({"completed", "incomplete", "failed", "cancelled", "done"})

#: What kind of failure an error code is, where its text does not tell.
_CODES: Final = {
    "server_error": ErrorKind.SERVER,
    "rate_limit_exceeded": ErrorKind.RATE_LIMIT,
    "vector_store_timeout": ErrorKind.TIMEOUT,
    "context_length_exceeded": ErrorKind.CONTEXT_OVERFLOW,
    "invalid_prompt": ErrorKind.INVALID_REQUEST,
    "invalid_request_error": ErrorKind.INVALID_REQUEST,
    "data_residency_mismatch": ErrorKind.INVALID_REQUEST,
    "bio_policy": ErrorKind.SAFETY,
    "misalignment_policy_violation": ErrorKind.SAFETY,
    "cyber_policy": ErrorKind.SAFETY,
}


class ResponseReader:
    """Reads the stream of one response.

    Args:
        origin: Where the reply comes from.
        taken: Ids of calls that the conversation already has.
        strict: The tools that get a strict schema, each with its own one; it is filled when the request is made.

    Attributes:
        finish: The status that the response ended with; empty for none yet.
        ended: Whether nothing more comes.
        begun: Whether any event came.
        response: The response as it was at its end; empty before.
    """

    def __init__(
        self,
        origin: Origin,
        taken: frozenset[str] = frozenset(),
        strict: Mapping[str, Mapping[str, object]] | None = None,
    ) -> None:
        self.finish = ""
        self.ended = False
        self.begun = False
        self.response: Mapping[str, object] = {}
        self._assembly = Assembly(origin, taken)
        self._strict = {} if strict is None else strict
        self._taken = frozenset(call_id.partition("|")[0] for call_id in taken)
        self._items: dict[int, Item | None] = {}
        self._last: Item | None = None
        self._started = False

    def read(self, event: SseEvent, out: list[Event]) -> None:
        """Take one server-sent event and append what it says to `out`.

        Raises:
            WireError: `PROTOCOL` for what is no event; an error that the server put into the stream.
        """
        try:
            value = read_object(event)
        except WireError as error:
            raise _ranked(error) from None
        if value is None:
            self.ended = self.ended or event.data.strip() == "[DONE]"
            return
        self.begun = True
        self._take(value, word(value.get("type")) or event.name, out, damaged=event.damaged)

    def whole(self, value: object, out: list[Event]) -> bool:
        """Take a whole response that was not streamed; False for what is none.

        Raises:
            WireError: The value is an error.
        """
        if not isinstance(value, dict) or (value.get("object") != "response" and is_error(value)):
            raise _ranked(failed(value))
        if value.get("object") != "response" and not isinstance(value.get("output"), list):
            return False
        self.begun = True
        self._end_of(value, "completed", out)
        return True

    def end(self, out: list[Event]) -> None:
        """Say that the stream is over and append the ends of its calls and `Done` to `out`.

        Raises:
            WireError: `STREAM_ENDED` for a stream that was cut off, `SAFETY` for one that a filter cut, `SERVER`
                for one that the server cancelled; the error of a response that failed.
        """
        stop = self._stop()
        for item in self._items.values():
            if item is not None:
                item.close(out)
        self._settle_ids()
        for call in self._assembly.calls:
            if (own := self._strict.get(call.name)) is not None:
                call.parts[:] = [restored(call.text, own)]
            out.append(ToolCallEnd(call.number, call.call()))
        if stop is StopReason.STOP and self._assembly.calls:
            stop = StopReason.TOOL_USE
        out.append(Done(self._assembly.message(stop)))

    def partial(self) -> AssistantMessage:
        """Return what has come so far, as the part of a failed reply."""
        self._settle_ids()
        return self._assembly.message(StopReason.ERROR)

    def _settle_ids(self) -> None:
        """Let no two calls be answered by one result: the first of an id keeps it."""
        seen: set[str] = set()
        for call in self._assembly.calls:
            call_id = call.id.partition("|")[0]
            if call_id in seen:
                call.id = ""
            seen.add(call_id)
        self._assembly.settle_ids(self._taken.union(seen))

    def _take(
        self, event: Mapping[str, object], kind: str, out: list[Event], *, damaged: bool
    ) -> None:
        name = kind.removeprefix("response.")
        if kind == "error" or ("type" not in event and is_error(event)):
            raise _ranked(failed(event))
        response = event.get("response")
        if isinstance(response, dict) and name in _ENDS:
            _whole_bytes(damaged)
            self._end_of(response, name, out)
        elif name in _BEGINS:
            self._start(response if isinstance(response, dict) else {}, out)
        elif isinstance(index := event.get("output_index"), int):
            item = event.get("item")
            whole = item if isinstance(item, dict) else {}
            if name in ("output_item.added", "output_item.done"):
                self._open(index, whole, out)
            known = self._items.get(index)
            if known is None:
                return
            _whole_bytes(damaged and isinstance(known, CallItem))
            if name == "output_item.done":
                known.done(whole, out)
            else:
                known.delta(name, event, out)

    def _start(self, response: Mapping[str, object], out: list[Event]) -> None:
        if not self._started:
            self._started = True
            self._assembly.model = one_line(word(response.get("model")), 200)
            self._assembly.response_id = one_line(word(response.get("id")), 200)
            out.append(Start(self._assembly.model, self._assembly.response_id))

    def _open(self, index: int, item: Mapping[str, object], out: list[Event]) -> None:
        if index in self._items:
            return
        self._start({}, out)
        after_text = isinstance(self._last, TextItem)
        known = opened(item, self._assembly, after_text=after_text)
        self._items[index] = known
        self._last = known or self._last
        if isinstance(known, CallItem) and word(item.get("name")):
            known.start(out)

    def _end_of(self, response: Mapping[str, object], name: str, out: list[Event]) -> None:
        """Take the response as it is at its end: its items once more, its status, what it used."""
        self._start(response, out)
        output = response.get("output")
        for index, item in enumerate(output if isinstance(output, list) else ()):
            if isinstance(item, dict):
                self._open(index, item, out)
                if (known := self._items[index]) is not None:
                    known.done(item, out)
        status = word(response.get("status"))
        self.finish = status if status in _ENDS else "completed" if name == "done" else name
        self.response = response
        self.ended = True
        self._assembly.service_tier = one_line(word(response.get("service_tier")), 80)
        usage = response.get("usage")
        if isinstance(usage, dict):
            self._assembly.usage = read_usage(usage)
            out.append(UsageUpdate(self._assembly.usage))

    def _stop(self) -> StopReason:
        """Why the reply ended, or the error that it ended with."""
        match self.finish:
            case "completed" | "done":
                return StopReason.STOP
            case "incomplete":
                details = self.response.get("incomplete_details")
                reason = word(details.get("reason")) if isinstance(details, dict) else ""
                if reason == "max_output_tokens":
                    return StopReason.LENGTH
                code = one_line(reason, 80)
                if reason == "content_filter":
                    text = "the provider's filter cut the reply"
                    raise WireError(ErrorKind.SAFETY, text, code=code)
                said = f": {code}" if code else ""
                raise WireError(
                    ErrorKind.SERVER, f"the server left the reply incomplete{said}", code=code
                )
            case "failed":
                raise _ranked(
                    failed({"error": self.response.get("error") or "it does not say why"})
                )
            case "cancelled":
                raise WireError(ErrorKind.SERVER, "the server cancelled the reply")
        raise ended_early(begun=self.begun)


def read_usage(usage: Mapping[str, object]) -> Usage:
    """Read token counts; what is missing, negative or no number is 0."""
    read, written = usage.get("input_tokens_details"), usage.get("output_tokens_details")
    inputs = read if isinstance(read, dict) else {}
    outputs = written if isinstance(written, dict) else {}
    cached, cache_write = (
        count(inputs.get("cached_tokens")),
        count(inputs.get("cache_write_tokens")),
    )
    return Usage(
        input=max(0, count(usage.get("input_tokens")) - cached - cache_write),
        output=count(usage.get("output_tokens")),
        cache_read=cached,
        cache_write=cache_write,
        reasoning=count(outputs.get("reasoning_tokens")),
    )


def _ranked(error: WireError) -> WireError:
    """The error with the kind that its code means."""
    image = error.code.startswith(("image_", "invalid_image"))
    kind = ErrorKind.INVALID_REQUEST if image else _CODES.get(error.code)
    if kind is not None and error.kind is ErrorKind.SERVER:
        error.kind = kind
    return error


def _whole_bytes(damaged: bool) -> None:
    if damaged:
        raise WireError(
            ErrorKind.PROTOCOL, "the server sent a tool call with bytes that are not UTF-8"
        )
