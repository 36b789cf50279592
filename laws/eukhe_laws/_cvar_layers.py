"""The laws of the registry, the types and the layers (S4.1 to S4.3)."""

from __future__ import annotations

from dataclasses import replace

from eukhe_laws._cvar import (
    READS,
    TYPED,
    Agent,
    AnyEntry,
    AnyPut,
    AnyValue,
    Raw,
    Row,
    error,
    family_of,
    flat,
    fold,
    table,
)
from eukhe_laws._cvar_subject import DEEP, LAST, LAYERED, Cvars, Id, with_bool
from eukhe_laws.engine.domain import Scope
from eukhe_laws.engine.law import law
from eukhe_spec import cvar as spec
from eukhe_spec.cvar import (
    CvarError,
    Fate,
    Flag,
    Kind,
    Member,
    Place,
    Put,
    Registry,
    RegistryError,
    Step,
    Term,
)

AREA = "cvar"


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
    scope=LAYERED,
    wide=DEEP,
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


@law(section="S4", scope=LAYERED, wide=DEEP)
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
    scope=LAST,
    wide=DEEP,
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
    return S.value(with_bool(rest), config, (*family_of(family), child), 0) == Flag(on)


@law(
    section="S4",
    scope=LAYERED,
    wide=DEEP,
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


@law(section="S4", scope=LAST, wide=DEEP, ours=True)
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


@law(section="S4", scope=LAYERED, wide=DEEP, ours=True)
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
    scope=LAYERED,
    wide=DEEP,
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
