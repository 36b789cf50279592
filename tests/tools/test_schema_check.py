"""Checks of schemas: the compiled one agrees with the library, and the library never acts or raises."""

from __future__ import annotations

import json
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eukhe.core.arguments_schema import CompiledCheck, compiled
from eukhe.tools import BUILT_IN, Toolset
from eukhe.tools.arguments import ArgumentReader, BadArguments, GoodArguments, check_of
from eukhe.tools.schema_library import LibraryCheck
from tests.core.arguments_strategies import MISSPELT, SCHEMAS

if TYPE_CHECKING:
    from collections.abc import Iterator

_SETTINGS = settings(derandomize=True, database=None, deadline=None, max_examples=200)


@_SETTINGS
@given(SCHEMAS, MISSPELT)
def test_the_compiled_check_agrees_with_the_library(
    schema: dict[str, object], value: object
) -> None:
    root: dict[str, object] = {"properties": {"v": schema}}
    check, library = compiled(root), LibraryCheck(root)
    assert check is not None
    arguments = {"v": value}
    fits = library.fits(root, arguments)
    assert check.fits(root, arguments) is fits
    assert check.fits(schema, value) is library.fits(schema, value)
    assert bool(check.problems(arguments)) is not fits
    assert bool(library.problems(arguments)) is not fits


@pytest.mark.parametrize(
    ("schema", "fitting", "failing"),
    [
        ({"type": "integer"}, [1, 1.0, -0.0, 10**400], [True, 1.5, "1", None]),
        ({"type": "number"}, [1, 1.5], [False, "1"]),
        ({"enum": [1, "a", None]}, [1, 1.0, "a", None], [True, "b", 0]),
        ({"const": True}, [True], [1, 1.0, "true"]),
        ({"minimum": 2}, [2, "1", True, None], [1, 1.9]),
        ({"exclusiveMinimum": 2}, [2.1], [2]),
        ({"maximum": 2, "exclusiveMaximum": 2}, [1], [2]),
        ({"minLength": 1, "maxLength": 2}, ["a", "😀é", 5, []], ["", "abc"]),
        ({"minItems": 1, "maxItems": 2}, [[1], "abc", {}], [[], [1, 2, 3]]),
        ({"items": {"type": "string"}}, [[], ["a"], "x"], [["a", 1]]),
        ({"items": False}, [[]], [[1]]),
        ({"additionalProperties": {"type": "string"}}, [{}, {"a": "b"}], [{"a": 1}]),
        ({"anyOf": [{"type": "string"}, {"minimum": 3}]}, ["a", 3, None], [1]),
        ({"properties": {"a": False}}, [{}, {"b": 1}], [{"a": 1}]),
        ({"type": ["string", "null"]}, ["a", None], [1, []]),
    ],
)
def test_keywords_mean_what_the_draft_says(
    schema: dict[str, object], fitting: list[object], failing: list[object]
) -> None:
    checks = (compiled(schema), LibraryCheck(schema))
    for check in checks:
        assert check is not None
        assert [value for value in fitting if not check.fits(schema, value)] == []
        assert [value for value in failing if check.fits(schema, value)] == []


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"oneOf": [{}]},
        {"pattern": "a"},
        {"type": "file"},
        {"type": []},
        {"minimum": "1"},
        {"minLength": 1.0},
        {"exclusiveMinimum": True},
        {"enum": [[1]]},
        {"required": "a"},
        {"required": [1]},
        {"properties": [1]},
        {"properties": {"a": 3}},
        {"$schema": "http://json-schema.org/draft-04/schema#"},
        {"unevaluatedProperties": False},
    ],
)
def test_what_the_compiled_check_does_not_know_is_left_to_the_library(
    schema: dict[str, object],
) -> None:
    assert compiled(schema) is None
    assert compiled({"properties": {"v": {"items": schema}}}) is None


def test_a_schema_that_holds_itself_too_deeply_is_left_to_the_library() -> None:
    schema: dict[str, object] = {}
    for _ in range(1000):
        schema = {"items": schema}
    assert compiled(schema) is None


def test_problems_are_few_and_name_their_place() -> None:
    item = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    schema: dict[str, object] = {"properties": {"edits": {"type": "array", "items": item}}}
    for check in (compiled(schema), LibraryCheck(schema)):
        assert check is not None
        problems = check.problems({"edits": [{"n": 1}, {}, {"n": "x" * 1000}] + [{}] * 50})
        assert len(problems) == 8
        assert problems[1].startswith("'edits[2].n'")
        assert all(len(problem) < 300 for problem in problems)


