"""The laws of settings (S4): registry, layers, sets, the command language, aliases and binds.

Every input is free: any declarations, any config and family over them with wrong types, Global cvars and
undeclared ids, any alias table and any binds. Where a law needs a sound table, the table is made of free rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Protocol

from eukhe_bridge import cvar as bridge
from eukhe_laws._cvar import (
    READS,
    SHAPES,
    TYPED,
    Agent,
    AnyBody,
    AnyCommand,
    AnyEntry,
    AnyPut,
    AnySaid,
    AnyValue,
    Plainly,
    Raw,
    Row,
    Unquoted,
    actions,
    aliases,
    binds,
    error,
    family_of,
    flat,
    fold,
    merged,
    quoted,
    table,
)
from eukhe_laws.engine.agree import Agree
from eukhe_laws.engine.domain import Among, Range, Scope, Sized
from eukhe_laws.engine.law import law
from eukhe_spec import cvar as spec
from eukhe_spec.cvar import (
    Act,
    Alias,
    Bind,
    Broken,
    Command,
    Commands,
    CvarError,
    Declaration,
    Do,
    Entry,
    ExpandError,
    Failed,
    Failure,
    Fate,
    Fault,
    Flag,
    Flip,
    Keys,
    Kind,
    Lex,
    Loaded,
    Member,
    ParseError,
    Place,
    Plain,
    Pressed,
    Put,
    Ran,
    Registry,
    RegistryError,
    Run,
    Say,
    Sign,
    Step,
    Term,
    Text,
    Understood,
    Value,
    Word,
)

__all__ = ["AGREEMENT", "CORE", "SPEC", "Cvars"]

Words = Annotated[tuple[Lex, ...], Sized(1, 4)]


class Cvars(Protocol):
    """The functions under law."""

    def has_type(self, kind: Kind, value: Value) -> bool: ...
    def read_word(self, kind: Kind, term: Term) -> Value | None: ...
    def registry(self, declarations: tuple[Declaration, ...]) -> Registry | RegistryError: ...
    def value(
        self,
        declarations: tuple[Declaration, ...],
        config: tuple[Entry, ...],
        family: tuple[Member, ...],
        cvar: int,
    ) -> Value | None: ...
    def refused(
        self,
        declarations: tuple[Declaration, ...],
        config: tuple[Entry, ...],
        family: tuple[Member, ...],
    ) -> tuple[CvarError, ...]: ...
    def explain(
        self,
        declarations: tuple[Declaration, ...],
        config: tuple[Entry, ...],
        family: tuple[Member, ...],
        cvar: int,
    ) -> tuple[Step, ...]: ...
    def toggle(
        self,
        declarations: tuple[Declaration, ...],
        config: tuple[Entry, ...],
        family: tuple[Member, ...],
        cvar: int,
    ) -> Put | CvarError: ...
    def toggle_global(
        self, declarations: tuple[Declaration, ...], config: tuple[Entry, ...], cvar: int
    ) -> Put | CvarError: ...
    def run(
        self,
        declarations: tuple[Declaration, ...],
        config: tuple[Entry, ...],
        family: tuple[Member, ...],
        agent: Member,
        line: tuple[Say | Flip, ...],
    ) -> Ran: ...
    def written(
        self, declarations: tuple[Declaration, ...], family: tuple[Member, ...]
    ) -> tuple[Put, ...]: ...
    def replicated(
        self,
        declarations: tuple[Declaration, ...],
        config: tuple[Entry, ...],
        family: tuple[Member, ...],
    ) -> tuple[Put, ...]: ...
    def split(self, line: tuple[Sign, ...], cfg: bool) -> Commands | ParseError: ...
    def read_command(self, words: Words) -> Understood | ParseError: ...
    def expand(
        self, aliases: tuple[Alias, ...], commands: tuple[Command, ...]
    ) -> Plain | Failure: ...
    def expand_within(
        self, aliases: tuple[Alias, ...], commands: tuple[Command, ...], most: int
    ) -> Plain | Failure: ...
    def load(
        self,
        aliases: tuple[Alias, ...],
        lines: tuple[tuple[Command | Broken, ...], ...],
        place: Place,
    ) -> Loaded: ...
    def press(
        self, aliases: tuple[Alias, ...], binds: tuple[Bind, ...], key: int
    ) -> Pressed | Failure: ...
    def default_binds(self, defaults: tuple[Keys, ...]) -> tuple[Bind, ...]: ...
    def import_binds(
        self, defaults: tuple[Keys, ...], chosen: tuple[Keys, ...]
    ) -> tuple[Bind, ...]: ...
    def chord(self, mods: tuple[spec.Mod, ...], base: spec.Base) -> spec.Chord | None: ...


SPEC: Cvars = spec
CORE: Cvars = bridge.CORE

_SMALL = Scope(nat=2, size=1)
#: The agreement of spec and core: mostly by the sampler, for two rows and two layers are already too many to list.
AGREEMENT = {
    "split": Agree(Scope(size=4), Scope(size=10)),
    "expand": Agree(Scope(nat=2, size=1), Scope(nat=3, size=3)),
    "expand_within": Agree(Scope(nat=2, size=1), Scope(nat=3, size=3)),
    "load": Agree(Scope(nat=2, size=1), Scope(nat=3, size=3)),
    "press": Agree(Scope(nat=2, size=1), Scope(nat=3, size=3)),
    "registry": Agree(_SMALL),
    "value": Agree(_SMALL),
    "refused": Agree(_SMALL),
    "explain": Agree(_SMALL),
    "toggle": Agree(_SMALL),
    "toggle_global": Agree(_SMALL),
    "run": Agree(_SMALL),
    "written": Agree(_SMALL),
    "replicated": Agree(_SMALL),
}

_BROKEN = spec.Oddity.BROKEN
#: Cvar 0 or 1: in a table of one row the second is undeclared.
Id = Annotated[int, Range(0, 1)]
#: One cvar, one entry in the config, one agent with a profile; and more of everything for the sampler.
_LAYERED = Scope(
    size=1,
    over=(("rest", Scope(size=0)), ("family", Scope(size=1, over=(("sets", Scope(size=0)),)))),
)
_DEEP = Scope(size=3, over=(("rest", Scope(size=2)),))
#: The same where the last agent is another parameter.
_LAST = Scope(size=1, over=(("rest", Scope(size=0)), ("family", Scope(size=0))))


def _with_bool(rest: tuple[Row, ...]) -> tuple[Declaration, ...]:
    """Return the table with a Local Bool as its first row."""
    return table((Row(Kind.BOOL, spec.Scope.LOCAL, True), *rest))


# The registry and the types.


@law(section="S4", scope=Scope(size=3), wide=Scope(size=4))
def cvar_registry_unique(S: Cvars, rows: tuple[Raw, ...]) -> bool:
    """The registry holds each id once (S4.1)."""
    match S.registry(tuple(one.declared() for one in rows)):
        case Registry(held):
            return len({one.id for one in held}) == len(held)
        case RegistryError(_, cvar):
            return cvar in [one.id for one in rows]


@law(section="S4", scope=Scope(size=2), wide=Scope(size=4))
def cvar_registry_typed(S: Cvars, rows: tuple[Raw, ...]) -> bool:
    """Each default of the registry has its type (S4.1)."""
    match S.registry(tuple(one.declared() for one in rows)):
        case Registry(held):
            return all(one.typed() for one in rows) and len(held) == len(rows)
        case RegistryError(_, cvar):
            return cvar in [one.id for one in rows]


@law(
    section="S4.1",
    scope=Scope(size=2),
    wide=Scope(size=4),
    reach={
        "a sound table": lambda S, rows: (
            isinstance(S.registry(tuple(one.declared() for one in rows)), Registry)
            and len(rows) > 1
        )
    },
    ours=True,
)
def cvar_registry_first_fault(S: Cvars, rows: tuple[Raw, ...]) -> bool:
    """A sound table is kept as it is; of any other the first bad declaration is named (S4.1)."""
    declarations = tuple(one.declared() for one in rows)
    ids = [one.id for one in rows]
    for place, one in enumerate(rows):
        if ids.index(one.id) < place:
            wrong = RegistryError(spec.BadDeclaration.DUPLICATE, one.id)
            return S.registry(declarations) == wrong
        if not one.typed():
            wrong = RegistryError(spec.BadDeclaration.BAD_DEFAULT, one.id)
            return S.registry(declarations) == wrong
    return S.registry(declarations) == Registry(declarations)


@law(section="S4", ours=True)
def cvar_types_hold(S: Cvars, kind: Kind, value: AnyValue) -> bool:
    """Each type holds the values of its row in the table of types, and no other."""
    return S.has_type(kind, value) == (value in TYPED[kind])


@law(section="S4", ours=True)
def cvar_word_reads(S: Cvars, kind: Kind, term: Term) -> bool:
    """A word of a cfg file gives a value of the type of its cvar, or is BadValue."""
    return S.read_word(kind, term) == READS[kind].get(term)


# The layers.


@law(
    section="S4",
    scope=_LAYERED,
    wide=_DEEP,
    reach={"an undeclared cvar": lambda S, rows, config, family, cvar: cvar >= len(rows)},
)
def cvar_value_typed(
    S: Cvars,
    rows: tuple[Row, ...],
    config: tuple[AnyEntry, ...],
    family: tuple[Agent, ...],
    cvar: Id,
) -> bool:
    """Each value has the type of its cvar in each agent; an undeclared cvar has no value."""
    value = S.value(table(rows), config, family_of(family), cvar)
    return value in TYPED[rows[cvar].kind] if cvar < len(rows) else value is None


@law(section="S4", scope=_LAYERED, wide=_DEEP)
def cvar_inherits(
    S: Cvars,
    row: Row,
    rest: tuple[Row, ...],
    config: tuple[AnyEntry, ...],
    family: tuple[Agent, ...],
    cvar: Id,
) -> bool:
    """A subagent with no profile and no sets has its parent's values."""
    declarations, parents = table((row, *rest)), family_of(family)
    child = S.value(declarations, config, (*parents, Member((), ())), cvar)
    return child == S.value(declarations, config, parents, cvar)


