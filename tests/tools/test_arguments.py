"""From argument texts to values; near names; the environment of commands."""

from __future__ import annotations

import pytest

from eukhe.tools import Toolset, UnknownToolError
from eukhe.tools.arguments import BadArguments, check_arguments, parse_arguments
from eukhe.tools.environ import without_credentials
from eukhe.tools.names import suggested_names


def test_an_object_is_read_and_an_empty_text_is_one() -> None:
    assert parse_arguments('{"path": "a", "limit": 3}') == {"path": "a", "limit": 3}
    assert parse_arguments("") == parse_arguments(" \n") == {}


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
    bad = parse_arguments(text)
    assert isinstance(bad, BadArguments)
    assert text[:512] in bad.reason
    assert len(bad.reason) < 900


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
        ({"path": 1}, "'path' must be a string"),
        ({"path": "x", "limit": "3"}, "'limit' must be an integer"),
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
    assert wrong in (check_arguments(_SCHEMA, arguments) or "")


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
    assert check_arguments(_SCHEMA, fits) is None


def test_near_names_come_first_and_at_most_three() -> None:
    assert suggested_names("reed", ["bash", "read"]) == ("read",)
    assert suggested_names("mcp__files_read", ["bash", "read"]) == ("read",)
    assert suggested_names("xyz", ["bash", "read"]) == ()
    assert suggested_names("toolx", ["tool1", "tool2", "tool3", "tool4"]) == (
        "tool1",
        "tool2",
        "tool3",
    )
    assert suggested_names("fs_grab", ["my_grab", "fs_grap"]) == ("fs_grap", "my_grab")


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
    }
    assert without_credentials({**kept, **gone}, also=["MINE"]) == kept
