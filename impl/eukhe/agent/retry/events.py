"""What a run tells of requests that fail, wait and go elsewhere, beside `RetryStart` and `RetryEnd`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from eukhe.agent.events import AgentEvent

__all__ = ["Failover", "MessageVoid", "ProviderWaitEnd", "ProviderWaitStart"]


@dataclass(frozen=True, slots=True)
class MessageVoid(AgentEvent):
    """What was told of the reply since its `message_start` counts no more: the request goes out again."""

    type: ClassVar[str] = "message_void"


@dataclass(frozen=True, slots=True)
class Failover(AgentEvent):
    """The request failed and goes to another provider of the same model at once.

    Attributes:
        provider: the provider that is left, or the host of a server that has none.
        instead: the provider that is asked from here on.
        model: the model id.
        reason: what the left one said.
    """

    type: ClassVar[str] = "failover"
    provider: str
    instead: str
    model: str
    reason: str


@dataclass(frozen=True, slots=True)
class ProviderWaitStart(AgentEvent):
    """As many requests are in flight to the provider as may be, and this one waits for its turn.

    Attributes:
        provider: the provider, or the host of a server that has none.
        limit: how many may be in flight (`providerMaxInFlight`).
    """

    type: ClassVar[str] = "provider_wait_start"
    provider: str
    limit: int


@dataclass(frozen=True, slots=True)
class ProviderWaitEnd(AgentEvent):
    """The wait of `ProviderWaitStart` is over.

    Attributes:
        provider: the provider.
        aborted: whether the run was stopped before its turn came.
    """

    type: ClassVar[str] = "provider_wait_end"
    provider: str
    aborted: bool
