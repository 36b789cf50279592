"""What becomes of a request that failed: again, to another provider, or the end; one pure function."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final, TypeAlias

from eukhe.wire.errors import ErrorKind

if TYPE_CHECKING:
    from eukhe.wire.errors import WireError

__all__ = [
    "JITTER",
    "LONGEST_BACKOFF",
    "MAX_REQUESTS",
    "Again",
    "End",
    "FailoverPolicy",
    "Move",
    "Next",
    "RetryPolicy",
    "Spent",
    "Why",
    "after_failure",
    "backoff",
    "in_words",
    "is_retried",
]

MAX_REQUESTS: Final = 8
"""How often one request goes out in all, once a second provider is asked."""

JITTER: Final = 0.2
"""The share by which a wait is shorter or longer, so that many clients do not come back at once."""

LONGEST_BACKOFF: Final = 3600.0
"""The longest wait that eukhe chooses by itself, in seconds; doubling would soon leave any clock behind."""

_FOREVER: Final = 10 * 365 * 86_400.0
"""What is waited at most where the user sets no limit, in seconds; no clock counts the milliseconds of 1e308 s."""

_NEVER: Final = frozenset(
    {
        ErrorKind.CONTEXT_OVERFLOW,
        ErrorKind.INVALID_REQUEST,
        ErrorKind.PERMISSION,
        ErrorKind.SAFETY,
        ErrorKind.PAYMENT_REQUIRED,
    }
)
"""Kinds that the same request cannot get past at the same provider."""

_STAYS: Final = frozenset({ErrorKind.CONTEXT_OVERFLOW, ErrorKind.INVALID_REQUEST, ErrorKind.SAFETY})
"""Kinds that say something about the request, so that another provider gets it only to say the same."""

_MOVES_AT_ONCE: Final = frozenset({ErrorKind.OVERLOADED})
"""Kinds that may pass here, and that another provider does not have."""


@dataclass(frozen=True, slots=True)
class FailoverPolicy:
    """When a request goes to another provider (`retry.failover.*`).

    Attributes:
        enabled: whether it does.
        max_retries: retries at one provider while there is another one.
        base: the first wait of those, in seconds.
        longest_wait: the longest wait of those, in seconds; a server that asks for more is left.
    """

    enabled: bool = True
    max_retries: int = 3
    base: float = 1.0
    longest_wait: float = 30.0


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """When a failed request goes out again (`retry.*`).

    Attributes:
        enabled: whether it ever does.
        max_retries: how often, at one provider.
        base: the first wait in seconds; each further one is twice as long.
        longest_wait: the longest wait that a server may ask for, in seconds; infinite for any.
        failover: when it goes to another provider.
    """

    enabled: bool = True
    max_retries: int = 3
    base: float = 2.0
    longest_wait: float = 60.0
    failover: FailoverPolicy = FailoverPolicy()


@dataclass(frozen=True, slots=True)
class Spent:
    """What one request has spent so far.

    Attributes:
        requests: how often it went out in all.
        retries: how often it went out again to the provider of now.
        auth: whether one of these was for a key that was refused.
        moved: whether it went to another provider before.
    """

    requests: int = 1
    retries: int = 0
    auth: bool = False
    moved: bool = False


class Why(Enum):
    """Why a request does not go out again."""

    OFF = "retries are off"
    KIND = "the kind of failure stays"
    RETRIES = "the retries are spent"
    REQUESTS = "the requests are spent"
    WAIT = "the server asks for a longer wait than is allowed"


@dataclass(frozen=True, slots=True)
class Again:
    """The request goes out again to the same provider.

    Attributes:
        attempt: number of the retry at this provider, from 1.
        most: how many there are at most.
        wait: the wait before it, in seconds.
    """

    attempt: int
    most: int
    wait: float


@dataclass(frozen=True, slots=True)
class Move:
    """The request goes to another provider at once."""

    why: Why


@dataclass(frozen=True, slots=True)
class End:
    """The request failed for good."""

    why: Why


Next: TypeAlias = Again | Move | End


def after_failure(
    error: WireError, spent: Spent, policy: RetryPolicy, *, others: bool, chance: float
) -> Next:
    """Decide what becomes of a request that failed.

    Args:
        error: how it failed.
        spent: what it has spent.
        policy: the limits.
        others: whether there is a provider that it did not go to yet.
        chance: a random number from 0 up to 1, for the jitter.
    """
    if not policy.enabled:
        return End(Why.OFF)
    left = spent.requests < MAX_REQUESTS
    over = policy.failover
    moves = others and over.enabled and left and error.kind not in _STAYS

    def leave(why: Why) -> Move | End:
        return Move(why) if moves else End(why)

    if not is_retried(error, auth_spent=spent.auth):
        return leave(Why.KIND)
    if moves and error.kind in _MOVES_AT_ONCE:
        return Move(Why.KIND)
    most = min(policy.max_retries, over.max_retries) if moves else policy.max_retries
    asked = min(error.retry_after or 0.0, _FOREVER)
    if asked > (min(policy.longest_wait, over.longest_wait) if moves else policy.longest_wait):
        return leave(Why.WAIT)
    if spent.retries >= most:
        return leave(Why.RETRIES)
    if spent.moved and not left:
        return End(Why.REQUESTS)
    own = (
        backoff(spent.retries + 1, over.base, over.longest_wait)
        if moves
        else backoff(spent.retries + 1, policy.base, LONGEST_BACKOFF)
    )
    return Again(spent.retries + 1, most, max(asked, own * (1 - JITTER + 2 * JITTER * chance)))


def is_retried(error: WireError, *, auth_spent: bool = False) -> bool:
    """Whether the same request may succeed later at the same provider.

    The server's own word counts where it gave one (`x-should-retry`), but for a prompt that is too long and for
    an account without money. A refused key gets one retry, since a key can be renewed in between. A server that
    says nothing with its 404 is a gateway whose model is away; one that says what is missing has answered.

    Args:
        error: how it failed.
        auth_spent: whether that retry was had.
    """
    if error.kind in (ErrorKind.CONTEXT_OVERFLOW, ErrorKind.PAYMENT_REQUIRED):
        return False
    if error.kind is ErrorKind.AUTH:
        return not auth_spent and error.should_retry is not False
    if error.should_retry is not None:
        return error.should_retry
    if error.kind is ErrorKind.NOT_FOUND:
        return error.status == 404 and not error.provider_message
    return error.kind not in _NEVER


def backoff(attempt: int, base: float, longest: float) -> float:
    """The wait before a retry without its jitter: doubled each time, in seconds.

    Args:
        attempt: number of the retry, from 1.
        base: the first wait.
        longest: the longest wait.
    """
    if base <= 0:
        return 0.0
    try:
        return min(math.ldexp(base, attempt - 1), longest)
    except OverflowError:
        return longest


def in_words(why: Why, error: WireError, spent: Spent, policy: RetryPolicy) -> str:
    """Say for a user why a request does not go out again; empty where the error says enough."""
    if why is Why.WAIT:
        asked, limit = f"{error.retry_after:g} s", f"{policy.longest_wait:g} s"
        return (
            f" (the server asks to wait {asked}; eukhe waits {limit} at most: "
            "retry.provider.maxRetryDelayMs)"
        )
    if spent.moved:
        return f" (after {spent.requests} requests, the last ones to another provider)"
    if spent.retries:
        return f" (after {spent.retries} {'retry' if spent.retries == 1 else 'retries'})"
    return ""
