"""Layers, trust, migrations and settings errors: nothing that is in a file is lost in silence (S4, S4b)."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from eukhe.core.config import servers
from eukhe.core.cvar import Cvar, Kind, Scope, Type, Word
from eukhe.settings.binds import load_binds
from eukhe.settings.disk import Text, mark
from eukhe.settings.errors import TableError
from eukhe.settings.family import child, root
from eukhe.settings.load import load_config, place_of
from eukhe.settings.migrate import migrated
from eukhe.settings.places import Files, agent_dir
from eukhe.settings.setter import save_setting
from eukhe.settings.table import TABLE, load_registry

if TYPE_CHECKING:
    from pathlib import Path

    from eukhe.settings.disk import Mark
    from tests.settings.user import User


def test_the_layers_stand_in_their_order(user: User) -> None:
    user.trust()
    user.write("settings.json", {"maxToolRounds": 1, "retry": {"maxRetries": 1}})
    assert user.config().cvars.values["maxToolRounds"] == 1
    user.write("project/settings.json", {"maxToolRounds": 2})
    assert user.config().cvars.values["maxToolRounds"] == 2
    global_cfg = user.files.cfg.read_text()
    user.write("config.cfg", f"{global_cfg}set maxToolRounds 3 // a comment\n")
    assert user.config().cvars.values["maxToolRounds"] == 3
    user.write("project/config.cfg", 'alias four "set maxToolRounds 4"\nfour\n')
    assert user.config().cvars.values["maxToolRounds"] == 4
    user.write("agents/main.cfg", "set maxToolRounds 5\n")
    assert user.config().cvars.values["maxToolRounds"] == 4
    assert root(user.config()).cvars.values["maxToolRounds"] == 5
    assert root(user.config()).cvars.values["retry.maxRetries"] == 1
    assert user.config().issues == root(user.config()).issues == ()


def test_a_bad_leaf_drops_only_itself_and_is_named(user: User) -> None:
    user.write(
        "settings.json",
        '{\n  "retry": {\n    "enabled": "no",\n    "maxRetries": 7\n  },\n  "nope": {"deep": 1},\n'
        '  "mcpServers": {"a": 5},\n  "maxToolRounds": 8\n}',
    )
    config = user.config()
    values = config.cvars.values
    assert (values["retry.enabled"], values["retry.maxRetries"]) == (True, 7)
    assert (values["mcpServers"], values["maxToolRounds"]) == ({}, 8)
    file = str(user.files.settings)
    assert [(one.kind, one.id, one.file, one.line) for one in config.issues] == [
        ("BadValue", "retry.enabled", file, 3),
        ("Undeclared", "nope.deep", file, 6),
        ("BadValue", "mcpServers", file, 7),
    ]
    assert config.issues[0].text == (
        f"{file}:3: retry.enabled takes true or false; this set has no effect"
    )


def test_every_error_of_a_cfg_file_names_file_and_line(user: User) -> None:
    user.write(
        "config.cfg",
        'set maxToolRounds 5\nset retry.enabled "maybe"\nset "open\nalias a "b"\nalias b "a"\na\n'
        'nothing\nset sessionDir "http://x" // fine\ntoggle maxToolRounds\nbind x "a"\n',
    )
    config = user.config()
    file = str(user.files.cfg)
    assert {(one.kind, one.id, one.line) for one in config.issues if one.file == file} == {
        ("OpenQuote", "", 3),
        ("Cycle", "a", 6),
        ("Unknown", "nothing", 7),
        ("BadValue", "retry.enabled", 2),
        ("NotBool", "maxToolRounds", 9),
        ("Misplaced", "", 10),
    }
    assert config.cvars.values["maxToolRounds"] == 5
    assert config.cvars.values["sessionDir"] == "http://x"


def test_a_setting_a_cfg_file_shadows_says_so(user: User) -> None:
    user.trust()
    global_cfg = user.files.cfg.read_text()
    assert save_setting(user.registry, user.config(), "maxToolRounds", Word("2")).shadowed is None
    assert save_setting(user.registry, user.config(), "maxToolRounds", Word("3")).shadowed is None
    user.write("config.cfg", f"{global_cfg}set maxToolRounds 3\n")
    done = save_setting(user.registry, user.config(), "maxToolRounds", Word("4"))
    assert done.shadowed is not None
    assert place_of(done.shadowed, {}) == (str(user.files.cfg), 2)
    project = user.write("project/settings.json", '{\n\n"retry": {"maxRetries": 1}}')
    done = save_setting(user.registry, user.config(), "retry.maxRetries", Word("4"))
    assert done.shadowed is not None
    assert place_of(done.shadowed, {}) == (str(project), 3)
    cfg = user.write("project/config.cfg", "\n\nset retry.maxRetries 2")
    done = save_setting(user.registry, user.config(), "retry.maxRetries", Word("4"), project=True)
    assert done.path == project
    assert done.shadowed is not None
    assert place_of(done.shadowed, {}) == (str(cfg), 3)


def test_a_project_mcp_entry_never_takes_global_credentials(user: User) -> None:
    user.trust()
    secret = {"url": "https://real", "headers": {"Authorization": "secret"}}
    user.write("settings.json", {"mcpServers": {"a": secret, "b": secret}})
    user.write("project/settings.json", {"mcpServers": {"a": {"command": "x"}}})
    found = servers(user.config().entries)
    assert found["a"].unit == {"command": "x"}
    assert found["b"].unit == secret
    user.write("config.cfg", "")  # no longer trusted
    assert servers(user.config().entries)["a"].unit == secret


def test_an_untrusted_project_changes_nothing_that_is_guarded_and_is_named(user: User) -> None:
    user.write("config.cfg", 'alias mine "set maxToolRounds 1"\n')
    user.write(
        "project/settings.json",
        {"retry": {"maxRetries": 99, "enabled": False}, "shellPath": "/evil", "sessionDir": "/e"},
    )
    user.write("project/config.cfg", 'set maxToolRounds 99\nalias mine "set maxToolRounds 98"\n')
    for name in ("SYSTEM.md", "APPEND_SYSTEM.md"):
        user.write(f"project/{name}", "obey the project")
    user.write("SYSTEM.md", "obey the user")
    config = user.config()
    values = config.cvars.values
    assert (values["retry.maxRetries"], values["maxToolRounds"]) == (3, 200)
    assert (values["shellPath"], values["sessionDir"]) == (None, None)
    assert values["retry.enabled"] is False, "what is not guarded applies"
    assert config.prompts == {"SYSTEM.md": user.agent / "SYSTEM.md"}
    assert [one.kind for one in config.issues] == ["Withheld"]
    for name in (
        "retry.maxRetries",
        "shellPath",
        "sessionDir",
        "maxToolRounds",
        "SYSTEM.md",
        "APPEND_SYSTEM.md",
        "alias mine",
    ):
        assert name in config.issues[0].message
    assert f"eukhe trust {user.project}" in config.issues[0].message
    user.write("config.cfg", f'set trustedProjects "[\\"{user.root}\\"]"\n')
    config = user.config()
    assert config.cvars.values["maxToolRounds"] == 99
    assert set(config.prompts.values()) == {
        user.project / ".eukhe" / name for name in ("SYSTEM.md", "APPEND_SYSTEM.md")
    }
    assert config.issues == ()


def test_a_project_without_files_is_not_trusted_by_that(user: User) -> None:
    (user.project / ".eukhe").rmdir()
    assert not user.config().trusted
    user.trust()
    assert user.config().trusted


def test_what_an_untrusted_project_says_never_steers_the_terminal(user: User) -> None:
    user.write("project/settings.json", '{"\\u001b]0;x\\u0007\\n": 1}')
    user.write("project/config.cfg", 'alias \x1b[2Jy "z"\n\x1b[31m\nset \x9b31m 5\n')
    user.write("agents/main.cfg", "set \x1b[2J 5\n")
    user.write("binds.cfg", "bind a \x1b[2J\n")
    issues = (
        *user.config().issues,
        *root(user.config()).issues,
        *load_binds(user.agent, {}).warnings,
    )
    assert len(issues) == 6
    assert [one.text for one in issues if not (one.text + one.id).isprintable()] == []
    assert any("\\x1b]0;x\\x07\\n" in one.message for one in issues)


def test_no_project_trusts_itself(user: User) -> None:
    user.write("project/settings.json", {"trustedProjects": ["/"], "maxToolRounds": 1})
    user.write("project/config.cfg", 'set trustedProjects "[\\"/\\"]"')
    config = user.config()
    assert not config.trusted
    assert config.cvars.values["trustedProjects"] == []
    own = [one for one in config.issues if one.id == "trustedProjects"]
    assert [one.kind for one in own] == ["Global", "Global"]
    user.trust()
    own = [one for one in user.config().issues if one.id == "trustedProjects"]
    assert [one.kind for one in own] == ["Global", "Global"]


def test_trust_looks_through_links_and_names_relative_entries(user: User, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(user.project)
    user.write("settings.json", {"trustedProjects": [str(link), "relative", "~/x"]})
    config = user.config()
    assert config.trusted
    assert [(one.kind, one.id) for one in config.issues] == [("BadValue", "trustedProjects")] * 2


def test_the_directory_of_the_agent_directory_has_no_project_layer(tmp_path: Path) -> None:
    files = Files.of(tmp_path / ".eukhe", tmp_path)
    (tmp_path / ".eukhe").mkdir()
    (tmp_path / ".eukhe" / "settings.json").write_text(
        '{"trustedProjects": [], "maxToolRounds": 2}'
    )
    config = load_config(load_registry(), files)
    assert (config.trusted, config.issues, files.project) == (True, (), None)
    assert config.cvars.values["maxToolRounds"] == 2


def test_old_shapes_are_read_in_sight(user: User) -> None:
    user.write("settings.json", '{\n "retry": {\n  "maxDelayMs": 5\n }\n}')
    config = user.config()
    assert config.cvars.values["retry.provider.maxRetryDelayMs"] == 5
    assert [(one.kind, one.id, one.line) for one in config.issues] == [
        ("Migrated", "retry.maxDelayMs", 3)
    ]
    assert "was read as retry.provider.maxRetryDelayMs 5" in config.issues[0].message
    user.write("settings.json", {"retry": {"maxDelayMs": 5, "provider": {"maxRetryDelayMs": 6}}})
    config = user.config()
    assert config.cvars.values["retry.provider.maxRetryDelayMs"] == 6
    assert "is the old name" in config.issues[0].message


def test_every_old_shape_is_moved_where_its_new_setting_is_declared() -> None:
    text = Type(Kind.TEXT)
    names = ("steeringMode", "transport", "skills", "enableSkillCommands", "telemetry.enabled")
    registry = load_registry(Cvar(name, text, Scope.LOCAL, False, False, "") for name in names)
    old = {
        "queueMode": "all",
        "websockets": True,
        "skills": {"enableSkillCommands": False, "customDirectories": ["x"]},
        "telemetry": False,
        "other": 1,
    }
    new, moved = migrated(registry, old)
    assert new == {
        "other": 1,
        "steeringMode": "all",
        "transport": "websocket",
        "enableSkillCommands": False,
        "skills": ["x"],
        "telemetry": {"enabled": False},
    }
    assert len(moved) == 5
    assert migrated({}, old) == (old, ()), "no new setting: reported as undeclared like any other"
    strange = {"skills": {"mine": 1}, "websockets": "x", "telemetry": 3}
    assert migrated(registry, strange) == (strange, ())


def test_profile_and_agent_alias_errors_reach_the_manager(user: User) -> None:
    user.write("agents/main.cfg", 'set nope 1\nset trustedProjects "[]"\nalias a "set"\n')
    family = root(user.config())
    assert [(one.kind, one.id, one.line) for one in family.issues] == [
        ("Arguments", "", 3),
        ("Undeclared", "nope", 1),
        ("Global", "trustedProjects", 2),
    ]
    (user.agent / "subagent.cfg").mkdir()
    family = child(user.config().cvars, {}, user.files)
    assert [one.kind for one in family.issues] == ["Unreadable"]


def test_a_subagent_inherits_its_parents_family_under_its_profile(user: User) -> None:
    user.write("config.cfg", "set maxToolRounds 1; set retry.maxRetries 1\n")
    user.write("agents/main.cfg", "set maxToolRounds 2\n")
    parent = root(user.config())
    assert child(parent.cvars, parent.aliases, user.files).cvars.values == parent.cvars.values
    user.write("subagent.cfg", "set retry.maxRetries 3\ntoggle retry.enabled\n")
    user.write("agents/scout.cfg", "set retry.maxRetries 4\n")
    plain = child(parent.cvars, parent.aliases, user.files).cvars.values
    named = child(parent.cvars, parent.aliases, user.files, "scout").cvars.values
    assert (plain["maxToolRounds"], named["maxToolRounds"]) == (2, 2)
    assert (plain["retry.maxRetries"], named["retry.maxRetries"]) == (3, 4)
    assert plain["retry.enabled"] is named["retry.enabled"] is False


def test_a_reload_looks_twice_at_the_disk_when_nothing_changed(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = load_config(user.registry, Files.of(user.agent, user.root))
    looks: list[Path] = []

    def counted(path: Path) -> Mark:
        looks.append(path)
        return mark(path)

    monkeypatch.setattr("eukhe.settings.load.mark", counted)
    assert not config.changed()
    assert looks == [user.files.settings, user.files.cfg]
    user.write("settings.json", {})
    assert config.changed()


@pytest.mark.parametrize("name", ["settings.json", "config.cfg", "project/settings.json"])
def test_a_file_that_changes_comes_or_goes_is_noticed(user: User, name: str) -> None:
    before = user.config()
    path = user.write(name, "{}")
    assert before.changed()
    before = user.config()
    assert not before.changed()
    path.write_text("{} ")
    assert before.changed()
    before = user.config()
    path.unlink()
    assert before.changed()


def test_a_bad_table_stops_the_program_at_start() -> None:
    twice = (*TABLE, TABLE[0])
    with pytest.raises(
        TableError, match=r"RegistryError: the setting retry\.enabled is declared twice"
    ):
        load_registry(twice)
    wrong = Cvar("x", Type(Kind.NAT), Scope.LOCAL, False, False, "3")
    with pytest.raises(TableError, match="the default of the setting x does not have its type"):
        load_registry([wrong])
    code = """
import sys
from eukhe.settings import table
table.load_registry.__defaults__ = ((*table.TABLE, table.TABLE[0]),)
from eukhe.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
    run = ["-p", "x", "--base-url", "http://127.0.0.1:9/v1", "--model", "m"]
    for arguments in (["settings", "list"], ["sessions", "list"], run):
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("eukhe: RegistryError: the setting retry.enabled")


def test_the_agent_directory_is_the_flag_then_the_variable_then_the_home(tmp_path: Path) -> None:
    env = {"EUKHE_CODING_AGENT_DIR": "/c"}
    assert agent_dir(env, tmp_path) == tmp_path
    assert str(agent_dir(env)) == "/c"
    assert str(agent_dir({"EUKHE_CODING_AGENT_DIR": ""})) == os.path.expanduser("~/.eukhe")  # noqa: PTH111 - text
    assert Text("").missing is False
