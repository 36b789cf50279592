"""Chunks of Chat Completions, read into events: one object at a time, whatever a server leaves out or adds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from eukhe.wire.assembly import Assembly
from eukhe.wire.error_body import classify, is_error, one_line, read_said
from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.events import Done, Start, TextDelta, ThinkingDelta, UsageUpdate
from eukhe.wire.messages import StopReason, Usage
from eukhe.wire.openai_calls import CallReader
from eukhe.wire.unicode import Joiner

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from eukhe.wire.events import Event
    from eukhe.wire.messages import AssistantMessage, Origin
    from eukhe.wire.sse import SseEvent

__all__ = ["ChunkReader", "failed", "read_usage"]

_THINKING_FIELDS = ("reasoning_content", "reasoning", "reasoning_text")
_STOPS = {
    "stop": StopReason.STOP,
    "end": StopReason.STOP,
    "length": StopReason.LENGTH,
    "tool_calls": StopReason.TOOL_USE,
    "function_call": StopReason.TOOL_USE,
}


class ChunkReader:
    """Reads the stream of one reply.

    Args:
        origin: Where the reply comes from.
        taken: Ids of calls that the conversation already has.

    Attributes:
        finish: The finish reason that came; empty for none yet.
        ended: Whether the end marker `[DONE]` came.
        begun: Whether any chunk came.
    """

    def __init__(self, origin: Origin, taken: frozenset[str] = frozenset()) -> None:
        self.finish = ""
        self.ended = False
        self.begun = False
        self._assembly = Assembly(origin, taken)
        self._calls = CallReader(self._assembly)
        self._text = Joiner()
        self._thinking = Joiner()
        self._thinking_field = ""
        self._details: list[dict[str, object]] = []

    def read(self, event: SseEvent) -> Iterator[Event]:
        """Take one server-sent event.

        Raises:
            WireError: `PROTOCOL` for what is no chunk; an error that the server put into the stream.
        """
        data = event.data
        if data == "[DONE]" or not data or data.isspace():
            self.ended = self.ended or bool(data.strip())
            return
        try:
            chunk = json.loads(data)
        except (ValueError, RecursionError):
            if event.name == "error":
                raise failed(data) from None
            raise WireError(
                ErrorKind.PROTOCOL,
                f"the server sent an event that is not JSON: {one_line(data, 200)}",
            ) from None
        if not isinstance(chunk, dict):
            raise WireError(
                ErrorKind.PROTOCOL,
                f"the server sent an event that is no object: {one_line(data, 200)}",
            )
        if event.name == "error":
            raise failed(chunk)
        yield from self.take(chunk, damaged=event.damaged)

    def take(self, chunk: Mapping[str, object], *, damaged: bool = False) -> Iterator[Event]:
        """Take one chunk object, or a whole reply that was not streamed.

        Args:
            chunk: The object.
            damaged: Whether bytes of it were not UTF-8: then it may not carry a piece of a tool call.

        Raises:
            WireError: An error that the server put into the stream.
        """
        if not self.begun:
            self.begun = True
            if is_error(chunk):
                raise failed(chunk)
            yield self._start(chunk)
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if chunk.get("error") or choice is None:
            if is_error(chunk):
                raise failed(chunk)
        elif isinstance(choice, dict) and not choice.get("index"):
            delta = choice.get("delta", choice.get("message"))
            if isinstance(delta, dict):
                yield from self._delta(delta, damaged=damaged)
            if isinstance(finish := choice.get("finish_reason"), str) and finish:
                self.finish = finish
        usage = chunk.get("usage")
        if usage is None and isinstance(choice, dict):
            usage = choice.get("usage")
        if isinstance(usage, dict) and (counts := read_usage(usage)) != self._assembly.usage:
            self._assembly.usage = counts
            yield UsageUpdate(counts)

    def end(self, *, needs_finish: bool = True) -> Iterator[Event]:
        """Say that the stream is over and yield the ends of its calls and `Done`.

        Args:
            needs_finish: Whether a stream without a finish reason is cut off.

        Raises:
            WireError: `STREAM_ENDED` for a stream that was cut off, `SAFETY` for one that a filter cut, `SERVER`
                for any other finish reason that is no success.
        """
        if not self.finish and (needs_finish or not (self.begun and self.ended)):
            raise WireError(
                ErrorKind.STREAM_ENDED,
                "the stream ended before the reply was complete"
                if self.begun
                else "the server ended the stream without a reply",
            )
        stop = _STOPS.get(self.finish or "stop")
        if stop is None:
            filtered = self.finish == "content_filter"
            raise WireError(
                ErrorKind.SAFETY if filtered else ErrorKind.SERVER,
                "the provider's filter cut the reply"
                if filtered
                else f"the server ended the reply with the finish reason {one_line(self.finish, 80)!r}",
                code=one_line(self.finish, 80),
            )
        if rest := self._thinking.rest():
            self._assembly.thinking(rest, self._thinking_field)
            yield ThinkingDelta(rest)
        if rest := self._text.rest():
            self._assembly.text(rest)
            yield TextDelta(rest)
        yield from self._calls.end()
        if stop is not StopReason.LENGTH:
            stop = StopReason.TOOL_USE if self._assembly.calls else StopReason.STOP
        yield Done(self._message(stop))

    def partial(self) -> AssistantMessage:
        """Return what has come so far, as the part of a failed reply."""
        self._assembly.settle_ids()
        return self._message(StopReason.ERROR)

    def _message(self, stop: StopReason) -> AssistantMessage:
        if self._details:
            self._assembly.replay = json.dumps({"reasoning_details": self._details})
        return self._assembly.message(stop)

    def _start(self, chunk: Mapping[str, object]) -> Start:
        model, reply_id = chunk.get("model"), chunk.get("id")
        self._assembly.model = one_line(model, 200) if isinstance(model, str) else ""
        self._assembly.response_id = one_line(reply_id, 200) if isinstance(reply_id, str) else ""
        return Start(self._assembly.model, self._assembly.response_id)

    def _delta(self, delta: Mapping[str, object], *, damaged: bool) -> Iterator[Event]:
        for field in _THINKING_FIELDS:
            if (thought := delta.get(field)) and isinstance(thought, str):
                if piece := self._thinking.take(thought):
                    self._thinking_field = field
                    self._assembly.thinking(piece, field)
                    yield ThinkingDelta(piece)
                break
        if isinstance(details := delta.get("reasoning_details"), list):
            for item in details:
                self._detail(item)
        content = delta.get("content") or delta.get("refusal")
        if content and (text := self._text.take(_plain(content))):
            self._assembly.text(text)
            yield TextDelta(text)
        fragments = delta.get("tool_calls")
        if not fragments and isinstance(old := delta.get("function_call"), dict):
            fragments = [{"function": old}]
        if isinstance(fragments, list):
            for fragment in fragments:
                if isinstance(fragment, dict):
                    if damaged:
                        raise WireError(
                            ErrorKind.PROTOCOL,
                            "the server sent a tool call with bytes that are not UTF-8",
                        )
                    yield from self._calls.read(fragment)

    def _detail(self, item: object) -> None:
        """Keep an item of `reasoning_details`; pieces of one text are joined, the rest stays as it is."""
        if not isinstance(item, dict):
            return
        last = self._details[-1] if self._details else {}
        key = {"reasoning.text": "text", "reasoning.summary": "summary"}.get(str(item.get("type")))
        if key and (last.get("type"), last.get("index")) == (item.get("type"), item.get("index")):
            joined = f"{last.get(key) or ''}{item.get(key) or ''}"
            self._details[-1] = {
                **last,
                **{k: v for k, v in item.items() if v is not None},
                key: joined,
            }
        else:
            self._details.append(dict(item))


def read_usage(usage: Mapping[str, object]) -> Usage:
    """Read token counts in any of the spellings; what is missing, negative or no number is 0."""
    prompt_details = usage.get("prompt_tokens_details")
    details = prompt_details if isinstance(prompt_details, dict) else {}
    output_details = usage.get("completion_tokens_details")
    reasoning = output_details.get("reasoning_tokens") if isinstance(output_details, dict) else 0
    cached = (
        _count(details.get("cached_tokens"))
        or _count(usage.get("prompt_cache_hit_tokens"))
        or _count(usage.get("cached_tokens"))
    )
    written = _count(details.get("cache_write_tokens"))
    return Usage(
        input=max(0, _count(usage.get("prompt_tokens")) - cached - written),
        output=_count(usage.get("completion_tokens")),
        cache_read=cached,
        cache_write=written,
        reasoning=_count(reasoning),
    )


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _plain(content: object) -> str:
    """Read content that is a text, or a list of text parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(text for text in texts if isinstance(text, str))
    return ""


def failed(value: object) -> WireError:
    """Make the error that a server put into its stream."""
    said = read_said(value)
    what = said.message or said.code or one_line(json.dumps(value), 200)
    return WireError(
        classify(None, said),
        f"the server failed during the reply: {what}",
        status=said.status,
        provider_message=said.message,
        code=said.code,
    )
