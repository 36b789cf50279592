"""The laws of `quirks` about capabilities and tables (S6.7, S6.8, S6.11 to S6.13)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from eukhe_laws._quirks import (
    DECLARED,
    MODEL,
    Bit,
    good,
    named,
    one_rule,
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
_FEW = Scope(nat=2, size=4)


@law(section="S6.7", ours=True)
def quirk_unsupported_named(
    S: Quirks,
    directive: Annotated[int, Range(37, 44)],
    value: Annotated[s.Plain | None, Among((None, s.Flag(False), s.Word(0), s.Word(2)))],
    provider: Annotated[int, Range(0, 3)],
    layer: s.Layer,
) -> bool:
    """An operation has the dialect that a rule gives it; else it is unsupported, by its provider (S6.7)."""
    book = one_rule(layer, named(0), directive, good(directive) if value is None else value)
    book = replace(
        book,
        dialects=tuple([s.Dialect(directive, word) for word in (0, 2)]),
        families=(replace(DECLARED.families[0], pattern=s.Pattern(s.Place.ANYWHERE, ())),),
        hosts=(s.Host(named(0), s.Scope.WIRE, (0,), (), ()),),
        rules=book.rules if value is not None else (),
    )
    found = S.capability(book, replace(MODEL, provider=provider), directive)
    if isinstance(value, s.Word):
        return found == s.Supported(value.word)
    return found == s.Unsupported(directive, provider)


_Where = Annotated[tuple[int, int], Among(((0, 0), (0, 1), (1, 0)))]


@dataclass(frozen=True)
class Entry:
    """A row of the service tiers: provider and API (of the model: 0 and 0), tiers, and a family."""

    where: _Where
    tiers: tuple[Annotated[int, Range(0, 2)], ...]
    family: Bit | None


@law(
    section="S6.8",
    scope=Scope(nat=2, size=2, over=(("tiers", Scope(nat=2, size=1)),)),
    wide=Scope(nat=2, size=4),
    ours=True,
)
def quirk_tiers_exact(S: Quirks, entries: tuple[Entry, ...], family: bool) -> bool:
    """A model honours `default` and each tier of each entry of its provider, API and family, each once (S6.8)."""
    own = s.Pattern(s.Place.ANYWHERE if family else s.Place.WHOLE, ())
    families = (replace(DECLARED.families[0], pattern=own), DECLARED.families[1])
    services = [
        s.Service(*one.where, one.tiers, None if one.family is None else named(one.family))
        for one in entries
    ]
    book = tables(families=families, services=tuple(services))
    honoured = [0]
    for one in entries:
        if one.where == (0, 0) and (one.family is None or (one.family == 0 and family)):
            honoured += one.tiers
    return S.service_tiers(book, MODEL) == s.Tiers(tuple(dict.fromkeys(honoured)))


_PRICES = Scope(nat=2, size=2, over=(("tiers", Scope(nat=2, size=1)),))


@dataclass(frozen=True)
class Priced:
    """A row of the tier prices: provider and API (of the model: 0 and 0), a model, tiers, and the multiplier."""

    where: _Where
    model: Bit | None
    tiers: tuple[Annotated[int, Range(0, 1)], ...]
    multiplier: Annotated[int, Among((0, 3, -1))]


def _priced(rows: tuple[Priced, ...]) -> s.Book:
    prices = [
        s.Price(
            *one.where,
            one.tiers,
            one.multiplier,
            None if one.model is None else named(one.model),
        )
        for one in rows
    ]
    return tables(prices=tuple(prices))


def _refused(rows: tuple[Priced, ...]) -> tuple[s.Refusal, ...]:
    """Return what is wrong with some rows."""
    refused = []
    first: dict[tuple[object, ...], int] = {}
    for number, one in enumerate(rows):
        why = s.Why.BAD_NUMBER if one.multiplier < 0 else None
        for tier in one.tiers if why is None else ():
            if first.setdefault((one.where, one.model, tier), one.multiplier) != one.multiplier:
                why = s.Why.CLASH
        if why is not None:
            target = () if one.model is None else named(one.model)
            where_ = (s.Table.SERVICE_TIER_PRICES, number, None, target, None)
            refused.append(s.Refusal(why, *where_))
    return tuple(refused)


@law(
    section="S6.12",
    scope=_PRICES,
    wide=Scope(nat=2, size=3),
    given=lambda S, rows: not _refused(rows),
    reach={
        "a row with the model and one without": lambda S, rows: (
            {row.model for row in rows if row.where == (0, 0) and 1 in row.tiers} >= {0, None}
        )
    },
    ours=True,
)
def quirk_tier_price_of_model_first(S: Quirks, rows: tuple[Priced, ...]) -> bool:
    """A tier costs what the row of the model id says, else the row without one, else the base price (S6.12)."""
    found = {row.model: row.multiplier for row in rows if row.where == (0, 0) and 1 in row.tiers}
    return S.tier_multiplier(_priced(rows), MODEL, 1) == found.get(0, found.get(None, 1))


@law(section="S6.12", scope=_PRICES, wide=Scope(nat=2, size=3), ours=True)
def quirk_tier_price_once(S: Quirks, rows: tuple[Priced, ...]) -> bool:
    """A multiplier below 0, or two multipliers of one tier of one provider, API and model, are refused (S6.12)."""
    return S.refusals(_priced(rows)) == _refused(rows)


@law(section="S6.12", scope=Scope(nat=2, size=3), ours=True)
def quirk_cache_write_first_row(
    S: Quirks,
    rows: tuple[tuple[Annotated[str, Among(("q", "qw", "x"))], Annotated[int, Range(0, 2)]], ...],
    id_: Annotated[str, Among(("QW", "a/q", "y", "x-qw"))],
) -> bool:
    """The first row that matches the lower-case id prices the 1h cache writes; none matches: no price (S6.12)."""
    writes = [s.CacheWrite(s.Pattern(s.Place.ANYWHERE, text(part)), by) for part, by in rows]
    found = [by for part, by in rows if part in id_.lower()]
    book = tables(cache_writes=tuple(writes))
    return S.cache_write_1h(book, text(id_)) == (found[0] if found else None)


@law(section="S6.11", scope=Scope(nat=2, size=3), ours=True)
def quirk_provider_default_named(
    S: Quirks,
    rows: tuple[tuple[Annotated[int, Range(0, 2)], Bit], ...],
    provider: Annotated[int, Range(0, 3)],
) -> bool:
    """A provider has the default model that the table names, and none when it names none (S6.11)."""
    book = tables(defaults=tuple([s.Default(one, named(model)) for one, model in rows]))
    found = [named(model) for one, model in rows if one == provider]
    return S.provider_default(book, provider) == (found[0] if found else None)


_Steps = tuple[Bit, Bit, Bit, Bit]


def _rising(steps: _Steps | None, start: int) -> s.Budgets | None:
    if steps is None:
        return None
    minimal = start + steps[0]
    low = minimal + steps[1]
    medium = low + steps[2]
    return s.Budgets(minimal, low, medium, medium + steps[3])


def _place(level: int) -> int:
    return {1: 0, 2: 1, 3: 2, 4: 3, 5: 3, 6: 3}.get(level, -1)


def _own(level: int, tokens: int | None) -> s.UserBudgets:
    """Budgets of the user with `tokens` for the level, and too large ones for the others."""
    four: list[int | None] = [90, 91, 92, 93]
    four[_place(level)] = tokens
    return s.UserBudgets(*four)


def _at(budgets: s.Budgets, level: int) -> int:
    return (budgets.minimal, budgets.low, budgets.medium, budgets.high)[_place(level)]


_Level = Annotated[int, Range(1, 6)]


@law(section="S6.13", ours=True)
def quirk_budget_held(
    S: Quirks,
    level: _Level,
    tokens: Annotated[int, Range(-1, 7)],
    rule: _Steps | None,
    default: bool,
) -> bool:
    """The user's budget wins, held inside the rule's `minimal` to `high` (S6.13)."""
    budgets = _rising(rule, 1)
    otherwise = s.Budgets(50, 51, 52, 53) if default else None
    found = S.thinking_budget(level, _own(level, tokens), budgets, otherwise)
    if budgets is None:
        return found == tokens
    return found == sorted((budgets.minimal, tokens, budgets.high))[1]


@law(section="S6.13", ours=True)
def quirk_budget_given(
    S: Quirks, level: _Level, rule: _Steps | None, otherwise: _Steps | None
) -> bool:
    """With none of the user, a level takes the rule's budget, else the default, else the dynamic one (S6.13)."""
    first, second = _rising(rule, 1), _rising(otherwise, 10)
    found = S.thinking_budget(level, _own(level, None), first, second)
    if first is not None:
        return found == _at(first, level)
    return found == (-1 if second is None else _at(second, level))


@law(section="S6.13", ours=True)
def quirk_budget_none(
    S: Quirks,
    level: Annotated[int, Among((0, 7, 8))],
    user: tuple[Bit | None, Bit | None, Bit | None, Bit | None],
    rule: bool,
    otherwise: bool,
) -> bool:
    """`off`, and what is no level, has no budget (S6.13)."""
    budgets = s.Budgets(1, 2, 3, 4)
    given = (budgets if rule else None, budgets if otherwise else None)
    return S.thinking_budget(level, s.UserBudgets(*user), *given) is None
