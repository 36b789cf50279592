"""The five words and how findings become one of them."""

from dataclasses import replace

import pytest

from eukhe_laws.engine.verdict import (
    FLOOR,
    Counterexample,
    EngineError,
    ErrorKind,
    Evidence,
    Finding,
    Verdict,
    Word,
    merge,
)

WHOLE = Evidence("exhaust", "the whole domain", 9, 9, complete=True, finite=True)
SCOPE = Evidence("exhaust", "ints < 3", 500, 200, complete=True)
DRAWN = Evidence("sample", "ints < 5", 4_000, 3_000, seed=1)
BAD = Counterexample("sample", "core", (1,))
CRASH = EngineError("crosshair", ErrorKind.CRASH, "it died")


def verdict(*findings: Finding, witnesses: tuple[str, ...] = ()) -> Verdict:
    return merge("area", "law", "spec", findings, witnesses=witnesses)


def test_the_words_are_ordered_by_what_they_claim() -> None:
    assert list(Word) == sorted(Word, key=lambda word: word.strength)
    assert Word.BROKEN < Word.UNKNOWN < Word.HOLDS < Word.CONFIRMED < Word.PROVED
    assert [word for word in Word if word.positive] == [Word.HOLDS, Word.CONFIRMED, Word.PROVED]


@pytest.mark.parametrize(
    ("findings", "word"),
    [
        ((WHOLE,), Word.PROVED),
        ((SCOPE, DRAWN), Word.CONFIRMED),
        ((DRAWN,), Word.HOLDS),
        ((SCOPE, DRAWN, BAD), Word.BROKEN),
        ((WHOLE, CRASH), Word.UNKNOWN),
        ((CRASH, BAD), Word.BROKEN),
        ((), Word.UNKNOWN),
    ],
)
def test_broken_wins_then_an_engine_error_then_the_strongest_word(
    findings: tuple[Finding, ...], word: Word
) -> None:
    assert verdict(*findings).word is word


def test_too_few_inputs_that_meet_the_premise_are_vacuous() -> None:
    few = replace(SCOPE, premise=FLOOR - 1)
    assert verdict(few).word is Word.UNKNOWN
    assert verdict(few).vacuous
    assert "99 of 500 inputs meet the premise" in verdict(few).why
    assert verdict(replace(SCOPE, premise=FLOOR)).word is Word.CONFIRMED


def test_of_a_whole_small_domain_one_input_is_enough_and_none_is_not() -> None:
    assert verdict(replace(WHOLE, premise=1)).word is Word.PROVED
    assert verdict(replace(WHOLE, premise=0)).word is Word.UNKNOWN


def test_a_scope_in_which_no_input_meets_the_premise_confirms_nothing() -> None:
    assert verdict(replace(SCOPE, premise=0), DRAWN).word is Word.HOLDS


def test_a_witness_that_no_engine_reached_is_vacuous() -> None:
    found = verdict(replace(SCOPE, reached=(("full", 0),)), DRAWN, witnesses=("full",))
    assert found.word is Word.UNKNOWN
    assert "never reached 'full'" in found.why
    reached = replace(DRAWN, reached=(("full", 1),))
    assert verdict(SCOPE, reached, witnesses=("full",)).word is Word.CONFIRMED


def test_an_open_shape_is_no_claim_about_all_but_no_error_either() -> None:
    some = Evidence("crosshair", "all naturals", premise=10, shapes=(3, 9), paths=40)
    assert verdict(some, DRAWN).word is Word.HOLDS
    every = replace(some, shapes=(9, 9), complete=True)
    assert verdict(every, DRAWN).word is Word.CONFIRMED
