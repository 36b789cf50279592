"""`auth.json`: the credentials of providers, readable by the user alone from its first byte (S4b)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eukhe.core.config import AUTH, Drop, Put, Refused, read
from eukhe.settings.disk import parse, read_text
from eukhe.settings.errors import RefusedWriteError

if TYPE_CHECKING:
    from pathlib import Path

    from eukhe.core.config import Change

__all__ = ["AuthStorage", "Credential"]

_SIGN_IN: Final = "oauth"


@dataclass(frozen=True, slots=True)
class Credential:
    """What is stored for a provider.

    Attributes:
        type: `api_key`, `oauth` for a sign-in that another program made, or something else.
        key: The key, of a sign-in its access token; empty where there is none.
    """

    type: str
    key: str

    @property
    def is_subscription(self) -> bool:
        """Whether it is a sign-in with an access token."""
        return self.type == _SIGN_IN and bool(self.key)

    def __repr__(self) -> str:
        return f"Credential({self.type!r}, hidden)"


@dataclass(frozen=True, slots=True)
class AuthStorage:
    """The credentials of one user.

    Attributes:
        path: `auth.json`.
    """

    path: Path

    @classmethod
    def of(cls, agent_dir: Path) -> AuthStorage:
        """Return the storage of an agent directory."""
        return cls(agent_dir / "auth.json")

    def read(self) -> dict[str, Credential]:
        """Return the credentials by provider.

        Raises:
            RefusedWriteError: The document cannot be read, parsed or understood.
        """
        document = read(AUTH, parse(read_text(self.path)))
        if isinstance(document, Refused):
            message = f"{self.path} {document.fault.value} ({document.why}); repair the file"
            raise RefusedWriteError(self.path, message, document.why, document.fault)
        return {name: _credential(one) for name, one in document.items() if name != "version"}

    def set(self, provider: str, key: str) -> None:
        """Store the key of a provider; what others have stays.

        Raises:
            RefusedWriteError: The document is broken; it is as it was.
            WriteFailedError, LockedError: It could not be written; it is as it was.
        """
        self._change(Put((), provider, {"type": "api_key", "key": key}))

    def remove(self, provider: str) -> bool:
        """Remove what is stored for a provider; False when nothing is.

        Raises:
            RefusedWriteError, WriteFailedError, LockedError: As for `set`.
        """
        if read_text(self.path).missing:
            return False
        return self._change(Drop((), provider))

    def _change(self, change: Change) -> bool:
        from eukhe.settings.writer import change_document  # only writers pay for the lock's import

        return change_document(self.path, AUTH, change, keep_mode=False)


def _credential(value: object) -> Credential:
    if not isinstance(value, dict):
        return Credential("unknown", "")
    kind = value.get("type")
    key = value.get("access" if kind == _SIGN_IN else "key")
    return Credential(
        kind if isinstance(kind, str) else "unknown", key if isinstance(key, str) else ""
    )
