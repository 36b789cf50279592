"""The laws of `quirks` about what compiles (S6.1, S6.2, S6.7)."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Annotated

from eukhe_laws._quirks import (
    SAMPLES,
    Bit,
    Line,
    Loose,
    book_of,
    family,
    fault_of,
    faults,
    for_capabilities,
    good,
    loose_book,
    named,
    one_rule,
    ruled,
    tables,
    text,
)
from eukhe_laws._quirks_subject import CORE, SPEC, Quirks
from eukhe_laws.engine.domain import Among, Range, Scope
from eukhe_laws.engine.law import law
from eukhe_spec import quirks_types as s

__all__ = ["AREA", "CORE", "SPEC"]

AREA = "quirks"

_PAIRS = Scope(nat=2, size=2)
#: Two rules with nothing before or between them; the sampler puts some there.
_TWO = Scope(nat=2, size=2, over=(("before", Scope(size=0)), ("between", Scope(size=0))))


#: Values that can clash: two of each type, and some of none.
_CLASHING: tuple[s.Value, ...] = (
    s.Null(),
    s.Flag(False),
    s.Flag(True),
    s.Count(0),
    s.Count(1),
    s.Word(0),
    s.Word(1),
    s.Word(2),
    s.Ladder((s.Entry(0, None),)),
    s.Ladder((s.Entry(0, 0),)),
    s.Budgets(1, 2, 3, 4),
    s.Budgets(1, 2, 3, 5),
    s.Split((text("a"),), s.Flag(True), s.Flag(False)),
    s.Split((text("b"),), s.Flag(True), s.Flag(False)),
)


@law(section="S6", scope=Scope(nat=2, size=1))
def quirk_unknown_rejected(
    S: Quirks,
    lines: tuple[Line, ...],
    layer: s.Layer,
    target: Bit,
    number: Annotated[int, Range(45, 46)],
    value: Annotated[s.Value, Among((s.Null(), s.Flag(True), s.Count(0), s.Word(0)))],
) -> bool:
    """A rulebook with a rule of an unknown directive does not compile (S6.1)."""
    rule = s.Rule(layer, named(target), (s.Set(number, value),))
    return bool(S.refusals(ruled(*book_of(lines).rules, rule)))


@law(section="S6")
def quirk_clash_rejected(
    S: Quirks,
    layer: s.Layer,
    directive: Annotated[int, Among((0, 29, 34, 35, 36, 37, 45))],
    values: Annotated[tuple[s.Value, s.Value], Among(tuple(combinations(_CLASHING, 2)))],
    apart: bool,
) -> bool:
    """Two rules of one layer, target and directive with different values do not compile (S6.1)."""
    rules = [s.Rule(layer, named(0), (s.Set(directive, value),)) for value in values]
    if apart:
        rules.insert(1, s.Rule(layer, named(1), (s.Set(directive, good(directive)),)))
    return bool(S.refusals(ruled(*rules)))


@law(section="S6", scope=_TWO, wide=Scope(nat=2, size=2))
def quirk_compile_order_free(
    S: Quirks, one: Loose, two: Loose, before: tuple[Loose, ...], between: tuple[Loose, ...]
) -> bool:
    """The order of two rules does not change whether the rulebook compiles (S6.1)."""
    given = loose_book((*before, one, *between, two))
    swapped = loose_book((*before, two, *between, one))
    return (S.refusals(given) == ()) == (S.refusals(swapped) == ())


@law(section="S6.1", ours=True)
def quirk_type_exact(
    S: Quirks,
    layer: s.Layer,
    directive: Annotated[int, Range(0, 45)],
    value: Annotated[s.Value, Among(SAMPLES)],
) -> bool:
    """A rule is refused exactly when its directive is unknown or its value has another type (S6.1, S6.7)."""
    why = fault_of(directive, value)
    refusal = () if why is None else (s.Refusal(why, s.Table.RULES, 0, layer, named(0), directive),)
    return S.refusals(one_rule(layer, named(0), directive, value)) == refusal


_Tokens = Annotated[int, Range(-1, 1)]


@law(section="S6.1", ours=True)
def quirk_value_exact(
    S: Quirks,
    directive: Annotated[int, Range(29, 36)],
    value: Annotated[s.Word, Among(tuple([s.Word(word) for word in range(13)]))]
    | Annotated[s.Count, Among((s.Count(-1), s.Count(0)))]
    | tuple[Annotated[int, Range(0, 7)], Annotated[int | None, Among((None, 0, -1))]]
    | tuple[_Tokens, _Tokens, _Tokens, _Tokens],
) -> bool:
    """A choice takes its words, a cap no number below 0, a ladder levels, budgets never go down (S6.1)."""
    given: s.Plain
    match value:
        case s.Word() | s.Count():
            given = value
        case (level, wire):
            given = s.Ladder((s.Entry(level, wire),))
        case (minimal, low, medium, high):
            given = s.Budgets(minimal, low, medium, high)
    why = fault_of(directive, given)
    rule = (s.Table.RULES, 0, s.Layer.MODEL, named(0), directive)
    refusal = () if why is None else (s.Refusal(why, *rule),)
    return S.refusals(one_rule(s.Layer.MODEL, named(0), directive, given)) == refusal


@law(section="S6.1", scope=_PAIRS, wide=Scope(nat=2, size=5), ours=True)
def quirk_refusals_exact(S: Quirks, lines: tuple[Loose, ...]) -> bool:
    """Each refusal names its rule, layer, target, directive and fault; of a clash, the later rule (S6.1)."""
    return S.refusals(loose_book(lines)) == faults(lines)


@law(section="S6.7", ours=True)
def quirk_scope_narrow(
    S: Quirks,
    layer: s.Layer,
    target: Bit,
    directive: Annotated[int, Range(0, 44)],
    scope: s.Scope,
) -> bool:
    """A rule of a host of scope `capabilities` sets only the operations and `prompt_progress` (S6.7)."""
    book = one_rule(layer, named(target), directive, good(directive))
    book = replace(book, hosts=(replace(book.hosts[0], scope=scope), book.hosts[1]))
    narrow = layer is s.Layer.HOST and not target and scope is s.Scope.CAPABILITIES
    wrong = narrow and not for_capabilities(directive)
    refusal = s.Refusal(s.Why.WRONG_SCOPE, s.Table.RULES, 0, layer, named(target), directive)
    return S.refusals(book) == ((refusal,) if wrong else ())


@law(section="S6.2", ours=True)
def quirk_undeclared_rejected(
    S: Quirks,
    layer: s.Layer,
    target: Bit,
    families: bool,
    hosts: bool,
    tiers_of: Bit | None,
) -> bool:
    """A rule of a family or host, or a tier of a family, that is not declared does not compile (S6.2, S6.8)."""
    book = one_rule(layer, named(target), 0, good(0))
    book = replace(
        book,
        families=book.families[: 1 + families],
        hosts=book.hosts[: 1 + hosts],
        services=(s.Service(0, 0, (1,), None if tiers_of is None else named(tiers_of)),),
    )
    known = {s.Layer.FAMILY: families, s.Layer.HOST: hosts, s.Layer.MODEL: True}[layer]
    refused = []
    if target and not known:
        refused.append(s.Refusal(s.Why.UNDECLARED, s.Table.RULES, 0, layer, named(target), None))
    if tiers_of and not families:
        target_ = named(tiers_of)
        refused.append(s.Refusal(s.Why.UNDECLARED, s.Table.SERVICE_TIERS, 0, None, target_, None))
    return S.refusals(book) == tuple(refused)


@law(section="S6.2", scope=_PAIRS, wide=Scope(nat=2, size=3), ours=True)
def quirk_named_once(
    S: Quirks,
    families: tuple[Bit, ...],
    hosts: tuple[tuple[Bit, tuple[Bit, ...], tuple[Bit, ...]], ...],
) -> bool:
    """A family, host, wire API or provider that two rows name does not compile (S6.2)."""
    book = tables(
        families=tuple([family(named(one)) for one in families]),
        hosts=tuple(
            [s.Host(named(id_), s.Scope.WIRE, apis, owned, ()) for id_, apis, owned in hosts]
        ),
    )
    refused = [
        s.Refusal(s.Why.DECLARED_TWICE, s.Table.FAMILIES, row, None, named(one), None)
        for row, one in enumerate(families)
        if one in families[:row]
    ]
    for row, host in enumerate(hosts):
        for why, names in (
            (s.Why.DECLARED_TWICE, lambda one: (one[0],)),
            (s.Why.API_TWICE, lambda one: one[1]),
            (s.Why.PROVIDER_TWICE, lambda one: one[2]),
        ):
            earlier = [name for one in hosts[:row] for name in names(one)]
            if set(earlier) & set(names(host)):
                refused.append(s.Refusal(why, s.Table.HOSTS, row, None, named(host[0]), None))
    return S.refusals(book) == tuple(refused)


_PATTERN = s.Pattern(s.Place.ANYWHERE, text("q"))
_BROKEN = s.Pattern(s.Place.BROKEN, ())
_SOUND_WRITE = s.CacheWrite(_PATTERN, 2)


@law(section="S6.2", ours=True)
def quirk_unreadable_rejected(
    S: Quirks,
    pattern: bool,
    exclude: bool | None,
    ops: tuple[s.Op, ...],
    cache_pattern: bool,
    multiplier: Annotated[int, Range(-3, 1)],
) -> bool:
    """A pattern, a range or a multiplier that cannot be read does not compile (S6.2, S6.12)."""
    left_out = None if exclude is None else _BROKEN if exclude else _PATTERN
    bounds = tuple([s.Bound(op, (3, 8, 0)) for op in ops])
    own = s.Family(named(0), _BROKEN if pattern else _PATTERN, False, left_out, (), bounds)
    write = s.CacheWrite(_BROKEN if cache_pattern else _PATTERN, multiplier)
    book = tables(families=(own,), cache_writes=(_SOUND_WRITE, write))
    refused = [
        s.Refusal(why, s.Table.FAMILIES, 0, None, named(0), None)
        for why, so in (
            (s.Why.BAD_PATTERN, pattern or exclude is True),
            (s.Why.BAD_RANGE, s.Op.ODD in ops),
        )
        if so
    ]
    refused += [
        s.Refusal(why, s.Table.CACHE_WRITE_1H_PRICES, 1, None, (), None)
        for why, so in ((s.Why.BAD_PATTERN, cache_pattern), (s.Why.BAD_NUMBER, multiplier < 0))
        if so
    ]
    return S.refusals(book) == tuple(refused)
