"""The directives that a rule may set, each with the type of its value (S6.1, S6.7, S6.13).

Declarations only. A wire API asks for a directive by its constant, so the type of the answer is known:
`query(rulebook, model, STRICT_CAP)` gives a whole number or `UNKNOWN`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Generic, NamedTuple, TypeAlias, TypeVar

__all__ = [
    "ADAPTIVE_THINKING",
    "ALLOW_EMPTY_SIGNATURE",
    "CACHE_CONTROL_FORMAT",
    "CACHE_CONTROL_ON_TOOLS",
    "CAPABILITIES",
    "DIRECTIVES",
    "EAGER_TOOL_INPUT_STREAMING",
    "EXPLICIT_CACHE_BREAKPOINTS",
    "GOOGLE_THINKING_LEVEL",
    "LEVELS",
    "MAX_TOKENS_FIELD",
    "PROMPT_CACHING",
    "PROMPT_PROGRESS",
    "REQUIRES_ASSISTANT_AFTER_TOOL_RESULT",
    "REQUIRES_REASONING_CONTENT",
    "REQUIRES_THINKING_AS_TEXT",
    "REQUIRES_TOOL_RESULT_ID",
    "REQUIRES_TOOL_RESULT_NAME",
    "SESSION_AFFINITY",
    "SESSION_AFFINITY_FORMAT",
    "STRICT_CAP",
    "SUPPORTS_DEVELOPER_ROLE",
    "SUPPORTS_FINISH_REASON",
    "SUPPORTS_FORCED_TOOL_CHOICE",
    "SUPPORTS_LONG_CACHE_RETENTION",
    "SUPPORTS_MAX_OUTPUT_TOKENS",
    "SUPPORTS_NAMED_TOOL_CHOICE",
    "SUPPORTS_PROMPT_CACHE_KEY",
    "SUPPORTS_REASONING_EFFORT",
    "SUPPORTS_REASONING_SUMMARY",
    "SUPPORTS_STORE",
    "SUPPORTS_STRICT_MODE",
    "SUPPORTS_TEMPERATURE",
    "SUPPORTS_USAGE_IN_STREAMING",
    "THINKING_BLOCK_BINDING",
    "THINKING_BUDGETS",
    "THINKING_BUDGET_FIELD",
    "THINKING_FORMAT",
    "THINKING_LADDER",
    "ZAI_TOOL_STREAM",
    "Budgets",
    "Capability",
    "Directive",
    "Kind",
    "Ladder",
    "Value",
]

#: The thinking levels, in ladder order.
LEVELS = ("off", "minimal", "low", "medium", "high", "xhigh", "max")


class Budgets(NamedTuple):
    """The token budgets of the four levels that have one."""

    minimal: int
    low: int
    medium: int
    high: int


#: A thinking ladder: a level to its wire string, or to None where the level is removed.
Ladder: TypeAlias = Mapping[str, str | None]
Value: TypeAlias = bool | int | str | Ladder | Budgets
T_co = TypeVar("T_co", covariant=True, bound=Value)


class Kind(Enum):
    """The types of the directives' values; the value says what a message can tell was expected."""

    FLAG = "true or false"
    CHOICE = "one of the directive's words"
    COUNT = "a whole number of at least 0"
    LADDER = "a map from thinking levels to strings or null"
    BUDGETS = "minimal, low, medium and high as whole numbers that never go down"
    DIALECT = "the name of a dialect, or false"


class Capability(StrEnum):
    """The operations that a provider can have beside the chat stream (S6.7)."""

    COUNT_TOKENS = "count_tokens"
    LIST_MODELS = "list_models"
    EMBED = "embed"
    GENERATE_IMAGE = "generate_image"
    TOKENIZE = "tokenize"
    USAGE = "usage"
    WEB_SEARCH = "web_search"
    COMPACT = "compact"


@dataclass(frozen=True, slots=True)
class Directive(Generic[T_co]):
    """A directive that a rule may give a value.

    Attributes:
        name: Its name in the rulebook.
        kind: The type of its value.
        choices: The words of a choice.
        capability: Whether the capability lookups answer it (S6.7).
    """

    name: str
    kind: Kind
    choices: tuple[str, ...] = ()
    capability: bool = False


def _flag(name: str) -> Directive[bool]:
    return Directive(name, Kind.FLAG)


def _choice(name: str, choices: tuple[str, ...]) -> Directive[str]:
    return Directive(name, Kind.CHOICE, choices)


