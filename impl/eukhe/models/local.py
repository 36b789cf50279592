"""Servers on this machine: with nothing configured, the usual ones are looked for on their default loopback ports.

Nothing is sent to any other machine: the addresses are fixed, and no proxy is used.
"""

from __future__ import annotations

import http.client
import json
import socket
import threading
from contextlib import suppress
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from eukhe.models.provider_table import LOCAL_SERVERS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eukhe.models.provider_table import LocalServer

__all__ = ["Running", "running_servers"]

_SECONDS: Final = 0.5
_MOST_BYTES: Final = 1 << 20
_SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class Running:
    """A server that answers.

    Attributes:
        server: Which one is usually at that address.
        models: The ids of its models.
    """

    server: LocalServer
    models: tuple[str, ...]

    @property
    def message(self) -> str:
        """What was found and the one command that uses it."""
        url = self.server.base_url
        shown = ", ".join(self.models[:_SHOWN])
        more = f" and {len(self.models) - _SHOWN} more" if len(self.models) > _SHOWN else ""
        return (
            f"a server answers at {url} ({self.server.name}'s usual address) with the model "
            f"{shown}{more}; to use it: eukhe -p PROMPT --base-url {url} --model {quote(self.models[0])}"
        )


def running_servers(
    servers: Iterable[LocalServer] = LOCAL_SERVERS, seconds: float = _SECONDS
) -> tuple[Running, ...]:
    """Return the servers that answer with a list of models.

    Args:
        servers: Where to look.
        seconds: How long each may take to accept, and then to answer whole.
    """
    found = ((one, _models(one.base_url, seconds)) for one in servers)
    return tuple(Running(server, models) for server, models in found if models)


def _models(base_url: str, seconds: float) -> tuple[str, ...]:
    """Ask a server for its models; none when there is no server, or something else."""
    parts = urlsplit(base_url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=seconds)
    clock = threading.Timer(seconds, _hang_up, (connection,))
    clock.daemon = True
    try:
        connection.connect()
        clock.start()  # what answers byte by byte would never run into the timeout of a read
        connection.request("GET", f"{parts.path}/models", headers={"Accept": "application/json"})
        response = connection.getresponse()
        data = response.read(_MOST_BYTES) if response.status == http.client.OK else b""
        document = json.loads(data)
    except (OSError, ValueError, RecursionError, http.client.HTTPException):
        return ()
    finally:
        clock.cancel()
        connection.close()
    rows = document.get("data") if isinstance(document, dict) else None
    ids = (
        (row.get("id") for row in rows or () if isinstance(row, dict))
        if isinstance(rows, list)
        else ()
    )
    # An id goes into a message for a terminal and into a command line.
    return tuple(
        one for one in ids if isinstance(one, str) and one and one.isprintable() and " " not in one
    )


def _hang_up(connection: http.client.HTTPConnection) -> None:
    """End what another thread reads."""
    with suppress(OSError, AttributeError):  # it was closed, or is being closed, in the meantime
        connection.sock.shutdown(socket.SHUT_RDWR)
