"""The laws of `config` about the setter, leaves and limits (S4b.2 to S4b.4)."""

from __future__ import annotations

from typing import Annotated

from eukhe_laws._config import (
    AnyDoc,
    Bit,
    Doc,
    Foreign,
    Table,
    blocked,
    changed,
    document,
    error_of,
    group,
    known,
    leaves_of,
)
from eukhe_laws._config_inputs import (
    Below,
    FewTables,
    Higher,
    Inside,
    Limits,
    Loaded,
    Provider,
    SomeTable,
    Target,
    Unheard,
    Wanted,
    change_of,
    place_of,
    start_of,
    value_of,
)
from eukhe_laws._config_subject import CORE, SPEC, Config
from eukhe_laws.engine.domain import Among, Scope
from eukhe_laws.engine.law import law
from eukhe_spec.config import (
    Broken,
    Flat,
    Flip,
    Group,
    Leaf,
    Map,
    Mark,
    Missing,
    Object,
    Path,
    Place,
    Reading,
    Reason,
    Refused,
    Rejected,
    Saved,
    Setting,
    Value,
    Version,
)

__all__ = ["AREA", "CORE", "SPEC"]

AREA = "config"

_EMPTY = Object(Version.ABSENT, ())


# The setter (S4b.2).

_SAVE = Scope(1, 1)
_SAVE_WIDE = Scope(2, 3, over=(("value", Scope(2, 2)),))


@law(
    section="S4b",
    scope=_SAVE,
    wide=_SAVE_WIDE,
    given=lambda S, table, loaded, disk, path, given, project: (
        error_of(table, path, given, place_of(project)) is None
        and not blocked(start_of(False, disk), change_of(path, Mark.TRUE))
    ),
    reach={
        "a toggle": lambda S, table, loaded, disk, path, given, project: given is Flip.FLIP,
        "a toggle of true": lambda S, table, loaded, disk, path, given, project: (
            given is Flip.FLIP
            and isinstance(disk, Doc)
            and (path, Mark.TRUE) in leaves_of(document(disk))
        ),
    },
)
def settings_save_preserves(
    S: Config,
    table: SomeTable,
    loaded: Loaded,
    disk: Missing | Doc,
    path: Target,
    given: Wanted,
    project: bool,
) -> bool:
    """A setter writes the document on disk with its key changed, whatever copy it loaded (S4b.2)."""
    start = start_of(False, disk)
    change = change_of(path, value_of(table, start, path, given, project))
    done = S.save(table.settings(), loaded, known(disk), path, given, project, ())
    return done == Saved(changed(start, change), None)


@law(
    section="S4b",
    scope=_SAVE,
    wide=_SAVE_WIDE,
    given=lambda S, table, disk, path, given, project: (
        error_of(table, path, given, place_of(project)) is not None
    ),
    ours=True,
)
def settings_save_refuses_bad_value(
    S: Config,
    table: SomeTable,
    disk: Missing | Doc,
    path: Target,
    given: Wanted,
    project: bool,
) -> bool:
    """The setter refuses a value that its setting does not hold (S4b.2)."""
    done = S.save(table.settings(), Missing.MISSING, known(disk), path, given, project, ())
    error = error_of(table, path, given, place_of(project))
    return error is not None and done == Rejected(error)


@law(section="S4b", scope=Scope(1, 0), wide=_SAVE_WIDE, ours=True)
def settings_save_refuses_broken(
    S: Config,
    table: SomeTable,
    loaded: Loaded,
    disk: Broken | Foreign,
    path: Target,
    given: Wanted,
    project: bool,
) -> bool:
    """A setter writes no document that it cannot read (S4b.2)."""
    reason = Reason(disk.value) if isinstance(disk, Broken) else Reason.VERSION
    done = S.save(table.settings(), loaded, known(disk), path, given, project, ())
    return done == Refused(reason)


@law(
    section="S4b",
    scope=_SAVE,
    given=lambda S, table, loaded, given, project: (
        error_of(table, Path(1, 0), given, place_of(project)) is None
    ),
    ours=True,
)
def settings_save_refuses_in_the_way(
    S: Config, table: SomeTable, loaded: Loaded, given: int | Mark, project: bool
) -> bool:
    """A setter throws no value away that is in its way (S4b.2)."""
    disk = Object(Version.ABSENT, ((1, Mark.TEXT),))
    done = S.save(table.settings(), loaded, disk, Path(1, 0), given, project, ())
    return done == Refused(Reason.BLOCKED)


@law(
    section="S4b",
    scope=Scope(1, 2),
    wide=Scope(1, 6),
    given=lambda S, table, path, value, above: error_of(table, path, value, Place.GLOBAL) is None,
    ours=True,
    reach={
        "two higher ones": lambda S, table, path, value, above: (
            len([one for one in above if one.path == path]) > 1
        )
    },
)
def settings_save_names_the_shadow(
    S: Config,
    table: FewTables,
    path: Target,
    value: Annotated[Value, Among((0, Mark.TRUE, Mark.OFF))],
    above: tuple[Higher, ...],
) -> bool:
    """A setter names the highest layer that validly sets the same setting, and writes all the same (S4b.2)."""
    counts = [
        place
        for place, one in enumerate(above)
        if one.path == path
        and one.place in (Place.GLOBAL, Place.PROJECT)
        and error_of(table, path, one.given, one.place) is None
    ]
    done = S.save(table.settings(), Missing.MISSING, Missing.MISSING, path, value, False, above)
    contents = changed(_EMPTY, change_of(path, value))
    return done == Saved(contents, max(counts) if counts else None)


