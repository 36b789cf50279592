"""Config documents (S4b): the cases that the requirement names, and values that nobody meant."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eukhe.core import config, cvar
from eukhe.core.cvar import CvarError, Entry, ErrorKind, Kind, Place, Scope, Type, Word
from eukhe_bridge import config as bridge
from eukhe_bridge import kit

quick = settings(derandomize=True, database=None, deadline=None, max_examples=150)
texts = st.text(st.characters(codec=None) | st.sampled_from('\ud800\u2028\x00."é'), max_size=6)
keys = texts | st.sampled_from(["version", "retry", "theme", "mcpServers", "a.b"])
scalars = st.none() | st.booleans() | st.integers() | st.floats() | texts
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4)
)
documents = st.dictionaries(keys, values, max_size=5)
disks = st.one_of(
    st.just(config.Missing()),
    st.builds(config.Unreadable, texts),
    st.builds(config.Invalid, texts),
    st.builds(config.Parsed, values),
)
ids = st.sampled_from(
    ["retry.enabled", "retry.maxRetries", "providerMaxInFlight", "trustedProjects", "mcpServers"]
)
givens = values | st.builds(Word, texts) | st.just(cvar.FLIP)
entries = st.builds(Entry, ids | texts, givens, st.sampled_from(Place), texts)


def _table(*cvars: cvar.Cvar) -> cvar.Registry:
    found = cvar.registry(cvars)
    assert not isinstance(found, cvar.RegistryError)
    return found


def _cvar(name: str, kind: Type, default: object, scope: Scope = Scope.LOCAL) -> cvar.Cvar:
    return cvar.Cvar(name, kind, scope, True, True, default)


TABLE = _table(
    _cvar("retry.enabled", Type(Kind.BOOL), True),
    _cvar("retry.maxRetries", Type(Kind.NAT), 3),
    _cvar("retry.provider.timeoutMs", Type(Kind.NAT, unset=True), None),
    _cvar("theme", Type(Kind.TEXT), "dark"),
    _cvar("idleEvictionMinutes", Type(Kind.NAT_OR_OFF), 90, Scope.GLOBAL),
    _cvar("providerMaxInFlight", Type(Kind.MAP, of=Kind.NAT), {}, Scope.GLOBAL),
    _cvar("trustedProjects", Type(Kind.LIST), [], Scope.GLOBAL),
    _cvar("mcpServers", Type(Kind.MAP, of=Kind.UNIT), {}),
    _cvar("kernelTransport", Type(Kind.UNIT), {}),
)


def _contents(found: object) -> config.Document:
    assert isinstance(found, config.Write | config.Saved | config.Shadowed), found
    return found.contents


def test_another_version_is_refused_and_never_rewritten() -> None:
    change = config.Put(("connections",), "github", {"url": "https://example.org"})
    for version in (2, 0, True, 1.0, "1", None):
        found = config.write(config.CONNECTIONS, config.Parsed({"version": version}), change)
        assert isinstance(found, config.Refused)
        assert found.fault is config.Fault.VERSION
    assert _contents(config.write(config.CONNECTIONS, config.Missing(), change)) == {
        "version": 1,
        "connections": {"github": {"url": "https://example.org"}},
    }


def test_a_refusal_names_the_file_the_fault_and_what_to_do() -> None:
    found = config.write(
        config.SETTINGS, config.Invalid("line 3, column 7"), config.Drop((), "theme")
    )
    assert isinstance(found, config.Refused)
    assert found.message("~/.eukhe/settings.json") == (
        "~/.eukhe/settings.json is not valid JSON (line 3, column 7): nothing was written, "
        "repair the file first"
    )
    version = config.write(config.AUTH, config.Parsed({"version": 7}), config.Drop((), "openai"))
    assert isinstance(version, config.Refused)
    assert version.why == "version 7"
    huge = config.write(config.AUTH, config.Parsed({"version": 10**5000}), config.Drop((), "x"))
    assert isinstance(huge, config.Refused)
    assert huge.why == "int"
    stamped = config.write(config.CONNECTIONS, config.Parsed({}), config.Drop((), "x"))
    assert isinstance(stamped, config.Refused)
    assert stamped.why == "no version"


def test_a_write_keeps_order_unknown_keys_and_deep_values_and_changes_no_input() -> None:
    disk = {
        "zeta": [1],
        "retry": {"provider": {"timeoutMs": 5, "new": None}, "x": 1.5},
        "alpha": {},
    }
    before = copy.deepcopy(disk)
    found = config.write(
        config.SETTINGS, config.Parsed(disk), config.Put(("retry", "provider"), "timeoutMs", 9)
    )
    wanted = copy.deepcopy(before)
    wanted["retry"]["provider"]["timeoutMs"] = 9  # type: ignore[index]  # an object
    assert json.dumps(_contents(found)) == json.dumps(wanted)
    assert disk == before


def test_a_value_in_the_way_refuses_a_put_and_leaves_a_drop_nothing_to_do() -> None:
    disk = config.Parsed({"retry": {"provider": 5}})
    put = config.write(config.SETTINGS, disk, config.Put(("retry", "provider", "x"), "y", 1))
    assert put == config.Refused(config.Fault.BLOCKED, "retry.provider.x.y")
    drop = config.write(config.SETTINGS, disk, config.Drop(("retry", "provider", "x"), "y"))
    assert drop == config.Unchanged()


def test_a_bad_leaf_drops_only_itself_and_is_named() -> None:
    document: config.Document = {
        "version": 1,
        "retry": {"enabled": "yes", "maxRetries": 5, "provider": {"timeoutMs": 7, "typo": 1}},
        "theme": None,
        "retry.enabled": False,
        "nobody": {"knows": {"this": []}, "empty": {}},
        "kernelTransport": {"a": {"b": 1}},
        "idleEvictionMinutes": "never",
    }
    leaves = config.leaves(TABLE, document, Place.GLOBAL, "settings.json")
    seen = cvar.over(cvar.base(TABLE), leaves)
    assert [(one.entry.id, one.error.kind) for one in seen.refused] == [
        ("retry.enabled", ErrorKind.BAD_VALUE),
        ("retry.provider.typo", ErrorKind.UNDECLARED),
        ("theme", ErrorKind.BAD_VALUE),
        ('"retry.enabled"', ErrorKind.UNDECLARED),
        ("nobody.knows.this", ErrorKind.UNDECLARED),
        ("idleEvictionMinutes", ErrorKind.BAD_VALUE),
    ]
    assert seen.values["retry.maxRetries"] == 5
    assert seen.values["retry.provider.timeoutMs"] == 7
    assert seen.values["kernelTransport"] == {"a": {"b": 1}}
    assert seen.values["retry.enabled"] is True
    assert seen.values["idleEvictionMinutes"] == 90


def test_a_map_below_a_key_is_one_leaf() -> None:
    table = _table(_cvar("providers.limits", Type(Kind.MAP, of=Kind.NAT), {}))
    leaves = config.leaves(table, {"providers": {"limits": {"a": 1}}}, Place.GLOBAL, "f")
    assert [(one.id, one.given) for one in leaves] == [("providers.limits", {"a": 1})]


def test_a_setter_keeps_a_field_that_failed_to_load_and_a_concurrent_edit() -> None:
    disk = config.Parsed({"theme": 7, "retry": {"enabled": False}, "added": "by another"})
    entry = Entry("retry.maxRetries", 8, Place.GLOBAL)
    assert _contents(config.save(TABLE, disk, entry, ())) == {
        "theme": 7,
        "retry": {"enabled": False, "maxRetries": 8},
        "added": "by another",
    }


def test_a_setter_refuses_a_value_that_its_setting_does_not_hold() -> None:
    for name, value, place, kind in (
        ("theme", 7, Place.GLOBAL, ErrorKind.BAD_VALUE),
        ("thme", "x", Place.GLOBAL, ErrorKind.UNDECLARED),
        ("idleEvictionMinutes", "off", Place.PROJECT, ErrorKind.GLOBAL),
        ("theme", cvar.FLIP, Place.GLOBAL, ErrorKind.NOT_BOOL),
    ):
        found = config.save(TABLE, config.Missing(), Entry(name, value, place), ())
        assert isinstance(found, CvarError)
        assert (found.kind, found.id) == (kind, name)


def test_a_setting_a_cfg_file_shadows_says_so() -> None:
    above = (
        Entry("theme", "solar", Place.PROJECT, ".eukhe/settings.json"),
        Entry("theme", Word("light"), Place.GLOBAL, "config.cfg:3"),
        Entry("theme", 9, Place.PROJECT, ".eukhe/config.cfg:1"),
        Entry("theme", "hidden", Place.WITHHELD, ".eukhe/config.cfg:2"),
    )
    found = config.save(TABLE, config.Missing(), Entry("theme", "dark", Place.GLOBAL), above)
    assert isinstance(found, config.Shadowed)
    assert found.by.origin == "config.cfg:3"
    assert found.contents == {"theme": "dark"}


@pytest.mark.parametrize(
    ("given", "openai", "other", "malformed"),
    [
        ({"openai": 4}, 4, None, ()),
        ({"openai": 0}, 0, None, ()),
        ({"openai": "4", "groq": 2}, 1, None, ("openai",)),
        ({"openai": 4.0}, 1, None, ("openai",)),
        ({"openai": True}, 1, None, ("openai",)),
        ({"openai": -1}, 1, None, ("openai",)),
        ({"openai": None}, 1, None, ("openai",)),
        (None, 1, 1, ()),
        ([], 1, 1, ()),
        ("unlimited", 1, 1, ()),
        (Word('{"openai": 3}'), 3, None, ()),
        (Word("3"), 1, 1, ()),
    ],
)
def test_a_malformed_in_flight_limit_fails_closed(
    given: object, openai: int | None, other: int | None, malformed: tuple[str, ...]
) -> None:
    project = Entry("providerMaxInFlight", {"openai": 99}, Place.PROJECT)
    found = config.in_flight([Entry("providerMaxInFlight", given, Place.GLOBAL), project])
    assert (found.of("openai"), found.of("xai"), found.malformed) == (openai, other, malformed)
    assert config.in_flight([project]).of("openai") is None


@pytest.mark.parametrize(
    ("name", "is_guarded"),
    [
        ("autonomous.maxTurns", True),
        ("autonomous", True),
        ("retry.maxRetries", True),
        ("retry.maxRetriesOf", False),
        ("retry.failover.maxRetries", True),
        ("retry.failover.baseDelayMs", False),
        ("retry.enabled", False),
        ("mcpServers", True),
        ("theme", False),
        ("", False),
    ],
)
def test_guarded_keys_are_guarded_with_all_below_them(name: str, is_guarded: bool) -> None:
    assert config.guarded(name) is is_guarded


def test_an_id_of_a_million_words_is_guarded_or_not_at_once() -> None:
    # A project file can hold any key; a look that grew with the square of its words would not end.
    assert not config.guarded("." * 1_000_000)
    assert config.guarded("directors" + "." * 1_000_000)


def test_an_untrusted_projects_limits_are_withheld_and_named_and_change_no_value() -> None:
    document: config.Document = {
        "retry": {"maxRetries": 99, "enabled": False},
        "mcpServers": {"evil": {"command": "sh"}},
    }
    leaves = config.leaves(TABLE, document, Place.PROJECT, ".eukhe/settings.json")
    found = config.screen(leaves, ("SYSTEM.md", "NOTES.md"), trusted=False)
    assert found.withheld == ("retry.maxRetries", "mcpServers", "SYSTEM.md")
    assert found.prompts == ("NOTES.md",)
    seen = cvar.over(cvar.base(TABLE), found.entries)
    assert seen.values["retry.maxRetries"] == 3
    assert seen.values["retry.enabled"] is False
    assert config.servers(seen.entries) == {}


def test_trust_comes_from_the_global_layer_and_covers_what_is_below() -> None:
    found = config.trusted_projects(
        [
            Entry("trustedProjects", ["/old"], Place.GLOBAL),
            Entry("trustedProjects", ["/srv/a/", "b", "~/c"], Place.GLOBAL),
            Entry("trustedProjects", "no list", Place.GLOBAL),
            Entry("trustedProjects", ["/evil"], Place.PROJECT),
        ]
    )
    assert found.relative == ("b", "~/c")
    trusted = {one: found.trusts(one) for one in ("/srv/a", "/srv/a/x", "/srv/ab", "/srv", "/b")}
    assert [one for one, is_trusted in trusted.items() if is_trusted] == ["/srv/a", "/srv/a/x"]
    assert not found.trusts("/evil")
    assert not found.trusts("/old")


def test_a_project_mcp_entry_never_takes_global_credentials() -> None:
    layers = (
        Entry(
            "mcpServers",
            {"a": {"url": "https://one", "token": "T"}, "b": {"url": "x"}},
            Place.GLOBAL,
        ),
        Entry("mcpServers", {"a": {"url": "https://two"}}, Place.PROJECT),
        Entry("mcpServers", {"a": "no unit"}, Place.PROJECT),
    )
    found = config.servers(layers)
    assert {name: server.unit for name, server in found.items()} == {
        "a": {"url": "https://two"},
        "b": {"url": "x"},
    }
    assert found["a"].entry is layers[1]


def test_a_kernel_transport_is_replaced_whole() -> None:
    below = cvar.over(cvar.base(TABLE), [Entry("kernelTransport", {"a": 1, "b": 2}, Place.GLOBAL)])
    above = cvar.over(below, [Entry("kernelTransport", {"a": 3}, Place.PROJECT)])
    assert above.values["kernelTransport"] == {"a": 3}


def test_the_sessions_directory_has_one_precedence() -> None:
    environ = {"EUKHE_SESSION_DIR": "", "EUKHE_CODING_AGENT_SESSION_DIR": "/legacy"}
    assert config.session_dir("/flag", environ, "/set", "/agent").path == "/flag"
    assert config.session_dir("", environ, "/set", "/agent").path == "/legacy"
    assert config.session_dir(None, {}, "/set", "/agent").path == "/set"
    assert config.session_dir(None, {}, None, "/agent").path == "/agent/sessions"


@quick
@given(
    form=st.sampled_from((config.SETTINGS, config.AUTH, config.CONNECTIONS)),
    disk=disks,
    within=st.lists(keys, max_size=3).map(tuple),
    key=keys,
    value=values,
    drops=st.booleans(),
)
def test_no_document_makes_a_writer_raise_or_write_over_what_it_cannot_read(
    form: config.Format,
    disk: config.Disk,
    within: tuple[str, ...],
    key: str,
    value: object,
    drops: bool,
) -> None:
    before = copy.deepcopy(disk)
    change = config.Drop(within, key) if drops else config.Put(within, key, value)
    found = config.write(form, disk, change)
    if not isinstance(disk, config.Missing | config.Parsed):
        assert isinstance(found, config.Refused)
    if isinstance(found, config.Refused):
        assert found.message("f")
    assert repr(disk) == repr(before)


@quick
@given(document=documents, place=st.sampled_from(Place), entry=entries, above=st.lists(entries))
def test_no_settings_make_leaves_or_the_setter_raise(
    document: config.Document, place: Place, entry: Entry, above: list[Entry]
) -> None:
    leaves = config.leaves(TABLE, document, place, "f")
    assert len({one.id for one in leaves}) == len(leaves)
    config.save(TABLE, config.Parsed(document), entry, above)


@quick
@given(said=st.lists(entries, max_size=6), name=texts, files=st.lists(texts), trusted=st.booleans())
def test_no_entries_make_limits_trust_or_servers_raise(
    said: list[Entry], name: str, files: list[str], trusted: bool
) -> None:
    limit = config.in_flight(said).of(name)
    assert limit is None or limit >= 0
    assert isinstance(config.trusted_projects(said).trusts("/" + name), bool)
    config.servers(said)
    config.session_dir(name, {}, None, "")
    assert len(config.screen(said, files, trusted).entries) == len(said)


def test_a_deeply_nested_document_is_read_without_recursion() -> None:
    document: config.Document = {}
    inner = document
    for _ in range(5_000):
        inner["a"] = {}
        inner = inner["a"]  # type: ignore[assignment]  # an object was just put there
    inner["leaf"] = 1
    assert len(config.leaves(TABLE, document, Place.GLOBAL, "f")) == 1


def test_spec_and_core_say_the_same_of_every_scenario_and_reach_every_rule() -> None:
    outcome = kit.run(bridge.BRIDGE)
    assert outcome.differences == ()
    assert outcome.missed == ()
    assert outcome.scenarios >= 360
