"""`eukhe settings|trust|mcp|auth|binds`: the real program on real files."""

from __future__ import annotations

import json
import os
import pty
import stat
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.cli.eukhe_process import EUKHE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.eukhe_process import Home


def _agent(home: Home) -> Path:
    directory = home.root / "home" / ".eukhe"
    directory.mkdir(parents=True, exist_ok=True)
    return directory


def _said(home: Home, *arguments: str, stdin: bytes | None = None) -> str:
    done = home.run(*arguments, stdin=stdin)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _refused(home: Home, *arguments: str, code: int = 2, stdin: bytes | None = None) -> str:
    done = home.run(*arguments, stdin=stdin)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_a_set_says_persisted_and_get_and_list_show_it(home: Home) -> None:
    assert _said(home, "settings", "set", "retry.maxRetries", "5") == (
        "Persisted: retry.maxRetries is 5 in ~/.eukhe/settings.json\n"
    )
    assert _said(home, "settings", "get", "retry.maxRetries") == "5\n"
    assert _said(home, "settings", "get", "shellPath") == "\n"
    rows = [line.split() for line in _said(home, "settings", "list").splitlines()]
    assert ["retry.maxRetries", "5", "~/.eukhe/settings.json:3"] in rows
    assert ["retry.enabled", "true", "default"] in rows
    listed = json.loads(_said(home, "settings", "list", "--json"))
    found = next(row for row in listed if row["id"] == "retry.maxRetries")
    assert found["value"] == 5
    assert (found["file"], found["line"]) == (str(_agent(home) / "settings.json"), 3)
    assert all(row["help"] for row in listed)
    assert stat.S_IMODE((_agent(home) / "settings.json").stat().st_mode) == 0o600


def test_a_set_that_is_shadowed_names_the_file(home: Home) -> None:
    (_agent(home) / "config.cfg").write_text("// mine\nset maxToolRounds 9\n")
    assert "Shadowed: maxToolRounds is 3 in ~/.eukhe/settings.json, but ~/.eukhe/config.cfg:2" in (
        _said(home, "settings", "set", "maxToolRounds", "3")
    )
    form = json.loads(_said(home, "settings", "toggle", "retry.enabled", "--json"))
    assert (form["result"], form["value"], form["by"]) == ("Persisted", False, None)
    form = json.loads(_said(home, "settings", "set", "maxToolRounds", "4", "--json"))
    assert form["result"] == "Shadowed"
    assert form["by"] == {"file": str(_agent(home) / "config.cfg"), "line": 2}
    assert "removed from ~/.eukhe/settings.json\n~/.eukhe/config.cfg:2 sets it" in (
        _said(home, "settings", "unset", "maxToolRounds")
    )
    assert "nothing was written" in _said(home, "settings", "unset", "maxToolRounds", "--project")


def test_wrong_sets_are_one_line_and_write_nothing(home: Home) -> None:
    for arguments, said in (
        (("set", "retry.maxRetris", "5"), "did you mean retry.maxRetries"),
        (("set", "zzz", "5"), "`eukhe settings list` shows all"),
        (("set", "retry.maxRetries", "five"), "retry.maxRetries takes a whole number"),
        (("toggle", "retry.maxRetries"), "is no truth value"),
        (("set", "mcpServers.x", "{}"), "`eukhe mcp`"),
        (("set", "trustedProjects", "[]", "--project"), "is global"),
        (("get", "nope"), "there is no setting nope"),
        (("explain", "nope"), "there is no setting nope"),
        (("lost",), "there is no command 'lost'; did you mean list"),
        ((), "needs a command: list, get"),
    ):
        assert said in _refused(home, "settings", *arguments)
    assert not (_agent(home) / "settings.json").exists()
    (_agent(home) / "settings.json").write_text("{broken")
    assert "repair the file first" in _refused(
        home, "settings", "set", "retry.maxRetries", "5", code=1
    )
    assert (_agent(home) / "settings.json").read_text() == "{broken"
    done = home.run("settings", "list")
    assert done.returncode == 0
    assert "note: ~/.eukhe/settings.json: the file is not valid JSON" in done.stderr


