"""What holds of the final parse, the preview and the repair for any input."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from eukhe.core.arguments import Parsed, Reading, Unparsed, parse, parse_object, sent_text
from eukhe.core.arguments_preview import Preview
from eukhe.core.arguments_relaxed import read_relaxed
from eukhe.core.arguments_repair import Repaired, repair, text_repairs
from eukhe.core.arguments_schema import compiled
from eukhe.core.arguments_text import MAX_DEPTH
from tests.core.arguments_strategies import (
    HOSTILE,
    MISSPELT,
    OBJECTS,
    SCALARS,
    SCHEMAS,
    relaxed_texts,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

_SETTINGS = settings(derandomize=True, database=None, deadline=None, max_examples=200)


def _same(one: object, other: object) -> bool:
    """Equal, with the same types and the same order of keys."""
    return json.dumps(one) == json.dumps(other)


@_SETTINGS
@given(OBJECTS, st.booleans(), st.sampled_from([None, 2]))
def test_any_json_object_survives_unchanged_and_without_a_warning(
    value: dict[str, object], ascii_only: bool, indent: int | None
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    outcome = parse(text)
    assert isinstance(outcome, Parsed)
    assert _same(outcome.value, value)
    assert text_repairs(text, outcome) == ()
    assert sent_text(text) == text
    assert _same(read_relaxed(text), value), "strict JSON means the same in the dialect"


@_SETTINGS
@given(relaxed_texts())
def test_any_object_written_in_the_dialect_parses_to_itself(
    written: tuple[dict[str, object], str],
) -> None:
    value, text = written
    assert _same(parse_object(text), value), text
    assert _same(json.loads(sent_text(text)), value)


@_SETTINGS
@given(st.integers(min_value=0) | st.integers(2, 300))
def test_an_integer_in_any_spelling_of_the_dialect_is_itself(value: int) -> None:
    plain = (str(value), f"+{value}", f"{value}.", f"000{value}")
    radix = (f"0x{value:x}", f"0X{value:X}", f"0b{value:b}", f"0B{value:b}")
    for text in (*plain, *radix):
        assert _same(parse_object(f"{{n:{text}}}"), {"n": value}), text
    for text in (f"-{value}", f"-00{value}", f"-{value}."):
        assert _same(parse_object(f"{{n:{text}}}"), {"n": -value}), text


@_SETTINGS
@given(relaxed_texts(), st.data())
def test_any_strict_prefix_of_a_valid_text_is_rejected(
    written: tuple[dict[str, object], str], data: st.DataObject
) -> None:
    value, relaxed = written
    for text in (json.dumps(value), relaxed):
        end = text.rindex("}") if text is not relaxed else _end(text)
        cut = text[: data.draw(st.integers(0, end))]
        outcome = parse(cut)
        if cut.strip():
            assert isinstance(outcome, Unparsed), cut
            assert outcome.raw == cut[:512]
        else:
            assert outcome == Parsed({}, Reading.STRICT), "nothing at all is no arguments"


def _end(text: str) -> int:
    """Where the last brace of the object is: what follows it is white space and comments."""
    for end in range(len(text), 0, -1):
        if text[end - 1] == "}" and isinstance(parse(text[:end]), Parsed):
            shortest = end
    return shortest - 1


def _quoted(key: str, layers: int) -> dict[str, object]:
    for _ in range(layers):
        key = json.dumps(key)
    return {key: 1}


@_SETTINGS
@given(SCHEMAS, MISSPELT)
@example({}, _quoted("k", 3))
@example({}, _quoted("k", 4))
@example({}, _quoted("k", 5))
@example({"type": "object"}, json.dumps(_quoted("k", 4)))
@example({"type": ["array", "integer"], "items": {"type": "string"}}, "1")
def test_a_repair_of_a_repair_changes_nothing(schema: dict[str, object], value: object) -> None:
    root: dict[str, object] = {"type": "object", "properties": {"v": schema}}
    check = compiled(root)
    assert check is not None
    given_text = json.dumps({"v": value})
    once = repair(root, json.loads(given_text), check.fits)
    assert repair(root, once.value, check.fits) == Repaired(once.value, ())
    assert bool(once.repairs) is not _same(once.value, json.loads(given_text))
    if check.fits(root, json.loads(given_text)):
        assert all(r.what.value == "key" for r in once.repairs), "what fits keeps its spelling"
    again = repair(root, json.loads(given_text), check.fits)
    assert again == once


_KEYWORDS = (
    *("type", "properties", "items", "anyOf", "oneOf", "allOf", "$ref", "prefixItems", "required"),
    *("additionalProperties", "enum", "minimum", "patternProperties", "#", "object", "string", "v"),
)
_ANY_SCHEMA = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(_KEYWORDS) | st.text(max_size=3),
            inner
            | st.sampled_from(["#", "#/properties/v", "#/x/y", "object", "array", "string"])
            | st.just(["integer", "string"]),
            max_size=4,
        )
    ),
    max_leaves=10,
).map(lambda schema: schema if isinstance(schema, dict) else {"properties": {"v": schema}})


@_SETTINGS
@given(HOSTILE)
@example("[" * 100_000)
@example('{"a":' * 100_000)
@example("{a:[" + "{b:" * 100_000)
@example('{"a":' + "9" * 5000 + "}")
@example("{a:0x" + "f" * 5000 + "}")
@example("\ufeff{}")
def test_no_text_raises(text: str) -> None:
    outcome = parse(text)
    if isinstance(outcome, Unparsed):
        assert outcome.raw == text[:512]
        assert outcome.error
        assert json.loads(sent_text(text)) == outcome.arguments
    else:
        assert _same(json.loads(sent_text(text)), outcome.value)
    preview = Preview()
    for at in range(0, min(len(text), 2000), 7):
        preview.feed(text[at : at + 7])
        json.dumps(preview.value(), allow_nan=False)


@_SETTINGS
@given(_ANY_SCHEMA, MISSPELT, st.booleans())
def test_no_schema_raises(schema: dict[str, object], value: object, fits: bool) -> None:
    arguments = value if isinstance(value, dict) else {"v": value}
    check = compiled(schema)

    def says(part: Mapping[str, object], one: object) -> bool:
        return check.fits(part, one) if check is not None else fits

    done = repair(schema, arguments, says)
    json.dumps(done.value)
    if check is not None:
        check.problems(done.value)


@_SETTINGS
@given(OBJECTS, st.booleans(), st.lists(st.integers(1, 9), min_size=1, max_size=4))
def test_a_preview_grows_into_the_value(
    value: dict[str, object], ascii_only: bool, sizes: list[int]
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    preview = Preview()
    at = 0
    for size in itertools.cycle(sizes):
        preview.feed(text[at : at + size])
        at += size
        assert _begins(preview.value(), value)
        if at >= len(text):
            break
    assert _same(preview.value(), value)


def _begins(part: object, whole: object) -> bool:
    """Whether a value is the other one, or the start of it."""
    match part, whole:
        case str(), str():
            return whole.startswith(part)
        case list(), list():
            return len(part) <= len(whole) and all(map(_begins, part, whole))
        case dict(), dict():
            keys = list(part) == list(whole)[: len(part)]
            return keys and all(_begins(part[key], whole[key]) for key in part)
    return _same(part, whole)


@pytest.mark.parametrize("text", ['{"a":%s}', "{a:%s}", '{"a":%s,"b":"\t"}'])
def test_nesting_ends_at_a_depth_that_depends_on_nothing(text: str) -> None:
    for kind, leaf in (("[]", ""), ('{"k":}', "1")):
        start, end = kind[:-1], kind[-1]

        def nested(count: int, start: str = start, end: str = end, leaf: str = leaf) -> str:
            return text % (start * count + leaf + end * count)

        assert isinstance(parse(nested(MAX_DEPTH - 1)), Parsed)
        for count in (MAX_DEPTH, 500, 5000):
            outcome = parse(nested(count))
            assert isinstance(outcome, Unparsed)
            assert "more than 128 objects and lists are nested" in outcome.error


def test_depth_is_found_among_many_brackets_that_are_not_deep() -> None:
    wide = ",".join("[[], {}]" for _ in range(2000))
    texts = ",".join(json.dumps("[{" * 20) for _ in range(20))
    for more in (wide, texts, wide + "," + texts):
        deep = "[" * (MAX_DEPTH - 2) + "[]" + "]" * (MAX_DEPTH - 2)
        assert isinstance(parse(f'{{"a":[{more}],"b":[{deep}]}}'), Unparsed)
        assert isinstance(parse(f'{{"a":[{more}],"b":{deep}}}'), Parsed)