@law(
    section="S4",
    scope=_LAST,
    wide=_DEEP,
    reach={
        "an invalid set behind": lambda S, rest, config, family, own, on, behind: any(
            one.id == 0 and not isinstance(one.value, Flag) for one in behind
        )
    },
)
def cvar_set_wins(
    S: Cvars,
    rest: tuple[Row, ...],
    config: tuple[AnyEntry, ...],
    family: tuple[Agent, ...],
    own: tuple[AnyPut, ...],
    on: bool,
    behind: tuple[AnyPut, ...],
) -> bool:
    """The last valid set of a subagent wins over its parent's value."""
    others = [one for one in behind if one.id != 0 or not isinstance(one.value, Flag)]
    child = Member((), (*own, Put(0, Flag(on)), *others))
    return S.value(_with_bool(rest), config, (*family_of(family), child), 0) == Flag(on)


@law(
    section="S4",
    scope=_LAYERED,
    wide=_DEEP,
    reach={
        "a config that sets it": lambda S, row, rest, config, family: any(
            one.place is Place.GLOBAL and one.change.id == 0 for one in config
        ),
        "an agent that tries": lambda S, row, rest, config, family: any(
            one.id == 0 for agent in family for one in agent.profile
        ),
    },
)
def cvar_global_uniform(
    S: Cvars,
    row: Row,
    rest: tuple[Row, ...],
    config: tuple[AnyEntry, ...],
    family: tuple[Agent, ...],
) -> bool:
    """A Global cvar has one value in each agent: the config on the default (S4.2)."""
    declarations = table((replace(row, scope=spec.Scope.GLOBAL), *rest))
    own = tuple(one for one in config if one.place is Place.GLOBAL)
    agents = family_of(family)
    values = [S.value(declarations, config, agents[:size], 0) for size in range(len(agents) + 1)]
    return set(values) == {fold(declarations, own, 0)}


