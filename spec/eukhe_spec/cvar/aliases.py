"""Aliases (S4.4): expansion of a list of commands, and a script that defines aliases line by line.

An alias, a cvar and a key are ints.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from eukhe_spec.contracts import ensure
from eukhe_spec.cvar.values import Change, Entry, Flip, Place, Put, Term, Word


class Act(Enum):
    """What a plain command does."""

    SET = "set"
    TOGGLE = "toggle"
    ALIAS = "alias"
    BIND = "bind"
    ACTION = "action"


@dataclass(frozen=True)
class Do:
    """A plain command about the cvar, alias, key or action n; an alias command gives n the empty list."""

    act: Act
    n: int


@dataclass(frozen=True)
class Run:
    """A run of an alias."""

    name: int


Command = Do | Run


@dataclass(frozen=True)
class Broken:
    """A command that cannot be read."""


@dataclass(frozen=True)
class Alias:
    """A name for a list of commands; of two for one name the later counts."""

    name: int
    body: tuple[Command, ...]


class ExpandError(Enum):
    """Why an expansion runs nothing."""

    CYCLE = "Cycle"
    UNKNOWN = "Unknown"
    TOO_LONG = "TooLong"


@dataclass(frozen=True)
class Failure:
    """An expansion that failed; `name` is the alias that does not exist, else None."""

    error: ExpandError
    name: int | None


Plain = tuple[Do, ...]


def _body(aliases: tuple[Alias, ...], name: int) -> tuple[Command, ...] | None:
    return next((one.body for one in reversed(aliases) if one.name == name), None)


def _nested(
    aliases: tuple[Alias, ...], commands: tuple[Command, ...], levels: int
) -> Plain | Failure:
    """Expand with so many levels of aliases left."""
    done: Plain = ()
    for command in commands:
        match command:
            case Do():
                done = (*done, command)
            case Run(name):
                body = _body(aliases, name)
                if body is None:
                    return Failure(ExpandError.UNKNOWN, name)
                if levels == 0:
                    return Failure(ExpandError.CYCLE, None)
                inner = _nested(aliases, body, levels - 1)
                if isinstance(inner, Failure):
                    return inner
                done = done + inner
    return done


@ensure(
    lambda result: isinstance(result, Failure) or all(isinstance(one, Do) for one in result),
    "an expansion leaves no alias to run, or it fails (S4.4)",
)
def expand(aliases: tuple[Alias, ...], commands: tuple[Command, ...]) -> Plain | Failure:
    """Replace each run of an alias with its commands, at most one level an alias of the table (S4.4).

    The list itself is the one level more. A deeper nest repeats an alias, so it is a cycle.
    """
    return _nested(aliases, commands, len(aliases))


def expand_within(
    aliases: tuple[Alias, ...], commands: tuple[Command, ...], most: int
) -> Plain | Failure:
    """Expand to at most so many commands; a longer expansion fails and runs nothing."""
    done = expand(aliases, commands)
    if isinstance(done, Failure) or len(done) <= most:
        return done
    return Failure(ExpandError.TOO_LONG, None)


@dataclass(frozen=True)
class Failed:
    """A line (from 1) of a script whose expansion failed."""

    line: int
    failure: Failure


@dataclass(frozen=True)
class Loaded:
    """What a script says: its sets and toggles, the aliases after it, the lines that failed, the rest.

    `faulty` are the lines that cannot be read.
    """

    entries: tuple[Entry, ...]
    aliases: tuple[Alias, ...]
    failed: tuple[Failed, ...]
    faulty: tuple[int, ...]
    left: Plain


def _defined(aliases: tuple[Alias, ...], new: Alias) -> tuple[Alias, ...]:
    """Give a name a list of commands, where the name stands if it has one."""
    if any(one.name == new.name for one in aliases):
        return tuple(new if one.name == new.name else one for one in aliases)
    return (*aliases, new)


def load(
    aliases: tuple[Alias, ...], lines: tuple[tuple[Command | Broken, ...], ...], place: Place
) -> Loaded:
    """Run a script: a line knows the aliases of the lines above it, and a line that fails runs nothing."""
    changes: tuple[Change, ...] = ()
    faulty: tuple[int, ...] = ()
    failed: tuple[Failed, ...] = ()
    left: Plain = ()
    known: tuple[Alias, ...] = ()
    for one in aliases:
        known = _defined(known, one)
    for number, line in enumerate(lines, start=1):
        read = tuple(one for one in line if not isinstance(one, Broken))
        if len(read) < len(line):
            faulty = (*faulty, number)
            continue
        done = expand(known, read)
        if isinstance(done, Failure):
            failed = (*failed, Failed(number, done))
            continue
        for command in done:
            match command.act:
                case Act.SET:
                    changes = (*changes, Put(command.n, Word(Term.PLAIN)))
                case Act.TOGGLE:
                    changes = (*changes, Flip(command.n))
                case Act.ALIAS:
                    known = _defined(known, Alias(command.n, ()))
                case Act.BIND | Act.ACTION:
                    left = (*left, command)
    entries = tuple(Entry(one, place) for one in changes)
    return Loaded(entries, known, failed, faulty, left)
