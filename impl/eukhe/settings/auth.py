"""`auth.json`: the credentials of providers, readable by the user alone from its first byte (S4b)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eukhe.core.config import AUTH, Drop, Put, Refused, read
from eukhe.settings.disk import parse, read_text
from eukhe.settings.errors import RefusedWriteError

if TYPE_CHECKING:
    from pathlib import Path

    from eukhe.core.config import Change

__all__ = ["AuthStorage", "Credential"]


@dataclass(frozen=True, slots=True)
class Credential:
    """What is stored for a provider.

    Attributes:
        type: `api_key`, or what another program stored.
        key: The key; empty where the type has none.
    """

    type: str
    key: str

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
    kind, key = value.get("type"), value.get("key")
    return Credential(
        kind if isinstance(kind, str) else "unknown", key if isinstance(key, str) else ""
    )