@law(section="S4", scope=_LAST, wide=_DEEP, ours=True)
def cvar_layers_in_order(
    S: Cvars,
    row: Row,
    rest: tuple[Row, ...],
    config: tuple[AnyEntry, ...],
    family: tuple[Agent, ...],
    last: Agent,
) -> bool:
    """The value is the default changed by each valid entry: the config, then each agent's profile and sets."""
    declarations, members = table((row, *rest)), (*family_of(family), last.member())
    value = fold(declarations, flat(config, members), 0)
    return S.value(declarations, config, members, 0) == value


@law(section="S4", scope=_LAYERED, wide=_DEEP, ours=True)
def cvar_refusals_named(
    S: Cvars, rows: tuple[Row, ...], config: tuple[AnyEntry, ...], family: tuple[Agent, ...]
) -> bool:
    """Each set that is not valid is rejected as Undeclared, Global, BadValue or NotBool; no other is."""
    declarations, members = table(rows), family_of(family)
    found = [(one.change.id, error(declarations, one)) for one in flat(config, members)]
    said = tuple(CvarError(kind, cvar) for cvar, kind in found if kind is not None)
    return S.refused(declarations, config, members) == said


@law(
    section="S4",
    scope=_LAYERED,
    wide=_DEEP,
    reach={
        "a withheld entry": lambda S, rows, config, family, cvar: any(
            one.place is Place.WITHHELD and one.change.id == cvar for one in config
        )
    },
    ours=True,
)
def cvar_explains_value(
    S: Cvars,
    rows: tuple[Row, ...],
    config: tuple[AnyEntry, ...],
    family: tuple[Agent, ...],
    cvar: Id,
) -> bool:
    """An explanation names each layer's value: the last valid one wins, those below it are shadowed."""
    declarations, members = table(rows), family_of(family)
    layers = flat(config, members)
    declared = any(one.id == cvar for one in declarations)
    steps = [Step(None, Fate.SHADOWED, fold(declarations, (), cvar))] if declared else []
    for place, one in enumerate(layers):
        if one.change.id != cvar:
            continue
        if one.place is Place.WITHHELD:
            steps.append(Step(one.place, Fate.WITHHELD, None))
        elif error(declarations, one) is not None:
            steps.append(Step(one.place, Fate.REFUSED, None))
        else:
            value = fold(declarations, layers[: place + 1], cvar)
            steps.append(Step(one.place, Fate.SHADOWED, value))
    valid = [place for place, one in enumerate(steps) if one.fate is Fate.SHADOWED]
    for place in valid[-1:]:
        steps[place] = replace(steps[place], fate=Fate.WINS)
    return S.explain(declarations, config, members, cvar) == tuple(steps)


# The sets of an agent.


