"""S4b.5 to S4b.7: what a project may change, whole MCP entries, the sessions directory; the plainest reading."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from eukhe_spec.config.settings import Place
from eukhe_spec.contracts import ensure

__all__ = [
    "GUARDED",
    "Directory",
    "Entry",
    "Item",
    "Listed",
    "Listing",
    "Screened",
    "Server",
    "Servers",
    "Source",
    "Text",
    "Trust",
    "screen",
    "servers",
    "session_dir",
    "trust",
]


class Item(Enum):
    """Something that a project can hold: a setting by its id, or a prompt file."""

    MAX_TOOL_ROUNDS = "maxToolRounds"
    SUBAGENT_MAX_CONCURRENCY = "subagentMaxConcurrency"
    SUBAGENT_STALL_MS = "subagentStallMs"
    TOOL_BLOCKING_BUDGET_MS = "toolBlockingBudgetMs"
    AUTONOMOUS_MAX_TURNS = "autonomous.maxTurns"
    AUTONOMOUS = "autonomous"
    DIRECTORS_MAX_STEPS = "directors.maxSteps"
    THINKING_BUDGETS_LOW = "thinkingBudgets.low"
    PROVIDER_MAX_IN_FLIGHT = "providerMaxInFlight"
    RETRY_MAX_RETRIES = "retry.maxRetries"
    RETRY_FAILOVER_MAX_RETRIES = "retry.failover.maxRetries"
    SYSTEM_PROMPT = "SYSTEM.md"
    APPEND_PROMPT = "APPEND_SYSTEM.md"
    MCP_SERVERS = "mcpServers"
    MCP_CATALOG_SOURCES = "mcpCatalogSources"
    KERNEL_TRANSPORT = "kernelTransport"
    SHELL_PATH = "shellPath"
    SHELL_COMMAND_PREFIX = "shellCommandPrefix"
    NPM_COMMAND = "npmCommand"
    PACKAGES = "packages"
    SKILLS = "skills"
    TINY_RUNTIME_LIBRARY = "providers.tinyRuntimeLibrary"
    FACTORY_ENABLED = "factory.enabled"
    AGENT_TRACES_ENABLED = "agentTraces.enabled"
    TELEMETRY_ENABLED = "telemetry.enabled"
    ALLOWED_MODELS = "allowedModels"
    QUIET_STARTUP = "quietStartup"
    SESSION_DIR = "sessionDir"
    TRUSTED_PROJECTS = "trustedProjects"
    THEME = "theme"
    DEFAULT_MODEL = "defaultModel"
    RETRY_ENABLED = "retry.enabled"
    RETRY_BASE_DELAY_MS = "retry.baseDelayMs"
    RETRY_PROVIDER_MAX_RETRIES = "retry.provider.maxRetries"
    RETRY_FAILOVER_ENABLED = "retry.failover.enabled"
    MAX_TOOL_ROUNDS_MORE = "maxToolRoundsMore"
    OTHER_FILE = "NOTES.md"


#: What an untrusted project does not change: limits, prompts, credentials, code that runs, consent (S4b.5).
GUARDED = (
    Item.MAX_TOOL_ROUNDS,
    Item.SUBAGENT_MAX_CONCURRENCY,
    Item.SUBAGENT_STALL_MS,
    Item.TOOL_BLOCKING_BUDGET_MS,
    Item.AUTONOMOUS_MAX_TURNS,
    Item.AUTONOMOUS,
    Item.DIRECTORS_MAX_STEPS,
    Item.THINKING_BUDGETS_LOW,
    Item.PROVIDER_MAX_IN_FLIGHT,
    Item.RETRY_MAX_RETRIES,
    Item.RETRY_FAILOVER_MAX_RETRIES,
    Item.SYSTEM_PROMPT,
    Item.APPEND_PROMPT,
    Item.MCP_SERVERS,
    Item.MCP_CATALOG_SOURCES,
    Item.KERNEL_TRANSPORT,
    Item.SHELL_PATH,
    Item.SHELL_COMMAND_PREFIX,
    Item.NPM_COMMAND,
    Item.PACKAGES,
    Item.SKILLS,
    Item.TINY_RUNTIME_LIBRARY,
    Item.FACTORY_ENABLED,
    Item.AGENT_TRACES_ENABLED,
    Item.TELEMETRY_ENABLED,
    Item.ALLOWED_MODELS,
    Item.QUIET_STARTUP,
    Item.SESSION_DIR,
    Item.TRUSTED_PROJECTS,
)


@dataclass(frozen=True)
class Screened:
    """What a project's items become: those that apply, and those that the trust warning names."""

    applied: tuple[Item, ...]
    withheld: tuple[Item, ...]


