"""The cache and the baseline: what is kept, what is refused, what counts as weaker."""

import json
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from eukhe_laws.engine.agree import Agree
from eukhe_laws.engine.areas import Area, load
from eukhe_laws.engine.cache import Cache, standard_directory
from eukhe_laws.engine.lock import (
    Claim,
    LockError,
    claim_of,
    compare,
    read_lock,
    write_lock,
)
from eukhe_laws.engine.plan import Plan, plan
from eukhe_laws.engine.profile import QUICK
from eukhe_laws.engine.record import read, write
from eukhe_laws.engine.rooms import Rooms, modules_of
from eukhe_laws.engine.sources import Sources
from eukhe_laws.engine.verdict import (
    Counterexample,
    EngineError,
    ErrorKind,
    Evidence,
    Verdict,
    Word,
    merge,
)
from eukhe_laws.report.outcome import Report
from eukhe_laws.report.session import Wanted, report_of, updated, whole_areas

AREA = "tests.engine.till"
GOOD = merge(
    "till",
    "law",
    "spec",
    (
        Evidence("exhaust", "ints < 3", 500, 200, complete=True, reached=(("full", 3),)),
        Evidence("crosshair", "all naturals", premise=4, shapes=(2, 9), paths=7, note="7 open"),
        Evidence("sample", "ints < 5", 900, 800, seed=1),
    ),
)
BROKEN = merge(
    "till", "law", "core", (Counterexample("sample", "core", (), "E: x", "code", "id", True),)
)
FAILED = merge("till", "other", "spec", (EngineError("crosshair", ErrorKind.TIMEOUT, "late"),))


@pytest.mark.parametrize("verdict", [GOOD, BROKEN, FAILED])
def test_a_verdict_survives_json(verdict: Verdict) -> None:
    text = json.dumps(write(verdict))
    assert read(json.loads(text), cached=False) == verdict
    assert "seconds" not in text


def test_what_is_kept_is_found_under_the_same_digest_only(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "deep" / "down")
    timed = replace(GOOD, seconds=1.5)
    cache.save("till", "quick", "digest", [timed, BROKEN, FAILED])
    found = cache.load("till", "quick", "digest")
    assert found.verdicts == {
        ("law", "spec"): replace(timed, cached=True),
        ("law", "core"): replace(BROKEN, cached=True),
    }
    other = cache.load("till", "quick", "changed")
    assert (other.verdicts, other.seconds[("law", "spec")]) == ({}, 1.5)
    assert cache.load("till", "deep", "digest").verdicts == {}


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", "[" * 100_000, '{"digest": "digest", "verdicts": [1]}', "\udcff"],
    ids=["empty", "list", "open", "deep", "no sum", "no text"],
)
def test_a_damaged_cache_only_means_that_the_laws_are_run(tmp_path: Path, text: str) -> None:
    (tmp_path / "quick-till.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert Cache(tmp_path).load("till", "quick", "digest").verdicts == {}


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ('"premise": 200', '"premise": [200]'),
        ('"word": "confirmed"', '"word": "proved"'),
        ('"area": "till"', '"area": "bank"'),
        ('"digest": "other"', '"digest": "digest"'),
    ],
)
def test_a_cache_with_one_changed_place_is_not_believed(tmp_path: Path, was: str, now: str) -> None:
    cache, digest = Cache(tmp_path), "other" if "other" in was else "digest"
    cache.save("till", "quick", digest, [GOOD])
    file = tmp_path / "quick-till.json"
    text = file.read_text()
    assert was in text
    file.write_text(text.replace(was, now, 1))
    assert cache.load("till", "quick", "digest").verdicts == {}
    file.write_text(text)
    assert cache.load("till", "quick", digest).verdicts.keys() == {("law", "spec")}


def test_the_cache_lies_where_the_environment_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("EUKHE_LAWS_CACHE", str(tmp_path))
    assert standard_directory() == tmp_path
    monkeypatch.setenv("EUKHE_LAWS_CACHE", "")
    assert standard_directory().name == ".eukhe-laws"


def test_the_digest_covers_what_the_area_imports_and_the_profile() -> None:
    known = Sources()
    found = known.of("eukhe_laws.effort", "eukhe_bridge.effort")
    assert {"eukhe_spec.effort", "eukhe.core.effort", "eukhe_bridge.kit"} <= set(found)
    digest = known.digest("effort", QUICK)
    assert digest == Sources().digest("effort", QUICK)
    assert digest != known.digest("effort", replace(QUICK, seed=2))
    assert digest != known.digest("ladder", QUICK)


