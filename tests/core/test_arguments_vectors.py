"""The final parse and the preview, vector by vector; cases of one number show one rule."""

from __future__ import annotations

import json

import pytest

from eukhe.core.arguments import Parsed, Reading, Unparsed, first_characters, parse, sent_text
from eukhe.core.arguments_preview import Preview
from eukhe.core.arguments_text import MAX_DEPTH

_ACCEPTED = [
    (1, '{"path":"a.txt"}', {"path": "a.txt"}, Reading.STRICT),
    (2, '{"t":"a\nb"}', {"t": "a\nb"}, Reading.ESCAPED),
    (3, '{"t":"a\tb"}', {"t": "a\tb"}, Reading.ESCAPED),
    (4, r'{"re":"\d+\s"}', {"re": r"\d+\s"}, Reading.ESCAPED),
    (5, r'{"p":"C:\new\q"}', {"p": "C:\new\\q"}, Reading.ESCAPED),
    (6, r'{"p":"\u12"}', {"p": r"\u12"}, Reading.ESCAPED),
    (7, "{'path':'a.txt'}", {"path": "a.txt"}, Reading.RELAXED),
    (8, "{'say':'it's fine'}", {"say": "it's fine"}, Reading.RELAXED),
    (9, "{'say':'a \"b\" c'}", {"say": 'a "b" c'}, Reading.RELAXED),
    (10, '{path:"a.txt",limit:3}', {"path": "a.txt", "limit": 3}, Reading.RELAXED),
    (11, "{my-key: 1, $a_1: true}", {"my-key": 1, "$a_1": True}, Reading.RELAXED),
    (12, '{"a":1 /* n */,"b":2}', {"a": 1, "b": 2}, Reading.RELAXED),
    (13, '{"a":1, // n\n "b":2} // done', {"a": 1, "b": 2}, Reading.RELAXED),
    (14, '{"a":"http://x//y"}', {"a": "http://x//y"}, Reading.STRICT),
    (15, '{"a":True,"b":False,"c":None}', {"a": True, "b": False, "c": None}, Reading.RELAXED),
    (16, '{"a":Truex}', {"a": "Truex"}, Reading.RELAXED),
    (17, '{"a":1,}', {"a": 1}, Reading.RELAXED),
    (18, '{,"a":1,,"b":[1,,2,],}', {"a": 1, "b": [1, 2]}, Reading.RELAXED),
    (19, '{"n":0x1F,"m":0b101}', {"n": 31, "m": 5}, Reading.RELAXED),
    (20, '{"n":+5,"m":.5,"k":5.,"z":007}', {"n": 5, "m": 0.5, "k": 5, "z": 7}, Reading.RELAXED),
    (21, '{"path":src/main.rs}', {"path": "src/main.rs"}, Reading.RELAXED),
    (22, '{"path": src/main.rs , "n":2}', {"path": "src/main.rs", "n": 2}, Reading.RELAXED),
    (23, '{"paths":[src/a.rs, src/b.rs]}', {"paths": ["src/a.rs", "src/b.rs"]}, Reading.RELAXED),
    (24, '{"url":https://e.test/x}', {"url": "https://e.test/x"}, Reading.RELAXED),
    (25, r'{"p":C:\dir\f.txt}', {"p": r"C:\dir\f.txt"}, Reading.RELAXED),
    (26, '{"glob":src/**/*.ts}', {"glob": "src/**/*.ts"}, Reading.RELAXED),
    (27, '{"cmd": ls -la | wc}', {"cmd": "ls -la | wc"}, Reading.RELAXED),
    (28, '{"a": foo\n,"b":1}', {"a": "foo", "b": 1}, Reading.RELAXED),
    (29, '{"a":1,"a":2}', {"a": 2}, Reading.STRICT),
    (30, "", {}, Reading.STRICT),
    (30, " \n\t", {}, Reading.STRICT),
    # What was decided where the rules leave it open.
    (1, '{"a":1}\n', {"a": 1}, Reading.STRICT),
    (
        1,
        '{"n":123456789012345678901234567890}',
        {"n": 123456789012345678901234567890},
        Reading.STRICT,
    ),
    (5, '{a:"it\\\'s"}', {"a": "it's"}, Reading.RELAXED),
    (6, "{a:'\\u12\\u0041\\ud83d\\ude00\\q'}", {"a": "\\u12A😀\\q"}, Reading.RELAXED),
    (8, "{'a':'x' /* ' , */ , 'b':'y' // '\n}", {"a": "x", "b": "y"}, Reading.RELAXED),
    (8, "{'a':'it' /x'}", {"a": "it' /x"}, Reading.RELAXED),
    (8, "{'it's':1}", {"it's": 1}, Reading.RELAXED),
    (11, "{a /* n */ : 1}", {"a": 1}, Reading.RELAXED),
    (11, "{a/*n*/:1}", {"a/*n*/": 1}, Reading.RELAXED),
    (
        20,
        '{"n":-.5,"m":-007,"k":1E2,"z":1.,}',
        {"n": -0.5, "m": -7, "k": 100.0, "z": 1},
        Reading.RELAXED,
    ),
    (21, "{a:/usr/bin}", {"a": "/usr/bin"}, Reading.RELAXED),
    (24, "{a:host:/path}", {"a": "host:/path"}, Reading.RELAXED),
    (24, "{a:curl -s https://e.test/x}", {"a": "curl -s https://e.test/x"}, Reading.RELAXED),
    (25, "{a:type C:\\dir\\f}", {"a": "type C:\\dir\\f"}, Reading.RELAXED),
    (28, "{a:x\u2028y,b:\xa0z }", {"a": "x\u2028y", "b": "\xa0z"}, Reading.RELAXED),
]

