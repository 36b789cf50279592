"""Aliases (S4.4): expansion, and the scripts and lines that define and run them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias

from eukhe.core.cvar.kinds import Word
from eukhe.core.cvar.language import Alias, Command, Line, Plain, Run, Set, Toggle
from eukhe.core.cvar.layers import FLIP, Agent, CvarError, Entry, Place, assign

__all__ = [
    "MOST",
    "Aliases",
    "Executed",
    "ExpandError",
    "Failed",
    "Failure",
    "Loaded",
    "execute",
    "expand",
    "load",
]

#: The most commands that a line may expand to: aliases that double each other would else fill the memory.
MOST: Final = 1000

Aliases: TypeAlias = Mapping[str, tuple[Command, ...]]


class ExpandError(Enum):
    """Why an expansion runs nothing (S4.4)."""

    CYCLE = "Cycle"
    UNKNOWN = "Unknown"
    TOO_LONG = "TooLong"


_SAID: Final = {
    ExpandError.CYCLE: "the alias {} runs itself",
    ExpandError.UNKNOWN: "there is no command and no alias {}",
    ExpandError.TOO_LONG: "the aliases expand to too many commands",
}


@dataclass(frozen=True, slots=True)
class Failure:
    """An expansion that failed.

    Attributes:
        error: The rule.
        name: The alias that runs itself, or that does not exist; empty when the expansion is too long.
    """

    error: ExpandError
    name: str = ""

    @property
    def message(self) -> str:
        """The failure in a sentence."""
        return _SAID[self.error].format(self.name)


def expand(
    aliases: Aliases, commands: Iterable[Command], most: int = MOST
) -> tuple[Plain, ...] | Failure:
    """Replace each run of an alias with its commands, all of them or none (S4.4).

    Each alias is expanded once, whatever its uses, and an alias inside itself is a cycle: so no nest is deeper
    than the table is long. A cycle or an unknown alias is reported before the length.

    Args:
        aliases: The commands of each alias by name.
        commands: The list to expand.
        most: The most commands that may come out.
    """
    done: dict[str, list[Plain]] = {}
    path: dict[str, None] = {}  # the aliases that are being expanded, outermost first
    out: list[Plain] = []
    stack = [(out, iter(commands))]
    while stack:
        into, rest = stack[-1]
        for command in rest:
            del into[most + 1 :]  # enough to know that it is too long
            if not isinstance(command, Run):
                into.append(command)
                continue
            name = command.name
            if name in done:
                into += done[name]
            elif name in path:
                return Failure(ExpandError.CYCLE, name)
            elif name not in aliases:
                return Failure(ExpandError.UNKNOWN, name)
            else:
                path[name] = None
                stack.append(([], iter(aliases[name])))
                break
        else:
            stack.pop()
            if path:
                name, _ = path.popitem()
                done[name] = into
                stack[-1][0].extend(into)
    return tuple(out) if len(out) <= most else Failure(ExpandError.TOO_LONG)


@dataclass(frozen=True, slots=True)
class Failed:
    """A line of a script that ran nothing, and why."""

    line: int
    failure: Failure


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a script says.

    Attributes:
        entries: Its sets and toggles, in order: a layer for `over`.
        aliases: The aliases after it.
        failed: The lines that ran nothing.
        left: Its binds and actions, which are the client's.
    """

    entries: tuple[Entry, ...]
    aliases: Aliases
    failed: tuple[Failed, ...]
    left: tuple[Plain, ...]


def load(aliases: Aliases, lines: Iterable[Line], place: Place, origin: str) -> Loaded:
    """Read the layer that a script makes; a line knows the aliases of the lines above it.

    Args:
        aliases: The aliases of the layers below.
        lines: The lines of `parse_script`.
        place: The layer.
        origin: The file; an entry's origin is `file:line`.
    """
    entries: list[Entry] = []
    known, failed, left = dict(aliases), [], []
    for line in lines:
        plain = expand(known, line.commands)
        if isinstance(plain, Failure):
            failed.append(Failed(line.number, plain))
            continue
        source = f"{origin}:{line.number}"
        for command in plain:
            match command:
                case Set(id, word):
                    entries.append(Entry(id, Word(word), place, source))
                case Toggle(id):
                    entries.append(Entry(id, FLIP, place, source))
                case Alias(name, body):
                    known[name] = body
                case _:
                    left.append(command)
    return Loaded(tuple(entries), known, tuple(failed), tuple(left))


@dataclass(frozen=True, slots=True)
class Executed:
    """What a line did in a session.

    Attributes:
        agent: The agent after it.
        aliases: The aliases after it.
        refused: The sets and toggles that were rejected; the others hold.
        failure: Why the line ran nothing at all, else None.
        left: Its binds and actions, which are the client's.
    """

    agent: Agent
    aliases: Aliases
    refused: tuple[CvarError, ...]
    failure: Failure | None
    left: tuple[Plain, ...]


def execute(agent: Agent, aliases: Aliases, commands: tuple[Command, ...]) -> Executed:
    """Run a line in an agent: `/set`, `/toggle`, `/alias`, a lone alias, and what a key press sends."""
    loaded = load(aliases, [Line(1, commands)], Place.SETS, Place.SETS.value)
    refused: list[CvarError] = []
    for entry in loaded.entries:
        done = assign(agent, entry.id, entry.given)
        if isinstance(done, CvarError):
            refused.append(done)
        else:
            agent = done
    failure = next((one.failure for one in loaded.failed), None)
    return Executed(agent, loaded.aliases, tuple(refused), failure, loaded.left)
