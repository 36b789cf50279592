"""The scenarios of `cvar`: tables with layers, lines, scripts with binds, and keyboards; edge cases first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Final, TypeAlias

from eukhe_spec import cvar as spec
from eukhe_spec.cvar import Act, Alias, Base, Do, Kind, Lex, Mod, Place, Put, Run, Scope, Sign, Term

__all__ = ["GOOD", "Keyboard", "Layers", "Lines", "Scenario", "Script", "scenarios"]


@dataclass(frozen=True)
class Layers:
    """A table, a config and a family; every id below `ids` is asked for, and every agent runs `line`."""

    declarations: tuple[spec.Declaration, ...]
    config: tuple[spec.Entry, ...]
    family: tuple[spec.Member, ...]
    ids: int
    line: tuple[spec.Say | spec.Flip, ...] = ()


@dataclass(frozen=True)
class Lines:
    """Lines of signs, the words of commands, and a value and a word for each type."""

    lines: tuple[tuple[Sign, ...], ...]
    commands: tuple[tuple[Lex, ...], ...]
    value: spec.Value
    term: Term


@dataclass(frozen=True)
class Script:
    """Aliases, lines that run on them, and binds."""

    aliases: tuple[Alias, ...]
    lines: tuple[tuple[spec.Command | spec.Broken, ...], ...]
    binds: tuple[spec.Bind, ...]
    most: int


@dataclass(frozen=True)
class Keyboard:
    """Default keys, the keys of a `keybindings.json`, and names of keys."""

    defaults: tuple[spec.Keys, ...]
    chosen: tuple[spec.Keys, ...]
    chords: tuple[tuple[tuple[Mod, ...], Base], ...]


Scenario: TypeAlias = Layers | Lines | Script | Keyboard

#: Two values of each type.
GOOD: Final[dict[Kind, tuple[spec.Value, ...]]] = {
    Kind.BOOL: (spec.Flag(False), spec.Flag(True)),
    Kind.NAT: (spec.Number(0), spec.Number(3)),
    Kind.POS_NAT: (spec.Number(1), spec.Number(2)),
    Kind.NAT_OR_OFF: (spec.Word(Term.OFF), spec.Number(0)),
    Kind.LIMIT: (spec.Word(Term.UNLIMITED), spec.Number(1)),
    Kind.TEXT: (spec.Word(Term.PLAIN), spec.Word(Term.NONE)),
    Kind.ENUM: (spec.Word(Term.OFF), spec.Word(Term.PLAIN)),
    Kind.LIST: (spec.Listing(()), spec.Listing((spec.Word(Term.PLAIN), spec.Word(Term.ZERO)))),
    Kind.MAP: (spec.Table((spec.Number(2),)), spec.Table(())),
    Kind.UNIT: (spec.Table((spec.Flag(True), spec.Word(Term.ONE))), spec.Table(())),
}
_STRANGE: Final[tuple[spec.Value, ...]] = (
    *(spec.Odd(one) for one in spec.Oddity),
    *(spec.Word(term) for term in Term),
    spec.Listing((spec.Number(1),)),
    spec.Table((spec.Word(Term.PLAIN),)),
)
_VALUES: Final = (*_STRANGE, *(value for good in GOOD.values() for value in good))


def _declaration(rng: Random, number: int) -> spec.Declaration:
    kind = Kind.BOOL if rng.random() < 0.4 else rng.choice(tuple(Kind))
    scope = Scope.GLOBAL if rng.random() < 0.3 else Scope.LOCAL
    unset = rng.random() < 0.3
    default = rng.choice(GOOD[kind])
    if rng.random() < 0.05:
        default = rng.choice(_STRANGE)
    if unset and kind is not Kind.BOOL and rng.random() < 0.5:
        default = spec.Odd(spec.Oddity.NULL)
    flags = rng.random() < 0.6, rng.random() < 0.6
    return spec.Declaration(number, kind, unset, scope, *flags, default)


def _put(rng: Random, table: tuple[spec.Declaration, ...]) -> Put:
    """Draw a set: mostly of a declared cvar and of its type."""
    if not table or rng.random() < 0.1:
        return Put(rng.randrange(6), rng.choice(_VALUES))
    one = rng.choice(table)
    good = rng.random() < 0.75
    return Put(one.id, rng.choice(GOOD[one.kind] if good else _VALUES))


def _change(rng: Random, table: tuple[spec.Declaration, ...]) -> spec.Change:
    put = _put(rng, table)
    return spec.Flip(put.id) if rng.random() < 0.2 else put


def _layers(rng: Random) -> Layers:
    size = rng.randrange(1, 5)
    ids = list(range(size))
    if rng.random() < 0.08:
        ids.append(rng.randrange(size))
    table = tuple(_declaration(rng, number) for number in ids)
    places = (Place.GLOBAL, Place.GLOBAL, Place.PROJECT, Place.WITHHELD, Place.AGENT)
    config = tuple(
        spec.Entry(_change(rng, table), rng.choice(places)) for _ in range(rng.randrange(6))
    )
    family = tuple(
        spec.Member(
            tuple(_change(rng, table) for _ in range(rng.randrange(4))),
            tuple(_put(rng, table) for _ in range(rng.randrange(4))),
        )
        for _ in range(rng.randrange(4))
    )
    line = tuple(
        spec.Flip(rng.randrange(size + 1))
        if rng.random() < 0.4
        else spec.Say(rng.randrange(size + 1), rng.choice(tuple(Term)))
        for _ in range(rng.randrange(4))
    )
    return Layers(table, config, family, size + 1, line)


def _lines(rng: Random) -> Lines:
    signs, lexes = tuple(Sign), tuple(Lex)
    verbs = (Lex.SET, Lex.TOGGLE, Lex.ALIAS, Lex.BIND, Lex.ACTION)
    lines = tuple(
        tuple(rng.choices(signs, (4, 2, 4, 2, 1, 2, 1, 1), k=rng.randrange(14))) for _ in range(6)
    )
    commands = tuple(
        (rng.choice(verbs), *(rng.choice(lexes) for _ in range(rng.randrange(4)))) for _ in range(5)
    )
    return Lines(
        lines, (*commands, (rng.choice(lexes),)), rng.choice(_VALUES), rng.choice(tuple(Term))
    )


def _command(rng: Random, names: int) -> spec.Command:
    if rng.random() < 0.4:
        unknown = names == 0 or rng.random() < 0.15
        return Run(names if unknown else rng.randrange(names))
    return Do(rng.choice(tuple(Act)), rng.randrange(names + 1))


def _list(rng: Random, names: int) -> tuple[spec.Command, ...]:
    return tuple(_command(rng, names) for _ in range(rng.randrange(4)))


def _script(rng: Random) -> Script:
    names = rng.randrange(1, 5)
    cyclic = rng.random() < 0.4
    aliases = [Alias(name, _list(rng, names if cyclic else name)) for name in range(names)]
    aliases += [Alias(rng.randrange(names), _list(rng, names)) for _ in range(rng.randrange(2))]
    rng.shuffle(aliases)
    broken: tuple[tuple[spec.Command | spec.Broken, ...], ...] = ((Run(0), spec.Broken()),)
    lines = tuple(_list(rng, names) for _ in range(rng.randrange(1, 5)))
    lines_read = (*broken, *lines) if rng.random() < 0.2 else lines
    binds = tuple(spec.Bind(rng.randrange(3), _list(rng, names)) for _ in range(rng.randrange(5)))
    return Script(tuple(aliases), lines_read, binds, rng.randrange(6))


def _rows(rng: Random) -> tuple[spec.Keys, ...]:
    return tuple(
        spec.Keys(rng.randrange(4), tuple(rng.randrange(4) for _ in range(rng.randrange(4))))
        for _ in range(rng.randrange(5))
    )


def _keyboard(rng: Random) -> Keyboard:
    mods, bases = tuple(Mod), tuple(Base)
    chords = tuple(
        (tuple(rng.choice(mods) for _ in range(rng.randrange(4))), rng.choice(bases))
        for _ in range(6)
    )
    return Keyboard(_rows(rng), _rows(rng), chords)


def _signs(text: str) -> tuple[Sign, ...]:
    return tuple(Sign(letter) for letter in text)


_FLAG: Final = spec.Declaration(0, Kind.BOOL, False, Scope.LOCAL, True, True, spec.Flag(False))
_WIDE: Final = spec.Declaration(1, Kind.BOOL, False, Scope.GLOBAL, True, False, spec.Flag(False))
_TEXT: Final = spec.Declaration(
    2, Kind.TEXT, True, Scope.LOCAL, True, False, spec.Odd(spec.Oddity.NULL)
)
_ON: Final = spec.Flag(True)

#: What chance might leave out: an empty table, an empty family, both doublings of a rule, the nesting bound.
_EDGES: Final[tuple[Scenario, ...]] = (
    Layers((), (), (), 1),
    Layers((_FLAG, _WIDE, _TEXT), (), (), 4),
    Layers((_FLAG, _FLAG), (), (spec.Member((), (Put(0, _ON),)),), 1),
    Layers(
        (_FLAG, _WIDE, _TEXT),
        (
            spec.Entry(spec.Flip(0), Place.GLOBAL),
            spec.Entry(spec.Flip(0), Place.PROJECT),
            spec.Entry(Put(1, _ON), Place.PROJECT),
            spec.Entry(Put(1, _ON), Place.WITHHELD),
        ),
        (spec.Member((), (Put(0, _ON),)), spec.Member((), ())),
        4,
    ),
    Layers(
        (_FLAG, _WIDE, _TEXT),
        (spec.Entry(Put(1, _ON), Place.GLOBAL),),
        (
            spec.Member((Put(0, _ON), Put(1, _ON)), (Put(1, _ON), Put(2, spec.Word(Term.PLAIN)))),
            spec.Member((spec.Flip(0), spec.Flip(2)), (Put(0, spec.Word(Term.TRUE)),)),
        ),
        4,
    ),
    Lines(
        (
            _signs('a "a a";n'),
            _signs('"a'),
            _signs('a"a'),
            _signs('"a"a'),
            _signs('"a\\"\\\\\\n\\a" //'),
            _signs('"a\\'),
            _signs("a//a;a"),
            _signs(";; a"),
            _signs('"" a'),
            _signs('"a;//"'),
        ),
        ((Lex.ALIAS, Lex.SET, Lex.BODY), (Lex.BIND, Lex.EMPTY, Lex.BODY), (Lex.BROKEN,)),
        spec.Odd(spec.Oddity.HUGE),
        Term.LISTED,
    ),
    Script((), ((Run(0),), ()), (), 0),
    Script((Alias(0, (Run(0),)),), ((Run(0),),), (spec.Bind(0, (Run(0),)),), 1),
    Script(
        (
            Alias(0, (Run(1), Run(1))),
            Alias(1, (Run(2), Run(2))),
            Alias(2, (Do(Act.SET, 0), Do(Act.ACTION, 0))),
        ),
        ((Run(0), Do(Act.ALIAS, 3)), (Run(3), Run(0))),
        (spec.Bind(0, (Run(1),)), spec.Bind(0, (Do(Act.TOGGLE, 0),)), spec.Bind(1, ())),
        7,
    ),
    Keyboard((), (), tuple(((), base) for base in Base)),
    Keyboard(
        (spec.Keys(0, (0, 1)), spec.Keys(1, (0,)), spec.Keys(2, (2,))),
        (spec.Keys(0, (2, 2)), spec.Keys(1, (0,)), spec.Keys(2, ())),
        (((Mod.SHIFT, Mod.CTRL), Base.PLUS), ((Mod.CTRL, Mod.CTRL), Base.CAPITAL)),
    ),
)


def scenarios(rng: Random, count: int) -> Iterator[Scenario]:
    """Yield so many scenarios, the edge cases first."""
    makers = (_layers, _layers, _layers, _lines, _script, _script, _keyboard)
    for number in range(count):
        yield _EDGES[number] if number < len(_EDGES) else rng.choice(makers)(rng)
