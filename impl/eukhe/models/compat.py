"""`compat`: what a model's entry says over the rulebook (S6.1), each key with the directive that it wins over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from eukhe.core import quirks_directives as d
from eukhe.core.quirks import query, setting
from eukhe.core.quirks_directives import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.core.quirks import Rulebook
    from eukhe.core.quirks_directives import Directive, Value
    from eukhe.core.quirks_types import ModelKey
    from eukhe.models.fields import Fields

__all__ = ["DIRECTIVE_OF", "OTHER_KEYS", "READ_KEYS", "VARIABLES", "check_compat", "effective"]

T = TypeVar("T", bound="bool | str")

#: The directive that a key of `compat` wins over.
DIRECTIVE_OF: Final[Mapping[str, Directive[Value]]] = {
    "supportsStore": d.SUPPORTS_STORE,
    "supportsDeveloperRole": d.SUPPORTS_DEVELOPER_ROLE,
    "supportsReasoningEffort": d.SUPPORTS_REASONING_EFFORT,
    "supportsReasoningSummary": d.SUPPORTS_REASONING_SUMMARY,
    "supportsUsageInStreaming": d.SUPPORTS_USAGE_IN_STREAMING,
    "supportsFinishReason": d.SUPPORTS_FINISH_REASON,
    "supportsMaxOutputTokens": d.SUPPORTS_MAX_OUTPUT_TOKENS,
    "supportsLongCacheRetention": d.SUPPORTS_LONG_CACHE_RETENTION,
    "supportsPromptCacheKey": d.SUPPORTS_PROMPT_CACHE_KEY,
    "supportsStrictMode": d.SUPPORTS_STRICT_MODE,
    "supportsStrictTools": d.SUPPORTS_STRICT_MODE,
    "supportsNamedToolChoice": d.SUPPORTS_NAMED_TOOL_CHOICE,
    "supportsForcedToolChoice": d.SUPPORTS_FORCED_TOOL_CHOICE,
    "supportsTemperature": d.SUPPORTS_TEMPERATURE,
    "supportsEagerToolInputStreaming": d.EAGER_TOOL_INPUT_STREAMING,
    "supportsCacheControlOnTools": d.CACHE_CONTROL_ON_TOOLS,
    "supportsExplicitPromptCacheMode": d.EXPLICIT_CACHE_BREAKPOINTS,
    "supportsPromptProgress": d.PROMPT_PROGRESS,
    "requiresToolResultName": d.REQUIRES_TOOL_RESULT_NAME,
    "requiresToolResultId": d.REQUIRES_TOOL_RESULT_ID,
    "requiresAssistantAfterToolResult": d.REQUIRES_ASSISTANT_AFTER_TOOL_RESULT,
    "requiresThinkingAsText": d.REQUIRES_THINKING_AS_TEXT,
    "requiresReasoningContentOnAssistantMessages": d.REQUIRES_REASONING_CONTENT,
    "zaiToolStream": d.ZAI_TOOL_STREAM,
    "sendSessionAffinityHeaders": d.SESSION_AFFINITY,
    "sessionAffinityFormat": d.SESSION_AFFINITY_FORMAT,
    "allowEmptySignature": d.ALLOW_EMPTY_SIGNATURE,
    "forceAdaptiveThinking": d.ADAPTIVE_THINKING,
    "maxTokensField": d.MAX_TOKENS_FIELD,
    "thinkingFormat": d.THINKING_FORMAT,
    "thinkingTokenBudgetField": d.THINKING_BUDGET_FIELD,
    "cacheControlFormat": d.CACHE_CONTROL_FORMAT,
}

#: Keys that no directive stands for, and that a wire API reads itself.
READ_KEYS: Final = (
    "chatTemplateKwargs",
    "chatTemplateArgs",
    "openRouterRouting",
    "vercelGatewayRouting",
    "vllmPriority",
    "supportsThinkingTokenBudget",
)

#: Every key that no directive stands for; those that nothing reads are for programs that share the file.
OTHER_KEYS: Final = (
    *READ_KEYS,
    "supportsOpenAIGrammarTools",
    "supportsMidConvoSystemMessages",
    "supportsMidConvoToolAdditions",
    "supportsMidConvoToolChanges",
    "supportsMidConvoEffort",
    "supportsAdditionalTools",
    "supportsToolSearch",
    "allowedFallbackModels",
)

#: What a value of a chat template's arguments can stand for.
VARIABLES: Final = ("thinking.enabled", "thinking.effort", "thinking.budget")
_MOST_RANK: Final = 1_000_000_000


def check_compat(compat: Fields) -> None:
    """Note the keys whose value has another type than they take; keys that are not known are kept."""
    for key in compat.keys:
        directive = DIRECTIVE_OF.get(key)
        if directive is not None and directive.kind is not Kind.FLAG:
            compat.word(key, directive.choices)
        elif directive is not None or key == "supportsThinkingTokenBudget":
            compat.flag(key)
        elif key == "vllmPriority":
            compat.whole(key, -_MOST_RANK, _MOST_RANK)
        elif key in ("openRouterRouting", "vercelGatewayRouting"):
            compat.inner(key)
        elif key in ("chatTemplateKwargs", "chatTemplateArgs"):
            _check_arguments(compat.inner(key))


def _check_arguments(arguments: Fields) -> None:
    """Note the arguments of a chat template that are neither plain nor a variable of ours."""
    for name in arguments.keys:
        value = arguments.value(name)
        if isinstance(value, list):
            arguments.fault(name, "a text, a number, true, false, null, or a $var", value)
        if isinstance(value, dict):
            one = arguments.inner(name)
            one.only(("$var", "omitWhenOff"))
            one.word("$var", VARIABLES)
            one.flag("omitWhenOff", default=False)


def effective(
    rulebook: Rulebook,
    key: ModelKey,
    compat: Mapping[str, object] | None,
    directive: Directive[T],
    default: T,
) -> T:
    """Return what a wire API uses: the explicit `compat`, else the rulebook, else its own default (S6.1).

    Args:
        rulebook: The rulebook.
        key: The model.
        compat: The model's `compat`, of which a value of another type does not count.
        directive: The setting.
        default: The wire API's own default; it has the type of the directive's value.
    """
    explicit: T | None = None
    for name, value in (compat or {}).items():
        if DIRECTIVE_OF.get(name) is directive and type(value) is type(default):
            explicit = value
    return setting(explicit, query(rulebook, key, directive), default)
