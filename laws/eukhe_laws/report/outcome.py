"""What a run found, with what a reader needs to know of each law: the one input of every writer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from eukhe_laws.engine.areas import BRIDGE
from eukhe_laws.engine.law import Law
from eukhe_laws.engine.plan import Plan
from eukhe_laws.engine.verdict import Verdict, Word

__all__ = ["Line", "Report", "Weaker", "lines_of"]


@dataclass(frozen=True)
class Line:
    """One verdict, with what the law says and where it is stated.

    Attributes:
        verdict: The verdict on one law and one subject.
        section: The section of the requirement; empty for agreement and bridge.
        says: The meaning in one sentence.
        file: The source file of the statement; empty for a bridge.
        line: The line of the statement; 0 for a bridge.
        ours: Whether the law is our own.
    """

    verdict: Verdict
    section: str
    says: str
    file: str = ""
    line: int = 0
    ours: bool = False


@dataclass(frozen=True)
class Weaker:
    """A verdict that claims less than the baseline `laws.lock` does.

    Attributes:
        area: The area.
        law: The law.
        subject: The subject.
        message: One line: what the baseline claims and what this run can claim.
    """

    area: str
    law: str
    subject: str
    message: str


@dataclass(frozen=True)
class Report:
    """A whole run.

    Attributes:
        lines: One a verdict, grouped by area in the order of the report.
        weaker: What claims less than the baseline.
        profile: The profile's name.
        seed: The seed of everything drawn.
        versions: Name and version of what the verdicts depend on.
        digests: Area and digest of the sources that its verdicts depend on.
        seconds: Wall time, for the reader only.
        notes: What else to say under the table, a line each.
    """

    lines: tuple[Line, ...]
    weaker: tuple[Weaker, ...]
    profile: str
    seed: int
    versions: tuple[tuple[str, str], ...]
    digests: tuple[tuple[str, str], ...]
    seconds: float
    notes: tuple[str, ...] = ()

    def count(self, *words: Word) -> int:
        """Return how many verdicts carry one of the words."""
        return sum(1 for line in self.lines if line.verdict.word in words)

    @property
    def areas(self) -> tuple[str, ...]:
        """The areas, in order."""
        return tuple(dict.fromkeys(line.verdict.area for line in self.lines))

    def of(self, area: str) -> tuple[Line, ...]:
        """Return the lines of one area."""
        return tuple(line for line in self.lines if line.verdict.area == area)

    @property
    def ok(self) -> bool:
        """Whether nothing is broken, unknown or weaker than the baseline."""
        return not self.weaker and not self.count(Word.BROKEN, Word.UNKNOWN)


def _line(verdict: Verdict, laws: dict[tuple[str, str], Law]) -> Line:
    law = laws.get((verdict.area, verdict.law))
    if law is not None:
        return Line(verdict, law.section, law.says, law.file, law.line, law.ours)
    if verdict.law == BRIDGE:
        return Line(verdict, "", "Spec and core write the same transcripts, byte for byte.")
    return Line(verdict, "", "")


def lines_of(made: Plan, verdicts: Iterable[Verdict]) -> tuple[Line, ...]:
    """Put the verdicts in the order of the report, each with what its law says."""
    laws = {(area.name, law.name): law for area in made.areas for law in (*area.laws, *area.agree)}
    areas = [*dict.fromkeys([area.name for area in made.areas] + [one.area for one in made.failed])]
    order = {key: place for place, key in enumerate(laws)}
    subjects = ("spec", "core", "both")

    def place(line: Line) -> tuple[int, int, int]:
        area, law, subject = line.verdict.key
        return areas.index(area), order.get((area, law), len(order)), subjects.index(subject)

    found = [_line(verdict, laws) for verdict in (*made.failed, *verdicts)]
    return tuple(sorted(found, key=place))
