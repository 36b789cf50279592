"""The functions that the laws of `config` are about, and where spec and core are compared."""

from __future__ import annotations

from typing import Protocol

from eukhe_bridge import config as bridge
from eukhe_laws._config_inputs import once
from eukhe_laws.engine.agree import Agree
from eukhe_laws.engine.domain import Scope
from eukhe_spec import config as spec
from eukhe_spec.config import (
    Change,
    Directory,
    Disk,
    Entry,
    Given,
    Group,
    Item,
    Listing,
    Object,
    Outcome,
    Path,
    Place,
    Put,
    Reading,
    Refused,
    Rejected,
    Said,
    Saved,
    Screened,
    Servers,
    Setting,
    Source,
    Text,
    Trust,
    Value,
)

__all__ = ["BOUNDS", "CORE", "SPEC", "Config"]


class Config(Protocol):
    """The functions under law."""

    def write(self, stamped: bool, disk: Disk, change: Change) -> Outcome: ...
    def leaves(self, settings: tuple[Setting, ...], document: Object, project: bool) -> Reading: ...
    def save(
        self,
        settings: tuple[Setting, ...],
        loaded: Disk,
        disk: Disk,
        path: Path,
        given: Given,
        project: bool,
        above: tuple[Said, ...],
    ) -> Rejected | Refused | Saved: ...
    def in_flight(self, said: tuple[tuple[Place, Value], ...], provider: int) -> int | None: ...
    def malformed(self, said: tuple[tuple[Place, Value], ...]) -> tuple[int, ...]: ...
    def screen(self, items: tuple[Item, ...], trusted: bool) -> Screened: ...
    def trust(self, directory: Directory, said: tuple[Listing, ...]) -> Trust: ...
    def servers(self, said: tuple[Servers, ...]) -> tuple[Entry, ...]: ...
    def session_dir(self, flag: Text, variable: Text, legacy: Text, setting: Text) -> Source: ...


SPEC: Config = spec
CORE: Config = bridge.CORE


def _unique(value: object) -> bool:
    """Whether a JSON value has no key twice, as what `json.loads` gives never has."""
    match value:
        case Group(members) | Object(_, members):
            keys = [key for key, _ in members]
            return len(set(keys)) == len(keys) and all(_unique(one) for _, one in members)
        case Put(_, one):
            return _unique(one)
        case tuple():
            return all(_unique(one) for one in value)
        case _:
            return True


def _modelled(
    S: Config, settings: object, loaded: object, disk: Disk, path: Path, *rest: object
) -> bool:
    """An object in an object holds scalars only, in the model."""
    given = rest[0]
    whole = path.sub is None or not isinstance(given, Group)
    return whole and _unique(disk) and _unique(given)


_SOME, _MORE = Scope(1, 1), Scope(2, 2)

#: Where spec and core are compared: objects without a key twice.
BOUNDS = {
    "write": Agree(_SOME, _MORE, lambda S, stamped, disk, change: _unique((disk, change))),
    "leaves": Agree(_SOME, _MORE, lambda S, settings, document, project: _unique(document)),
    "save": Agree(_SOME, _MORE, _modelled),
    "in_flight": Agree(_SOME, _MORE, lambda S, said, provider: _unique(said)),
    "malformed": Agree(_SOME, _MORE, lambda S, said: _unique(said)),
    "trust": Agree(_MORE),
    "servers": Agree(
        _SOME, _MORE, lambda S, said: all(one.entries == once(one.entries) for one in said)
    ),
}
