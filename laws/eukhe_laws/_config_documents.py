"""The laws of `config` about writers of documents (S4b.1); documents are made so that no key comes twice."""

from __future__ import annotations

from eukhe_laws._config import (
    Doc,
    Drops,
    Foreign,
    Sets,
    SetsIn,
    blocked,
    changed,
    document,
    known,
    others,
    target,
)
from eukhe_laws._config_inputs import (
    start_of,
)
from eukhe_laws._config_subject import CORE, SPEC, Config
from eukhe_laws.engine.domain import Scope
from eukhe_laws.engine.law import law
from eukhe_spec.config import (
    Broken,
    Change,
    Group,
    Missing,
    Object,
    PutIn,
    Reason,
    Refused,
    Unchanged,
    Version,
    Write,
)

__all__ = ["AREA", "CORE", "SPEC"]

AREA = "config"

_WRITE = Scope(1, 2, over=(("value", Scope(1, 1)),))
_WRITE_WIDE = Scope(3, 4, over=(("value", Scope(3, 3)),))


def _written(S: Config, disk: Missing | Doc, change: Change) -> Object | None:
    """What is on disk afterwards, of a document that need not say its version."""
    done = S.write(False, known(disk), change)
    if done is Unchanged.UNCHANGED:
        return start_of(False, disk)
    return done.contents if isinstance(done, Write) else None


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
