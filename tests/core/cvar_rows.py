"""The cvars and the two steps that the tests of the settings core share."""

from __future__ import annotations

from eukhe.core import cvar
from eukhe.core.cvar import Cvar, Kind, ParseError, Scope, Type

BOOL = Type(Kind.BOOL)
LEVEL = Type(Kind.ENUM, ("off", "high"), unset=True)


def row(name: str, type_: Type, default: object, scope: Scope = Scope.LOCAL) -> Cvar:
    """A declaration that may be saved and is replicated."""
    return Cvar(name, type_, scope, persist=True, replicate=True, default=default)


ROWS = (
    row("retry.enabled", BOOL, True),
    row("retry.maxRetries", Type(Kind.NAT), 3),
    row("defaultThinkingLevel", LEVEL, None),
    row("idleEvictionMinutes", Type(Kind.NAT_OR_OFF), 90, Scope.GLOBAL),
    row("autonomous.maxTurns", Type(Kind.LIMIT), 12),
    row("theme", Type(Kind.TEXT, unset=True), None),
    row("skills", Type(Kind.LIST), []),
    row("modelRoles", Type(Kind.MAP), {}),
    row("retry.fallbackChains", Type(Kind.MAP, of=Kind.LIST), {}),
    row("kernelTransport", Type(Kind.UNIT), {}),
)
"""One cvar of each kind."""


def base() -> cvar.Cvars:
    """The cvars with their defaults."""
    found = cvar.registry(ROWS)
    assert not isinstance(found, cvar.RegistryError)
    return cvar.base(found)


def commands(text: str) -> tuple[cvar.Command, ...]:
    """The commands of a line that parses."""
    found = cvar.parse_list(text)
    assert not isinstance(found, ParseError), found.message
    return found
