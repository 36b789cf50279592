"""The transcripts of `config`, and the rules that they must reach."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from eukhe_bridge.config.adapter import CORE
from eukhe_bridge.config.scenarios import (
    Limits,
    Project,
    Read,
    Save,
    Scenario,
    Sessions,
    Writing,
    scenarios,
)
from eukhe_bridge.kit import Bridge
from eukhe_spec import config as spec
from eukhe_spec.config import DropIn, Flip, Group, Mark, Missing, Place

__all__ = ["BRIDGE", "RULES"]


def _transcript(subject: Any, one: Scenario) -> Iterator[str]:
    match one:
        case Writing(stamped, disk, change):
            yield f"write {subject.write(stamped, disk, change)}"
        case Read(settings, document, project):
            reading = subject.leaves(settings, document, project)
            yield from (f"applies {leaf}" for leaf in reading.applied)
            yield from (f"named {leaf} {error}" for leaf, error in reading.named)
        case Save(settings, loaded, disk, path, given, project, above):
            yield f"save {subject.save(settings, loaded, disk, path, given, project, above)}"
        case Limits(said):
            for provider in range(4):
                yield f"limit {provider} {subject.in_flight(said, provider)}"
            yield f"malformed {subject.malformed(said)}"
        case Project(directory, listings, items, servers):
            trust = subject.trust(directory, listings)
            yield f"trust {trust}"
            yield f"screen {subject.screen(items, trust.trusted)}"
            yield from (f"server {entry}" for entry in subject.servers(servers))
        case Sessions(flag, variable, legacy, setting):
            yield f"sessions {subject.session_dir(flag, variable, legacy, setting)}"


def _spec(one: Scenario) -> str:
    return "".join(f"{line}\n" for line in _transcript(spec, one))


def _core(one: Scenario) -> str:
    return "".join(f"{line}\n" for line in _transcript(CORE, one))


RULES: Final = (
    "write: missing",
    "write: valid",
    "write: unreadable",
    "write: invalid",
    "write: not an object",
    "write: other version",
    "write: no version where each has one",
    "write: a value in the way",
    "write: nothing to remove",
    "write: removed from an object",
    "leaf: applies",
    "leaf: a whole map",
    "leaf: Undeclared",
    "leaf: BadValue",
    "leaf: Global",
    "leaf: reads like a path",
    "save: after another writer",
    "save: refused document",
    "save: refused value",
    "save: toggle",
    "save: shadowed",
    "save: withheld above",
    "limit: none set",
    "limit: no map",
    "limit: bad entry",
    "limit: a number",
    "limit: set by a project",
    "trust: trusted",
    "trust: not trusted",
    "trust: relative entry",
    "screen: withheld",
    "screen: free",
    "mcp: global entry kept",
    "mcp: replaced whole",
    "mcp: withheld",
    "sessions: flag",
    "sessions: variable",
    "sessions: legacy",
    "sessions: setting",
    "sessions: agent dir",
)


def _of_write(one: Writing, text: str) -> Iterator[str]:
    reasons = {
        "UNREADABLE": "unreadable",
        "INVALID": "invalid",
        "NOT_OBJECT": "not an object",
        "BLOCKED": "a value in the way",
    }
    yield from (f"write: {said}" for name, said in reasons.items() if f"Reason.{name}" in text)
    if "Reason.VERSION" in text:
        absent = isinstance(one.disk, spec.Object) and one.disk.version is spec.Version.ABSENT
        yield f"write: {'no version where each has one' if absent else 'other version'}"
    if "Unchanged" in text:
        yield "write: nothing to remove"
    elif "Write(" in text:
        yield f"write: {'missing' if isinstance(one.disk, Missing) else 'valid'}"
        if isinstance(one.change, DropIn):
            yield "write: removed from an object"


def _of_read(one: Read, text: str) -> Iterator[str]:
    for line in text.splitlines():
        if line.startswith("applies"):
            yield "leaf: applies"
            if "Group" in line:
                yield "leaf: a whole map"
    names = {"UNDECLARED": "Undeclared", "BAD_VALUE": "BadValue", "GLOBAL": "Global"}
    yield from (f"leaf: {said}" for name, said in names.items() if f"Error.{name}" in text)
    if any(key == 3 for key, _ in one.document.members):
        yield "leaf: reads like a path"


def _of_save(one: Save, text: str) -> Iterator[str]:
    if "Refused" in text:
        yield "save: refused document"
    elif "Rejected" in text:
        yield "save: refused value"
    else:
        if one.loaded != one.disk:
            yield "save: after another writer"
        if one.given is Flip.FLIP:
            yield "save: toggle"
        if "shadowed=None" not in text:
            yield "save: shadowed"
        if any(said.place is Place.WITHHELD and said.path == one.path for said in one.above):
            yield "save: withheld above"


def _of_limits(one: Limits) -> Iterator[str]:
    own = [value for place, value in one.said if place is Place.GLOBAL]
    if not own:
        yield "limit: none set"
    elif not isinstance(own[-1], Group):
        yield "limit: no map"
    else:
        yield from (
            f"limit: {'bad entry' if isinstance(value, Mark) else 'a number'}"
            for _, value in own[-1].inner
        )
    if any(place is Place.PROJECT for place, _ in one.said):
        yield "limit: set by a project"


def _of_project(one: Project, text: str) -> Iterator[str]:
    yield f"trust: {'trusted' if 'trusted=True' in text else 'not trusted'}"
    if "Listed(" in text:
        yield "trust: relative entry"
    if "trusted=False" in text:
        if "withheld=()" not in text:
            yield "screen: withheld"
        if "applied=()" not in text:
            yield "screen: free"
    seen: set[int] = set()
    for layer in one.servers:
        names = {entry.name for entry in layer.entries}
        if layer.place is Place.WITHHELD:
            yield from ("mcp: withheld" for _ in names)
            continue
        if layer.place is Place.PROJECT and seen & names:
            yield "mcp: replaced whole"
        if layer.place is Place.PROJECT and seen - names:
            yield "mcp: global entry kept"
        seen |= names


def _of(one: Scenario, text: str) -> Iterator[str]:
    match one:
        case Writing():
            yield from _of_write(one, text)
        case Read():
            yield from _of_read(one, text)
        case Save():
            yield from _of_save(one, text)
        case Limits():
            yield from _of_limits(one)
        case Project():
            yield from _of_project(one, text)
        case Sessions():
            name = text.rpartition("Source.")[2].partition(":")[0].strip(" >\n")
            yield f"sessions: {name.lower().replace('_', ' ')}"


def _reached(one: Scenario, text: str) -> frozenset[str]:
    return frozenset(_of(one, text))


BRIDGE: Bridge[Scenario] = Bridge("config", RULES, scenarios, _spec, _core, _reached, count=720)
