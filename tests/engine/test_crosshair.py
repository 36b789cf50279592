"""CrossHair by shapes, always in processes of its own."""

import sys
import time
from dataclasses import replace

import pytest

from eukhe_laws.engine import crosshair
from eukhe_laws.engine.areas import load
from eukhe_laws.engine.search import breaks
from eukhe_laws.engine.verdict import Counterexample, EngineError, ErrorKind, Evidence, Word, merge
from tests.engine.toy import faults, laws
from tests.engine.toy.faults import Level, Step


def test_every_shape_of_a_true_law_is_confirmed_for_all_naturals() -> None:
    (found,) = crosshair.check(laws.toy_capped)
    assert isinstance(found, Evidence)
    assert (found.complete, found.shapes, found.scope) == (
        True,
        (3, 3),
        "all naturals, tuples <= 2",
    )
    assert found.word is Word.CONFIRMED
    assert 0 < found.premise <= found.paths


def test_the_parent_never_imports_crosshair() -> None:
    crosshair.check(laws.toy_locked)
    assert "crosshair" not in sys.modules


def test_a_seeded_bug_that_small_scopes_hide_is_found_and_fails_in_plain_python() -> None:
    found = crosshair.check(faults.fault_total)[-1]
    assert isinstance(found, Counterexample)
    assert found.values == ((Step(Level.MID, found.values[0][0].count), Step(Level.TOP, 7)),)
    assert breaks(faults.fault_total, faults.SPEC, found.values) == ""


def test_a_law_that_raises_is_a_counterexample() -> None:
    found = crosshair.check(faults.fault_raises)[-1]
    assert isinstance(found, Counterexample)
    said = breaks(faults.fault_raises, faults.SPEC, found.values)
    assert said == "IndexError: tuple index out of range"


def test_ints_with_bounds_of_their_own_stay_within_them() -> None:
    (found,) = crosshair.check(faults.fault_bounded)
    assert isinstance(found, Evidence)
    assert found.shapes == (2, 2)


def test_a_premise_that_nothing_meets_is_vacuous_although_every_path_was_confirmed() -> None:
    (found,) = crosshair.check(faults.fault_never)
    assert isinstance(found, Evidence)
    assert (found.complete, found.premise) == (True, 0)
    verdict = merge("toy", "fault_never", "spec", (found,))
    assert (verdict.word, verdict.vacuous) == (Word.UNKNOWN, True)


def test_an_endless_shape_is_killed_and_the_others_count() -> None:
    start = time.monotonic()
    (found,) = crosshair.check(faults.fault_endless, per_shape_seconds=0.1, wall_seconds=30.0)
    assert isinstance(found, Evidence)
    assert (found.complete, found.shapes) == (False, (2, 3))
    assert found.note == "1 of 3 shapes stayed open"
    assert time.monotonic() - start < 25


def test_a_law_that_no_shape_lets_end_is_a_timeout_and_not_a_claim() -> None:
    (found,) = crosshair.check(laws.toy_pays, wall_seconds=0.01)
    assert found == EngineError(
        "crosshair",
        ErrorKind.TIMEOUT,
        "CrossHair decided no shape of toy_pays in 0.01 s, and was killed",
    )


def test_a_child_that_ends_early_is_a_crash_with_its_last_line() -> None:
    (found,) = crosshair.check(replace(laws.toy_pays, name="toy_gone"))
    assert isinstance(found, EngineError)
    assert found.kind is ErrorKind.CRASH
    assert "has no attribute 'toy_gone'" in found.message


def test_paths_are_the_budget_and_the_claim_says_so() -> None:
    (found,) = crosshair.check(laws.toy_capped, max_paths=2)
    assert isinstance(found, Evidence)
    assert (found.complete, found.word) == (False, Word.HOLDS)
    assert found.note.startswith("stopped after")


def test_strings_are_left_to_other_engines() -> None:
    assert crosshair.check(faults.fault_text) == ()


@pytest.mark.parametrize(
    "name", ["alias_self_cycle", "quirk_unknown_rejected", "guard_zero_is_off"]
)
def test_a_law_is_decided_wherever_in_its_area_it_is_stated(name: str) -> None:
    """By the area's own module, by a file that it imports laws from, and by one that it lists as a part."""
    area = next(area for area in ("cvar", "quirks", "guard") if load(area).law(name))
    law = load(area).law(name)
    assert law is not None
    found = crosshair.check(law, max_iterations=5, per_shape_seconds=1.0, wall_seconds=6.0)
    assert not [one for one in found if isinstance(one, EngineError)]
