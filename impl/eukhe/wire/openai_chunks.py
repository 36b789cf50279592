"""Chunks of Chat Completions, read into events: one object at a time, whatever a server leaves out or adds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from eukhe.wire.assembly import Assembly
from eukhe.wire.error_body import failed, is_error, one_line
from eukhe.wire.errors import ErrorKind, WireError, ended_early
from eukhe.wire.events import (
    Done,
    PromptProgress,
    Start,
    TextDelta,
    ThinkingDelta,
    UsageUpdate,
)
from eukhe.wire.messages import StopReason, Usage
from eukhe.wire.openai_calls import CallReader
from eukhe.wire.payload import count, kept_text, read_object
from eukhe.wire.unicode import Joiner

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.wire.events import Event
    from eukhe.wire.messages import AssistantMessage, Origin
    from eukhe.wire.sse import SseEvent
    from eukhe.wire.strict_tools import Schema

__all__ = ["ChunkReader", "read_usage"]

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
        needs_finish: Whether a stream without a finish reason is cut off.
        strict: The own schemas of the tools that get a strict one; it is filled when the request is made.

    Attributes:
        finish: The finish reason that came; empty for none yet.
        ended: Whether the end marker `[DONE]` came.
        begun: Whether any chunk came.
    """

    def __init__(
        self,
        origin: Origin,
        taken: frozenset[str] = frozenset(),
        *,
        needs_finish: bool = True,
        strict: Mapping[str, Schema] | None = None,
    ) -> None:
        self.finish = ""
        self._strict = {} if strict is None else strict
        self._needs_finish = needs_finish
        self.ended = False
        self.begun = False
        self._assembly = Assembly(origin, taken)
        self._calls = CallReader(self._assembly)
        self._text = Joiner()
        self._thinking = Joiner()
        self._thinking_field = ""
        self._details: list[dict[str, object]] = []

    def read(self, event: SseEvent, out: list[Event]) -> None:
        """Take one server-sent event and append what it says to `out`.

        Raises:
            WireError: `PROTOCOL` for what is no chunk; an error that the server put into the stream.
        """
        chunk = read_object(event)
        if chunk is None:
            self.ended = self.ended or event.data.strip() == "[DONE]"
            return
        self.take(chunk, out, damaged=event.damaged)

    def take(self, chunk: Mapping[str, object], out: list[Event], *, damaged: bool = False) -> None:
        """Take one chunk object, or a whole reply that was not streamed.

        Args:
            chunk: The object.
            out: Gets what it says.
            damaged: Whether bytes of it were not UTF-8: then it may not carry a piece of a tool call.

        Raises:
            WireError: An error that the server put into the stream.
        """
        if not self.begun:
            self.begun = True
            if is_error(chunk):
                raise failed(chunk)
            out.append(self._start(chunk))
        if "prompt_progress" in chunk and isinstance(told := chunk["prompt_progress"], dict):
            out.append(_progress(told))
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if chunk.get("error") or choice is None:
            if is_error(chunk):
                raise failed(chunk)
        elif isinstance(choice, dict) and not choice.get("index"):
            delta = choice.get("delta", choice.get("message"))
            if isinstance(delta, dict):
                self._delta(delta, out, damaged=damaged)
            if isinstance(finish := choice.get("finish_reason"), str) and finish:
                self.finish = finish
        usage = chunk.get("usage")
        if usage is None and isinstance(choice, dict):
            usage = choice.get("usage")
        if isinstance(usage, dict) and (counts := read_usage(usage)) != self._assembly.usage:
            self._assembly.usage = counts
            self._tier(chunk)  # OpenAI names it in each chunk; the first and the last are enough
            out.append(UsageUpdate(counts))

    def whole(self, value: object, out: list[Event]) -> bool:
        """Take a whole reply that was not streamed; False for what is none.

        Raises:
            WireError: The value is an error.
        """
        if not isinstance(value, dict) or is_error(value):
            raise failed(value)
        choices = value.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict) or not isinstance(choice.get("message"), dict):
            return False
        self.take(value, out)
        self.finish = self.finish or "stop"
        return True

    def end(self, out: list[Event]) -> None:
        """Say that the stream is over and append the ends of its calls and `Done` to `out`.

        Args:
            out: Gets the last events.

        Raises:
            WireError: `STREAM_ENDED` for a stream that was cut off, `SAFETY` for one that a filter cut, `SERVER`
                for any other finish reason that is no success.
        """
        if not self.finish and (self._needs_finish or not (self.begun and self.ended)):
            raise ended_early(begun=self.begun)
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
            out.append(ThinkingDelta(rest))
        if rest := self._text.rest():
            self._assembly.text(rest)
            out.append(TextDelta(rest))
        self._calls.end(out, self._strict)
        stop = self._assembly.ending(stop)
        out.append(Done(self._message(stop)))

    def partial(self) -> AssistantMessage:
        """Return what has come so far, as the part of a failed reply."""
        self._assembly.settle_ids()
        return self._message(StopReason.ERROR)

    def _message(self, stop: StopReason) -> AssistantMessage:
        if self._details:
            self._assembly.replay = kept_text({"reasoning_details": self._details})
        return self._assembly.message(stop)

    def _tier(self, chunk: Mapping[str, object]) -> None:
        if isinstance(tier := chunk.get("service_tier"), str) and tier:
            self._assembly.service_tier = one_line(tier, 80)

    def _start(self, chunk: Mapping[str, object]) -> Start:
        model, reply_id = chunk.get("model"), chunk.get("id")
        self._assembly.model = one_line(model, 200) if isinstance(model, str) else ""
        self._assembly.response_id = one_line(reply_id, 200) if isinstance(reply_id, str) else ""
        self._tier(chunk)
        return Start(self._assembly.model, self._assembly.response_id)

    def _delta(self, delta: Mapping[str, object], out: list[Event], *, damaged: bool) -> None:
        content = delta.get("content")
        if len(delta) > 1 or content is None:  # almost every delta holds the content alone
            self._think(delta, out)
            content = content or delta.get("refusal")
        if content and (text := self._text.take(_plain(content))):
            self._assembly.text(text)
            out.append(TextDelta(text))
        if len(delta) > 1 or content is None:
            self._call(delta, out, damaged=damaged)

    def _think(self, delta: Mapping[str, object], out: list[Event]) -> None:
        """Read the first thinking field that holds text; several hosts send two with the same text."""
        details = delta.get("reasoning_details")
        spelled = "".join(map(self._detail, details)) if isinstance(details, list) else ""
        fields = ((field, delta.get(field)) for field in _THINKING_FIELDS)
        field, thought = next(
            ((f, t) for f, t in fields if t and isinstance(t, str)), ("", spelled)
        )
        if not thought:
            return
        self._thinking_field = field
        if piece := self._thinking.take(thought):
            self._assembly.thinking(piece, field)
            out.append(ThinkingDelta(piece))

    def _call(self, delta: Mapping[str, object], out: list[Event], *, damaged: bool) -> None:
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
                    self._calls.read(fragment, out)

    def _detail(self, item: object) -> str:
        """Keep an item of `reasoning_details` for the replay and return its text.

        Pieces of one text or summary are joined; encrypted items stay as they are.
        """
        if not isinstance(item, dict):
            return ""
        key = {"reasoning.text": "text", "reasoning.summary": "summary"}.get(str(item.get("type")))
        text = item.get(key) if key else None
        piece = text if isinstance(text, str) else ""
        last = self._details[-1] if self._details else {}
        if key and (last.get("type"), last.get("index")) == (item.get("type"), item.get("index")):
            known = {name: value for name, value in item.items() if value is not None}
            self._details[-1] = {**last, **known, key: f"{last.get(key) or ''}{piece}"}
        else:
            self._details.append(dict(item))
        return piece


