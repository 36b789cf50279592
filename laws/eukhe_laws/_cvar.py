"""What the laws of `cvar` are stated over: ingredients of tables, layers, lines and aliases, and the rules anew.

Nothing here comes from the model: a law that shared its helpers would move with its mistakes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, TypeAlias

from eukhe_laws.engine.domain import Among
from eukhe_spec.cvar import (
    Act,
    Alias,
    Bind,
    Change,
    Command,
    Declaration,
    Do,
    Entry,
    ErrorKind,
    Flag,
    Flip,
    Keys,
    Kind,
    Lex,
    Listing,
    Member,
    Number,
    Odd,
    Oddity,
    Place,
    Put,
    Run,
    Say,
    Scope,
    Sign,
    Table,
    Term,
    Value,
    Word,
)

__all__ = [
    "READS",
    "SHAPES",
    "TYPED",
    "Agent",
    "AnyBody",
    "AnyChange",
    "AnyCommand",
    "AnyEntry",
    "AnyPut",
    "AnySaid",
    "AnyValue",
    "Plainly",
    "Raw",
    "Row",
    "Unquoted",
    "actions",
    "aliases",
    "binds",
    "entries",
    "error",
    "family_of",
    "flat",
    "fold",
    "merged",
    "quoted",
    "table",
]

_NULL: Final = Odd(Oddity.NULL)
_WORDS: Final = tuple(Word(term) for term in Term)
_PLAIN, _ONE, _YES = Word(Term.PLAIN), Number(1), Flag(True)
#: Values of every type and of none.
_UNIVERSE: Final[tuple[Value, ...]] = (
    Flag(False),
    _YES,
    Number(0),
    _ONE,
    Number(2),
    *_WORDS,
    *(Odd(one) for one in Oddity),
    Listing(()),
    Listing((_PLAIN, Word(Term.TRUE))),
    Listing((_PLAIN, _YES)),
    Table(()),
    Table((_ONE, Number(0))),
    Table((_ONE, _PLAIN)),
)

#: The values of the universe that each type holds, one by one.
TYPED: Final[dict[Kind, tuple[Value, ...]]] = {
    Kind.BOOL: (Flag(False), _YES),
    Kind.NAT: (Number(0), _ONE, Number(2)),
    Kind.POS_NAT: (_ONE, Number(2)),
    Kind.NAT_OR_OFF: (Word(Term.OFF), Number(0), _ONE, Number(2), Word(Term.NONE)),
    Kind.LIMIT: (Word(Term.UNLIMITED), _ONE, Number(2)),
    Kind.TEXT: (_PLAIN, *_WORDS),
    Kind.ENUM: (Word(Term.OFF), _PLAIN),
    Kind.LIST: (Listing(()), Listing((_PLAIN, Word(Term.TRUE)))),
    Kind.MAP: (Table(()), Table((_ONE, Number(0)))),
    Kind.UNIT: (Table(()), Table((_ONE, Number(0))), Table((_ONE, _PLAIN))),
}
_BITS: Final[dict[Term, Value]] = {Term.ZERO: Number(0), Term.ONE: _ONE}

#: What each word gives each type; a word that is missing is BadValue.
READS: Final[dict[Kind, dict[Term, Value]]] = {
    Kind.BOOL: {Term.TRUE: _YES, Term.FALSE: Flag(False)},
    Kind.NAT: _BITS,
    Kind.POS_NAT: {Term.ONE: _ONE},
    Kind.NAT_OR_OFF: {**_BITS, Term.OFF: Word(Term.OFF), Term.NONE: Word(Term.NONE)},
    Kind.LIMIT: {Term.ONE: _ONE, Term.UNLIMITED: Word(Term.UNLIMITED)},
    Kind.TEXT: {term: Word(term) for term in Term},
    Kind.ENUM: {Term.OFF: Word(Term.OFF), Term.PLAIN: _PLAIN},
    Kind.LIST: {Term.LISTED: Listing((_PLAIN,))},
    Kind.MAP: {Term.MAPPED: Table((_ONE,))},
    Kind.UNIT: {Term.MAPPED: Table((_ONE,))},
}

#: How many words each verb takes behind it.
SHAPES: Final = {Lex.SET: 2, Lex.TOGGLE: 1, Lex.ALIAS: 2, Lex.BIND: 2, Lex.ACTION: 1}

_PUTS: Final = (
    *(Put(0, value) for value in (Flag(False), _YES, _ONE, Number(0))),
    *(Put(1, value) for value in (_YES, _ONE)),
)
_CHANGES: Final[tuple[Change, ...]] = (*_PUTS, Flip(0), Flip(1))
_CONFIG: Final = (Place.GLOBAL, Place.PROJECT, Place.WITHHELD)

AnyValue = Annotated[Value, Among(_UNIVERSE)]
#: A set of cvar 0 or 1, of a value that one of two types holds, both or none.
AnyPut = Annotated[Put, Among(_PUTS)]
AnyChange = Annotated[Change, Among(_CHANGES)]
#: A set or a toggle as a line says it.
AnySaid = Annotated[
    Say | Flip,
    Among(
        (
            *(Say(0, term) for term in (Term.TRUE, Term.FALSE, Term.ONE)),
            *(Say(1, term) for term in (Term.TRUE, Term.UNLIMITED)),
            Flip(0),
            Flip(1),
        )
    ),
]
#: A change in a file of the config.
AnyEntry = Annotated[Entry, Among(tuple(Entry(c, p) for c in _CHANGES for p in _CONFIG))]


@dataclass(frozen=True)
class Agent:
    """Any agent of a family."""

    profile: tuple[AnyChange, ...]
    sets: tuple[AnyPut, ...]

    def member(self) -> Member:
        """Return the agent as the model has it."""
        return Member(self.profile, self.sets)


@dataclass(frozen=True)
class Raw:
    """Any declaration, as far as the registry looks at it."""

    id: Annotated[int, Among((0, 1))]
    kind: Annotated[Kind, Among((Kind.BOOL, Kind.TEXT))]
    unset: bool
    default: Annotated[Value, Among((Flag(False), _PLAIN, _NULL))]

    def declared(self) -> Declaration:
        """Return the declaration."""
        return Declaration(self.id, self.kind, self.unset, Scope.LOCAL, True, False, self.default)

    def typed(self) -> bool:
        """Say whether the default has its type, or is unset where that may be."""
        match self.kind:
            case Kind.BOOL:
                return self.default == Flag(False)
            case _:
                return self.default == _PLAIN or (self.unset and self.default == _NULL)


@dataclass(frozen=True)
class Row:
    """A sound declaration: its place in the table is its id; `persist` is the flag, `replicate` its opposite."""

    kind: Annotated[Kind, Among((Kind.BOOL, Kind.LIMIT))]
    scope: Scope
    flag: bool


def table(rows: tuple[Row, ...]) -> tuple[Declaration, ...]:
    """Return a sound table."""
    return tuple(
        Declaration(place, one.kind, False, one.scope, one.flag, not one.flag, TYPED[one.kind][0])
        for place, one in enumerate(rows)
    )


def error(declarations: tuple[Declaration, ...], entry: Entry) -> ErrorKind | None:
    """Return why an entry is rejected, by the sentence of S4; None also for what trust withholds."""
    declared = {one.id: one for one in declarations}.get(entry.change.id)
    if entry.place is Place.WITHHELD:
        return None
    if declared is None:
        return ErrorKind.UNDECLARED
    if (declared.scope, entry.place is Place.GLOBAL) == (Scope.GLOBAL, False):
        return ErrorKind.GLOBAL
    if isinstance(entry.change, Flip):
        return {Kind.BOOL: None}.get(declared.kind, ErrorKind.NOT_BOOL)
    return None if entry.change.value in TYPED[declared.kind] else ErrorKind.BAD_VALUE


def fold(declarations: tuple[Declaration, ...], layers: tuple[Entry, ...], cvar: int) -> Value:
    """Return the value of a declared cvar after every entry, one after the other."""
    value = next(one.default for one in declarations if one.id == cvar)
    for entry in layers:
        held = entry.place is Place.WITHHELD or error(declarations, entry) is not None
        if entry.change.id == cvar and not held:
            match entry.change:
                case Put(_, given):
                    value = given
                case Flip():
                    value = Flag(value == Flag(False))
    return value


def entries(member: Member) -> tuple[Entry, ...]:
    """Return the layers of an agent: the profile, then the sets."""
    return tuple(
        Entry(one, Place.AGENT) for layer in (member.profile, member.sets) for one in layer
    )


def family_of(agents: tuple[Agent, ...]) -> tuple[Member, ...]:
    """Return a family, root first."""
    return tuple(one.member() for one in agents)


def flat(config: tuple[Entry, ...], family: tuple[Member, ...]) -> tuple[Entry, ...]:
    """Return every layer, lowest first."""
    return (*config, *(one for member in family for one in entries(member)))


#: Any sign but a quote.
Unquoted = Annotated[Sign, Among(tuple(one for one in Sign if one is not Sign.QUOTE))]


def quoted(word: tuple[Sign, ...]) -> tuple[Sign, ...]:
    """Return a word in quotes."""
    escaped = {
        Sign.QUOTE: (Sign.BACKSLASH, Sign.QUOTE),
        Sign.BACKSLASH: (Sign.BACKSLASH, Sign.BACKSLASH),
        Sign.BREAK: (Sign.BACKSLASH, Sign.EN),
    }
    inner = tuple(each for one in word for each in escaped.get(one, (one,)))
    return (Sign.QUOTE, *inner, Sign.QUOTE)


_PLAINS: Final = (Do(Act.SET, 0), Do(Act.ACTION, 1))
#: A plain command.
Plainly = Annotated[Do, Among(tuple(Do(act, n) for n, act in enumerate(Act)))]
#: A plain command for the session or for the client, or a run of alias 0, 1 or 2.
AnyCommand = Annotated[Command, Among((*_PLAINS, Run(0), Run(1), Run(2)))]
AnyBody: TypeAlias = tuple[AnyCommand, ...]


def aliases(bodies: tuple[AnyBody, ...]) -> tuple[Alias, ...]:
    """Return the table in which each body has its place as its name."""
    return tuple(Alias(name, body) for name, body in enumerate(bodies))


def binds(bodies: tuple[tuple[int, AnyBody], ...]) -> tuple[Bind, ...]:
    """Return binds of keys."""
    return tuple(Bind(key, body) for key, body in bodies)


def merged(rows: tuple[Keys, ...]) -> dict[int, tuple[int, ...]]:
    """Return the keys of each action, of two rows the later."""
    return {one.action: one.keys for one in rows}


def actions(keys: dict[int, tuple[int, ...]], key: int) -> tuple[int, ...]:
    """Return the actions of a key."""
    return tuple(action for action, own in keys.items() if key in own)
