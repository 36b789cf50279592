"""Sampler and exhaustion on a till with a seeded bug: what they find, and what they do not claim."""

import pytest

from eukhe_laws.engine.domain import Scope
from eukhe_laws.engine.exhaust import bounds, exhaust, size
from eukhe_laws.engine.law import Law
from eukhe_laws.engine.profile import QUICK
from eukhe_laws.engine.sample import draws, sample
from eukhe_laws.engine.verdict import Counterexample, EngineError, ErrorKind, Evidence, Word
from eukhe_laws.engine.work import check, settle
from tests.engine import till


def exhausted(law: Law, subject: object = till.SPEC, limit: int = 50_000) -> tuple[object, ...]:
    return exhaust(law, subject, "spec", limit=limit, seconds=20)


def test_a_finite_domain_is_proved() -> None:
    found = check(till.till_dearer_is_one, till.SPEC, "spec", QUICK)
    assert found.word is Word.PROVED
    assert [(one.engine, one.inputs) for one in found.evidence] == [("exhaust", 9)]


def test_a_scope_is_confirmed_and_its_bounds_are_said() -> None:
    found = check(till.till_worth_adds, till.SPEC, "spec", QUICK)
    assert found.word is Word.CONFIRMED
    assert "ints < 3, tuples <= 2 (8,281 inputs)" in found.why
    assert [one.engine for one in found.evidence] == ["exhaust", "sample"]


def test_a_scope_with_too_many_inputs_is_cut_down_and_says_so() -> None:
    law = till.till_worth_adds
    scope = bounds(law, 200)
    assert size(law, scope) <= 200 < size(law, law.scope)
    (found,) = exhausted(law, limit=200)
    assert isinstance(found, Evidence)
    assert (found.inputs, found.scope) == (49, "ints < 2, tuples <= 1")


def test_the_deep_profile_grows_a_scope_as_far_as_the_limit_allows() -> None:
    law = till.till_any_item
    grown = bounds(law, 1_000, grow=True)
    assert (grown.nat, grown.size) == (3, 2)
    assert bounds(law, size(law, law.scope), grow=True) == law.scope


def test_the_sampler_finds_what_lies_outside_the_scope() -> None:
    found = check(till.till_worth_adds, till.CORE, "core", QUICK)
    assert found.word is Word.BROKEN
    assert found.counterexample is not None
    assert found.counterexample.engine == "sample"
    assert found.counterexample.minimal
    slots, more = found.counterexample.values
    assert slots == (till.Slot(till.Coin.COPPER, 0),)
    assert more == (till.Slot(till.Coin.SILVER, 3),)


def test_the_sampler_draws_the_same_inputs_from_the_same_seed() -> None:
    domains = till.till_worth_adds.domains(Scope())
    first = list(draws(domains, "law", 50, 1))
    assert first == list(draws(domains, "law", 50, 1))
    assert first != list(draws(domains, "law", 50, 2))
    assert first != list(draws(domains, "other", 50, 1))


def test_a_premise_that_raises_is_an_error_not_a_verdict() -> None:
    found = check(till.till_premise_raises, till.SPEC, "spec", QUICK)
    assert found.word is Word.UNKNOWN
    assert found.errors[0].kind is ErrorKind.PREMISE_RAISED
    assert "ZeroDivisionError" in found.why


def test_a_witness_that_raises_is_an_error_of_its_own_kind() -> None:
    found = check(till.till_witness_raises, till.SPEC, "spec", QUICK)
    assert found.word is Word.UNKNOWN
    assert found.errors[0].kind is ErrorKind.WITNESS_RAISED
    assert "the witness of till_witness_raises raised ZeroDivisionError" in found.why


@pytest.mark.parametrize("law", [till.till_vacuous, till.till_missed])
def test_a_law_that_no_input_speaks_about_is_vacuous(law: Law) -> None:
    found = check(law, till.SPEC, "spec", QUICK)
    assert (found.word, found.vacuous) == (Word.UNKNOWN, True)


def test_a_law_that_raises_is_broken_with_the_exception() -> None:
    found = check(till.till_raises, till.SPEC, "spec", QUICK)
    assert found.word is Word.BROKEN
    assert found.counterexample is not None
    assert found.counterexample.values == ((),)
    assert "IndexError" in found.counterexample.raised


def test_a_counterexample_that_does_not_fail_again_is_an_error() -> None:
    claimed = Counterexample("crosshair", "spec", (till.Coin.GOLD, till.Coin.COPPER))
    found = settle(till.till_dearer_is_one, till.SPEC, claimed)
    assert isinstance(found, EngineError)
    assert found.kind is ErrorKind.NOT_REPLAYED
    assert "does not fail in plain Python" in found.message


def test_the_net_ends_a_search_and_the_evidence_says_so() -> None:
    found = sample(till.till_worth_adds, till.SPEC, "spec", count=10**9, seed=1, seconds=0.05)
    (evidence,) = found
    assert isinstance(evidence, Evidence)
    assert evidence.inputs < 10**9
    assert evidence.note == "stopped after 0.05 s of CPU time"
    assert exhaust(till.till_worth_adds, till.SPEC, "spec", limit=50_000, seconds=0)[0] == (
        Evidence("exhaust", "ints < 3, tuples <= 2", 256, 255, note="stopped after 0 s of CPU time")
    )
