"""Generated rulebooks, models and queries for the bridge of the quirks rulebook."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random

from eukhe_spec import quirks_types as s

__all__ = ["OPERATIONS", "Budget", "Scenario", "scenarios"]


@dataclass(frozen=True)
class Budget:
    """A question for the budget of a level."""

    level: int
    user: s.UserBudgets
    rule: s.Budgets | None
    otherwise: s.Budgets | None


@dataclass(frozen=True)
class Scenario:
    """A rulebook, the same one with two rules swapped, and what both are asked."""

    book: s.Book
    other: s.Book
    asked: tuple[int, ...]
    models: tuple[s.Model, ...]
    queries: tuple[s.Targets, ...]
    names: tuple[tuple[s.Text, s.Text], ...]
    ranges: tuple[tuple[tuple[s.Bound, ...], s.Revision], ...]
    budgets: tuple[Budget, ...]


def _t(text: str) -> s.Text:
    return tuple(map(ord, text))


D = s.Directive
#: The operations that every model is asked for.
OPERATIONS = (D.COUNT_TOKENS, D.LIST_MODELS, D.COMPACT)
_FIRST = (
    D.SUPPORTS_STORE,
    D.MAX_TOKENS_FIELD,
    D.STRICT_CAP,
    D.THINKING_LADDER,
    D.THINKING_BUDGETS,
    D.COUNT_TOKENS,
    D.LIST_MODELS,
    D.PROMPT_PROGRESS,
)
_NARROW = (D.COUNT_TOKENS, D.LIST_MODELS, D.PROMPT_PROGRESS)
_UNKNOWN = len(D)
EMPTY = s.Book((), (), (), (), (), (), (), ())
_FAMILIES = ("qwen", "qwen-3.8", "claude", "gpt")
_HOSTS = ("loopback", "openrouter", "openrouter-url", "local")
_IDS = (
    "qwen3.8-27b",
    "qwen3-8b",
    "qwen3-235b-a22b",
    "qwen2.5-coder-32b-instruct",
    "qwen-plus-2025-07-28",
    "qwen-max",
    "qwq-32b",
    "Qwen/Qwen3.8-2.4T-A95B",
    "anthropic/claude-opus-4-6",
    "claude-sonnet-4-5-20250929",
    "gpt-5.5",
    " GPT-5.4-mini ",
    "qwen-0255.256-9",
    "qwen-1-02-3-4",
    "qwen-7bit.2b",
    "a/b/qwen9.5b-x",
    "qwen3.8tb-1",
    "",
)
_PRICED = ("gpt-5.5", "qwen3-8b")
_NAMES = ("", "Claude Opus 4.6", "Qwen 3.8", "qwen 3", "gpt", "merge of qwen and claude")
_URLS = (
    "https://openrouter.ai/api/v1",
    "http://127.0.0.1:4000",
    "HTTP://LocalHost:8080/v1",
    "",
)
_FRAGMENTS = ("openrouter.ai", "//127.0.0.1", "//localhost", "local", "open", "OPEN", "/v1", "ai")
_PIECES = ("qwen", "qw", "claude", "gpt-5.5", "gpt", "3.8", "-", "")


def _some(rng: Random, most: int, make: Callable[[Random], object]) -> tuple[object, ...]:
    return tuple(make(rng) for _ in range(rng.randint(0, most)))


def _revision(rng: Random) -> s.Revision:
    return rng.choice(((0, 0, 0), (3, 0, 0), (3, 8, 0), (4, 6, 0), (5, 5, 0), (3, 8, 1)))


def _bounds(rng: Random, odd: float) -> tuple[s.Bound, ...]:
    ops = tuple(s.Op)[:5]
    return tuple(
        s.Bound(s.Op.ODD if rng.random() < odd else rng.choice(ops), _revision(rng))
        for _ in range(rng.choice((0, 0, 1, 1, 2)))
    )


def _pattern(rng: Random, broken: float) -> s.Pattern:
    place = s.Place.BROKEN if rng.random() < broken else rng.choice(tuple(s.Place)[:3])
    return s.Pattern(place, _t(rng.choice(_PIECES)))


def _family(rng: Random, id_: str, bad: float) -> s.Family:
    return s.Family(
        _t(id_),
        _pattern(rng, bad),
        rng.random() < 0.4,
        _pattern(rng, bad) if rng.random() < 0.3 else None,
        _t(rng.choice(("qwen", "Qwen", "", "claude", "gpt-"))),
        _bounds(rng, bad),
    )


def _host(rng: Random, id_: str, names: tuple[int, ...]) -> s.Host:
    return s.Host(
        _t(id_),
        s.Scope.CAPABILITIES if rng.random() < 0.3 else s.Scope.WIRE,
        names if rng.random() < 0.4 else (),
        names if rng.random() < 0.5 else (),
        tuple(_t(one) for one in rng.sample(_FRAGMENTS, rng.randint(0, 3))),
    )


def _ladder(rng: Random, bad: float) -> s.Ladder:
    levels = sorted(rng.sample(range(7), rng.randint(0, 3)))
    if rng.random() < bad:
        levels.append(7)
    wires = (None, 0, 1, -1) if rng.random() < bad else (None, 0, 1)
    return s.Ladder(tuple(s.Entry(level, rng.choice(wires)) for level in levels))


def _tokens(rng: Random, bad: float) -> s.Budgets:
    four = [rng.choice((-1, 0, 128, 512, 2048, 8192)) for _ in range(4)]
    if rng.random() >= bad:
        four = sorted(max(0, one) for one in four)
    return s.Budgets(*four)


def _any_plain(rng: Random) -> s.Plain:
    return rng.choice(
        (
            s.Null(),
            s.Unlisted(rng.random() < 0.5),
            s.Flag(rng.random() < 0.5),
            s.Count(rng.choice((-1, 0, 1))),
            s.Word(rng.randint(0, 3)),
            _ladder(rng, 0.5),
            _tokens(rng, 0.5),
        )
    )


def _plain(rng: Random, directive: int, bad: float) -> s.Plain:
    if rng.random() < bad:
        return _any_plain(rng)
    match directive:
        case D.MAX_TOKENS_FIELD:
            return s.Word(rng.randint(0, 1))
        case D.STRICT_CAP:
            return s.Count(rng.randint(0, 2))
        case D.THINKING_LADDER:
            return _ladder(rng, bad)
        case D.THINKING_BUDGETS:
            return _tokens(rng, bad)
        case D.COUNT_TOKENS | D.LIST_MODELS:
            return s.Word(rng.randint(0, 2)) if rng.random() < 0.7 else s.Flag(False)
        case _:
            return s.Flag(rng.random() < 0.5)


def _value(rng: Random, directive: int, bad: float) -> s.Value:
    if rng.random() >= 0.2:
        return _plain(rng, directive, bad)
    pool = ("anthropic/", "qwen", "gpt", "")
    ids = [_t(one) for one in rng.sample(pool, rng.randint(0, 2))]
    return s.Split(tuple(ids), _plain(rng, directive, bad), _plain(rng, directive, bad))


def _rule(rng: Random, book: s.Book, bad: float) -> s.Rule:
    layer = rng.choice(tuple(s.Layer))
    declared: tuple[s.Text, ...] = tuple(map(_t, _IDS[: 1 if bad else 4]))
    if layer is not s.Layer.MODEL:
        rows = book.families if layer is s.Layer.FAMILY else book.hosts
        declared = tuple(one.id for one in rows)
    target = _t("nobody") if not declared or rng.random() < bad else rng.choice(declared)
    narrow = any(h.id == target and h.scope is s.Scope.CAPABILITIES for h in book.hosts)
    pool = _NARROW if narrow and rng.random() >= 3 * bad else _FIRST
    numbers: list[int] = list(rng.sample(pool, rng.randint(0, 3)))
    if rng.random() < bad / 2:
        numbers.append(rng.randint(0, 3) if rng.random() < 0.3 else _UNKNOWN)
        numbers = list(dict.fromkeys(numbers))
    return s.Rule(layer, target, tuple(s.Set(n, _value(rng, n, bad)) for n in numbers))


def _agreeing(rules: tuple[s.Rule, ...], target: s.Text) -> tuple[s.Rule, ...]:
    """Make later rules repeat the value that the first of the same layer, target and directive gave."""
    first: dict[tuple[s.Layer, s.Text, int], s.Value] = {}
    kept = []
    for rule in rules:
        if rule.layer is not s.Layer.MODEL and rule.target == target:
            continue
        at = (rule.layer, rule.target)
        sets = tuple(
            replace(one, value=first.setdefault((*at, one.directive), one.value))
            for one in rule.sets
        )
        kept.append(replace(rule, sets=sets))
    return tuple(kept)


def _book(rng: Random) -> s.Book:
    bad = rng.choice((0.0, 0.0, 0.0, 0.08, 0.25))
    ids = rng.sample(_FAMILIES, rng.randint(0, 4))
    hosts = rng.sample(_HOSTS, rng.randint(0, 4))
    if rng.random() < bad:
        ids, hosts = [*ids, *ids[:1]], [*hosts, *hosts[:1]]
    families = tuple(_family(rng, one, bad) for one in ids)
    names = [(n,) if rng.random() >= 2 * bad else (0, n) for n in range(len(hosts))]
    book = replace(
        EMPTY,
        families=families,
        hosts=tuple(_host(rng, one, name) for one, name in zip(hosts, names, strict=True)),
        dialects=(
            s.Dialect(D.COUNT_TOKENS, 0),
            s.Dialect(D.COUNT_TOKENS, 2),
            s.Dialect(D.LIST_MODELS, 1),
        )
        if bad
        else tuple(s.Dialect(d, w) for d in _NARROW[:2] for w in range(3)),
    )
    rules = tuple(_rule(rng, book, bad) for _ in range(rng.randint(0, 6)))
    if not bad:
        rules = _agreeing(rules, _t("nobody"))
    owners = (None, None, *(one.id for one in families), *((_t("nobody"),) if bad else ()))
    low = -3 if rng.random() < bad else 0
    price = {0: 1} if not bad else {}
    prices = []
    for _ in range(rng.randint(0, 4)):
        model = rng.choice((None, *map(_t, _PRICED)))
        tiers = tuple(rng.sample(range(4), rng.randint(0, 2)))
        fixed = 3 if model is None else 5
        number = rng.randint(low, 4) if bad else fixed * price[0]
        prices.append(s.Price(rng.randint(0, 1), rng.randint(0, 1), tiers, number, model))
    return replace(
        book,
        rules=rules,
        services=tuple(
            s.Service(
                rng.randint(0, 1),
                rng.randint(0, 1),
                tuple(rng.sample(range(4), rng.randint(0, 3))),
                rng.choice(owners),
            )
            for _ in range(rng.randint(0, 4))
        ),
        prices=tuple(prices),
        cache_writes=tuple(
            s.CacheWrite(_pattern(rng, bad), rng.randint(low, 3)) for _ in range(rng.randint(0, 3))
        ),
        defaults=tuple(
            s.Default(rng.randint(0, 2), _t(rng.choice(_IDS))) for _ in range(rng.randint(0, 3))
        ),
    )


def _model(rng: Random) -> s.Model:
    return s.Model(
        _t(rng.choice((*_IDS, *_PRICED * 4))),
        _t(rng.choice(_NAMES)),
        rng.choice((0, 0, 1, 1, 2, 3, 4)),
        rng.choice((0, 0, 1, 1, 2, 3, 4)),
        _t(rng.choice(_URLS)),
    )


def _query(rng: Random) -> s.Targets:
    """Draw targets outright; a query can name no family and no host."""
    family = rng.choice((None, *map(_t, _FAMILIES)))
    hosts = (rng.choice((None, *map(_t, _HOSTS))), rng.choice((None, *map(_t, _HOSTS))))
    return s.Targets(family, _t(rng.choice(_IDS[:4])), *hosts, ())


def _user(rng: Random) -> s.UserBudgets:
    return s.UserBudgets(*(rng.choice((None, 1, 100, 9000)) for _ in range(4)))


def _budget(rng: Random) -> Budget:
    rule = _tokens(rng, 0.0) if rng.random() < 0.6 else None
    otherwise = _tokens(rng, 0.0) if rng.random() < 0.5 else None
    return Budget(rng.randint(0, 7), _user(rng), rule, otherwise)


def _swapped(rng: Random, rules: tuple[s.Rule, ...]) -> tuple[s.Rule, ...]:
    if len(rules) < 2:
        return rules
    one, two = rng.sample(range(len(rules)), 2)
    moved = list(rules)
    moved[one], moved[two] = moved[two], moved[one]
    return tuple(moved)


def scenarios(rng: Random, count: int) -> Iterator[Scenario]:
    """Yield scenarios: the empty rulebook first, then the generated ones.

    Args:
        rng: The seeded generator.
        count: How many.
    """
    for number in range(count):
        book = EMPTY if number == 0 else _book(rng)
        prefix = _t(rng.choice(("qwen", "", "claude", "gpt-", "QWEN")))
        yield Scenario(
            book,
            replace(book, rules=_swapped(rng, book.rules)),
            (*_FIRST, D.SUPPORTS_DEVELOPER_ROLE, _UNKNOWN),
            tuple(_model(rng) for _ in range(3)),
            tuple(_query(rng) for _ in range(2)),
            tuple((prefix, _t(one)) for one in rng.sample(_IDS, 4)),
            tuple((_bounds(rng, 0.1), _revision(rng)) for _ in range(3)),
            tuple(_budget(rng) for _ in range(3)),
        )
