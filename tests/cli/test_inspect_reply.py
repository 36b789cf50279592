"""`eukhe inspect reply` through the real program: what becomes of a reply, and what is wrong input."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

_LEAK = 'Ok.\n<tool_call>\n{"name":"read","arguments":{"path":"é"}}\n</tool_call>'
_TOOLS = [
    {"name": "read", "parameters": {"properties": {"path": {"type": "string"}}}},
    {"name": "ls"},
]


def _reply(*arguments: str, stdin: str) -> subprocess.CompletedProcess[str]:
    eukhe = Path(sys.executable).with_name("eukhe")
    return subprocess.run(
        [str(eukhe), "inspect", "reply", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def tools(tmp_path: Path) -> str:
    path = tmp_path / "tools.json"
    path.write_text(json.dumps(_TOOLS))
    return str(path)


def test_a_leaked_call_is_shown_rebuilt(tools: str) -> None:
    done = _reply("-", "--tools", tools, stdin=_LEAK)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == 'outcome  calls run\nrebuilt  read {"path": "é"}\ntext     \'Ok.\'\n'
    done = _reply("-", "--tools", tools, "--json", stdin=json.dumps({"text": ["", _LEAK]}))
    assert json.loads(done.stdout) == {
        "outcome": "calls run",
        "stop": "toolUse",
        "rebuilt": True,
        "calls": [{"name": "read", "arguments": '{"path": "é"}'}],
        "texts": ["", "Ok."],
        "leak": None,
        "note": None,
    }


def test_a_leak_that_is_not_rebuilt_says_which_and_why(tools: str) -> None:
    done = _reply("-", "--tools", tools, "--json", stdin=_LEAK.replace("read", "fly"))
    found = json.loads(done.stdout)
    assert found["outcome"] == "retried"
    assert found["leak"] == {
        "family": "hermes",
        "why": "names a tool that was not offered",
        "text": 0,
        "at": 4,
        "name": "fly",
    }
    assert "retry 1 of 8" in found["note"]
    done = _reply("-", stdin=_LEAK)
    assert "leak     hermes markup names a tool that was not offered 'read'" in done.stdout


@pytest.mark.parametrize(
    ("reply", "outcome", "stop"),
    [
        ({"text": "Done."}, "answer", "stop"),
        ({"text": "Do", "stop": "length"}, "answer, cut", "length"),
        ({"text": "", "stop": "length"}, "retried", "error"),
        ({"calls": []}, "retried", "error"),
        ({"text": _LEAK, "calls": [{"name": "ls"}]}, "calls run", "toolUse"),
        (
            {"calls": [{"name": "ls", "arguments": "{"}], "stop": "length"},
            "calls truncated",
            "length",
        ),
        ({"text": _LEAK, "stop": "length"}, "calls truncated", "length"),
        ({"name": "read", "arguments": {}}, "answer", "stop"),
    ],
    ids=str,
)
def test_each_kind_of_reply_has_its_outcome(
    tools: str, reply: object, outcome: str, stop: str
) -> None:
    done = _reply("-", "--tools", tools, "--json", stdin=json.dumps(reply))
    found = json.loads(done.stdout)
    assert (found["outcome"], found["stop"]) == (outcome, stop)


@pytest.mark.parametrize(
    ("reply", "tools", "says"),
    [
        ('{"text": 5}', "[]", "text is a string or a list of strings"),
        ('{"text": "", "stop": "late"}', "[]", "stop is one of stop, length, toolUse"),
        ('{"calls": {}}', "[]", "calls is a list"),
        ('{"calls": [5]}', "[]", "calls[0] is"),
        ("x", "{}", "the tools are a JSON list"),
        ("x", '[{"name": ""}]', "[0]: a tool is"),
        ("x", '[{"name": "a", "parameters": 5}]', "[0]: a tool is"),
        ("x", "[", "is not JSON"),
    ],
)
def test_wrong_input_is_one_line_and_exit_2(
    tmp_path: Path, reply: str, tools: str, says: str
) -> None:
    path = tmp_path / "tools.json"
    path.write_text(tools)
    done = _reply("-", "--tools", str(path), stdin=reply)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_what_a_terminal_cannot_show_is_shown_as_text() -> None:
    calls = [{"name": "a\x1b[2J", "arguments": "\ud800"}]
    done = _reply("-", stdin=json.dumps({"text": "\ud800", "calls": calls}))
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert "\\ud800" in done.stdout


def test_reply_and_tools_cannot_share_standard_input() -> None:
    done = _reply("-", "--tools", "-", stdin="[]")
    assert done.returncode == 2
    assert "cannot both come from standard input" in done.stderr