def test_an_explanation_shows_every_layer_and_why(home: Home) -> None:
    (_agent(home) / "settings.json").write_text('{\n"maxToolRounds": 1\n}')
    (_agent(home) / "config.cfg").write_text("set maxToolRounds x\nset maxToolRounds 2\n")
    (home.cwd / ".eukhe").mkdir()
    (home.cwd / ".eukhe" / "config.cfg").write_text("set maxToolRounds 3\n")
    text = _said(home, "settings", "explain", "maxToolRounds")
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert lines == [
        "maxToolRounds: Nat, Local, persist",
        "Tool rounds that one run may have.",
        "default default 200 shadowed by ~/.eukhe/config.cfg:2",
        "global config ~/.eukhe/settings.json:2 1 shadowed by ~/.eukhe/config.cfg:2",
        "global config ~/.eukhe/config.cfg:1 x BadValue: maxToolRounds takes a whole number",
        "global config ~/.eukhe/config.cfg:2 2 wins",
        "withheld project config .eukhe/config.cfg:1 3 withheld: the project is not trusted",
    ]
    form = json.loads(_said(home, "settings", "explain", "maxToolRounds", "--json"))
    fates = ["shadowed", "shadowed", "refused", "wins", "withheld"]
    assert [row["fate"] for row in form] == fates


def test_trust_lets_a_project_change_what_is_guarded(home: Home) -> None:
    (home.cwd / ".eukhe").mkdir()
    said = _said(home, "settings", "set", "maxToolRounds", "3", "--project")
    assert said.startswith("Withheld: maxToolRounds is 3 in .eukhe/settings.json")
    done = home.run("settings", "list")
    assert "withheld: maxToolRounds; to let them apply: eukhe trust" in done.stderr
    assert "with every directory below it" in _said(home, "trust")
    assert "is trusted already" in _said(home, "trust", str(home.cwd))
    assert _said(home, "settings", "get", "maxToolRounds") == "3\n"
    assert _said(home, "trust", "--list") == f"{home.cwd}\n"
    assert json.loads(_said(home, "trust", "--list", "--json")) == [str(home.cwd)]
    below = home.cwd / "below"
    below.mkdir()
    assert "above it is trusted" in _refused(home, "trust", "--remove", str(below))
    assert "no longer trusted" in _said(home, "trust", "--remove")
    assert _said(home, "settings", "get", "maxToolRounds") == "200\n"
    assert "there is no directory" in _refused(home, "trust", "nowhere")
    assert "--list stands alone" in _refused(home, "trust", "--list", "x")


def test_trust_names_what_a_setting_cannot_hold(home: Home) -> None:
    odd = home.cwd / os.fsdecode(b"caf\xe9")
    odd.mkdir()
    said = _refused(home, "trust", str(odd))
    assert "caf\\udce9 has a name that is not UTF-8" in said
    assert "trust one above it" in said
    loud = home.cwd / "a\x1b[2Jb"
    loud.mkdir()
    assert "a\\x1b[2Jb is trusted" in _said(home, "trust", str(loud))
    assert "\x1b" not in _said(home, "trust", "--list")


def test_a_key_is_read_from_stdin_and_listed_masked(home: Home) -> None:
    key = "sk-0123456789abcdef"
    assert key not in _said(home, "auth", "set", "openai", stdin=f"{key}\n".encode())
    assert _said(home, "auth", "list") == "openai  api_key  ****cdef\n"
    path = _agent(home) / "auth.json"
    assert json.loads(path.read_text()) == {"openai": {"type": "api_key", "key": key}}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    _said(home, "auth", "set", "short", stdin=b"abc")
    assert json.loads(_said(home, "auth", "list", "--json"))[1]["key"] == "****"
    assert "no key of x was given" in _refused(home, "auth", "set", "x", stdin=b"\n")
    assert "unexpected extra argument" in _refused(home, "auth", "set", "x", key)
    assert "is no name of a provider" in _refused(home, "auth", "set", "version")
    assert "removed" in _said(home, "auth", "remove", "openai")
    assert "nothing is stored for openai" in _refused(home, "auth", "remove", "openai")
    path.write_text("[]")
    for arguments in (("list",), ("set", "x"), ("remove", "short")):
        assert "auth.json does not hold a JSON object" in _refused(
            home, "auth", *arguments, code=1, stdin=b"secret-key"
        )
    assert path.read_text() == "[]"


