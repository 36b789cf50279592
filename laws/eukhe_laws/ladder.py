"""The laws of a model's thinking ladder (S6.9, S10 ladder 0 to 2): which map is chosen, and what it offers.

Every domain here is finite and enumerated whole. Two of them are cut to what can be enumerated:

- A choice between two maps ranges over every explicit map beside the uniform rulebook ladders (each entry
  missing, each `null`, each a wire string, or no ladder at all), and over every rulebook ladder beside the
  uniform explicit maps.
- A pair of default ladders is a ladder and its complement, both ways round: at each level the two say the
  opposite, so whoever looks into the wrong one is found out. Beside every map stand six such pairs: a level is
  offered or not by its own entry and its own place in the default ladder, so one pair has every case of a level,
  and the six tell apart who looks at another level's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Protocol

from eukhe_bridge import ladder as bridge
from eukhe_laws._effort import Ladder, entry
from eukhe_laws.engine.domain import Among
from eukhe_laws.engine.law import law
from eukhe_spec import effort as spec_effort
from eukhe_spec import ladder as spec
from eukhe_spec.effort import Entry, Level, LevelMap, Model
from eukhe_spec.ladder import Defaults, Origin

_LEVELS = tuple(Level)
_UNIFORM = tuple(LevelMap(*[entry] * 7) for entry in Entry)
_NO_ENTRY, _NO_LEVEL = (LevelMap(*[entry] * 7) for entry in (Entry.MISSING, Entry.NULL))

#: A map that says the same of every level, or none.
Uniform = Annotated[LevelMap | None, Among((None, *_UNIFORM))]
#: Six default ladders: none, the shipped ones, every other level, the first two, some in the middle.
Half = Annotated[
    tuple[Level, ...],
    Among(((), (Level.OFF,), _LEVELS[:5], _LEVELS[::2], _LEVELS[:2], _LEVELS[2:4])),
]
#: The origins of a model that no subscription moved.
Unmoved = Annotated[Origin, Among((Origin.BUILT_IN, Origin.CUSTOM))]


class Thinking(Protocol):
    """The functions under law."""

    def shipped(self) -> Defaults: ...
    def chosen(self, explicit: LevelMap | None, rule: LevelMap | None) -> LevelMap: ...
    def ladder_of(
        self, origin: Origin, reasoning: bool, explicit: LevelMap | None, rule: LevelMap | None
    ) -> LevelMap: ...
    def offered(
        self, reasoning: bool, ladder: LevelMap, defaults: Defaults
    ) -> tuple[Level, ...]: ...
    def wire(self, reasoning: bool, ladder: LevelMap, level: Level) -> Level | None: ...


SPEC: Thinking = spec
CORE: Thinking = bridge.CORE


@dataclass(frozen=True)
class AnyExplicit:
    """Every explicit map, and none, beside the uniform rulebook ladders."""

    explicit: LevelMap | None
    rule: Uniform


@dataclass(frozen=True)
class AnyRule:
    """Every rulebook ladder beside the uniform explicit maps, and none."""

    explicit: Uniform
    rule: LevelMap


def _both(half: tuple[Level, ...]) -> tuple[Defaults, Defaults]:
    """Pair a ladder with its complement, both ways round."""
    rest = tuple([level for level in _LEVELS if level not in half])
    return Defaults(half, rest), Defaults(rest, half)


# The chosen ladder.


@law(
    section="S6.9",
    given=lambda S, maps: maps.explicit is not None,
    reach={
        "a rulebook ladder that differs": lambda S, maps: (
            maps.rule is not None and maps.rule != maps.explicit
        )
    },
)
def quirk_ladder_explicit_first(S: Thinking, maps: AnyExplicit | AnyRule) -> bool:
    """The explicit thinking-level map is the chosen ladder, over the rulebook's ladder (S6.9)."""
    return S.chosen(maps.explicit, maps.rule) == maps.explicit


