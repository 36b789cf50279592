"""The table of cvars (S4): each one that eukhe reads is declared here once, and no other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eukhe.core.config import IN_FLIGHT, MCP_SERVERS, TRUSTED_PROJECTS
from eukhe.core.cvar import Cvar, Kind, RegistryError, Scope, Type, registry
from eukhe.core.effort import LADDER
from eukhe.settings.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eukhe.core.cvar import Registry

__all__ = [
    "BASE_DELAY_MS",
    "COMPACTION_COUNTS",
    "COMPACTION_ENABLED",
    "COMPACTION_KEEP_RECENT",
    "COMPACTION_RESERVE",
    "DEFAULT_MODEL",
    "DEFAULT_PROVIDER",
    "DEFAULT_THINKING_LEVEL",
    "ENABLED_MODELS",
    "FAILOVER_BASE_DELAY_MS",
    "FAILOVER_ENABLED",
    "FAILOVER_MAX_DELAY_MS",
    "FAILOVER_MAX_RETRIES",
    "FOLLOW_UP_MODE",
    "MAX_RETRIES",
    "MAX_RETRY_DELAY_MS",
    "MAX_TOOL_ROUNDS",
    "PROMPT_CACHE",
    "RETRY_ENABLED",
    "SESSION_DIR",
    "SHELL_COMMAND_PREFIX",
    "SHELL_PATH",
    "STEERING_MODE",
    "STREAM_REPEAT_LIMIT",
    "TABLE",
    "THINKING_BUDGETS",
    "TIMEOUT_MS",
    "TITLES_GENERATE",
    "load_registry",
]

RETRY_ENABLED: Final = "retry.enabled"
MAX_RETRIES: Final = "retry.maxRetries"
BASE_DELAY_MS: Final = "retry.baseDelayMs"
FAILOVER_ENABLED: Final = "retry.failover.enabled"
FAILOVER_MAX_RETRIES: Final = "retry.failover.maxRetries"
FAILOVER_BASE_DELAY_MS: Final = "retry.failover.baseDelayMs"
FAILOVER_MAX_DELAY_MS: Final = "retry.failover.maxDelayMs"
TIMEOUT_MS: Final = "retry.provider.timeoutMs"
MAX_RETRY_DELAY_MS: Final = "retry.provider.maxRetryDelayMs"
STREAM_REPEAT_LIMIT: Final = "retry.provider.streamRepeatLimit"
MAX_TOOL_ROUNDS: Final = "maxToolRounds"
COMPACTION_ENABLED: Final = "compaction.enabled"
COMPACTION_RESERVE: Final = "compaction.reserveTokens"
COMPACTION_KEEP_RECENT: Final = "compaction.keepRecentTokens"
COMPACTION_COUNTS: Final = "compaction.providerTokenCount"
STEERING_MODE: Final = "steeringMode"
FOLLOW_UP_MODE: Final = "followUpMode"
DEFAULT_PROVIDER: Final = "defaultProvider"
DEFAULT_MODEL: Final = "defaultModel"
ENABLED_MODELS: Final = "enabledModels"
DEFAULT_THINKING_LEVEL: Final = "defaultThinkingLevel"
PROMPT_CACHE: Final = "promptCache"
#: The tokens that a thinking level is worth, by level.
THINKING_BUDGETS: Final = {
    level: f"thinkingBudgets.{level}" for level in ("minimal", "low", "medium", "high")
}
SHELL_PATH: Final = "shellPath"
TITLES_GENERATE: Final = "titles.generate"
SHELL_COMMAND_PREFIX: Final = "shellCommandPrefix"
SESSION_DIR: Final = "sessionDir"

_NAT: Final = Type(Kind.NAT)
_TEXT: Final = Type(Kind.TEXT, unset=True)
_DELIVERY: Final = Type(Kind.ENUM, ("all", "one-at-a-time"))


def _local(
    name: str,
    type: Type,  # noqa: A002 -- the requirement's word
    default: object,
    help: str,  # noqa: A002 -- what the field is called
    *,
    persist: bool = True,
    replicate: bool = False,
) -> Cvar:
    return Cvar(name, type, Scope.LOCAL, persist, replicate, default, help)


#: The declarations, in the order in which they are listed.
TABLE: Final = (
    _local(
        RETRY_ENABLED,
        Type(Kind.BOOL),
        True,
        "Send a request that failed again.",
        replicate=True,
    ),
    _local(MAX_RETRIES, _NAT, 3, "How often one request goes out again.", replicate=True),
    _local(
        BASE_DELAY_MS,
        _NAT,
        2_000,
        "Milliseconds before the first retry; each further wait is twice as long.",
    ),
    _local(
        TIMEOUT_MS,
        Type(Kind.NAT, unset=True),
        None,
        "Milliseconds that a server may be silent; 0 waits without end. Unset: 300000.",
    ),
    _local(
        MAX_RETRY_DELAY_MS,
        _NAT,
        60_000,
        "The longest wait that a server may ask for, in milliseconds; 0 is no limit.",
    ),
    _local(
        STREAM_REPEAT_LIMIT,
        _NAT,
        64,
        "Lines in which a reply that repeats itself is noticed and cut; 0 turns this off.",
    ),
    _local(
        FAILOVER_ENABLED,
        Type(Kind.BOOL),
        True,
        "Ask another provider with credentials that serves the same model when one fails.",
    ),
    _local(
        FAILOVER_MAX_RETRIES,
        _NAT,
        3,
        "Retries at one provider while there is another one; retry.maxRetries is the most.",
    ),
    _local(
        FAILOVER_BASE_DELAY_MS,
        _NAT,
        1_000,
        "Milliseconds before the first of those retries; each further wait is twice as long.",
    ),
    _local(
        FAILOVER_MAX_DELAY_MS,
        _NAT,
        30_000,
        "The longest of those waits in milliseconds; a provider that asks for more is left.",
    ),
    Cvar(
        IN_FLIGHT,
        Type(Kind.MAP, of=Kind.NAT),
        Scope.GLOBAL,
        False,
        False,
        {},
        "Requests that may be in flight at one time, by provider, over all processes.",
    ),
    _local(MAX_TOOL_ROUNDS, _NAT, 200, "Tool rounds that one run may have."),
    _local(
        COMPACTION_ENABLED,
        Type(Kind.BOOL),
        True,
        "Compact a conversation that gets too long for its model.",
        replicate=True,
    ),
    _local(
        COMPACTION_RESERVE,
        _NAT,
        16_384,
        "Tokens that are kept free below the model's context window; at most half of it.",
    ),
    _local(
        COMPACTION_KEEP_RECENT,
        _NAT,
        40_000,
        "Tokens of the newest part that a compaction keeps word for word.",
    ),
    _local(
        COMPACTION_COUNTS,
        Type(Kind.BOOL),
        False,
        "Ask the provider before each request how many tokens it has.",
    ),
    _local(
        STEERING_MODE,
        _DELIVERY,
        "all",
        "How many steering messages enter at once: all that wait, or one.",
        replicate=True,
    ),
    _local(
        FOLLOW_UP_MODE,
        _DELIVERY,
        "one-at-a-time",
        "How many follow-up messages enter after an answer: all that wait, or one.",
        replicate=True,
    ),
    _local(
        TITLES_GENERATE,
        Type(Kind.BOOL),
        True,
        "Give a new session a title, which the model writes beside the first turn.",
        replicate=True,
    ),
    _local(
        SHELL_PATH,
        _TEXT,
        None,
        "The shell that runs commands. Unset: bash, else /bin/sh.",
        persist=False,
    ),
    _local(
        SHELL_COMMAND_PREFIX, _TEXT, None, "A line that is put before each command.", persist=False
    ),
    _local(DEFAULT_PROVIDER, _TEXT, None, "The provider of the model that new sessions start on."),
    _local(DEFAULT_MODEL, _TEXT, None, "The model that new sessions start on, of that provider."),
    _local(
        ENABLED_MODELS,
        Type(Kind.LIST),
        [],
        "Patterns of the models that a session may start on by itself, such as anthropic/*. Empty: all.",
    ),
    _local(
        DEFAULT_THINKING_LEVEL,
        Type(Kind.ENUM, tuple(LADDER), unset=True),
        None,
        "The thinking level of new sessions. Unset: medium, or what the model has.",
    ),
    *(
        _local(
            name,
            Type(Kind.NAT, unset=True),
            None,
            f"Tokens to think with at the level {level}, for models that are given a number of them.",
        )
        for level, name in THINKING_BUDGETS.items()
    ),
    _local(
        PROMPT_CACHE,
        Type(Kind.ENUM, ("none", "short", "long")),
        "short",
        "How long providers that let one say so keep the prompt in their cache; long costs more.",
    ),
    _local(
        SESSION_DIR,
        _TEXT,
        None,
        "Where sessions are stored. Unset: `sessions` in the agent directory.",
        persist=False,
    ),
    _local(
        MCP_SERVERS,
        Type(Kind.MAP, of=Kind.UNIT),
        {},
        "MCP servers by name; `eukhe mcp` changes them.",
        persist=False,
    ),
    Cvar(
        TRUSTED_PROJECTS,
        Type(Kind.LIST),
        Scope.GLOBAL,
        False,
        False,
        [],
        "Absolute directories whose projects are trusted; `eukhe trust` changes them.",
    ),
)


def load_registry(declarations: Iterable[Cvar] = TABLE) -> Registry:
    """Return the cvars by id.

    Raises:
        TableError: An id is declared twice, or a default does not have its type (S4.1).
    """
    found = registry(declarations)
    if isinstance(found, RegistryError):
        raise TableError(found)
    return found
