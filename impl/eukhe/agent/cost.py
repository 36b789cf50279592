"""What the tokens of a reply cost (S6.12)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from eukhe.wire.messages import Usage

__all__ = ["Cost"]


class Cost(Protocol):
    """Knows the prices of a model."""

    def __call__(self, usage: Usage, answered: str = "", /) -> float:
        """Return what tokens cost in US dollars.

        Args:
            usage: the tokens.
            answered: the service tier that the reply names; where it is empty, the one that was asked for counts.
        """
