"""How the provider of a session's model is asked for the tokens of a request (`compaction.providerTokenCount`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eukhe.agent.compact.settings import CountFailedError

if TYPE_CHECKING:
    from eukhe.agent.compact.settings import Count
    from eukhe.models.credentials import Credentials
    from eukhe.models.registry import Model
    from eukhe.wire.request import Request

__all__ = ["counter_of"]

_DEADLINE: Final = 30.0
"""Seconds that a count may take: the request of the run waits for it."""


def counter_of(model: Model, credentials: Credentials) -> Count:
    """Return what asks the provider of a model for the tokens of a request.

    Args:
        model: The session's model.
        credentials: The keys.
    """

    async def count(request: Request) -> int:
        from eukhe.models.capabilities import CapabilityError, Provider, count_tokens
        from eukhe.wire.capabilities.count_tokens import CountTokens
        from eukhe.wire.errors import WireError

        if request.provider != model.entry.provider:
            raise CountFailedError(f"the requests go to {request.provider} now")
        provider = Provider(model, credentials, timeouts=request.timeouts, deadline=_DEADLINE)
        what = CountTokens(request.model, request.messages, request.tools, request.provider)
        try:
            return (await count_tokens(provider, what)).tokens
        except (CapabilityError, WireError) as error:
            raise CountFailedError(str(error)) from error

    return count