# Only the end of the text tells how these are read, so their previews can differ.
_DECIDED_LATE: list[tuple[int, str, object, Reading]] = [
    (5, '{"a":"it\\\'s"}', {"a": "it\\'s"}, Reading.ESCAPED),
    (8, "{'a':'it'/* x'}", {"a": "it'/* x"}, Reading.RELAXED),
]


@pytest.mark.parametrize(("number", "text", "value", "reading"), _ACCEPTED + _DECIDED_LATE)
def test_a_text_that_can_be_read_gives_its_object(
    number: int, text: str, value: dict[str, object], reading: Reading
) -> None:
    outcome = parse(text)
    assert outcome == Parsed(value, reading), number
    assert json.dumps(outcome.value) == json.dumps(value), "types too: True is not 1"


_REJECTED = [
    (31, '{"a":1', "the text ends inside an object"),
    (32, '{"a":[1,2', "the text ends inside a list"),
    (33, '{"a":"x', "the text ends inside a string"),
    (33, '{"a":\'x', "the text ends inside a string"),
    (34, '{"a": src/main.rs', "the text ends inside an unquoted value"),
    (35, '{"a":1} x', "more text after the object at character 9"),
    (35, '{"a":1}}', "more text after the object at character 8"),
    (35, '{"a":1}{"b":2}', "more text after the object at character 8"),
    (36, '{"a":NaN}', "NaN is no value"),
    (36, '{"a":Infinity}', "Infinity is no value"),
    (36, '{"a":-Infinity}', "'-Infinity' is no finite number"),
    (36, '{"a":+Infinity}', "'+Infinity' is no finite number"),
    (37, '{"a":1e999}', "'1e999' is no finite number"),
    (37, '{"a":[-1e999]}', "'-1e999' is no finite number"),
    (38, '{"a":undefined}', "undefined is no value"),
    (39, '{"path":src/main.rs "limit":3}', "could hide the next field at character 21"),
    (40, "{path: src/main.rs limit: 3}", "could hide the next field"),
    (41, '{"a": foo {"b":1}}', "could hide the next field"),
    (41, '{"a": f[0]}', "could hide the next field"),
    (42, '{"a":1 "b":2}', "a comma is missing at character 8"),
    (42, '{"a":"x"\n"b":1}', "a comma is missing"),
    (42, '{"a": foo\n "b":1}', "a comma is missing"),
    (43, '{"a":"x "y" z"}', "a comma is missing"),
    (44, '{"n":-0x1F}', "'-0x1F' is no finite number"),
    (44, '{"n":0xZZ}', "'0xZZ' is no finite number"),
    (44, '{"n":1.2.3}', "'1.2.3' is no finite number"),
    (44, '{"n":1_000}', "'1_000' is no finite number"),
    (44, '{"d":2024-01-02}', "'2024-01-02' is no finite number"),
    (44, '{"n":-}', "'-' is no finite number"),
    (45, '{"path":./x.py}', "'.' is no finite number"),
    (46, '{"t": a:b}', "could hide the next field"),
    (47, "{:1}", "a key is missing or empty"),
    (47, '{"a" 1}', "the key 'a' has no `:`"),
    (48, "src/main.rs", "there is no `{`"),
    (49, '"x"', "a string, not an object"),
    (49, "42", "a number, not an object"),
    (49, "null", "null, not an object"),
    (49, "[1]", "an array, not an object"),
    (49, "false", "a boolean, not an object"),
    (50, '```json\n{"a":1}\n```', "there is no `{`"),
    # What was decided where the rules leave it open.
    (34, '{"a": ', "the text ends inside an unquoted value"),
    (34, "{'a':'x' /* n", "the text ends inside a string"),
    (35, '{"a":1} /* n', "the text ends inside a comment"),
    (35, '\ufeff{"a":1}', "there is no `{`"),
    (37, '{"n":' + "9" * 5000 + "}", "is no finite number"),
    (37, '{"n":0x' + "f" * 300 + "}", "is no finite number"),
    (40, "{cmd: ls path:/tmp}", "could hide the next field"),
    (40, "{cmd: type path:\\tmp}", "could hide the next field"),
    (40, "{cmd::/tmp}", "could hide the next field at character 6"),
    (40, "{cmd: :\\tmp}", "could hide the next field at character 7"),
    (40, "{cmd: ls path:}", "could hide the next field"),
    (41, "{a: true love}", "a comma is missing"),
    (42, "{a: 1 b: 2}", "a comma is missing"),
    (42, "{a: [1 2]}", "a comma is missing"),
    (44, '{"n":0o17}', "'0o17' is no finite number"),
    (44, '{"n":12px}', "'12px' is no finite number"),
    (44, '{"n":+}', "'+' is no finite number"),
    (44, '{"n":1e}', "'1e' is no finite number"),
    (47, '{"": 1,}', "a key is missing or empty"),
    (47, '{a"b: 1}', "an unquoted key holds a quote or a bracket"),
    (47, "{a{b: 1}", "an unquoted key holds a quote or a bracket"),
    (47, '{"a":}', "a value is missing"),
    (47, '{"a":,"b":1}', "a value is missing"),
    (47, '{"a":]}', "a value is missing"),
    (47, "{a:[1}", "`}` closes what it did not open"),
    (47, "{]", "`]` closes what it did not open"),
]


