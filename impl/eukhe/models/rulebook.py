"""The rulebook as a document: `rulebook.json` beside this file, or another one, read and compiled (S6.1).

    quirks = shipped_quirks()                # once a process
    query(quirks.rulebook, ModelKey("qwen3.8-27b"), THINKING_LADDER)

A document with a fault is refused as a whole, and every fault is named by its path. One without
`thinking_defaults` has the shipped ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from eukhe.core.config import Parsed
from eukhe.core.ladder import Defaults
from eukhe.core.quirks_compile import compile_rulebook
from eukhe.core.quirks_directives import DIRECTIVES, LEVELS, Budgets, Kind
from eukhe.core.quirks_types import (
    Book,
    CacheWritePrice,
    Family,
    Host,
    Layer,
    Refusal,
    Refused,
    Rule,
    Scope,
    ServiceTier,
    ServiceTierPrice,
    Table,
    Why,
)
from eukhe.models.fields import Fault, Fields
from eukhe.settings.disk import parse, read_text
from eukhe.wire.capabilities.dialects import DIALECTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.core.quirks import Rulebook
    from eukhe.core.quirks_compile import Dialects

__all__ = [
    "SHIPPED_PATH",
    "Quirks",
    "RulebookError",
    "read_rulebook",
    "shipped_quirks",
    "the_book",
]

#: The rulebook that is shipped.
SHIPPED_PATH: Final = Path(__file__).with_name("rulebook.json")

_LAYERS: Final = {layer.name.lower(): layer for layer in Layer}
_MOST = 1e6


@dataclass(frozen=True, slots=True)
class Quirks:
    """A rulebook, compiled, with its defaults of thinking (S6.9, S6.13).

    Attributes:
        rulebook: What is asked about a model.
        ladders: The default ladders.
        budgets: The token budgets of a level where neither the user nor a rule gives one.
        rules: The rules as written; an answer names its rule by the place in this list.
    """

    rulebook: Rulebook
    ladders: Defaults
    budgets: Budgets
    rules: tuple[Rule, ...]


class RulebookError(Exception):
    """A rulebook that cannot be used.

    Attributes:
        path: The file.
        faults: Everything that is wrong with it.
    """

    def __init__(self, path: Path, faults: tuple[Fault, ...]) -> None:
        more = "" if len(faults) == 1 else f" (and {len(faults) - 1} more faults)"
        super().__init__(f"{path}: {faults[0].text}{more}")
        self.path = path
        self.faults = faults


@cache
def shipped_quirks() -> Quirks:
    """Return the shipped rulebook; it is read and compiled once a process."""
    return read_rulebook(SHIPPED_PATH)


def read_rulebook(path: Path, dialects: Dialects = DIALECTS) -> Quirks:
    """Read and compile a rulebook.

    Args:
        path: The document.
        dialects: The dialects in which the program implements each operation.

    Raises:
        RulebookError: it cannot be read, parsed or compiled; every fault is named.
    """
    disk = parse(read_text(path))
    if not isinstance(disk, Parsed):
        why = getattr(disk, "why", "there is no such file")
        raise RulebookError(path, (Fault("", why),))
    faults: list[Fault] = []
    document = Fields(disk.value, "", faults)
    book = the_book(document)
    ladders, budgets = _thinking_defaults(document)
    if faults:
        raise RulebookError(path, tuple(faults))
    compiled = compile_rulebook(book, dialects)
    if isinstance(compiled, Refused):
        raise RulebookError(path, tuple(_fault(book, dialects, one) for one in compiled.refusals))
    return Quirks(compiled, ladders, budgets, book.rules)


def the_book(document: Fields) -> Book:
    """Return the tables of a document; faults are noted in it."""
    document.only(("$schema", *(table.value for table in Table), *_DEFAULTS))
    return Book(
        tuple(map(_family, document.each("families"))),
        tuple(map(_host, document.each("hosts"))),
        tuple(map(_rule, document.each("rules"))),
        tuple(map(_tier, document.each("service_tiers"))),
        tuple(map(_tier_price, document.each("service_tier_prices"))),
        tuple(map(_cache_write, document.each("cache_write_1h_prices"))),
        _texts(document, "provider_defaults"),
    )


_DEFAULTS: Final = ("provider_defaults", "thinking_defaults")


def _texts(fields: Fields, key: str) -> Mapping[str, str]:
    return {name: text for name, text in (fields.text_map(key) or {}).items() if text is not None}


def _family(row: Fields) -> Family:
    row.only(("id", "pattern", "on_name", "except", "prefix", "revision"))
    return Family(
        row.text("id"),
        row.text("pattern", longest=4096),
        row.flag("on_name", default=False),
        row.maybe_text("except", 4096),
        row.text("prefix", ""),
        row.text("revision", ""),
    )


def _host(row: Fields) -> Host:
    row.only(("id", "scope", "apis", "providers", "urls"))
    scope = row.word("scope", tuple(Scope), Scope.WIRE)
    return Host(
        row.text("id"),
        Scope.CAPABILITIES if scope == Scope.CAPABILITIES else Scope.WIRE,
        row.texts("apis", ()),
        row.texts("providers", ()),
        row.texts("urls", ()),
    )


def _rule(row: Fields) -> Rule:
    row.only(("layer", "target", "directives"))
    layer = _LAYERS.get(row.word("layer", tuple(_LAYERS)), Layer.FAMILY)
    if "directives" not in row:
        row.fault("directives", "an object of directives")
    return Rule(layer, row.text("target"), row.mapping("directives"))


def _tier(row: Fields) -> ServiceTier:
    row.only(("provider", "api", "tiers", "family"))
    return ServiceTier(
        row.text("provider"), row.text("api"), row.texts("tiers"), row.maybe_text("family")
    )


def _tier_price(row: Fields) -> ServiceTierPrice:
    row.only(("provider", "api", "tiers", "multiplier", "model"))
    return ServiceTierPrice(
        row.text("provider"),
        row.text("api"),
        row.texts("tiers"),
        row.number("multiplier", _MOST),
        row.maybe_text("model"),
    )


def _cache_write(row: Fields) -> CacheWritePrice:
    row.only(("pattern", "multiplier"))
    return CacheWritePrice(row.text("pattern", longest=4096), row.number("multiplier", _MOST))


def _thinking_defaults(document: Fields) -> tuple[Defaults, Budgets]:
    if "thinking_defaults" not in document:
        shipped = shipped_quirks()
        return shipped.ladders, shipped.budgets
    table = document.inner("thinking_defaults")
    table.only(("ladders", "budgets"))
    ladders, budgets = table.inner("ladders"), table.inner("budgets")
    ladders.only(("reasoning", "plain"))
    budgets.only(Budgets._fields)
    return (
        Defaults(
            frozenset(ladders.within("reasoning", LEVELS)),
            frozenset(ladders.within("plain", LEVELS)),
        ),
        Budgets(*(budgets.whole(name, 0, 10_000_000) for name in Budgets._fields)),
    )


# What the compiler refuses, in words and with a path.


def _fault(book: Book, dialects: Dialects, refusal: Refusal) -> Fault:
    path = f"{refusal.table.value}[{refusal.row}]"
    if refusal.directive is not None:
        path = f"{path}.directives.{refusal.directive}"
    return Fault(path, _WORDS[refusal.why].format(**_details(book, dialects, refusal)))


def _details(book: Book, dialects: Dialects, refusal: Refusal) -> Mapping[str, str]:
    directive = DIRECTIVES.get(refusal.directive or "")
    expected = ""
    if directive is not None:
        words = directive.choices
        expected = f"one of {', '.join(words)}" if words else directive.kind.value
        if directive.kind is Kind.DIALECT:
            known = ", ".join(dialects.get(directive.name, ()))
            expected = f"one of {known}, or false" if known else "false"
    layer = "" if refusal.layer is None else refusal.layer.name.lower()
    return {
        "target": refusal.target,
        "layer": layer or ("family" if refusal.table is Table.SERVICE_TIERS else "row"),
        "expected": expected,
        "directive": refusal.directive or "",
        "near": _near(refusal.directive or ""),
        "range": next((one.revision for one in book.families if one.id == refusal.target), ""),
    }


def _near(name: str) -> str:
    from difflib import get_close_matches  # only a mistake pays for the import

    near = get_close_matches(name, DIRECTIVES, 1)
    return f"did you mean {near[0]}?" if near else "docs/models.md lists them"


_WORDS: Final = {
    Why.UNKNOWN_DIRECTIVE: "there is no directive {directive}; {near}",
    Why.WRONG_TYPE: "expected {expected}",
    Why.NO_IMPLEMENTATION: "this eukhe does not implement that dialect; expected {expected}",
    Why.WRONG_SCOPE: "the host {target} has the scope capabilities, so it sets only the operations and "
    "prompt_progress",
    Why.CLASH: "an earlier row gives {layer} {target} another value; keep one of the two",
    Why.UNDECLARED: "no {layer} {target} is declared in this rulebook",
    Why.DECLARED_TWICE: "an earlier row declares {target}; ids are unique",
    Why.API_TWICE: "an earlier host speaks the same wire API; one host owns it",
    Why.PROVIDER_TWICE: "an earlier host names the same provider; one host owns it",
    Why.BAD_PATTERN: "a pattern of {target} is no regular expression",
    Why.BAD_RANGE: "{range} is no revision range; expected bounds such as >=4.3 <4.4",
    Why.BAD_NUMBER: "the multiplier is a finite number of at least 0",
}
