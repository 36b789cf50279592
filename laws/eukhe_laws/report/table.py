"""The report for people: a table grouped by area on a terminal, plain lines elsewhere."""

from __future__ import annotations

import shlex
from collections import defaultdict

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from eukhe_laws.engine.agree import PREFIX
from eukhe_laws.engine.areas import BRIDGE
from eukhe_laws.engine.verdict import Evidence, Verdict, Word
from eukhe_laws.report.outcome import Line, Report

__all__ = ["closing", "counted", "plain", "rich_report"]

_STYLE = {
    Word.PROVED: "bold green",
    Word.CONFIRMED: "green",
    Word.HOLDS: "cyan",
    Word.UNKNOWN: "bold yellow",
    Word.BROKEN: "bold red",
}

#: From this width on, the table shows what each law says.
_WIDE = 130


def counted(report: Report) -> tuple[int, int, int]:
    """Count what passed, failed and was skipped.

    A verdict that is broken, or that an engine's failure or vacuity keeps unknown, failed; so did one that is
    weaker than the baseline. What was not run was skipped.
    """
    skipped = sum(1 for line in report.lines if line.verdict.not_run)
    weaker = {(one.area, one.law, one.subject) for one in report.weaker}
    failed = sum(
        1
        for line in report.lines
        if not line.verdict.not_run
        and (not line.verdict.word.positive or line.verdict.key in weaker)
    )
    gone = len(weaker - {line.verdict.key for line in report.lines})
    return len(report.lines) - skipped - failed, failed + gone, skipped


def closing(report: Report) -> str:
    """Return the last line: `N passed, N failed, N skipped`."""
    passed, failed, skipped = counted(report)
    return f"{passed} passed, {failed} failed, {skipped} skipped"


def _rate(verdict: Verdict) -> str:
    """Say the premise rate when it is under one percent."""
    tried, met = verdict.inputs, verdict.premise
    if tried and 0 < met < tried / 100:
        return f"only {met:,} of {tried:,} inputs meet the premise"
    return ""


def _evidence(one: Evidence) -> str:
    parts = [f"{one.engine}: {one.scope}"]
    if one.shapes is not None:
        parts.append(f"{one.shapes[0]} of {one.shapes[1]} shapes, {one.paths:,} paths")
    elif one.engine != BRIDGE:
        met = "" if one.premise == one.inputs else f", {one.premise:,} meet the premise"
        parts.append(f"{one.inputs:,} inputs{met}")
    if one.seed is not None:
        parts.append(f"seed {one.seed}")
    if one.note:
        parts.append(one.note)
    return "; ".join(parts)


def _details(line: Line) -> list[str]:
    """Spell what a reader needs to act on: a counterexample, an engine's failure, vacuity, a low premise rate."""
    verdict = line.verdict
    head = f"{verdict.area} {verdict.law} [{verdict.subject}]"
    if verdict.word is Word.BROKEN and verdict.counterexample is not None:
        found = verdict.counterexample
        size = "minimal" if found.minimal else "shrunk, not shown to be minimal"
        lines = [f"{head} is broken: {line.says}".rstrip()]
        lines += [f"  {verdict.why}" + ("" if verdict.law == BRIDGE else f"; {size}")]
        lines += [f"    {text}" for text in found.python.splitlines()]
        if found.replay:
            lines += [f"  run it again: eukhe laws --replay {shlex.quote(found.replay)}"]
        return lines
    if verdict.word is Word.UNKNOWN:
        lines = [f"{head} is unknown: {verdict.why}"]
        lines += [
            f"  {error.engine} ({error.kind.value}): {error.message}"
            for error in verdict.errors
            if error.message != verdict.why
        ]
        return lines + [f"  {_evidence(one)}" for one in verdict.evidence]
    rate = _rate(verdict)
    return [f"{head}: {rate}"] if rate else []


def _agreement(lines: tuple[Line, ...]) -> tuple[list[Line], list[Line]]:
    agree = [line for line in lines if line.verdict.law.startswith(PREFIX)]
    return [line for line in lines if line not in agree], agree


