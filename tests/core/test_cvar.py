"""The core of settings: the concrete cases of S4."""

from __future__ import annotations

import pytest

from eukhe.core import cvar
from eukhe.core.cvar import (
    BAD,
    FLIP,
    Action,
    Alias,
    Bind,
    Entry,
    ErrorKind,
    ExpandError,
    Failure,
    Fate,
    Fault,
    Kind,
    ParseError,
    Place,
    Pressed,
    Run,
    Set,
    Toggle,
    Type,
    Word,
)
from eukhe_bridge import cvar as bridge
from eukhe_bridge import kit
from tests.core.cvar_rows import BOOL, ROWS, base, commands, row

# The registry and the layers.


def test_a_second_declaration_and_a_wrong_default_stop_the_start() -> None:
    twice = cvar.registry((*ROWS, ROWS[0]))
    assert isinstance(twice, cvar.RegistryError)
    assert (twice.kind, twice.id) == (cvar.BadDeclaration.DUPLICATE, "retry.enabled")
    assert twice.message == "the setting retry.enabled is declared twice"
    wrong = cvar.registry((row("retry.maxRetries", Type(Kind.NAT), "3"),))
    assert isinstance(wrong, cvar.RegistryError)
    assert wrong.kind is cvar.BadDeclaration.BAD_DEFAULT


def test_a_bool_is_never_unset() -> None:
    assert isinstance(
        cvar.registry((row("x", Type(Kind.BOOL, unset=True), None),)), cvar.RegistryError
    )


def test_a_higher_layer_wins_and_the_winner_says_where_it_stands() -> None:
    cvars = cvar.over(
        base(),
        [
            Entry("retry.enabled", False, Place.GLOBAL, "settings.json"),
            Entry("retry.enabled", True, Place.PROJECT, ".eukhe/settings.json"),
            Entry("retry.enabled", Word("false"), Place.GLOBAL, "config.cfg:2"),
        ],
    )
    assert cvars.values["retry.enabled"] is False
    assert cvars.winners["retry.enabled"].origin == "config.cfg:2"


def test_a_subagent_inherits_its_parents_family_under_its_profile() -> None:
    main = cvar.agent(base(), [("retry.maxRetries", 7), ("theme", "dark")])
    profile = cvar.over(
        main.cvars, [Entry("theme", Word("light"), Place.PROFILE, "subagent.cfg:1")]
    )
    child = cvar.agent(profile, [])
    assert child.cvars.values["retry.maxRetries"] == 7
    assert child.cvars.values["theme"] == "light"
    assert child.sets == {}
    assert main.cvars.values["theme"] == "dark"


def test_cvar_rejects_a_global_cvar_from_a_session() -> None:
    agent = cvar.agent(base(), [])
    refused = cvar.assign(agent, "idleEvictionMinutes", 5)
    assert isinstance(refused, cvar.CvarError)
    assert refused.kind is ErrorKind.GLOBAL
    assert "only the global config" in refused.message


@pytest.mark.parametrize(
    ("line", "kind", "said"),
    [
        ("set nosuch 1", ErrorKind.UNDECLARED, "there is no setting nosuch"),
        ("set retry.maxRetries -1", ErrorKind.BAD_VALUE, "retry.maxRetries takes a whole number"),
        (
            "set defaultThinkingLevel max",
            ErrorKind.BAD_VALUE,
            "defaultThinkingLevel takes one of off, high",
        ),
        ("set retry.enabled 1", ErrorKind.BAD_VALUE, "retry.enabled takes true or false"),
        ("toggle theme", ErrorKind.NOT_BOOL, "theme is no truth value"),
        ("toggle idleEvictionMinutes", ErrorKind.GLOBAL, "idleEvictionMinutes is global"),
    ],
)
def test_a_rejected_command_says_which_rule_and_what_the_setting_takes(
    line: str, kind: ErrorKind, said: str
) -> None:
    done = cvar.execute(cvar.agent(base(), []), {}, commands(line))
    (error,) = done.refused
    assert error.kind is kind
    assert error.message.startswith(said)


def test_one_bad_set_of_a_line_drops_only_itself() -> None:
    done = cvar.execute(
        cvar.agent(base(), []),
        {},
        commands("set retry.maxRetries x; set theme dark; toggle retry.enabled"),
    )
    assert len(done.refused) == 1
    assert done.agent.sets == {"theme": "dark", "retry.enabled": False}


def test_a_stored_set_that_this_version_does_not_know_is_reported_and_kept() -> None:
    agent = cvar.agent(base(), [("from.a.later.version", 1)])
    assert [one.error.kind for one in agent.cvars.refused] == [ErrorKind.UNDECLARED]
    after = cvar.assign(agent, "theme", "dark")
    assert isinstance(after, cvar.Agent)
    assert after.stored == (("from.a.later.version", 1), ("theme", "dark"))


