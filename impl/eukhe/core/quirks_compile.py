"""The compiler of the quirks rulebook: one pass over each table; every fault is told, with its row (S6.1).

rulebook = compile_rulebook(book, {"list_models": ("openai",)})
if isinstance(rulebook, Refused):
for refusal in rulebook.refusals: ...
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias, TypeGuard, TypeVar, cast

from eukhe.core.quirks import Given, Prices, Rulebook, Rules, remembered_facts
from eukhe.core.quirks_directives import DIRECTIVES, LEVELS, Budgets, Directive, Kind, Value
from eukhe.core.quirks_targets import (
    FamilyTest,
    Matcher,
    family_test,
    pattern_of,
    range_of,
    target_index,
)
from eukhe.core.quirks_types import (
    Book,
    Family,
    Host,
    Layer,
    Refusal,
    Refused,
    Scope,
    ServiceTier,
    Split,
    Table,
    Why,
)

__all__ = ["Dialects", "compile_rulebook"]

#: The dialects in which the program implements an operation, by the operation's name.
Dialects: TypeAlias = Mapping[str, Collection[str]]

T = TypeVar("T")

_SPLIT_KEYS = frozenset(("ids", "then", "else"))


def _twice(seen: dict[str, int], names: Iterable[str], row: int) -> bool:
    """Note the names of a row; whether an earlier row had one of them."""
    return row > min((seen.setdefault(name, row) for name in names), default=row)


def _sound(value: T | None) -> T:
    """Take a part as sound: with one that is not, the rulebook is refused and never asked."""
    return cast("T", value)


def _families(families: Sequence[Family], refusals: list[Refusal]) -> tuple[FamilyTest, ...]:
    seen: dict[str, int] = {}
    tests = []
    for row, family in enumerate(families):
        pattern = pattern_of(family.pattern)
        exclude = None if family.exclude is None else pattern_of(family.exclude)
        bounds = range_of(family.revision)
        broken = pattern is None or (family.exclude is not None and exclude is None)
        for why, fault in (
            (Why.DECLARED_TWICE, _twice(seen, (family.id,), row)),
            (Why.BAD_PATTERN, broken),
            (Why.BAD_RANGE, bounds is None),
        ):
            if fault:
                refusals.append(Refusal(why, Table.FAMILIES, row, None, family.id))
        tests.append(family_test(family, _sound(pattern), exclude, _sound(bounds)))
    return tuple(tests)


def _check_hosts(hosts: Sequence[Host], refusals: list[Refusal]) -> None:
    ids: dict[str, int] = {}
    apis: dict[str, int] = {}
    providers: dict[str, int] = {}
    for row, host in enumerate(hosts):
        for why, seen, names in (
            (Why.DECLARED_TWICE, ids, (host.id,)),
            (Why.API_TWICE, apis, host.apis),
            (Why.PROVIDER_TWICE, providers, host.providers),
        ):
            if _twice(seen, names, row):
                refusals.append(Refusal(why, Table.HOSTS, row, None, host.id))


def _whole(value: object) -> TypeGuard[int]:
    """Whether a value is a whole number of at least 0; true and false are none."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _budgets(raw: Mapping[object, object]) -> Budgets | Why:
    values = [raw.get(name) for name in Budgets._fields]
    whole = [value for value in values if _whole(value)]
    if len(raw) == len(values) == len(whole) and whole == sorted(whole):
        return Budgets(*whole)
    return Why.WRONG_TYPE


def _ladder(raw: Mapping[object, object]) -> Mapping[str, str | None] | Why:
    given = {level: raw[level] for level in LEVELS if level in raw}
    rungs = {level: wire for level, wire in given.items() if wire is None or isinstance(wire, str)}
    return MappingProxyType(rungs) if len(rungs) == len(raw) else Why.WRONG_TYPE


def _plain(directive: Directive[Value], raw: object, dialects: Dialects) -> Value | Why:
    """Read a value that is the same for every model id."""
    match directive.kind:
        case Kind.FLAG if isinstance(raw, bool):
            return raw
        case Kind.CHOICE if raw in directive.choices:
            return str(raw)
        case Kind.COUNT if _whole(raw):
            return raw
        case Kind.LADDER if isinstance(raw, Mapping):
            return _ladder(raw)
        case Kind.BUDGETS if isinstance(raw, Mapping):
            return _budgets(raw)
        case Kind.DIALECT if raw is False:
            return raw
        case Kind.DIALECT if isinstance(raw, str):
            return raw if raw in dialects.get(directive.name, ()) else Why.NO_IMPLEMENTATION
        case _:
            return Why.WRONG_TYPE


