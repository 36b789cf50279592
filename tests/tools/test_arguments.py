"""From argument texts to values; near names; the environment of commands."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from eukhe.tools import Toolset, UnknownToolError
from eukhe.tools.arguments import ArgumentReader, BadArguments, GoodArguments
from eukhe.tools.environ import without_credentials
from eukhe.tools.names import suggested_names

if TYPE_CHECKING:
    from collections.abc import Mapping


def _read(schema: Mapping[str, object], text: str) -> GoodArguments | BadArguments:
    return ArgumentReader(schema).read(text)


def test_an_object_is_read_and_an_empty_text_is_one() -> None:
    assert _read({}, '{"path": "a", "limit": 3}') == GoodArguments({"path": "a", "limit": 3})
    assert _read({}, "") == _read({}, " \n") == GoodArguments({})


@pytest.mark.parametrize(
    "text",
    [
        '{"command": "rm',
        '{"a": 1} {"b": 2}',
        "[1]",
        '"text"',
        "null",
        "not json",
        '{"a": NaN}',
        '{"a": 1e999}',
        '{"a": -Infinity}',
        "[" * 100_000,
    ],
)
def test_no_part_of_a_text_that_is_no_object_is_used(text: str) -> None:
    bad = _read({}, text)
    assert isinstance(bad, BadArguments)
    assert bad.reason.endswith(f"began with: {text[:512]}")
    assert len(bad.reason) < 900


def test_what_was_repaired_is_told_whether_the_call_runs_or_not() -> None:
    good = _read(_SCHEMA, "{path: x, limit: '3'}")
    assert isinstance(good, GoodArguments)
    assert good.value == {"path": "x", "limit": 3}
    assert [repair.to_json() for repair in good.repairs] == [
        {
            "type": "argument_repaired",
            "what": "text",
            "path": "",
            "from": "{path: x, limit: '3'}",
            "to": '{"path": "x", "limit": "3"}',
        },
        {
            "type": "argument_repaired",
            "what": "value",
            "path": "/limit",
            "from": '"3"',
            "to": "3",
        },
    ]
    bad = _read(_SCHEMA, "{path: x, limit: '3', file: y}")
    assert isinstance(bad, BadArguments)
    assert bad.reason.startswith("'file' is not an argument (there are: path, limit,")
    assert [repair.path for repair in bad.repairs] == ["", "/limit"]


_SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "limit": {"type": "integer", "minimum": 1},
        "ratio": {"type": "number", "minimum": 0.5, "maximum": 9},
        "mode": {"type": "string", "enum": ["a", "b"]},
        "deep": {"type": "boolean"},
        "list": {"type": "array"},
        "map": {"type": "object"},
    },
    "required": ["path"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        ({}, "'path' is missing"),
        ({"path": [1]}, "'path' must be a string"),
        ({"path": "x", "limit": "few"}, "'limit' must be an integer"),
        ({"path": "x", "limit": True}, "'limit' must be an integer"),
        ({"path": "x", "limit": 1.5}, "'limit' must be an integer"),
        ({"path": "x", "limit": 0}, "'limit' must be at least 1"),
        ({"path": "x", "ratio": 0.1}, "'ratio' must be at least 0.5"),
        ({"path": "x", "ratio": 10**400}, "'ratio' must be at most 9"),
        ({"path": "x", "ratio": False}, "'ratio' must be a number"),
        ({"path": "x", "mode": "c"}, "'mode' must be one of 'a', 'b'"),
        ({"path": "x", "deep": 0}, "'deep' must be a boolean"),
        ({"path": "x", "list": {}}, "'list' must be an array"),
        ({"path": "x", "map": []}, "'map' must be an object"),
        ({"path": "x", "file": 1}, "'file' is not an argument (there are: path, limit,"),
    ],
)
def test_arguments_that_do_not_fit_are_named(arguments: dict[str, object], wrong: str) -> None:
    bad = _read(_SCHEMA, json.dumps(arguments))
    assert isinstance(bad, BadArguments)
    assert wrong in bad.reason


def test_arguments_that_fit_pass() -> None:
    fits = {
        "path": "x",
        "limit": 2.0,
        "ratio": 0.5,
        "mode": "a",
        "deep": True,
        "list": [],
        "map": {},
    }
    assert _read(_SCHEMA, json.dumps(fits)) == GoodArguments(fits)


def test_a_tool_that_is_not_there_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownToolError, match="did you mean bash"):
        Toolset.built_in(["read", "bsh"])
    assert Toolset.built_in(["bash", "read", "bash"]).names == ("bash", "read")


def test_only_the_start_of_a_very_long_name_is_compared() -> None:
    start = "x" * 100
    assert suggested_names(start + "y" * 5000, [start, "bash"]) == (start,)


def test_commands_see_no_credentials() -> None:
    kept = {
        "PATH": "/bin",
        "HOME": "/h",
        "TOKENIZERS_PARALLELISM": "0",
        "KEYBOARD": "x",
        "PATS": "y",
        "BYPASS": "z",
    }
    gone = {
        "OPENAI_API_KEY": "1",
        "my_api_key": "2",
        "GH_TOKEN": "3",
        "AWS_SECRET_ACCESS_KEY": "4",
        "CLIENT_SECRET": "5",
        "PGPASSWORD": "6",
        "EUKHE_KEY_OF_SERVER": "7",
        "MINE": "8",
        "API_KEY": "9",
        "TOKEN": "10",
        "OPENAI_KEY": "11",
        "AWS_ACCESS_KEY_ID": "12",
        "GITHUB_PAT": "13",
        "MYSQL_PASSWD": "14",
        "GOOGLE_APPLICATION_CREDENTIALS": "15",
        "AWS_BEARER_TOKEN_BEDROCK": "16",
        "SMTP_PASS": "17",
        "GPG_PASSPHRASE": "18",
    }
    assert without_credentials({**kept, **gone}, also=["MINE"]) == kept