def test_a_global_toggle_flips_the_global_value_not_the_projects() -> None:
    config = [
        Entry("retry.enabled", False, Place.GLOBAL),
        Entry("retry.enabled", True, Place.PROJECT),
    ]
    cvars = base()
    assert cvar.global_change(cvars.registry, config, "retry.enabled", FLIP) is True
    assert cvar.global_change(cvars.registry, config, "idleEvictionMinutes", Word("off")) == "off"


def test_an_explanation_shows_every_layer_and_its_fate() -> None:
    cvars = cvar.over(
        base(),
        [
            Entry("retry.maxRetries", 4, Place.GLOBAL, "settings.json"),
            Entry("retry.maxRetries", 9, Place.WITHHELD, ".eukhe/settings.json"),
            Entry("retry.maxRetries", Word("many"), Place.GLOBAL, "config.cfg:1"),
            Entry("retry.maxRetries", Word("5"), Place.GLOBAL, "config.cfg:2"),
        ],
    )
    steps = cvar.explain(cvars, "retry.maxRetries")
    assert [(one.fate, one.value) for one in steps] == [
        (Fate.SHADOWED, 3),
        (Fate.SHADOWED, 4),
        (Fate.WITHHELD, None),
        (Fate.REFUSED, None),
        (Fate.WINS, 5),
    ]
    assert steps[3].error is not None
    assert steps[3].error.message == "retry.maxRetries takes a whole number"
    assert cvar.explain(cvars, "nosuch") == ()


@pytest.mark.parametrize("size", [1, 100])
def test_a_read_is_one_look_up_whatever_the_layers(size: int) -> None:
    cvars = base()
    for number in range(size):
        cvars = cvar.over(cvars, [Entry("retry.maxRetries", number, Place.GLOBAL)])
    assert type(cvars.values) is dict
    assert cvars.values["retry.maxRetries"] == size - 1


# Words and values.


@pytest.mark.parametrize(
    ("name", "word", "value"),
    [
        ("retry.maxRetries", "007", 7),
        ("retry.maxRetries", "9" * 15, int("9" * 15)),
        ("retry.maxRetries", "9" * 5000, BAD),
        ("retry.maxRetries", "\u0663", BAD),
        ("retry.maxRetries", "1.0", BAD),
        ("autonomous.maxTurns", "unlimited", "unlimited"),
        ("autonomous.maxTurns", "0", BAD),
        ("idleEvictionMinutes", "none", "none"),
        ("theme", "\ud800", BAD),
        ("theme", "a\u2028b", "a\u2028b"),
        ("skills", '["a", "b"]', ["a", "b"]),
        ("skills", "[1]", BAD),
        ("skills", "[" * 100_000, BAD),
        ("modelRoles", '{"tiny": "local/x"}', {"tiny": "local/x"}),
        ("modelRoles", '{"tiny": 1}', BAD),
        ("retry.fallbackChains", '{"tiny": []}', {"tiny": []}),
        ("retry.fallbackChains", '{"tiny": [1]}', BAD),
        ("kernelTransport", "{}", {}),
        ("kernelTransport", "[]", BAD),
    ],
)
def test_a_word_is_read_as_the_type_of_its_setting(name: str, word: str, value: object) -> None:
    found = cvar.accept(base().registry[name].type, Word(word))
    assert found == value
    assert type(found) is type(value)


def test_true_is_no_number_and_one_is_no_truth_value() -> None:
    assert not cvar.holds(Type(Kind.NAT), True)
    assert not cvar.holds(BOOL, 1)
    assert not cvar.holds(Type(Kind.NAT), 10**15)


# The command language.


@pytest.mark.parametrize(
    ("text", "fault", "column"),
    [
        ('set theme "dark', Fault.OPEN_QUOTE, 11),
        ('set theme da"rk"', Fault.QUOTE_IN_WORD, 13),
        ('set theme "da"rk', Fault.QUOTE_IN_WORD, 15),
        ("set theme", Fault.ARGUMENTS, 1),
        ("toggle a b; set x", Fault.ARGUMENTS, 1),
        ("x; toggle", Fault.ARGUMENTS, 4),
        ('alias set "x"', Fault.NAME, 7),
        ('alias "" "x"', Fault.NAME, 7),
        ('bind hyper+x "x"', Fault.KEY, 6),
        ('alias x "set y"', Fault.ARGUMENTS, 9),
    ],
)
def test_a_fault_is_named_with_its_place(text: str, fault: Fault, column: int) -> None:
    found = cvar.parse_list(text)
    assert isinstance(found, ParseError)
    assert (found.fault, found.column) == (fault, column)
    assert f"line 1, column {column}: " in found.message


def test_a_script_keeps_its_good_lines_and_names_the_others() -> None:
    script = cvar.parse_script(
        "// colours\r\nset theme dark // the dark one\r\nset theme\n\nset x http://y\nx; x\n"
    )
    assert [(one.number, one.commands) for one in script.lines if one.commands] == [
        (2, (Set("theme", "dark"),)),
        (5, (Set("x", "http:"),)),
        (6, (Run("x"), Run("x"))),
    ]
    assert [(one.line, one.fault) for one in script.errors] == [(3, Fault.ARGUMENTS)]


