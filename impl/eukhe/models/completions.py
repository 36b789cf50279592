"""A model as Chat Completions sees it: what its server takes, and what a thinking level sends (S6.1, S10).

Only the model's settings are asked, never its id.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from eukhe.core import quirks_directives as d
from eukhe.core.effort import Level
from eukhe.core.ladder import Origin
from eukhe.core.quirks import query, setting, targets
from eukhe.models.affinity import affinity_of, is_copilot
from eukhe.models.longest import longest_reply
from eukhe.models.thinking_budgets import budget_of, of_level
from eukhe.wire.openai_compat import Compat
from eukhe.wire.request import Options

if TYPE_CHECKING:
    from eukhe.models.registry import Model
    from eukhe.models.speak import Ask, Stream

__all__ = ["completions_compat", "options_of", "stream_of"]

#: The families whose chat template takes the toggle, on servers that render it themselves.
_TEMPLATE_FAMILIES: Final = ("qwen", "qwen-3.8")


def completions_compat(model: Model) -> Compat:
    """Return what differs at the model's server."""
    field = model.setting(d.MAX_TOKENS_FIELD, "max_completion_tokens")
    thinks = model.entry.reasoning
    developer = thinks and model.setting(d.SUPPORTS_DEVELOPER_ROLE, True)
    return Compat(
        max_tokens_field="max_tokens" if field == "max_tokens" else "max_completion_tokens",
        system_role="developer" if developer else "system",
        usage_in_stream=model.setting(d.SUPPORTS_USAGE_IN_STREAMING, True),
        name_in_result=model.setting(d.REQUIRES_TOOL_RESULT_NAME, False),
        thinking_as_text=model.setting(d.REQUIRES_THINKING_AS_TEXT, False),
        reasoning_content=thinks and model.setting(d.REQUIRES_REASONING_CONTENT, False),
        assistant_after_result=model.setting(d.REQUIRES_ASSISTANT_AFTER_TOOL_RESULT, False),
        needs_finish=model.setting(d.SUPPORTS_FINISH_REASON, True),
        strict=model.setting(d.SUPPORTS_STRICT_MODE, False),
        strict_cap=setting(None, query(model.quirks.rulebook, model.key, d.STRICT_CAP), None),
        forced_choice=model.setting(d.SUPPORTS_FORCED_TOOL_CHOICE, True),
        named_choice=model.setting(d.SUPPORTS_NAMED_TOOL_CHOICE, True),
        cache_marks=model.setting(d.CACHE_CONTROL_FORMAT, "none") == "anthropic",
        cache_key=model.setting(d.SUPPORTS_PROMPT_CACHE_KEY, False),
        long_cache=model.setting(d.SUPPORTS_LONG_CACHE_RETENTION, True),
        affinity=affinity_of(model),
        copilot=is_copilot(model),
    )


def stream_of(model: Model) -> Stream:
    """Return Chat Completions as the model's server takes it."""
    from eukhe.wire.openai_completions import stream  # it brings the HTTP client along

    return partial(stream, compat=completions_compat(model))


def options_of(model: Model, ask: Ask) -> Options:
    """Return what a request asks for."""
    tier = ask.tier
    entry = model.entry
    extra: dict[str, object] = {}
    if model.setting(d.SUPPORTS_STORE, True):
        extra["store"] = False
    if model.setting(d.PROMPT_PROGRESS, False):
        extra["return_progress"] = True
    if model.setting(d.ZAI_TOOL_STREAM, False):
        extra["tool_stream"] = True
    compat = entry.compat or {}
    routing = compat.get("openRouterRouting")
    if isinstance(routing, dict) and _format(model) == "openrouter":
        extra["provider"] = routing
    if isinstance(gateway := compat.get("vercelGatewayRouting"), dict):
        extra["providerOptions"] = {"gateway": gateway}
    if isinstance(rank := compat.get("vllmPriority"), int) and not isinstance(rank, bool):
        extra["priority"] = rank
    if tier is not None and tier != "default" and tier in model.tiers:
        extra["service_tier"] = tier
    if entry.reasoning:
        extra |= _thinking(model, ask)
    return Options(max_tokens=longest_reply(model), session=ask.session, extra=extra)


