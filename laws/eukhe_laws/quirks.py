"""The laws of the quirks rulebook (S6): what compiles and what a query answers; the others in `_quirks_*`."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from eukhe_laws import _quirks_subject as subject
from eukhe_laws._quirks import (
    DECLARED,
    EMPTY,
    MODEL,
    SAMPLES,
    Ask,
    Bit,
    Flagged,
    Line,
    Loose,
    applies,
    book_of,
    dialects,
    fault_of,
    faults,
    flags,
    for_capabilities,
    good,
    loose_book,
    named,
    one_rule,
    targets_of,
    text,
    value_of,
)
from eukhe_laws._quirks_subject import Quirks
from eukhe_laws._quirks_tables import (
    quirk_budget_given,
    quirk_budget_held,
    quirk_budget_none,
    quirk_cache_write_first_row,
    quirk_provider_default_named,
    quirk_tier_price_of_model_first,
    quirk_tier_price_once,
    quirk_tiers_exact,
    quirk_unsupported_named,
)
from eukhe_laws._quirks_targets import (
    quirk_capability_host_of_any_scope,
    quirk_family_exact,
    quirk_host_one_signal,
    quirk_id_in_lower_case,
    quirk_overlap_names_none,
    quirk_range_exact,
    quirk_revision_needs_prefix,
    quirk_revision_read,
)
from eukhe_laws.engine.agree import Agree
from eukhe_laws.engine.domain import Among, Range, Scope
from eukhe_laws.engine.law import law
from eukhe_spec import quirks_types as s

__all__ = [
    "AGREEMENT",
    "CORE",
    "SPEC",
    "quirk_answer_names_rule",
    "quirk_budget_given",
    "quirk_budget_held",
    "quirk_budget_none",
    "quirk_cache_write_first_row",
    "quirk_capabilities_from_their_host",
    "quirk_capability_host_of_any_scope",
    "quirk_clash_rejected",
    "quirk_compile_order_free",
    "quirk_explicit_wins",
    "quirk_family_exact",
    "quirk_highest_wins",
    "quirk_host_one_signal",
    "quirk_id_in_lower_case",
    "quirk_known_when_some",
    "quirk_named_once",
    "quirk_order_free",
    "quirk_overlap_names_none",
    "quirk_provider_default_named",
    "quirk_range_exact",
    "quirk_refusals_exact",
    "quirk_revision_needs_prefix",
    "quirk_revision_read",
    "quirk_scope_narrow",
    "quirk_tier_price_of_model_first",
    "quirk_tier_price_once",
    "quirk_tiers_exact",
    "quirk_type_exact",
    "quirk_undeclared_rejected",
    "quirk_unknown_rejected",
    "quirk_unknown_when_none",
    "quirk_unreadable_rejected",
    "quirk_unsupported_named",
    "quirk_value_by_id",
    "quirk_value_exact",
]

SPEC: Quirks = subject.SPEC
CORE: Quirks = subject.CORE

_PAIRS = Scope(nat=2, size=2)
_FEW = Scope(nat=2, size=4)
#: Two rules with nothing before or between them; the sampler puts some there.
_TWO = Scope(nat=2, size=2, over=(("before", Scope(size=0)), ("between", Scope(size=0))))
_BOOKS = "a rulebook has more tables than a scope can hold: the bridge compares whole ones"
AGREEMENT = {
    name: Agree(skip=_BOOKS)
    for name in (
        "refusals",
        "targets",
        "lookup",
        "capability",
        "service_tiers",
        "tier_multiplier",
        "cache_write_1h",
        "provider_default",
    )
}


def _compiles(S: Quirks, lines: tuple[Line, ...], ask: Ask) -> bool:
    return not S.refusals(book_of(lines))


def _asked(S: Quirks, lines: tuple[Line, ...], ask: Ask) -> s.Answer:
    return S.lookup(book_of(lines), targets_of(ask), s.Directive.SUPPORTS_STORE)


def _value(answer: s.Answer) -> s.Plain | None:
    return answer.value if isinstance(answer, s.Known) else None


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


# S6.1: what compiles.


@law(section="S6", scope=Scope(nat=2, size=1))
def quirk_unknown_rejected(
    S: Quirks,
    lines: tuple[Line, ...],
    layer: s.Layer,
    target: Bit,
    number: Annotated[int, Range(45, 46)],
    value: Annotated[s.Value, Among(_CLASHING)],
) -> bool:
    """A rulebook with a rule of an unknown directive does not compile (S6.1)."""
    rule = s.Rule(layer, named(target), (s.Set(number, value),))
    book = book_of(lines)
    return bool(S.refusals(replace(book, rules=(*book.rules, rule))))


@law(section="S6", given=lambda S, layer, directive, one, other, apart: one != other)
def quirk_clash_rejected(
    S: Quirks,
    layer: s.Layer,
    directive: Annotated[int, Among((0, 29, 34, 35, 36, 37, 45))],
    one: Annotated[s.Value, Among(_CLASHING)],
    other: Annotated[s.Value, Among(_CLASHING)],
    apart: bool,
) -> bool:
    """Two rules of one layer, target and directive with different values do not compile (S6.1)."""
    rules = [s.Rule(layer, named(0), (s.Set(directive, value),)) for value in (one, other)]
    if apart:
        rules.insert(1, s.Rule(layer, named(1), (s.Set(directive, good(directive)),)))
    return bool(S.refusals(replace(DECLARED, rules=tuple(rules), dialects=dialects())))


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
    book = replace(
        EMPTY,
        families=tuple([replace(DECLARED.families[0], id=named(one)) for one in families]),
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
    family = s.Family(named(0), _BROKEN if pattern else _PATTERN, False, left_out, (), bounds)
    write = s.CacheWrite(_BROKEN if cache_pattern else _PATTERN, multiplier)
    book = replace(EMPTY, families=(family,), cache_writes=(_SOUND_WRITE, write))
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


# S6.1: what a query answers.


@law(
    section="S6",
    scope=_PAIRS,
    wide=_FEW,
    given=lambda S, lines, ask: (
        not any(applies(one, ask) for one in lines) and _compiles(S, lines, ask)
    ),
)
def quirk_unknown_when_none(S: Quirks, lines: tuple[Line, ...], ask: Ask) -> bool:
    """With no rule that applies, the answer is Unknown (S6.1)."""
    return _asked(S, lines, ask) == s.Unknown()


@law(
    section="S6",
    scope=_PAIRS,
    wide=_FEW,
    given=lambda S, lines, ask: (
        any(applies(one, ask) for one in lines) and _compiles(S, lines, ask)
    ),
)
def quirk_known_when_some(S: Quirks, lines: tuple[Line, ...], ask: Ask) -> bool:
    """A rule that applies always gives an answer (S6.1)."""
    return isinstance(_asked(S, lines, ask), s.Known)


@law(
    section="S6",
    scope=_PAIRS,
    wide=_FEW,
    given=lambda S, lines, ask: (
        any(applies(one, ask) for one in lines) and _compiles(S, lines, ask)
    ),
    reach={
        "two layers": lambda S, lines, ask: (
            len({one.layer for one in lines if applies(one, ask)}) == 2
        )
    },
)
def quirk_highest_wins(S: Quirks, lines: tuple[Line, ...], ask: Ask) -> bool:
    """In a rulebook that compiles, the rule of the highest layer that applies gives the answer (S6.1)."""
    highest = max([one for one in lines if applies(one, ask)], key=lambda one: one.layer)
    return _value(_asked(S, lines, ask)) == value_of(highest)


@law(
    section="S6",
    scope=_TWO,
    wide=Scope(nat=2, size=2),
    given=lambda S, one, two, before, between, ask: _compiles(
        S, flags((*before, one, *between, two)), ask
    ),
    reach={
        "both apply": lambda S, one, two, before, between, ask: all(
            applies(each, ask) for each in flags((one, two))
        )
    },
)
def quirk_order_free(
    S: Quirks,
    one: Flagged,
    two: Flagged,
    before: tuple[Flagged, ...],
    between: tuple[Flagged, ...],
    ask: Ask,
) -> bool:
    """In a rulebook that compiles, the order of two rules changes no answer (S6.1)."""
    given = _asked(S, flags((*before, one, *between, two)), ask)
    return _value(given) == _value(_asked(S, flags((*before, two, *between, one)), ask))


@law(
    section="S6.1",
    scope=_PAIRS,
    wide=_FEW,
    given=lambda S, lines, ask: (
        any(applies(one, ask) for one in lines) and _compiles(S, lines, ask)
    ),
    ours=True,
)
def quirk_answer_names_rule(S: Quirks, lines: tuple[Line, ...], ask: Ask) -> bool:
    """An answer names its layer and the first rule of that layer that gave it (S6.1)."""
    layer = max(one.layer for one in lines if applies(one, ask))
    first = next(n for n, one in enumerate(lines) if one.layer == layer and applies(one, ask))
    return _asked(S, lines, ask) == s.Known(value_of(lines[first]), layer, first)


@law(section="S6.7", ours=True)
def quirk_capabilities_from_their_host(
    S: Quirks,
    directive: Annotated[int, Range(0, 45)],
    holder: Bit,
    host: Bit | None,
    capability_host: Bit | None,
) -> bool:
    """The operations and `prompt_progress` come from the capability host, all else from the host (S6.7)."""
    if directive == len(s.Directive):
        book = DECLARED
    else:
        book = one_rule(s.Layer.HOST, named(holder), directive, good(directive))
    ids = [None if one is None else named(one) for one in (host, capability_host)]
    at = s.Targets(None, MODEL.id, ids[0], ids[1], ())
    asked = capability_host if for_capabilities(directive) else host
    given = book.rules != () and asked == holder
    answer = s.Known(good(directive), s.Layer.HOST, 0) if given else s.Unknown()
    return S.lookup(book, at, directive) == answer


@law(section="S6.2", scope=_PAIRS, wide=Scope(nat=2, size=3), ours=True)
def quirk_value_by_id(
    S: Quirks,
    ids: tuple[Annotated[str, Among(("", "a", "ab", "b"))], ...],
    model: Annotated[str, Among(("", "a", "ab", "abc", "b", "ca"))],
    layer: s.Layer,
) -> bool:
    """A value by model id is the first one exactly for the ids that start with one of its prefixes (S6.2)."""
    value = s.Split(tuple([text(one) for one in ids]), s.Count(1), s.Count(2))
    target = text(model) if layer is s.Layer.MODEL else named(0)
    book = one_rule(layer, target, s.Directive.STRICT_CAP, value)
    answer = S.lookup(
        book, s.Targets(named(0), text(model), named(0), None, ()), s.Directive.STRICT_CAP
    )
    return _value(answer) == s.Count(1 if model.startswith(tuple(ids)) else 2)


_VALUES = (s.Null(), s.Flag(False), s.Flag(True), s.Count(0), s.Word(1))


@law(section="S6.1", ours=True)
def quirk_explicit_wins(
    S: Quirks,
    explicit: Annotated[s.Value | None, Among((None, *_VALUES))],
    value: Annotated[s.Plain | None, Among((None, *_VALUES[1:]))],
    default: Annotated[s.Value, Among(_VALUES)],
) -> bool:
    """An explicit `compat` wins over the rulebook, and the rulebook over the wire API's own default (S6.1)."""
    answer = s.Unknown() if value is None else s.Known(value, s.Layer.HOST, 0)
    wanted = [one for one in (explicit, value, default) if one is not None]
    return S.setting(explicit, answer, default) == wanted[0]