def test_a_key_that_is_typed_is_not_shown(home: Home) -> None:
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [str(EUKHE), "auth", "set", "openai"],
        cwd=home.cwd,
        env=home.env,
        stdin=follower,
        stdout=follower,
        stderr=follower,
        start_new_session=True,
    )
    os.close(follower)
    shown = b""
    while b"key of openai" not in shown:
        shown += os.read(leader, 1024)
    os.write(leader, b"sk-typed-0123456789\n")
    try:
        while piece := os.read(leader, 1024):
            shown += piece
    except OSError:  # the other side is closed
        pass
    os.close(leader)
    assert process.wait(20) == 0
    assert b"typed" not in shown
    assert "sk-typed-0123456789" in (_agent(home) / "auth.json").read_text()


def test_add_refuses_a_settings_file_that_does_not_parse(home: Home) -> None:
    path = _agent(home) / "settings.json"
    path.write_text('{"mcpServers": }')
    for arguments in (("add", "x", "--", "npx"), ("remove", "x")):
        assert "settings.json is not valid JSON (line 1, column 16" in _refused(
            home, "mcp", *arguments, code=1
        )
    assert path.read_text() == '{"mcpServers": }'


def test_mcp_servers_are_declared_listed_and_removed(home: Home) -> None:
    _said(home, "mcp", "add", "gh", "--env", "MODE=x", "--", "npx", "-y", "server", "--flag")
    said = _said(
        home,
        *("mcp", "add", "web", "--url", "https://x/mcp", "--secret-header", "Authorization"),
        stdin=b"Bearer abcdefghijklmnop\n",
    )
    assert "Bearer" not in said
    path = _agent(home) / "settings.json"
    assert json.loads(path.read_text())["mcpServers"] == {
        "gh": {
            "command": "npx",
            "args": ["-y", "server", "--flag"],
            "env": {"MODE": "x"},
        },
        "web": {"url": "https://x/mcp", "headers": {"Authorization": "Bearer abcdefghijklmnop"}},
    }
    rows = _said(home, "mcp", "list").splitlines()
    assert rows[0] == "gh  npx -y server --flag  ~/.eukhe/settings.json"
    shown = _said(home, "mcp", "get", "web")
    assert json.loads(shown)["headers"] == {"Authorization": "****mnop"}
    for arguments in (("mcp", "list", "--json"), ("settings", "list", "--json")):
        assert "abcdefgh" not in _said(home, *arguments)
    for name in ("get", "explain"):
        assert "abcdefgh" not in _said(home, "settings", name, "mcpServers")
    assert "use --secret-env GH_TOKEN" in _refused(
        home, "mcp", "add", "z", "--env", "GH_TOKEN=secret", "--", "npx"
    )
    for url in ("https://me:hush@h/mcp", "https://h/mcp?a=1&api_key=hush"):
        said = _refused(home, "mcp", "add", "z", "--url", url)
        assert "--url holds what looks like a credential" in said
        assert "hush" not in said
    wrong: tuple[tuple[tuple[str, ...], str], ...] = (
        (("z",), "give a command after `--`, or --url"),
        (("z", "--url", "https://x", "--", "npx"), "and not both"),
        (("z", "--url", "ftp://x"), "no http or https address"),
        (("z", "--url", "https://x", "--env", "A=b"), "--env does not go with a URL"),
        (("z", "--env", "A", "--", "npx"), "is no NAME=VALUE"),
    )
    for words, why in wrong:
        assert why in _refused(home, "mcp", "add", *words)
    records = _agent(home) / "mcp-connections.json"
    records.write_text('{"version": 1, "connections": {"web": {"at": 1}, "y": {}}}')
    assert "was removed" in _said(home, "mcp", "remove", "web")
    assert json.loads(records.read_text()) == {"version": 1, "connections": {"y": {}}}
    assert "declares no MCP server web" in _refused(home, "mcp", "remove", "web")
    assert "there is no MCP server web" in _refused(home, "mcp", "get", "web")


