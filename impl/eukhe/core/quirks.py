"""The quirks rulebook: settings of model families, models and hosts as data, compiled once and then asked.

A rule has a layer, a target and directives with values. A query takes the rule of the highest layer that applies,
and is `UNKNOWN` when none does. Then explicit `compat` wins over both (S6.1).

    rulebook = compile_rulebook(book, dialects)      # of quirks_compile; a `Refused` lists every fault
    answer = query(rulebook, ModelKey("qwen3.8-27b", api="openai-completions"), SUPPORTS_STRICT_MODE)
    strict = setting(compat.get("supportsStrictMode"), answer, default=False)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import NamedTuple, TypeAlias, TypeVar, cast

from eukhe.core.quirks_directives import (
    CAPABILITIES,
    DIRECTIVES,
    Budgets,
    Capability,
    Directive,
    Value,
)
from eukhe.core.quirks_targets import Matcher, TargetIndex, normal, targets_of
from eukhe.core.quirks_types import (
    UNKNOWN,
    Known,
    Layer,
    ModelKey,
    ServiceTier,
    Split,
    Targets,
    Unknown,
    Unsupported,
)

__all__ = [
    "DYNAMIC_BUDGET",
    "Facts",
    "Given",
    "Prices",
    "Rulebook",
    "Rules",
    "answers",
    "cache_write_1h_multiplier",
    "capability",
    "provider_default",
    "query",
    "remembered_facts",
    "service_tier_multiplier",
    "service_tiers",
    "setting",
    "targets",
    "thinking_budget",
]

T = TypeVar("T", bound=Value)
S = TypeVar("S")

#: The budget that lets a Google model choose for itself (S6.13).
DYNAMIC_BUDGET = -1

# How many models a rulebook remembers; a session asks for a handful, a listing for each once.
_REMEMBERED = 4096
_BUDGET_OF = {
    "minimal": "minimal",
    "low": "low",
    "medium": "medium",
    "high": "high",
    "xhigh": "high",
    "max": "high",
}


class Given(NamedTuple):
    """What a rule gives a directive."""

    value: Value | Split
    layer: Layer
    target: str
    rule: int


Rules: TypeAlias = Mapping[tuple[Layer, str | None], Mapping[str, Given]]
Prices: TypeAlias = Mapping[tuple[str, str, str | None, str], float]


@dataclass(frozen=True, slots=True)
class Facts:
    """What a rulebook knows of a model: its targets, and the answer of each directive that is known."""

    targets: Targets
    answers: Mapping[str, Known[Value]]


@dataclass(frozen=True, slots=True, eq=False)
class Rulebook:
    """A rulebook, compiled.

    Attributes:
        rules: What the rules give, by layer and target.
        facts: What is known of a model; a bounded number of models is remembered.
        tiers: The service tiers, by provider and API.
        prices: The multiplier, by provider, API, model id (or None) and tier.
        cache_writes: The patterns and multipliers of 1h cache writes, in their order.
        provider_defaults: The default model of each provider.
    """

    rules: Rules
    facts: Callable[[ModelKey], Facts]
    tiers: Mapping[tuple[str, str], Sequence[ServiceTier]]
    prices: Prices
    cache_writes: Sequence[tuple[Matcher, float]]
    provider_defaults: Mapping[str, str]


# Queries: the layers are laid over each other once a model, then an answer is one look-up.


def _settled(given: Given, model: str) -> Known[Value]:
    value = given.value
    if isinstance(value, Split):
        value = value.then if model.startswith(value.ids) else value.otherwise
    return Known(value, given.layer, given.target, given.rule)


def answers(rules: Rules, at: Targets) -> Mapping[str, Known[Value]]:
    """Return the answer of each directive that a rule of these targets gives, the highest layer winning (S6.1).

    Args:
        rules: What the rules give.
        at: The targets; the capability directives come from the capability host, the others from the host.
    """
    over: dict[str, Given] = {}
    for layer, target in ((Layer.FAMILY, at.family), (Layer.MODEL, at.model)):
        over.update(rules.get((layer, target), {}))
    for host, capability_part in ((at.host, False), (at.capability_host, True)):
        of_host = rules.get((Layer.HOST, host), {}).items()
        over.update(
            (name, g) for name, g in of_host if DIRECTIVES[name].capability is capability_part
        )
    return {name: _settled(given, at.model) for name, given in over.items()}


def _facts(rules: Rules, index: TargetIndex, model: ModelKey) -> Facts:
    found = targets_of(index, model)
    return Facts(found, answers(rules, found))


def remembered_facts(rules: Rules, index: TargetIndex) -> Callable[[ModelKey], Facts]:
    """Return what finds the facts of a model and remembers those of a bounded number of models."""
    return lru_cache(_REMEMBERED)(partial(_facts, rules, index))


def targets(rulebook: Rulebook, model: ModelKey) -> Targets:
    """Return the one target a layer that a model names, and the families that overlap on it (S6.2)."""
    return rulebook.facts(model).targets


def query(rulebook: Rulebook, model: ModelKey, directive: Directive[T]) -> Known[T] | Unknown:
    """Return what the rule of the highest layer that applies gives, or `UNKNOWN` (S6.1)."""
    answer = rulebook.facts(model).answers.get(directive.name, UNKNOWN)
    return cast("Known[T] | Unknown", answer)  # the compiler checked the value against the kind


def setting(explicit: S | None, answer: Known[T] | Unknown, default: S) -> S | T:
    """Return what a wire API uses: the explicit `compat`, else the answer, else the API's own default (S6.1)."""
    if explicit is not None:
        return explicit
    return default if answer is UNKNOWN else answer.value


