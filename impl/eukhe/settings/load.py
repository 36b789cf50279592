"""Loading: the files of the config become one `Config`; nothing in them is lost in silence (S4, S4b.3).

The layers, lowest first: the global and the project `settings.json`, the global and the project `config.cfg`.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from eukhe.core.config import (
    PROMPTS,
    SETTINGS,
    TRUSTED_PROJECTS,
    Missing,
    Refused,
    Trusted,
    leaves,
    read,
    screen,
    trusted_projects,
)
from eukhe.core.cvar import Place, base, over
from eukhe.settings.disk import mark, parse, read_text
from eukhe.settings.issues import Issue, of_entry, shown
from eukhe.settings.migrate import migrated
from eukhe.settings.places import PROJECT_DIR

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from eukhe.core.cvar import Aliases, Cvars, Entry, Line, Registry
    from eukhe.settings.disk import Mark, Text
    from eukhe.settings.places import Files

__all__ = ["Config", "Layer", "cfg_layer", "document_layer", "load_config", "place_of"]


class Layer(NamedTuple):
    """What one file says.

    Attributes:
        path: The file.
        entries: Its sets and toggles, in order.
        aliases: The aliases after it; for a document those before it.
        issues: What is wrong with it.
        missing: Whether there is no such file.
        lines: The lines of a cfg file that could be read.
    """

    path: Path
    entries: tuple[Entry, ...] = ()
    aliases: Aliases = MappingProxyType({})
    issues: tuple[Issue, ...] = ()
    missing: bool = False
    lines: tuple[Line, ...] = ()


class Config(NamedTuple):
    """The config as it was read; never changed.

    Attributes:
        files: Where it came from.
        layers: Each file's layer, lowest first, the project's as trust lets it through.
        cvars: The values, before any agent's profile and sets.
        aliases: The aliases that the cfg files define.
        issues: The settings errors, those of the files first.
        trusted: Whether the project is trusted; true in the directory of the agent directory itself.
        withheld: What was withheld from an untrusted project: ids and file names.
        prompts: The prompt files that count, by name: the project's before the global one.
        marks: The files that were read, each with its mark.
    """

    files: Files
    layers: tuple[Layer, ...]
    cvars: Cvars
    aliases: Aliases
    issues: tuple[Issue, ...]
    trusted: bool
    withheld: tuple[str, ...]
    prompts: Mapping[str, Path]
    marks: tuple[tuple[Path, Mark], ...]

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entries of every layer, lowest first."""
        return tuple(entry for layer in self.layers for entry in layer.entries)

    def changed(self) -> bool:
        """Say whether a file is no longer the one that was read.

        Two stats for the global files, and two more where the project has an `.eukhe`.
        """
        return any(mark(path) != before for path, before in self.marks)

    def trusts(self, directory: Path) -> bool:
        """Say whether the files of a directory count as the user's own (S4b.5).

        Args:
            directory: Any directory, absolute and without links. The one that the agent directory is in under
                the name `.eukhe` is trusted, as a project it is the global layer itself.
        """
        return _is_home(self.files, directory) or _trusts(trusted_projects(self.entries), directory)


def document_layer(
    registry: Registry, path: Path, found: Text, place: Place, aliases: Aliases
) -> Layer:
    """Return the layer that a settings document makes.

    Args:
        registry: The cvars.
        path: The document.
        found: What it holds.
        place: Global or project.
        aliases: The aliases of the layers below, which a document never changes.
    """
    disk = parse(found)
    document = read(SETTINGS, disk)
    if isinstance(document, Refused):
        message = (
            f"the file {document.fault.value} ({document.why}), so nothing in it counts; repair it"
        )
        return Layer(path, (), aliases, (Issue(document.fault.name.title(), str(path), message),))
    document, moved = migrated(registry, document)
    lines = _lines(found.text) if moved else {}
    issues = [
        Issue("Migrated", str(path), one.message, one.old, lines.get(one.old)) for one in moved
    ]
    entries = leaves(registry, document, place, str(path))
    return Layer(path, entries, aliases, tuple(issues), isinstance(disk, Missing))


def cfg_layer(path: Path, found: Text, place: Place, aliases: Aliases) -> Layer:
    """Return the layer that a cfg file makes: a config.cfg or the profile of an agent.

    Args:
        path: The file.
        found: What it holds.
        place: Global, project or profile.
        aliases: The aliases of the layers below.
    """
    if found.missing:
        return Layer(path, (), aliases, missing=True)
    if found.unreadable:
        message = (
            f"the file cannot be read ({found.unreadable}), so nothing in it counts; repair it"
        )
        return Layer(path, (), aliases, (Issue("Unreadable", str(path), message),))
    from eukhe.core.cvar import load, parse_script  # only who has such a file pays for the import

    script = parse_script(found.text)
    loaded = load(aliases, script.lines, place, str(path))
    issues = [
        Issue(error.fault.value, str(path), _said(error.message), line=error.line)
        for error in script.errors
    ]
    issues += [
        Issue(
            failed.failure.error.value,
            str(path),
            f"{failed.failure.message}; this line runs nothing",
            failed.failure.name,
            failed.line,
        )
        for failed in loaded.failed
    ]
    if loaded.left:
        message = "`bind` and `action` have no effect here; they belong in binds.cfg"
        here = [
            line.number for line in script.lines if any(one in loaded.left for one in line.commands)
        ]
        # A line that runs an alias has none of them itself: then the file is all that is known.
        issues += [Issue("Misplaced", str(path), message, line=line) for line in here or (None,)]
    return Layer(path, loaded.entries, loaded.aliases, tuple(issues), lines=script.lines)