@pytest.mark.parametrize(("number", "text", "error"), _REJECTED)
def test_a_text_that_is_no_object_gives_its_error_and_no_key(
    number: int, text: str, error: str
) -> None:
    outcome = parse(text)
    assert isinstance(outcome, Unparsed), number
    assert error in outcome.error
    assert outcome.arguments == {"__parseError": outcome.error, "__rawJson": text[:512]}


def test_51_the_raw_text_is_its_first_512_characters() -> None:
    text = '{"a":"' + "x" * 594
    assert len(text) == 600
    outcome = parse(text)
    assert isinstance(outcome, Unparsed)
    assert outcome.raw == text[:512]
    wide = parse("é" * 600)
    assert isinstance(wide, Unparsed)
    assert wide.raw == "é" * 512, "characters, not bytes"


def test_51_the_cut_never_parts_a_surrogate_pair() -> None:
    halves = "\ud83d\ude00"
    assert first_characters("x" * 511 + halves) == "x" * 511
    assert first_characters("x" * 510 + halves) == "x" * 510 + halves
    assert first_characters("x" * 511 + "\ud83d") == "x" * 511 + "\ud83d", "a lone half is whole"
    for high, low in (("\ud800", "\udc00"), ("\udbff", "\udfff")):
        assert first_characters("x" * 511 + high + low) == "x" * 511
    for one, two in (
        ("\ud7ff", "\udc00"),
        ("\udc00", "\udc00"),
        ("\ud800", "\udbff"),
        ("\ud800", "\ue000"),
    ):
        assert first_characters("x" * 511 + one + two) == "x" * 511 + one


