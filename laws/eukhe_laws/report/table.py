"""The report for people: a table grouped by area on a terminal, plain lines elsewhere."""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from dataclasses import dataclass, replace

from rich.console import Console, Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from eukhe_laws.engine.agree import PREFIX
from eukhe_laws.engine.areas import BRIDGE
from eukhe_laws.engine.verdict import Verdict, Word
from eukhe_laws.report.evidence import spelled_evidence
from eukhe_laws.report.outcome import Line, Report

__all__ = ["closing", "counted", "plain", "rich_report"]

_STYLE = {
    Word.PROVED: "bold green",
    Word.CONFIRMED: "green",
    Word.HOLDS: "cyan",
    Word.UNKNOWN: "bold yellow",
    Word.BROKEN: "bold red",
}

#: From these widths on, the table shows the cases, the bounds of each claim, and what each law says.
_NARROW, _MIDDLE, _WIDE = 76, 100, 150

#: What the bounds keep beside long names.
_BOUNDS = 16

#: So many laws that were not run are named one by one; of more only the number is said.
_MANY = 8

#: The name of the row that sums up the agreement of an area's functions.
_AGREE = "spec == core"


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


def _details(line: Line, verbose: bool) -> list[str]:
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
        return lines + [f"  {spelled_evidence(one)}" for one in verdict.evidence]
    rate = _rate(verdict)
    lines = [f"{head}: {rate}"] if rate else []
    if verbose:
        lines += [f"{head} {verdict.word.value}: {verdict.why}"]
        lines += [f"  {spelled_evidence(one)}" for one in verdict.evidence]
    return lines


@dataclass(frozen=True)
class _Row:
    """One row: a law on its subjects, the agreement of an area, or its bridge."""

    name: str
    says: str
    verdicts: tuple[Verdict, ...]

    @property
    def words(self) -> tuple[Word | None, Word | None]:
        """The words for spec and core; what is about both has its weakest word in both columns."""

        def of(subject: str) -> Word | None:
            words = [one.word for one in self.verdicts if one.subject == subject]
            return min(words, key=lambda word: word.strength) if words else None

        both = of("both")
        return of("spec") or both, of("core") or both

    @property
    def cases(self) -> str:
        return f"{sum(one.inputs for one in self.verdicts):,}"

    @property
    def met(self) -> str:
        """How many of the inputs meet the premise, in percent, rounded down."""
        tried, met = (
            sum(getattr(one, name) for one in self.verdicts) for name in ("inputs", "premise")
        )
        if not tried:
            return ""
        return "<1%" if 0 < met < tried / 100 else f"{100 * met // tried}%"

    @property
    def time(self) -> str:
        if all(one.cached for one in self.verdicts):
            return "cached"
        return f"{sum(one.seconds for one in self.verdicts if not one.cached):.1f} s"

    @property
    def bounds(self) -> str:
        """The bounds of the weakest of the verdicts: what the row claims at least."""
        least = min(self.verdicts, key=lambda one: one.word.strength)
        if not least.word.positive:
            return least.why
        best = [one for one in least.evidence if one.word is least.word]
        seeds = dict.fromkeys(f"seed {one.seed}" for one in best if one.seed is not None)
        return " | ".join([*dict.fromkeys(one.scope for one in best), *seeds])


def _rows(lines: tuple[Line, ...]) -> list[_Row]:
    """Return the rows of an area; agreement is one row, the bridge the last."""
    grouped: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        name = line.verdict.law
        grouped[_AGREE if name.startswith(PREFIX) else name].append(line)
    rows = [
        _Row(name, some[0].says, tuple(line.verdict for line in some))
        for name, some in grouped.items()
    ]
    return [replace(row, says=_agreed(row)) if row.name == _AGREE else row for row in rows]


def _agreed(row: _Row) -> str:
    count = len(row.verdicts)
    what = "One function gives" if count == 1 else f"{count} functions give"
    return f"{what} the same answer in spec and core."


