"""The laws of an agent's sets: written, replicated, run and toggled (S4.3, S4.6)."""

from __future__ import annotations

from dataclasses import replace

from eukhe_laws._cvar import (
    READS,
    TYPED,
    Agent,
    AnyEntry,
    AnyPut,
    AnySaid,
    AnyValue,
    Row,
    error,
    family_of,
    flat,
    fold,
    table,
)
from eukhe_laws._cvar_subject import BROKEN, DEEP, LAST, LAYERED, Cvars, Id, with_bool
from eukhe_laws.engine.domain import Scope
from eukhe_laws.engine.law import law
from eukhe_spec import cvar as spec
from eukhe_spec.cvar import (
    CvarError,
    Declaration,
    Entry,
    Flag,
    Flip,
    Kind,
    Member,
    Place,
    Put,
    Ran,
    Say,
    Term,
    Word,
)

AREA = "cvar"


@law(
    section="S4",
    scope=Scope(
        size=1, over=(("rest", Scope(size=1)), ("config", Scope(size=0)), ("family", Scope(size=0)))
    ),
    wide=DEEP,
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


@law(section="S4.3", scope=LAYERED, wide=DEEP, ours=True)
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
    wide=DEEP,
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
    wide=DEEP,
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
        change: Put | Flip = said if isinstance(said, Flip) else Put(said.id, spec.Odd(BROKEN))
        if isinstance(said, Say) and said.id in kinds:
            change = Put(said.id, READS[kinds[said.id]].get(said.term, spec.Odd(BROKEN)))
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
    scope=LAST,
    wide=DEEP,
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
    declarations, parents, child = with_bool(rest), family_of(family), last.member()
    before = S.value(declarations, config, (*parents, child), 0)
    for _ in range(2):
        put = S.toggle(declarations, config, (*parents, child), 0)
        if not isinstance(put, Put):
            return False
        child = replace(child, sets=(*child.sets, put))
    return S.value(declarations, config, (*parents, child), 0) == before


@law(
    section="S4",
    scope=LAYERED,
    wide=DEEP,
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