SUPPORTS_STORE = _flag("supports_store")
SUPPORTS_DEVELOPER_ROLE = _flag("supports_developer_role")
SUPPORTS_REASONING_EFFORT = _flag("supports_reasoning_effort")
SUPPORTS_REASONING_SUMMARY = _flag("supports_reasoning_summary")
SUPPORTS_USAGE_IN_STREAMING = _flag("supports_usage_in_streaming")
SUPPORTS_FINISH_REASON = _flag("supports_finish_reason")
SUPPORTS_MAX_OUTPUT_TOKENS = _flag("supports_max_output_tokens")
SUPPORTS_LONG_CACHE_RETENTION = _flag("supports_long_cache_retention")
SUPPORTS_PROMPT_CACHE_KEY = _flag("supports_prompt_cache_key")
SUPPORTS_STRICT_MODE = _flag("supports_strict_mode")
SUPPORTS_NAMED_TOOL_CHOICE = _flag("supports_named_tool_choice")
SUPPORTS_FORCED_TOOL_CHOICE = _flag("supports_forced_tool_choice")
SUPPORTS_TEMPERATURE = _flag("supports_temperature")
REQUIRES_TOOL_RESULT_NAME = _flag("requires_tool_result_name")
REQUIRES_TOOL_RESULT_ID = _flag("requires_tool_result_id")
REQUIRES_ASSISTANT_AFTER_TOOL_RESULT = _flag("requires_assistant_after_tool_result")
REQUIRES_THINKING_AS_TEXT = _flag("requires_thinking_as_text")
REQUIRES_REASONING_CONTENT = _flag("requires_reasoning_content")
ZAI_TOOL_STREAM = _flag("zai_tool_stream")
SESSION_AFFINITY = _flag("session_affinity")
EAGER_TOOL_INPUT_STREAMING = _flag("eager_tool_input_streaming")
CACHE_CONTROL_ON_TOOLS = _flag("cache_control_on_tools")
ALLOW_EMPTY_SIGNATURE = _flag("allow_empty_signature")
ADAPTIVE_THINKING = _flag("adaptive_thinking")
THINKING_BLOCK_BINDING = _flag("thinking_block_binding")
PROMPT_CACHING = _flag("prompt_caching")
EXPLICIT_CACHE_BREAKPOINTS = _flag("explicit_cache_breakpoints")
GOOGLE_THINKING_LEVEL = _flag("google_thinking_level")
PROMPT_PROGRESS: Directive[bool] = Directive("prompt_progress", Kind.FLAG, capability=True)
MAX_TOKENS_FIELD = _choice(
    "max_tokens_field",
    (
        "max_completion_tokens",
        "max_tokens",
    ),
)
THINKING_FORMAT = _choice(
    "thinking_format",
    (
        "openai",
        "openrouter",
        "deepseek",
        "together",
        "baseten",
        "zai",
        "qwen",
        "chat-template",
        "qwen-chat-template",
        "string-thinking",
        "ant-ling",
    ),
)
THINKING_BUDGET_FIELD = _choice(
    "thinking_budget_field",
    (
        "thinking_token_budget",
        "thinking_budget",
        "thinking_budget_tokens",
    ),
)
CACHE_CONTROL_FORMAT = _choice(
    "cache_control_format",
    (
        "none",
        "anthropic",
    ),
)
SESSION_AFFINITY_FORMAT = _choice(
    "session_affinity_format",
    (
        "openai",
        "openai-nosession",
        "openrouter",
    ),
)
STRICT_CAP: Directive[int] = Directive("strict_cap", Kind.COUNT)
THINKING_LADDER: Directive[Ladder] = Directive("thinking_ladder", Kind.LADDER)
THINKING_BUDGETS: Directive[Budgets] = Directive("thinking_budgets", Kind.BUDGETS)

#: The directive of each operation: the dialect of its endpoint, or False.
CAPABILITIES: Mapping[Capability, Directive[str | bool]] = {
    one: Directive(one.value, Kind.DIALECT, (), True) for one in Capability
}

_ALL: tuple[Directive[Value], ...] = (
    SUPPORTS_STORE,
    SUPPORTS_DEVELOPER_ROLE,
    SUPPORTS_REASONING_EFFORT,
    SUPPORTS_REASONING_SUMMARY,
    SUPPORTS_USAGE_IN_STREAMING,
    SUPPORTS_FINISH_REASON,
    SUPPORTS_MAX_OUTPUT_TOKENS,
    SUPPORTS_LONG_CACHE_RETENTION,
    SUPPORTS_PROMPT_CACHE_KEY,
    SUPPORTS_STRICT_MODE,
    SUPPORTS_NAMED_TOOL_CHOICE,
    SUPPORTS_FORCED_TOOL_CHOICE,
    SUPPORTS_TEMPERATURE,
    REQUIRES_TOOL_RESULT_NAME,
    REQUIRES_TOOL_RESULT_ID,
    REQUIRES_ASSISTANT_AFTER_TOOL_RESULT,
    REQUIRES_THINKING_AS_TEXT,
    REQUIRES_REASONING_CONTENT,
    ZAI_TOOL_STREAM,
    SESSION_AFFINITY,
    EAGER_TOOL_INPUT_STREAMING,
    CACHE_CONTROL_ON_TOOLS,
    ALLOW_EMPTY_SIGNATURE,
    ADAPTIVE_THINKING,
    THINKING_BLOCK_BINDING,
    PROMPT_CACHING,
    EXPLICIT_CACHE_BREAKPOINTS,
    GOOGLE_THINKING_LEVEL,
    PROMPT_PROGRESS,
    MAX_TOKENS_FIELD,
    THINKING_FORMAT,
    THINKING_BUDGET_FIELD,
    CACHE_CONTROL_FORMAT,
    SESSION_AFFINITY_FORMAT,
    STRICT_CAP,
    THINKING_LADDER,
    THINKING_BUDGETS,
    *CAPABILITIES.values(),
)

#: Every directive by its name; another name is refused.
DIRECTIVES: Mapping[str, Directive[Value]] = {one.name: one for one in _ALL}