@ensure(
    lambda items, result: set(result.applied) | set(result.withheld) == set(items),
    "no item is lost in silence: it applies or the warning names it (S4b.5)",
)
def screen(items: tuple[Item, ...], trusted: bool) -> Screened:
    """Withhold the guarded items of a project that is not trusted (S4b.5).

    Args:
        items: What the project's files hold.
        trusted: Whether the user trusts the project.
    """
    if trusted:
        return Screened(items, ())
    return Screened(
        tuple([one for one in items if one not in GUARDED]),
        tuple([one for one in items if one in GUARDED]),
    )


@dataclass(frozen=True)
class Directory:
    """An absolute directory: the names on the way to it."""

    parts: tuple[int, ...]


@dataclass(frozen=True)
class Listed:
    """An entry of `trustedProjects`: a path, absolute or not."""

    absolute: bool
    parts: tuple[int, ...]


@dataclass(frozen=True)
class Listing:
    """A layer's `trustedProjects`."""

    place: Place
    entries: tuple[Listed, ...]


@dataclass(frozen=True)
class Trust:
    """Whether a project is trusted, and the listed entries that trust nothing because they are not absolute."""

    trusted: bool
    relative: tuple[Listed, ...]


def trust(directory: Directory, said: tuple[Listing, ...]) -> Trust:
    """Say whether a project is trusted: its directory is a listed one, or below one (S4b.5).

    Args:
        directory: The project's directory.
        said: What each layer lists, lowest first; only the global one counts.
    """
    listings = [one.entries for one in said if one.place is Place.GLOBAL]
    entries = listings[-1] if listings else ()
    return Trust(
        any(one.absolute and directory.parts[: len(one.parts)] == one.parts for one in entries),
        tuple([one for one in entries if not one.absolute]),
    )


@dataclass(frozen=True)
class Server:
    """An MCP server: its URL and its credential, if the entry gives them."""

    url: int | None
    credential: int | None


@dataclass(frozen=True)
class Entry:
    """An entry of `mcpServers`."""

    name: int
    server: Server


@dataclass(frozen=True)
class Servers:
    """A layer's `mcpServers`, no name twice."""

    place: Place
    entries: tuple[Entry, ...]


def servers(said: tuple[Servers, ...]) -> tuple[Entry, ...]:
    """Return the MCP servers: of each name the entry of the highest layer, whole (S4b.6).

    Args:
        said: What each layer declares, lowest first.

    Returns:
        The entries, in the order in which the layers first name them.
    """
    every = [one for layer in said if layer.place is not Place.WITHHELD for one in layer.entries]
    names = [one.name for one in every]
    first = [name for place, name in enumerate(names) if name not in names[:place]]
    return tuple([[one for one in every if one.name == name][-1] for name in first])


class Source(Enum):
    """Where the sessions directory comes from, in the order of precedence (S4b.7)."""

    FLAG = "--session-dir"
    VARIABLE = "EUKHE_SESSION_DIR"
    LEGACY = "EUKHE_CODING_AGENT_SESSION_DIR"
    SETTING = "sessionDir"
    AGENT_DIR = "agent dir"


class Text(Enum):
    """A text that may be missing or empty."""

    MISSING = "missing"
    EMPTY = "empty"
    SAYS = "says"


def session_dir(flag: Text, variable: Text, legacy: Text, setting: Text) -> Source:
    """Return where the sessions directory comes from (S4b.7); an empty text says nothing.

    Args:
        flag: `--session-dir`.
        variable: `EUKHE_SESSION_DIR`.
        legacy: `EUKHE_CODING_AGENT_SESSION_DIR`.
        setting: `sessionDir`.
    """
    if flag is Text.SAYS:
        return Source.FLAG
    if variable is Text.SAYS:
        return Source.VARIABLE
    if legacy is Text.SAYS:
        return Source.LEGACY
    if setting is Text.SAYS:
        return Source.SETTING
    return Source.AGENT_DIR
