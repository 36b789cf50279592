"""A summary of a part of a conversation, written by the session's own model in a request of its own (S6.6)."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from eukhe.agent.compact.summary_text import Part, asked
from eukhe.agent.compact.tokens import estimate
from eukhe.agent.cost import priced
from eukhe.core.guard import Guard
from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.events import Done, Failed, TextDelta, ThinkingDelta
from eukhe.wire.messages import AssistantMessage, StopReason, Usage

if TYPE_CHECKING:
    from collections.abc import Callable

    from eukhe.agent.retry.asking import Asking
    from eukhe.wire.request import Request

__all__ = ["SummaryFailedError", "Writer", "Written", "added"]

_SHORTER: Final = 4
"""How often a request for a summary that the server finds too long goes out again, half as long each time."""


class SummaryFailedError(Exception):
    """There is no summary.

    Attributes:
        text: why, for the user.
        usage: what its requests used; None where no server told.
    """

    def __init__(self, text: str, usage: Usage | None) -> None:
        super().__init__(text)
        self.text = text
        self.usage = usage


@dataclass(frozen=True, slots=True)
class Written:
    """A summary.

    Attributes:
        text: the summary.
        usage: what its requests used; None where the server did not tell.
        left_out: how many messages the model did not get whole.
    """

    text: str
    usage: Usage | None
    left_out: int


@dataclass(frozen=True, slots=True)
class Writer:
    """Asks for summaries.

    Attributes:
        asking: sends the requests of the run that is the newest now.
        repeat_limit: the window of the repetition guard in chunks; 0 turns it off.
    """

    asking: Callable[[], Asking]
    repeat_limit: int

    async def write(self, template: Request, part: Part, budget: int | None) -> Written:
        """Have a summary written.

        Args:
            template: a request of the session: its server, model, key and options.
            part: what is to be summarized.
            budget: the tokens that the told conversation may have; None where no window is known.

        Raises:
            SummaryFailedError: there is none.
        """
        usage: Usage | None = None
        retries = 0
        for shorter in range(_SHORTER + 1):
            asks = asked(part, budget)
            options = replace(template.options, tool_choice=None, parallel_tool_calls=None, stop=())
            request = replace(template, messages=asks.messages, tools=(), options=options)
            while True:
                reply, error = await self._reply(request)
                usage = added(usage, priced(reply, self.asking().routes.now.cost).usage)
                if error is None or not await self.asking().wait(error, retries):
                    break
                retries += 1
            if error is None:
                return Written(_text_of(reply, usage), usage, asks.left_out)
            if error.kind is not ErrorKind.CONTEXT_OVERFLOW or shorter == _SHORTER:
                raise SummaryFailedError(error.message, usage)
            budget = estimate(request) // 2
        raise SummaryFailedError("the conversation is too long to be summarized", usage)

    async def _reply(self, request: Request) -> tuple[AssistantMessage, WireError | None]:
        """One reply, or what came of it and why it failed. None of it is shown."""
        guard = Guard(self.repeat_limit)
        try:
            async with aclosing(self.asking().beside(request)) as stream:
                async for event in stream:
                    match event:
                        case TextDelta(text=piece) if guard.feed("text", piece) is not None:
                            return _repeats()
                        case ThinkingDelta(text=piece) if guard.feed("thinking", piece) is not None:
                            return _repeats()
                        case Done(message=message):
                            return message, None
                        case Failed(error=error, partial=partial):
                            return partial, error
                        case _:
                            pass
        except WireError as error:  # it could not be sent at all
            return AssistantMessage((), StopReason.ERROR), error
        raise RuntimeError("a wire stream ended without Done or Failed")


def _repeats() -> tuple[AssistantMessage, WireError]:
    said = "the model repeats itself in the summary"
    error = WireError(ErrorKind.STREAM_REPEATING, said, should_retry=False)
    return AssistantMessage((), StopReason.ERROR), error


def _text_of(reply: AssistantMessage, usage: Usage | None) -> str:
    text = reply.text.strip()
    if not text:
        cut = reply.stop is StopReason.LENGTH
        why = "hit its output limit before it gave a summary" if cut else "gave no summary"
        raise SummaryFailedError(f"the model {why}", usage)
    return text


def added(one: Usage | None, other: Usage | None) -> Usage | None:
    """Two usages together."""
    if one is None or other is None:
        return one or other
    costs = [usage.cost for usage in (one, other) if usage.cost is not None]
    return replace(
        one,
        input=one.input + other.input,
        output=one.output + other.output,
        cache_read=one.cache_read + other.cache_read,
        cache_write=one.cache_write + other.cache_write,
        reasoning=one.reasoning + other.reasoning,
        cost=sum(costs) if costs else None,
        cache_write_1h=one.cache_write_1h + other.cache_write_1h,
    )
