"""What the run does with a reply: small pure functions, apart from everything that acts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from eukhe.wire.messages import StopReason

if TYPE_CHECKING:
    from eukhe.wire.errors import WireError
    from eukhe.wire.messages import AssistantMessage, ToolCall


@dataclass(frozen=True, slots=True)
class Answer:
    """The reply is the final answer.

    Attributes:
        cut: whether it hit the output limit.
    """

    cut: bool


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


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """The reply has neither text nor calls: that is no answer (H4.7).

    Attributes:
        cut: whether it hit the output limit (H4.8).
    """

    cut: bool


Step: TypeAlias = Answer | RunCalls | TruncateCalls | RoundsSpent | NoAnswer


def next_step(reply: AssistantMessage, rounds: int, max_rounds: int) -> Step:
    """Classify a complete reply.

    Args:
        reply: the reply, not one that failed or was aborted.
        rounds: tool rounds that the run has had; a round of truncated calls is one.
        max_rounds: how many it may have.
    """
    cut = reply.stop is StopReason.LENGTH
    if reply.calls:
        if rounds >= max_rounds:
            return RoundsSpent(reply.calls)
        return TruncateCalls(reply.calls) if cut else RunCalls(reply.calls)
    return Answer(cut) if reply.text.strip() else NoAnswer(cut)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """When a failed request goes out again.

    Attributes:
        max_retries: how often, for one request.
        longest_wait: the longest wait that a server may ask for, in seconds.
    """

    max_retries: int = 3
    longest_wait: float = 60.0


def retry_wait(
    error: WireError, *, delivered: bool, retries: int, policy: RetryPolicy
) -> float | None:
    """How long to wait before the request goes out again; None when it does not.

    A request goes out again when the server says when, and the wait is short.

    Args:
        error: how it failed.
        delivered: whether a part of the reply was shown already; a second reply would be shown twice.
        retries: how often it went out again already.
        policy: the limits.
    """
    wait = error.retry_after
    if wait is None or not error.transient or delivered or retries >= policy.max_retries:
        return None
    return wait if wait <= policy.longest_wait else None
