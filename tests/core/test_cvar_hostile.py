"""The core of settings: hostile values in every public function; none raises, none hangs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from eukhe.core import cvar
from eukhe.core.cvar import (
    BAD,
    FLIP,
    Action,
    Alias,
    Bind,
    Cvar,
    Entry,
    Failure,
    Kind,
    ParseError,
    Place,
    Run,
    Scope,
    Set,
    Toggle,
    Type,
    Word,
)
from tests.core.cvar_rows import ROWS, base, commands

_TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=30),
    st.text('ab "\\;/\n\r\t+=\u2028\ud800é', max_size=40),
    st.sampled_from(["set", "ctrl+x", "9" * 400, '"' * 50, "\\" * 51, "[" * 3000, "retry.enabled"]),
)
_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), _TEXTS, st.just(10**400)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(_TEXTS, inner, max_size=3)
    ),
    max_leaves=6,
)
_GIVEN = st.one_of(_JSON, st.builds(Word, _TEXTS), st.just(FLIP))
_IDS = st.one_of(st.sampled_from([one.id for one in ROWS]), _TEXTS)
_ENTRIES = st.lists(st.builds(Entry, _IDS, _GIVEN, st.sampled_from(Place)), max_size=6)
_COMMANDS = st.lists(
    st.one_of(
        st.builds(Set, _IDS, _TEXTS),
        st.builds(Toggle, _IDS),
        st.builds(Run, st.sampled_from(["a", "b", "c"])),
        st.builds(Alias, st.sampled_from(["a", "b"]), st.just((Run("a"), Run("b")))),
        st.builds(Action, _TEXTS),
    ),
    max_size=4,
).map(tuple)
_ALIASES = st.dictionaries(st.sampled_from(["a", "b", "c"]), _COMMANDS, max_size=3)
_TYPES = st.builds(
    Type,
    st.sampled_from(Kind),
    st.tuples(_TEXTS, _TEXTS),
    st.sampled_from(Kind),
    st.booleans(),
)
_CVARS = st.builds(Cvar, _IDS, _TYPES, st.sampled_from(Scope), st.booleans(), st.booleans(), _JSON)

_hostile: Callable[[Any], Any] = settings(
    max_examples=300, derandomize=True, database=None, deadline=None
)


@_hostile
@given(st.lists(_CVARS, max_size=4), _TYPES, _GIVEN)
def test_no_declaration_and_no_value_raises(rows: list[Cvar], type_: Type, value: object) -> None:
    cvar.registry(rows)
    cvar.holds(type_, value)
    cvar.wants(type_)
    found = cvar.accept(type_, value)
    assert found is BAD or cvar.holds(type_, found)


@_hostile
@given(_ENTRIES, _ENTRIES, _IDS, _GIVEN)
def test_no_layer_raises_and_each_value_keeps_its_type(
    lower: list[Entry], upper: list[Entry], name: str, value: object
) -> None:
    below = cvar.over(cvar.over(base(), lower), upper)
    agent = cvar.agent(below, [(one.id, one.given) for one in upper])
    after = cvar.assign(agent, name, value)
    for cvars in (below, agent.cvars, after.cvars if isinstance(after, cvar.Agent) else below):
        for one in ROWS:
            read = cvars.values[one.id]
            assert cvar.holds(one.type, read) or read is one.default
        cvar.replicated(cvars)
        cvar.explain(cvars, name)
    cvar.global_change(below.registry, lower, name, value)
    [one.error.message for one in below.refused]


@_hostile
@given(_ENTRIES)
def test_what_an_agent_writes_reads_back_as_the_same_values(sets: list[Entry]) -> None:
    agent = cvar.agent(base(), [(one.id, one.given) for one in sets if one.given is not FLIP])
    script = cvar.parse_script(cvar.cfg_text(cvar.written(agent)))
    assert script.errors == ()
    loaded = cvar.load({}, script.lines, Place.PROFILE, "x.cfg")
    read = cvar.over(base(), loaded.entries)
    assert repr(read.values) == repr(agent.cvars.values)


@_hostile
@given(_TEXTS, _TEXTS)
def test_no_text_raises_and_every_word_reads_back(text: str, word: str) -> None:
    for found in (cvar.parse_list(text), cvar.split(text, cfg=True)):
        if isinstance(found, ParseError):
            assert found.message
    cvar.parse_script(text)
    name = cvar.key_name(text)
    assert name is None or cvar.key_name(name) == name
    assert commands(f"set x {cvar.quote(word)}") == (Set("x", word),)
    script = cvar.parse_script(f"set x {cvar.quote(word)} // {text.splitlines()[:1]}")
    assert script.lines[0].commands == (Set("x", word),)


@_hostile
@given(_ALIASES, _COMMANDS, _TEXTS)
def test_no_alias_and_no_key_raises(
    aliases: dict[str, tuple[cvar.Command, ...]], commands: tuple[cvar.Command, ...], key: str
) -> None:
    expanded = cvar.expand(aliases, commands, most=5)
    assert isinstance(expanded, Failure) or len(expanded) <= 5
    done = cvar.execute(cvar.agent(base(), []), aliases, commands)
    assert done.failure is None or done.failure.message
    assert cvar.parse_list(cvar.text_of(commands)) == commands
    table = cvar.bind_table([Bind(key, commands)], [Bind(key, ())])
    pressed = cvar.press(aliases, table, key)
    assert isinstance(pressed, Failure) or not any(
        isinstance(one, Run) for one in (*pressed.session, *pressed.client)
    )
