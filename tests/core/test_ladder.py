"""A model's thinking ladder (S6.9): the shipped families, the choice of a map, and values that nobody meant."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eukhe.core import effort, ladder
from eukhe.core.effort import LADDER, Level
from eukhe.core.ladder import SHIPPED, Defaults, LevelMap, Origin
from eukhe_bridge import kit
from eukhe_bridge import ladder as bridge

OFF, MINIMAL, LOW, MEDIUM, HIGH, XHIGH, MAX = LADDER

#: The ladders that the requirement gives for its families, as JSON: what a rulebook holds.
FAMILIES: dict[str, dict[str, str | None]] = json.loads(
    """{
    "qwen-3.8": {"off": "none", "minimal": null, "low": "low", "medium": "medium", "high": null, "xhigh": "xhigh"},
    "qwen": {"minimal": null, "low": null, "medium": null},
    "grok-4.3": {"off": "none", "minimal": null},
    "grok-4.5": {"off": null, "minimal": null},
    "grok-4.6": {"off": null, "minimal": null, "xhigh": "xhigh"}
}"""
)

quick = settings(derandomize=True, database=None, deadline=None, max_examples=300)
#: Strings of every kind, lone surrogates and line separators included.
strings = st.text(st.characters(), max_size=8) | st.sampled_from(
    ("", "\u2028", "\ud800", "x" * 100_000, "null")
)
names = st.sampled_from([level.value for level in LADDER]) | strings
maps = st.dictionaries(names, st.none() | strings, max_size=12)
some = st.none() | maps
defaults = st.builds(
    Defaults,
    st.frozensets(names, max_size=12),
    st.frozensets(names, max_size=12),
)


@pytest.mark.parametrize(
    ("family", "offered"),
    [
        ("qwen-3.8", (OFF, LOW, MEDIUM, XHIGH)),
        ("qwen", (OFF, HIGH)),
        ("grok-4.3", (OFF, LOW, MEDIUM, HIGH)),
        ("grok-4.5", (LOW, MEDIUM, HIGH)),
        ("grok-4.6", (LOW, MEDIUM, HIGH, XHIGH)),
    ],
)
def test_a_custom_reasoning_model_without_a_map_offers_the_ladder_of_its_family(
    family: str, offered: tuple[Level, ...]
) -> None:
    chosen = ladder.ladder_of(Origin.CUSTOM, True, None, FAMILIES[family])
    assert ladder.offered(True, chosen, SHIPPED) == offered


def test_a_custom_qwen_3_8_model_sends_the_strings_of_its_ladder() -> None:
    chosen = ladder.ladder_of(Origin.CUSTOM, True, None, FAMILIES["qwen-3.8"])
    offered = ladder.offered(True, chosen, SHIPPED)
    sent = {level: ladder.wire(True, chosen, effort.clamp(offered, level)) for level in LADDER}
    assert list(sent.values()) == ["none", "low", "low", "medium", "xhigh", "xhigh", "xhigh"]


def test_a_missing_entry_goes_out_in_the_form_of_the_api() -> None:
    assert ladder.wire(True, FAMILIES["qwen"], HIGH) is None
    assert ladder.wire(True, {}, MEDIUM) is None


def test_an_empty_string_is_a_wire_string() -> None:
    assert ladder.offered(True, {"max": ""}, SHIPPED)[-1] is MAX
    assert ladder.wire(True, {"max": ""}, MAX) == ""


def test_the_explicit_map_is_taken_whole_also_when_it_is_empty() -> None:
    empty: LevelMap = {}
    assert ladder.chosen(empty, FAMILIES["grok-4.5"]) is empty
    assert ladder.ladder_of(Origin.MOVED, True, empty, FAMILIES["grok-4.5"]) is empty
    own: LevelMap = {"low": "little"}
    assert ladder.ladder_of(Origin.CUSTOM, True, own, FAMILIES["grok-4.5"]) is own


def test_a_built_in_model_keeps_the_ladder_of_its_catalog() -> None:
    assert ladder.ladder_of(Origin.BUILT_IN, True, None, FAMILIES["grok-4.5"]) == {}


def test_a_model_without_reasoning_takes_no_map_and_no_rule() -> None:
    chosen = ladder.ladder_of(Origin.CUSTOM, False, None, FAMILIES["grok-4.6"])
    assert chosen == {}
    assert ladder.offered(False, {"off": None, "max": "max"}, SHIPPED) == (OFF,)
    assert ladder.wire(False, {"off": "none"}, OFF) is None


def test_a_moved_xai_model_without_a_ladder_offers_no_level() -> None:
    chosen = ladder.ladder_of(Origin.MOVED, True, None, None)
    assert ladder.offered(True, chosen, SHIPPED) == ()
    assert ladder.ladder_of(Origin.MOVED, True, None, FAMILIES["grok-4.6"])["xhigh"] == "xhigh"


def test_the_default_ladders_are_data_and_come_out_in_ladder_order() -> None:
    listed = Defaults(frozenset(("max", "low", "ultra")), frozenset(("high", "off")))
    assert ladder.offered(True, {"low": None, "off": "x"}, listed) == (OFF, MAX)
    assert ladder.offered(False, {}, listed) == (OFF, HIGH)


@quick
@given(
    origin=st.sampled_from(Origin),
    reasoning=st.booleans(),
    explicit=some,
    rule=some,
    listed=defaults,
)
def test_no_map_makes_the_ladder_raise_or_offer_what_is_no_level(
    origin: Origin,
    reasoning: bool,
    explicit: LevelMap | None,
    rule: LevelMap | None,
    listed: Defaults,
) -> None:
    chosen = ladder.ladder_of(origin, reasoning, explicit, rule)
    offered = ladder.offered(reasoning, chosen, listed)
    assert set(offered) <= set(LADDER)
    assert list(offered) == sorted(offered, key=LADDER.index)
    for level in LADDER:
        assert ladder.wire(reasoning, chosen, level) in (None, *chosen.values())


def test_a_map_of_very_many_names_is_read_once() -> None:
    huge: dict[str, str | None] = {f"level {number}": None for number in range(200_000)}
    assert ladder.offered(True, huge, SHIPPED) == (OFF, MINIMAL, LOW, MEDIUM, HIGH)


def test_spec_and_core_say_the_same_of_every_scenario_and_reach_every_rule() -> None:
    outcome = kit.run(bridge.BRIDGE)
    assert outcome.differences == ()
    assert outcome.missed == ()
    assert outcome.scenarios >= 300
