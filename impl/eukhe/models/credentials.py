"""Credentials: where a provider's key comes from, and the key itself, which is shown nowhere.

The order: what is stored (`eukhe auth set`), the environment, `models.json`. Finding out whether there is a key
runs no command.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING

from eukhe.models.provider_table import PROVIDERS, KnownProvider
from eukhe.models.values import Unresolved, resolve, source_of, variables_in
from eukhe.settings.auth import AuthStorage
from eukhe.settings.errors import RefusedWriteError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from eukhe.models.custom import ModelsConfig
    from eukhe.settings.auth import Credential

__all__ = ["Credentials", "Found", "Key", "NoKey", "Place"]


class Place(Enum):
    """Where a credential is."""

    STORED = "auth.json"
    ENVIRONMENT = "environment"
    MODELS_JSON = "models.json"


@dataclass(frozen=True, slots=True)
class Found:
    """Where the key of a provider comes from.

    Attributes:
        place: Where it is.
        detail: In words, such as `the environment variable OPENAI_API_KEY`.
    """

    place: Place
    detail: str


@dataclass(frozen=True, slots=True)
class Key:
    """A key; empty where the environment stands for one (as on a cloud machine).

    Attributes:
        text: The key, never shown.
        found: Where it comes from.
    """

    text: str = field(repr=False)
    found: Found


@dataclass(frozen=True, slots=True)
class NoKey:
    """A provider has no usable key.

    Attributes:
        provider: The provider.
        message: Why, and what to do.
    """

    provider: str
    message: str


@dataclass(frozen=True)
class Credentials:
    """The credentials of a user.

    Attributes:
        storage: `auth.json`.
        environ: The environment.
        custom: What `models.json` says.
    """

    storage: AuthStorage
    environ: Mapping[str, str] = field(repr=False)
    custom: ModelsConfig

    @classmethod
    def of(cls, agent_dir: Path, environ: Mapping[str, str], custom: ModelsConfig) -> Credentials:
        """Return the credentials of an agent directory."""
        return cls(AuthStorage.of(agent_dir), environ, custom)

    @cached_property
    def _stored(self) -> tuple[Mapping[str, Credential], str]:
        """What is stored, and why it cannot be read if it cannot."""
        try:
            return self.storage.read(), ""
        except RefusedWriteError as error:
            return {}, str(error)

    @property
    def message(self) -> str:
        """What is wrong with `auth.json`; empty for nothing."""
        return self._stored[1]

    def find(self, provider: str) -> Found | None:
        """Return where the key of a provider comes from, or None for nowhere."""
        if self._stored[0].get(provider):
            return Found(Place.STORED, f"stored in {self.storage.path}")
        known = PROVIDERS.get(provider, KnownProvider(provider))
        for names in (*((one,) for one in known.keys), *known.ambient):
            if all(self.environ.get(name) for name in names):
                more = "s" if len(names) > 1 else ""
                return Found(
                    Place.ENVIRONMENT, f"the environment variable{more} {' and '.join(names)}"
                )
        custom = self.custom.providers.get(provider)
        if custom is not None and custom.api_key is not None:
            source = source_of(custom.api_key, self.environ)
            return Found(Place.MODELS_JSON, f"{source}, named in {self.custom.path}")
        return None

    def __contains__(self, provider: object) -> bool:
        return isinstance(provider, str) and self.find(provider) is not None

    def key(self, provider: str) -> Key | NoKey:
        """Return the key of a provider; a command that gives it runs now."""
        found = self.find(provider)
        if found is None:
            return NoKey(provider, self._hint(provider))
        match found.place:
            case Place.STORED:
                text = self._stored[0][provider].key
                if not text:
                    message = f"what {self.storage.path} has for {provider} is no API key"
                    return NoKey(provider, f"{message}; run `eukhe auth set {provider}`")
                return Key(text, found)
            case Place.ENVIRONMENT:
                known = PROVIDERS[provider]
                text = next((self.environ[one] for one in known.keys if self.environ.get(one)), "")
                return Key(text, found)
            case Place.MODELS_JSON:
                value = resolve(self.custom.providers[provider].api_key or "", self.environ)
                if isinstance(value, Unresolved):
                    where = f"{self.custom.path}: providers.{provider}.apiKey"
                    return NoKey(provider, f"{where}: {value.message}")
                return Key(value.text, found)

    def variables(self, provider: str) -> tuple[str, ...]:
        """Return the variables that the key of a provider can come from; the tools must not see them."""
        known = PROVIDERS.get(provider, KnownProvider(provider))
        custom = self.custom.providers.get(provider)
        written = "" if custom is None or custom.api_key is None else custom.api_key
        names = [*known.keys, *(name for names in known.ambient for name in names)]
        return tuple(dict.fromkeys((*names, *variables_in(written, self.environ))))

    def _hint(self, provider: str) -> str:
        known = PROVIDERS.get(provider)
        ways = [f"run `eukhe auth set {provider}`"]
        if known is not None and known.keys:
            ways.append(f"set the environment variable {' or '.join(known.keys)}")
        ways.append(f"name a key for it in {self.custom.path}")
        text = f"there are no credentials for {provider}: {ways[0]}, or {', or '.join(ways[1:])}"
        return f"{text} ({self.message})" if self.message else text