# The leaves of a settings document (S4b.3).

_LEAVES = Scope(1, 1)
_LEAVES_WIDE = Scope(2, 4, over=(("value", Scope(2, 2)),))


def _read(S: Config, table: Table, doc: AnyDoc, project: bool) -> Reading:
    return S.leaves(table.settings(), document(doc), project)


@law(section="S4b", scope=_LEAVES, wide=_LEAVES_WIDE)
def leaf_applied_or_reported(S: Config, table: SomeTable, doc: AnyDoc, project: bool) -> bool:
    """Each leaf applies or is named by a diagnostic (S4b.3)."""
    found = _read(S, table, doc, project)
    every = [*found.applied, *[leaf for leaf, _ in found.named]]
    return set(every) == {Leaf(path, value) for path, value in leaves_of(document(doc))}


@law(section="S4b", scope=_LEAVES, wide=_LEAVES_WIDE)
def leaf_not_both(S: Config, table: SomeTable, doc: AnyDoc, project: bool) -> bool:
    """No leaf both applies and is named."""
    found = _read(S, table, doc, project)
    paths = [one.path for one in (*found.applied, *[leaf for leaf, _ in found.named])]
    return len(set(paths)) == len(paths)


@law(
    section="S4b",
    scope=_LEAVES,
    wide=_LEAVES_WIDE,
    ours=True,
    reach={
        "a whole map": lambda S, table, doc, project: any(
            one.key == 0 and isinstance(one.value, tuple) and one.value for one in doc.members
        )
    },
)
def leaf_named_by_its_error(S: Config, table: SomeTable, doc: AnyDoc, project: bool) -> bool:
    """A leaf applies exactly when its setting is declared, holds the value and may be set in the layer; else it is
    Undeclared, BadValue or Global (S4b.3).
    """
    place = Place.PROJECT if project else Place.GLOBAL
    wanted = [
        (Leaf(path, value), error_of(table, path, value, place))
        for path, value in leaves_of(document(doc))
    ]
    return _read(S, table, doc, project) == Reading(
        tuple(leaf for leaf, error in wanted if error is None),
        tuple((leaf, error) for leaf, error in wanted if error is not None),
    )


@law(section="S4b", scope=_LEAVES, wide=_LEAVES_WIDE, ours=True)
def leaf_bad_drops_only_itself(S: Config, table: SomeTable, doc: AnyDoc, project: bool) -> bool:
    """What becomes of a leaf does not depend on the leaves beside it (S4b.3)."""
    whole = document(doc)
    alone = [
        S.leaves(table.settings(), Object(whole.version, (one,)), project) for one in whole.members
    ]
    return _read(S, table, doc, project) == Reading(
        tuple(leaf for one in alone for leaf in one.applied),
        tuple(leaf for one in alone for leaf in one.named),
    )


@law(section="S4b", scope=_LEAVES, wide=_LEAVES_WIDE, ours=True)
def leaf_shorter_id_is_the_leaf(
    S: Config, whole: Flat | Map, inside: Inside, swapped: bool, doc: AnyDoc
) -> bool:
    """The whole value of a setting is one leaf, whatever else is declared inside it (S4b.3)."""
    outer, inner = Setting(Path(1, None), whole, False), Setting(Path(1, 0), inside, False)
    both = (inner, outer) if swapped else (outer, inner)
    return S.leaves(both, document(doc), False) == S.leaves((outer,), document(doc), False)


# Limits that fail closed (S4b.4).


@law(
    section="S4b",
    reach={
        "no map": lambda S, below, said, entry, provider, after: not isinstance(said, tuple),
        "a bad entry": lambda S, below, said, entry, provider, after: isinstance(said, tuple),
    },
)
def limit_malformed_fails_closed(
    S: Config,
    below: Below,
    said: int | Mark | Limits,
    entry: Mark,
    provider: Provider,
    after: Unheard,
) -> bool:
    """A malformed in-flight limit limits to 1, never "no limit" (S4b.4)."""
    if isinstance(said, tuple):
        value: Value = group((Bit(provider, entry), *said))
    else:
        value = said
    return S.in_flight((*below, (Place.GLOBAL, value), *after), provider) == 1


@law(section="S4b", scope=Scope(3, 2))
def limit_number_applies(
    S: Config, below: Below, said: Limits, limit: int, provider: Provider, after: Unheard
) -> bool:
    """A whole-number entry is its provider's limit."""
    value = group((Bit(provider, limit), *said))
    return S.in_flight((*below, (Place.GLOBAL, value), *after), provider) == limit


@law(section="S4b", ours=True)
def limit_unnamed_is_free(
    S: Config, below: Below, entry: int | Mark, set_at_all: bool, provider: Provider, after: Unheard
) -> bool:
    """A provider that no global limit names has no limit, whatever a project sets (S4b.4, S4b.5)."""
    own = (*below, (Place.GLOBAL, Group(((1 - provider, entry),)))) if set_at_all else ()
    return S.in_flight((*own, *after), provider) is None


@law(section="S4b", scope=Scope(2, 2), ours=True)
def limit_malformed_named(
    S: Config, below: Below, said: int | Mark | Limits, after: Unheard
) -> bool:
    """Each provider whose entry is no whole number is named (S4b.3, S4b.4)."""
    value = group(said) if isinstance(said, tuple) else said
    entries = value.inner if isinstance(value, Group) else ()
    named = tuple(name for name, one in entries if isinstance(one, Mark))
    return S.malformed((*below, (Place.GLOBAL, value), *after)) == named
