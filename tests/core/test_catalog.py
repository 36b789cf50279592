"""The built-in catalog (C1): the cases that the requirement names, and values that nobody meant."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from eukhe.core import catalog as core
from eukhe.core.catalog import Catalog, Cost, Entry, Foreign
from eukhe_bridge import catalog as bridge
from eukhe_bridge import kit

HAIKU = Entry(
    "anthropic",
    "claude-haiku-5.5",
    "anthropic-messages",
    "https://api.anthropic.com",
    "Claude Haiku 5.5",
    True,
    ("text", "image"),
    Cost(1.0, 5.0, 0.1, 1.25),
    200_000,
    64_000,
    thinking_level_map={"xhigh": "max"},
    featured=True,
)
SONNET = replace(HAIKU, id="claude-sonnet", name="Claude Sonnet", headers={"x-beta": "1"})

names = st.sampled_from(["a", "b", "", "\ud800"])
maps = st.none() | st.dictionaries(names, names, max_size=2)
entries = st.lists(
    st.builds(
        replace,
        st.just(HAIKU),
        provider=names,
        id=names,
        api=names,
        thinking_level_map=maps,
        compat=maps,
        featured=st.none() | st.booleans(),
        headers=maps,
    ),
    max_size=8,
)


def test_a_bundle_without_a_compiled_model_keeps_it() -> None:
    assert core.union([SONNET], [HAIKU, SONNET]) == (SONNET, HAIKU)


def test_the_bundled_entry_wins_and_gaps_are_filled_by_the_same_api() -> None:
    bundled = replace(
        HAIKU, cost=Cost(2.0), thinking_level_map=None, featured=False, base_url="https://other"
    )
    compiled = replace(HAIKU, compat={"supportsStore": False}, headers={"x": "y"})
    assert core.union([bundled], [compiled]) == (
        replace(
            bundled,
            thinking_level_map={"xhigh": "max"},
            compat={"supportsStore": False},
            headers={"x": "y"},
        ),
    )
    assert core.union([bundled], [replace(compiled, api="openai-responses")]) == (bundled,)


def test_an_empty_map_is_a_value_and_is_not_filled() -> None:
    bundled = replace(HAIKU, thinking_level_map={}, compat={})
    assert core.union([bundled], [replace(HAIKU, compat={"a": 1})]) == (bundled,)


def test_without_a_usable_bundle_the_catalog_is_the_compiled_one() -> None:
    apis = ("anthropic-messages",)
    assert core.catalog(None, [HAIKU, SONNET], apis) == Catalog((HAIKU, SONNET))
    found = core.catalog([SONNET, replace(HAIKU, api="telepathy")], [HAIKU], apis)
    assert found == Catalog((HAIKU,), Foreign("anthropic", "claude-haiku-5.5", "telepathy"))
    assert found.foreign is not None
    assert "anthropic/claude-haiku-5.5 needs the wire API telepathy" in found.foreign.message


@settings(derandomize=True, database=None, deadline=None, max_examples=200)
@given(bundle=st.none() | entries, compiled=entries, apis=st.lists(names))
def test_no_sources_make_the_catalog_raise_or_lose_a_model(
    bundle: list[Entry] | None, compiled: list[Entry], apis: list[str]
) -> None:
    found = core.catalog(bundle, compiled, apis)
    models = [(one.provider, one.id) for one in found.models]
    assert len(set(models)) == len(models)
    assert set(models) >= {(one.provider, one.id) for one in compiled}
    assert found.foreign is None or found.foreign.message


def test_spec_and_core_say_the_same_of_every_scenario_and_reach_every_rule() -> None:
    outcome = kit.run(bridge.BRIDGE)
    assert outcome.differences == ()
    assert outcome.missed == ()
    assert outcome.scenarios >= 300