def _notes(report: Report, verbose: bool) -> list[str]:
    """The lines below the table."""
    not_run = [line for line in report.lines if line.verdict.not_run]
    many = len(not_run) > _MANY
    lines: list[str] = []
    for line in report.lines:
        if not (many and line.verdict.not_run):
            lines += _details(line, verbose)
    counted_not_run = Counter(line.verdict.why for line in not_run if many)
    lines += [f"{count} verdicts are unknown: {why}" for why, count in counted_not_run.items()]
    lines += [
        f"{one.area} {one.law} [{one.subject}] is weaker: {one.message}" for one in report.weaker
    ]
    lines += list(report.notes)
    counts = ", ".join(f"{report.count(word)} {word.value}" for word in reversed(Word))
    lines += [f"{counts}; {report.profile}, seed {report.seed}, {report.seconds:.1f} s"]
    return lines


def plain(report: Report, *, verbose: bool = False) -> str:
    """Write the report as plain text, a line a row, ending with the closing line alone on a line.

    Args:
        report: What a run found.
        verbose: Whether to list what every engine looked at.
    """
    lines: list[str] = []
    width = max([32, *(len(row.name) for area in report.areas for row in _rows(report.of(area)))])
    for area in report.areas:
        lines.append(area)
        for row in _rows(report.of(area)):
            words = " ".join(f"{word.value if word else '-':<9}" for word in row.words)
            numbers = f"{row.cases:>10} {row.met:>5} {row.time:>7}"
            lines.append(f"  {row.name:<{width}} {words} {numbers}  {row.bounds}".rstrip())
    return "\n".join([*lines, "", *_notes(report, verbose), closing(report), ""])


def _cell(word: Word | None) -> Text:
    return Text(word.value, style=_STYLE[word]) if word is not None else Text("")


def _room(report: Report, width: int, numbers: tuple[str, ...]) -> int:
    """How wide names may be, so that the columns behind them are all shown; a longer name is cut short."""
    rows = [row for area in report.areas for row in _rows(report.of(area))]
    gap = 2
    taken = 2 * (9 + gap)  # the words for spec and core
    for name in numbers:
        cells = {"cases": [row.cases for row in rows], "met": [row.met for row in rows]}
        found = cells.get(name, [row.time for row in rows])
        taken += gap + max(map(len, [name, *found]))
    if width >= _MIDDLE:
        taken += gap + _BOUNDS
    return max(10, width - taken)


def rich_report(report: Report, console: Console, *, verbose: bool = False) -> RenderableType:
    """Build the report for a terminal: a table grouped by area, then what needs attention.

    Args:
        report: What a run found.
        console: Where it is shown: its width decides which columns there are.
        verbose: Whether to list what every engine looked at.
    """
    wide = console.width >= _WIDE
    numbers = ("cases", "met", "time") if console.width >= _NARROW else ()
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("law", no_wrap=True, max_width=_room(report, console.width, numbers))
    if wide:
        table.add_column("meaning", style="dim", ratio=3)
    for name in ("spec", "core"):
        table.add_column(name, no_wrap=True, min_width=9)
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True, style="dim")
    if console.width >= _MIDDLE:
        table.add_column("bounds", style="dim", ratio=1 if wide else None)
    for area in report.areas:
        table.add_row(Text(area, style="bold"))
        for row in _rows(report.of(area)):
            cells: list[Text | str] = [f"  {row.name}"]
            cells += [Text(row.says)] if wide else []
            cells += [*map(_cell, row.words)]
            cells += [row.cases, row.met, row.time] if numbers else []
            cells += [Text(row.bounds)] if console.width >= _MIDDLE else []
            table.add_row(*cells)
    notes = [Text(line) for line in _notes(report, verbose)]
    style = "green" if report.ok else "red"
    return Group(table, Rule(style="dim"), *notes, Text(closing(report), style=style))
