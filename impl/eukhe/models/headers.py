"""The headers that a model's requests carry beside those of its wire API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eukhe.core.quirks import targets
from eukhe.models.values import Unresolved, resolve

if TYPE_CHECKING:
    from eukhe.models.credentials import Credentials
    from eukhe.models.registry import Model

__all__ = ["NoHeader", "headers_of"]

_TEAM_HOST: Final = "prime-inference"
_TEAM: Final = "PRIME_TEAM_ID"


@dataclass(frozen=True, slots=True)
class NoHeader:
    """A header has no value.

    Attributes:
        message: Which one and why, and what to do.
    """

    message: str


def headers_of(model: Model, credentials: Credentials, key: str) -> dict[str, str] | NoHeader:
    """Return the headers of a model with their values looked up; a command that gives one runs now.

    Args:
        model: The model.
        credentials: What `models.json` and the environment say.
        key: The key of the provider, for `authHeader`.
    """
    provider = model.entry.provider
    custom = credentials.custom.providers.get(provider)
    headers: dict[str, str] = {}
    if custom is not None and custom.auth_header and key:
        headers["Authorization"] = f"Bearer {key}"
    team = credentials.environ.get(_TEAM)
    if team and targets(model.quirks.rulebook, model.key).host == _TEAM_HOST:
        headers["X-Prime-Team-ID"] = team
    for name, written in (model.entry.headers or {}).items():
        value = resolve(written, credentials.environ)
        if isinstance(value, Unresolved):
            where = f"providers.{provider}.headers.{name}"
            return NoHeader(f"{credentials.custom.path}: {where}: {value.message}")
        headers = {kept: text for kept, text in headers.items() if kept.lower() != name.lower()}
        headers[name] = value.text
    return headers
