"""Config documents: what is on disk is changed and nothing else, or nothing is written (S4b.1, S4b.2)."""

from __future__ import annotations

import json
import os
import random
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from eukhe.core.config import CONNECTIONS, SETTINGS, Drop, Fault, Put, Write, write
from eukhe.core.cvar import Word
from eukhe.settings import writer
from eukhe.settings.auth import AuthStorage
from eukhe.settings.disk import LARGEST, Text, parse
from eukhe.settings.errors import RefusedSetError, RefusedWriteError, WriteFailedError
from eukhe.settings.json_text import changed, key_lines
from eukhe.settings.mcp import drop_connection, drop_server, put_connection, put_server
from eukhe.settings.setter import save_global, save_setting, save_settings, unset_setting
from eukhe.settings.writer import change_document

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from eukhe.core.config import Change
    from tests.settings.user import User

_BROKEN = '{"retry": {"maxRetries": 3,}'


def test_a_setter_never_clobbers_a_global_settings_file_that_failed_to_parse(user: User) -> None:
    path = user.write("settings.json", _BROKEN)
    config = user.config()
    with pytest.raises(RefusedWriteError, match=r"settings\.json is not valid JSON \(line 1") as no:
        save_setting(user.registry, config, "retry.maxRetries", Word("5"))
    assert no.value.fault is Fault.INVALID
    with pytest.raises(RefusedWriteError):
        unset_setting(config, "retry.maxRetries")
    assert path.read_text() == _BROKEN
    assert [issue.kind for issue in config.issues] == ["Invalid"]


def test_a_setter_over_a_file_that_was_broken_after_it_was_loaded_keeps_the_bytes(
    user: User,
) -> None:
    user.write("settings.json", {"retry": {"maxRetries": 3}})
    config = user.config()
    path = user.write("settings.json", _BROKEN)
    with pytest.raises(RefusedWriteError):
        save_setting(user.registry, config, "retry.maxRetries", Word("5"))
    assert path.read_text() == _BROKEN


def test_a_setter_keeps_a_field_that_failed_to_load_and_a_concurrent_edit(user: User) -> None:
    user.write("settings.json", {"retry": {"maxRetries": "many"}, "later": [1.5, None]})
    config = user.config()
    document = {"retry": {"maxRetries": "many"}, "later": [1.5, None], "mcpServers": {"a": {}}}
    path = user.write("settings.json", document)  # another writer added a key
    save_setting(user.registry, config, "maxToolRounds", Word("9"))
    assert json.loads(path.read_text()) == {**document, "maxToolRounds": 9}
    assert list(json.loads(path.read_text())) == [*document, "maxToolRounds"]


def test_settings_that_belong_together_are_set_all_in_one_write_or_none(user: User) -> None:
    config = user.config()
    good = ("maxToolRounds", Word("9"))
    with pytest.raises(RefusedSetError):
        save_settings(user.registry, config, (good, ("retry.maxRetries", Word("-1"))))
    assert not user.files.settings.exists()
    done = save_settings(user.registry, config, (good, ("retry.maxRetries", Word("2"))))
    assert [one.value for one in done] == [9, 2]
    assert json.loads(user.files.settings.read_text()) == {
        "maxToolRounds": 9,
        "retry": {"maxRetries": 2},
    }


def test_a_value_that_the_setting_does_not_hold_is_refused(user: User) -> None:
    for name, word in (("retry.maxRetries", "-1"), ("retry.enabled", "yes"), ("nope", "1")):
        with pytest.raises(RefusedSetError) as no:
            save_setting(user.registry, user.config(), name, Word(word))
        assert no.value.error.id == name
    assert not user.files.settings.exists()


def test_a_value_in_the_way_of_a_change_refuses_the_write(user: User) -> None:
    path = user.write("settings.json", '{"retry": 5}')
    with pytest.raises(RefusedWriteError) as no:
        save_setting(user.registry, user.config(), "retry.enabled", Word("true"))
    assert no.value.fault is Fault.BLOCKED
    assert path.read_text() == '{"retry": 5}'


