"""Key binds: `binds.cfg` before the defaults, and its one import from `keybindings.json` (S4.5)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from eukhe.core.cvar import Action, Alias, Set, bind_table, default_binds, key_name, press
from eukhe.core.cvar import Pressed as Sent
from eukhe.settings.bind_table import DEFAULT_KEYS, OLD_NAMES
from eukhe.settings.binds import load_binds
from eukhe.settings.disk import Text, read_text

if TYPE_CHECKING:
    import pytest

    from tests.settings.user import User


def _actions(table: object, key: str) -> list[str]:
    assert isinstance(table, dict)
    return [one.id for one in table.get(key, ()) if isinstance(one, Action)]


def test_the_default_actions_that_share_a_key_share_one_bind(user: User) -> None:
    loaded = load_binds(user.agent)
    assert loaded.warnings == ()
    assert not loaded.path.exists(), "with nothing to import no file is made"
    expected = [name for name, keys in DEFAULT_KEYS.items() if "ctrl+o" in keys]
    assert len(expected) == 3
    assert _actions(loaded.table, "ctrl+o") == expected
    for keys in DEFAULT_KEYS.values():
        assert [key_name(key) for key in keys] == list(keys), "a press finds its key by one form"
    assert _actions(loaded.table, "shift+super+z") == ["tui.editor.redo"]
    assert set(OLD_NAMES.values()) <= set(DEFAULT_KEYS)


def test_the_users_bind_comes_first_and_an_empty_one_turns_a_default_off(user: User) -> None:
    user.write(
        "binds.cfg",
        'bind CTRL+O "set maxToolRounds 3; alias x \\"set retry.maxRetries 1\\"; action app.exit"\n'
        'bind ctrl+o "action app.clear"\nbind esc ""\n',
    )
    loaded = load_binds(user.agent)
    assert press({}, loaded.table, "ctrl+o") == Sent(
        (Set("maxToolRounds", "3"), Alias("x", (Set("retry.maxRetries", "1"),))),
        (Action("app.exit"),),
    )
    assert press({}, loaded.table, "escape") == Sent((), ())
    assert press({}, loaded.table, "f12") == Sent((), ())
    assert _actions(loaded.table, "ctrl+z") == ["app.suspend"]
    assert [(one.kind, one.line) for one in loaded.warnings] == [("Shadowed", 2)]


def test_the_import_gives_each_key_the_actions_it_had(user: User) -> None:
    chosen = {"expandTools": "ctrl+q", "app.exit": [], "tui.editor.undo": ["ctrl+o", "F5"]}
    user.write("keybindings.json", chosen)
    loaded = load_binds(user.agent)
    assert loaded.imported
    assert loaded.warnings == ()
    had = {OLD_NAMES.get(name, name): keys for name, keys in chosen.items()}
    wanted = {
        **DEFAULT_KEYS,
        **{
            name: tuple(str(key_name(key)) for key in ([keys] if isinstance(keys, str) else keys))
            for name, keys in had.items()
        },
    }
    before = bind_table(default_binds(wanted))
    for key in {*before, *loaded.table}:
        assert _actions(loaded.table, key) == _actions(before, key), key
    again = load_binds(user.agent)
    assert not again.imported
    assert again.table == loaded.table
    user.write("keybindings.json", {"expandTools": "f6"})
    assert load_binds(user.agent).table == loaded.table, "the import is made once"


def test_unreadable_binds_cfg_and_failed_import_are_warnings(user: User) -> None:
    path = user.agent / "binds.cfg"
    path.write_bytes(b'bind x "\xff"')
    loaded = load_binds(user.agent)
    assert [(one.kind, one.file) for one in loaded.warnings] == [("Unreadable", str(path))]
    assert _actions(loaded.table, "ctrl+z") == ["app.suspend"], "the default binds still count"
    path.unlink()
    user.write("keybindings.json", "{broken")
    loaded = load_binds(user.agent)
    assert [one.kind for one in loaded.warnings] == ["Invalid"]
    assert not path.exists()
    user.write("keybindings.json", {"app.exit": ["ctrl+q"]})
    path.symlink_to(user.agent / "keybindings.json" / "below")  # no file can be made there
    loaded = load_binds(user.agent)
    assert [one.kind for one in loaded.warnings] == ["Unreadable"]
    path.unlink()


def test_an_import_that_cannot_be_written_is_a_warning_and_counts_all_the_same(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    user.write("keybindings.json", {"app.exit": ["ctrl+q"]})

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("eukhe.settings.writer.os.fsync", full)
    loaded = load_binds(user.agent)
    assert [one.kind for one in loaded.warnings] == ["Unwritten"]
    assert "No space left on device" in loaded.warnings[0].message
    assert _actions(loaded.table, "ctrl+q") == ["app.exit"]
    assert sorted(one.name for one in user.agent.iterdir()) == [
        ".binds.cfg.lock",
        "keybindings.json",
    ]


def test_an_import_never_replaces_binds_that_came_meanwhile(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    user.write("keybindings.json", {"app.exit": ["ctrl+q"]})
    path = user.write("binds.cfg", 'bind f5 "action app.exit"\n')
    gone = iter([Text("", missing=True)])
    monkeypatch.setattr(
        "eukhe.settings.binds.read_text", lambda path: next(gone, None) or read_text(path)
    )
    assert not load_binds(user.agent).imported
    assert path.read_text() == 'bind f5 "action app.exit"\n'


def test_what_an_import_cannot_read_is_named(user: User) -> None:
    user.write(
        "keybindings.json", json.dumps({"nope": "x", "app.exit": 5, "app.clear": ["hyper+x"]})
    )
    kinds = [(one.kind, one.id) for one in load_binds(user.agent).warnings]
    assert kinds == [("Undeclared", "nope"), ("BadValue", "app.exit"), ("Key", "app.clear")]


def test_a_line_that_binds_nothing_is_named_with_its_line(user: User) -> None:
    user.write(
        "binds.cfg",
        'bind nokey "x"\nset a 1\nbind x "action nope"\nbind y "gone"\nbind z "fine"\n',
    )
    loaded = load_binds(user.agent, {"fine": ()})
    assert [(one.kind, one.line) for one in loaded.warnings] == [
        ("Key", 1),
        ("Misplaced", 2),
        ("Undeclared", 3),
        ("Unknown", 4),
    ]
