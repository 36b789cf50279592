"""Routes to a model: the session's own, and those of other configured providers that serve the same model id."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias
from urllib.parse import urlsplit

from eukhe.wire.request import Options

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterable, Mapping

    from eukhe.agent.cost import Cost
    from eukhe.wire.events import Event
    from eukhe.wire.request import Request

__all__ = ["NO_OTHERS", "Candidate", "Others", "Route", "Routes", "Unusable"]


@dataclass(frozen=True, slots=True)
class Route:
    """A way to the model: a provider's wire API, address and key.

    Attributes:
        stream: the wire API, set up for the server.
        base_url: the server.
        provider: the provider; empty for a server that was named by its address.
        model: the model id that the server knows.
        api_key: the key, empty for none; it is stored and shown nowhere.
        headers: headers of the provider, which may hold secrets.
        options: what each request asks of the model.
        cost: what the tokens of a reply cost in US dollars; None where no price is known.
        window: the context window that the model has there, in tokens; None where nobody knows it.
    """

    stream: Callable[[Request], AsyncGenerator[Event, None]]
    base_url: str
    provider: str
    model: str
    api_key: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    options: Options = field(default_factory=Options)
    cost: Cost | None = None
    window: int | None = None

    @property
    def name(self) -> str:
        """The provider, or the host and port of a server that has none."""
        return self.provider or urlsplit(self.base_url).netloc or self.base_url


@dataclass(frozen=True, slots=True)
class Unusable:
    """Why there is no way to the model at a provider, in words."""

    message: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A provider that could take over.

    Attributes:
        provider: the provider.
        make: makes the route; only now are its key and headers looked up, which may run a command.
    """

    provider: str
    make: Callable[[], Route | Unusable]


Others: TypeAlias = "Callable[[], Iterable[Candidate]]"
"""Finds the providers that could take over, the first choice first; asked when a request has failed."""

NO_OTHERS: Final[Others] = tuple


class Routes:
    """The route that requests take now, and those that are left.

    A provider that was left is not asked again by the same run.

    Args:
        own: the session's own route.
        others: finds the others.
    """

    def __init__(self, own: Route, others: Others) -> None:
        self.now = own
        self._others = others
        self._left: list[Candidate] | None = None

    @property
    def others(self) -> bool:
        """Whether there is another provider to try; they are looked for at the first question."""
        return bool(self._candidates())

    def move(self) -> Route | Unusable:
        """Take the next route, which is the one of now from here on; why not, if it is none."""
        made = self._candidates().pop(0).make()
        if isinstance(made, Route):
            self.now = made
        return made

    def _candidates(self) -> list[Candidate]:
        if self._left is None:
            self._left = list(self._others())
        return self._left