def test_another_version_is_refused_and_never_rewritten(user: User) -> None:
    for name, change in (
        ("settings.json", lambda: put_server(user.files.settings, "a", {}, private=True)),
        ("auth.json", lambda: AuthStorage.of(user.agent).set("openai", "k" * 20)),
        ("auth.json", lambda: AuthStorage.of(user.agent).remove("openai")),
        ("mcp-connections.json", lambda: put_connection(user.agent, "a", {"at": 1})),
        ("mcp-connections.json", lambda: drop_connection(user.agent, "a")),
    ):
        for version in (2, "1", None, True):
            path = user.write(name, {"version": version, "x": 1})
            before = path.read_bytes()
            with pytest.raises(RefusedWriteError) as no:
                change()
            assert no.value.fault is Fault.VERSION
            assert path.read_bytes() == before
            path.unlink()


def test_set_over_an_unreadable_auth_file_is_refused_and_writes_nothing(user: User) -> None:
    storage = AuthStorage.of(user.agent)
    for content in (b"\xff\xfe{}", b"[]", b'{"a": 1, "a": 2}', b'{"a": NaN}', b"[" * 100_000):
        storage.path.write_bytes(content)
        for change in (lambda: storage.set("openai", "secret-key-1"), lambda: storage.remove("a")):
            with pytest.raises(RefusedWriteError, match=r"auth\.json") as no:
                change()
            assert "secret-key-1" not in str(no.value)
        assert storage.path.read_bytes() == content
    storage.path.unlink()
    storage.path.mkdir()  # a directory cannot be read, by root neither
    with pytest.raises(RefusedWriteError) as no:
        storage.set("openai", "secret-key-1")
    assert no.value.fault is Fault.UNREADABLE
    assert storage.path.is_dir()


def test_auth_json_is_private_from_its_first_byte(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[int, int]] = []

    def watched(
        path: str, flags: int, mode: int = 0o777, *, real: Callable[..., int] = os.open
    ) -> int:
        fd = real(path, flags, mode)
        found = os.fstat(fd)
        if str(path).endswith(".new"):
            seen.append((stat.S_IMODE(found.st_mode), found.st_size))
        return fd

    monkeypatch.setattr("eukhe.settings.writer.os.open", watched)
    before = os.umask(0)
    try:
        storage = AuthStorage.of(user.agent)
        storage.set("openai", "secret-key-1")
        storage.path.chmod(0o644)  # a careless program
        storage.set("other", "secret-key-2")
    finally:
        os.umask(before)
    assert seen == [(0o600, 0), (0o600, 0)]
    assert stat.S_IMODE(storage.path.stat().st_mode) == 0o600
    assert {name: one.key for name, one in storage.read().items()} == {
        "openai": "secret-key-1",
        "other": "secret-key-2",
    }
    assert "secret-key-1" not in repr(storage.read())


