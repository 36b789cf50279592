"""The core of `config` under the spec's signatures: spec values in and out, JSON values and strings inside.

The names are traps: the fourth key holds a dot and reads like a path, `1.0` and `true` equal 1, the name of one
directory begins the name of another.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

from eukhe.core import config as core
from eukhe.core import cvar
from eukhe_spec import config as spec
from eukhe_spec.config import Mark, Place

__all__ = ["CORE"]

_KEYS: Final = ("alpha", "retry", "größe", "retry.s0")
_MARKS: Final[dict[Mark, object]] = {
    Mark.NULL: None,
    Mark.TRUE: True,
    Mark.FALSE: False,
    Mark.NEGATIVE: -1,
    Mark.FRACTION: 1.0,
    Mark.OFF: "off",
    Mark.NONE: "none",
    Mark.TEXT: "two words \u2028",
    Mark.LIST: [],
}
_VERSIONS: Final[dict[spec.Version, dict[str, object]]] = {
    spec.Version.ABSENT: {},
    spec.Version.KNOWN: {"version": 1},
    spec.Version.OTHER: {"version": 2},
    spec.Version.HUGE: {"version": 10**5000},
    spec.Version.ODD: {"version": True},
}
_BROKEN: Final[dict[spec.Broken, core.Disk]] = {
    spec.Broken.UNREADABLE: core.Unreadable("permission denied"),
    spec.Broken.INVALID: core.Invalid("line 1, column 2"),
    spec.Broken.NOT_OBJECT: core.Parsed([]),
}
_PLACES: Final = {
    Place.GLOBAL: cvar.Place.GLOBAL,
    Place.PROJECT: cvar.Place.PROJECT,
    Place.WITHHELD: cvar.Place.WITHHELD,
}
_KINDS: Final[dict[spec.Flat | spec.Map, tuple[cvar.Type, object]]] = {
    spec.Flat.BOOL: (cvar.Type(cvar.Kind.BOOL), False),
    spec.Flat.NAT: (cvar.Type(cvar.Kind.NAT), 0),
    spec.Flat.NAT_OR_OFF: (cvar.Type(cvar.Kind.NAT_OR_OFF), "off"),
    spec.Flat.TEXT: (cvar.Type(cvar.Kind.TEXT), ""),
    spec.Map.MAP: (cvar.Type(cvar.Kind.MAP, of=cvar.Kind.NAT), {}),
}


def _key(key: int) -> str:
    return _KEYS[key] if key < len(_KEYS) else f"k{key}"


def _id(path: spec.Path) -> str:
    return _key(path.key) if path.sub is None else f"{_key(path.key)}.s{path.sub}"


def _unkey(name: str) -> int:
    return _KEYS.index(name) if name in _KEYS else int(name[1:])


def _path(name: str) -> spec.Path:
    """Read the id of a leaf back; a key with a dot is quoted in it."""
    if name.startswith('"'):
        quoted, _, rest = name[1:].rpartition('"')
        key, sub = _unkey(quoted), rest[1:]
    else:
        head, _, sub = name.partition(".")
        key = _unkey(head)
    return spec.Path(key, int(sub[1:]) if sub else None)


def _native(value: spec.Value) -> object:
    match value:
        case int():
            return value
        case Mark():
            return _MARKS[value]
        case spec.Group(inner):
            return {f"s{sub}": _native(one) for sub, one in inner}


def _scalar(value: object) -> spec.Scalar:
    if type(value) is int and value >= 0:
        return value
    return next(mark for mark, one in _MARKS.items() if type(one) is type(value) and one == value)


def _back(value: object) -> spec.Value:
    if not isinstance(value, dict):
        return _scalar(value)
    return spec.Group(tuple((int(name[1:]), _scalar(one)) for name, one in value.items()))


def _document(document: spec.Object) -> core.Document:
    members = {_key(key): _native(value) for key, value in document.members}
    return {**_VERSIONS[document.version], **members}


def _object(contents: core.Document) -> spec.Object:
    version = spec.Version.KNOWN if contents.get("version") == 1 else spec.Version.ABSENT
    names = [name for name in contents if name != "version"]
    return spec.Object(version, tuple((_unkey(name), _back(contents[name])) for name in names))


def _disk(disk: spec.Disk) -> core.Disk:
    match disk:
        case spec.Missing():
            return core.Missing()
        case spec.Broken():
            return _BROKEN[disk]
        case spec.Object():
            return core.Parsed(_document(disk))


def _change(change: spec.Change) -> core.Change:
    match change:
        case spec.Put(key, value):
            return core.Put((), _key(key), _native(value))
        case spec.PutIn(key, sub, value):
            return core.Put((_key(key),), f"s{sub}", _native(value))
        case spec.Drop(key):
            return core.Drop((), _key(key))
        case spec.DropIn(key, sub):
            return core.Drop((_key(key),), f"s{sub}")


def _kind(stamped: bool, change: spec.Change) -> core.Format:
    """Pick a kind of document by its name; the two without a version in each must not differ."""
    kinds = {one.name: one for one in (core.SETTINGS, core.AUTH, core.CONNECTIONS)}
    if stamped:
        return kinds["mcp-connections.json"]
    drops = isinstance(change, spec.Drop | spec.DropIn)
    return kinds["auth.json" if drops else "settings.json"]


_WHY: Final[dict[spec.Disk, str]] = {
    spec.Broken.UNREADABLE: "permission denied",
    spec.Broken.INVALID: "line 1, column 2",
    spec.Broken.NOT_OBJECT: "list",
}
_VERSION_WHY: Final = {
    spec.Version.ABSENT: "no version",
    spec.Version.OTHER: "version 2",
    spec.Version.HUGE: "int",
    spec.Version.ODD: "bool",
}


def _refused(refused: core.Refused, disk: spec.Disk, path: str) -> spec.Refused:
    """Read a refusal back.

    Raises:
        ValueError: it does not say why.
    """
    reason = spec.Reason[refused.fault.name]
    if reason is spec.Reason.VERSION and isinstance(disk, spec.Object):
        why = _VERSION_WHY[disk.version]
    else:
        why = path if reason is spec.Reason.BLOCKED else _WHY[disk]
    if refused.why != why:
        raise ValueError(f"the refusal says {refused.why!r} instead of {why!r}")
    return spec.Refused(reason)


def _registry(settings: tuple[spec.Setting, ...]) -> cvar.Registry:
    found: dict[str, cvar.Cvar] = {}
    for one in settings:
        kind, default = _KINDS[one.kind]
        scope = cvar.Scope.GLOBAL if one.own else cvar.Scope.LOCAL
        name = _id(one.path)
        found.setdefault(name, cvar.Cvar(name, kind, scope, False, False, default))
    return found


def _entry(path: spec.Path, given: spec.Given, place: Place, origin: str = "") -> cvar.Entry:
    native = cvar.FLIP if isinstance(given, spec.Flip) else _native(given)
    return cvar.Entry(_id(path), native, _PLACES[place], origin)


def _said(said: tuple[tuple[Place, spec.Value], ...], words: bool) -> list[cvar.Entry]:
    """Make the sets of the limits, as `settings.json` gives them or as words of a cfg file, among others."""
    entries = [cvar.Entry("theme", 7, cvar.Place.GLOBAL)]
    for place, value in said:
        native = _native(value)
        given = cvar.Word(cvar.show(native)) if words else native
        entries.append(cvar.Entry("providerMaxInFlight", given, _PLACES[place]))
        entries.append(cvar.Entry("theme", {"s0": 7}, _PLACES[place]))
    return entries


def _directory(parts: Iterable[int]) -> str:
    return "/".join("d" * (part + 1) for part in parts)


def _listed(one: spec.Listed) -> str:
    return f"{'/' if one.absolute else ''}{_directory(one.parts)}"


def _server(server: spec.Server) -> dict[str, object]:
    said = {"url": server.url, "bearer": server.credential}
    return {name: value for name, value in said.items() if value is not None}


class _Core:
    """The core under the spec's signatures."""

    def write(self, stamped: bool, disk: spec.Disk, change: spec.Change) -> spec.Outcome:
        kind, native = _kind(stamped, change), _change(change)
        match core.write(kind, _disk(disk), native):
            case core.Write(contents):
                return spec.Write(_object(contents))
            case core.Unchanged():
                return spec.Unchanged.UNCHANGED
            case core.Refused() as refused:
                return _refused(refused, disk, ".".join((*native.within, native.key)))

    def leaves(
        self, settings: tuple[spec.Setting, ...], document: spec.Object, project: bool
    ) -> spec.Reading:
        place = cvar.Place.PROJECT if project else cvar.Place.GLOBAL
        registry = _registry(settings)
        entries = core.leaves(registry, _document(document), place, "settings.json")
        cvars = cvar.over(cvar.base(registry), entries)
        errors = {one.entry.id: one.error for one in cvars.refused}
        return spec.Reading(
            tuple(
                spec.Leaf(_path(one.id), _back(cvars.values[one.id]))
                for one in entries
                if one.id not in errors
            ),
            tuple(
                (spec.Leaf(_path(one.id), _back(one.given)), spec.Error(errors[one.id].kind.value))
                for one in entries
                if one.id in errors
            ),
        )

    def save(
        self,
        settings: tuple[spec.Setting, ...],
        loaded: spec.Disk,  # noqa: ARG002 -- the core offers no way to give it a loaded copy
        disk: spec.Disk,
        path: spec.Path,
        given: spec.Given,
        project: bool,
        above: tuple[spec.Said, ...],
    ) -> spec.Rejected | spec.Refused | spec.Saved:
        entry = _entry(path, given, Place.PROJECT if project else Place.GLOBAL)
        higher = [
            _entry(one.path, one.given, one.place, str(place)) for place, one in enumerate(above)
        ]
        match core.save(_registry(settings), _disk(disk), entry, higher):
            case core.Saved(contents):
                return spec.Saved(_object(contents), None)
            case core.Shadowed(contents, by):
                return spec.Saved(_object(contents), int(by.origin))
            case core.Refused() as refused:
                return _refused(refused, disk, entry.id)
            case cvar.CvarError(kind=kind):
                return spec.Rejected(spec.Error(kind.value))

    def in_flight(self, said: tuple[tuple[Place, spec.Value], ...], provider: int) -> int | None:
        limit, spelled = (
            core.in_flight(_said(said, words)).of(f"s{provider}") for words in (False, True)
        )
        return limit if limit == spelled else -1

    def malformed(self, said: tuple[tuple[Place, spec.Value], ...]) -> tuple[int, ...]:
        return tuple(int(name[1:]) for name in core.in_flight(_said(said, False)).malformed)

    def screen(self, items: tuple[spec.Item, ...], trusted: bool) -> spec.Screened:
        files = [one.value for one in items if one.value.endswith(".md")]
        ids = [one.value for one in items if one.value not in files]
        entries = [cvar.Entry(name, json.dumps(name), cvar.Place.PROJECT) for name in ids]
        done = core.screen(entries, files, trusted)
        applied = {one.id for one in done.entries if one.place is cvar.Place.PROJECT}
        withheld = set(done.withheld) & {
            *files,
            *(one.id for one in done.entries if one.place is cvar.Place.WITHHELD),
        }
        return spec.Screened(
            tuple(one for one in items if one.value in applied | {*done.prompts}),
            tuple(one for one in items if one.value in withheld),
        )

    def trust(self, directory: spec.Directory, said: tuple[spec.Listing, ...]) -> spec.Trust:
        entries = [cvar.Entry("theme", ["/"], cvar.Place.GLOBAL)]
        for one in said:
            given = [_listed(entry) for entry in one.entries]
            entries.append(cvar.Entry("trustedProjects", given, _PLACES[one.place]))
        entries.append(cvar.Entry("trustedProjects", "no list", cvar.Place.GLOBAL))
        found = core.trusted_projects(entries)
        listed = {_listed(entry): entry for one in said for entry in one.entries}
        return spec.Trust(
            found.trusts("/" + _directory(directory.parts)),
            tuple(listed[name] for name in found.relative),
        )

    def servers(self, said: tuple[spec.Servers, ...]) -> tuple[spec.Entry, ...]:
        entries = [cvar.Entry("modelRoles", {"s7": {}}, cvar.Place.GLOBAL)]
        for one in said:
            given = {f"s{entry.name}": _server(entry.server) for entry in one.entries}
            entries.append(cvar.Entry("mcpServers", given, _PLACES[one.place]))
        entries.append(cvar.Entry("mcpServers", {"s0": "no unit"}, cvar.Place.GLOBAL))
        return tuple(
            spec.Entry(
                int(name[1:]),
                spec.Server(_number(server.unit.get("url")), _number(server.unit.get("bearer"))),
            )
            for name, server in core.servers(entries).items()
        )

    def session_dir(
        self, flag: spec.Text, variable: spec.Text, legacy: spec.Text, setting: spec.Text
    ) -> spec.Source:
        def text(said: spec.Text, source: core.Source) -> str | None:
            words = {spec.Text.MISSING: None, spec.Text.EMPTY: "", spec.Text.SAYS: source.name}
            return words[said]

        said = {
            "EUKHE_SESSION_DIR": text(variable, core.Source.VARIABLE),
            "EUKHE_CODING_AGENT_SESSION_DIR": text(legacy, core.Source.LEGACY),
        }
        found = core.session_dir(
            text(flag, core.Source.FLAG),
            {name: value for name, value in said.items() if value is not None},
            text(setting, core.Source.SETTING),
            "/agent",
        )
        paths = {one.name: one for one in core.Source} | {"/agent/sessions": core.Source.AGENT_DIR}
        return spec.Source[paths[found.path].name if paths[found.path] is found.source else "?"]


def _number(value: object) -> int | None:
    return value if isinstance(value, int) else None


CORE = _Core()
