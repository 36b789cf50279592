"""What the settings say about requests that fail and about requests in flight."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from eukhe.agent.retry.in_flight import InFlight
from eukhe.agent.retry.policy import FailoverPolicy, RetryPolicy
from eukhe.core.config import in_flight
from eukhe.settings import table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.settings.load import Config

__all__ = ["in_flight_of", "retry_of"]


def retry_of(values: Mapping[str, object]) -> RetryPolicy:
    """The retry policy in the values of an agent."""

    def number(name: str) -> int:
        value = values[name]
        return value if isinstance(value, int) else 0

    def seconds(name: str) -> float:
        return number(name) / 1000

    return RetryPolicy(
        bool(values[table.RETRY_ENABLED]),
        number(table.MAX_RETRIES),
        seconds(table.BASE_DELAY_MS),
        seconds(table.MAX_RETRY_DELAY_MS) or math.inf,
        FailoverPolicy(
            bool(values[table.FAILOVER_ENABLED]),
            number(table.FAILOVER_MAX_RETRIES),
            seconds(table.FAILOVER_BASE_DELAY_MS),
            seconds(table.FAILOVER_MAX_DELAY_MS),
        ),
    )


def in_flight_of(config: Config) -> InFlight | None:
    """The slots of requests in flight; None where no provider is limited (S4b.4)."""
    limits = in_flight(config.entries)
    if limits.each is None and not limits.named:
        return None
    return InFlight(config.files.agent_dir / "run" / "in-flight", limits.of)
