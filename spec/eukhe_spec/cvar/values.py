"""The values of cvars (S4): types, the registry, the layers, the sets of an agent."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from eukhe_spec.contracts import ensure


class Kind(Enum):
    """The types of cvars. Here an Enum has the choices `off` and `plain`, a List holds texts, a Map numbers."""

    BOOL = "Bool"
    NAT = "Nat"
    POS_NAT = "PosNat"
    NAT_OR_OFF = "NatOrOff"
    LIMIT = "Limit"
    TEXT = "Text"
    ENUM = "Enum"
    LIST = "List"
    MAP = "Map"
    UNIT = "Unit"


class Term(Enum):
    """The texts that the model tells apart; `LISTED` and `MAPPED` are JSON of a list and of a map."""

    TRUE = "true"
    FALSE = "false"
    ZERO = "0"
    ONE = "1"
    OFF = "off"
    NONE = "none"
    UNLIMITED = "unlimited"
    PLAIN = "plain"
    LISTED = '["plain"]'
    MAPPED = '{"0": 1}'


class Oddity(Enum):
    """JSON values that no type holds; NULL stands for the default of a cvar that nothing sets."""

    NULL = "null"
    NEGATIVE = "a negative number"
    FRACTION = "a fraction"
    HUGE = "a number of more than 15 digits"
    BROKEN = "a text that cannot be written"


class Scope(Enum):
    """Who can set a cvar: the global config alone, or each agent for itself."""

    GLOBAL = "Global"
    LOCAL = "Local"


@dataclass(frozen=True)
class Flag:
    """A truth value."""

    on: bool


@dataclass(frozen=True)
class Number:
    """A whole number."""

    n: int


@dataclass(frozen=True)
class Word:
    """A text."""

    term: Term


@dataclass(frozen=True)
class Odd:
    """A value of no type."""

    oddity: Oddity


Scalar = Flag | Number | Word


@dataclass(frozen=True)
class Listing:
    """A JSON list."""

    items: tuple[Scalar, ...]


@dataclass(frozen=True)
class Table:
    """A JSON object; the keys are the places of the items."""

    items: tuple[Scalar, ...]


Value = Flag | Number | Word | Odd | Listing | Table


@dataclass(frozen=True)
class Declaration:
    """One row of the table of cvars; `unset` says that the default may be NULL."""

    id: int
    kind: Kind
    unset: bool
    scope: Scope
    persist: bool
    replicate: bool
    default: Value


@dataclass(frozen=True)
class Registry:
    """A sound table."""

    table: tuple[Declaration, ...]


class BadDeclaration(Enum):
    """Why a table is refused."""

    DUPLICATE = "Duplicate"
    BAD_DEFAULT = "BadDefault"


@dataclass(frozen=True)
class RegistryError:
    """What stops eukhe at startup (S4.1): the first bad declaration."""

    kind: BadDeclaration
    id: int


@dataclass(frozen=True)
class Put:
    """A set of a cvar."""

    id: int
    value: Value


@dataclass(frozen=True)
class Flip:
    """A toggle of a cvar in a cfg file."""

    id: int


Change = Put | Flip


@dataclass(frozen=True)
class Say:
    """A set as a line says it: with a word."""

    id: int
    term: Term


class Place(Enum):
    """Where a change is written: a global or a project file of the config, a withheld project file, an agent."""

    GLOBAL = "global"
    PROJECT = "project"
    WITHHELD = "withheld"
    AGENT = "agent"


@dataclass(frozen=True)
class Entry:
    """A change and where it is written."""

    change: Change
    place: Place


@dataclass(frozen=True)
class Member:
    """An agent of a family: its profile below its own sets."""

    profile: tuple[Change, ...]
    sets: tuple[Put, ...]


class ErrorKind(Enum):
    """Why a set is rejected."""

    UNDECLARED = "Undeclared"
    BAD_VALUE = "BadValue"
    GLOBAL = "Global"
    NOT_BOOL = "NotBool"


@dataclass(frozen=True)
class CvarError:
    """A rejected set."""

    kind: ErrorKind
    id: int


@dataclass(frozen=True)
class Ran:
    """What a line did: the agent's sets after it, and the commands that were rejected."""

    sets: tuple[Put, ...]
    refused: tuple[CvarError, ...]


class Fate(Enum):
    """What became of a layer's value, for a user who asks why a cvar has its value."""

    WINS = "wins"
    SHADOWED = "shadowed"
    WITHHELD = "withheld"
    REFUSED = "refused"


@dataclass(frozen=True)
class Step:
    """One layer's say about a cvar; `place` is None for the default, `value` is what it gives if it is valid."""

    place: Place | None
    fate: Fate
    value: Value | None


