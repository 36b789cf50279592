"""What mutants showed about an area: who noticed them, who survived, which laws notice anything at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["BAR", "LAWS_BAR", "Fate", "Teeth"]

#: The share of an area's mutants that laws or bridge must kill.
BAR = 0.95

#: The share of an area's mutants that the laws alone must kill.
LAWS_BAR = 0.90


@dataclass(frozen=True)
class Fate:
    """What became of one mutant.

    Attributes:
        side: `spec` or `core`.
        file: The source file, relative to its package's root.
        function: The edited function, or the names that a table binds.
        line: The line of the edit.
        change: The edit in words.
        diff: The edit as a unified diff.
        by: The law that noticed, `bridge`, or empty for a survivor.
        how: `false`, `raised`, `endless`, `vacuous`, `differs`, `crashed`; empty for a survivor.
        said: The exception or the witness that was lost, when there is one.
    """

    side: str
    file: str
    function: str
    line: int
    change: str
    diff: str
    by: str = ""
    how: str = ""
    said: str = ""

    @property
    def survived(self) -> bool:
        """Whether nothing noticed the mutant."""
        return not self.by


@dataclass(frozen=True)
class Teeth:
    """What the mutants of one area showed.

    Attributes:
        area: The area.
        fates: Every mutant, spec before core, in the order of the source.
        laws: Each law with how many mutants it is known to notice; 0 means that it noticed none.
        budget: The inputs a law and the scenarios, in words.
        seed: The seed of draws and scenarios.
        cut: Whether the search for laws without a kill was stopped by the clock.
        seconds: Wall time; for the reader, never compared.
    """

    area: str
    fates: tuple[Fate, ...]
    laws: tuple[tuple[str, int], ...]
    budget: str
    seed: int
    cut: bool = False
    seconds: float = 0.0

    def made(self, side: str | None = None) -> int:
        """Return how many mutants there are, of one side or of both."""
        return sum(side in (None, one.side) for one in self.fates)

    def killed_by_laws(self, side: str | None = None) -> int:
        """Return how many mutants the laws alone notice."""
        return sum(side in (None, one.side) and one.by not in ("", "bridge") for one in self.fates)

    def killed(self, side: str | None = None) -> int:
        """Return how many mutants the laws or the bridge notice."""
        return sum(side in (None, one.side) and not one.survived for one in self.fates)

    @property
    def survivors(self) -> tuple[Fate, ...]:
        """The mutants that nothing notices."""
        return tuple(one for one in self.fates if one.survived)

    @property
    def bridge_only(self) -> tuple[Fate, ...]:
        """The mutants that only the bridge notices: a law is missing, or its scope is too small."""
        return tuple(one for one in self.fates if one.by == "bridge")

    @property
    def toothless(self) -> tuple[str, ...]:
        """The laws that notice no mutant."""
        return tuple(name for name, kills in self.laws if not kills)

    @property
    def ok(self) -> bool:
        """Whether both bars are met and every law notices at least one mutant."""
        made = self.made()
        return (
            self.killed() >= BAR * made
            and self.killed_by_laws() >= LAWS_BAR * made
            and not (self.toothless and not self.cut)
        )

    def encoded(self) -> dict[str, Any]:
        """Return what JSON can say; `decoded` reads it back."""
        return asdict(self)

    @classmethod
    def decoded(cls, said: Mapping[str, Any]) -> Teeth:
        """Read back what `encoded` gave, also through JSON."""
        fates = tuple(Fate(**one) for one in said["fates"])
        laws = tuple((str(name), int(kills)) for name, kills in said["laws"])
        return cls(**{**said, "fates": fates, "laws": laws})