@law(
    section="S4",
    scope=Scope(
        size=1, over=(("rest", Scope(size=1)), ("config", Scope(size=0)), ("family", Scope(size=0)))
    ),
    wide=_DEEP,
    reach={
        "something written": lambda S, row, rest, config, family, last: bool(
            S.written(table((row, *rest)), (*family_of(family), last.member()))
        ),
        "something kept back": lambda S, row, rest, config, family, last: (
            not row.flag and any(one.id == 0 for one in last.sets)
        ),
    },
)
def cvar_written_flagged(
    S: Cvars,
    row: Row,
    rest: tuple[Row, ...],
    config: tuple[AnyEntry, ...],
    family: tuple[Agent, ...],
    last: Agent,
) -> bool:
    """An agent writes to its cfg only `persist` cvars and replicates only `replicate` cvars (S4.3)."""
    rows, members = (row, *rest), (*family_of(family), last.member())
    written = S.written(table(rows), members)
    replicated = S.replicated(table(rows), config, members)
    return all(rows[one.id].flag for one in written) and not any(
        rows[one.id].flag for one in replicated
    )


@law(section="S4.3", scope=_LAYERED, wide=_DEEP, ours=True)
def cvar_replicated_whole(
    S: Cvars,
    row: Row,
    rest: tuple[Row, ...],
    config: tuple[AnyEntry, ...],
    family: tuple[Agent, ...],
) -> bool:
    """Clients see the value of each `replicate` cvar, in the order of the table (S4.3)."""
    declarations, members = table((row, *rest)), family_of(family)
    layers = flat(config, members)
    seen = [
        Put(one.id, fold(declarations, layers, one.id)) for one in declarations if one.replicate
    ]
    return S.replicated(declarations, config, members) == tuple(seen)


@law(
    section="S4",
    scope=Scope(size=1),
    wide=Scope(size=3),
    reach={
        "a text that needs quotes": lambda S, kind, profiled, given: (
            kind is Kind.TEXT and given[-1:] == (Word(Term.PLAIN),)
        ),
        "a list": lambda S, kind, profiled, given: (
            kind is Kind.LIST and given[-1:] == (TYPED[Kind.LIST][1],)
        ),
        "two sets": lambda S, kind, profiled, given: len(given) > 1,
    },
)
def cvar_persist_roundtrip(
    S: Cvars,
    kind: Kind,
    profiled: bool,
    given: tuple[AnyValue, ...],
) -> bool:
    """The written cfg, read back as the profile, gives the same value of each persisting cvar (S4.6)."""
    local = Declaration(0, kind, False, spec.Scope.LOCAL, True, True, TYPED[kind][0])
    other = replace(local, id=1, kind=Kind.BOOL, default=Flag(False))
    declarations = (local, other)
    profile = (Put(0, TYPED[kind][-1]), Put(1, Flag(True))) if profiled else ()
    sets = (*(Put(0, one) for one in given), *(Put(1, one) for one in given[:1]))
    agent = Member(profile, sets)
    read = Member((*profile, *S.written(declarations, (agent,))), ())
    return all(
        S.value(declarations, (), (read,), cvar) == S.value(declarations, (), (agent,), cvar)
        for cvar in (0, 1)
    )


@law(
    section="S4.6",
    scope=Scope(
        size=2,
        over=(
            ("rest", Scope(size=0)),
            ("family", Scope(size=1, over=(("profile", Scope(size=0)),))),
        ),
    ),
    wide=_DEEP,
    reach={
        "a parent's set": lambda S, row, rest, family, sets: any(
            one.id == 0 for agent in family for one in agent.sets
        )
    },
    ours=True,
)
def cvar_written_once(
    S: Cvars,
    row: Row,
    rest: tuple[Row, ...],
    family: tuple[Agent, ...],
    sets: tuple[AnyPut, ...],
) -> bool:
    """An agent writes the last valid set of its own of each persist cvar, in the order of the table (S4.6)."""
    declarations = table((row, *rest))
    own = tuple(Entry(one, Place.AGENT) for one in sets)
    good = tuple(one for one in own if error(declarations, one) is None)
    set_ids = [one.change.id for one in good]
    kept = [one.id for one in declarations if one.persist and one.id in set_ids]
    written = tuple(Put(cvar, fold(declarations, good, cvar)) for cvar in kept)
    return S.written(declarations, (*family_of(family), Member((), sets))) == written


@law(
    section="S4",
    scope=Scope(
        size=1,
        over=(
            ("rest", Scope(size=0)),
            ("config", Scope(size=0)),
            ("family", Scope(size=0)),
            ("profile", Scope(size=0)),
            ("line", Scope(size=2)),
        ),
    ),
    wide=_DEEP,
    ours=True,
)
def cvar_line_sets(
    S: Cvars,
    row: Row,
    rest: tuple[Row, ...],
    config: tuple[AnyEntry, ...],
    family: tuple[Agent, ...],
    agent: Agent,
    line: tuple[AnySaid, ...],
) -> bool:
    """Each valid command of a line takes the place of the agent's set of its cvar, the others are rejected."""
    declarations, parents = table((row, *rest)), family_of(family)
    kinds = {one.id: one.kind for one in declarations}
    own, refused = list(agent.sets), []
    for said in line:
        change: Put | Flip = said if isinstance(said, Flip) else Put(said.id, spec.Odd(_BROKEN))
        if isinstance(said, Say) and said.id in kinds:
            change = Put(said.id, READS[kinds[said.id]].get(said.term, spec.Odd(_BROKEN)))
        wrong = error(declarations, Entry(change, Place.AGENT))
        if wrong is not None:
            refused.append(CvarError(wrong, said.id))
            continue
        layers = flat(config, (*parents, Member(agent.profile, tuple(own))))
        value = fold(declarations, (*layers, Entry(change, Place.AGENT)), said.id)
        own = [*(one for one in own if one.id != said.id), Put(said.id, value)]
    ran = S.run(declarations, config, parents, agent.member(), line)
    return ran == Ran(tuple(own), tuple(refused))


