"""`eukhe inspect args` as a program: the raw text on standard input, one JSON object out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.cli.eukhe_process import Home

_READ = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "limit": {"type": "integer", "minimum": 1}},
    "required": ["path"],
    "additionalProperties": False,
}
_TOOLS = [{"name": "read", "parameters": _READ}, {"name": "bash"}, {"name": "mcp__git__log"}]


def _args(home: Home, schema: object, text: str | bytes, *more: str) -> tuple[int, Any]:
    (home.cwd / "s.json").write_text(json.dumps(schema))
    stdin = text.encode() if isinstance(text, str) else text
    done = home.run("inspect", "args", "--schema", "s.json", *more, stdin=stdin)
    assert done.stderr == ""
    return done.returncode, json.loads(done.stdout)


def test_strict_arguments_come_out_as_they_are(home: Home) -> None:
    assert _args(home, _READ, '{"path": "é\\ud83d"}\n') == (
        0,
        {"arguments": {"path": "é\ud83d"}, "warnings": []},
    )
    assert _args(home, {}, "") == (0, {"arguments": {}, "warnings": []})


def test_every_repair_is_a_warning(home: Home) -> None:
    code, found = _args(home, _TOOLS, "{'\"path\"': src/a.py, limit: '5',}", "--tool", "read")
    assert (code, found["arguments"]) == (0, {"path": "src/a.py", "limit": 5})
    assert found["warnings"] == [
        {
            "type": "argument_repaired",
            "what": "text",
            "path": "",
            "from": "{'\"path\"': src/a.py, limit: '5',}",
            "to": '{"\\"path\\"": "src/a.py", "limit": "5"}',
        },
        {
            "type": "argument_repaired",
            "what": "key",
            "path": "/path",
            "from": '"\\"path\\""',
            "to": '"path"',
        },
        {
            "type": "argument_repaired",
            "what": "value",
            "path": "/limit",
            "from": '"5"',
            "to": "5",
        },
    ]
    assert "error" not in found


def test_a_text_that_is_no_object_gives_its_error_and_no_key(home: Home) -> None:
    text = '{"path": "a", "limit": '
    code, found = _args(home, _READ, text)
    error = "the text ends inside an unquoted value at character 24"
    assert code == 1
    assert found["arguments"] == {"__parseError": error, "__rawJson": text}
    assert found["error"]["kind"] == "invalid_arguments"
    assert error in found["error"]["message"]
    code, found = _args(home, _READ, b'{"path": \xff')
    assert (code, found["arguments"]["__rawJson"]) == (1, '{"path": \ufffd')


def test_arguments_that_do_not_fit_are_named(home: Home) -> None:
    code, found = _args(home, _READ, '{"path": "a", "x": 1}')
    assert (code, found["arguments"], found["warnings"]) == (1, {"path": "a", "x": 1}, [])
    assert "'x' is not an argument (there are: path, limit)" in found["error"]["message"]


def test_a_schema_from_outside_is_checked_by_its_own_draft(home: Home) -> None:
    schema = {
        "$defs": {"n": {"type": "integer", "multipleOf": 2}},
        "properties": {"n": {"$ref": "#/$defs/n"}, "s": {"pattern": "^a"}},
        "dependentRequired": {"n": ["s"]},
    }
    code, found = _args(home, schema, '{"n": "4", "s": "ab"}')
    assert (code, found["arguments"]) == (0, {"n": 4, "s": "ab"})
    code, found = _args(home, schema, '{"n": 3}')
    assert code == 1
    assert "'n': 3 is not a multiple of 2" in found["error"]["message"]
    assert "'s' is a dependency of 'n'" in found["error"]["message"]


def test_a_tool_that_is_not_offered_names_those_it_may_be(home: Home) -> None:
    code, found = _args(home, _TOOLS, "{}", "--tool", "git_log")
    assert code == 1
    assert found == {
        "error": {
            "kind": "tool_unavailable",
            "message": "tool_unavailable: there is no tool 'git_log'; did you mean mcp__git__log?",
            "names": ["mcp__git__log"],
        }
    }


@pytest.mark.parametrize(
    ("schema", "more", "said"),
    [
        (None, ("--schema", "s.json"), "s.json: No such file"),
        ("{", ("--schema", "s.json"), "s.json is not JSON"),
        ("3", ("--schema", "s.json"), "the schema is a JSON object"),
        ('{"maximum": ' + "9" * 5000 + "}", ("--schema", "s.json"), "a number of too many digits"),
        ("[" * 100_000, ("--schema", "s.json"), "s.json is nested too deeply to read"),
        ("[]", ("--schema", "s.json"), "name one of them with --tool"),
        ("[3]", ("--schema", "s.json", "--tool", "x"), "s.json[0]: a tool is"),
        ("{}", ("--schema", "-"), "standard input is for the arguments"),
        ("{}", (), "Missing option '--schema'"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_wrong_use_gives_one_line_and_code_2(
    home: Home, schema: str | None, more: tuple[str, ...], said: str
) -> None:
    if schema is not None:
        (home.cwd / "s.json").write_text(schema)
    done = home.run("inspect", "args", *more, stdin=b"{}")
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
