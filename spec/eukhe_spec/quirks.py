"""The quirks rulebook (S6.1, S6.2, S6.7, S6.8, S6.11 to S6.13): what does not compile, and what a query answers.

There is no compiled form here: every answer scans the tables as they are written.
"""

from __future__ import annotations

from eukhe_spec.quirks_targets import found, in_range, lower, revision, starts, targets
from eukhe_spec.quirks_types import (
    Answer,
    Book,
    Budgets,
    Count,
    Directive,
    Entry,
    Flag,
    Kind,
    Known,
    Ladder,
    Layer,
    Model,
    Op,
    Pattern,
    Place,
    Plain,
    Refusal,
    Rule,
    Scope,
    Set,
    Split,
    Supported,
    Table,
    Targets,
    Text,
    Tiers,
    Unknown,
    Unsupported,
    UserBudgets,
    Value,
    Why,
    Word,
)

__all__ = [
    "cache_write_1h",
    "capability",
    "in_range",
    "lookup",
    "provider_default",
    "refusals",
    "revision",
    "service_tiers",
    "setting",
    "targets",
    "thinking_budget",
    "tier_multiplier",
]

_DEFAULT_TIER = 0
_DYNAMIC = -1


# The directives (S6.1, S6.7).


def _kind(directive: int) -> Kind | None:
    """Return the type of a directive's value, or None for an unknown directive."""
    for last, kind in (
        (Directive.PROMPT_PROGRESS, Kind.FLAG),
        (Directive.SESSION_AFFINITY_FORMAT, Kind.CHOICE),
        (Directive.STRICT_CAP, Kind.COUNT),
        (Directive.THINKING_LADDER, Kind.LADDER),
        (Directive.THINKING_BUDGETS, Kind.BUDGETS),
        (Directive.COMPACT, Kind.DIALECT),
    ):
        if directive <= last:
            return kind
    return None


def _choices(directive: int) -> int:
    """Return how many words a directive has to choose from."""
    for one, count in (
        (Directive.MAX_TOKENS_FIELD, 2),
        (Directive.THINKING_FORMAT, 11),
        (Directive.THINKING_BUDGET_FIELD, 3),
        (Directive.CACHE_CONTROL_FORMAT, 2),
        (Directive.SESSION_AFFINITY_FORMAT, 3),
    ):
        if directive == one:
            return count
    return 0


def _for_capabilities(directive: int) -> bool:
    """Whether a capability lookup answers the directive: the operations, and `prompt_progress` (S6.7)."""
    return directive == Directive.PROMPT_PROGRESS or _kind(directive) is Kind.DIALECT


# What does not compile (S6.1, S6.7).


def _is_rung(entry: Entry) -> bool:
    return 0 <= entry.level <= 6 and (entry.wire is None or entry.wire >= 0)


def _fault_of(book: Book, directive: int, kind: Kind, value: Value) -> Why | None:
    """Return what is wrong with a value as one of that type."""
    match kind, value:
        case _, Split(then=then, otherwise=otherwise):
            first = _fault_of(book, directive, kind, then)
            return first if first is not None else _fault_of(book, directive, kind, otherwise)
        case Kind.FLAG, Flag():
            return None
        case Kind.CHOICE, Word(word=word) if word < _choices(directive):
            return None
        case Kind.COUNT, Count(n=n) if n >= 0:
            return None
        case Kind.LADDER, Ladder(entries=entries) if all(map(_is_rung, entries)):
            return None
        case Kind.BUDGETS, Budgets() as b if 0 <= b.minimal <= b.low <= b.medium <= b.high:
            return None
        case Kind.DIALECT, Flag(on=False):
            return None
        case Kind.DIALECT, Word(word=word):
            known = any(d.directive == directive and d.word == word for d in book.dialects)
            return None if known else Why.NO_IMPLEMENTATION
        case _:
            return Why.WRONG_TYPE


def _fault(book: Book, rule: Rule, one: Set) -> Why | None:
    """Return what is wrong with a set of a rule, whatever the other rules say."""
    kind = _kind(one.directive)
    if kind is None:
        return Why.UNKNOWN_DIRECTIVE
    narrow = any(h.id == rule.target and h.scope is Scope.CAPABILITIES for h in book.hosts)
    if rule.layer is Layer.HOST and narrow and not _for_capabilities(one.directive):
        return Why.WRONG_SCOPE
    return _fault_of(book, one.directive, kind, one.value)