@pytest.mark.parametrize(
    ("value", "said"),
    [("a\0b", "has a zero byte in its name"), ("~no-such-user/x", "a user who is not there")],
)
def test_a_sessions_directory_that_cannot_be_is_told(home: Home, value: str, said: str) -> None:
    (_agent(home) / "settings.json").write_text(json.dumps({"sessionDir": value}))
    for arguments in (("-p", "/cvar"), ("sessions", "list")):
        assert said in _refused(home, *arguments)


def test_a_server_is_removed_whole_or_not_at_all(home: Home) -> None:
    _said(home, "mcp", "add", "gh", "--", "npx")
    before = (_agent(home) / "settings.json").read_bytes()
    (_agent(home) / "mcp-connections.json").write_text('{"version": 3}')
    said = _refused(home, "mcp", "remove", "gh", code=1)
    assert "mcp-connections.json has a version that this eukhe does not know" in said
    assert (_agent(home) / "settings.json").read_bytes() == before
    (_agent(home) / "mcp-connections.json").unlink()
    _said(home, "mcp", "remove", "gh")


def test_no_command_shows_a_credential_of_an_mcp_server(home: Home) -> None:
    servers = {
        "a": {
            "url": "https://me:hush-1@h/mcp?token=hush-2&page=3",
            "headers": {"X-Api-Key": "hush-3"},
        },
        "b": {
            "command": "x",
            "args": ["--token", "hush-4", "--api-key=hush-5", "--port", "80"],
            "env": {"P": "hush-6"},
        },
    }
    said = [_said(home, "settings", "set", "mcpServers", json.dumps(servers), "--json")]
    said.append(_said(home, "settings", "set", "mcpServers", json.dumps(servers)))
    shows = (
        *("mcp list", "mcp list --json", "mcp get a", "mcp get b", "settings list"),
        *("settings get mcpServers --json", "settings explain mcpServers --json"),
    )
    said += [_said(home, *arguments.split()) for arguments in shows]
    assert [one for one in said if "hush" in one] == []
    assert said[2] == (
        "a  https://****@h/mcp?token=****&page=3  ~/.eukhe/settings.json\n"
        "b  x --token **** --api-key=**** --port 80  ~/.eukhe/settings.json\n"
    )
    assert "hush-4" in (_agent(home) / "settings.json").read_text()


def test_get_tells_what_keeps_its_value_from_counting_and_nothing_else(home: Home) -> None:
    path = _agent(home) / "settings.json"
    path.write_text('{"maxToolRounds": "x", "retry": {"maxRetries": 2}}')
    done = home.run("settings", "get", "retry.maxRetries")
    assert (done.returncode, done.stdout, done.stderr) == (0, "2\n", "")
    done = home.run("settings", "get", "maxToolRounds")
    assert (done.stdout, done.stderr.count("\n")) == ("200\n", 1)
    assert "settings.json:1: maxToolRounds takes a whole number" in done.stderr
    path.write_text("{")
    assert "is not valid JSON" in home.run("settings", "get", "retry.maxRetries").stderr


