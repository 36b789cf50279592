"""What the scenarios of `cvar` give, on spec and core, and which rules they reach."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from eukhe_bridge.cvar.adapter import CORE
from eukhe_bridge.cvar.scenarios import GOOD, Keyboard, Layers, Lines, Scenario, Script, scenarios
from eukhe_bridge.kit import Bridge
from eukhe_spec import cvar as spec
from eukhe_spec.cvar import Broken, Kind, Place, Run, Scope, Sign

__all__ = ["BRIDGE", "RULES"]


def _transcript(subject: Any, one: Scenario) -> Iterator[str]:
    """Yield the lines that a scenario gives: what was asked, then the answer."""
    match one:
        case Layers(table, config, family, ids, said):
            yield f"registry {subject.registry(table)}"
            yield f"refused {subject.refused(table, config, family)}"
            yield f"replicated {subject.replicated(table, config, family)}"
            for size in range(len(family)):
                yield f"written {size} {subject.written(table, family[: size + 1])}"
                ran = subject.run(table, config, family[:size], family[size], said)
                yield f"run {size} {ran}"
            for cvar in range(ids):
                for size in range(len(family) + 1):
                    value = subject.value(table, config, family[:size], cvar)
                    yield f"value {cvar} of agent {size} {value}"
                for step in subject.explain(table, config, family, cvar):
                    yield f"explain {cvar} {step}"
                yield f"toggle {cvar} {subject.toggle(table, config, family, cvar)}"
                yield f"global {cvar} {subject.toggle_global(table, config, cvar)}"
        case Lines(lines, commands, value, term):
            for signs in lines:
                for cfg in (False, True):
                    yield f"split {cfg} {subject.split(signs, cfg)}"
            for words in commands:
                yield f"command {subject.read_command(words)}"
            for kind in Kind:
                yield f"type {kind} {subject.has_type(kind, value)} {subject.read_word(kind, term)}"
        case Script(aliases, bodies, binds, most):
            for whole in bodies:
                body = tuple(each for each in whole if not isinstance(each, Broken))
                yield f"expand {subject.expand(aliases, body)}"
                yield f"within {subject.expand_within(aliases, body, most)}"
            yield f"load {subject.load(aliases, bodies, Place.PROJECT)}"
            for key in range(4):
                yield f"press {key} {subject.press(aliases, binds, key)}"
        case Keyboard(defaults, chosen, chords):
            yield f"defaults {subject.default_binds(defaults)}"
            yield f"import {subject.import_binds(defaults, chosen)}"
            for mods, base in chords:
                yield f"chord {subject.chord(mods, base)}"


def _spec(one: Scenario) -> str:
    return "".join(f"{line}\n" for line in _transcript(spec, one))


def _core(one: Scenario) -> str:
    return "".join(f"{line}\n" for line in _transcript(CORE, one))


RULES: Final = (
    "registry: sound",
    "registry: duplicate id",
    "registry: wrong default",
    "registry: default unset",
    "value: default",
    "value: global config",
    "value: project config",
    "value: profile",
    "value: own set",
    "value: inherited",
    "value: undeclared",
    "value: last valid set of a layer",
    "value: global cvar the same in every agent",
    "explain: shadowed",
    "explain: withheld",
    "error: Undeclared in the config",
    "error: Undeclared in an agent",
    "error: BadValue in the config",
    "error: BadValue in an agent",
    "error: Global in a project file",
    "error: Global in an agent",
    "error: NotBool",
    "run: set",
    "run: refused",
    "toggle: inherited value",
    "toggle: own value",
    "toggle: NotBool",
    "toggle: Global",
    "toggle: Undeclared",
    "toggle: global layer only",
    "written: persist",
    "written: not persist",
    "written: invalid set",
    "replicated: some",
    "replicated: not all",
    "split: words",
    "split: quoted",
    "split: comment",
    "split: OpenQuote",
    "split: QuoteInWord",
    "command: understood",
    "command: Arguments",
    "command: Name",
    "command: Key",
    "expand: plain",
    "expand: nested",
    "expand: Cycle",
    "expand: Unknown",
    "expand: TooLong",
    "expand: redefined alias",
    "load: a line that cannot be read",
    "load: a failed line runs nothing",
    "load: an alias of a line above",
    "press: no bind",
    "press: empty bind",
    "press: first bind",
    "press: session and client",
    "press: failed expansion",
    "binds: shared key",
    "binds: import changes a key",
    "binds: import clears a key",
    "keys: a name",
    "keys: no such key",
)


def _of_layers(one: Layers, text: str) -> Iterator[str]:
    table, family = one.declarations, one.family
    if "registry RegistryError" in text:
        yield f"registry: {'duplicate id' if 'DUPLICATE' in text else 'wrong default'}"
        return
    yield "registry: sound"
    if any(row.default == spec.Odd(spec.Oddity.NULL) for row in table):
        yield "registry: default unset"
    by_id = {row.id: row for row in table}
    for cvar in range(one.ids):
        yield from _of_cvar(one, text, cvar, by_id.get(cvar))
    for line in text.splitlines():
        if line.startswith("run"):
            yield f"run: {'set' if 'refused=()' in line else 'refused'}"
    for member in family:
        for put in member.sets:
            row = by_id.get(put.id)
            if row is None or row.scope is Scope.GLOBAL:
                yield "written: invalid set"
            elif put.value in GOOD[row.kind]:
                yield f"written: {'persist' if row.persist else 'not persist'}"
    yield f"replicated: {'not all' if any(not row.replicate for row in table) else 'some'}"
    if any(row.replicate for row in table):
        yield "replicated: some"


def _said(
    one: Layers, row: spec.Declaration | None, cvar: int
) -> Iterator[tuple[str, spec.Entry | None]]:
    """Yield each layer's say about a cvar, in the order of `explain`: the layer's name, and the entry."""
    if row is not None:
        yield "default", None
    for entry in one.config:
        if entry.change.id == cvar:
            agent = entry.place is Place.AGENT
            yield "profile" if agent else f"{entry.place.value} config", entry
    for place, member in enumerate(one.family, start=1):
        last = place == len(one.family)
        changes: tuple[tuple[str, tuple[spec.Change, ...]], ...] = (
            ("profile", member.profile),
            ("own set", member.sets),
        )
        for name, layer in changes:
            for change in layer:
                if change.id == cvar:
                    yield name if last else "inherited", spec.Entry(change, Place.AGENT)


def _refusal(row: spec.Declaration | None, entry: spec.Entry, agent: bool) -> str:
    where = "an agent" if agent else "the config"
    if row is None:
        return f"error: Undeclared in {where}"
    if row.scope is Scope.GLOBAL and entry.place is not Place.GLOBAL:
        return f"error: Global in {'an agent' if agent else 'a project file'}"
    return (
        "error: NotBool" if isinstance(entry.change, spec.Flip) else f"error: BadValue in {where}"
    )


def _of_cvar(one: Layers, text: str, cvar: int, row: spec.Declaration | None) -> Iterator[str]:
    lines = [line for line in text.splitlines() if line.split()[1] == str(cvar)]
    steps = [line for line in lines if line.startswith("explain")]
    valid: list[str] = []
    winner = ""
    for (name, entry), line in zip(_said(one, row, cvar), steps, strict=True):
        agent = name in ("profile", "own set", "inherited")
        if "Fate.WINS" in line:
            winner = name
            yield f"value: {name}"
            if valid[-1:] == [name]:
                yield "value: last valid set of a layer"
        if "Fate.SHADOWED" in line:
            yield "explain: shadowed"
            valid.append(name)
        if "Fate.WITHHELD" in line:
            yield "explain: withheld"
        if "Fate.REFUSED" in line and entry is not None:
            yield _refusal(row, entry, agent)
    if row is None:
        yield "value: undeclared"
    elif row.scope is Scope.GLOBAL and len(one.family) > 1:
        yield "value: global cvar the same in every agent"
    (toggle,) = (line for line in lines if line.startswith("toggle"))
    (flipped,) = (line for line in lines if line.startswith("global"))
    if "Put(" in toggle and len(one.family) > 1:
        yield f"toggle: {'own' if winner in ('own set', 'profile') else 'inherited'} value"
    yield from (
        f"toggle: {error}"
        for error in ("NotBool", "Global", "Undeclared")
        if f"'{error}'" in toggle
    )
    if winner == "project config" and "Put(" in flipped:
        yield "toggle: global layer only"


def _of_lines(one: Lines, text: str) -> Iterator[str]:
    lines = [line.removeprefix("split ") for line in text.splitlines() if line.startswith("split")]
    for signs, typed, cfg in zip(one.lines, lines[::2], lines[1::2], strict=True):
        yield from (f"split: {fault}" for fault in ("OpenQuote", "QuoteInWord") if fault in cfg)
        if cfg.startswith("True (("):
            yield f"split: {'quoted' if Sign.QUOTE in signs else 'words'}"
        if typed.removeprefix("False ") != cfg.removeprefix("True "):
            yield "split: comment"
    for line in text.splitlines():
        if line.startswith("command"):
            yield from (
                f"command: {one}" for one in ("Arguments", "Name", "Key") if f"'{one}'" in line
            )
            if "Understood" in line:
                yield "command: understood"


def _of_script(one: Script, text: str) -> Iterator[str]:
    names = [alias.name for alias in one.aliases]
    bodies = {alias.name: alias.body for alias in one.aliases}
    for body, line in zip(
        one.lines, (line for line in text.splitlines() if line.startswith("expand")), strict=True
    ):
        runs = [each.name for each in body if isinstance(each, Run)]
        if "Failure" not in line:
            nested = any(isinstance(each, Run) for name in runs for each in bodies[name])
            yield f"expand: {'nested' if nested else 'plain'}"
            if any(names.count(name) > 1 for name in runs):
                yield "expand: redefined alias"
    yield from (
        f"expand: {error}" for error in ("Cycle", "Unknown", "TooLong") if f"'{error}'" in text
    )
    load = next(line for line in text.splitlines() if line.startswith("load"))
    if "Failed(" in load:
        yield "load: a failed line runs nothing"
    if "faulty=()" not in load:
        yield "load: a line that cannot be read"
    if len(set(names)) < load.count("Alias(") and "Failed(" not in load:
        yield "load: an alias of a line above"
    for key in range(4):
        bound = [bind.commands for bind in one.binds if bind.key == key]
        pressed = next(line for line in text.splitlines() if line.startswith(f"press {key}"))
        if not bound:
            yield "press: no bind"
        elif not bound[0]:
            yield "press: empty bind"
        elif "Failure" in pressed:
            yield "press: failed expansion"
        elif len(bound) > 1 and bound[0] != bound[1]:
            yield "press: first bind"
        if "session=(Do" in pressed and "client=(Do" in pressed:
            yield "press: session and client"


def _of_keyboard(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if line.startswith("defaults") and "), Do(" in line:
            yield "binds: shared key"
        if line.startswith("import") and "commands=(Do" in line:
            yield "binds: import changes a key"
        if line.startswith("import") and "commands=()" in line:
            yield "binds: import clears a key"
        if line.startswith("chord"):
            yield f"keys: {'no such key' if line == 'chord None' else 'a name'}"


def _reached(one: Scenario, text: str) -> frozenset[str]:
    match one:
        case Layers():
            return frozenset(_of_layers(one, text))
        case Lines():
            return frozenset(_of_lines(one, text))
        case Script():
            return frozenset(_of_script(one, text))
        case Keyboard():
            return frozenset(_of_keyboard(text))


BRIDGE: Bridge[Scenario] = Bridge("cvar", RULES, scenarios, _spec, _core, _reached, count=400)