def _clashes(book: Book, row: int, one: Set) -> bool:
    """Whether the first sound set of the same layer, target and directive gives another value."""
    rule = book.rules[row]
    for other in book.rules[:row]:
        if (other.layer, other.target) == (rule.layer, rule.target):
            for first in other.sets:
                if first.directive == one.directive and _fault(book, other, first) is None:
                    return first.value != one.value
    return False


def _undeclared(book: Book, rule: Rule) -> bool:
    """Whether the rule's target is a family or a host that the rulebook does not declare."""
    match rule.layer:
        case Layer.FAMILY:
            return all(family.id != rule.target for family in book.families)
        case Layer.HOST:
            return all(host.id != rule.target for host in book.hosts)
        case Layer.MODEL:
            return False


def _rule_refusals(book: Book) -> tuple[Refusal, ...]:
    faults: tuple[Refusal, ...] = ()
    for row, rule in enumerate(book.rules):
        if _undeclared(book, rule):
            faults += (Refusal(Why.UNDECLARED, Table.RULES, row, rule.layer, rule.target, None),)
        for one in rule.sets:
            why = _fault(book, rule, one)
            if why is None and _clashes(book, row, one):
                why = Why.CLASH
            if why is not None:
                faults += (Refusal(why, Table.RULES, row, rule.layer, rule.target, one.directive),)
    return faults


def _broken(pattern: Pattern | None) -> bool:
    return pattern is not None and pattern.place is Place.BROKEN


def _family_refusals(book: Book) -> tuple[Refusal, ...]:
    faults: tuple[Refusal, ...] = ()
    for row, family in enumerate(book.families):
        kinds = (
            (Why.DECLARED_TWICE, any(one.id == family.id for one in book.families[:row])),
            (Why.BAD_PATTERN, _broken(family.pattern) or _broken(family.exclude)),
            (Why.BAD_RANGE, any(bound.op is Op.ODD for bound in family.bounds)),
        )
        faults += tuple(
            Refusal(why, Table.FAMILIES, row, None, family.id, None) for why, so in kinds if so
        )
    return faults


def _host_refusals(book: Book) -> tuple[Refusal, ...]:
    faults: tuple[Refusal, ...] = ()
    for row, host in enumerate(book.hosts):
        before = book.hosts[:row]
        kinds = (
            (Why.DECLARED_TWICE, any(one.id == host.id for one in before)),
            (Why.API_TWICE, any(api in one.apis for one in before for api in host.apis)),
            (Why.PROVIDER_TWICE, any(p in one.providers for one in before for p in host.providers)),
        )
        faults += tuple(
            Refusal(why, Table.HOSTS, row, None, host.id, None) for why, so in kinds if so
        )
    return faults


def _price_clashes(book: Book, row: int, tier: int) -> bool:
    """Whether the first sound row that prices the tier for the same models has another multiplier."""
    price = book.prices[row]
    for one in book.prices[:row]:
        same = (one.provider, one.api, one.model) == (price.provider, price.api, price.model)
        if same and tier in one.tiers and one.multiplier >= 0:
            return one.multiplier != price.multiplier
    return False


def _table_refusals(book: Book) -> tuple[Refusal, ...]:
    faults: tuple[Refusal, ...] = ()
    for row, service in enumerate(book.services):
        if service.family is not None and all(f.id != service.family for f in book.families):
            where = (Table.SERVICE_TIERS, row, None, service.family, None)
            faults += (Refusal(Why.UNDECLARED, *where),)
    for row, price in enumerate(book.prices):
        target = () if price.model is None else price.model
        where = (Table.SERVICE_TIER_PRICES, row, None, target, None)
        if price.multiplier < 0:
            faults += (Refusal(Why.BAD_NUMBER, *where),)
        elif any(_price_clashes(book, row, tier) for tier in price.tiers):
            faults += (Refusal(Why.CLASH, *where),)
    for row, write in enumerate(book.cache_writes):
        where = (Table.CACHE_WRITE_1H_PRICES, row, None, (), None)
        if _broken(write.pattern):
            faults += (Refusal(Why.BAD_PATTERN, *where),)
        if write.multiplier < 0:
            faults += (Refusal(Why.BAD_NUMBER, *where),)
    return faults


