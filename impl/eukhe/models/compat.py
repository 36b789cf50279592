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

__all__ = ["DIRECTIVE_OF", "OTHER_KEYS", "check_compat", "effective"]

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

#: Keys that no directive stands for; a wire API reads them itself.
OTHER_KEYS: Final = (
    "chatTemplateKwargs",
    "chatTemplateArgs",
    "openRouterRouting",
    "vercelGatewayRouting",
    "vllmPriority",
    "supportsThinkingTokenBudget",
    "supportsOpenAIGrammarTools",
    "supportsMidConvoSystemMessages",
    "supportsMidConvoToolAdditions",
    "supportsMidConvoToolChanges",
    "supportsMidConvoEffort",
    "supportsAdditionalTools",
    "supportsToolSearch",
    "allowedFallbackModels",
)


def check_compat(compat: Fields) -> None:
    """Note the keys whose value has another type than their directive's; keys that are not known are kept."""
    for key in compat.keys:
        directive = DIRECTIVE_OF.get(key)
        if directive is None:
            continue
        if directive.kind is Kind.FLAG:
            compat.flag(key)
        else:
            compat.word(key, directive.choices)


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