@law(section="S6.9")
def quirk_ladder_rule_second(S: Thinking, rule: LevelMap) -> bool:
    """With no explicit map, the rulebook's ladder is the chosen ladder (S6.9)."""
    return S.chosen(None, rule) == rule


@law(section="S6.9")
def quirk_ladder_default_last(S: Thinking, reasoning: Ladder, plain: Ladder) -> bool:
    """With neither, the chosen ladder has no entry: the default ladder gives every level (S6.9)."""
    chosen = S.chosen(None, None)
    offered = S.offered(True, chosen, Defaults(reasoning, plain))
    return chosen == _NO_ENTRY and offered == reasoning


@law(
    section="S10",
    ours=True,
    reach={
        "a rulebook ladder that applies": lambda S, origin, reasoning, maps: (
            origin is Origin.CUSTOM and reasoning and maps.explicit is None is not maps.rule
        )
    },
)
def quirk_ladder_custom_only(
    S: Thinking, origin: Unmoved, reasoning: bool, maps: AnyExplicit | AnyRule
) -> bool:
    """The rulebook's ladder stands in for a missing map only for a reasoning model of a custom
    provider (S10 ladder 0).
    """
    applies = origin is Origin.CUSTOM and reasoning
    choices = (maps.explicit, maps.rule if applies else None, _NO_ENTRY)
    wanted = next(one for one in choices if one is not None)
    return S.ladder_of(origin, reasoning, maps.explicit, maps.rule) == wanted


@law(section="S6.9", ours=True)
def quirk_ladder_moved_null(S: Thinking, reasoning: bool, maps: AnyExplicit | AnyRule) -> bool:
    """An xAI model that a subscription moved takes its map, else the rulebook's ladder, else
    one that sets every level to null (S6.9).
    """
    wanted = next(one for one in (maps.explicit, maps.rule, _NO_LEVEL) if one is not None)
    return S.ladder_of(Origin.MOVED, reasoning, maps.explicit, maps.rule) == wanted


# The offered levels.


@law(section="S6.9")
def quirk_ladder_offered_exact(S: Thinking, ladder: LevelMap, half: Half) -> bool:
    """A reasoning model offers a level exactly when its chosen ladder gives it a wire string,
    or gives it no entry and the default ladder lists it (S6.9).
    """
    says = [(level, entry(ladder, level)) for level in _LEVELS]
    given = {level for level, said in says if said is Entry.WIRE}
    unsaid = {level for level, said in says if said is Entry.MISSING}
    return all(
        S.offered(True, ladder, defaults)
        == tuple(sorted(given | (unsaid & set(defaults.reasoning))))
        for defaults in _both(half)
    )


@law(section="S6.9")
def quirk_ladder_plain_exact(S: Thinking, ladder: LevelMap, half: Half) -> bool:
    """A model without reasoning offers exactly the levels of the plain default ladder (S6.9)."""
    return all(S.offered(False, ladder, one) == one.plain for one in _both(half))


@law(section="S6.9")
def quirk_ladder_shipped_is_s10(S: Thinking, reasoning: bool, maps: AnyExplicit | AnyRule) -> bool:
    """With the shipped default ladders, the offered levels are the S10 ladder of the chosen
    map, so every S10 law holds for them (S6.9).
    """
    chosen = S.chosen(maps.explicit, maps.rule)
    offered = S.offered(reasoning, chosen, S.shipped())
    return offered == spec_effort.offered(Model(reasoning, chosen))


@law(section="S10", ours=True)
def quirk_ladder_wire_sent(S: Thinking, reasoning: bool, ladder: LevelMap, level: Level) -> bool:
    """A reasoning model is sent the wire string of the level itself, and a level without one
    goes in the API's own form (S10 ladder 2).
    """
    wired = reasoning and entry(ladder, level) is Entry.WIRE
    return S.wire(reasoning, ladder, level) is (level if wired else None)