def _format(model: Model) -> str:
    """The thinking format: that of the model or host, else the template's of its family, else OpenAI's."""
    found = model.setting(d.THINKING_FORMAT, "")
    if found:
        return found
    family = targets(model.quirks.rulebook, model.key).family
    own = model.origin is Origin.CUSTOM and family in _TEMPLATE_FAMILIES
    return "qwen-chat-template" if own else "openai"


def _thinking(model: Model, ask: Ask) -> dict[str, object]:
    """The fields that say how much to think: the host's own, and a budget where the server takes one."""
    budget = _budget(model, ask) if ask.level is not Level.OFF else None
    field = _budget_field(model)
    return {
        **_switches(model, ask.level, budget),
        **({field: budget} if field and budget is not None else {}),
    }


def _budget(model: Model, ask: Ask) -> int:
    """The tokens of a level: the user's number or the rule's, else the default's."""
    told = budget_of(model, ask)
    return of_level(model.quirks.budgets, ask.level) if told is None else told


def _budget_field(model: Model) -> str:
    """The field of the budget; empty where the server takes none."""
    plain = (model.entry.compat or {}).get("supportsThinkingTokenBudget") is True
    return model.setting(d.THINKING_BUDGET_FIELD, "thinking_token_budget" if plain else "")


def _switches(model: Model, level: Level, budget: int | None) -> dict[str, object]:
    """The fields that turn thinking on and off, and say how much of it."""
    on = level is not Level.OFF
    word = model.sends(level)
    effort = word if word is not None else level.value if on else None
    known = model.setting(d.SUPPORTS_REASONING_EFFORT, True)
    both: dict[str, object] = {"reasoning_effort": effort} if known and effort is not None else {}
    match _format(model):
        case "zai":
            return {"thinking": _zai(on), **both}
        case "deepseek":
            return {"thinking": {"type": "enabled" if on else "disabled"}, **(both if on else {})}
        case "qwen":
            return {"enable_thinking": on, **_named(word)}
        case "qwen-chat-template":
            # A template that knows the word for off refuses the toggle for it.
            toggle = on or word is None
            kwargs = {"chat_template_kwargs": {"enable_thinking": on, "preserve_thinking": on}}
            return {**(kwargs if toggle else {}), **_named(word)}
        case "chat-template" | "baseten" as form:
            return _configured(model, form, on, effort, budget, known=known)
        case "openrouter":
            return _openrouter(model, on, effort)
        case "together":
            return {"reasoning": {"enabled": on}, **(both if on else {})}
        case "string-thinking":
            return {"thinking": effort if on else "none"}
        case "ant-ling":
            return {"reasoning": {"effort": effort}} if on else {}
        case _:
            return both


def _named(word: str | None) -> dict[str, object]:
    """The effort where the ladder has a word for it."""
    return {} if word is None else {"reasoning_effort": word}


def _zai(on: bool) -> dict[str, object]:
    return {"type": "enabled", "clear_thinking": False} if on else {"type": "disabled"}


def _openrouter(model: Model, on: bool, effort: str | None) -> dict[str, object]:
    if on:
        return {"reasoning": {"effort": effort}}
    # A model that cannot be off is sent nothing, and then does as it does.
    return {"reasoning": {"effort": "none"}} if Level.OFF in model.levels else {}


def _configured(
    model: Model, form: str, on: bool, effort: str | None, budget: int | None, *, known: bool
) -> dict[str, object]:
    """The template's arguments as the user wrote them, with the variables filled in."""
    key, field = (
        ("chatTemplateArgs", "chat_template_args")
        if form == "baseten"
        else ("chatTemplateKwargs", "chat_template_kwargs")
    )
    written = (model.entry.compat or {}).get(key)
    filled: dict[str, object] = {}
    for name, value in (written if isinstance(written, dict) else {}).items():
        if not isinstance(value, dict):
            filled[name] = value
        elif on or not value.get("omitWhenOff"):
            variables = {
                "thinking.enabled": on,
                "thinking.effort": effort,
                "thinking.budget": budget,
            }
            filled[name] = variables.get(str(value.get("$var")))
    found: dict[str, object] = {field: filled} if filled else {}
    if form == "baseten" and on and known and effort is not None:
        found["reasoning_effort"] = effort
    return found
