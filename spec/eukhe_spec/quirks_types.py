"""The words of the rulebook (S6.1, S6.2, S6.7, S6.8, S6.11 to S6.13): declarations only, no rule.

The directives and their values are in `quirks_values`, and can be had from here.

Ids of families, hosts and models, and URLs, are texts: tuples of code points, so that a pattern, a revision and
the longest fragment can be read off them. Names that are only compared (providers, APIs, tiers) are numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import TypeAlias

from eukhe_spec.quirks_values import (
    Budgets,
    Count,
    Directive,
    Entry,
    Flag,
    Kind,
    Ladder,
    Null,
    Plain,
    Split,
    Text,
    Unlisted,
    Value,
    Word,
)

__all__ = [
    "Answer",
    "Book",
    "Bound",
    "Budgets",
    "CacheWrite",
    "Count",
    "Default",
    "Dialect",
    "Directive",
    "Entry",
    "Family",
    "Flag",
    "Host",
    "Kind",
    "Known",
    "Ladder",
    "Layer",
    "Model",
    "Null",
    "Op",
    "Pattern",
    "Place",
    "Plain",
    "Price",
    "Refusal",
    "Revision",
    "Rule",
    "Scope",
    "Service",
    "Set",
    "Split",
    "Supported",
    "Table",
    "Targets",
    "Text",
    "Tiers",
    "Unknown",
    "Unlisted",
    "Unsupported",
    "UserBudgets",
    "Value",
    "Why",
    "Word",
]

Revision: TypeAlias = tuple[int, int, int]


class Layer(IntEnum):
    """The layers of the rules, the lowest first."""

    FAMILY = 0
    MODEL = 1
    HOST = 2


@dataclass(frozen=True)
class Set:
    """A directive, by its number, and the value that a rule gives it."""

    directive: int
    value: Value


@dataclass(frozen=True)
class Rule:
    """A layer, a target of that layer, and directives with values, each directive at most once."""

    layer: Layer
    target: Text
    sets: tuple[Set, ...]


class Place(Enum):
    """Where a pattern finds its text; a broken pattern is no pattern at all."""

    STARTS = 0
    ANYWHERE = 1
    WHOLE = 2
    BROKEN = 3


@dataclass(frozen=True)
class Pattern:
    """The patterns that the spec knows; the core's are regular expressions."""

    place: Place
    text: Text


class Op(Enum):
    """The comparisons of a revision range; an odd one cannot be read."""

    AT_LEAST = 0
    ABOVE = 1
    AT_MOST = 2
    BELOW = 3
    EQUAL = 4
    ODD = 5


@dataclass(frozen=True)
class Bound:
    """One comparison of a revision range."""

    op: Op
    revision: Revision


@dataclass(frozen=True)
class Family:
    """A family: the pattern on the id (or the id and name), what it leaves out, and its revision range.

    The revision is read after `prefix`. No bounds: every revision.
    """

    id: Text
    pattern: Pattern
    on_name: bool
    exclude: Pattern | None
    prefix: Text
    bounds: tuple[Bound, ...]


class Scope(Enum):
    """Which lookups a host serves: all, or the capability lookups only."""

    WIRE = 0
    CAPABILITIES = 1


@dataclass(frozen=True)
class Host:
    """A host and its signals: the wire APIs it owns, the providers it is, fragments of its base URLs."""

    id: Text
    scope: Scope
    apis: tuple[int, ...]
    providers: tuple[int, ...]
    fragments: tuple[Text, ...]


@dataclass(frozen=True)
class Service:
    """Tiers that a provider honours over an API, for one family or for every model."""

    provider: int
    api: int
    tiers: tuple[int, ...]
    family: Text | None


@dataclass(frozen=True)
class Price:
    """What some tiers cost, as a multiple of the base price, for one model or for every other."""

    provider: int
    api: int
    tiers: tuple[int, ...]
    multiplier: int
    model: Text | None


@dataclass(frozen=True)
class CacheWrite:
    """What 1h cache writes cost, as a multiple of the input rate, for the ids that a pattern matches."""

    pattern: Pattern
    multiplier: int


@dataclass(frozen=True)
class Default:
    """A provider's default model."""

    provider: int
    model: Text


@dataclass(frozen=True)
class Dialect:
    """A dialect, by its word, in which the operation of that directive is implemented."""

    directive: int
    word: int


@dataclass(frozen=True)
class Book:
    """A rulebook as written, and the dialects that the program implements."""

    families: tuple[Family, ...]
    hosts: tuple[Host, ...]
    rules: tuple[Rule, ...]
    services: tuple[Service, ...]
    prices: tuple[Price, ...]
    cache_writes: tuple[CacheWrite, ...]
    defaults: tuple[Default, ...]
    dialects: tuple[Dialect, ...]


class Table(Enum):
    """The tables of a rulebook, where a refused row stands."""

    FAMILIES = 0
    HOSTS = 1
    RULES = 2
    SERVICE_TIERS = 3
    SERVICE_TIER_PRICES = 4
    CACHE_WRITE_1H_PRICES = 5


class Why(Enum):
    """Why a rulebook does not compile."""

    UNKNOWN_DIRECTIVE = 0
    WRONG_TYPE = 1
    NO_IMPLEMENTATION = 2
    WRONG_SCOPE = 3
    CLASH = 4
    UNDECLARED = 5
    DECLARED_TWICE = 6
    API_TWICE = 7
    PROVIDER_TWICE = 8
    BAD_PATTERN = 9
    BAD_RANGE = 10
    BAD_NUMBER = 11


@dataclass(frozen=True)
class Refusal:
    """One fault: why, in which row of which table, and the layer, target and directive where there is one."""

    why: Why
    table: Table
    row: int
    layer: Layer | None
    target: Text
    directive: int | None


@dataclass(frozen=True)
class Model:
    """What a query knows of a model."""

    id: Text
    name: Text
    api: int
    provider: int
    url: Text


@dataclass(frozen=True)
class Targets:
    """One target a layer; the host of the capability lookups; the families that overlap, if two or more match."""

    family: Text | None
    model: Text
    host: Text | None
    capability_host: Text | None
    overlap: tuple[Text, ...]


@dataclass(frozen=True)
class Known:
    """An answer: the value, and the layer and rule that gave it."""

    value: Plain
    layer: Layer
    rule: int


@dataclass(frozen=True)
class Unknown:
    """No rule applies."""


Answer: TypeAlias = Known | Unknown


@dataclass(frozen=True)
class Supported:
    """The dialect, by its word, of an operation that the provider has."""

    word: int


@dataclass(frozen=True)
class Unsupported:
    """An operation, by its directive, that the provider does not have."""

    capability: int
    provider: int


@dataclass(frozen=True)
class Tiers:
    """The tiers that a model honours, `default` (0) first, each once."""

    tiers: tuple[int, ...]


@dataclass(frozen=True)
class UserBudgets:
    """The user's token budgets, where set."""

    minimal: int | None
    low: int | None
    medium: int | None
    high: int | None
