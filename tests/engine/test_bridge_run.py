"""The bridge as a line: equal transcripts hold, a difference breaks, an unreached rule is vacuous."""

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from eukhe_bridge.kit import Bridge, run
from eukhe_laws.engine.bridge_run import verdict_of, write
from eukhe_laws.engine.verdict import Verdict, Word


def doubled(value: int) -> str:
    return f"{2 * value}\n"


def bridge(core: Callable[[int], str] = doubled, *rules: str) -> Bridge[int]:
    def scenarios(_rng: Random, count: int) -> Iterator[int]:
        yield from range(count)

    def reached(value: int, _said: str) -> frozenset[str]:
        return frozenset({"even" if value % 2 == 0 else "odd"})

    return Bridge("till", ("even", "odd", *rules), scenarios, doubled, core, reached)


def verdict(one: Bridge[int]) -> Verdict:
    return verdict_of(run(one), 1.0)


def test_equal_transcripts_hold_with_the_count_of_every_rule() -> None:
    found = verdict(bridge())
    assert (found.word, found.subject) == (Word.HOLDS, "both")
    assert found.evidence[0].reached == (("even", 150), ("odd", 150))
    assert found.evidence[0].scope == "300 scenarios, 2 rules"


def test_a_difference_is_broken_and_shows_the_first_scenario_as_a_diff() -> None:
    found = verdict(bridge(lambda value: doubled(value if value != 7 else 8)))
    assert found.word is Word.BROKEN
    assert found.counterexample is not None
    assert found.counterexample.raised == "1 of 300 transcripts differ"
    assert (
        found.counterexample.python == "# scenario 8: 7\n--- spec\n+++ core\n@@ -1 +1 @@\n-14\n+16"
    )
    assert found.counterexample.replay == ""


def test_a_rule_that_no_scenario_reaches_is_vacuous() -> None:
    found = verdict(bridge(doubled, "huge"))
    assert (found.word, found.vacuous) == (Word.UNKNOWN, True)
    assert "never reached 'huge'" in found.why


def test_both_transcripts_are_written_as_they_were_compared(tmp_path: Path) -> None:
    outcome = run(bridge(lambda value: f"{2 * value}\udcff\n"), count=100)
    write(outcome, tmp_path / "new")
    assert (tmp_path / "new" / "till.spec.txt").read_bytes().startswith(b"# scenario 1\n0\n")
    assert b"\xed\xb3\xbf" in (tmp_path / "new" / "till.core.txt").read_bytes()
