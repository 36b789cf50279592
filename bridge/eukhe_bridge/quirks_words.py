"""The words of spec and core put into each other: texts and strings, numbers and names, patterns and regexes."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import lru_cache

from eukhe.core import quirks_directives as directives
from eukhe.core import quirks_types as words
from eukhe_spec import quirks_types as s

__all__ = [
    "back_refusal",
    "back_text",
    "back_value",
    "back_word",
    "book_of",
    "budgets_of",
    "dialects_of",
    "directive_name",
    "key_of",
    "level_name",
    "maybe_text",
    "range_text",
    "targets_of",
    "text_of",
    "tier_name",
    "user_of",
    "value_of",
    "word_name",
]

_DIALECTS = ("openai", "google", "llama-cpp")
_CHOICES: dict[int, tuple[str, ...]] = {
    s.Directive.MAX_TOKENS_FIELD: ("max_completion_tokens", "max_tokens"),
    s.Directive.THINKING_FORMAT: (
        "openai",
        "openrouter",
        "deepseek",
        "together",
        "baseten",
        "zai",
        "qwen",
        "chat-template",
        "qwen-chat-template",
        "string-thinking",
        "ant-ling",
    ),
    s.Directive.THINKING_BUDGET_FIELD: (
        "thinking_token_budget",
        "thinking_budget",
        "thinking_budget_tokens",
    ),
    s.Directive.CACHE_CONTROL_FORMAT: ("none", "anthropic"),
    s.Directive.SESSION_AFFINITY_FORMAT: ("openai", "openai-nosession", "openrouter"),
}
_LEVELS = ("off", "minimal", "low", "medium", "high", "xhigh", "max")
_NAMES = tuple([one.name.lower() for one in s.Directive])
_OPS = {"AT_LEAST": ">=", "ABOVE": ">", "AT_MOST": "<=", "BELOW": "<", "EQUAL": "=", "ODD": "~"}


# From the spec's values to the core's.


def text_of(text: s.Text) -> str:
    """Return a text as a string."""
    return "".join(map(chr, text))


def maybe_text(text: s.Text | None) -> str | None:
    """Return a text as a string, where there is one."""
    return None if text is None else text_of(text)


def directive_name(number: int) -> str:
    """Return the name of a directive; a number past the table is an unknown one."""
    return _NAMES[number] if number < len(_NAMES) else f"unknown_{number}"


def word_name(directive: int, number: int) -> str:
    """Return a word of a directive; a number past its words is another word."""
    known = _CHOICES.get(directive, _DIALECTS)
    return known[number] if number < len(known) else f"word-{number}"


def tier_name(number: int) -> str:
    """Return the name of a tier."""
    return f"tier-{number}" if number else "default"


def level_name(number: int) -> str:
    """Return the name of a thinking level; past the ladder, of none."""
    return _LEVELS[number] if number < len(_LEVELS) else f"level-{number}"


def _wire(number: int | None) -> object:
    """Return a wire string; a negative number stands for a wire value that is no string."""
    return number if number is None or number < 0 else f"wire-{number}"


def _multiplier(number: int) -> float:
    """Return a multiplier; negative numbers stand for those that no price can have."""
    return {-2: math.nan, -3: math.inf}.get(number, float(number))


def value_of(directive: int, value: s.Value) -> object:
    """Return a value as a rulebook's JSON has it."""
    match value:
        case s.Null():
            return None
        case s.Unlisted(list=listed):
            return {"ids": [0] if listed else "a", "then": True, "else": False}
        case s.Flag(on=on):
            return on
        case s.Count(n=n):
            return n
        case s.Word(word=number):
            return word_name(directive, number)
        case s.Ladder(entries=entries):
            return {level_name(one.level): _wire(one.wire) for one in entries}
        case s.Budgets(minimal, low, medium, high):
            return {"minimal": minimal, "low": low, "medium": medium, "high": high}
        case s.Split(ids=ids, then=then, otherwise=otherwise):
            prefixes = [text_of(one) for one in ids]
            return {
                "ids": prefixes,
                "then": value_of(directive, then),
                "else": value_of(directive, otherwise),
            }


def _pattern(pattern: s.Pattern) -> str:
    inner = re.escape(text_of(pattern.text))
    match pattern.place:
        case s.Place.STARTS:
            return rf"\A{inner}"
        case s.Place.ANYWHERE:
            return inner
        case s.Place.WHOLE:
            return rf"\A{inner}\Z"
        case s.Place.BROKEN:
            return f"({inner}"


def range_text(bounds: tuple[s.Bound, ...]) -> str:
    """Return a revision range as a rulebook writes it."""
    return " ".join(_OPS[one.op.name] + ".".join(map(str, one.revision)) for one in bounds)