def refusals(book: Book) -> tuple[Refusal, ...]:
    """Return every fault of a rulebook; it compiles when there is none (S6.1, S6.2, S6.7)."""
    return (
        *_family_refusals(book),
        *_host_refusals(book),
        *_rule_refusals(book),
        *_table_refusals(book),
    )


# Queries (S6.1, S6.7).


def _settled(value: Value, model: Text) -> Plain:
    if not isinstance(value, Split):
        return value
    return value.then if any(starts(model, one) for one in value.ids) else value.otherwise


def lookup(book: Book, at: Targets, directive: int) -> Answer:
    """Return what the rule of the highest layer that applies gives, or Unknown (S6.1).

    Args:
        book: A rulebook without refusals.
        at: The targets of the model.
        directive: The directive's number.
    """
    host = at.capability_host if _for_capabilities(directive) else at.host
    for layer, target in ((Layer.HOST, host), (Layer.MODEL, at.model), (Layer.FAMILY, at.family)):
        for number, rule in enumerate(book.rules):
            if rule.layer is layer and rule.target == target:
                for one in rule.sets:
                    if one.directive == directive:
                        return Known(_settled(one.value, at.model), layer, number)
    return Unknown()


def setting(explicit: Value | None, answer: Answer, default: Value) -> Value:
    """Return what a wire API uses: the explicit `compat`, else the rulebook's answer, else its default (S6.1)."""
    if explicit is not None:
        return explicit
    return answer.value if isinstance(answer, Known) else default


def capability(book: Book, model: Model, directive: int) -> Supported | Unsupported:
    """Return the dialect of an operation, or that the provider does not have it (S6.7)."""
    answer = lookup(book, targets(book, model), directive)
    if isinstance(answer, Known) and isinstance(answer.value, Word):
        return Supported(answer.value.word)
    return Unsupported(directive, model.provider)


# Tables (S6.8, S6.11 to S6.13).


def service_tiers(book: Book, model: Model) -> Tiers:
    """Return `default`, then each tier of each entry of the model's provider, API and family (S6.8)."""
    family = targets(book, model).family
    found: tuple[int, ...] = (_DEFAULT_TIER,)
    for entry in book.services:
        here = (entry.provider, entry.api) == (model.provider, model.api)
        if here and (entry.family is None or entry.family == family):
            for tier in entry.tiers:
                found += () if tier in found else (tier,)
    return Tiers(found)


def tier_multiplier(book: Book, model: Model, tier: int) -> int:
    """Return what a response at a tier costs, as a multiple of the base price (S6.12)."""
    for wanted in (model.id, None):
        for row in book.prices:
            here = (row.provider, row.api, row.model) == (model.provider, model.api, wanted)
            if here and tier in row.tiers:
                return row.multiplier
    return 1


def cache_write_1h(book: Book, model: Text) -> int | None:
    """Return the multiple of the input rate of the first row that matches the id, if one does (S6.12)."""
    for row in book.cache_writes:
        if found(row.pattern, lower(model)):
            return row.multiplier
    return None


def provider_default(book: Book, provider: int) -> Text | None:
    """Return the default model of a provider, if the table names it (S6.11)."""
    for row in book.defaults:
        if row.provider == provider:
            return row.model
    return None


def thinking_budget(
    level: int, user: UserBudgets, rule: Budgets | None, otherwise: Budgets | None
) -> int | None:
    """Return the token budget of a level (S6.13).

    Args:
        level: 0 `off` to 6 `max`; `xhigh` and `max` use the budget of `high`.
        user: The user's budgets; they win, held inside the rule's `minimal` to `high`.
        rule: The rulebook's budgets of the model, if any.
        otherwise: The default budgets, or None where the API takes a dynamic budget (-1).

    Returns:
        The budget in tokens, or None for a level that has none.
    """
    if not 1 <= level <= 6:
        return None
    place = min(level, 4) - 1
    own = (user.minimal, user.low, user.medium, user.high)[place]
    for budgets in (rule, otherwise):
        if own is None and budgets is not None:
            return (budgets.minimal, budgets.low, budgets.medium, budgets.high)[place]
    if own is None:
        return _DYNAMIC
    return own if rule is None else max(rule.minimal, min(own, rule.high))
