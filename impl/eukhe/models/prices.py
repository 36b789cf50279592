"""What a response costs (S6.12): the model's row, 1h cache writes, the tier that served it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eukhe.core.quirks import cache_write_1h_multiplier, service_tier_multiplier

if TYPE_CHECKING:
    from eukhe.models.registry import Model

__all__ = ["Price", "Tokens", "price"]

_MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a response.

    Attributes:
        input: Read and not from a cache.
        output: Written, thinking included.
        cache_read: Read from a cache.
        cache_write: Written to a cache, for any time.
        cache_write_1h: Those of `cache_write` that stay for an hour.
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cache_write_1h: int = 0


@dataclass(frozen=True, slots=True)
class Price:
    """What a response costs, in US dollars, part by part."""

    input: float = 0.0
    output: float = 0.0
    cache_read: float = 0.0
    cache_write: float = 0.0

    @property
    def total(self) -> float:
        """All parts."""
        return self.input + self.output + self.cache_read + self.cache_write


def price(model: Model, tokens: Tokens, answered: str | None, asked: str | None) -> Price:
    """Return what a response costs.

    Args:
        model: The model.
        tokens: What the response used.
        answered: The service tier that the response names; None for none.
        asked: The tier that the request asked for; it counts where the response names none.
    """
    tier = answered or asked
    # The ChatGPT backend answers `default` to a flex or priority request and bills what was asked for.
    if model.entry.api == "openai-codex-responses" and answered == "default" and asked:
        tier = asked
    book, cost = model.quirks.rulebook, model.entry.cost
    times = service_tier_multiplier(book, model.key, tier) if tier else 1
    hour = cache_write_1h_multiplier(book, model.entry.id)
    hour_rate = cost.cache_write if hour is None else hour * cost.input
    short = tokens.cache_write - tokens.cache_write_1h
    return Price(
        tokens.input * cost.input * times / _MILLION,
        tokens.output * cost.output * times / _MILLION,
        tokens.cache_read * cost.cache_read * times / _MILLION,
        (short * cost.cache_write + tokens.cache_write_1h * hour_rate) * times / _MILLION,
    )
