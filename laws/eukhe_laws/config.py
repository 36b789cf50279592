"""The laws of config documents (S4b): writes, leaves, limits, trust, MCP entries, the sessions directory.

Documents are made from ingredients, so that no key comes twice; changes are restated by dicts.
"""

from __future__ import annotations

from typing import Annotated

from eukhe_bridge import config as bridge
from eukhe_laws._config import (
    AnyDoc,
    Bit,
    Doc,
    Drops,
    Foreign,
    Sets,
    SetsIn,
    Table,
    blocked,
    changed,
    document,
    error_of,
    group,
    known,
    leaves_of,
    others,
    target,
)
from eukhe_laws._config_inputs import (
    FREE,
    Below,
    Higher,
    Limits,
    Loaded,
    Provider,
    SomeTable,
    Target,
    Unheard,
    Wanted,
    change_of,
    once,
    place_of,
    start_of,
    value_of,
)
from eukhe_laws._config_subject import BOUNDS, Config
from eukhe_laws.engine.domain import (
    Among,
    Scope,
)
from eukhe_laws.engine.law import law
from eukhe_spec import config as spec
from eukhe_spec.config import (
    Broken,
    Change,
    Directory,
    Entry,
    Flat,
    Flip,
    Group,
    Item,
    Leaf,
    Listed,
    Listing,
    Map,
    Mark,
    Missing,
    Object,
    Path,
    Place,
    PutIn,
    Reading,
    Reason,
    Refused,
    Rejected,
    Saved,
    Screened,
    Server,
    Servers,
    Setting,
    Source,
    Text,
    Trust,
    Unchanged,
    Value,
    Version,
    Write,
)

SPEC: Config = spec
CORE: Config = bridge.CORE

#: Where spec and core are compared.
AGREEMENT = BOUNDS

_WRITE = Scope(1, 2, over=(("value", Scope(1, 1)),))
_WRITE_WIDE = Scope(3, 4, over=(("value", Scope(3, 3)),))
_EMPTY = Object(Version.ABSENT, ())


def _written(S: Config, disk: Missing | Doc, change: Change) -> Object | None:
    """What is on disk afterwards, of a document that need not say its version."""
    done = S.write(False, known(disk), change)
    if done is Unchanged.UNCHANGED:
        return start_of(False, disk)
    return done.contents if isinstance(done, Write) else None


# Read, change, write (S4b.1).


@law(section="S4b", scope=Scope(1, 1), wide=_WRITE_WIDE)
def rmw_refuses_broken(
    S: Config, stamped: bool, disk: Broken | Foreign, change: Sets | SetsIn | Drops
) -> bool:
    """A document that could not be read or parsed is never written (S4b.1)."""
    reason = Reason(disk.value) if isinstance(disk, Broken) else Reason.VERSION
    return S.write(stamped, known(disk), change.change()) == Refused(reason)


@law(
    section="S4b",
    scope=_WRITE,
    wide=_WRITE_WIDE,
    reach={
        "a key in an object that is there": lambda S, disk, change: (
            isinstance(change, SetsIn)
            and isinstance(disk, Doc)
            and any(
                one.key == change.key and isinstance(one.value, tuple) and one.value
                for one in disk.members
            )
        )
    },
)
def rmw_keeps_others(S: Config, disk: Missing | Doc, change: Sets | SetsIn | Drops) -> bool:
    """A write keeps each key that the change does not touch (S4b.1)."""
    contents = _written(S, disk, change.change())
    at = target(change.change())
    return contents is None or others(contents, at) == others(start_of(False, disk), at)


@law(
    section="S4b",
    scope=_WRITE,
    wide=_WRITE_WIDE,
    given=lambda S, disk, change: not blocked(start_of(False, disk), change.change()),
    reach={"in an object": lambda S, disk, change: isinstance(change, SetsIn)},
)
def rmw_applies_change(S: Config, disk: Missing | Doc, change: Sets | SetsIn) -> bool:
    """The key that the change sets has the value that it sets."""
    made = change.change()
    contents = _written(S, disk, made)
    if contents is None:
        return False
    found = dict(contents.members).get(made.key)
    if isinstance(made, PutIn):
        found = dict(found.inner).get(made.sub) if isinstance(found, Group) else None
    return found == made.value


@law(
    section="S4b",
    scope=_WRITE,
    wide=_WRITE_WIDE,
    given=lambda S, stamped, disk, change: (
        not (stamped and isinstance(disk, Doc) and not disk.known)
    ),
    ours=True,
    reach={
        "a missing file": lambda S, stamped, disk, change: isinstance(disk, Missing),
        "a value in the way": lambda S, stamped, disk, change: blocked(
            start_of(stamped, disk), change.change()
        ),
        "a stamped document": lambda S, stamped, disk, change: stamped,
    },
)
def rmw_writes_exactly(
    S: Config, stamped: bool, disk: Missing | Doc, change: Sets | SetsIn | Drops
) -> bool:
    """What is written is the document with exactly the change in it, a new key last; a file that is not there
    reads as empty; what is not there to remove writes nothing, and a value in the way refuses (S4b.1).
    """
    start, made = start_of(stamped, disk), change.change()
    done = S.write(stamped, known(disk), made)
    if blocked(start, made):
        return done == Refused(Reason.BLOCKED)
    after = changed(start, made)
    nothing = isinstance(change, Drops) and after == start
    return done == (Unchanged.UNCHANGED if nothing else Write(after))


