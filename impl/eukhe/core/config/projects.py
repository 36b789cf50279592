"""What a project may change (S4b.5), whole MCP entries (S4b.6) and the sessions directory (S4b.7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import PurePosixPath
from typing import Final

from eukhe.core.cvar import Entry, Kind, Place, Type, accept

__all__ = [
    "GUARDED",
    "MCP_SERVERS",
    "PROMPTS",
    "TRUSTED_PROJECTS",
    "Screened",
    "Server",
    "SessionDir",
    "Source",
    "Trusted",
    "guarded",
    "screen",
    "servers",
    "session_dir",
    "trusted_projects",
]

#: The project's prompt files, withheld without trust.
PROMPTS: Final = ("SYSTEM.md", "APPEND_SYSTEM.md")

#: The settings that an untrusted project does not change, each with all below it: limits, keys that run code or
#: name what runs, credentials, where sessions are stored, consent, and what could hide the warning itself.
GUARDED: Final = frozenset(
    (
        "agentTraces",
        "allowedModels",
        "autonomous",
        "directors",
        "factory",
        "kernelTransport",
        "maxToolRounds",
        "mcpCatalogSources",
        "mcpServers",
        "npmCommand",
        "packages",
        "providerMaxInFlight",
        "providers",
        "quietStartup",
        "retry.failover.maxRetries",
        "retry.maxRetries",
        "sessionDir",
        "shellCommandPrefix",
        "shellPath",
        "skills",
        "subagentMaxConcurrency",
        "subagentStallMs",
        "telemetry",
        "thinkingBudgets",
        "toolBlockingBudgetMs",
        "trustedProjects",
    )
)


#: How the id of a guarded setting, or of one below it, begins once it ends with a dot.
_GUARDED: Final = tuple(f"{one}." for one in GUARDED)


def guarded(id: str) -> bool:  # noqa: A002 -- the requirement's word
    """Say whether only a trusted project may set a setting (S4b.5)."""
    return f"{id}.".startswith(_GUARDED)


@dataclass(frozen=True, slots=True)
class Screened:
    """What a project may say.

    Attributes:
        entries: All its entries; the withheld ones are marked so, and set nothing.
        prompts: Its prompt files that are read.
        withheld: What the trust warning names: ids and file names, each once.
    """

    entries: tuple[Entry, ...]
    prompts: tuple[str, ...]
    withheld: tuple[str, ...]


def screen(entries: Iterable[Entry], prompts: Iterable[str], trusted: bool) -> Screened:
    """Withhold what an untrusted project must not change (S4b.5).

    Args:
        entries: The entries of the project's files.
        prompts: The names of the prompt files that the project has.
        trusted: Whether the user trusts the project.
    """
    kept, files = tuple(entries), tuple(prompts)
    if trusted:
        return Screened(kept, files, ())
    ids = {entry.id: None for entry in kept if guarded(entry.id)}
    return Screened(
        tuple(replace(one, place=Place.WITHHELD) if one.id in ids else one for one in kept),
        tuple(name for name in files if name not in PROMPTS),
        (*ids, *(name for name in files if name in PROMPTS)),
    )


@dataclass(frozen=True, slots=True)
class Trusted:
    """The directories that the user trusts.

    Attributes:
        directories: The absolute directories; what is below one is trusted too.
        relative: The entries that are no absolute directory: they trust nothing, and are a settings error.
    """

    directories: tuple[str, ...]
    relative: tuple[str, ...]

    def trusts(self, directory: str) -> bool:
        """Say whether a project is trusted.

        Args:
            directory: The directory of the project, absolute and without links, as the directories are.
        """
        path = PurePosixPath(directory)
        return any(path.is_relative_to(one) for one in self.directories)


#: The id of the trusted directories.
TRUSTED_PROJECTS: Final = "trustedProjects"

_TEXTS: Final = Type(Kind.LIST)


def trusted_projects(entries: Iterable[Entry]) -> Trusted:
    """Return the trusted directories: from the global layer only, its last valid set (S4b.5).

    Args:
        entries: The entries of the config, lowest layer first.
    """
    listed: list[str] = []
    for entry in entries:
        if entry.id == TRUSTED_PROJECTS and entry.place is Place.GLOBAL:
            value = accept(_TEXTS, entry.given)
            if isinstance(value, list):
                listed = value
    absolute = [one for one in listed if PurePosixPath(one).is_absolute()]
    return Trusted(tuple(absolute), tuple(one for one in listed if one not in absolute))


#: The id of the MCP servers.
MCP_SERVERS: Final = "mcpServers"

_UNITS: Final = Type(Kind.MAP, of=Kind.UNIT)


@dataclass(frozen=True, slots=True)
class Server:
    """An MCP server as one layer declares it.

    Attributes:
        unit: The whole entry: nothing in it comes from another layer.
        entry: The set that declares it.
    """

    unit: Mapping[str, object]
    entry: Entry


def servers(entries: Iterable[Entry]) -> dict[str, Server]:
    """Return the MCP servers by name; an entry replaces the one of its name below it whole (S4b.6).

    Args:
        entries: The entries of the config, lowest layer first.
    """
    found: dict[str, Server] = {}
    for entry in entries:
        if entry.id == MCP_SERVERS and entry.place is not Place.WITHHELD:
            value = accept(_UNITS, entry.given)
            if isinstance(value, dict):
                found |= {name: Server(unit, entry) for name, unit in value.items()}
    return found


class Source(Enum):
    """Where the sessions directory comes from, in the order of precedence (S4b.7)."""

    FLAG = "--session-dir"
    VARIABLE = "EUKHE_SESSION_DIR"
    LEGACY = "EUKHE_CODING_AGENT_SESSION_DIR"
    SETTING = "sessionDir"
    AGENT_DIR = "agent dir"


@dataclass(frozen=True, slots=True)
class SessionDir:
    """The sessions directory, and what names it.

    Attributes:
        path: The directory as it was written; a relative one and `~` are the shell's.
        source: Where it comes from.
    """

    path: str
    source: Source


def session_dir(
    flag: str | None, environ: Mapping[str, str], setting: str | None, agent_dir: str
) -> SessionDir:
    """Return the sessions directory, the same for every reader (S4b.7); an empty text says nothing.

    Args:
        flag: The value of `--session-dir`.
        environ: The environment.
        setting: The value of `sessionDir`.
        agent_dir: The agent directory.
    """
    said = {
        Source.FLAG: flag,
        Source.VARIABLE: environ.get(Source.VARIABLE.value),
        Source.LEGACY: environ.get(Source.LEGACY.value),
        Source.SETTING: setting,
    }
    for source, path in said.items():
        if path:
            return SessionDir(path, source)
    return SessionDir(str(PurePosixPath(agent_dir, "sessions")), Source.AGENT_DIR)
