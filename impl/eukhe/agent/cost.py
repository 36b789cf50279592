"""What the tokens of a reply cost (S6.12)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from eukhe.wire.messages import AssistantMessage, Usage

__all__ = ["Cost", "priced"]


class Cost(Protocol):
    """Knows the prices of a model."""

    def __call__(self, usage: Usage, answered: str = "", /) -> float:
        """Return what tokens cost in US dollars.

        Args:
            usage: the tokens.
            answered: the service tier that the reply names; where it is empty, the one that was asked for counts.
        """


def priced(message: AssistantMessage, cost: Cost | None) -> AssistantMessage:
    """A reply with what it costs; a price that the server told stays.

    Args:
        message: the reply.
        cost: the prices of the model at the provider that gave it; None where none is known.
    """
    usage = message.usage
    if usage is None or cost is None or usage.cost is not None:
        return message
    return replace(message, usage=replace(usage, cost=cost(usage, message.service_tier)))