def test_a_change_in_a_file_that_the_area_imports_changes_the_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "__init__.py").write_text("")
    (tmp_path / "shop" / "laws.py").write_text("from shop import deep\n")
    (tmp_path / "shop" / "deep.py").write_text("from . import deeper\n")
    (tmp_path / "shop" / "deeper.py").write_text("A = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    before = Sources().digest("shop.laws", QUICK)
    (tmp_path / "shop" / "deeper.py").write_text("A = 2\n")
    assert Sources().digest("shop.laws", QUICK) != before


def test_the_digest_covers_the_packages_around_what_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("mall", "mall/inner"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
    (tmp_path / "mall" / "laws.py").write_text("from mall.inner.deep import A\n")
    (tmp_path / "mall" / "inner" / "deep.py").write_text("A = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    before = Sources().digest("mall.laws", QUICK)
    (tmp_path / "mall" / "inner" / "__init__.py").write_text("import sys\n")
    assert Sources().digest("mall.laws", QUICK) != before


@pytest.mark.parametrize("area", ["config", "cvar", "director", "quirks"])
def test_every_file_of_an_area_is_digested(area: str) -> None:
    rooms = Rooms.of(area)
    found = Sources().of(f"eukhe_laws.{area}", f"eukhe_bridge.{area}")
    for room in (rooms.spec, rooms.core, rooms.laws, rooms.bridge):
        assert {module.__name__ for module in modules_of(room)} <= set(found)


def test_verdicts_on_files_that_are_edited_during_the_run_are_not_kept(tmp_path: Path) -> None:
    made = replace(plan([AREA]), chosen=(frozenset({"till_dearer_is_one"}),))
    wanted = Wanted(made, replace(QUICK, sample=500), workers=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Sources, "still", lambda _self, _area: False)
        report_of(wanted, Cache(tmp_path), None, lambda _verdict, _done, _all: None)
    assert not any(line.verdict.cached for line in run(made, tmp_path).lines)


def test_an_edited_file_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kiosk").mkdir()
    (tmp_path / "kiosk" / "__init__.py").write_text("")
    (tmp_path / "kiosk" / "laws.py").write_text("from kiosk import deep\n")
    deep = tmp_path / "kiosk" / "deep.py"
    deep.write_text("A = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    known = Sources()
    known.digest("kiosk.laws", QUICK)
    assert known.still("kiosk.laws")
    deep.write_text("A = 2\n")
    assert not known.still("kiosk.laws")
    deep.unlink()
    assert not known.still("kiosk.laws")


def run(made: Plan, cache: Path, *, fresh: bool = False) -> Report:
    wanted = Wanted(made, replace(QUICK, sample=500), workers=1, fresh=fresh)
    return report_of(wanted, Cache(cache), None, lambda _verdict, _done, _all: None)


def test_a_second_run_reads_the_cache_and_says_so_and_fresh_does_not(tmp_path: Path) -> None:
    made = plan([f"{AREA}.till_dearer_is_one", AREA])
    made = replace(made, chosen=(frozenset({"till_dearer_is_one"}),))
    first = run(made, tmp_path)
    second = run(made, tmp_path)
    third = run(made, tmp_path, fresh=True)
    assert [[line.verdict.cached for line in one.lines] for one in (first, second, third)] == [
        [False, False],
        [True, True],
        [False, False],
    ]
    assert [write(line.verdict) for line in first.lines] == [
        write(line.verdict) for line in second.lines
    ]


def test_what_agreement_leaves_out_is_said_with_the_reason(tmp_path: Path) -> None:
    (area,) = plan([AREA]).areas
    module = ModuleType("tests.engine.till_partly")
    vars(module).update(vars(area.module) | {"AGREEMENT": {"worth": Agree(skip="too dear")}})
    area = replace(area, module=module)
    for chosen, said in (("agree_dearer", True), ("till_dearer_is_one", False)):
        made = Plan((area,), (frozenset({chosen}),))
        assert (
            f"{AREA}: spec == core leaves out worth: too dear" in run(made, tmp_path).notes
        ) is said


def test_a_cache_that_cannot_be_written_is_a_note(tmp_path: Path) -> None:
    made = replace(plan([AREA]), chosen=(frozenset({"till_dearer_is_one"}),))
    (tmp_path / "file").write_text("")
    report = run(made, tmp_path / "file")
    assert report.ok
    assert any("cannot be written" in note for note in report.notes)


def subjects_of(area: Area) -> list[tuple[str, str]]:
    """What a report has a verdict on: law and subject."""
    both = [(law.name, "both") for law in area.agree] + [("bridge", "both")]
    return both + [(law.name, subject) for law in area.laws for subject in ("spec", "core")]


CLAIMS = {
    ("till", "law", "spec"): Claim(Word.PROVED, 30_618, "the whole domain"),
    ("till", "law", "core"): Claim(Word.CONFIRMED, 500, "ints < 3, .budget: ints < 4"),
    ("other", "bridge", "both"): Claim(Word.HOLDS, 300, "300 scenarios, 9 rules"),
}


def test_the_baseline_survives_its_file(tmp_path: Path) -> None:
    path = tmp_path / "laws.lock"
    assert read_lock(path) is None
    write_lock(path, CLAIMS)
    assert read_lock(path) == CLAIMS
    assert '\nlaw = { spec = ["proved", 30618, "the whole domain"], core = [' in path.read_text()


def test_the_baseline_of_the_project_claims_only_laws_that_there_are() -> None:
    locked = read_lock(Path(__file__).parents[2] / "laws.lock")
    assert locked
    known = {
        (area, name, subject)
        for area in {area for area, _, _ in locked}
        for name, subject in subjects_of(load(area))
    }
    assert set(locked) <= known
    assert all(claim.word.positive for claim in locked.values())


@pytest.mark.parametrize(
    "text",
    [
        "[till",
        "[till]\nlaw = 3",
        '[till]\nlaw = { spec = "proved" }',
        '[till]\nlaw = { spec = ["sure", 1, ""] }',
        '[till]\nlaw = { spec = ["holds", inf, ""] }',
    ],
)
def test_a_baseline_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "laws.lock"
    path.write_text(text)
    with pytest.raises(LockError, match=r"laws\.lock"):
        read_lock(path)


def test_a_weaker_word_fewer_inputs_and_a_law_that_is_gone_are_weaker() -> None:
    now = merge("till", "law", "spec", (Evidence("exhaust", "ints < 3", 500, 499, complete=True),))
    key = ("till", "law", "spec")
    stronger, same, fewer = Word.PROVED, Word.CONFIRMED, Word.HOLDS

    def weaker(word: Word, inputs: int, *, counts: bool = True) -> list[str]:
        found = compare({key: Claim(word, inputs, "ints < 4")}, [now], [], counts=counts)
        return [message for _, message in found]

    assert weaker(stronger, 1) == ["the baseline says proved, this run says confirmed"]
    assert weaker(same, 499) == []
    assert weaker(same, 500) == [
        "confirmed on 499 inputs with ints < 3; the baseline has 500 with ints < 4"
    ]
    assert weaker(same, 500, counts=False) == []
    assert weaker(fewer, 10**9) == []
    gone = {("till", "gone", "spec"): Claim(Word.HOLDS, 1, "")}
    assert compare(gone, [now], []) == ()
    assert compare(gone, [now], ["till"]) == (
        (("till", "gone", "spec"), "the baseline says holds, but no such law was run"),
    )


def test_an_update_replaces_whole_areas_and_keeps_the_others(tmp_path: Path) -> None:
    made = replace(plan([AREA]), chosen=(frozenset({"till_dearer_is_one"}),))
    report = run(made, tmp_path)
    old = CLAIMS | {(AREA, "gone", "spec"): Claim(Word.HOLDS, 1, "")}
    some = updated(report, old, whole_areas(made, old))
    assert (AREA, "gone", "spec") in some
    assert some[AREA, "till_dearer_is_one", "core"] == Claim(Word.PROVED, 9, "the whole domain")
    whole = updated(report, old, (AREA,))
    assert (AREA, "gone", "spec") not in whole
    assert whole[("till", "law", "spec")] == CLAIMS["till", "law", "spec"]


def test_a_claim_is_the_word_with_its_bounds_and_the_inputs_that_count() -> None:
    assert claim_of(GOOD) == Claim(Word.CONFIRMED, 1_004, "ints < 3")
