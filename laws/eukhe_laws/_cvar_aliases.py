"""The laws of aliases and scripts (S4.4)."""

from __future__ import annotations

from typing import Annotated

from eukhe_laws._cvar import (
    AnyBody,
    AnyCommand,
    Plainly,
    aliases,
)
from eukhe_laws._cvar_subject import Cvars
from eukhe_laws.engine.domain import Among, Range, Scope
from eukhe_laws.engine.law import law
from eukhe_spec.cvar import (
    Act,
    Alias,
    Broken,
    Command,
    Do,
    Entry,
    ExpandError,
    Failed,
    Failure,
    Flip,
    Loaded,
    Place,
    Plain,
    Put,
    Run,
    Term,
    Word,
)

AREA = "cvar"


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