@law(
    section="S4",
    scope=_LAST,
    wide=_DEEP,
    reach={
        "an inherited value": lambda S, rest, config, family, last: (
            not last.sets and not last.profile and bool(config)
        )
    },
)
def cvar_toggle_twice(
    S: Cvars,
    rest: tuple[Row, ...],
    config: tuple[AnyEntry, ...],
    family: tuple[Agent, ...],
    last: Agent,
) -> bool:
    """Two toggles give back the value."""
    declarations, parents, child = _with_bool(rest), family_of(family), last.member()
    before = S.value(declarations, config, (*parents, child), 0)
    for _ in range(2):
        put = S.toggle(declarations, config, (*parents, child), 0)
        if not isinstance(put, Put):
            return False
        child = replace(child, sets=(*child.sets, put))
    return S.value(declarations, config, (*parents, child), 0) == before


@law(
    section="S4",
    scope=_LAYERED,
    wide=_DEEP,
    reach={
        "a flip": lambda S, rows, config, family, cvar: isinstance(
            S.toggle(table(rows), config, family_of(family), cvar), Put
        )
    },
    ours=True,
)
def cvar_toggle_flips(
    S: Cvars,
    rows: tuple[Row, ...],
    config: tuple[AnyEntry, ...],
    family: tuple[Agent, ...],
    cvar: Id,
) -> bool:
    """A toggle sets the opposite of the value that the agent has, inherited or own, or is rejected."""
    declarations, members = table(rows), family_of(family)
    wrong = error(declarations, Entry(Flip(cvar), Place.AGENT))
    said = S.toggle(declarations, config, members, cvar)
    if wrong is not None:
        return said == CvarError(wrong, cvar)
    now = fold(declarations, flat(config, members), cvar)
    return said == Put(cvar, Flag(now == Flag(False)))


@law(
    section="S4",
    scope=Scope(size=2, over=(("rows", Scope(size=1)),)),
    wide=Scope(size=4),
    ours=True,
)
def cvar_toggle_global_alone(
    S: Cvars,
    rows: tuple[Row, ...],
    config: tuple[AnyEntry, ...],
    cvar: Id,
) -> bool:
    """A toggle in `/set --global` flips what the global files say, whatever a project file says."""
    declarations = table(rows)
    wrong = error(declarations, Entry(Flip(cvar), Place.GLOBAL))
    said = S.toggle_global(declarations, config, cvar)
    if wrong is not None:
        return said == CvarError(wrong, cvar)
    now = fold(declarations, tuple(one for one in config if one.place is Place.GLOBAL), cvar)
    return said == Put(cvar, Flag(now == Flag(False)))


# The command language.


@law(section="S4", scope=Scope(size=4), wide=Scope(size=10), ours=True)
def line_splits(S: Cvars, line: tuple[Unquoted, ...], cfg: bool) -> bool:
    """A line without quotes is cut at `;` into commands and at spaces into words; in a cfg file `//` ends it."""
    text = "".join(one.value for one in line)
    kept = text.partition("//")[0] if cfg else text
    commands = [one.split() for one in kept.split(";")]
    read = tuple(tuple(tuple(map(Sign, word)) for word in one) for one in commands if one)
    return S.split(line, cfg) == read


@law(
    section="S4",
    scope=Scope(size=2, over=(("rest", Scope(size=1)),)),
    wide=Scope(size=4),
    ours=True,
)
def line_quotes_keep(S: Cvars, word: Text, rest: tuple[Text, ...], tight: bool, cfg: bool) -> bool:
    """A word in quotes keeps its spaces and its `;`, and an escaped quote, backslash or line end is itself."""
    end = (Sign.SEMICOLON,) if tight else (Sign.SPACE, Sign.SEMICOLON, Sign.BREAK)
    spaced = [sign for one in (word, *rest) for sign in (*quoted(one), Sign.SPACE)][:-1]
    return S.split((*spaced, *end, *spaced), cfg) == ((word, *rest), (word, *rest))


@law(section="S4", scope=Scope(size=2), wide=Scope(size=5), ours=True)
def line_escape_kept(S: Cvars, before: tuple[Unquoted, ...], sign: Unquoted, cfg: bool) -> bool:
    """In quotes a backslash before any other character stays, with the character."""
    kept = [one for one in before if one is not Sign.BACKSLASH]
    given = (Sign.BACKSLASH, sign)
    meant = {Sign.EN: (Sign.BREAK,), Sign.BACKSLASH: (Sign.BACKSLASH,)}.get(sign, given)
    return S.split((Sign.QUOTE, *kept, *given, Sign.QUOTE), cfg) == (((*kept, *meant),),)


