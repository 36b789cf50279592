"""One side of an area, spec or core, ready to be mutated."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from eukhe_bridge.kit import Bridge
from eukhe_laws.engine.law import Law
from eukhe_laws.engine.mutation import Mutant, Place, mutants_of
from eukhe_laws.engine.rooms import Rooms, modules_of, source_of
from eukhe_laws.engine.swap import SwapError, swap, swappable
from eukhe_laws.engine.teeth import Fate
from eukhe_laws.engine.touched import Caches, caches_of, forget
from eukhe_laws.engine.trial import (
    BaselineError,
    Budget,
    Kill,
    Prepared,
    Script,
    bound_memory,
    prepare,
    script,
    try_bridge,
    try_laws,
)

__all__ = ["Side", "side_of"]


@dataclass(frozen=True)
class Side:
    """One side of an area, ready to be mutated."""

    name: str
    sources: dict[str, tuple[str, str]]
    mutants: tuple[Mutant, ...]
    subject: Any
    prepared: tuple[Prepared, ...]
    script: Script
    run: Callable[[Any], str]
    budget: Budget

    caches: Caches

    def trying(self, mutant: Mutant) -> tuple[Prepared, ...]:
        """Return the laws that could notice a mutant: those that run its function."""
        if mutant.place is Place.TABLE:
            return self.prepared
        return tuple(one for one in self.prepared if _key(mutant) in one.touched)

    def fate(self, mutant: Mutant, kill: Kill | None) -> Fate:
        """Say what became of a mutant."""
        source, file = self.sources[mutant.module]
        kill = kill or Kill("", "")
        return Fate(
            self.name,
            file,
            mutant.function,
            mutant.line,
            mutant.change,
            mutant.diff(source, file),
            kill.by,
            kill.how,
            kill.said,
        )

    def trial(
        self, mutant: Mutant, prepared: Sequence[Prepared], first: frozenset[str], bridge: bool
    ) -> list[Kill]:
        """Put the mutant in, in this process, and say who notices."""
        bound_memory()
        source, _ = self.sources[mutant.module]
        try:
            swap(mutant, source)
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            return [Kill("import", "raised", f"{type(error).__name__}: {error}")]
        forget(self.caches)
        kills = list(try_laws(prepared, self.subject, self.budget, first=first))
        if not kills and bridge:
            noticed = try_bridge(self.script, self.run, self.budget)
            kills = [noticed] if noticed else []
        return kills


def _key(mutant: Mutant) -> str:
    return f"{mutant.module}.{mutant.function}"


def _functions(
    mutants: Sequence[Mutant], sources: Mapping[str, tuple[str, str]]
) -> dict[str, FunctionType]:
    """Find the functions that are mutated.

    Raises:
        BaselineError: a function is not where its name says, so that no mutant of it could be put in.
    """
    found: dict[str, FunctionType] = {}
    for mutant in mutants:
        if mutant.place is Place.TABLE or _key(mutant) in found:
            continue
        try:
            found[_key(mutant)] = swappable(mutant, sources[mutant.module][0])
        except SwapError as error:
            raise BaselineError(str(error)) from error
    return found


def side_of(name: str, rooms: Rooms, laws: Sequence[Law], budget: Budget, match: str) -> Side:
    """Make a side ready: its mutants, the laws with their inputs, and the bridge's transcripts.

    Args:
        name: `spec` or `core`.
        rooms: The area's modules.
        laws: The area's laws.
        budget: How hard each mutant is tried.
        match: Only functions whose qualified name contains this.

    Raises:
        BaselineError: a law or the bridge fails without any mutant, or a function cannot be mutated.
    """
    modules = modules_of(rooms.spec if name == "spec" else rooms.core)
    sources = {module.__name__: source_of(module) for module in modules}
    every = [one for key, (text, _) in sources.items() for one in mutants_of(key, text)]
    mutants = tuple(one for one in every if match in one.function)
    area = importlib.import_module(rooms.laws)
    subject = area.SPEC if name == "spec" else area.CORE
    bridge: Bridge[Any] = importlib.import_module(rooms.bridge).BRIDGE
    names = (rooms.spec, rooms.core, rooms.laws, rooms.bridge)
    caches = caches_of(frozenset(one.partition(".")[0] for one in names))
    functions = _functions(mutants, sources)
    return Side(
        name,
        sources,
        mutants,
        subject,
        tuple(prepare(law, subject, budget, functions, caches) for law in laws),
        script(bridge, name, budget),
        bridge.spec if name == "spec" else bridge.core,
        budget,
        caches,
    )
