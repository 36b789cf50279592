"""The bridge of `ladder` (S6.9): the core under the spec's signatures, and models from every origin."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from random import Random

from eukhe.core import ladder as core
from eukhe_bridge._effort import (
    LEVELS,
    NAMES,
    NATIVE,
    back,
    machines,
    native_map,
    read_map,
    spec_map,
)
from eukhe_bridge.kit import Bridge
from eukhe_spec import effort as spec_effort
from eukhe_spec import ladder as spec
from eukhe_spec.effort import Entry, Level, LevelMap, Model
from eukhe_spec.ladder import Defaults, Origin

__all__ = ["BRIDGE", "CORE", "Case"]

_ORIGINS = {origin: core.Origin[origin.name] for origin in Origin}


def _map(levels: LevelMap | None) -> core.LevelMap | None:
    return None if levels is None else native_map(levels)


@cache
def _set(levels: tuple[Level, ...]) -> frozenset[str]:
    return frozenset(NATIVE[level] for level in levels)


class _Core:
    """The core under the spec's signatures."""

    def shipped(self) -> Defaults:
        reasoning, plain = (
            tuple(level for level in Level if NATIVE[level] in listed)
            for listed in (core.SHIPPED.reasoning, core.SHIPPED.plain)
        )
        return Defaults(reasoning, plain)

    def chosen(self, explicit: LevelMap | None, rule: LevelMap | None) -> LevelMap:
        return spec_map(core.chosen(_map(explicit), _map(rule)))

    def ladder_of(
        self, origin: Origin, reasoning: bool, explicit: LevelMap | None, rule: LevelMap | None
    ) -> LevelMap:
        return spec_map(core.ladder_of(_ORIGINS[origin], reasoning, _map(explicit), _map(rule)))

    def offered(self, reasoning: bool, ladder: LevelMap, defaults: Defaults) -> tuple[Level, ...]:
        listed = core.Defaults(_set(defaults.reasoning), _set(defaults.plain))
        return back(core.offered(reasoning, native_map(ladder), listed))

    def wire(self, reasoning: bool, ladder: LevelMap, level: Level) -> Level | None:
        string = core.wire(reasoning, native_map(ladder), NATIVE[level])
        return None if string is None else Level[string.removeprefix("wire ")]


CORE = _Core()

Pairs = tuple[tuple[str, str | None], ...]


@dataclass(frozen=True)
class Case:
    """A scenario: a model, what the rulebook has for it, and default ladders.

    Attributes:
        origin: Where the model comes from, by value.
        reasoning: Whether it reasons.
        explicit: Its own map as JSON would give it; `None` for none.
        rule: The rulebook's ladder of its family; `None` for none.
        listed: The default ladder of reasoning models, in any order; `None` for the shipped default ladders.
        plain: The default ladder of models without reasoning.
    """

    origin: str
    reasoning: bool
    explicit: Pairs | None
    rule: Pairs | None
    listed: tuple[str, ...] | None
    plain: tuple[str, ...]


#: The ladders that the rulebook ships for its families (S6.9).
_FAMILIES: tuple[Pairs, ...] = (
    (
        ("off", "none"),
        ("minimal", None),
        ("low", "low"),
        ("medium", "medium"),
        ("high", None),
        ("xhigh", "xhigh"),
    ),
    (("minimal", None), ("low", None), ("medium", None)),
    (("off", "none"), ("minimal", None)),
    (("off", None), ("minimal", None)),
    (("off", None), ("minimal", None), ("xhigh", "xhigh")),
)
_OVER: Pairs = (("medium", None), ("max", "own\u2028"))


def _edges() -> Iterator[Case]:
    for origin in ("built-in", "custom", "moved"):
        for reasoning in (True, False):
            for explicit in (None, (), _OVER):
                yield Case(origin, reasoning, explicit, None, None, ())
                for rule in _FAMILIES:
                    yield Case(origin, reasoning, explicit, rule, None, ())


def _drawn(rng: Random) -> Case:
    def ladder() -> Pairs | None:
        return machines(rng).map if rng.random() < 0.6 else None

    def levels() -> tuple[str, ...]:
        return tuple(rng.choice((*NAMES, "ultra")) for _ in range(rng.randrange(9)))

    listed = None if rng.random() < 0.3 else levels()
    origin = rng.choice(("built-in", "custom", "custom", "moved"))
    return Case(origin, rng.random() < 0.75, ladder(), ladder(), listed, levels())


def _scenarios(rng: Random, count: int) -> Iterator[Case]:
    edges = tuple(_edges())
    for number in range(count):
        yield edges[number] if number < len(edges) else _drawn(rng)