def _split(
    directive: Directive[Value], raw: Mapping[str, object], dialects: Dialects
) -> Split | Why:
    """Read a value that depends on the model id."""
    then = _plain(directive, raw["then"], dialects)
    otherwise = _plain(directive, raw["else"], dialects)
    ids = raw["ids"]
    if not isinstance(ids, list) or not all(isinstance(one, str) for one in ids):
        return Why.WRONG_TYPE
    if isinstance(then, Why):
        return then
    return otherwise if isinstance(otherwise, Why) else Split(tuple(ids), then, otherwise)


def _value(name: str, raw: object, narrow: bool, dialects: Dialects) -> Value | Split | Why:
    """Read what a rule gives a directive; `narrow` is a host of the capability lookups only."""
    directive = DIRECTIVES.get(name)
    if directive is None:
        return Why.UNKNOWN_DIRECTIVE
    if narrow and not directive.capability:
        return Why.WRONG_SCOPE
    if isinstance(raw, Mapping) and raw.keys() == _SPLIT_KEYS:
        return _split(directive, raw, dialects)
    return _plain(directive, raw, dialects)


def _rules(book: Book, dialects: Dialects, refusals: list[Refusal]) -> Rules:
    declared = {
        Layer.FAMILY: {family.id for family in book.families},
        Layer.HOST: {host.id for host in book.hosts},
    }
    narrow = {(Layer.HOST, host.id) for host in book.hosts if host.scope is Scope.CAPABILITIES}
    rules: defaultdict[tuple[Layer, str | None], dict[str, Given]] = defaultdict(dict)
    for row, rule in enumerate(book.rules):
        layer, target = at = rule.layer, rule.target
        if layer in declared and target not in declared[layer]:
            refusals.append(Refusal(Why.UNDECLARED, Table.RULES, row, layer, target))
        for name, raw in rule.directives.items():
            value = _value(name, raw, at in narrow, dialects)
            if not isinstance(value, Why):
                first = rules[at].setdefault(name, Given(value, layer, target, row))
                if first.value == value:
                    continue
                value = Why.CLASH
            refusals.append(Refusal(value, Table.RULES, row, layer, target, name))
    return dict(rules)


def _tiers(book: Book, refusals: list[Refusal]) -> Mapping[tuple[str, str], list[ServiceTier]]:
    families = {None, *(family.id for family in book.families)}
    tiers: defaultdict[tuple[str, str], list[ServiceTier]] = defaultdict(list)
    for row, entry in enumerate(book.service_tiers):
        if entry.family not in families:
            target = str(entry.family)
            refusals.append(Refusal(Why.UNDECLARED, Table.SERVICE_TIERS, row, None, target))
        tiers[entry.provider, entry.api].append(entry)
    return dict(tiers)


def _multiplies(multiplier: float) -> bool:
    return 0 <= multiplier < math.inf


def _prices(book: Book, refusals: list[Refusal]) -> Prices:
    prices: dict[tuple[str, str, str | None, str], float] = {}
    for row, price in enumerate(book.service_tier_prices):
        why = None
        if not _multiplies(price.multiplier):
            why = Why.BAD_NUMBER
        else:
            for tier in price.tiers:
                at = (price.provider, price.api, price.model, tier)
                if prices.setdefault(at, price.multiplier) != price.multiplier:
                    why = Why.CLASH
        if why is not None:
            target = price.model or ""
            refusals.append(Refusal(why, Table.SERVICE_TIER_PRICES, row, None, target))
    return prices


def _cache_writes(book: Book, refusals: list[Refusal]) -> list[tuple[Matcher, float]]:
    rows = []
    for row, write in enumerate(book.cache_write_1h_prices):
        pattern = pattern_of(write.pattern)
        if pattern is None:
            refusals.append(Refusal(Why.BAD_PATTERN, Table.CACHE_WRITE_1H_PRICES, row))
        if not _multiplies(write.multiplier):
            refusals.append(Refusal(Why.BAD_NUMBER, Table.CACHE_WRITE_1H_PRICES, row))
        rows.append((_sound(pattern), write.multiplier))
    return rows


def compile_rulebook(book: Book, dialects: Dialects) -> Rulebook | Refused:
    """Compile a rulebook, or say everything that is wrong with it (S6.1, S6.2, S6.7).

    Args:
        book: The rulebook as written.
        dialects: The dialects in which the program implements each operation, by the directive's name.
    """
    refusals: list[Refusal] = []
    families = _families(book.families, refusals)
    _check_hosts(book.hosts, refusals)
    rules = _rules(book, dialects, refusals)
    tiers, prices = _tiers(book, refusals), _prices(book, refusals)
    cache_writes = _cache_writes(book, refusals)
    if refusals:
        return Refused(tuple(refusals))
    facts = remembered_facts(rules, target_index(families, book.hosts))
    return Rulebook(rules, facts, tiers, prices, cache_writes, dict(book.provider_defaults))