def has_type(kind: Kind, value: Value) -> bool:
    """Say whether a value has a type."""
    match kind, value:
        case (Kind.BOOL, Flag()) | (Kind.NAT | Kind.NAT_OR_OFF, Number()):
            return True
        case (Kind.POS_NAT | Kind.LIMIT, Number(n)):
            return n >= 1
        case (Kind.NAT_OR_OFF, Word(Term.OFF | Term.NONE)) | (Kind.LIMIT, Word(Term.UNLIMITED)):
            return True
        case (Kind.TEXT, Word()) | (Kind.ENUM, Word(Term.OFF | Term.PLAIN)) | (Kind.UNIT, Table()):
            return True
        case (Kind.LIST, Listing(items)):
            return all(isinstance(one, Word) for one in items)
        case (Kind.MAP, Table(items)):
            return all(isinstance(one, Number) for one in items)
    return False


def _default_fits(one: Declaration) -> bool:
    """Say whether a default has its type, or is unset where that may be; a Bool always has a value to toggle."""
    unset = one.unset and one.kind is not Kind.BOOL and one.default == Odd(Oddity.NULL)
    return unset or has_type(one.kind, one.default)


def read_word(kind: Kind, term: Term) -> Value | None:
    """Return the value that a word of a cfg file gives to a cvar of a type; None is BadValue."""
    match kind, term:
        case (Kind.TEXT | Kind.ENUM, _):
            said: Value = Word(term)
        case (Kind.BOOL, Term.TRUE | Term.FALSE):
            said = Flag(term is Term.TRUE)
        case (Kind.LIST, Term.LISTED):
            said = Listing((Word(Term.PLAIN),))
        case (Kind.MAP | Kind.UNIT, Term.MAPPED):
            said = Table((Number(1),))
        case (_, Term.ZERO | Term.ONE):
            said = Number(1 if term is Term.ONE else 0)
        case _:
            said = Word(term)
    return said if has_type(kind, said) else None


@ensure(
    lambda declarations, result: (
        isinstance(result, RegistryError)
        or len({one.id for one in declarations}) == len(declarations)
    ),
    "the registry holds each id once (S4.1)",
)
def registry(declarations: tuple[Declaration, ...]) -> Registry | RegistryError:
    """Return the registry, or what is wrong with the first bad declaration (S4.1)."""
    for place, one in enumerate(declarations):
        if any(before.id == one.id for before in declarations[:place]):
            return RegistryError(BadDeclaration.DUPLICATE, one.id)
        if not _default_fits(one):
            return RegistryError(BadDeclaration.BAD_DEFAULT, one.id)
    return Registry(declarations)


def _sound(declarations: tuple[Declaration, ...]) -> tuple[Declaration, ...]:
    """Return the declarations that count: none when the table is refused, for then eukhe does not start."""
    match registry(declarations):
        case Registry(table):
            return table
        case RegistryError():
            return ()


def _find(table: tuple[Declaration, ...], cvar: int) -> Declaration | None:
    return next((one for one in table if one.id == cvar), None)


def _rejected(declared: Declaration | None, entry: Entry) -> ErrorKind | None:
    """Return why an entry of a cvar is rejected, if it is."""
    if declared is None:
        return ErrorKind.UNDECLARED
    if declared.scope is Scope.GLOBAL and entry.place is not Place.GLOBAL:
        return ErrorKind.GLOBAL
    match entry.change:
        case Flip():
            return None if declared.kind is Kind.BOOL else ErrorKind.NOT_BOOL
        case Put(value=value):
            good = has_type(declared.kind, value)
            return None if good else ErrorKind.BAD_VALUE


def _valid(declared: Declaration, entry: Entry) -> bool:
    """Say whether an entry sets this cvar; what trust withholds does not."""
    own = entry.change.id == declared.id and entry.place is not Place.WITHHELD
    return own and _rejected(declared, entry) is None


def _entries(config: tuple[Entry, ...], family: tuple[Member, ...]) -> tuple[Entry, ...]:
    """Return every layer, lowest first: the config, then each agent's profile and sets, root first."""
    for member in family:
        own = (*member.profile, *member.sets)
        config = config + tuple(Entry(change, Place.AGENT) for change in own)
    return config


def _opposite(value: Value) -> Value:
    return Flag(not value.on) if isinstance(value, Flag) else value


def _last(declared: Declaration, entries: tuple[Entry, ...]) -> Value:
    """Return what the last valid entry of a cvar gives; the default without one."""
    for place in reversed(range(len(entries))):
        if _valid(declared, entries[place]):
            match entries[place].change:
                case Put(value=value):
                    return value
                case Flip():
                    return _opposite(_last(declared, entries[:place]))
    return declared.default


@ensure(
    lambda declarations, cvar, result: (
        result is None
        or any(
            one.id == cvar and (has_type(one.kind, result) or result == one.default)
            for one in declarations
        )
    ),
    "a value has the type of its cvar in each agent, or is its default",
)
def value(
    declarations: tuple[Declaration, ...],
    config: tuple[Entry, ...],
    family: tuple[Member, ...],
    cvar: int,
) -> Value | None:
    """Return the value of a cvar in the last agent of a family; None when it is undeclared."""
    declared = _find(_sound(declarations), cvar)
    return None if declared is None else _last(declared, _entries(config, family))