@law(section="S4", scope=Scope(size=2), wide=Scope(size=4), ours=True)
def line_faults_placed(
    S: Cvars,
    lead: Annotated[tuple[Annotated[Sign, Among((Sign.SPACE, Sign.SEMICOLON))], ...], Sized(0, 2)],
    word: tuple[Sign, ...],
    fault: Fault,
    cfg: bool,
) -> bool:
    """A quote that never closes, a quote inside a word and a word behind a quote are named with their place."""
    inner = quoted(word)
    match fault:
        case Fault.OPEN_QUOTE:
            line, place = (*lead, *inner[:-1]), len(lead)
        case Fault.QUOTE_IN_WORD:
            line, place = (*lead, Sign.LETTER, *inner), len(lead) + 1
        case _:
            line, place = (*lead, *inner, Sign.LETTER), len(lead) + len(inner)
    kind = Fault.OPEN_QUOTE if fault is Fault.OPEN_QUOTE else Fault.QUOTE_IN_WORD
    return S.split(line, cfg) == ParseError(kind, place + 1)


@law(section="S4", ours=True)
def command_reads(S: Cvars, words: Words) -> bool:
    """A command has its number of words, an alias a free name, a bind a key, and both a list that reads."""
    verb, size = words[0], len(words) - 1
    bad = (*SHAPES, Lex.BROKEN)
    if verb not in SHAPES:
        lone = Understood(Lex.NAME, (verb,))
        return S.read_command(words) == (ParseError(Fault.ARGUMENTS, 1) if size else lone)
    if size != SHAPES[verb]:
        return S.read_command(words) == ParseError(Fault.ARGUMENTS, 1)
    if verb is Lex.ALIAS and (words[1] in SHAPES or words[1] is Lex.EMPTY):
        return S.read_command(words) == ParseError(Fault.NAME, 2)
    if verb is Lex.BIND and words[1] is not Lex.NAME:
        return S.read_command(words) == ParseError(Fault.KEY, 2)
    if verb in (Lex.ALIAS, Lex.BIND) and words[2] in bad:
        return S.read_command(words) == ParseError(Fault.ARGUMENTS, 3)
    return S.read_command(words) == Understood(verb, words[1:])


# Aliases.


_ALIASED = Scope(size=2, over=(("commands", Scope(size=1)),))


def _failed(said: Plain | Failure, why: ExpandError) -> bool:
    return isinstance(said, Failure) and said.error is why


@law(
    section="S4",
    scope=_ALIASED,
    wide=Scope(size=4),
    reach={
        "an expansion": lambda S, bodies, commands: (
            bool(commands) and isinstance(S.expand(aliases(bodies), commands), tuple)
        ),
        "a cycle": lambda S, bodies, commands: _failed(
            S.expand(aliases(bodies), commands), ExpandError.CYCLE
        ),
        "an unknown alias": lambda S, bodies, commands: _failed(
            S.expand(aliases(bodies), commands), ExpandError.UNKNOWN
        ),
    },
)
def alias_expands_fully(
    S: Cvars, bodies: tuple[AnyBody, ...], commands: tuple[AnyCommand, ...]
) -> bool:
    """An expansion leaves no alias to run, or it reports a cycle or an unknown alias (S4.4)."""
    match S.expand(aliases(bodies), commands):
        case Failure(why, _):
            return why in (ExpandError.CYCLE, ExpandError.UNKNOWN)
        case done:
            return all(isinstance(one, Do) for one in done)


@law(section="S4", scope=Scope(size=2, over=(("others", Scope(size=1)),)), wide=Scope(size=3))
def alias_self_cycle(
    S: Cvars,
    before: tuple[Plainly, ...],
    behind: tuple[AnyCommand, ...],
    others: tuple[AnyBody, ...],
) -> bool:
    """An alias that runs itself is a cycle (S4.4)."""
    known = aliases(((*before, Run(0), *behind), *others))
    return S.expand(known, (Run(0),)) == Failure(ExpandError.CYCLE, None)


@law(section="S4", scope=Scope(size=2, over=(("others", Scope(size=1)),)), wide=Scope(size=3))
def alias_unknown_reported(
    S: Cvars,
    before: tuple[Plainly, ...],
    behind: tuple[AnyCommand, ...],
    others: tuple[AnyBody, ...],
) -> bool:
    """A run of an alias that does not exist is reported (S4.4)."""
    said = S.expand(aliases(others), (*before, Run(9), *behind))
    return said == Failure(ExpandError.UNKNOWN, 9)


@law(section="S4", scope=Scope(size=2, over=(("others", Scope(size=1)),)), wide=Scope(size=4))
def alias_runs_body(S: Cvars, body: tuple[Plainly, ...], others: tuple[AnyBody, ...]) -> bool:
    """An alias of plain commands runs exactly its commands (S4.4)."""
    return S.expand(aliases((body, *others)), (Run(0),)) == body