def capability(rulebook: Rulebook, model: ModelKey, operation: Capability) -> str | Unsupported:
    """Return the dialect of an operation's endpoint, or that the provider does not have it (S6.7)."""
    answer = query(rulebook, model, CAPABILITIES[operation])
    if answer is UNKNOWN or not isinstance(answer.value, str):
        return Unsupported(operation, model.provider)
    return answer.value


def service_tiers(rulebook: Rulebook, model: ModelKey) -> tuple[str, ...]:
    """Return the tiers that a model honours: `default`, then the table's, each once (S6.8)."""
    family = rulebook.facts(model).targets.family
    entries = rulebook.tiers.get((model.provider, model.api), ())
    tiers = dict.fromkeys(("default",))
    for entry in entries:
        if entry.family is None or entry.family == family:
            tiers.update(dict.fromkeys(entry.tiers))
    return tuple(tiers)


def service_tier_multiplier(rulebook: Rulebook, model: ModelKey, tier: str) -> float:
    """Return what a response at a tier costs, as a multiple of the base price; 1 with no row (S6.12)."""
    base = rulebook.prices.get((model.provider, model.api, None, tier), 1)
    return rulebook.prices.get((model.provider, model.api, model.id, tier), base)


def cache_write_1h_multiplier(rulebook: Rulebook, model: str) -> float | None:
    """Return the multiple of the input rate that a model id pays for 1h cache writes, or None (S6.12)."""
    id_ = normal(model)
    rows = rulebook.cache_writes
    return next((multiplier for pattern, multiplier in rows if pattern.search(id_)), None)


def provider_default(rulebook: Rulebook, provider: str) -> str | None:
    """Return the default model id of a provider, or None for one that the table does not name (S6.11)."""
    return rulebook.provider_defaults.get(provider)


def thinking_budget(
    level: str, user: Mapping[str, int], rule: Budgets | None, otherwise: Budgets | None
) -> int | None:
    """Return the token budget of a thinking level (S6.13).

    Args:
        level: The level; `xhigh` and `max` use the budget of `high`.
        user: The user's budgets by level; they win, held inside the rule's `minimal` to `high`.
        rule: The rulebook's budgets of the model, if any.
        otherwise: The default budgets, or None where the API takes a dynamic budget (-1).

    Returns:
        Tokens, or None for a level that has no budget (`off`, or no level at all).
    """
    name = _BUDGET_OF.get(level)
    if name is None:
        return None
    given = rule if rule is not None else otherwise
    own = user.get(name)
    if own is None:
        return DYNAMIC_BUDGET if given is None else int(getattr(given, name))
    return own if rule is None else max(rule.minimal, min(own, rule.high))
