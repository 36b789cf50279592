"""`config.cfg` and profiles: one set is changed, everything else stays (S4)."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from eukhe.core.cvar import FLIP, Place, Word
from eukhe.settings.cfg import with_set
from eukhe.settings.disk import Text
from eukhe.settings.errors import RefusedSetError, RefusedWriteError
from eukhe.settings.family import root
from eukhe.settings.load import cfg_layer
from eukhe.settings.setter import save_global, save_profile

if TYPE_CHECKING:
    from tests.settings.user import User


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "set a 5\n"),
        ("set b 1", "set b 1\nset a 5\n"),
        ("set a 1\nset b 2\n", "set a 5\nset b 2\n"),
        ('  set  a  "x y"  // why\n', "  set  a  5  // why\n"),
        ("set a 1\nset a 2\n", "set a 1\nset a 5\n"),
        ("set a 1\ntoggle a\n", "set a 1\ntoggle a\nset a 5\n"),
        ("set a 1\nfast\n", "set a 1\nfast\nset a 5\n"),
        ("set a 1; set b 2\n", "set a 1; set b 2\nset a 5\n"),
        ("// set a 1\n", "// set a 1\nset a 5\n"),
        ("set a 1\r\nset b 2\r\n", "set a 5\r\nset b 2\r\n"),
        ('broken "line\nset a 1\n', 'broken "line\nset a 5\n'),
    ],
)
def test_one_set_is_changed_and_the_rest_stays(before: str, after: str) -> None:
    assert with_set(before, "a", 5) == after


@pytest.mark.parametrize(
    "value", ["x", 'a "b" // c; d', "line\nend\\", [1, "x"], {"k": "//"}, True]
)
def test_what_is_written_reads_back(user: User, value: object) -> None:
    text = with_set("set b 1\n", "a", value)
    again = with_set(text, "a", value)
    assert again == text
    layer = cfg_layer(user.files.cfg, Text(text), Place.GLOBAL, {})
    assert layer.issues == ()
    assert [entry.id for entry in layer.entries] == ["b", "a"]


def test_an_unreadable_cfg_file_is_reported_and_never_overwritten(user: User) -> None:
    user.files.cfg.write_bytes(b"set maxToolRounds 3\n\xff\n")
    config = user.config()
    assert [(one.kind, one.file) for one in config.issues] == [("Unreadable", str(user.files.cfg))]
    assert "line 2 is not UTF-8" in config.issues[0].message
    with pytest.raises(RefusedWriteError, match=r"config\.cfg cannot be read"):
        save_global(user.registry, config, "maxToolRounds", Word("4"))
    assert user.files.cfg.read_bytes() == b"set maxToolRounds 3\n\xff\n"
    user.files.cfg.unlink()
    user.files.cfg.mkdir()
    assert [one.kind for one in user.config().issues] == ["Unreadable"]
    with pytest.raises(RefusedWriteError):
        save_global(user.registry, user.config(), "maxToolRounds", Word("4"))


def test_concurrent_global_sets_both_land(user: User) -> None:
    config = user.config()
    start = threading.Barrier(2)
    failed: list[BaseException] = []

    def set_all(name: str) -> None:
        start.wait()
        try:
            for value in range(30):
                save_global(user.registry, config, name, Word(str(value)))
        except BaseException as error:
            failed.append(error)
            raise

    names = ("maxToolRounds", "retry.maxRetries")
    threads = [threading.Thread(target=set_all, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    values = user.config().cvars.values
    assert (values["maxToolRounds"], values["retry.maxRetries"]) == (29, 29)
    assert user.files.cfg.read_text().count("\n") == 2, "a set of a cvar takes its line's place"


def test_a_global_toggle_flips_the_global_value_not_the_projects(user: User) -> None:
    user.write("project/settings.json", {"retry": {"enabled": False}})
    assert user.config().cvars.values["retry.enabled"] is False
    done = save_global(user.registry, user.config(), "retry.enabled", FLIP)
    assert done.value is False, "the default, which the global layer has, is true"
    assert done.shadowed is None, "the global config.cfg is above the project settings.json"
    user.write("config.cfg", "")
    user.write("settings.json", {"retry": {"enabled": False}})
    assert save_global(user.registry, user.config(), "retry.enabled", FLIP).value is True
    assert save_global(user.registry, user.config(), "retry.enabled", FLIP).value is False
    user.write("project/config.cfg", "set retry.enabled true\n")
    assert save_global(user.registry, user.config(), "retry.enabled", FLIP).value is True
    assert save_global(user.registry, user.config(), "retry.enabled", FLIP).shadowed is not None


def test_what_trust_withholds_shadows_nothing(user: User) -> None:
    user.write("project/config.cfg", "set maxToolRounds 1\n")
    assert save_global(user.registry, user.config(), "maxToolRounds", Word("4")).shadowed is None
    user.trust()
    assert (
        save_global(user.registry, user.config(), "maxToolRounds", Word("4")).shadowed is not None
    )


def test_a_global_set_that_is_not_valid_writes_nothing(user: User) -> None:
    for name, given in (("nope", Word("1")), ("maxToolRounds", Word("x")), ("maxToolRounds", FLIP)):
        with pytest.raises(RefusedSetError):
            save_global(user.registry, user.config(), name, given)
    assert not user.files.cfg.exists()


def test_a_saved_profile_gives_the_same_values(user: User) -> None:
    path = user.write("agents/main.cfg", "set retry.maxRetries 1 // mine\ntoggle retry.enabled\n")
    sets = [("retry.maxRetries", 2), ("retry.enabled", True), ("maxToolRounds", 7)]
    assert save_profile(path, sets)
    values = root(user.config()).cvars.values
    assert {name: values[name] for name, _ in sets} == dict(sets)
    assert path.read_text().startswith("set retry.maxRetries 2 // mine\ntoggle retry.enabled\n")
    assert not save_profile(path, [])
