"""`--json`: the report for machines. The schema is documented in `docs/laws.md`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from eukhe_laws.engine.cache import project_root
from eukhe_laws.engine.record import write
from eukhe_laws.engine.verdict import Word
from eukhe_laws.report.mutants import Shown
from eukhe_laws.report.outcome import Line, Report
from eukhe_laws.report.table import counted

__all__ = ["SCHEMA", "relative", "report_json"]

#: The number of the schema; it grows when a field changes its meaning or goes away.
SCHEMA = 1


def relative(file: str) -> str:
    """Return a source file as seen from the project, or as it is when it lies elsewhere."""
    root = project_root()
    if root is not None and file and Path(file).is_relative_to(root):
        return Path(file).relative_to(root).as_posix()
    return file


def _line(line: Line) -> dict[str, Any]:
    about = {
        "section": line.section,
        "says": line.says,
        "ours": line.ours,
        "file": relative(line.file),
        "line": line.line,
    }
    return write(line.verdict) | about


def report_json(report: Report, teeth: Shown | None = None) -> str:
    """Write the report as JSON. Everything but `run` is equal for equal sources, versions and budget.

    Args:
        report: The report.
        teeth: What the mutants showed, when they were asked for too.
    """
    passed, failed, skipped = counted(report)
    data = {
        "schema": SCHEMA,
        "profile": report.profile,
        "seed": report.seed,
        "versions": dict(report.versions),
        "digests": dict(report.digests),
        "ok": report.ok,
        "words": {word.value: report.count(word) for word in reversed(Word)},
        "passed": passed,
        "failed": failed,
        "skipped": skipped,
        "verdicts": [_line(line) for line in report.lines],
        "weaker": [
            {"area": one.area, "law": one.law, "subject": one.subject, "message": one.message}
            for one in report.weaker
        ],
        "notes": list(report.notes),
        **({} if teeth is None else {"mutants": teeth.data()}),
        "run": {
            "seconds": round(report.seconds, 3),
            "cached": sum(1 for line in report.lines if line.verdict.cached),
            "timings": {
                "/".join(line.verdict.key): round(line.verdict.seconds, 3) for line in report.lines
            },
        },
    }
    return json.dumps(data, indent=2)