@law(
    section="S4.4",
    scope=Scope(size=2, over=(("commands", Scope(size=1)),)),
    wide=Scope(size=4),
    ours=True,
)
def alias_nests_whole_table(S: Cvars, bodies: tuple[AnyBody, ...], commands: AnyBody) -> bool:
    """Aliases that run only earlier ones expand, in order, however deep they nest (S4.4)."""
    done: list[Plain] = []
    made: list[AnyBody] = []
    for body in (*bodies, commands):
        kept = tuple(
            one if isinstance(one, Do) or one.name < len(done) else Run(len(done) - 1)
            for one in body
            if isinstance(one, Do) or done
        )
        made.append(kept)
        plain: Plain = ()
        for one in kept:
            plain += (one,) if isinstance(one, Do) else done[one.name]
        done.append(plain)
    return S.expand(aliases(tuple(made[:-1])), made[-1]) == done[-1]


@law(section="S4.4", scope=Scope(size=2), wide=Scope(size=4), control=("length",), ours=True)
def alias_long_cycle(
    S: Cvars, length: Annotated[int, Range(1, 5)], first: Annotated[int, Range(0, 4)], body: AnyBody
) -> bool:
    """Aliases that run each other in a ring are a cycle, wherever one enters it (S4.4)."""
    ring = tuple((Run((place + 1) % length), *body) for place in range(length))
    return S.expand(aliases(ring), (Run(first % length),)) == Failure(ExpandError.CYCLE, None)


@law(
    section="S4.4",
    scope=Scope(size=2, over=(("bodies", Scope(size=1)),)),
    wide=Scope(size=3),
    ours=True,
)
def alias_expands_in_order(
    S: Cvars, bodies: tuple[AnyBody, ...], head: AnyBody, tail: AnyBody
) -> bool:
    """Two lists in a row expand to the one and then the other, or fail as the first that fails does (S4.4)."""
    known = aliases(bodies)
    one, two = S.expand(known, head), S.expand(known, tail)
    both = S.expand(known, (*head, *tail))
    if isinstance(one, Failure):
        return both == one
    return both == (two if isinstance(two, Failure) else one + two)


@law(section="S4", scope=Scope(size=2), wide=Scope(size=3), ours=True)
def alias_later_counts(S: Cvars, old: AnyBody, new: tuple[Plainly, ...]) -> bool:
    """An alias that is defined again runs its later commands."""
    return S.expand((Alias(0, old), Alias(1, ()), Alias(0, new)), (Run(0),)) == new


@law(
    section="S4.4",
    scope=Scope(size=2, over=(("bodies", Scope(size=1)),)),
    wide=Scope(size=4),
    control=("most",),
    ours=True,
)
def alias_length_bounded(
    S: Cvars,
    bodies: tuple[AnyBody, ...],
    commands: AnyBody,
    most: Annotated[int, Range(0, 5)],
) -> bool:
    """An expansion to more commands than allowed runs nothing; a cycle or unknown alias comes first (S4.4)."""
    known = aliases(bodies)
    whole = S.expand(known, commands)
    short = isinstance(whole, Failure) or len(whole) <= most
    said = whole if short else Failure(ExpandError.TOO_LONG, None)
    return S.expand_within(known, commands, most) == said


#: Each plain command, a run of an alias, one of an alias that a line may define, and what cannot be read.
ScriptCommand = Annotated[
    Command | Broken, Among((*(Do(act, n) for n, act in enumerate(Act)), Run(0), Run(2), Broken()))
]


@law(
    section="S4.4",
    scope=Scope(size=2, over=(("body", Scope(size=0)),)),
    wide=Scope(size=3),
    reach={
        "a failed line": lambda S, body, lines, place: bool(
            S.load(aliases((body,)), lines, place).failed
        )
    },
    ours=True,
)
def script_runs_lines(
    S: Cvars,
    body: AnyBody,
    lines: tuple[tuple[ScriptCommand, ...], ...],
    place: Annotated[Place, Among((Place.PROJECT, Place.GLOBAL))],
) -> bool:
    """A line of a script knows the aliases of the lines above it, and a line that fails runs nothing (S4.4)."""
    known: dict[int, AnyBody] = {0: body}
    found: list[Entry] = []
    faulty: list[int] = []
    failed: list[Failed] = []
    left: list[Do] = []
    for number, line in enumerate(lines, start=1):
        read = tuple(one for one in line if not isinstance(one, Broken))
        if read != line:
            faulty.append(number)
            continue
        done = S.expand(tuple(Alias(*one) for one in known.items()), read)
        if isinstance(done, Failure):
            failed.append(Failed(number, done))
            continue
        for one in done:
            match one.act:
                case Act.SET:
                    found.append(Entry(Put(one.n, Word(Term.PLAIN)), place))
                case Act.TOGGLE:
                    found.append(Entry(Flip(one.n), place))
                case Act.ALIAS:
                    known[one.n] = ()
                case _:
                    left.append(one)
    after = tuple(Alias(*one) for one in known.items())
    loaded = Loaded(tuple(found), after, tuple(failed), tuple(faulty), tuple(left))
    return S.load(aliases((body,)), lines, place) == loaded


# Binds.


AnyBinds = tuple[tuple[Id, AnyBody], ...]
Key = Annotated[int, Range(0, 2)]


