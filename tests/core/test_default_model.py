"""The saved default model (S6): the cases that the requirement names, and values that nobody meant."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from eukhe.core import default_model as core
from eukhe.core.default_model import UNSET, Reason, Ref, Resolution, Row, Saved, World
from eukhe_bridge import default_model as bridge
from eukhe_bridge import kit

HAIKU, SONNET = Ref("anthropic", "claude-haiku"), Ref("anthropic", "claude-sonnet")
GPT = Ref("openai", "gpt")
EVERY = frozenset((HAIKU, SONNET, GPT))
SAVED = Saved("anthropic", "claude-haiku")

quick = settings(derandomize=True, database=None, deadline=None, max_examples=300)
names = st.sampled_from(["", "a", "b", "\ud800", "a/b", "\u2028"]) | st.text(max_size=3)
refs = st.builds(Ref, names, names)


def _world(
    catalog: frozenset[Ref] = EVERY,
    enabled: frozenset[Ref] | None = None,
    keyed: tuple[str, ...] = ("anthropic", "openai"),
    startup: tuple[Ref, ...] = (GPT, SONNET),
) -> World:
    return World(catalog, enabled, keyed, startup)


def test_a_usable_default_is_used_in_silence() -> None:
    assert core.resolve(_world(), SAVED) == Resolution(HAIKU)


def test_a_default_that_the_catalog_lost_is_replaced_and_named() -> None:
    found = core.resolve(_world(catalog=EVERY - {HAIKU}), SAVED)
    assert found == Resolution(GPT, Row(SAVED, Reason.NOT_IN_CATALOG, GPT))
    assert found.row is not None
    assert found.row.message == (
        "The saved default model anthropic/claude-haiku is not used, because the catalog does not have it: "
        "this session runs on openai/gpt."
    )


def test_a_default_outside_the_enabled_models_is_replaced_by_one_of_them() -> None:
    found = core.resolve(_world(enabled=frozenset((SONNET,))), SAVED)
    assert found == Resolution(SONNET, Row(SAVED, Reason.NOT_ENABLED, SONNET))


def test_a_default_without_credentials_never_moves_and_says_how_to_log_in() -> None:
    for catalog in (EVERY, EVERY - {HAIKU}):
        found = core.resolve(_world(catalog, keyed=("openai",)), SAVED)
        assert found.model is None
        assert found.row == Row(SAVED, Reason.NO_CREDENTIALS, None)
        assert found.error is not None
        assert "eukhe auth set anthropic" in found.error.hint


def test_with_no_other_model_the_session_opens_with_no_model_and_the_row() -> None:
    found = core.resolve(_world(frozenset(), startup=(GPT,)), SAVED)
    assert found == Resolution(None, Row(SAVED, Reason.NOT_IN_CATALOG, None))
    assert found.row is not None
    assert found.row.message.endswith("this session has no model.")


def test_an_unset_default_takes_the_first_usable_startup_default_in_silence() -> None:
    assert core.resolve(_world(keyed=("anthropic",)), UNSET) == Resolution(SONNET)
    assert core.resolve(_world(keyed=()), UNSET) == Resolution(None)


def test_half_a_default_is_reported() -> None:
    found = core.resolve(_world(), Saved("anthropic", ""))
    assert found == Resolution(GPT, Row(Saved("anthropic", ""), Reason.INCOMPLETE, GPT))
    assert "anthropic/(no model)" in (found.row.message if found.row else "")
    assert core.resolve(_world(keyed=()), Saved("anthropic", "")).error is not None


def test_the_memory_compactor_fails_with_the_default_and_the_reason() -> None:
    assert core.memory(_world(), SAVED) == HAIKU
    found = core.memory(_world(keyed=("openai",)), SAVED)
    assert isinstance(found, core.NoMemoryModel)
    assert found.message == (
        "The chat memory cannot use the saved default model anthropic/claude-haiku, because its provider has no "
        "credentials: set memory.model."
    )


@quick
@given(
    catalog=st.frozensets(refs),
    enabled=st.none() | st.frozensets(refs),
    keyed=st.lists(names),
    startup=st.lists(refs),
    saved=st.builds(Saved, names, names),
)
def test_no_world_makes_a_resolution_raise_or_move_in_silence(
    catalog: frozenset[Ref],
    enabled: frozenset[Ref] | None,
    keyed: list[str],
    startup: list[Ref],
    saved: Saved,
) -> None:
    world = World(catalog, enabled, keyed, startup)
    found = core.resolve(world, saved)
    assert found.row or saved == UNSET or found.model == Ref(saved.provider, saved.model)
    assert found.row is None or found.row.message
    assert found.error is None or found.error.hint
    core.memory(world, saved)


def test_spec_and_core_say_the_same_of_every_scenario_and_reach_every_rule() -> None:
    outcome = kit.run(bridge.BRIDGE)
    assert outcome.differences == ()
    assert outcome.missed == ()
    assert outcome.scenarios >= 300
