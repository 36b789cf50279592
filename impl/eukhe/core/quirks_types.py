"""The words of the quirks rulebook: its tables as written, what is refused, and the answers it gives.

Declarations only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum, StrEnum
from typing import Generic, NamedTuple

from eukhe.core.quirks_directives import Capability, T_co, Value

__all__ = [
    "UNKNOWN",
    "Book",
    "CacheWritePrice",
    "Family",
    "Host",
    "Known",
    "Layer",
    "ModelKey",
    "Refusal",
    "Refused",
    "Rule",
    "Scope",
    "ServiceTier",
    "ServiceTierPrice",
    "Split",
    "Table",
    "Targets",
    "Unknown",
    "Unsupported",
    "Why",
]


class Layer(IntEnum):
    """The layers of the rules, the lowest first: a host's rule wins over a model's and a family's."""

    FAMILY = 0
    MODEL = 1
    HOST = 2


class Scope(StrEnum):
    """Which lookups a host serves: all of them, or the capability lookups only (S6.7)."""

    WIRE = "wire"
    CAPABILITIES = "capabilities"


@dataclass(frozen=True, slots=True)
class Rule:
    """A layer, a target of that layer, and directives with values, as written (S6.1).

    A value may depend on the model id: `{"ids": [PREFIX, ...], "then": VALUE, "else": VALUE}`.
    """

    layer: Layer
    target: str
    directives: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Family:
    """A family of models (S6.2).

    Attributes:
        id: The family's id.
        pattern: A regular expression, searched in the lower-case model id.
        on_name: Whether the display name is tried as well as the id.
        exclude: The `except` pattern: a model that it matches is not in the family.
        prefix: What stands before the revision in the bare name.
        revision: A range such as `>=4.3 <4.4`; empty for every revision.
    """

    id: str
    pattern: str
    on_name: bool = False
    exclude: str | None = None
    prefix: str = ""
    revision: str = ""


@dataclass(frozen=True, slots=True)
class Host:
    """A host and its signals: wire APIs that only it speaks, provider ids, fragments of its base URLs (S6.2)."""

    id: str
    scope: Scope = Scope.WIRE
    apis: tuple[str, ...] = ()
    providers: tuple[str, ...] = ()
    fragments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ServiceTier:
    """Tiers that a provider honours over a wire API, for one family or for every model (S6.8)."""

    provider: str
    api: str
    tiers: tuple[str, ...]
    family: str | None = None


@dataclass(frozen=True, slots=True)
class ServiceTierPrice:
    """What some tiers cost as a multiple of the base price, for one model id or for every other (S6.12)."""

    provider: str
    api: str
    tiers: tuple[str, ...]
    multiplier: float
    model: str | None = None


@dataclass(frozen=True, slots=True)
class CacheWritePrice:
    """What 1h cache writes cost as a multiple of the input rate, for ids that a pattern matches (S6.12)."""

    pattern: str
    multiplier: float


@dataclass(frozen=True, slots=True)
class Book:
    """A rulebook as written."""

    families: tuple[Family, ...] = ()
    hosts: tuple[Host, ...] = ()
    rules: tuple[Rule, ...] = ()
    service_tiers: tuple[ServiceTier, ...] = ()
    service_tier_prices: tuple[ServiceTierPrice, ...] = ()
    cache_write_1h_prices: tuple[CacheWritePrice, ...] = ()
    provider_defaults: Mapping[str, str] = field(default_factory=dict)


class Table(StrEnum):
    """The tables of a rulebook, where a refused row stands."""

    FAMILIES = "families"
    HOSTS = "hosts"
    RULES = "rules"
    SERVICE_TIERS = "service_tiers"
    SERVICE_TIER_PRICES = "service_tier_prices"
    CACHE_WRITE_1H_PRICES = "cache_write_1h_prices"


class Why(StrEnum):
    """Why a rulebook does not compile."""

    UNKNOWN_DIRECTIVE = "unknown_directive"
    WRONG_TYPE = "wrong_type"
    NO_IMPLEMENTATION = "no_implementation"
    WRONG_SCOPE = "wrong_scope"
    CLASH = "clash"
    UNDECLARED = "undeclared"
    DECLARED_TWICE = "declared_twice"
    API_TWICE = "api_twice"
    PROVIDER_TWICE = "provider_twice"
    BAD_PATTERN = "bad_pattern"
    BAD_RANGE = "bad_range"
    BAD_NUMBER = "bad_number"


@dataclass(frozen=True, slots=True)
class Refusal:
    """One fault of a rulebook.

    Attributes:
        why: What is wrong.
        table: The table of the row at fault.
        row: Its index in that table, from 0.
        layer: The rule's layer, where the row is a rule.
        target: The rule's target, or the id of the family, host or model that the row is about.
        directive: The directive at fault, where there is one.
    """

    why: Why
    table: Table
    row: int
    layer: Layer | None = None
    target: str = ""
    directive: str | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """A rulebook that does not compile, and every fault in it."""

    refusals: tuple[Refusal, ...]


class ModelKey(NamedTuple):
    """What a query knows of a model; the rulebook remembers what it found for it."""

    id: str
    name: str = ""
    api: str = ""
    provider: str = ""
    base_url: str = ""


@dataclass(frozen=True, slots=True)
class Targets:
    """The one target a layer that a model names (S6.2).

    Attributes:
        family: The family, or None when no family or more than one matches.
        model: The model id.
        host: The host of the wire lookups.
        capability_host: The host of the capability lookups.
        overlap: The families that match, when more than one does: a fault to log once a model id.
    """

    family: str | None
    model: str
    host: str | None
    capability_host: str | None
    overlap: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Split:
    """A value by model id: `then` for an id that starts with one of `ids`, else `otherwise`."""

    ids: tuple[str, ...]
    then: Value
    otherwise: Value


@dataclass(frozen=True, slots=True)
class Known(Generic[T_co]):
    """An answer: the value, and the layer, target and index of the rule that gave it."""

    value: T_co
    layer: Layer
    target: str
    rule: int


class Unknown(Enum):
    """The answer when no rule applies: the wire API's own default stands (S6.1)."""

    UNKNOWN = "unknown"


UNKNOWN = Unknown.UNKNOWN


@dataclass(frozen=True, slots=True)
class Unsupported:
    """An operation that a provider does not have; said before credentials or a request (S6.7)."""

    capability: Capability
    provider: str