def refused(
    declarations: tuple[Declaration, ...], config: tuple[Entry, ...], family: tuple[Member, ...]
) -> tuple[CvarError, ...]:
    """Return every rejected set of every layer, lowest layer first; what trust withholds is not looked at."""
    table = _sound(declarations)
    read = tuple(one for one in _entries(config, family) if one.place is not Place.WITHHELD)
    found = tuple((one.change.id, _rejected(_find(table, one.change.id), one)) for one in read)
    return tuple(CvarError(kind, cvar) for cvar, kind in found if kind is not None)


def _step(declared: Declaration | None, entries: tuple[Entry, ...], place: int) -> Step:
    entry = entries[place]
    if entry.place is Place.WITHHELD:
        return Step(entry.place, Fate.WITHHELD, None)
    if declared is None or not _valid(declared, entry):
        return Step(entry.place, Fate.REFUSED, None)
    shadowed = any(_valid(declared, above) for above in entries[place + 1 :])
    fate = Fate.SHADOWED if shadowed else Fate.WINS
    return Step(entry.place, fate, _last(declared, entries[: place + 1]))


def explain(
    declarations: tuple[Declaration, ...],
    config: tuple[Entry, ...],
    family: tuple[Member, ...],
    cvar: int,
) -> tuple[Step, ...]:
    """Return what each layer says about a cvar, the default first, and which one wins."""
    declared = _find(_sound(declarations), cvar)
    entries = _entries(config, family)
    steps = tuple(
        _step(declared, entries, place)
        for place, one in enumerate(entries)
        if one.change.id == cvar
    )
    if declared is None:
        return steps
    shadowed = any(_valid(declared, one) for one in entries)
    return (Step(None, Fate.SHADOWED if shadowed else Fate.WINS, declared.default), *steps)


def _flipped(
    declarations: tuple[Declaration, ...], entries: tuple[Entry, ...], place: Place, cvar: int
) -> Put | CvarError:
    declared = _find(_sound(declarations), cvar)
    if declared is None:
        return CvarError(ErrorKind.UNDECLARED, cvar)
    error = _rejected(declared, Entry(Flip(cvar), place))
    return CvarError(error, cvar) if error else Put(cvar, _opposite(_last(declared, entries)))


def toggle(
    declarations: tuple[Declaration, ...],
    config: tuple[Entry, ...],
    family: tuple[Member, ...],
    cvar: int,
) -> Put | CvarError:
    """Return the set that a toggle in the last agent makes: the opposite of its value, inherited or own."""
    return _flipped(declarations, _entries(config, family), Place.AGENT, cvar)


def toggle_global(
    declarations: tuple[Declaration, ...], config: tuple[Entry, ...], cvar: int
) -> Put | CvarError:
    """Return the set that `/set --global toggle` makes: it flips what the global files alone say."""
    own = tuple(one for one in config if one.place is Place.GLOBAL)
    return _flipped(declarations, own, Place.GLOBAL, cvar)


def run(
    declarations: tuple[Declaration, ...],
    config: tuple[Entry, ...],
    family: tuple[Member, ...],
    agent: Member,
    line: tuple[Say | Flip, ...],
) -> Ran:
    """Run the sets and toggles of a line in an agent over its family: each takes the place of an earlier set."""
    table, own = _sound(declarations), agent.sets
    refused: tuple[CvarError, ...] = ()
    for command in line:
        match command:
            case Flip(cvar):
                now = Member(agent.profile, own)
                said = toggle(declarations, config, (*family, now), cvar)
            case Say(cvar, term):
                said = _said(_find(table, cvar), cvar, term)
        match said:
            case CvarError():
                refused = (*refused, said)
            case Put():
                own = (*(one for one in own if one.id != said.id), said)
    return Ran(own, refused)


def _said(declared: Declaration | None, cvar: int, term: Term) -> Put | CvarError:
    """Return the set that a word makes."""
    if declared is None:
        return CvarError(ErrorKind.UNDECLARED, cvar)
    put = Put(cvar, read_word(declared.kind, term) or Odd(Oddity.BROKEN))
    error = _rejected(declared, Entry(put, Place.AGENT))
    return CvarError(error, cvar) if error else put


def written(declarations: tuple[Declaration, ...], family: tuple[Member, ...]) -> tuple[Put, ...]:
    """Return the sets that the last agent writes to its cfg: those of persist cvars, each once (S4.3, S4.6)."""
    own = tuple(Entry(one, Place.AGENT) for member in family[-1:] for one in member.sets)
    return tuple(
        Put(one.id, _last(one, own))
        for one in _sound(declarations)
        if one.persist and any(_valid(one, entry) for entry in own)
    )


def replicated(
    declarations: tuple[Declaration, ...], config: tuple[Entry, ...], family: tuple[Member, ...]
) -> tuple[Put, ...]:
    """Return the values that clients see: those of replicate cvars (S4.3)."""
    entries = _entries(config, family)
    return tuple(Put(one.id, _last(one, entries)) for one in _sound(declarations) if one.replicate)
