"""Registry, layers and sets of cvars (S4): each layer is applied once, a read is one dict look-up.

A `Cvars` is what one agent sees. `over` puts a layer on top of it and gives a new one, so a child starts from
its parent's. The last valid entry of a cvar wins, which is the same as "in a layer the last set, of layers
the higher".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from eukhe.core.cvar.kinds import BAD, Kind, Type, accept, holds, wants

__all__ = [
    "FLIP",
    "Agent",
    "BadDeclaration",
    "Cvar",
    "CvarError",
    "Cvars",
    "Entry",
    "ErrorKind",
    "Fate",
    "Flip",
    "Place",
    "Refusal",
    "Registry",
    "RegistryError",
    "Scope",
    "Step",
    "agent",
    "assign",
    "base",
    "explain",
    "global_change",
    "judge",
    "over",
    "registry",
    "replicated",
    "written",
]


class Scope(Enum):
    """Who can set a cvar (S4.2): the global config alone, or each agent for itself."""

    GLOBAL = "Global"
    LOCAL = "Local"


@dataclass(frozen=True, slots=True)
class Cvar:
    """The declaration of a cvar.

    Attributes:
        id: The dotted path of the key in `settings.json`.
        type: Its type.
        scope: Global or Local.
        persist: Whether an agent can write its sets of it to its cfg (S4.3).
        replicate: Whether clients see its value (S4.3).
        default: A value of the type; None where the type may be unset.
        help: One line for the user.
    """

    id: str
    type: Type
    scope: Scope
    persist: bool
    replicate: bool
    default: object
    help: str = ""


class BadDeclaration(Enum):
    """Why a table of declarations is refused."""

    DUPLICATE = "Duplicate"
    BAD_DEFAULT = "BadDefault"


_WRONG: Final = {
    BadDeclaration.DUPLICATE: "the setting {} is declared twice",
    BadDeclaration.BAD_DEFAULT: "the default of the setting {} does not have its type",
}


@dataclass(frozen=True, slots=True)
class RegistryError:
    """What stops eukhe at startup (S4.1): the first bad declaration."""

    kind: BadDeclaration
    id: str

    @property
    def message(self) -> str:
        """The error in a sentence."""
        return _WRONG[self.kind].format(self.id)


class ErrorKind(Enum):
    """Why a set is rejected."""

    UNDECLARED = "Undeclared"
    BAD_VALUE = "BadValue"
    GLOBAL = "Global"
    NOT_BOOL = "NotBool"


_REJECTED: Final = {
    ErrorKind.UNDECLARED: "there is no setting {}",
    ErrorKind.BAD_VALUE: "{} takes {}",
    ErrorKind.GLOBAL: "{} is global: only the global config sets it",
    ErrorKind.NOT_BOOL: "{} is no truth value, so it cannot be toggled: it takes {}",
}


@dataclass(frozen=True, slots=True)
class CvarError:
    """A rejected set.

    Attributes:
        kind: The rule.
        id: The cvar.
        wants: What its type holds, in words; empty when it is undeclared.
    """

    kind: ErrorKind
    id: str
    wants: str = ""

    @property
    def message(self) -> str:
        """The error in a sentence."""
        return _REJECTED[self.kind].format(self.id, self.wants)


class Place(Enum):
    """Which layer an entry is in: what it may set, and what it is called in an explanation."""

    GLOBAL = "global config"
    PROJECT = "project config"
    WITHHELD = "withheld project config"
    PROFILE = "profile"
    SETS = "session"


class Flip(Enum):
    """The type of `FLIP`."""

    FLIP = "toggle"


#: What a `toggle` gives instead of a value.
FLIP: Final = Flip.FLIP


@dataclass(frozen=True, slots=True)
class Entry:
    """One set or toggle of a layer.

    Attributes:
        id: The cvar.
        given: A JSON value, a `Word`, or `FLIP`.
        place: The layer.
        origin: The file and line, for messages.
    """

    id: str
    given: object
    place: Place
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """An entry that sets nothing, and why."""

    entry: Entry
    error: CvarError


Registry = Mapping[str, Cvar]


@dataclass(frozen=True, slots=True)
class Cvars:
    """The values that an agent sees; made by `base` and `over`, never changed.

    Attributes:
        registry: The declarations by id.
        values: The value of each declared cvar. Read it as `values[id]`: O(1).
        winners: The entry that gives the value, for each cvar that is not on its default.
        entries: Every entry of every layer, lowest first.
        refused: The entries that set nothing, lowest first.
    """

    registry: Registry
    values: Mapping[str, object]
    winners: Mapping[str, Entry]
    entries: tuple[Entry, ...]
    refused: tuple[Refusal, ...]


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent; made by `agent` and `assign`, never changed.

    Attributes:
        below: What it inherits, its profile on top.
        stored: Its sets as `eukhe.cvar.agent` stores them, bad ones included: a later eukhe may know them.
        cvars: What it sees: the sets on top.
    """

    below: Cvars
    stored: tuple[tuple[str, object], ...]
    cvars: Cvars

    @property
    def sets(self) -> dict[str, object]:
        """The agent's own valid sets."""
        lower, upper = self.below.winners, self.cvars
        return {
            name: upper.values[name]
            for name, entry in upper.winners.items()
            if lower.get(name) is not entry
        }


class Fate(Enum):
    """What became of an entry."""

    WINS = "wins"
    SHADOWED = "shadowed"
    WITHHELD = "withheld"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Step:
    """One layer's say about a cvar.

    Attributes:
        entry: The entry; None for the default.
        fate: What became of it.
        value: The value it gives, if it is valid.
        error: Why it is refused, if it is.
    """

    entry: Entry | None
    fate: Fate
    value: object = None
    error: CvarError | None = None


