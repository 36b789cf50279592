"""A forced tool call (S6.3): what each request adds, and what each reply means.

The call is a small state that the generation carries from request to request: how many requests were made. The
native support is asked anew for each request, because it depends on that request (manual extended thinking takes
no forced choice).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["Ask", "Called", "Forcing", "NotCalled", "ask", "reply"]


@dataclass(frozen=True, slots=True)
class Forcing:
    """A forced call under way.

    Attributes:
        tool: The name of the tool.
        retries: How many requests may follow the first one.
        requests: How many requests were answered so far.
    """

    tool: str
    retries: int
    requests: int = 0


@dataclass(frozen=True, slots=True)
class Ask:
    """What the next request adds: the native forced choice or not, and the soft prompt that ends it (S6.3)."""

    native: bool
    soft_prompt: str


@dataclass(frozen=True, slots=True)
class Called:
    """The model called the tool; the forced call is over.

    Attributes:
        tool: The name of the tool.
        requests: How many requests it took.
    """

    tool: str
    requests: int


@dataclass(frozen=True, slots=True)
class NotCalled:
    """The generation fails: no reply called the tool (`ForcedToolError::NotCalled`).

    Attributes:
        tool: The name of the tool.
        requests: How many requests were made.
    """

    tool: str
    requests: int


def ask(forcing: Forcing, *, supported: bool, free: bool) -> Ask:
    """Decide what the next request of a forced call adds (S6.3).

    Args:
        forcing: The call.
        supported: Whether the provider takes a native forced choice in this request.
        free: Whether that choice costs no prompt-cache invalidation.
    """
    native = supported and (free or forcing.requests > 0)
    return Ask(native, f"Call the tool `{forcing.tool}` now. Do not answer with text alone.")


def reply(forcing: Forcing, *, called: bool) -> Forcing | Called | NotCalled:
    """Read the reply to a request of a forced call (S6.3).

    Args:
        forcing: The call as it was when the request went out.
        called: Whether the reply calls the tool.

    Returns:
        The call to go on with, or its end: called, or not called within its requests.
    """
    requests = forcing.requests + 1
    if called:
        return Called(forcing.tool, requests)
    if requests > forcing.retries:
        return NotCalled(forcing.tool, requests)
    return replace(forcing, requests=requests)
