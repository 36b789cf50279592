"""What the run does with a reply: small pure functions, apart from everything that acts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, TypeAlias

from eukhe.core import leak
from eukhe.core.arguments import parse_object
from eukhe.core.leak import Again, Answer, Fail, Notes, Reply
from eukhe.wire.messages import AssistantMessage, StopReason, TextBlock, ToolCall

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from eukhe.core.guard import Repeat
    from eukhe.core.leak import Offered
    from eukhe.wire.messages import AssistantBlock


@dataclass(frozen=True, slots=True)
class RunCalls:
    """The reply's calls run, whatever its stop reason was (H4.1)."""

    calls: tuple[ToolCall, ...]


@dataclass(frozen=True, slots=True)
class TruncateCalls:
    """The reply hit the output limit: its calls can be cut, so none runs (H4.1)."""

    calls: tuple[ToolCall, ...]


@dataclass(frozen=True, slots=True)
class RoundsSpent:
    """The run has had all its tool rounds; these calls do not run, and the run ends."""

    calls: tuple[ToolCall, ...]


Step: TypeAlias = Answer | RunCalls | TruncateCalls | RoundsSpent | Again | Fail


@dataclass(frozen=True, slots=True)
class Decided:
    """A reply and what becomes of it.

    Attributes:
        reply: the reply as it is stored. Rebuilt calls are in it and their markup is not; a reply that is retried
            with a note, or that the generation fails with, has the stop reason `error`: no model gets it again.
        step: what becomes of it.
    """

    reply: AssistantMessage
    step: Step


@dataclass(frozen=True, slots=True)
class Rounds:
    """The tool rounds of a run.

    Attributes:
        had: those that it has had; a round of truncated calls is one.
        most: how many it may have.
    """

    had: int
    most: int


def decide(
    reply: AssistantMessage,
    notes: Notes,
    offered: Offered,
    rounds: Rounds,
    *,
    repeat: Repeat | None = None,
    taken: Collection[str] = (),
) -> Decided:
    """Decide what becomes of a reply (S6.10, H4.1, H4.7, H4.8).

    Args:
        reply: the reply, not one whose request failed or was aborted.
        notes: what the generation has spent.
        offered: the tools that its request offered: name and schema of the parameters.
        rounds: the tool rounds of the run.
        repeat: the repeat at which the guard cut its stream; None for a whole reply.
        taken: the ids of the calls in the conversation; a rebuilt call gets another one.
    """
    texts = tuple(block.text for block in reply.content if isinstance(block, TextBlock))
    ended = Reply(texts, reply.calls, reply.stop.value) if repeat is None else repeat
    match leak.decide(ended, notes, offered, parse_object):
        case Answer() as step:
            return Decided(reply, step)
        case Again() | Fail() as step:
            return Decided(replace(reply, stop=StopReason.ERROR), step)
        case leak.Run(calls, texts, _, stop):
            whole = _with_calls(reply, calls, texts, StopReason(stop), taken)
            runs: RunCalls | TruncateCalls = RunCalls(whole.calls)
        case leak.Truncate(calls, texts, _):
            whole = _with_calls(reply, calls, texts, StopReason.LENGTH, taken)
            runs = TruncateCalls(whole.calls)
    if rounds.had >= rounds.most:
        return Decided(whole, RoundsSpent(whole.calls))
    return Decided(whole, runs)


def _with_calls(
    reply: AssistantMessage,
    calls: tuple[ToolCall | leak.Call, ...],
    texts: tuple[str, ...],
    stop: StopReason,
    taken: Collection[str],
) -> AssistantMessage:
    """A reply with its calls: its own where they are, or the rebuilt ones after what is left of its text."""
    left, ids = iter(texts), _free_ids(taken)
    content: list[AssistantBlock] = []
    for block in reply.content:
        if not isinstance(block, TextBlock):
            content.append(block)
        elif text := next(left):
            content.append(TextBlock(text))
    content += (
        ToolCall(next(ids), call.name, call.arguments)
        for call in calls
        if isinstance(call, leak.Call)
    )
    return replace(reply, content=tuple(content), stop=stop)


def _free_ids(taken: Collection[str]) -> Iterator[str]:
    """Ids that no call of the conversation bears; they depend on nothing else."""
    return (name for number in count() if (name := f"call_{number}") not in taken)