def _said(message: str) -> str:
    """The message of a line's fault without the line, which the place names already."""
    return f"{message.partition(', ')[2]}; this line has no effect"


def load_config(registry: Registry, files: Files) -> Config:
    """Read the config.

    Args:
        registry: The cvars.
        files: Where it is.
    """
    marks: list[tuple[Path, Mark]] = []

    def text(path: Path) -> Text:
        found = read_text(path)
        marks.append((path, found.mark))
        return found

    low = document_layer(registry, files.settings, text(files.settings), Place.GLOBAL, {})
    high = cfg_layer(files.cfg, text(files.cfg), Place.GLOBAL, {})
    trust = trusted_projects((*low.entries, *high.entries))
    issues = [*low.issues, *high.issues, *_relative(trust, files)]
    layers: tuple[Layer, ...] = (low, high)
    aliases = high.aliases
    trusted = files.project is None or _trusts(trust, files.project)
    withheld: tuple[str, ...] = ()
    prompts = _prompts(files.agent_dir)
    project = files.project_dir
    if project is not None and project.is_dir():
        documents = project / "settings.json"
        scripts = project / "config.cfg"
        mine = document_layer(registry, documents, text(documents), Place.PROJECT, {})
        own = cfg_layer(scripts, text(scripts), Place.PROJECT, high.aliases)
        found = _prompts(project)
        kept = screen((*mine.entries, *own.entries), found, trusted)
        cut = len(mine.entries)
        issues += [*mine.issues, *own.issues]
        withheld = kept.withheld
        if trusted:
            aliases = own.aliases
        else:
            new = [name for name in own.aliases if own.aliases[name] != high.aliases.get(name)]
            withheld += tuple(f"alias {name}" for name in new)
        prompts |= {name: found[name] for name in kept.prompts}
        mine = mine._replace(entries=kept.entries[:cut])
        own = own._replace(entries=kept.entries[cut:])
        layers = (low, mine, high, own)
    cvars = base(registry)
    for layer in layers:
        cvars = over(cvars, layer.entries)
    lines: dict[str, dict[str, int]] = {}
    for refusal in cvars.refused:
        if refusal.entry.id == TRUSTED_PROJECTS and refusal.entry.place is Place.PROJECT:
            continue  # has its own warning
        issues.append(of_entry(refusal.error, *place_of(refusal.entry, lines)))
    issues += _warnings(files, layers, withheld)
    return Config(
        files,
        layers,
        cvars,
        aliases,
        shown(issues),
        trusted,
        withheld,
        prompts,
        tuple(marks),
    )


def place_of(entry: Entry, known: dict[str, dict[str, int]]) -> tuple[str, int | None]:
    """Return the file and the line of an entry.

    Args:
        entry: The entry.
        known: The lines of the keys of the documents that were looked into before; filled here.
    """
    if entry.origin.endswith(".json"):
        if entry.origin not in known:
            known[entry.origin] = _lines(read_text(Path(entry.origin)).text)
        return entry.origin, known[entry.origin].get(entry.id)
    file, _, line = entry.origin.rpartition(":")
    return (file, int(line)) if line.isdecimal() else (entry.origin, None)


def _lines(text: str) -> dict[str, int]:
    from eukhe.settings.json_text import (
        key_lines,  # only an explanation and an error pay for the import
    )

    return key_lines(text)


def _is_home(files: Files, directory: Path) -> bool:
    # By its name alone: any project can hold a link `.eukhe` that leads to the agent directory.
    agent = files.agent_dir
    return agent.name == PROJECT_DIR and os.path.realpath(agent.parent) == str(directory)


def _trusts(trust: Trusted, project: Path) -> bool:
    real = Trusted(tuple(os.path.realpath(one) for one in trust.directories), ())
    return real.trusts(str(project))


def _relative(trust: Trusted, files: Files) -> list[Issue]:
    message = "{!r} is no absolute directory, so it trusts nothing; write the whole path"
    return [
        Issue("BadValue", str(files.agent_dir), message.format(one), TRUSTED_PROJECTS)
        for one in trust.relative
    ]


def _prompts(directory: Path) -> dict[str, Path]:
    paths = {name: directory / name for name in PROMPTS}
    return {name: path for name, path in paths.items() if path.is_file()}


def _warnings(files: Files, layers: Iterable[Layer], withheld: tuple[str, ...]) -> list[Issue]:
    """What trust kept out."""
    found: list[Issue] = []
    names = [name for name in withheld if name != TRUSTED_PROJECTS]
    if names:
        message = (
            f"the project is not trusted, so these were withheld: {', '.join(names)}; "
            f"to let them apply: eukhe trust {files.project}"
        )
        found.append(Issue("Withheld", str(files.project_dir), message))
    for layer in layers:
        for entry in layer.entries:
            if entry.id == TRUSTED_PROJECTS and entry.place is not Place.GLOBAL:
                message = f"{TRUSTED_PROJECTS} counts in the global files only, so that no project trusts itself"
                found.append(Issue("Global", str(layer.path), message, TRUSTED_PROJECTS))
    return found
