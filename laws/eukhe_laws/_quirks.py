"""What the laws of `quirks` are stated over: ingredients of rulebooks, and the rules of S6 anew.

Nothing here comes from the model: a law that shared its helpers would move with its mistakes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeAlias

from eukhe_laws.engine.domain import Among, Range
from eukhe_spec.quirks_types import (
    Book,
    Budgets,
    CacheWrite,
    Count,
    Default,
    Dialect,
    Directive,
    Entry,
    Family,
    Flag,
    Host,
    Ladder,
    Layer,
    Model,
    Null,
    Pattern,
    Place,
    Plain,
    Price,
    Refusal,
    Rule,
    Scope,
    Service,
    Set,
    Split,
    Table,
    Targets,
    Text,
    Unlisted,
    Value,
    Why,
    Word,
)

__all__ = [
    "DECLARED",
    "DIALECTS",
    "MODEL",
    "SAMPLES",
    "Ask",
    "Bit",
    "Flagged",
    "Line",
    "Loose",
    "Row",
    "applies",
    "book_of",
    "clash_free",
    "family",
    "fault_of",
    "faults",
    "flags",
    "for_capabilities",
    "good",
    "host_by_signal",
    "loose_book",
    "named",
    "one_rule",
    "ruled",
    "tables",
    "targets_of",
    "text",
    "value_of",
]

Bit: TypeAlias = Annotated[int, Range(0, 1)]


def text(words: str) -> Text:
    """Return a string as a text."""
    return tuple([ord(letter) for letter in words])


def named(bit: int) -> Text:
    """Return the id of a family, host or model with that number."""
    return (97 + bit,)


_NOBODY = Pattern(Place.WHOLE, text("nobody"))

#: The model that queries are about: that of number 0.
MODEL = Model(named(0), (), 0, 0, ())


_FLAGS = frozenset(range(Directive.SUPPORTS_STORE, Directive.MAX_TOKENS_FIELD))
_OPERATIONS = frozenset(range(Directive.COUNT_TOKENS, len(Directive)))
_WORDS = {
    Directive.MAX_TOKENS_FIELD: 2,
    Directive.THINKING_FORMAT: 11,
    Directive.THINKING_BUDGET_FIELD: 3,
    Directive.CACHE_CONTROL_FORMAT: 2,
    Directive.SESSION_AFFINITY_FORMAT: 3,
}
#: What the program implements: each operation in its first dialect, `count_tokens` in the third as well.
_IMPLEMENTED = (*((number, 0) for number in sorted(_OPERATIONS)), (Directive.COUNT_TOKENS, 2))
#: The same as a table of the rulebook.
DIALECTS = tuple(Dialect(number, word) for number, word in _IMPLEMENTED)


def tables(
    *,
    families: tuple[Family, ...] = (),
    hosts: tuple[Host, ...] = (),
    rules: tuple[Rule, ...] = (),
    services: tuple[Service, ...] = (),
    prices: tuple[Price, ...] = (),
    cache_writes: tuple[CacheWrite, ...] = (),
    defaults: tuple[Default, ...] = (),
    dialects: tuple[Dialect, ...] = (),
) -> Book:
    """Return a rulebook of some tables; the others are empty."""
    return Book(families, hosts, rules, services, prices, cache_writes, defaults, dialects)


def family(id_: Text, pattern: Pattern = _NOBODY) -> Family:
    """Return a family whose pattern, if none is given, matches no model of the laws."""
    return Family(id_, pattern, False, None, (), ())


def _host(id_: Text) -> Host:
    return Host(id_, Scope.WIRE, (), (), ())


#: Two families and two hosts.
DECLARED = tables(
    families=(family(named(0)), family(named(1))), hosts=(_host(named(0)), _host(named(1)))
)


def ruled(*rules: Rule) -> Book:
    """Return the rulebook of some rules, with the families, hosts and dialects that they can name."""
    return tables(families=DECLARED.families, hosts=DECLARED.hosts, rules=rules, dialects=DIALECTS)


# Rules whose values have their types, and queries.


@dataclass(frozen=True)
class Line:
    """A rule of one directive, a flag or a count; `high` is the one or the other of two values."""

    layer: Layer
    target: Bit
    counts: bool
    high: bool


@dataclass(frozen=True)
class Ask:
    """A query for the flag of a model; it can name no family and no host."""

    family: Bit | None
    host: Bit | None


@dataclass(frozen=True)
class Flagged:
    """A rule that gives the flag."""

    layer: Layer
    target: Bit
    high: bool


def value_of(line: Line) -> Plain:
    """Return the value that a line gives."""
    return Count(1 if line.high else 0) if line.counts else Flag(line.high)


def flags(rules: Sequence[Flagged]) -> tuple[Line, ...]:
    """Return rules that give the flag as lines."""
    return tuple([Line(one.layer, one.target, False, one.high) for one in rules])


def book_of(lines: Sequence[Line]) -> Book:
    """Return the rulebook of some lines, with every family and host that they can name."""
    numbers = {False: Directive.SUPPORTS_STORE, True: Directive.STRICT_CAP}
    rules = [
        Rule(one.layer, named(one.target), (Set(numbers[one.counts], value_of(one)),))
        for one in lines
    ]
    return ruled(*rules)


def clash_free(lines: Sequence[Line]) -> bool:
    """Whether no two lines of one layer, target and directive differ, so that their rulebook compiles."""
    given = {(one.layer, one.target, one.counts, one.high) for one in lines}
    return len(given) == len({one[:3] for one in given})


def targets_of(ask: Ask) -> Targets:
    """Return the targets of a query."""
    family = None if ask.family is None else named(ask.family)
    return Targets(family, MODEL.id, None if ask.host is None else named(ask.host), None, ())


def applies(line: Line, ask: Ask) -> bool:
    """Whether a line is about what a query asks."""
    names = {Layer.FAMILY: ask.family, Layer.MODEL: 0, Layer.HOST: ask.host}
    return not line.counts and names[line.layer] == line.target


# Rules that may have any fault.

_PLAIN: tuple[Plain, ...] = (
    Null(),
    Unlisted(False),
    Unlisted(True),
    Flag(False),
    Flag(True),
    Count(-1),
    Count(0),
    Count(7),
    *(Word(word) for word in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)),
    Ladder(()),
    Ladder((Entry(0, None), Entry(1, 0), Entry(2, 1), Entry(3, 2))),
    Ladder((Entry(4, 0), Entry(5, None), Entry(6, 1))),
    Ladder((Entry(0, None), Entry(7, None))),
    Ladder((Entry(0, -1),)),
    Budgets(0, 0, 0, 0),
    Budgets(1, 2, 3, 4),
    Budgets(2, 1, 3, 4),
    Budgets(1, 3, 2, 4),
    Budgets(1, 2, 4, 3),
    Budgets(-1, 0, 0, 0),
)
#: Values of every type, right and wrong, plain and by model id.
SAMPLES: tuple[Value, ...] = (
    *_PLAIN,
    Split((), Flag(True), Flag(False)),
    Split((text("a"),), Flag(True), Null()),
    Split((text("a"),), Null(), Flag(True)),
    Split((text("a"),), Word(0), Word(3)),
    Split((text("a"),), Word(3), Null()),
    Split((), Count(1), Count(2)),
)


def _fits(directive: int, value: Plain) -> bool:
    match value:
        case Flag(on=on):
            return directive in _FLAGS or (directive in _OPERATIONS and not on)
        case Count(n=n):
            return directive == Directive.STRICT_CAP and n >= 0
        case Word(word=word):
            most = 12 if directive in _OPERATIONS else _WORDS.get(Directive(directive), 0)
            return word < most
        case Ladder(entries=entries):
            rungs = [one.level in range(7) and one.wire != -1 for one in entries]
            return directive == Directive.THINKING_LADDER and all(rungs)
        case Budgets(minimal, low, medium, high):
            given = [minimal, low, medium, high]
            return directive == Directive.THINKING_BUDGETS and given == sorted(map(abs, given))
        case Null() | Unlisted():
            return False


def fault_of(directive: int, value: Value) -> Why | None:
    """Return what is wrong with a value of a directive; of a value by model id, the first fault."""
    if directive >= len(Directive):
        return Why.UNKNOWN_DIRECTIVE
    if isinstance(value, Split):
        parts = (value.then, value.otherwise)
        whys = [fault_of(directive, part) for part in parts]
        return next((why for why in whys if why is not None), None)
    if not _fits(directive, value):
        return Why.WRONG_TYPE
    if isinstance(value, Word) and directive in _OPERATIONS:
        return None if (directive, value.word) in _IMPLEMENTED else Why.NO_IMPLEMENTATION
    return None


def for_capabilities(directive: int) -> bool:
    """Whether a directive is one of the operations, or `prompt_progress`."""
    return directive in _OPERATIONS or directive == Directive.PROMPT_PROGRESS


def good(directive: int) -> Plain:
    """Return a value of the directive's type, or null for an unknown directive."""
    if directive >= len(Directive):
        return Null()
    return next((one for one in _PLAIN if fault_of(directive, one) is None), Null())


