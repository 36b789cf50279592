"""`mcpServers` in the settings documents, and the connection records in `mcp-connections.json` (S4b.1, S4b.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eukhe.core.config import CONNECTIONS, MCP_SERVERS, SETTINGS, Drop, Put, Refused, read
from eukhe.settings.disk import parse, read_text
from eukhe.settings.writer import change_document, refused

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["check_connections", "drop_connection", "drop_server", "put_connection", "put_server"]

_RECORDS = "connections"


def put_server(path: Path, name: str, unit: Mapping[str, object], *, private: bool) -> None:
    """Declare a server in a settings document; an entry of its name is replaced whole.

    Args:
        path: The document.
        name: The name of the server.
        unit: The whole entry.
        private: Whether a new document is for the user alone.

    Raises:
        RefusedWriteError, WriteFailedError, LockedError: The document is as it was.
    """
    change_document(path, SETTINGS, Put((MCP_SERVERS,), name, dict(unit)), private=private)


def drop_server(path: Path, name: str, *, private: bool) -> bool:
    """Remove a server from a settings document; False when it is not there.

    Raises:
        RefusedWriteError, WriteFailedError, LockedError: The document is as it was.
    """
    if read_text(path).missing:
        return False
    return change_document(path, SETTINGS, Drop((MCP_SERVERS,), name), private=private)


def put_connection(agent_dir: Path, name: str, record: Mapping[str, object]) -> None:
    """Store what is known of the connection to a server.

    Raises:
        RefusedWriteError, WriteFailedError, LockedError: The document is as it was.
    """
    change = Put((_RECORDS,), name, dict(record))
    change_document(agent_dir / CONNECTIONS.name, CONNECTIONS, change, keep_mode=False)


def check_connections(agent_dir: Path) -> None:
    """Make sure that a record can be forgotten, before what it belongs to is removed.

    Raises:
        RefusedWriteError: The document cannot be read, parsed or understood.
    """
    path = agent_dir / CONNECTIONS.name
    document = read(CONNECTIONS, parse(read_text(path)))
    if isinstance(document, Refused):
        raise refused(path, document)


def drop_connection(agent_dir: Path, name: str) -> bool:
    """Forget the connection to a server; False when nothing is stored.

    Raises:
        RefusedWriteError, WriteFailedError, LockedError: The document is as it was.
    """
    path = agent_dir / CONNECTIONS.name
    if read_text(path).missing:
        return False
    return change_document(path, CONNECTIONS, Drop((_RECORDS,), name), keep_mode=False)
