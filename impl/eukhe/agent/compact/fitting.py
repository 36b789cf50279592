"""One reply to a context that fits: compacted before it is sent, and once more when it is refused (S6.6)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from eukhe.agent.retry.asking import GaveUp
from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.messages import AssistantMessage, StopReason

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from eukhe.agent.compact.compactor import Compactor
    from eukhe.agent.decide import Decided

__all__ = ["SHORTER", "fitting_reply"]

SHORTER: Final = (
    "go on with /compact, with a model that has a larger context window, or in a new session; "
    "`eukhe sessions rewind` takes the last prompt back"
)
"""What a user can do about a conversation that is too long."""


async def fitting_reply(
    compactor: Compactor,
    ask: Callable[[], Awaitable[Decided | GaveUp]],
    store: Callable[[AssistantMessage], None],
) -> Decided | GaveUp:
    """Get one reply.

    Args:
        compactor: compacts the conversation.
        ask: sends the request as the conversation is then.
        store: stores what came of a reply that was refused in the middle, before the request goes out again.
    """
    why = await compactor.before_request()
    if why is not None:
        error = WireError(ErrorKind.CONTEXT_OVERFLOW, why)
        return GaveUp(error, AssistantMessage((), StopReason.ERROR), f"; {SHORTER}")
    end = await ask()
    if not (isinstance(end, GaveUp) and _is_refused(end)):
        return end
    why = await compactor.overflowed()
    if why is not None:
        return replace(end, more=f"{end.more}; {why}; {SHORTER}")
    if end.partial.content:
        store(end.partial)
    again = await ask()
    if isinstance(again, GaveUp) and _is_refused(again):
        return replace(again, more=f" (compacted already); {SHORTER}")
    return again


def _is_refused(end: GaveUp) -> bool:
    """Whether the provider says that the conversation does not fit the model's window."""
    return end.error.kind is ErrorKind.CONTEXT_OVERFLOW