def test_a_typed_line_has_no_comments() -> None:
    assert commands("set x http://y") == (Set("x", "http://y"),)


def test_only_a_line_feed_ends_a_line_of_a_script() -> None:
    assert cvar.parse_script('set theme "a\u2028b\x0bc\x85d"').lines[0].commands == (
        Set("theme", "a\u2028b\x0bc\x85d"),
    )


def test_nested_lists_of_commands_read_back() -> None:
    inner = Alias("b", (Set("theme", 'a "b" ; // c'), Run("c")))
    commands = (Alias("a", (inner, Toggle("x"))), Bind("ctrl+x", (Action("app.exit"),)))
    assert cvar.parse_list(cvar.text_of(commands)) == commands
    assert cvar.parse_script(cvar.text_of(commands)).lines[0].commands == commands


# Aliases and binds.


def test_a_cycle_an_unknown_alias_and_a_long_expansion_run_nothing() -> None:
    table: cvar.Aliases = {
        "a": commands("b"),
        "b": commands("set theme dark; a"),
        "c": commands("nosuch"),
        **{f"d{n + 1}": commands(f"d{n}; d{n}") for n in range(60)},
        "d0": commands("set theme dark"),
        **{f"e{n + 1}": commands(f"e{n}; e{n}") for n in range(60)},
        "e0": (),
    }
    assert cvar.expand(table, (Run("a"),)) == Failure(ExpandError.CYCLE, "a")
    assert cvar.expand(table, (Run("c"),)) == Failure(ExpandError.UNKNOWN, "nosuch")
    assert cvar.expand(table, (Run("d60"),)) == Failure(ExpandError.TOO_LONG)
    assert cvar.expand(table, (Run("d60"), Run("c"))) == Failure(ExpandError.UNKNOWN, "nosuch")
    assert cvar.expand(table, (Run("e60"),)) == ()
    agent = cvar.agent(base(), [])
    done = cvar.execute(agent, table, (Set("theme", "dark"), Run("a")))
    assert done.agent.sets == {}
    assert done.failure is not None
    assert done.failure.message == "the alias a runs itself"


def test_a_nest_of_five_thousand_aliases_expands() -> None:
    deep: cvar.Aliases = {f"a{n}": (Run(f"a{n + 1}"),) for n in range(5000)}
    last = (Toggle("retry.enabled"),)
    assert cvar.expand({**deep, "a5000": last}, (Run("a0"),)) == last


def test_an_alias_command_gives_a_list_that_later_lines_run() -> None:
    agent = cvar.agent(base(), [])
    first = cvar.execute(agent, {}, commands('alias night "set theme dark; toggle retry.enabled"'))
    assert first.agent.sets == {}
    done = cvar.execute(agent, first.aliases, commands("night; action app.exit"))
    assert done.agent.sets == {"theme": "dark", "retry.enabled": False}
    assert done.left == (Action("app.exit"),)


def test_the_users_bind_comes_before_the_default_and_an_empty_one_turns_it_off() -> None:
    defaults = cvar.default_binds({"app.exit": ["ctrl+d"], "app.tree": ["ctrl+d", "x"]})
    user = cvar.parse_script(
        'bind ctrl+d ""\nbind F8 "action app.stt.toggle; toggle retry.enabled"'
    )
    binds = [one for line in user.lines for one in line.commands if isinstance(one, Bind)]
    table = cvar.bind_table(binds, defaults)
    assert cvar.press({}, table, "ctrl+d") == Pressed((), ())
    assert cvar.press({}, table, "x") == Pressed((), (Action("app.tree"),))
    assert cvar.press({}, table, "f8") == Pressed(
        (Toggle("retry.enabled"),), (Action("app.stt.toggle"),)
    )
    assert cvar.press({}, table, "f9") == Pressed((), ())


def test_an_import_gives_each_key_the_actions_that_it_had() -> None:
    defaults = {"app.exit": ["ctrl+d"], "app.tree": ["ctrl+d"], "app.copy": ["c"]}
    made = cvar.import_binds(defaults, {"app.exit": ["ctrl+q"], "app.copy": []})
    assert made == (
        Bind("ctrl+d", (Action("app.tree"),)),
        Bind("c", ()),
        Bind("ctrl+q", (Action("app.exit"),)),
    )


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Shift+CTRL+PageUp", "ctrl+shift+pageup"),
        ("esc", "escape"),
        ("ctrl++", "ctrl++"),
        ("ctrl+-", "ctrl+-"),
        ("alt+shift+é", "shift+alt+é"),
        ("space", "space"),
        ("", None),
        (" ", None),
        ("ctrl+", None),
        ("f13", None),
        ("hyper+x", None),
        ("ctrl", None),
    ],
)
def test_a_key_has_one_name(text: str, name: str | None) -> None:
    assert cvar.key_name(text) == name


# The bridge.


def test_spec_and_core_agree_and_every_rule_is_reached() -> None:
    outcome = kit.run(bridge.BRIDGE)
    assert outcome.differences == ()
    assert outcome.missed == ()
