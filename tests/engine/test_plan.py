"""What a selection names, what it becomes, and how agreement is stated for an area."""

import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from eukhe_laws.engine.agree import Agree, agreements, left_out
from eukhe_laws.engine.areas import load
from eukhe_laws.engine.domain import Scope
from eukhe_laws.engine.plan import SelectionError, jobs_of, plan, select
from eukhe_laws.engine.profile import DEEP, QUICK
from eukhe_laws.engine.verdict import ErrorKind, Word
from eukhe_laws.engine.work import check, work
from tests.engine import till

AREA = "tests.engine.till"


def chosen(*words: str) -> set[str]:
    made = plan(words)
    return {name for names in made.chosen for name in names}


def test_laws_are_chosen_by_area_by_name_and_by_pattern() -> None:
    assert chosen("effort_clamp_idem") == {"effort_clamp_idem"}
    assert chosen("effort.effort_clamp_idem") == {"effort_clamp_idem"}
    assert chosen(f"{AREA}.till_d*") == {"till_dearer_is_one", "till_dies"}
    assert {"effort_clamp_idem", "agree_clamp", "bridge"} <= chosen("effort")
    assert chosen("effort.bridge", "ladder.bridge") == {"bridge"}


def test_areas_keep_the_order_of_the_report_whatever_the_order_of_the_words() -> None:
    assert [area.name for area in plan(["effort", "ladder"]).areas] == ["ladder", "effort"]


def test_only_an_area_chosen_whole_is_complete() -> None:
    assert plan(["effort", "ladder.bridge"]).complete == ("effort",)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("effrot", "'effrot'; the nearest are effort"),
        ("effort_clamp_idm", "the nearest are effort_clamp_idem"),
        ("effort.agree_clamb", "'effort.agree_clamb'"),
        ("?", "no area or law is named '?'"),
    ],
)
def test_a_word_that_names_nothing_is_refused(word: str, said: str) -> None:
    with pytest.raises(SelectionError, match=said.replace("?", r"\?")):
        plan(["effort", word])


def test_an_area_that_cannot_be_imported_is_unknown_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / "laws.py").write_text("import nowhere_at_all\n")
    monkeypatch.syspath_prepend(tmp_path)
    made = plan(["torn.laws"])
    (failed,) = made.failed
    assert (failed.word, failed.errors[0].kind) == (Word.UNKNOWN, ErrorKind.IMPORT)
    assert failed.why == (
        "torn.laws could not be imported: ModuleNotFoundError: No module named 'nowhere_at_all'"
    )
    assert jobs_of(made, QUICK) == ()


def test_an_area_that_cannot_be_imported_is_unknown_whatever_names_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "eukhe_laws.effort", None)
    for words in (["effort"], ["*"], ["eff*"], ["effort_clamp_idem"], ["*_idem"], ["effort.*"]):
        failed = plan(words).failed
        assert [(one.area, one.word) for one in failed] == [("effort", Word.UNKNOWN)], words
    assert plan(["ladder*"]).failed == ()
    with pytest.raises(SelectionError, match=r"'no_such'.*; effort could not be imported"):
        plan(["no_such"])


def test_a_module_that_states_no_law_is_refused() -> None:
    with pytest.raises(SelectionError, match=r"os\.path is a module that states no law"):
        plan(["os.path"])


def test_an_area_whose_bridge_is_gone_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "eukhe_bridge.gone", None)
    made = plan(["effort"])
    made = replace(made, areas=(replace(made.areas[0], name="gone"),))
    assert "bridge" in {name for names in select(made.areas, ()) for name in names}
    (job,) = [one for one in jobs_of(made, QUICK) if one.law == "bridge"]
    assert work(job, {}).word is Word.UNKNOWN


def test_a_law_runs_on_both_subjects_and_agreement_once() -> None:
    jobs = jobs_of(plan([f"{AREA}.till_worth_adds", f"{AREA}.agree_worth"]), QUICK)
    assert [(job.law, job.subject) for job in jobs] == [
        ("till_worth_adds", "spec"),
        ("till_worth_adds", "core"),
        ("agree_worth", "both"),
    ]
    assert jobs[0].inputs == 8_281 + QUICK.sample


def test_contracts_are_on_in_the_bridge_only() -> None:
    jobs = jobs_of(plan(["effort"]), QUICK, "somewhere")
    assert {job.law for job in jobs if job.contracts} == {"bridge"}
    assert {job.law for job in jobs if job.transcripts} == {"bridge"}


def test_a_budget_cuts_the_counts_by_arithmetic_alone() -> None:
    cut = DEEP.within(10, jobs=100, workers=2)
    assert cut == DEEP.within(10, jobs=100, workers=2)
    assert (cut.exhaust, cut.sample) == (3_333, 666)
    assert cut.crosshair_seconds == 0.2
    assert QUICK.within(10_000, jobs=10, workers=2).exhaust == QUICK.exhaust


def area_module(**bound: Any) -> ModuleType:
    module = ModuleType("tests.engine.till_again")
    vars(module).update(vars(till) | bound)
    vars(module)["__annotations__"] = {"SPEC": till.Till}
    return module


def test_agreement_is_stated_for_every_function_of_the_protocol() -> None:
    laws = agreements(till, "till")
    assert [law.name for law in laws] == ["agree_worth", "agree_dearer"]
    assert check(laws[1], None, "both", QUICK).word is Word.PROVED
    found = check(laws[0], None, "both", QUICK)
    assert found.word is Word.BROKEN
    assert found.counterexample is not None
    with pytest.raises(AssertionError):
        exec(found.counterexample.python, {})


def test_an_area_bounds_agreement_gives_it_a_premise_or_leaves_a_function_out() -> None:
    how = {
        "worth": Agree(scope=Scope(nat=2), given=lambda S, slots: len(slots) < 2),
        "dearer": Agree(skip="compared by the bridge"),
    }
    module = area_module(AGREEMENT=how)
    (law,) = agreements(module, "till")
    assert left_out(module) == (("dearer", "compared by the bridge"),)
    found = check(replace(law, wide=Scope(nat=9, size=2)), None, "both", QUICK)
    assert found.word is Word.CONFIRMED
    assert [one.scope for one in found.evidence] == [
        "ints < 2, tuples <= 2",
        "ints < 9, tuples <= 2",
    ]


def test_a_function_that_cannot_be_quantified_over_is_trouble_but_the_laws_still_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "laws.py").write_text(
        "from typing import Protocol\n"
        "from eukhe_laws.engine import law\n"
        "class Odd(Protocol):\n"
        "    def half(self, of: float, /) -> float: ...\n"
        "class _Odd:\n"
        "    @staticmethod\n"
        "    def half(of: float) -> float:\n"
        "        return of / 2\n"
        "SPEC: Odd = _Odd()\n"
        "CORE: Odd = _Odd()\n"
        "@law(section='O1')\n"
        "def odd_half(S: Odd, n: bool) -> bool:\n"
        "    'Half of two is one.'\n"
        "    return S.half(2.0) == 1.0\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    area = load("odd.laws")
    assert [law.name for law in area.laws] == ["odd_half"]
    assert "no domain for <class 'float'>" in area.trouble
    made = plan(["odd.laws"])
    assert [(one.law, one.word) for one in made.failed] == [("agreement", Word.UNKNOWN)]
    sys.modules.pop("odd.laws")


def test_a_module_without_its_two_subjects_says_what_to_bind() -> None:
    with pytest.raises(TypeError, match="must bind `SPEC: <protocol>` and `CORE: <protocol>`"):
        agreements(ModuleType("bare"), "bare")