def _rows(lines: tuple[Line, ...]) -> list[tuple[str, str, list[Verdict]]]:
    """Return the rows of an area: name, meaning, verdicts; agreement is one row, the bridge the last."""
    laws, agree = _agreement(lines)
    grouped: dict[str, list[Line]] = defaultdict(list)
    for line in laws:
        grouped[line.verdict.law].append(line)
    rows = [(name, some[0].says, [line.verdict for line in some]) for name, some in grouped.items()]
    if agree:
        count = len(agree)
        says = f"{count} functions give the same answer in spec and core."
        place = next((i for i, row in enumerate(rows) if row[0] == BRIDGE), len(rows))
        rows.insert(place, ("spec == core", says, [line.verdict for line in agree]))
    return rows


def _words(verdicts: list[Verdict]) -> tuple[Word | None, Word | None]:
    """The words for spec and core; a row on both subjects has its weakest word in both columns."""
    by: dict[str, list[Word]] = defaultdict(list)
    for verdict in verdicts:
        by[verdict.subject].append(verdict.word)
    both = min(by["both"], key=lambda one: one.strength) if by["both"] else None
    spec = by["spec"][0] if by["spec"] else both
    core = by["core"][0] if by["core"] else both
    return spec, core


def _cases(verdicts: list[Verdict]) -> str:
    return f"{sum(one.inputs for one in verdicts):,}"


def _time(verdicts: list[Verdict]) -> str:
    if all(one.cached for one in verdicts):
        return "cached"
    return f"{sum(one.seconds for one in verdicts if not one.cached):.1f} s"


def _notes(report: Report) -> list[str]:
    """The lines below the table."""
    lines = [text for line in report.lines for text in _details(line)]
    lines += [
        f"{one.area} {one.law} [{one.subject}] is weaker: {one.message}" for one in report.weaker
    ]
    lines += list(report.notes)
    counts = ", ".join(f"{report.count(word)} {word.value}" for word in reversed(Word))
    lines += [f"{counts}; {report.profile}, seed {report.seed}, {report.seconds:.1f} s"]
    return lines


def plain(report: Report) -> str:
    """Write the report as plain text, a line a row, ending with the closing line alone on a line."""
    lines = []
    for area in report.areas:
        lines.append(area)
        for name, _says, verdicts in _rows(report.of(area)):
            spec, core = _words(verdicts)
            words = [f"{word.value if word else '-':<9}" for word in (spec, core)]
            lines.append(
                f"  {name:<32} {' '.join(words)} {_cases(verdicts):>10} {_time(verdicts):>7}"
            )
    return "\n".join([*lines, "", *_notes(report), closing(report), ""])


def _cell(word: Word | None) -> Text:
    return Text(word.value, style=_STYLE[word]) if word is not None else Text("")


def rich_report(report: Report, console: Console) -> RenderableType:
    """Build the report for a terminal: a table an area, then what needs attention."""
    wide = console.width >= _WIDE
    table = Table(box=None, pad_edge=False, header_style="dim", expand=False)
    table.add_column("law", no_wrap=True, min_width=26)
    if wide:
        table.add_column("meaning", style="dim", ratio=1)
    for name in ("spec", "core"):
        table.add_column(name, no_wrap=True, min_width=9)
    table.add_column("cases", justify="right", no_wrap=True)
    table.add_column("time", justify="right", no_wrap=True, style="dim")
    for area in report.areas:
        table.add_row(Text(area, style="bold"))
        for name, says, verdicts in _rows(report.of(area)):
            spec, core = _words(verdicts)
            cells: list[Text | str] = [f"  {name}"]
            if wide:
                cells.append(Text(says))
            cells += [_cell(spec), _cell(core), _cases(verdicts), _time(verdicts)]
            table.add_row(*cells)
    notes = [Text(line) for line in _notes(report)]
    style = "green" if report.ok else "red"
    return Group(
        table, Rule(style="dim"), *notes, Padding(Text(closing(report), style=style), (0, 0, 0, 0))
    )