@law(section="S4b", scope=Scope(1, 1), wide=_WRITE_WIDE, ours=True)
def rmw_refuses_unstamped(S: Config, doc: Doc, change: Sets | SetsIn | Drops) -> bool:
    """Where each document says its version, one that says none is never written (S4b.1)."""
    disk = Object(Version.ABSENT, document(doc).members)
    return S.write(True, disk, change.change()) == Refused(Reason.VERSION)


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
    S: Config, whole: Flat | Map, inside: Flat, swapped: bool, doc: AnyDoc
) -> bool:
    """The whole value of a setting is one leaf, whatever else is declared inside it (S4b.3)."""
    outer, inner = Setting(Path(1, None), whole, False), Setting(Path(1, 0), inside, False)
    both = (inner, outer) if swapped else (outer, inner)
    return S.leaves(both, document(doc), False) == S.leaves((outer,), document(doc), False)


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


@law(section="S4b", scope=_SAVE, wide=_SAVE_WIDE, ours=True)
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
    table: SomeTable,
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


# What an untrusted project changes (S4b.5).


@law(
    section="S4b",
    scope=Scope(1, 2),
    wide=Scope(1, 9),
    given=lambda S, items: any(one not in FREE for one in items),
)
def untrusted_changes_nothing_guarded(S: Config, items: tuple[Item, ...]) -> bool:
    """An untrusted project changes no limit, prompt or credential (S4b.5)."""
    guarded = tuple(one for one in items if one not in FREE)
    found = S.screen(items, False)
    return found.withheld == guarded and not set(found.applied) & set(guarded)


@law(section="S4b", scope=Scope(1, 2), wide=Scope(1, 9))
def trusted_project_applies(S: Config, items: tuple[Item, ...]) -> bool:
    """A trusted project's item applies."""
    return S.screen(items, True) == Screened(items, ())


@law(section="S4b", scope=Scope(1, 2), wide=Scope(1, 9), ours=True)
def untrusted_applies_the_rest(S: Config, items: tuple[Item, ...]) -> bool:
    """An item that is not guarded applies in an untrusted project too (S4b.5)."""
    return S.screen(items, False).applied == tuple(one for one in items if one in FREE)


@law(
    section="S4b",
    scope=Scope(2, 2, over=(("after", Scope(1, 1)),)),
    wide=Scope(2, 4),
    ours=True,
    reach={
        "below a listed one": lambda S, directory, entries, after: any(
            one.absolute and 0 < len(one.parts) < len(directory.parts) for one in entries
        )
    },
)
def trust_is_listed_or_below(
    S: Config, directory: Directory, entries: tuple[Listed, ...], after: tuple[Listed, ...]
) -> bool:
    """A project is trusted exactly when the global layer lists its directory or one above it, as an absolute path
    (S4b.5).
    """
    ways = [directory.parts[:count] for count in range(len(directory.parts) + 1)]
    said = (
        Listing(Place.GLOBAL, after),
        Listing(Place.GLOBAL, after),
        Listing(Place.GLOBAL, entries),
        Listing(Place.PROJECT, after),
        Listing(Place.WITHHELD, after),
    )
    return S.trust(directory, said) == Trust(
        any(one.absolute and one.parts in ways for one in entries),
        tuple(one for one in entries if not one.absolute),
    )


@law(section="S4b", scope=Scope(2, 2), wide=Scope(2, 4), ours=True)
def trust_not_by_the_project(
    S: Config, directory: Directory, entries: tuple[Listed, ...], withheld: bool
) -> bool:
    """A project's own list trusts nothing (S4b.5)."""
    place = Place.WITHHELD if withheld else Place.PROJECT
    return S.trust(directory, (Listing(place, entries),)) == Trust(False, ())


# MCP entries are units (S4b.6).


_UNITS = Scope(1, 1, over=(("name", Scope(2)),))
_UNITS_WIDE = Scope(3, 4)


@law(section="S4b", scope=_UNITS, wide=_UNITS_WIDE)
def project_entry_never_merges(
    S: Config, below: tuple[Entry, ...], name: int, server: Server, beside: tuple[Entry, ...]
) -> bool:
    """A project MCP entry applies whole (S4b.6)."""
    own = once((Entry(name, server), *beside))
    found = S.servers((Servers(Place.GLOBAL, once(below)), Servers(Place.PROJECT, own)))
    return [one.server for one in found if one.name == name] == [server]


@law(section="S4b", scope=_UNITS, wide=_UNITS_WIDE)
def global_entry_kept(
    S: Config, name: int, server: Server, beside: tuple[Entry, ...], project: tuple[Entry, ...]
) -> bool:
    """A global entry that the project does not name stays whole."""
    own = tuple(one for one in once(project) if one.name != name)
    everyone = once((Entry(name, server), *beside))
    found = S.servers((Servers(Place.GLOBAL, everyone), Servers(Place.PROJECT, own)))
    return [one.server for one in found if one.name == name] == [server]


@law(section="S4b", scope=_UNITS, wide=_UNITS_WIDE, ours=True)
def mcp_withheld_is_ignored(
    S: Config, below: tuple[Entry, ...], withheld: tuple[Entry, ...]
) -> bool:
    """The MCP entries of an untrusted project change nothing, and nothing else is added or lost (S4b.5, S4b.6)."""
    own = once(below)
    return S.servers((Servers(Place.GLOBAL, own), Servers(Place.WITHHELD, once(withheld)))) == own


@law(section="S4b", ours=True)
def session_dir_precedence(
    S: Config, flag: Text, variable: Text, legacy: Text, setting: Text
) -> bool:
    """The sessions directory is the flag's, else the variable's, else the legacy variable's, else the setting's,
    else the agent directory's (S4b.7).
    """
    said = zip((flag, variable, legacy, setting), Source, strict=False)
    found = [source for text, source in said if text is Text.SAYS]
    return S.session_dir(flag, variable, legacy, setting) is (*found, Source.AGENT_DIR)[0]
