"""A stored xAI subscription moves the xAI models to the Responses API (S6.9)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eukhe.settings.errors import RefusedWriteError

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from eukhe.settings.auth import AuthStorage

__all__ = ["MOVED_API", "is_moved", "subscriptions"]

#: The wire API that a subscription is served over.
MOVED_API: Final = "openai-responses"

#: The provider whose models move.
_MOVES: Final = "xai"


def subscriptions(storage: AuthStorage) -> frozenset[str]:
    """Return the providers that a subscription is stored for; none where `auth.json` cannot be read.

    Who asks for the credentials is told what is wrong with the file.

    Args:
        storage: `auth.json`.
    """
    try:
        stored = storage.read()
    except RefusedWriteError:
        return frozenset()
    return frozenset(provider for provider, one in stored.items() if one.is_subscription)


def is_moved(provider: str, stored: AbstractSet[str]) -> bool:
    """Whether the models of a provider are reached over `MOVED_API`.

    Args:
        provider: The provider.
        stored: The providers that a subscription is stored for.
    """
    return provider == _MOVES and provider in stored