def _providers(numbers: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(f"provider-{one}" for one in numbers)


def _apis(numbers: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(f"api-{one}" for one in numbers)


# Families, hosts and dialects are few and come again and again: putting them into words is done once each.


@lru_cache(1024)
def _family(one: s.Family) -> words.Family:
    return words.Family(
        text_of(one.id),
        _pattern(one.pattern),
        one.on_name,
        None if one.exclude is None else _pattern(one.exclude),
        text_of(one.prefix),
        range_text(one.bounds),
    )


@lru_cache(1024)
def _host(one: s.Host) -> words.Host:
    return words.Host(
        text_of(one.id),
        words.Scope[one.scope.name],
        _apis(one.apis),
        _providers(one.providers),
        tuple(map(text_of, one.fragments)),
    )


@lru_cache(1024)
def dialects_of(dialects: tuple[s.Dialect, ...]) -> Mapping[str, frozenset[str]]:
    """Return the dialects that the program implements, by operation."""
    pairs = [
        (directive_name(one.directive), word_name(one.directive, one.word)) for one in dialects
    ]
    return {name: frozenset([word for of, word in pairs if of == name]) for name, _ in pairs}


def book_of(book: s.Book) -> words.Book:
    """Return the rulebook in the core's words."""
    return words.Book(
        tuple(map(_family, book.families)),
        tuple(map(_host, book.hosts)),
        tuple(
            words.Rule(
                words.Layer(one.layer),
                text_of(one.target),
                {
                    directive_name(each.directive): value_of(each.directive, each.value)
                    for each in one.sets
                },
            )
            for one in book.rules
        ),
        tuple(
            words.ServiceTier(
                f"provider-{one.provider}",
                f"api-{one.api}",
                tuple(map(tier_name, one.tiers)),
                maybe_text(one.family),
            )
            for one in book.services
        ),
        tuple(
            words.ServiceTierPrice(
                f"provider-{one.provider}",
                f"api-{one.api}",
                tuple(map(tier_name, one.tiers)),
                _multiplier(one.multiplier),
                maybe_text(one.model),
            )
            for one in book.prices
        ),
        tuple(
            words.CacheWritePrice(_pattern(one.pattern), _multiplier(one.multiplier))
            for one in book.cache_writes
        ),
        # A JSON object names a key once; of two rows of one provider, the first is the one that counts.
        {f"provider-{one.provider}": text_of(one.model) for one in reversed(book.defaults)},
    )


def key_of(model: s.Model) -> words.ModelKey:
    """Return a model as the core asks for it."""
    return words.ModelKey(
        text_of(model.id),
        text_of(model.name),
        f"api-{model.api}",
        f"provider-{model.provider}",
        text_of(model.url),
    )


def targets_of(at: s.Targets) -> words.Targets:
    """Return the targets of a model, in strings."""
    overlap = tuple(map(text_of, at.overlap))
    hosts = (maybe_text(at.host), maybe_text(at.capability_host))
    return words.Targets(maybe_text(at.family), text_of(at.model), *hosts, overlap)


# From the core's values to the spec's.


def back_text(text: str | None) -> s.Text | None:
    """Return a string as a text."""
    return None if text is None else tuple(map(ord, text))


def back_word(directive: int, word: str) -> int:
    """Return the number of a directive's word."""
    known = _CHOICES.get(directive, _DIALECTS)
    return known.index(word) if word in known else int(word.rpartition("-")[2])


def _back_wire(word: str | None) -> int | None:
    return None if word is None else int(word.rpartition("-")[2])


def back_value(directive: int, value: directives.Value) -> s.Plain:
    """Return the core's value as the spec's."""
    match value:
        case bool():
            return s.Flag(value)
        case int():
            return s.Count(value)
        case str():
            return s.Word(back_word(directive, value))
        case directives.Budgets():
            return s.Budgets(*value)
        case _:
            levels = enumerate(_LEVELS)
            return s.Ladder(
                tuple(s.Entry(n, _back_wire(value[name])) for n, name in levels if name in value)
            )


def back_directive(name: str) -> int:
    """Return the number of a directive."""
    if name.upper() in s.Directive.__members__:
        return s.Directive[name.upper()]
    return int(name.rpartition("_")[2])


def back_refusal(one: words.Refusal) -> s.Refusal:
    """Return the core's refusal as the spec's."""
    return s.Refusal(
        s.Why[one.why.name],
        s.Table[one.table.name],
        one.row,
        None if one.layer is None else s.Layer(one.layer),
        tuple(map(ord, one.target)),
        None if one.directive is None else back_directive(one.directive),
    )


def user_of(user: s.UserBudgets) -> dict[str, int]:
    """Return the user's budgets by level."""
    four = {"minimal": user.minimal, "low": user.low, "medium": user.medium, "high": user.high}
    return {name: value for name, value in four.items() if value is not None}


def budgets_of(one: s.Budgets | None) -> directives.Budgets | None:
    """Return budgets as the core has them."""
    return None if one is None else directives.Budgets(one.minimal, one.low, one.medium, one.high)
