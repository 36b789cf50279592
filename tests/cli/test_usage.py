"""Wrong use: one clear line on stderr and exit code 2, never a traceback."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from eukhe import __version__
from eukhe.cli.main import main
from tests.cli.eukhe_process import at
from tests.servers.chat import ChatServer, Reply

if TYPE_CHECKING:
    from tests.cli.eukhe_process import Home

_SERVER = ("--base-url", "http://127.0.0.1:9/v1", "--model", "m")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "nothing to do: give a prompt with -p"),
        (["--modle", "x"], "--model"),
        (["sesions"], "there is no command 'sesions'; did you mean sessions"),
        (["zzz"], "there is no command 'zzz'; there are: "),
        (["sessions", "lisst"], "did you mean list?"),
        (["sessions"], "needs a command: list, show, tree"),
        (["sessions", "show", "nope"], "no session 'nope' in"),
        (["sessions", "show"], "no session is stored in"),
        (["-p", "x"], "--model is missing"),
        (
            ["-p", "x", "--model", "no-such"],
            "a model of a server of your own needs --base-url as well",
        ),
        (["-p", " ", *_SERVER], "the prompt is empty"),
        (["-p", "x", "--model", "m", "--base-url", "localhost:8080"], "no base URL"),
        (["-p", "x", "--model", "m", "--base-url", "http://u:p@h/v1"], "no user name, password"),
        (["-p", "x", "--model", "m", "--base-url", "http://h/v1?key=1"], "no user name, password"),
        (["-p", "x", "--model", "m", "--base-url", "http://h/v1#x"], "query or fragment"),
        (["-p", "x", "--model", "m", "--base-url", "http://xn--/v1"], "no base URL"),
        (["-p", "x", *_SERVER, "--resume", "x" * 5000], "no session"),
        (["-p", "x", *_SERVER, "sessions", "list"], "--print belongs to a run"),
        (["--model", "m", "sessions", "list"], "--model belongs to a run with -p"),
        (["-p", "x", *_SERVER, "--mode", "yaml"], "'yaml' is not one of 'text', 'json'"),
        (["-p", "x", *_SERVER, "--tools", "bash,reed"], "no tool 'reed'; did you mean read?"),
        (["-p", "x", *_SERVER, "--tools", "bash", "--no-tools"], "exclude each other"),
        (["-p", "x", *_SERVER, "--continue", "--no-session"], "exclude each other"),
        (["-p", "x", *_SERVER, "--api-key-env", "NOT_SET"], "NOT_SET is not set"),
        (["-p", "x", *_SERVER, "--cwd", "nowhere"], "there is no directory nowhere"),
        (["-p", "x", "--continue"], "no session of"),
        (["-p", "x", "--resume", "2031"], "no session '2031'"),
        (["-p", "x", "--fork", "2031"], "--fork: no session '2031'"),
        (["-p", "x", "--at", "3"], "--at says where to fork"),
        (["-p", "x", "--fork", "2031", "--continue"], "exclude each other"),
        (["-p", "x", "--resume"], "no terminal to choose a session on"),
        (["sessions", "fork", "nope", "--at", "-3"], "neither the id of an entry nor `start`"),
        (["sessions", "search", " "], "the text to search for is empty"),
        (["sessions", "export", "-o", "x.pdf"], "--format is missing"),
        (["-p"], "requires an argument"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_use_gives_one_line_and_code_2(home: Home, arguments: list[str], said: str) -> None:
    done = home.run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("eukhe: ")
    assert done.stderr.count("\n") == 1
    assert said in done.stderr
    assert not home.sessions.exists(), "wrong use stores nothing"


def test_version_and_help_import_no_command(home: Home) -> None:
    assert home.run("--version").stdout == f"eukhe {__version__}\n"
    text = home.run("--help").stdout
    assert "sessions  List, show, search, fork" in text
    code = "import sys; from eukhe.cli.main import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    for option in ("--version", "--help"):
        done = subprocess.run(
            [sys.executable, "-c", code, option], capture_output=True, text=True, check=True
        )
        loaded = set(done.stderr.split())
        heavy = {"rich", "httpx", "pydantic", "asyncio", "filelock", "importlib.metadata", "json"}
        heavy |= {"dataclasses", "pathlib", "difflib"}
        assert "click" in loaded
        assert not loaded & heavy
        assert not [name for name in loaded if name.startswith(("eukhe.agent", "eukhe_laws"))]


def test_a_missing_extra_is_named_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "eukhe_laws.report.command", raising=False)
    monkeypatch.setattr("sys.meta_path", [_Without("eukhe_laws"), *sys.meta_path])
    assert main(["laws", "--list"]) == 1
    err = capsys.readouterr().err
    assert err == (
        "eukhe: `eukhe laws` needs the package 'icontract', which is not installed; "
        "install it with: pip install 'eukhe[laws]'\n"
    )


class _Without:
    """An import system in which the laws find no icontract."""

    def __init__(self, package: str) -> None:
        self._package = package

    def find_spec(self, name: str, *_: object) -> None:
        if name.startswith(f"{self._package}.report.command"):
            raise ModuleNotFoundError("No module named 'icontract'", name="icontract")


def test_an_error_of_our_own_is_one_line_and_a_traceback_with_debug(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_: object) -> int:
        raise ValueError("a bug")

    monkeypatch.setattr("eukhe.cli.run.run", broken)
    assert main(["-p", "x"]) == 1
    assert capsys.readouterr().err == (
        "eukhe: internal error (ValueError: a bug); --debug shows where\n"
    )
    with pytest.raises(ValueError, match="a bug"):
        main(["--debug", "-p", "x"])


def test_a_session_directory_that_is_a_file_is_named(home: Home) -> None:
    (home.root / "file").write_text("")
    with ChatServer([Reply(text="shown")]) as server:
        done = home.run("-p", "x", *at(server), "--session-dir", str(home.root / "file" / "below"))
    assert (done.returncode, done.stdout) == (1, "shown\n")
    assert "could not be stored in" in done.stderr
    assert done.stderr.count("\n") == 1