def _default_fits(cvar: Cvar) -> bool:
    if cvar.default is None:
        return cvar.type.unset and cvar.type.kind is not Kind.BOOL
    return holds(cvar.type, cvar.default)


def registry(declarations: Iterable[Cvar]) -> Registry | RegistryError:
    """Return the cvars by id, or the first bad declaration (S4.1)."""
    found: dict[str, Cvar] = {}
    for cvar in declarations:
        if cvar.id in found:
            return RegistryError(BadDeclaration.DUPLICATE, cvar.id)
        if not _default_fits(cvar):
            return RegistryError(BadDeclaration.BAD_DEFAULT, cvar.id)
        found[cvar.id] = cvar
    return found


def judge(registry: Registry, values: Mapping[str, object], entry: Entry) -> object:
    """Return the value that an entry gives over the values below it, or a `CvarError`."""
    cvar = registry.get(entry.id)
    if cvar is None:
        return CvarError(ErrorKind.UNDECLARED, entry.id)
    if cvar.scope is Scope.GLOBAL and entry.place is not Place.GLOBAL:
        return CvarError(ErrorKind.GLOBAL, entry.id)
    if entry.given is FLIP:
        if cvar.type.kind is Kind.BOOL:
            return not values[entry.id]
        return CvarError(ErrorKind.NOT_BOOL, entry.id, wants(cvar.type))
    value = accept(cvar.type, entry.given)
    return CvarError(ErrorKind.BAD_VALUE, entry.id, wants(cvar.type)) if value is BAD else value


def base(registry: Registry) -> Cvars:
    """Return the lowest layer: every cvar on its default."""
    return Cvars(registry, {name: cvar.default for name, cvar in registry.items()}, {}, (), ())


def over(below: Cvars, entries: Iterable[Entry]) -> Cvars:
    """Put a layer on top: of each cvar its last valid entry wins, a withheld entry is only remembered.

    Args:
        below: What the layers below give.
        entries: The layer, in the order of its file.
    """
    entries = tuple(entries)
    values, winners = dict(below.values), dict(below.winners)
    refused = list(below.refused)
    for entry in entries:
        if entry.place is Place.WITHHELD:
            continue
        ruled = judge(below.registry, values, entry)
        if isinstance(ruled, CvarError):
            refused.append(Refusal(entry, ruled))
        else:
            values[entry.id] = ruled
            winners[entry.id] = entry
    return Cvars(below.registry, values, winners, below.entries + entries, tuple(refused))


def agent(below: Cvars, sets: Iterable[tuple[str, object]]) -> Agent:
    """Return the agent with these sets, as its document stores them; bad ones are in `cvars.refused`.

    Args:
        below: What it inherits, its profile included.
        sets: Ids and JSON values; of two for a cvar the later wins.
    """
    stored = tuple(sets)
    layer = [Entry(name, given, Place.SETS) for name, given in stored]
    return Agent(below, stored, over(below, layer))


def assign(agent_: Agent, id: str, given: object) -> Agent | CvarError:  # noqa: A002 -- the requirement's word
    """Return the agent after one more set, or why it is rejected.

    Args:
        agent_: The agent.
        id: The cvar.
        given: A JSON value, a `Word`, or `FLIP` for the opposite of the value the agent has.
    """
    cvars = agent_.cvars
    ruled = judge(cvars.registry, cvars.values, Entry(id, given, Place.SETS))
    if isinstance(ruled, CvarError):
        return ruled
    kept = [(other, value) for other, value in agent_.stored if other != id]
    return agent(agent_.below, [*kept, (id, ruled)])


def global_change(
    registry: Registry,
    config: Iterable[Entry],
    id: str,  # noqa: A002 -- the requirement's word
    given: object,
) -> object:
    """Return the value that `/set --global` writes, or a `CvarError`; a toggle flips what the global files say.

    Args:
        registry: The cvars.
        config: The entries of the config; those of project files change nothing here.
        id: The cvar.
        given: A JSON value, a `Word`, or `FLIP`.
    """
    own = over(base(registry), [entry for entry in config if entry.place is Place.GLOBAL])
    return judge(registry, own.values, Entry(id, given, Place.GLOBAL))


def written(agent: Agent) -> tuple[tuple[str, object], ...]:
    """Return the sets that the agent writes to its cfg: those of persist cvars, in the table's order (S4.6)."""
    own = agent.sets
    return tuple(
        (name, own[name])
        for name, cvar in agent.cvars.registry.items()
        if cvar.persist and name in own
    )


def replicated(cvars: Cvars) -> dict[str, object]:
    """Return the values that clients see: those of replicate cvars (S4.3)."""
    return {name: cvars.values[name] for name, cvar in cvars.registry.items() if cvar.replicate}


def explain(cvars: Cvars, id: str) -> tuple[Step, ...]:  # noqa: A002 -- the requirement's word
    """Return what each layer says about a cvar, lowest first, the default before all, and which one wins."""
    steps: list[Step] = []
    values: dict[str, object] = {}
    wins = 0
    if id in cvars.registry:
        values[id] = cvars.registry[id].default
        steps.append(Step(None, Fate.WINS, values[id]))
    for entry in cvars.entries:
        if entry.id != id:
            continue
        if entry.place is Place.WITHHELD:
            steps.append(Step(entry, Fate.WITHHELD))
            continue
        ruled = judge(cvars.registry, values, entry)
        if isinstance(ruled, CvarError):
            steps.append(Step(entry, Fate.REFUSED, error=ruled))
            continue
        values[id] = ruled
        steps[wins] = replace(steps[wins], fate=Fate.SHADOWED)
        wins = len(steps)
        steps.append(Step(entry, Fate.WINS, ruled))
    return tuple(steps)