def test_a_start_and_the_built_in_tools_never_import_the_library() -> None:
    names = tuple(BUILT_IN)
    program = (
        "import sys, eukhe.cli.run\n"
        "from eukhe.tools import Toolset\n"
        "late = [m for m in sys.modules if 'eukhe.core.arguments_re' in m]\n"
        "assert not late, late\n"
        f"tools = Toolset.built_in({names!r})\n"
        f"[tools.arguments(name, '{{a: 1}}') for name in {names!r}]\n"
        "assert 'eukhe.core.arguments_relaxed' in sys.modules\n"
        "assert 'jsonschema' not in sys.modules\n"
        "assert 'json_repair' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name in names:
        tool = Toolset.built_in((name,)).get(name)
        assert tool is not None
        assert isinstance(check_of(tool.spec.schema), CompiledCheck)


@pytest.fixture
def asked() -> Iterator[tuple[str, list[str]]]:
    """A loopback server, and the paths that it was asked for."""
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}")

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", paths
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_reference_is_never_fetched(asked: tuple[str, list[str]]) -> None:
    url, paths = asked
    reader = ArgumentReader({"properties": {"v": {"$ref": f"{url}/schema.json"}}})
    bad = reader.read('{"v": 1}')
    assert isinstance(bad, BadArguments)
    assert "the tool's own schema is wrong" in bad.reason
    assert "/schema.json" in bad.reason
    assert paths == []


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "file"},
        {"properties": {"v": {"pattern": "("}}},
        {"properties": 3},
        {"$ref": "#/nowhere"},
        {"$ref": "#"},
        {"$schema": "not a draft", "minimum": "x"},
        {"$schema": 7},
        {"properties": {"v": {"multipleOf": 0}}},
    ],
)
def test_a_call_of_a_tool_with_a_wrong_schema_does_not_run(schema: dict[str, object]) -> None:
    bad = ArgumentReader(schema).read('{"v": 1}')
    assert isinstance(bad, BadArguments)
    assert bad.reason.startswith(("the tool's own schema is wrong: ", "the arguments are nested"))
    assert len(bad.reason) < 400


@_SETTINGS
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=2)
            | st.dictionaries(
                st.sampled_from(
                    ["type", "properties", "items", "anyOf", "$ref", "pattern", "multipleOf", "v"]
                )
                | st.sampled_from(["$schema", "$id", "$defs", "enum", "not", "if", "then"]),
                inner | st.sampled_from(["#", "#/v", "http://x.invalid/", "integer", "("]),
                max_size=3,
            )
        ),
    ).filter(lambda schema: isinstance(schema, dict)),
    MISSPELT,
)
def test_no_schema_and_no_arguments_raise(schema: object, value: object) -> None:
    assert isinstance(schema, dict)
    reader = ArgumentReader(schema)
    found = reader.read(json.dumps({"v": value}))
    assert isinstance(found, (GoodArguments, BadArguments))
    once = reader.read(json.dumps(found.value))
    assert json.dumps(once.value) == json.dumps(found.value), "a repair of a repair"


def test_a_recursive_schema_is_repaired_and_checked_all_the_way_down() -> None:
    schema: dict[str, object] = {
        "type": "object",
        "properties": {
            "n": {"type": "integer"},
            "next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]},
        },
        "additionalProperties": False,
    }
    text = '{"n": "1"}'
    for _ in range(20):
        text = f'{{"n": "1", "next": {text}}}'
    found = ArgumentReader(schema).read(text)
    assert isinstance(found, GoodArguments)
    assert len(found.repairs) == 21
    assert '"1"' not in json.dumps(found.value)
    deep = ArgumentReader(schema).read('{"next":' * 120 + "{}" + "}" * 120)
    assert isinstance(deep, (GoodArguments, BadArguments))


@pytest.mark.parametrize(
    ("declared", "written", "read"),
    [
        (
            {"prefixItems": [{"type": "integer"}], "items": {"type": "boolean"}},
            ["1", "true", "false"],
            [1, True, False],
        ),
        ({"prefixItems": [{"type": "integer"}, {"type": "boolean"}]}, ["1"], [1]),
        ({"oneOf": [{"type": "integer"}, {"type": "boolean"}]}, "true", True),
        ({"$ref": "#/$defs/a~1b"}, "7", 7),
        ({"type": "array", "items": {"$ref": "#/$defs/word"}}, "one", ["one"]),
        ({"additionalProperties": {"type": "integer"}}, {"x": "1"}, {"x": 1}),
        ({"patternProperties": {"^x": {"type": "integer"}}}, {"x": 1}, {"x": 1}),
        ({"type": "string", "pattern": "^[0-9]+$"}, 12, "12"),
    ],
)
def test_repairs_follow_schemas_that_the_library_checks(
    declared: dict[str, object], written: object, read: object
) -> None:
    schema = {
        "properties": {"v": declared},
        "$defs": {"a/b": {"type": "integer"}, "word": {"type": "string", "pattern": "^[a-z]+$"}},
    }
    found = ArgumentReader(schema).read(json.dumps({"v": written}))
    assert isinstance(found, GoodArguments)
    assert json.dumps(found.value) == json.dumps({"v": read})
