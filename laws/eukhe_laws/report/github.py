"""`--github`: workflow commands that GitHub Actions shows at the law, and the table for the step's summary."""

from __future__ import annotations

from eukhe_laws.engine.verdict import Word
from eukhe_laws.report.failing import Kind, Row, body, rows
from eukhe_laws.report.json import relative
from eukhe_laws.report.outcome import Line, Report
from eukhe_laws.report.table import closing

__all__ = ["commands", "summary"]


def _data(text: str) -> str:
    """Escape the message of a workflow command, which ends at a line break."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Escape a property of a workflow command, which also ends at a comma or a colon."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _state(row: Row) -> str:
    match row.kind:
        case Kind.WEAKER:
            return "is weaker than its baseline"
        case Kind.NOT_RUN:
            return "was not run"
        case _:
            return "is broken" if row.kind is Kind.BROKEN else "is unknown"


def _annotation(row: Row) -> str:
    level = "warning" if row.kind is Kind.NOT_RUN else "error"
    properties = []
    if row.line is not None and row.line.file:
        properties.append(f"file={_property(relative(row.line.file))}")
        properties.append(f"line={row.line.line}")
    title = f"law {row.law} [{row.subject}] {_state(row)}"
    properties.append(f"title={_property(title)}")
    return f"::{level} {','.join(properties)}::{_data(f'{row.why}{chr(10)}{body(row)}'.rstrip())}"


def commands(report: Report) -> str:
    """Return one workflow command a line for each verdict that is not fine; empty when all are."""
    found = [_annotation(row) for row in rows(report) if row.kind is not Kind.PASS]
    return "".join(f"{one}\n" for one in found)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def _words(lines: tuple[Line, ...]) -> str:
    counts = [
        (word.value, sum(line.verdict.word is word for line in lines)) for word in reversed(Word)
    ]
    return ", ".join(f"{count} {word}" for word, count in counts if count)


def summary(report: Report) -> str:
    """Return the report as Markdown: what needs someone to act first, then a line an area, then every law."""
    bad = [row for row in rows(report) if row.kind is not Kind.PASS]
    lines = ["## Laws", "", f"{closing(report)} ({report.profile}, seed {report.seed})", ""]
    if bad:
        lines += ["| law | subject | | why |", "| --- | --- | --- | --- |"]
        lines += [
            f"| {row.area} `{row.law}` | {row.subject} | {_state(row)} | {_cell(row.why)} |"
            for row in bad
        ]
        lines.append("")
    lines += ["| area | claims |", "| --- | --- |"]
    lines += [f"| {area} | {_words(report.of(area))} |" for area in report.areas]
    lines += ["", "<details><summary>Every law</summary>", ""]
    lines += ["| area | law | subject | word | why |", "| --- | --- | --- | --- | --- |"]
    lines += [
        f"| {line.verdict.area} | `{line.verdict.law}` | {line.verdict.subject} "
        f"| {line.verdict.word.value} | {_cell(line.verdict.why)} |"
        for line in report.lines
    ]
    return "\n".join([*lines, "", "</details>", ""])
