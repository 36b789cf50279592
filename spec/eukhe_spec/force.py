"""The reference model of a forced tool call (S6.3): attempts, the native flag, the soft prompt, the report.

The world answers each request with a turn: whether the provider supports a native forced choice for this request,
whether that choice is free, and whether the reply calls the tool. A world that has no more turns supports nothing
and calls nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from eukhe_spec.contracts import ensure

__all__ = ["Attempt", "Called", "NotCalled", "Report", "Run", "Turn", "run"]


@dataclass(frozen=True)
class Turn:
    """What the world does at one request.

    Attributes:
        supported: The provider supports a native forced choice for this request.
        free: The choice costs no prompt-cache invalidation.
        calls: The reply calls the tool.
    """

    supported: bool
    free: bool
    calls: bool


@dataclass(frozen=True)
class Attempt:
    """One request: whether it sets the native flag, and whether it ends with the soft prompt."""

    native: bool
    soft: bool


@dataclass(frozen=True)
class Called:
    """The model called the tool."""


@dataclass(frozen=True)
class NotCalled:
    """The generation fails: the tool, and how many requests were made (`ForcedToolError::NotCalled`)."""

    tool: int
    requests: int


Report = Called | NotCalled


@dataclass(frozen=True)
class Run:
    """A whole forced call: its requests in order, and what it reports."""

    attempts: tuple[Attempt, ...]
    report: Report


_NOTHING = Turn(False, False, False)


def _turn(world: tuple[Turn, ...], number: int) -> Turn:
    return world[number] if number < len(world) else _NOTHING


def _native(turn: Turn, number: int) -> bool:
    """The first request sets the flag when it is supported and free, each retry when it is supported (S6.3)."""
    return turn.supported and (turn.free or number > 0)


@ensure(
    lambda retries, result: len(result.attempts) <= 1 + retries,
    "a reply without the call starts a retry only while retries remain (S6.3)",
)
def run(tool: int, retries: int, world: tuple[Turn, ...]) -> Run:
    """Force `tool`: ask until a reply calls it or the retries are spent (S6.3).

    Args:
        tool: The tool that is forced.
        retries: How many requests may follow the first one.
        world: What happens at each request.
    """
    attempts: tuple[Attempt, ...] = ()
    for number in range(1 + retries):
        turn = _turn(world, number)
        attempts = (*attempts, Attempt(_native(turn, number), True))
        if turn.calls:
            return Run(attempts, Called())
    return Run(attempts, NotCalled(tool, 1 + retries))
