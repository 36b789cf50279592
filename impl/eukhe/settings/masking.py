"""Secrets in settings as they may be shown: MCP servers hold credentials, and what is shown is read by others."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from eukhe.core.config import MCP_SERVERS

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CREDENTIAL", "hidden", "masked", "without_secrets"]

#: Names of variables and headers that hold a credential.
CREDENTIAL: Final = re.compile(
    r".*(api[-_]?key|token|secret|password|authorization|credential|cookie).*", re.IGNORECASE
)


_USER: Final = re.compile(r"^([a-z]+://)[^/?#]*@", re.IGNORECASE)
_QUERY: Final = re.compile(r"([?&][^=&#]*=)([^&#]*)")


def without_secrets(name: str, value: object) -> object:
    """Return a value of a setting as it may be shown.

    Args:
        name: the id of the cvar.
        value: its value; of MCP servers the entries by name.
    """
    if name != MCP_SERVERS or not isinstance(value, dict):
        return value
    return {key: hidden(one) if isinstance(one, dict) else one for key, one in value.items()}


def masked(secret: str) -> str:
    """A secret as it may be shown: its last four characters at most, and of a short one nothing."""
    return f"****{secret[-4:]}" if len(secret) >= 16 else "****"


def hidden(unit: Mapping[str, object]) -> dict[str, object]:
    """An MCP entry as it may be shown.

    The values of its variables and headers are masked, and what looks like a credential in its URL and arguments.
    """
    found = dict(unit)
    for key in ("env", "headers"):
        if isinstance(value := unit.get(key), dict):
            found[key] = {name: masked(str(inner)) for name, inner in value.items()}
    if isinstance(url := unit.get("url"), str):
        found["url"] = _url(url)
    if isinstance(args := unit.get("args"), list):
        found["args"] = _arguments(args)
    return found


def _url(text: str) -> str:
    """A URL without the password and the values in its query that can be credentials."""
    text = _USER.sub(r"\1****@", text)
    return _QUERY.sub(lambda one: f"{one[1]}****" if CREDENTIAL.fullmatch(one[1]) else one[0], text)


def _arguments(args: list[object]) -> list[object]:
    """Arguments without the values of options whose names are those of credentials."""
    found: list[object] = []
    secret = False
    for one in args:
        word = str(one)
        name, equals, _ = word.partition("=")
        option = word.startswith("-")
        named = bool(CREDENTIAL.fullmatch(name))
        if secret and not option:
            found.append("****")
        else:
            found.append(f"{name}=****" if equals and named else one)
        secret = option and named and not equals
    return found
