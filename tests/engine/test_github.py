"""GitHub Actions: one workflow command for each verdict that is not fine, and the table for the summary."""

from eukhe_laws.report.github import commands, summary
from tests.engine.toy import laws
from tests.engine.toy.reports import GOOD, MIXED


def command(name: str) -> str:
    (found,) = [one for one in commands(MIXED).splitlines() if f" {name} [" in one]
    return found


def test_a_report_that_is_fine_has_no_annotations() -> None:
    assert commands(GOOD) == ""


def test_what_is_not_fine_has_one_line_each() -> None:
    lines = commands(MIXED).splitlines()
    assert [line.split(" ")[0] for line in lines] == ["::error"] * 3 + ["::warning"] + [
        "::error"
    ] * 2


def test_a_broken_law_is_shown_where_it_is_stated() -> None:
    place = f"file=tests/engine/toy/laws.py,line={laws.toy_pays.line}"
    head = f"::error {place},title=law toy_pays [core] is broken::"
    assert command("toy_pays").startswith(head)


def test_line_breaks_and_percent_signs_are_escaped_in_messages() -> None:
    assert command("toy_late").endswith(
        "::100%25 late, and killed%0AWhat toy_late says.%0Acrosshair (timeout): 100%25 late, and killed"
    )


def test_colons_and_commas_are_escaped_in_properties() -> None:
    from eukhe_laws.report.github import _property

    assert _property("a:b,c%") == "a%3Ab%2Cc%25"


def test_a_claim_of_the_baseline_that_is_gone_has_no_place_but_a_title() -> None:
    title = "title=law toy_gone [spec] is weaker than its baseline"
    assert command("toy_gone") == f"::error {title}::laws.lock claims proved, the law is gone"


def test_the_summary_begins_with_what_needs_someone_to_act() -> None:
    lines = summary(MIXED).splitlines()
    assert lines[2] == "4 passed, 5 failed, 1 skipped (quick, seed 1)"
    table = [line for line in lines if line.startswith("| toy `toy_pays`")]
    assert table == ["| toy `toy_pays` | core | is broken | counterexample by sample |"]
    assert "| toy | 1 proved, 2 confirmed, 2 holds, 3 unknown, 1 broken |" in lines


def test_a_bar_in_a_reason_does_not_split_a_cell() -> None:
    assert "ints &lt; 3 (500 inputs)" in summary(GOOD)
    assert all(line.count(" | ") == 4 for line in summary(GOOD).splitlines() if "`toy_" in line)