def _spec(case: Case) -> str:
    # The spec returns the very map that it chose, so its strings are those of the ladder it came from.
    explicit = None if case.explicit is None else read_map(case.explicit)
    rule = None if case.rule is None else read_map(case.rule)
    ladder = spec.ladder_of(Origin(case.origin), case.reasoning, explicit, rule)
    strings = dict((case.explicit if ladder is explicit else case.rule) or ())
    by_name = {NATIVE[level].value: level for level in Level}

    def levels(names: tuple[str, ...]) -> tuple[Level, ...]:
        return tuple(by_name[name] for name in names if name in by_name)

    if case.listed is None:
        defaults = spec.shipped()
        found = spec_effort.offered(Model(case.reasoning, ladder))
    else:
        defaults = Defaults(levels(case.listed), levels(case.plain))
        found = spec.offered(case.reasoning, ladder, defaults)
    lines = [" ".join(["offers", *(level.name.lower() for level in found)])]
    for level, entry in zip(Level, spec_effort.entries(ladder), strict=True):
        name = level.name.lower()
        sends = spec.wire(case.reasoning, ladder, level)
        text = "own" if sends is None else ascii(strings[sends.name.lower()])
        said = ascii(strings[name]) if entry is Entry.WIRE else entry.value
        lines.append(f"{name} {said} sends {text}")
    return "\n".join(lines) + "\n"


def _core(case: Case) -> str:
    explicit = None if case.explicit is None else dict(case.explicit)
    rule = None if case.rule is None else dict(case.rule)
    ladder = core.ladder_of(core.Origin(case.origin), case.reasoning, explicit, rule)
    defaults = core.SHIPPED
    if case.listed is not None:
        defaults = core.Defaults(frozenset(case.listed), frozenset(case.plain))
    lines = [" ".join(["offers", *core.offered(case.reasoning, ladder, defaults)])]
    for level in LEVELS:
        said = "missing"
        if level in ladder:
            string = ladder[level]
            said = "null" if string is None else ascii(string)
        sends = core.wire(case.reasoning, ladder, level)
        lines.append(f"{level} {said} sends {'own' if sends is None else ascii(sends)}")
    return "\n".join(lines) + "\n"


_RULES = (
    "chosen: explicit over the rulebook's",
    "chosen: explicit alone",
    "chosen: the rulebook's second",
    "chosen: no entry last",
    "chosen: built-in keeps its catalog's",
    "chosen: custom without reasoning takes no rule",
    "chosen: moved takes the rulebook's",
    "chosen: moved without a ladder has every level null",
    "reasoning: wire offered",
    "reasoning: null not offered",
    "reasoning: missing and listed offered",
    "reasoning: missing and not listed not offered",
    "plain: its default ladder",
    "plain: a map without effect",
    "sent: the wire string",
    "sent: the API's own form",
    "shipped: the ladder of S10",
)


def _of_choice(case: Case) -> str:
    if case.explicit is not None:
        return "explicit alone" if case.rule is None else "explicit over the rulebook's"
    match case.origin:
        case "moved":
            if case.rule is None:
                return "moved without a ladder has every level null"
            return "moved takes the rulebook's"
        case "built-in" if case.rule is not None:
            return "built-in keeps its catalog's"
        case "custom" if case.rule is not None:
            return (
                "the rulebook's second"
                if case.reasoning
                else "custom without reasoning takes no rule"
            )
        case _:
            return "no entry last"


def _each(case: Case, transcript: str) -> Iterator[str]:
    first, *rest = (line.split(" ") for line in transcript.splitlines())
    yield f"chosen: {_of_choice(case)}"
    if case.listed is None:
        yield "shipped: the ladder of S10"
    if not case.reasoning:
        yield "plain: its default ladder"
    for words in rest:
        name, said, sends = words[0], words[1], words[-1]
        yield "sent: the API's own form" if sends == "own" else "sent: the wire string"
        if not case.reasoning:
            if said != "missing":
                yield "plain: a map without effect"
        elif said == "missing":
            on = name in first
            yield f"reasoning: missing and {'listed offered' if on else 'not listed not offered'}"
        else:
            yield f"reasoning: {'null not offered' if said == 'null' else 'wire offered'}"


def _reached(case: Case, transcript: str) -> frozenset[str]:
    return frozenset(_each(case, transcript))


BRIDGE: Bridge[Case] = Bridge("ladder", _RULES, _scenarios, _spec, _core, _reached, count=600)
