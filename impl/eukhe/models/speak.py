"""Which wire APIs eukhe speaks, and how each is set up for a model: one module of this room a wire API.

A module that sets up a wire API has two functions, and asks the model's settings, never its id (S6.13):

    def stream_of(model: Model) -> Stream: ...
    def options_of(model: Model, ask: Ask) -> Options: ...
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, cast

from eukhe.core.effort import Level

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping

    from eukhe.models.registry import Model
    from eukhe.wire.events import Event
    from eukhe.wire.request import Options, Request

__all__ = ["SPOKEN", "Ask", "Speaker", "Stream", "speaker", "stream_for"]

Stream: TypeAlias = "Callable[[Request], AsyncGenerator[Event, None]]"
"""A wire API, set up for one server."""

_MODULES: Final[Mapping[str, str]] = {
    "openai-completions": "completions",
    "openai-responses": "responses",
    "azure-openai-responses": "azure",
    "openai-codex-responses": "codex",
    "anthropic-messages": "anthropic",
    "google-generative-ai": "google",
    "google-vertex": "vertex",
    "mistral-conversations": "mistral",
    "bedrock-converse-stream": "bedrock",
}

#: The wire APIs that eukhe speaks.
SPOKEN: Final = tuple(_MODULES)


@dataclass(frozen=True, slots=True)
class Ask:
    """What a session asks of every request.

    Attributes:
        level: The level that is sent, which the model offers (S10 session 3).
        tier: The service tier; None or `default` for none.
        budgets: The user's `thinkingBudgets`: tokens by level (S6.13).
        session: A name that stays the same through a session, by which a provider finds its prompt cache;
            empty for none.
    """

    level: Level = Level.OFF
    tier: str | None = None
    budgets: Mapping[str, int] = field(default_factory=dict)
    session: str = ""


class Speaker(Protocol):
    """Sets up one wire API for a model."""

    def stream_of(self, model: Model) -> Stream:
        """Return the wire API as the model's server takes it."""

    def options_of(self, model: Model, ask: Ask) -> Options:
        """Return what a request asks for."""


def speaker(api: str) -> Speaker:
    """Return what sets up a wire API; it is imported now.

    Args:
        api: One of `SPOKEN`.
    """
    return cast("Speaker", import_module(f"eukhe.models.{_MODULES[api]}"))


def stream_for(model: Model) -> Stream:
    """Return the wire API of a model, set up for it; one that sees no pictures is sent none.

    Args:
        model: A model whose API is one of `SPOKEN`.
    """
    stream = speaker(model.entry.api).stream_of(model)
    if "image" in model.entry.input:
        return stream
    from eukhe.wire.history import without_pictures

    def blind(request: Request) -> AsyncGenerator[Event, None]:
        return stream(replace(request, messages=without_pictures(request.messages)))

    return blind