@law(
    section="S4",
    scope=Scope(size=2, over=(("pairs", Scope(size=1)), ("bodies", Scope(size=1)))),
    wide=Scope(size=3),
)
def bind_press_plain(S: Cvars, bodies: tuple[AnyBody, ...], pairs: AnyBinds, key: Key) -> bool:
    """A key press runs only plain commands (S4.5)."""
    match S.press(aliases(bodies), binds(pairs), key):
        case Pressed(session, client):
            return all(isinstance(one, Do) for one in (*session, *client))
        case Failure(why, _):
            return why in (ExpandError.CYCLE, ExpandError.UNKNOWN)


@law(
    section="S4",
    scope=Scope(size=2, over=(("pairs", Scope(size=1)), ("bodies", Scope(size=1)))),
    wide=Scope(size=3),
)
def bind_unbound_runs_nothing(S: Cvars, bodies: tuple[AnyBody, ...], pairs: AnyBinds) -> bool:
    """A key with no bind runs nothing (S4.5)."""
    return S.press(aliases(bodies), binds(pairs), 2) == Pressed((), ())


@law(
    section="S4",
    scope=Scope(size=2, over=(("bodies", Scope(size=1)), ("rest", Scope(size=1)))),
    wide=Scope(size=3),
    reach={"an empty first bind": lambda S, bodies, first, rest: not first and bool(rest)},
)
def bind_first_wins(
    S: Cvars,
    bodies: tuple[AnyBody, ...],
    first: AnyBody,
    rest: tuple[AnyBody, ...],
) -> bool:
    """A key press runs the commands of the first bind of the key (S4.5)."""
    known = aliases(bodies)
    pairs = binds(((1, (Do(Act.SET, 3),)), (0, first), *((0, one) for one in rest)))
    pressed, done = S.press(known, pairs, 0), S.expand(known, first)
    if isinstance(pressed, Failure) or isinstance(done, Failure):
        return pressed == done
    return len(pressed.session) + len(pressed.client) == len(done) and set(done) == {
        *pressed.session,
        *pressed.client,
    }


@law(section="S4.5", scope=Scope(size=4), wide=Scope(size=6), ours=True)
def bind_press_sends(S: Cvars, body: tuple[Plainly, ...]) -> bool:
    """A key press sends sets, toggles and aliases to the session and the rest to the client, in order (S4.5)."""
    sent = (Act.SET, Act.TOGGLE, Act.ALIAS)
    session = tuple(one for one in body if one.act in sent)
    client = tuple(one for one in body if one.act not in sent)
    return S.press((), (Bind(0, body),), 0) == Pressed(session, client)


def _shown(pairs: tuple[Bind, ...], key: int) -> tuple[int, ...]:
    """Return the actions of the first bind of a key."""
    found = next((one.commands for one in pairs if one.key == key), ())
    return tuple(one.n for one in found if isinstance(one, Do) and one.act is Act.ACTION)


_KEYED = Scope(nat=2, size=2)


@law(section="S4.5", scope=_KEYED, wide=Scope(nat=3, size=4), ours=True)
def bind_defaults_share(S: Cvars, rows: tuple[Keys, ...]) -> bool:
    """The default actions that share a key share one bind, and each key that an action has is bound (S4.5)."""
    found = S.default_binds(rows)
    keys = {key for own in merged(rows).values() for key in own}
    once = sorted(one.key for one in found) == sorted(keys)
    return once and all(_shown(found, key) == actions(merged(rows), key) for key in keys)


@law(
    section="S4.5",
    scope=Scope(nat=2, size=2, over=(("chosen", Scope(nat=2, size=1)),)),
    wide=Scope(nat=3, size=3),
    ours=True,
)
def bind_import_keeps(S: Cvars, rows: tuple[Keys, ...], chosen: tuple[Keys, ...]) -> bool:
    """The imported binds give each key the actions that `keybindings.json` gave it, and change no other (S4.5)."""
    made, shared = S.import_binds(rows, chosen), S.default_binds(rows)
    before, after = merged(rows), merged((*rows, *chosen))
    every = {key for one in (*rows, *chosen) for key in one.keys}
    right = all(_shown((*made, *shared), key) == actions(after, key) for key in every)
    needed = all(actions(before, one.key) != actions(after, one.key) for one in made)
    return right and needed and len({one.key for one in made}) == len(made)


@law(section="S4.5", scope=Scope(size=3), wide=Scope(size=5), ours=True)
def bind_key_one_form(S: Cvars, mods: tuple[spec.Mod, ...], base: spec.Base) -> bool:
    """A key has one form, whatever the order and case of its text; a text that names no key has none (S4.5)."""
    same = {spec.Base.CAPITAL: spec.Base.LETTER, spec.Base.ESC: spec.Base.ESCAPE}
    found = S.chord(mods, base)
    if base in (spec.Base.NONE, spec.Base.BLANK, spec.Base.BELL, spec.Base.EMPTY):
        return found is None
    held = tuple(
        one in mods for one in (spec.Mod.CTRL, spec.Mod.SHIFT, spec.Mod.ALT, spec.Mod.SUPER)
    )
    return (
        found is not None
        and (found.ctrl, found.shift, found.alt, found.super) == held
        and found.base is same.get(base, base)
    )
