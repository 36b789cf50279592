"""Counterexamples: minimal, printed as Python that fails, and run again by their id."""

import json
from dataclasses import replace
from random import Random
from typing import Annotated, Any

import pytest

from eukhe_laws.engine import codec
from eukhe_laws.engine.domain import Among, Domain, Range, Scope, Sized
from eukhe_laws.engine.profile import QUICK
from eukhe_laws.engine.replay import ReplayError, arguments, parse, replay_id
from eukhe_laws.engine.shrink import TRIES, below, minimal, shrink, tier, weight
from eukhe_laws.engine.verdict import Counterexample
from eukhe_laws.engine.work import check
from eukhe_laws.report.again import Again, again
from tests.engine import till
from tests.engine.till import Coin, Item, Note, Slot

SCOPE = Scope(nat=3, size=2)

TYPES: list[Any] = [
    bool,
    int,
    str,
    None,
    Coin,
    Slot,
    Item,
    tuple[Item, ...],
    tuple[Slot, int | None, Coin],
    Annotated[int, Range(-2, 2)],
    Annotated[str, Among(("x", "yy"))],
    Annotated[tuple[bool, ...], Sized(1, 3)],
]


@pytest.mark.parametrize("tp", TYPES, ids=str)
def test_every_value_survives_json_and_python(tp: Any) -> None:
    domain = Domain(tp, SCOPE)
    for value in domain.values()[:200]:
        assert codec.decode(domain, json.loads(json.dumps(codec.encode(domain, value)))) == value
        assert eval(codec.python(value), vars(till)) == value
        assert codec.contains(domain, value)


@pytest.mark.parametrize("tp", TYPES, ids=str)
def test_tiers_list_every_value_once_by_its_size(tp: Any) -> None:
    domain = Domain(tp, SCOPE)
    listed = [value for size in range(5) for value in tier(domain, size)]
    assert len(listed) == len(set(listed))
    assert [weight(domain, value) for value in listed] == sorted(
        weight(domain, value) for value in listed
    )
    small = {value for value in domain.values() if weight(domain, value) < 5}
    assert small <= set(listed)


def test_values_beyond_the_scope_are_encoded_too() -> None:
    domain = Domain(tuple[Slot, ...], SCOPE)
    value = (Slot(Coin.GOLD, 10**9),) * 5
    assert codec.decode(domain, codec.encode(domain, value)) == value


@pytest.mark.parametrize(
    ("tp", "data"),
    [
        (bool, 1),
        (int, -1),
        (int, True),
        (Coin, "IRON"),
        (Coin, 1),
        (Slot, {"coin": "GOLD"}),
        (Slot, {"coin": "GOLD", "count": "1"}),
        (Item, {"Slot": 1}),
        (Item, {"Purse": 1}),
        (Item, 3),
        (tuple[Slot, ...], 3),
        (Annotated[int, Range(1, 3)], 4),
        (Annotated[str, Among(("x",))], 1),
        (Annotated[tuple[bool, ...], Sized(1, 3)], []),
    ],
)
def test_json_of_another_type_is_refused(tp: Any, data: Any) -> None:
    with pytest.raises(codec.CodecError):
        codec.decode(Domain(tp, SCOPE), data)


def test_a_greedy_shrink_ends_where_no_step_fails_and_exhaustion_goes_below() -> None:
    domains = (Domain(int, SCOPE), Domain(int, SCOPE))

    def fails(values: tuple[Any, ...]) -> bool:  # no single step leads from the first to the second
        return values in {(40, 40), (2, 9)}

    assert shrink(domains, (40, 40), fails, float("inf")) == (40, 40)
    assert minimal(domains, (40, 40), fails, 60) == ((2, 9), True)


def test_a_search_below_that_ran_out_of_tries_does_not_claim_the_minimum() -> None:
    domains = (Domain(tuple[Coin, ...], SCOPE),)
    tried: list[object] = []

    def fails(values: tuple[Any, ...]) -> bool:
        tried.append(values)
        return False

    assert below(domains, 99, fails, float("inf")) == (None, False)
    assert len(tried) == TRIES


def test_shrinking_keeps_the_bounds_of_the_type() -> None:
    domain = Domain(Annotated[tuple[Annotated[int, Range(2, 9)], ...], Sized(2, 4)], SCOPE)
    found, whole = minimal((domain,), ((9, 8, 7, 6),), lambda values: sum(values[0]) > 5, 60)
    assert (found, whole) == (((2, 2, 2),), True)


def broken() -> Counterexample:
    found = check(till.till_worth_adds, till.CORE, "core", QUICK).counterexample
    assert found is not None
    return found


def test_the_printed_program_fails_by_itself() -> None:
    with pytest.raises(AssertionError):
        exec(broken().python, {})


def test_an_id_runs_exactly_its_input() -> None:
    found = broken()
    law = till.till_worth_adds
    assert arguments(law, parse(found.replay)) == found.values
    assert again(found.replay).outcome is Again.FAILS
    assert again(found.replay.replace("@core", "@spec")).outcome is Again.HOLDS


def test_an_id_of_an_input_outside_the_premise_says_so() -> None:
    law = till.till_vacuous
    assert again(replay_id(law, "spec", (3,))).outcome is Again.PREMISE_NOT_MET
    raising = replay_id(till.till_premise_raises, "spec", (0,))
    with pytest.raises(ReplayError, match="the premise of till_premise_raises raised ZeroDivision"):
        again(raising)


def test_an_id_of_another_version_is_refused() -> None:
    law = till.till_worth_adds
    other = replace(law, parameters=(("slots", tuple[Slot, ...]), ("more", tuple[Note, ...])))
    text = replay_id(other, "core", ((), ()))
    with pytest.raises(ReplayError, match=r"the id is of version \w+ of till_worth_adds, whose"):
        arguments(law, parse(text))


def test_the_bounds_of_a_scope_do_not_change_the_version() -> None:
    law = till.till_worth_adds
    wider = replace(law, scope=Scope(nat=9, size=9))
    assert replay_id(law, "core", ((), ())) == replay_id(wider, "core", ((), ()))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nonsense", "this is no replay id"),
        (
            "tests.engine.till.till_worth_add@core#00:[]",
            "does not exist; the nearest are till_worth_adds",
        ),
        ("tests.engine.nowhere.law@core#00:[]", "could not be imported"),
        ("tests.engine.till.till_dies@both#00:[]", "is no law on 'both', only on spec, core"),
        ("tests.engine.till.agree_worth@core#00:[]", "is no law on 'core', only on both"),
        ("tests.engine.till.till_dies@core#VERSION:[", "the arguments in the id cannot be read as"),
        ("tests.engine.till.till_dies@core#VERSION:" + "[" * 100_000, "cannot be read as JSON"),
        ("efort.agree_clamp@both#0:[]", "the area 'efort', which does not exist; the nearest are"),
        ("tests.engine.till.till_dies@core#VERSION:[1,2]", "must carry a list of 1 arguments"),
        ("tests.engine.till.till_dies@core#VERSION:[-1]", "an argument in the id does not fit: -1"),
    ],
)
def test_an_id_that_cannot_be_run_says_why(text: str, said: str) -> None:
    version = parse(replay_id(till.till_dies, "core", (1,))).version
    with pytest.raises(ReplayError, match=said):
        again(text.replace("VERSION", version))


def test_random_inputs_keep_their_id() -> None:
    law = till.till_any_item
    rng = Random(3)
    for _ in range(200):
        values = tuple(domain.draw()(rng) for domain in law.domains(law.wide))
        assert arguments(law, parse(replay_id(law, "spec", values))) == values