@pytest.mark.parametrize(
    ("number", "text", "value"),
    [
        (52, '{"a":"hel', {"a": "hel"}),
        (53, '{"a":1,"b":tr', {"a": 1}),
        (54, '{"a":{"b":"c', {"a": {"b": "c"}}),
        (55, '{"a":', {}),
        (55, '{"a', {}),
        (55, "{", {}),
        (55, "", {}),
        (56, '{"a":-', {}),
        (56, '{"path":src/ma', {}),
        (56, '{"a":NaN', {}),
        # More of the same rules.
        (52, '{"a":"x\\', {"a": "x"}),
        (52, '{"a":"x\\u00e', {"a": "x"}),
        (52, '{"a":"x\\u00e9', {"a": "xé"}),
        (52, '{"a":"\\ud83d', {"a": ""}),
        (52, '{"a":"\\ud83d\\ude0', {"a": ""}),
        (52, '{"a":"\\ud83d\\ude00', {"a": "😀"}),
        (52, '{"a":"\\ud83d!', {"a": "\ud83d!"}),
        (52, '{"a":"\\d+', {"a": "\\d+"}),
        (52, "{'a':'it'", {"a": "it"}),
        (52, "{'a':'it's", {"a": "it's"}),
        (53, '{"a":[1,2', {"a": [1]}),
        (53, '{"a":[1,2]', {"a": [1, 2]}),
        (54, '{"a":[{"b":[', {"a": [{"b": []}]}),
        (54, '{"b":{"c":1},"b":{"c":"x', {"b": {"c": "x"}}),
        (55, '{"a":1, // n', {"a": 1}),
        (55, '{"a":1 /* n', {"a": 1}),
        (56, '{"a":"x","b":NaN,"c":1}', {"a": "x"}),
        (56, '{"a":"x" "b":1}', {"a": "x"}),
        (56, "[1]", {}),
        (56, '{"a":1}{"b":2}', {"a": 1}),
    ],
)
def test_the_preview_closes_what_is_open_and_leaves_out_what_is_not_sure(
    number: int, text: str, value: dict[str, object]
) -> None:
    whole = Preview()
    whole.feed(text)
    assert whole.value() == value, number
    pieces = Preview()
    for char in text:
        pieces.feed(char)
    assert pieces.value() == value, "one character at a time"


@pytest.mark.parametrize(("number", "text", "value", "reading"), _ACCEPTED)
def test_the_preview_of_a_whole_text_is_what_the_final_parse_reads(
    number: int, text: str, value: dict[str, object], reading: Reading
) -> None:
    for size in (1, 3, len(text) + 1):
        preview = Preview()
        for at in range(0, len(text), size):
            preview.feed(text[at : at + size])
        assert json.dumps(preview.value()) == json.dumps(value), number


def test_the_preview_ends_where_the_final_parse_would() -> None:
    for count, depth in ((MAX_DEPTH - 1, MAX_DEPTH), (MAX_DEPTH, MAX_DEPTH), (5000, MAX_DEPTH)):
        preview = Preview()
        preview.feed('{"a":' + "[" * count)
        assert json.dumps(preview.value()).count("[") == depth - 1


def test_a_preview_is_due_when_a_thirty_second_came() -> None:
    preview = Preview()
    assert not preview.due
    preview.feed('{"a":"' + "x" * 314)
    assert preview.due
    assert preview.value() == {"a": "x" * 314}
    assert not preview.due
    preview.feed("x" * 9)
    assert not preview.due
    preview.feed("x")
    assert preview.due


def test_what_goes_back_to_a_server_keeps_its_letters() -> None:
    assert sent_text("{a:'é'}") == '{"a": "é"}'
    assert "é" in sent_text("é")
    assert sent_text(" ") == sent_text("") == "{}"