def _progress(told: Mapping[str, object]) -> PromptProgress:
    """Read how far a server is with the prompt; what is missing, negative or no number is 0."""
    total, cache, processed, ms = (
        count(told.get(key)) for key in ("total", "cache", "processed", "time_ms")
    )
    return PromptProgress(total, cache, processed, ms)


def read_usage(usage: Mapping[str, object]) -> Usage:
    """Read token counts in any of the spellings; what is missing, negative or no number is 0."""
    prompt_details = usage.get("prompt_tokens_details")
    details = prompt_details if isinstance(prompt_details, dict) else {}
    output_details = usage.get("completion_tokens_details")
    reasoning = output_details.get("reasoning_tokens") if isinstance(output_details, dict) else 0
    cached = (
        count(details.get("cached_tokens"))
        or count(usage.get("prompt_cache_hit_tokens"))
        or count(usage.get("cached_tokens"))
    )
    written = count(details.get("cache_write_tokens"))
    return Usage(
        input=max(0, count(usage.get("prompt_tokens")) - cached - written),
        output=count(usage.get("completion_tokens")),
        cache_read=cached,
        cache_write=written,
        reasoning=count(reasoning),
        cost=_cost(usage),
    )


def _cost(usage: Mapping[str, object]) -> float | None:
    """Read what the server charges in US dollars (OpenRouter), the bill behind a key of one's own included."""
    charged = _dollars(usage.get("cost"))
    if charged is None or usage.get("is_byok") is not True:
        return charged
    details = usage.get("cost_details")
    billed = details.get("upstream_inference_cost") if isinstance(details, dict) else None
    upstream = _dollars(billed)
    return None if upstream is None else charged + upstream


def _dollars(value: object) -> float | None:
    """Read an amount; what is negative or no finite number is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        amount = float(value)
    except OverflowError:
        return None
    return amount if math.isfinite(amount) and amount >= 0 else None


def _plain(content: object) -> str:
    """Read content that is a text, or a list of text parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(text for text in texts if isinstance(text, str))
    return ""