def test_a_document_that_is_a_link_stays_a_link(user: User, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "settings.json"
    real.parent.mkdir()
    for start in ('{"retry": {}}\n', None):
        if start is not None:
            real.write_text(start)
        user.files.settings.symlink_to(real)
        save_setting(user.registry, user.config(), "maxToolRounds", Word("4"))
        assert user.files.settings.is_symlink()
        assert json.loads(real.read_text())["maxToolRounds"] == 4
        user.files.settings.unlink()
        real.unlink()


def test_a_project_writes_through_no_link(user: User) -> None:
    path = user.files.project_settings
    assert path is not None
    auth = user.agent / "auth.json"
    auth.write_text("{}\n")
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(auth)
    changes: tuple[Callable[[], object], ...] = (
        lambda: save_setting(
            user.registry, user.config(), "maxToolRounds", Word("4"), project=True
        ),
        lambda: unset_setting(user.config(), "maxToolRounds", project=True),
        lambda: put_server(path, "a", {"command": "a"}, private=False),
        lambda: drop_server(path, "a", private=False),
    )
    for change in changes:
        with pytest.raises(RefusedWriteError, match="behind a symbolic link"):
            change()
    assert auth.read_text() == "{}\n"
    path.unlink()
    path.parent.rmdir()
    path.parent.symlink_to(user.agent.parent)
    with pytest.raises(RefusedWriteError, match="behind a symbolic link"):
        changes[0]()


def test_removing_what_is_not_there_writes_nothing_and_makes_no_file(user: User) -> None:
    assert not unset_setting(user.config(), "retry.enabled").written
    assert not drop_server(user.files.settings, "a", private=True)
    assert not drop_connection(user.agent, "a")
    assert not AuthStorage.of(user.agent).remove("openai")
    assert list(user.agent.iterdir()) == []
    path = user.write("settings.json", '{ "x" :1}')
    assert not unset_setting(user.config(), "retry.enabled").written
    assert path.read_text() == '{ "x" :1}'


@pytest.mark.parametrize(
    ("before", "change", "after"),
    [
        ("", Put((), "a", 1), '{\n  "a": 1\n}\n'),
        ("{}", Put((), "a", 1), '{\n  "a": 1\n}'),
        ('{"b": [1, 2]}', Put((), "a", {"c": 1}), '{"b": [1, 2],"a": {"c": 1}}'),
        ('{\n\t"b": 1\n}\n', Put((), "a", 2), '{\n\t"b": 1,\n\t"a": 2\n}\n'),
        ('{\n    "b": [1, 2]\n}', Put((), "b", 3), '{\n    "b": 3\n}'),
        (
            '{\n  "r": {\n    "a": true\n  },\n  "z": 1.0\n}\n',
            Put(("r",), "b", [1]),
            '{\n  "r": {\n    "a": true,\n    "b": [\n      1\n    ]\n  },\n  "z": 1.0\n}\n',
        ),
        ('{\n  "r": {}\n}\n', Put(("r", "s"), "b", 1), None),
        ('{\n  "a": 1,\n  "b": 2\n}\n', Drop((), "a"), '{\n  "b": 2\n}\n'),
        ('{\n  "a": 1,\n  "b": 2\n}\n', Drop((), "b"), '{\n  "a": 1\n}\n'),
        ('{ "a" : 1 }', Drop((), "a"), "{}"),
        ('{"\\u0061": 1}', Put((), "a", 2), '{"\\u0061": 2}'),
        ('{"x": "\u00e9\\u00e9", "n": 1e2}', Put((), "x", "\u00fc"), '{"x": "\u00fc", "n": 1e2}'),
    ],
)
def test_a_change_leaves_the_rest_of_the_text_as_it_was(
    before: str, change: Change, after: str | None
) -> None:
    done = write(SETTINGS, parse(Text(before, missing=not before)), change)
    assert isinstance(done, Write)
    text = changed(before, done.contents, change)
    assert json.loads(text) == done.contents
    if after is not None:
        assert text == after


def test_a_text_that_would_say_something_else_is_written_anew() -> None:
    change = Put((), "a", 1)
    for text in ('{"a": true, "a": 2}', '{"b": 1.0}', "[]", "{broken"):
        assert json.loads(changed(text, {"b": 1, "a": 1}, change)) == {"b": 1, "a": 1}
    assert '"b": 1,' in changed('{"b": 1.0}', {"b": 1, "a": 1}, change)


def test_the_text_of_any_document_says_what_the_core_decided() -> None:
    draw = random.Random(7)
    names = ["a", "b", "a.b", 'q"', "\u00e9", ""]

    def value(depth: int) -> object:
        kind = draw.randrange(8 if depth else 5)
        if kind > 5:
            return {draw.choice(names): value(depth - 1) for _ in range(draw.randrange(4))}
        options = [1, -0.5, "t\n{", None, [True, {"x": []}], {}]
        return options[kind]

    for _ in range(2000):
        document = {draw.choice(names): value(2) for _ in range(draw.randrange(4))}
        indent = draw.choice([None, 0, 1, 4, "\t"])
        text = json.dumps(document, indent=indent, ensure_ascii=draw.random() < 0.5)
        within = tuple(draw.choice(names) for _ in range(draw.randrange(3)))
        key = draw.choice(names)
        change: Change = Put(within, key, value(1)) if draw.random() < 0.6 else Drop(within, key)
        done = write(SETTINGS, parse(Text(text)), change)
        if isinstance(done, Write):
            edited = changed(text, done.contents, change)
            assert json.loads(edited) == done.contents, (text, change, edited)
            assert json.dumps(json.loads(edited)) == json.dumps(done.contents), (text, change)


def test_the_line_of_a_key_is_known_by_its_id() -> None:
    text = '{\n  "a": 1, "b": {\n\n    "c.d": 2\n  },\n  "e": 3\n}'
    assert key_lines(text) == {"a": 2, "b": 2, 'b."c.d"': 4, "e": 6}
    assert key_lines("[1]") == key_lines("{broken") == {}


@pytest.mark.parametrize("name", ["settings.json", "config.cfg"])
def test_a_pipe_or_a_device_in_the_place_of_a_file_is_an_error_and_keeps_nobody_waiting(
    user: User, name: str
) -> None:
    for place in (user.agent, user.project / ".eukhe"):
        os.mkfifo(place / name)
    config = user.config()
    assert [(one.kind, "no regular file" in one.message) for one in config.issues] == [
        ("Unreadable", True)
    ] * 2
    with pytest.raises(RefusedWriteError, match="no regular file"):
        (save_setting if name == "settings.json" else save_global)(
            user.registry, config, "retry.maxRetries", Word("5")
        )
    (user.agent / name).unlink()
    (user.agent / name).symlink_to("/dev/zero")
    assert [one.kind for one in user.config().issues] == ["Unreadable"] * 2
    assert stat.S_ISFIFO((user.project / ".eukhe" / name).stat().st_mode)


def test_a_file_in_another_encoding_is_told_in_plain_words_and_kept(user: User) -> None:
    for name in ("settings.json", "config.cfg"):
        for data, said in (
            (b'\xef\xbb\xbf{"maxToolRounds": 5}', "save it as UTF-8 without one"),
            ('{"maxToolRounds": 5}'.encode("utf-16"), "line 1 is not UTF-8"),
        ):
            (user.agent / name).write_bytes(data)
            (issue,) = user.config().issues
            assert said in issue.message
            save = save_setting if name == "settings.json" else save_global
            with pytest.raises(RefusedWriteError, match=said):
                save(user.registry, user.config(), "maxToolRounds", Word("6"))
            assert (user.agent / name).read_bytes() == data
        (user.agent / name).unlink()
    user.write("settings.json", '{"maxToolRounds": ' + "9" * 5000 + "}")
    assert "(a number in it has too many digits)" in user.config().issues[0].message


def test_a_file_that_is_too_large_is_an_error_and_is_not_held_in_memory(user: User) -> None:
    path = user.write("project/settings.json", "{}")
    with path.open("r+b") as file:
        file.truncate(1 << 40)  # a terabyte of nothing
    assert [one.kind for one in user.config().issues] == ["Unreadable"]
    user.write("project/settings.json", "{}" + " " * (LARGEST - 2))
    assert user.config().issues == ()


def test_a_write_that_fails_leaves_the_old_file_and_nothing_beside_it(user: User) -> None:
    """A real limit on the size of files, as a full disk would be, in a process of its own."""
    path = user.write("settings.json", {"x": "y" * 500})
    before = path.read_bytes()
    code = """
import resource, signal, sys
from pathlib import Path
from eukhe.core.config import SETTINGS, Put
from eukhe.settings.errors import WriteFailedError
from eukhe.settings.writer import change_document
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    change_document(Path(sys.argv[1]), SETTINGS, Put((), "a", 1))
except WriteFailedError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(f"{path} could not be written: File too large; it is as it was")
    assert path.read_bytes() == before
    assert not [one for one in user.agent.iterdir() if one.suffix == ".new"]


def test_a_directory_that_takes_no_file_is_a_clear_error(user: User, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    below = tmp_path / "file" / "agent" / "settings.json"
    with pytest.raises(WriteFailedError, match="could not be written: Not a directory"):
        change_document(below, SETTINGS, Put((), "a", 1))
    assert CONNECTIONS.stamped
    put_connection(user.agent, "a", {"at": 0})
    (user.agent / "mcp-connections.json").chmod(0o644)
    put_connection(user.agent, "a", {"at": 1})
    assert stat.S_IMODE((user.agent / "mcp-connections.json").stat().st_mode) == 0o600
    assert json.loads((user.agent / "mcp-connections.json").read_text()) == {
        "version": 1,
        "connections": {"a": {"at": 1}},
    }


def test_a_program_that_takes_no_lock_loses_nothing(user: User) -> None:
    """An editor that saves between the read and the rename: the change is made over what it saved."""
    path = user.write("settings.json", {"a": 1})
    saved = iter([{"a": 2}, {"a": 3}])

    def edit(found: Text) -> str:
        later = next(saved, None)
        if later is not None:
            path.write_text(json.dumps(later) + " " * later["a"])
        return json.dumps({**json.loads(found.text), "mine": True})

    assert writer.change_text(path, edit)
    assert json.loads(path.read_text()) == {"a": 3, "mine": True}
