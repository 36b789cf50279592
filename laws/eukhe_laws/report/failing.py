"""Which verdicts of a report need someone to act, and what to tell them: shared by the writers for CI."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from enum import Enum

from eukhe_laws.engine.verdict import Word
from eukhe_laws.report.evidence import spelled_evidence
from eukhe_laws.report.outcome import Line, Report, Weaker

__all__ = ["Kind", "Row", "body", "rows"]


class Kind(Enum):
    """What a CI system must tell apart: the law, the engine, and what was not run are three matters."""

    PASS = "pass"  # noqa: S105 -- a kind of result
    BROKEN = "broken"
    WEAKER = "weaker"
    ERROR = "error"
    NOT_RUN = "not run"


@dataclass(frozen=True)
class Row:
    """One verdict for CI.

    Attributes:
        area: The area.
        law: The law.
        subject: `spec`, `core` or `both`.
        kind: What to do about it.
        why: One line.
        line: The report's line; `None` for a claim of the baseline that nothing in this run answers.
    """

    area: str
    law: str
    subject: str
    kind: Kind
    why: str
    line: Line | None


def _kind(line: Line, weaker: Weaker | None) -> tuple[Kind, str]:
    verdict = line.verdict
    if verdict.not_run:
        return Kind.NOT_RUN, verdict.why
    if verdict.word is Word.BROKEN:
        return Kind.BROKEN, verdict.why
    if verdict.word is Word.UNKNOWN:
        return Kind.ERROR, verdict.why
    if weaker is not None:
        return Kind.WEAKER, weaker.message
    return Kind.PASS, verdict.why


def rows(report: Report) -> tuple[Row, ...]:
    """Return a row for each verdict, then one for each claim of the baseline that has no verdict any more."""
    weaker = {(one.area, one.law, one.subject): one for one in report.weaker}
    found = []
    for line in report.lines:
        kind, why = _kind(line, weaker.pop(line.verdict.key, None))
        found.append(Row(*line.verdict.key, kind, why, line))
    found += [Row(*key, Kind.WEAKER, one.message, None) for key, one in weaker.items()]
    return tuple(found)


def body(row: Row) -> str:
    """Spell what a person needs to act on a row: the failing program, its replay, errors, evidence."""
    if row.line is None:
        return ""
    verdict = row.line.verdict
    lines = [row.line.says] if row.line.says else []
    found = verdict.counterexample
    if found is not None:
        lines += found.python.splitlines()
        if found.replay:
            lines.append(f"run it again: eukhe laws --replay {shlex.quote(found.replay)}")
    lines += [f"{one.engine} ({one.kind.value}): {one.message}" for one in verdict.errors]
    lines += [spelled_evidence(one) for one in verdict.evidence]
    return "\n".join(lines)