def test_an_edit_that_does_not_parse_is_not_saved_and_is_kept(home: Home) -> None:
    path = _agent(home) / "settings.json"
    path.write_text('{"maxToolRounds": 3}')
    home.environ["TMPDIR"] = str(home.root)
    home.environ["EDITOR"] = "sed -i s/3/4/"
    assert "was written" in _said(home, "settings", "edit")
    assert path.read_text() == '{"maxToolRounds": 4}'
    home.environ["EDITOR"] = "true"
    assert "was not changed" in _said(home, "settings", "edit")
    assert list(home.root.glob("eukhe-*")) == []
    home.environ["EDITOR"] = "sed -i s/4//"
    said = _refused(home, "settings", "edit", code=1)
    assert "the edited text is not valid JSON (line 1, column 19" in said
    assert path.read_text() == '{"maxToolRounds": 4}'
    (kept,) = home.root.glob("eukhe-*")
    assert kept.read_text() == '{"maxToolRounds": }'
    kept.unlink()
    home.environ["EDITOR"] = f"sh -c 'echo 1 > {path}; echo {{}} > $0'"
    assert "changed by another program meanwhile" in _refused(home, "settings", "edit", code=1)
    assert path.read_text() == "1\n"
    home.environ["EDITOR"] = "no-such-editor"
    assert "cannot be run" in _refused(home, "settings", "edit", "--cfg", code=1)


def test_ids_and_values_are_completed_in_the_shell(home: Home) -> None:
    def completed(*words: str) -> list[str]:
        home.environ |= {
            "_EUKHE_COMPLETE": "bash_complete",
            "COMP_WORDS": " ".join(("eukhe", *words)),
            "COMP_CWORD": str(len(words)),
        }
        return [line.partition(",")[2] for line in home.run().stdout.split()]

    assert completed("settings", "get", "retry.max") == ["retry.maxRetries"]
    assert completed("settings", "toggle", "retry.e") == ["retry.enabled"]
    assert "maxToolRounds" not in completed("settings", "toggle", ""), "it is no truth value"
    assert completed("settings", "set", "retry.enabled", "") == ["true", "false"]
    assert "explain" in completed("settings", "ex")


def test_binds_are_listed_and_checked(home: Home) -> None:
    assert "nothing is wrong" in _said(home, "binds", "check")
    (_agent(home) / "binds.cfg").write_text('bind F5 "set maxToolRounds 3"\nbind nokey x\n')
    assert _said(home, "binds", "list", "--own") == (
        "f5  set maxToolRounds 3  ~/.eukhe/binds.cfg:1\n"
    )
    rows = json.loads(_said(home, "binds", "list", "--json"))
    assert {
        "key": "ctrl+z",
        "commands": "action app.suspend",
        "line": None,
        "default": True,
    } in rows
    done = home.run("binds", "check")
    assert done.returncode == 1
    assert "note: ~/.eukhe/binds.cfg:2: column 6: there is no such key" in done.stderr
    (_agent(home) / "binds.cfg").unlink()
    (_agent(home) / "keybindings.json").write_text('{"expandTools": "ctrl+q"}')
    done = home.run("binds", "list", "--own")
    assert "note: ~/.eukhe/binds.cfg was written from keybindings.json" in done.stderr
    assert "ctrl+q  action app.tools.expand" in done.stdout


@pytest.mark.parametrize("command", [("settings", "list"), ("sessions", "list"), ("trust",)])
def test_the_agent_directory_can_be_named_in_front_and_behind(
    home: Home, command: tuple[str, ...]
) -> None:
    other = str(home.root / "other")
    for arguments in ((*command, "--agent-dir", other), ("--agent-dir", other, *command)):
        if command == ("trust",) and arguments[0] != "trust":
            continue
        assert home.run(*arguments).returncode == 0
    home.environ["EUKHE_CODING_AGENT_DIR"] = other
    paths = json.loads(_said(home, "settings", "path", "--json"))
    assert paths[0]["file"] == f"{other}/settings.json"


def test_the_sessions_directory_is_the_same_for_every_reader(home: Home) -> None:
    _said(home, "settings", "set", "sessionDir", str(home.root / "named"))
    _said(home, "-p", "/set maxToolRounds 3")
    assert len(list((home.root / "named").iterdir())) == 1
    assert len(_said(home, "sessions", "list").splitlines()) == 1
    assert len(_said(home, "sessions", "list", "--json")) > 10
    home.environ["EUKHE_SESSION_DIR"] = str(home.root / "elsewhere")
    assert home.run("sessions", "list").stdout == ""
    _said(home, "-p", "/set maxToolRounds 3")
    assert len(list((home.root / "elsewhere").iterdir())) == 1
