"""The report for people: plain text, and a table that uses the width of the terminal."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from eukhe_laws.engine.verdict import (
    Counterexample,
    EngineError,
    ErrorKind,
    Evidence,
    Verdict,
    Word,
    merge,
    unknown,
)
from eukhe_laws.report.outcome import Line, Report, Weaker
from eukhe_laws.report.table import closing, counted, plain, rich_report

WHOLE = Evidence("exhaust", "the whole domain", 900, 450, complete=True, finite=True)
RARE = Evidence("sample", "ints < 5", 50_000, 120, seed=1)
FOUND = Counterexample("sample", "core", (), "", "assert law.holds(CORE)", "law@core#0:[]", True)


def verdict(law: str, subject: str, *findings: Evidence | Counterexample | EngineError) -> Verdict:
    return merge("till", law, subject, findings, seconds=0.5)


GOOD = verdict("adds", "spec", WHOLE)
LATE = EngineError("runner", ErrorKind.INTERRUPTED, "interrupted before it finished")


def report(*verdicts: Verdict, weaker: tuple[Weaker, ...] = ()) -> Report:
    lines = tuple(Line(one, "T1", "Two tills together are worth both.") for one in verdicts)
    return Report(lines, weaker, "quick", 1, (), (), 1.0)


def test_a_row_shows_words_cases_premise_time_and_bounds() -> None:
    text = plain(report(GOOD, verdict("adds", "core", WHOLE)))
    assert text.splitlines()[:2] == [
        "till",
        "  adds                             proved    proved         1,800   50%   1.0 s  the whole domain",
    ]
    assert text.splitlines()[-1] == "2 passed, 0 failed, 0 skipped"


def test_agreement_is_one_row_with_the_weakest_word() -> None:
    some = Evidence("sample", "ints < 5", 500, 500, seed=1)
    text = plain(report(verdict("agree_a", "both", WHOLE), verdict("agree_b", "both", some)))
    assert "spec == core                     holds     holds          1,400   67%" in text
    assert "ints < 5 | seed 1" in text


def test_a_rare_premise_is_said() -> None:
    text = plain(report(verdict("adds", "spec", RARE)))
    assert "till adds [spec]: only 120 of 50,000 inputs meet the premise" in text
    assert " <1% " in text


def test_a_broken_law_is_printed_with_its_program_and_its_id() -> None:
    text = plain(report(verdict("adds", "core", RARE, FOUND)))
    assert "till adds [core] is broken: Two tills together are worth both." in text
    assert "  counterexample by sample; minimal\n    assert law.holds(CORE)\n" in text
    assert "run it again: eukhe laws --replay 'law@core#0:[]'" in text
    shrunk = plain(report(verdict("adds", "core", replace(FOUND, minimal=False))))
    assert "shrunk, not shown to be minimal" in shrunk


def test_an_unknown_law_says_what_kept_it_from_a_word() -> None:
    crash = EngineError("crosshair", ErrorKind.CRASH, "it died")
    text = plain(report(verdict("adds", "spec", WHOLE, crash)))
    assert "till adds [spec] is unknown: it died" in text
    assert "  exhaust: the whole domain; 900 inputs, 450 meet the premise" in text


@pytest.mark.parametrize(
    ("verdicts", "weaker", "counts"),
    [
        ((GOOD,), (), (1, 0, 0)),
        ((GOOD, verdict("adds", "core", FOUND)), (), (1, 1, 0)),
        ((GOOD, verdict("other", "spec")), (), (1, 1, 0)),
        ((GOOD, unknown("till", "late", "spec", LATE)), (), (1, 0, 1)),
        ((GOOD,), (Weaker("till", "adds", "spec", "less"),), (0, 1, 0)),
        ((GOOD,), (Weaker("till", "gone", "spec", "no such law"),), (1, 1, 0)),
    ],
)
def test_the_last_line_counts_what_passed_failed_and_was_skipped(
    verdicts: tuple[Verdict, ...], weaker: tuple[Weaker, ...], counts: tuple[int, int, int]
) -> None:
    found = report(*verdicts, weaker=weaker)
    assert counted(found) == counts
    assert closing(found) == "{} passed, {} failed, {} skipped".format(*counts)
    assert found.ok is (counts[1:] == (0, 0))


def test_what_is_weaker_than_the_baseline_is_said() -> None:
    text = plain(report(GOOD, weaker=(Weaker("till", "adds", "spec", "it was confirmed"),)))
    assert "till adds [spec] is weaker: it was confirmed" in text


def test_verbose_lists_what_every_engine_looked_at() -> None:
    text = plain(report(verdict("adds", "spec", WHOLE, RARE)), verbose=True)
    assert "  sample: ints < 5; 50,000 inputs, 120 meet the premise; seed 1" in text


def shown(width: int, name: str = "adds") -> str:
    console = Console(width=width, file=io.StringIO(), force_terminal=True, color_system=None)
    both = [replace(verdict("adds", subject, WHOLE), law=name) for subject in ("spec", "core")]
    console.print(rich_report(report(*both), console))
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def test_the_table_shows_bounds_and_meaning_where_there_is_room() -> None:
    assert "the whole domain" not in shown(80)
    assert "the whole domain" in shown(100)
    assert "Two tills" not in shown(149)
    assert "Two tills together are worth both." in shown(150)
    for width in (80, 100, 150):
        assert shown(width).splitlines()[-1].strip() == "2 passed, 0 failed, 0 skipped"
        assert max(map(len, shown(width).splitlines())) <= width


def test_a_narrow_terminal_still_shows_the_word_of_both_subjects() -> None:
    for name in ("adds", "a_law_whose_name_is_longer_than_most_others"):
        for width in (36, 40, 60, 75, 76, 80, 100):
            text = shown(width, name)
            (row,) = [line for line in text.splitlines() if line.startswith(f"  {name[:4]}")]
            assert row.split()[1:3] == ["proved", "proved"]
            assert ("1.0 s" in row) is (width >= 76)
            assert max(map(len, text.splitlines())) <= width


def test_a_long_name_keeps_the_columns_in_line() -> None:
    long = verdict("a_law_whose_name_is_longer_than_others", "spec", WHOLE)
    first, second = plain(report(GOOD, long)).splitlines()[1:3]
    assert first.index("proved") == second.index("proved")


def test_many_laws_that_were_not_run_are_one_line() -> None:
    def notes(count: int) -> list[str]:
        late = [unknown("till", f"late{number}", "spec", LATE) for number in range(count)]
        text = plain(report(verdict("adds", "core", FOUND), *late))
        return [line for line in text.splitlines() if "unknown: interrupted" in line]

    assert len(notes(8)) == 8
    assert notes(9) == ["9 verdicts are unknown: interrupted before it finished"]


def test_a_cached_row_says_so() -> None:
    text = plain(report(replace(GOOD, cached=True), replace(GOOD, subject="core", cached=True)))
    assert " cached  the whole domain" in text
    assert GOOD.word is Word.PROVED
