"""What the settings and the model say about compaction (S6.6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from eukhe.core.compaction import Policy
from eukhe.wire.messages import StopReason

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from eukhe.wire.messages import AssistantMessage
    from eukhe.wire.request import Request

__all__ = ["FULL", "KEEP_RECENT", "RESERVE", "Compaction", "Count", "CountFailedError"]

Count: TypeAlias = "Callable[[Request], Awaitable[int]]"
"""Asks the provider for the input tokens of a request; raises `CountFailedError`."""

RESERVE: Final = 16_384
"""Tokens below the window that are kept free (`compaction.reserveTokens`)."""

KEEP_RECENT: Final = 40_000
"""Tokens of the newest part that stays as it is (`compaction.keepRecentTokens`)."""


FULL: Final = "the conversation fills the model's context window, so there was no room for a reply"


class CountFailedError(Exception):
    """The provider gave no count.

    Attributes:
        text: why, for the user.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


@dataclass(frozen=True, slots=True)
class Compaction:
    """How a conversation is compacted.

    Attributes:
        enabled: whether it is without being asked for (`compaction.enabled`).
        reserve: `compaction.reserveTokens`.
        keep_recent: `compaction.keepRecentTokens`.
        counts: whether the provider is asked for its count first (`compaction.providerTokenCount`).
        window: the model's context window in tokens; None where nobody knows it.
    """

    enabled: bool = True
    reserve: int = RESERVE
    keep_recent: int = KEEP_RECENT
    counts: bool = False
    window: int | None = None

    @property
    def policy(self) -> Policy | None:
        """The policy for the model; None where its window is not known, so that nothing starts by itself.

        A reserve of more than half of the window counts as half: with more, a small window would have no room
        for a conversation at all.
        """
        if self.window is None:
            return None
        reserve = min(self.reserve, self.window // 2)
        return Policy(self.window, reserve, keep_recent=self.keep_recent)

    @property
    def keeps(self) -> int:
        """How many tokens a compaction keeps at most."""
        policy = self.policy
        return self.keep_recent if policy is None else policy.keeps

    @property
    def told(self) -> int | None:
        """How many tokens a request for a summary may tell; None for any number.

        A quarter below the limit, because the estimate can be low, and the window is the server's to count.
        """
        policy = self.policy
        return None if policy is None else policy.limit * 3 // 4

    def overflows(self, reply: AssistantMessage) -> bool:
        """Whether a reply is how a provider refuses a prompt that fills the window: no output, out of room."""
        usage = reply.usage
        if self.window is None or usage is None or reply.stop is not StopReason.LENGTH:
            return False
        read = usage.input + usage.cache_read + usage.cache_write
        return not (reply.content or usage.output) and read >= self.window * 99 // 100
