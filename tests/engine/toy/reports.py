"""A report with one line of each kind, for the tests of the writers."""

from dataclasses import replace

from eukhe_laws.engine.verdict import (
    Counterexample,
    EngineError,
    ErrorKind,
    Evidence,
    Finding,
    Word,
    merge,
)
from eukhe_laws.report.outcome import Line, Report, Weaker
from tests.engine.toy import laws

REPLAY = "toy_pays@core#0123abcd:[1,2]"

EXHAUSTED = Evidence("exhaust", "ints < 3", inputs=500, premise=400, complete=True)
PROVED = replace(EXHAUSTED, scope="the whole domain", finite=True)
SAMPLED = Evidence("sample", "ints < 5", inputs=2_000, premise=1_500, seed=1)
EMPTY = Evidence("sample", "ints < 5", inputs=2_000, premise=0, seed=1)
FOUND = Counterexample(
    "sample", "core", (), python="from toy import f\nassert f(1, '<&>\x00')", replay=REPLAY
)
LATE = EngineError("crosshair", ErrorKind.TIMEOUT, "100% late, and killed")
STOPPED = EngineError("run", ErrorKind.INTERRUPTED, "the run was stopped before this law")


def line(name: str, subject: str, *findings: Finding) -> Line:
    """Make a report's line, stated where the toy's first law is."""
    verdict = merge("toy", name, subject, findings, seconds=0.25)
    return Line(verdict, "T1", f"What {name} says.", laws.toy_pays.file, laws.toy_pays.line)


MIXED = Report(
    lines=(
        line("toy_proved", "spec", PROVED),
        line("toy_confirmed", "spec", EXHAUSTED, SAMPLED),
        line("toy_holds", "core", SAMPLED),
        line("toy_pays", "core", SAMPLED, FOUND),
        line("toy_vacuous", "spec", EMPTY),
        line("toy_late", "spec", LATE),
        line("toy_stopped", "core", STOPPED),
        line("toy_weaker", "core", SAMPLED),
        Line(merge("toy", "bridge", "both", (EXHAUSTED,)), "", "The same transcripts."),
    ),
    weaker=(
        Weaker("toy", "toy_weaker", "core", "laws.lock claims proved, this run holds"),
        Weaker("toy", "toy_gone", "spec", "laws.lock claims proved, the law is gone"),
    ),
    profile="quick",
    seed=1,
    versions=(("python", "3.11.7"), ("eukhe", "0.1.0")),
    digests=(("toy", "abc"),),
    seconds=1.5,
)

GOOD = replace(MIXED, lines=MIXED.lines[:3], weaker=())

assert [one.verdict.word for one in GOOD.lines] == [Word.PROVED, Word.CONFIRMED, Word.HOLDS]