@dataclass(frozen=True)
class Loose:
    """A rule of one directive with any of some values."""

    layer: Annotated[Layer, Among((Layer.FAMILY, Layer.HOST))]
    target: Bit
    directive: Annotated[
        int, Among((Directive.SUPPORTS_STORE, Directive.COUNT_TOKENS, len(Directive)))
    ]
    value: Annotated[Value, Among((Flag(False), Flag(True), Word(0), Word(1)))]


def loose_book(lines: Sequence[Loose]) -> Book:
    """Return the rulebook of some loose lines."""
    rules = [Rule(one.layer, named(one.target), (Set(one.directive, one.value),)) for one in lines]
    return ruled(*rules)


def one_rule(layer: Layer, target: Text, directive: int, value: Value) -> Book:
    """Return the rulebook of one rule with one directive."""
    return ruled(Rule(layer, target, (Set(directive, value),)))


def faults(lines: Sequence[Loose]) -> tuple[Refusal, ...]:
    """Return what is wrong with a loose rulebook."""
    found = []
    first: dict[tuple[Layer, int, int], Value] = {}
    for row, one in enumerate(lines):
        why = fault_of(one.directive, one.value)
        if why is None:
            kept = first.setdefault((one.layer, one.target, one.directive), one.value)
            why = None if kept == one.value else Why.CLASH
        if why is not None:
            target = named(one.target)
            found.append(Refusal(why, Table.RULES, row, one.layer, target, one.directive))
    return tuple(found)


# Hosts.


@dataclass(frozen=True)
class Row:
    """A host's scope and one fragment of its base URLs."""

    scope: Scope
    fragment: Annotated[str | None, Among((None, "o", "op", "OPE"))]


def _lengths(rows: Sequence[tuple[Text, Row]], url: str) -> Iterator[tuple[int, Text]]:
    for id_, row in rows:
        if row.fragment is not None and row.fragment.lower() in url.lower():
            yield -len(row.fragment), id_


def host_by_signal(
    rows: Sequence[tuple[Text, Row]], owner: Text | None, provided: Text | None, url: str
) -> Text | None:
    """Return the host of a model: the owner of its API, else of its provider, else by the longest fragment.

    Args:
        rows: The hosts of the lookup, by id.
        owner: The host that names the API, if one does.
        provided: The host that names the provider, if one does.
        url: The base URL.
    """
    ids = [id_ for id_, _ in rows]
    for one in (owner, provided):
        if one in ids:
            return one
    return min(_lengths(rows, url), default=(0, None))[1]
