"""`--replay`: run exactly one input, in plain Python."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from eukhe_laws.engine.areas import Area, area_names, load, subject_of
from eukhe_laws.engine.law import Law
from eukhe_laws.engine.replay import Parsed, ReplayError, arguments, parse, program
from eukhe_laws.engine.search import breaks, spelled

__all__ = ["Again", "Replayed", "again"]


class Again(Enum):
    """What became of the input."""

    FAILS = "fails"
    HOLDS = "holds"
    PREMISE_NOT_MET = "premise not met"


@dataclass(frozen=True)
class Replayed:
    """What one input gave.

    Attributes:
        law: The law.
        subject: `spec`, `core` or `both`.
        outcome: What became of it.
        raised: The exception when the law raised.
        python: The program that runs the same input.
    """

    law: str
    subject: str
    outcome: Again
    raised: str
    python: str

    def text(self) -> str:
        """Say it in lines."""
        said = f", {self.raised}" if self.raised else ""
        return f"{self.python}\n{self.law} [{self.subject}] {self.outcome.value}{said}"

    def data(self) -> dict[str, Any]:
        """Give it as JSON."""
        return {
            "law": self.law,
            "subject": self.subject,
            "outcome": self.outcome.value,
            "raised": self.raised,
            "python": self.python,
        }


def _areas(parsed: Parsed) -> Iterable[str]:
    """The areas in which the law may be: the one that the id names, else all of them."""
    area = parsed.law.rpartition(".")[0]
    return (area,) if area else area_names()


def _find(parsed: Parsed) -> tuple[Area, Law]:
    name = parsed.law.rpartition(".")[2]
    known: list[str] = []
    for where in _areas(parsed):
        try:
            area = load(where)
        except Exception as error:
            if "." in parsed.law and "." not in where and where not in area_names():
                near = difflib.get_close_matches(where, area_names(), n=3, cutoff=0.5)
                hint = f"; the nearest are {', '.join(near)}" if near else ""
                raise ReplayError(
                    f"the id is of the area {where!r}, which does not exist{hint}"
                ) from None
            if "." in parsed.law:
                raise ReplayError(f"{where} could not be imported: {spelled(error)}") from None
            continue
        law = area.law(name)
        if law is not None:
            return area, law
        known += [one.name for one in (*area.laws, *area.agree)]
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    hint = f"; the nearest are {', '.join(near)}" if near else ""
    raise ReplayError(f"the id is of the law {parsed.law!r}, which does not exist{hint}")


def again(text: str) -> Replayed:
    """Run the input of an id.

    Raises:
        ReplayError: the id cannot be run: no id, no such law or subject, or another version.
    """
    parsed = parse(text)
    area, law = _find(parsed)
    subjects = ("both",) if law in area.agree else ("spec", "core")
    if parsed.subject not in subjects:
        raise ReplayError(
            f"{law.name} is no law on {parsed.subject!r}, only on {', '.join(subjects)}"
        )
    values = arguments(law, parsed)
    subject = subject_of(area, parsed.subject)
    try:
        raised = breaks(law, subject, values)
        met = law.given is None or law.given(subject, *values)
    except Exception as error:
        raise ReplayError(f"the premise of {law.name} raised {spelled(error)}") from None
    outcome = Again.FAILS if raised is not None else Again.HOLDS if met else Again.PREMISE_NOT_MET
    return Replayed(
        law.name, parsed.subject, outcome, raised or "", program(law, parsed.subject, values)
    )
