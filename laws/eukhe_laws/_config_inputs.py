"""What the laws of `config` range over: tables, sets, limits, and the helpers that make documents of them."""

from __future__ import annotations

from typing import Annotated

from eukhe_laws._config import (
    Bit,
    Doc,
    Table,
    document,
    error_of,
    leaves_of,
)
from eukhe_laws.engine.domain import (
    Among,
    Range,
    Sized,
)
from eukhe_spec import config as spec
from eukhe_spec.config import (
    Broken,
    Change,
    Disk,
    Entry,
    Flip,
    Given,
    Group,
    Item,
    Mark,
    Missing,
    Object,
    Path,
    Place,
    Put,
    PutIn,
    Said,
    Value,
    Version,
)

__all__ = [
    "FREE",
    "Below",
    "FewTables",
    "Higher",
    "Inside",
    "Limits",
    "Loaded",
    "Provider",
    "SomeTable",
    "Target",
    "Unheard",
    "Wanted",
    "change_of",
    "once",
    "place_of",
    "start_of",
    "value_of",
]

#: A setting, or none.
Target = Annotated[Path, Among((Path(0, None), Path(1, 0), Path(2, None)))]
#: A value or a toggle that a setter is given.
Wanted = Annotated[
    Given,
    Among((0, Mark.TRUE, Mark.OFF, Mark.FRACTION, Group(()), Group(((0, 1),)), Flip.FLIP)),
]
#: The document that was loaded: any.
Loaded = Annotated[
    Disk,
    Among((Missing.MISSING, Broken.INVALID, Object(Version.KNOWN, ((0, 5), (1, Group(())))))),
]
#: A table of settings, of which each type and each scope is in one.
SomeTable = Annotated[
    Table,
    Among(
        tuple(
            Table(top, own, sub, own)
            for top, sub in zip((*spec.Flat, *spec.Map), (*spec.Flat, spec.Flat.BOOL), strict=True)
            for own in (False, True)
        )
    ),
]
#: A few of them.
FewTables = Annotated[
    Table,
    Among(
        (
            Table(spec.Flat.BOOL, False, spec.Flat.NAT, True),
            Table(spec.Flat.NAT, True, spec.Flat.BOOL, False),
            Table(spec.Flat.TEXT, False, spec.Flat.NAT_OR_OFF, False),
            Table(spec.Flat.NAT_OR_OFF, False, spec.Flat.BOOL, True),
        )
    ),
]
#: The type of a setting inside another.
Inside = Annotated[spec.Flat, Among((spec.Flat.BOOL, spec.Flat.NAT))]
#: What a higher layer says: good and bad values and toggles, of this setting and of another.
Higher = Annotated[
    Said,
    Among(
        tuple(
            Said(path, given, place)
            for path in (Path(0, None), Path(1, 0))
            for given in (7, Mark.TRUE, Flip.FLIP)
            for place in Place
        )
    ),
]


#: A map of limits by provider.
Limits = Annotated[tuple[Bit, ...], Sized(0, 1)]
#: What a higher layer that has no say sets the limits to.
Unheard = Annotated[
    tuple[tuple[Place, Value], ...],
    Among(
        (
            (),
            ((Place.PROJECT, Group(())),),
            ((Place.PROJECT, Group(((0, 90), (1, 91)))),),
            ((Place.WITHHELD, 92), (Place.PROJECT, Group(((1, Mark.TEXT),)))),
        )
    ),
]
#: What a lower layer sets the limits to.
Below = Annotated[
    tuple[tuple[Place, Value], ...],
    Among(((), ((Place.GLOBAL, Group(((0, 80), (1, 81)))),), ((Place.GLOBAL, 5),))),
]
Provider = Annotated[int, Range(0, 1)]


#: What any project may change, of the items that are modelled.
FREE = (
    Item.THEME,
    Item.DEFAULT_MODEL,
    Item.RETRY_ENABLED,
    Item.RETRY_BASE_DELAY_MS,
    Item.RETRY_PROVIDER_MAX_RETRIES,
    Item.RETRY_FAILOVER_ENABLED,
    Item.MAX_TOOL_ROUNDS_MORE,
    Item.OTHER_FILE,
)


def start_of(stamped: bool, disk: Missing | Doc) -> Object:
    """What a writer starts from."""
    if isinstance(disk, Missing):
        return Object(Version.KNOWN if stamped else Version.ABSENT, ())
    return document(disk)


def place_of(project: bool) -> Place:
    return Place.PROJECT if project else Place.GLOBAL


def value_of(table: Table, start: Object, path: Path, given: Given, project: bool) -> Value:
    """The value that a set gives; a toggle's is the opposite of a valid one in the document, at first false."""
    if not isinstance(given, Flip):
        return given
    found = dict(leaves_of(start)).get(path)
    valid = found is not None and error_of(table, path, found, place_of(project)) is None
    return Mark.FALSE if valid and found is Mark.TRUE else Mark.TRUE


def change_of(path: Path, value: Value) -> Change:
    if path.sub is None or isinstance(value, Group):
        return Put(path.key, value)
    return PutIn(path.key, path.sub, value)


def once(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """Keep the first of each name."""
    names = [one.name for one in entries]
    return tuple(one for place, one in enumerate(entries) if one.name not in names[:place])
