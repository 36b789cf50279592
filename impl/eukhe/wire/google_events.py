"""The chunks of Google's generateContent, read into events: parts in order, signatures kept with their part."""

from __future__ import annotations

import json
import re
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
from eukhe.wire.unicode import Joiner

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.wire.events import Event
    from eukhe.wire.messages import AssistantMessage, Origin
    from eukhe.wire.sse import SseEvent

__all__ = ["ContentReader", "read_usage"]

_STOPS: Final = {"STOP": StopReason.STOP, "MAX_TOKENS": StopReason.LENGTH}
_NONE_YET: Final = ("", "FINISH_REASON_UNSPECIFIED")
#: What the provider's filters say; the same request would be stopped again.
_FILTERED: Final = (
    *("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"),
    *("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"),
)
_SIGNATURE: Final = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")
#: What a chunk, a refused prompt or an error has.
_KEYS: Final = frozenset({"candidates", "promptFeedback", "error"})
#: The tiers that the kind of traffic stands for.
_TIERS: Final = {"ON_DEMAND_PRIORITY": "priority", "ON_DEMAND_FLEX": "flex"}


class ContentReader:
    """Reads the stream of one reply.

    Args:
        origin: Where the reply comes from.
        taken: Ids of calls that the conversation already has.

    Attributes:
        finish: The finish reason that came; empty for none yet.
        ended: Whether an end marker came; the API itself has none.
        begun: Whether any chunk came.
    """

    def __init__(self, origin: Origin, taken: frozenset[str] = frozenset()) -> None:
        self.finish = ""
        self.ended = False
        self.begun = False
        self._assembly = Assembly(origin, taken)
        self._run: Run | None = None
        self._joiner = Joiner()
        self._given: list[tuple[OpenCall, str, str]] = []
        self._why = ""

    def read(self, event: SseEvent, out: list[Event]) -> None:
        """Take one server-sent event and append what it says to `out`.

        Raises:
            WireError: `PROTOCOL` for what is no chunk; an error that the server put into the stream.
        """
        value = read_object(event)
        if value is None:
            self.ended = self.ended or event.data.strip() == "[DONE]"
        else:
            self._take(value, out, damaged=event.damaged)

    def whole(self, value: object, out: list[Event]) -> bool:
        """Take a whole reply, or all chunks of one in a list; False for what is none.

        Raises:
            WireError: The value is an error, in a list of one or not.
        """
        found = value if isinstance(value, list) else [value]
        chunks = [one for one in found if isinstance(one, dict) and one.keys() & _KEYS]
        if not chunks or len(chunks) < len(found):
            return False
        for one in chunks:
            self._take(one, out, damaged=False)
        return True

    def end(self, out: list[Event]) -> None:
        """Say that the stream is over and append the ends of its calls and `Done` to `out`.

        Raises:
            WireError: `STREAM_ENDED` for a stream that was cut off, `SAFETY` for one that a filter cut, `SERVER`
                for any other finish reason that is no success.
        """
        if not self.finish:
            raise ended_early(begun=self.begun)
        stop = _STOPS.get(self.finish)
        if stop is None:
            word = one_line(self.finish, 80)
            more = f": {self._why}" if self._why else ""
            filtered = self.finish in _FILTERED
            raise WireError(
                ErrorKind.SAFETY if filtered else ErrorKind.SERVER,
                f"the provider's filter cut the reply ({word}){more}"
                if filtered
                else f"the server ended the reply with the finish reason {word!r}{more}",
                provider_message=self._why,
                code=word,
            )
        self._leave(out)
        self._settle()
        out.extend(ToolCallEnd(call.number, call.call()) for call in self._assembly.calls)
        stop = self._assembly.ending(stop)
        out.append(Done(self._assembly.message(stop)))

    def partial(self) -> AssistantMessage:
        """Return what has come so far, as the part of a failed reply."""
        self._settle()
        return self._assembly.message(StopReason.ERROR)

    def _take(self, chunk: Mapping[str, object], out: list[Event], *, damaged: bool) -> None:
        if chunk.get("error"):
            raise failed(chunk)
        candidates = chunk.get("candidates")
        first = candidates[0] if isinstance(candidates, list) and candidates else None
        if not self.begun:
            self.begun = True
            self._assembly.model = _line(chunk.get("modelVersion"))
            self._assembly.response_id = _line(chunk.get("responseId"))
            out.append(Start(self._assembly.model, self._assembly.response_id))
        if isinstance(first, dict):
            parts = _map(first.get("content")).get("parts")
            for part in parts if isinstance(parts, list) else ():
                if isinstance(part, dict):
                    self._part(part, out, damaged=damaged)
            reason = first.get("finishReason")
            if isinstance(reason, str) and reason not in _NONE_YET:
                self.finish = reason
                self._why = _line(first.get("finishMessage"), 600)
        elif reason := _line(_map(chunk.get("promptFeedback")).get("blockReason")):
            said = _line(_map(chunk.get("promptFeedback")).get("blockReasonMessage"), 600)
            more = f": {said}" if said else ""
            raise WireError(
                ErrorKind.SAFETY,
                f"the provider's filter refused the prompt ({reason}){more}",
                provider_message=said,
                code=reason,
            )
        self._usage(chunk.get("usageMetadata"), out)

    def _part(self, part: Mapping[str, object], out: list[Event], *, damaged: bool) -> None:
        """Take a part; one of a kind that is not known is ignored."""
        signature = part.get("thoughtSignature")
        # One that is no base64 would be refused in every request after this one.
        sign = signature if isinstance(signature, str) and _SIGNATURE.fullmatch(signature) else ""
        called, text = part.get("functionCall"), part.get("text")
        if isinstance(called, dict):
            if damaged:
                raise WireError(
                    ErrorKind.PROTOCOL, "the server sent a tool call with bytes that are not UTF-8"
                )
            self._call(called, sign, out)
        elif isinstance(text, str) and (text or sign):
            run = self._open(part.get("thought") is True, out)
            if piece := self._joiner.take(text):
                self._add(run, piece, out)
            if sign:
                # What comes after is another part, for the signature belongs to this one.
                self._leave(out)
                run.replay = json.dumps({"thoughtSignature": sign})

    def _open(self, thinking: bool, out: list[Event]) -> Run:
        """The block that text goes to: the last one, or a new one where the kind changes."""
        run = self._run
        if run is None or run.thinking != thinking:
            self._leave(out)
            run = self._run = self._assembly.new_run(thinking=thinking)
        return run

    def _leave(self, out: list[Event]) -> None:
        """End the block that is open."""
        run, self._run = self._run, None
        if run is not None and (rest := self._joiner.rest()):
            self._add(run, rest, out)

    def _add(self, run: Run, text: str, out: list[Event]) -> None:
        run.parts.append(text)
        out.append(ThinkingDelta(text) if run.thinking else TextDelta(text))

    def _call(self, called: Mapping[str, object], sign: str, out: list[Event]) -> None:
        """Take a call, which comes whole."""
        self._leave(out)
        arguments = called.get("args")
        try:
            text = json.dumps(arguments or {}, ensure_ascii=False, allow_nan=False)
        except ValueError:
            raise WireError(
                ErrorKind.PROTOCOL, "the model's tool arguments hold a number that is no JSON"
            ) from None
        joiner = Joiner()
        text = joiner.take(text) + joiner.rest()
        call = self._assembly.new_call()
        given, name = called.get("id"), called.get("name")
        call.id = given if isinstance(given, str) else ""
        call.name = name if isinstance(name, str) else ""
        call.parts.append(text)
        self._given.append((call, call.id, sign))
        out.append(ToolCallStart(call.number, call.id, call.name))
        out.append(ToolCallDelta(call.number, text))

    def _settle(self) -> None:
        """Settle the ids of the calls, and keep what their own model gets back with them."""
        self._assembly.settle_ids()
        for call, given, sign in self._given:
            kept = {"thoughtSignature": sign} if sign else {}
            if given and given == call.id:
                kept["id"] = given
            call.replay = json.dumps(kept) if kept else ""

    def _usage(self, value: object, out: list[Event]) -> None:
        """Take counts: they are those of the whole reply so far, so the last ones count."""
        usage = _map(value)
        if not usage:
            return
        told = usage.get("serviceTier")
        tier = (
            told.lower()
            if isinstance(told, str)
            else _TIERS.get(_line(usage.get("trafficType")), "")
        )
        self._assembly.service_tier = _line(tier)
        counts = read_usage(usage)
        if counts != self._assembly.usage:
            self._assembly.usage = counts
            out.append(UsageUpdate(counts))


def read_usage(usage: Mapping[str, object]) -> Usage:
    """Read token counts; what is missing, negative or no number is 0."""
    cached, thoughts = (
        count(usage.get("cachedContentTokenCount")),
        count(usage.get("thoughtsTokenCount")),
    )
    prompt = count(usage.get("promptTokenCount")) + count(usage.get("toolUsePromptTokenCount"))
    return Usage(
        input=max(0, prompt - cached),
        output=count(usage.get("candidatesTokenCount")) + thoughts,
        cache_read=cached,
        reasoning=thoughts,
    )


def _map(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _line(value: object, limit: int = 200) -> str:
    return one_line(value, limit) if isinstance(value, str) else ""
