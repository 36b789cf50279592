"""Reasoning depth (S10): the cases that the requirement names, and values that nobody meant."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eukhe.core import effort
from eukhe.core.effort import LADDER, Direction, Level
from eukhe_bridge import effort as bridge
from eukhe_bridge import kit

OFF, MINIMAL, LOW, MEDIUM, HIGH, XHIGH, MAX = LADDER
FORWARD, BACKWARD = Direction.FORWARD, Direction.BACKWARD

quick = settings(derandomize=True, database=None, deadline=None, max_examples=300)
#: What a caller could hand over as offered levels: empty, repeated, out of order, very long.
offers = st.lists(st.sampled_from(LADDER), max_size=40).map(tuple)
known = st.none() | offers
levels = st.sampled_from(LADDER)
unset = st.none() | levels
ways = st.sampled_from(Direction)


def test_the_levels_are_spelled_as_in_settings_and_maps_and_go_up_the_ladder() -> None:
    assert list(LADDER) == ["off", "minimal", "low", "medium", "high", "xhigh", "max"]


@pytest.mark.parametrize(
    ("offered", "moves"),
    [
        ((OFF, LOW, MEDIUM, XHIGH), {MINIMAL: LOW, HIGH: XHIGH, MAX: XHIGH, OFF: OFF}),
        ((OFF, HIGH), {LOW: HIGH, MAX: HIGH}),
        ((LOW, MEDIUM, HIGH, XHIGH), {OFF: LOW, MAX: XHIGH, MEDIUM: MEDIUM}),
        ((LOW, HIGH), {MEDIUM: HIGH}),  # up first, though down is as near
        ((OFF,), {MAX: OFF}),
        ((), {OFF: OFF, MEDIUM: OFF, MAX: OFF}),
    ],
)
def test_the_clamp_goes_up_the_ladder_first_and_then_down(
    offered: tuple[Level, ...], moves: dict[Level, Level]
) -> None:
    assert {level: effort.clamp(offered, level) for level in moves} == moves


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize("offered", [(), (OFF,), (HIGH,)])
def test_a_cycle_step_without_two_levels_answers_none(
    offered: tuple[Level, ...], direction: Direction
) -> None:
    assert [effort.cycle(offered, level, direction) for level in LADDER] == [None] * 7


def test_cycle_steps_visit_each_offered_level_and_wrap_both_ways() -> None:
    offered = (OFF, LOW, XHIGH)
    assert [effort.cycle(offered, at, FORWARD) for at in offered] == [LOW, XHIGH, OFF]
    assert [effort.cycle(offered, at, BACKWARD) for at in offered] == [XHIGH, OFF, LOW]


def test_a_cycle_step_starts_at_the_clamp_of_a_level_that_is_not_offered() -> None:
    assert effort.cycle((OFF, LOW, XHIGH), MEDIUM, FORWARD) is OFF
    assert effort.cycle((OFF, LOW, XHIGH), MAX, BACKWARD) is LOW


def test_open_settles_an_unset_thinking_level_on_the_clamped_default() -> None:
    offered = (OFF, LOW, XHIGH)
    assert effort.settle(offered, None, HIGH) is XHIGH
    assert effort.settle(offered, None, None) is XHIGH  # medium, and up from it
    assert effort.settle(None, None, None) is MEDIUM
    assert effort.settle(offered, LOW, MAX) is LOW


def test_without_a_catalog_model_open_set_and_display_keep_the_level() -> None:
    assert effort.settle(None, MAX, None) is MAX
    assert effort.fit(None, MAX) is MAX
    assert effort.switch(None, MAX) is MAX
    assert effort.sent(None, MAX) is MAX
    assert effort.shown(None, MAX) is MAX
    assert effort.step(None, MAX, FORWARD) is None


def test_a_switch_clamps_the_stored_level_and_leaves_an_unset_one() -> None:
    assert effort.switch((OFF, HIGH), LOW) is HIGH
    assert effort.switch((HIGH,), None) is None


def test_an_unset_level_shows_as_default_and_is_sent_as_off() -> None:
    assert effort.shown((LOW, HIGH), None) == "default"
    assert effort.sent((OFF, HIGH), None) is OFF
    assert effort.sent((LOW, HIGH), None) is LOW  # this model cannot be off
    assert effort.step((LOW, HIGH), None, FORWARD) is HIGH


@quick
@given(offered=offers, level=levels, direction=ways)
def test_no_offered_levels_make_clamp_or_cycle_raise_or_leave_them(
    offered: tuple[Level, ...], level: Level, direction: Direction
) -> None:
    assert effort.clamp(offered, level) in (offered or (OFF,))
    step = effort.cycle(offered, level, direction)
    assert step is None if len(offered) < 2 else step in offered


@quick
@given(offered=known, stored=unset, default=unset, direction=ways)
def test_no_session_makes_open_switch_step_sent_or_shown_raise(
    offered: tuple[Level, ...] | None,
    stored: Level | None,
    default: Level | None,
    direction: Direction,
) -> None:
    results = {
        effort.settle(offered, stored, default),
        effort.switch(offered, stored),
        effort.step(offered, stored, direction),
        effort.sent(offered, stored),
        effort.shown(offered, stored),
    }
    assert results <= {*LADDER, None, "default"}


def test_spec_and_core_say_the_same_of_every_scenario_and_reach_every_rule() -> None:
    outcome = kit.run(bridge.BRIDGE)
    assert outcome.differences == ()
    assert outcome.missed == ()
    assert outcome.scenarios >= 300
