"""Objects written in the relaxed dialect, schemas, and texts that nobody would write on purpose."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12)
)
WORDS = st.text("abTN0_$/. -'(:", min_size=1, max_size=8) | st.sampled_from(
    ["true", "None", "NaN", "src/main.rs", "it's", "a 'b' c", "undefined", "Truex", "$a_1"]
)
VALUES = st.recursive(
    SCALARS | WORDS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(min_size=1, max_size=6), inner)
    ),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(min_size=1, max_size=6) | WORDS, VALUES, max_size=4)

_RESERVED = re.compile(r"(true|false|null|True|False|None)(?![\w$])|(NaN|Infinity|undefined)\Z")
_UNQUOTED = re.compile(r"[A-Za-z_$~(][A-Za-z0-9_$/.()' -]*\Z")
_KEY = re.compile(r"[A-Za-z_$-][A-Za-z0-9_$-]*\Z")
_GAPS = ("", " ", "\n", "\t", '/* it\'s "n" } */', "// c, ]\n", " /**/ ", "\r\n", "/***/")


class _Writer:
    """Writes one object in spellings that `draw` chooses."""

    def __init__(self, draw: Callable[[st.SearchStrategy[int]], int]) -> None:
        self._draw = draw

    def _one(self, *options: str) -> str:
        return options[self._draw(st.integers(0, len(options) - 1))]

    def gap(self) -> str:
        return self._one(*_GAPS)

    def value(self, value: object) -> str:
        match value:
            case dict():
                members = (
                    f"{self.key(key)}{self.gap()}:{self.gap()}{self.value(child)}"
                    for key, child in value.items()
                )
                return "{" + self._items(list(members)) + "}"
            case list():
                return "[" + self._items([self.value(child) for child in value]) + "]"
            case None:
                return self._one("null", "None")
            case bool():
                return self._one(str(value), str(value).lower())
            case int():
                return self._integer(value)
            case float():
                return self._float(value)
            case str():
                return self.string(value)
        raise AssertionError(value)

    def _items(self, items: list[str]) -> str:
        text = self._one("", ",", self.gap())
        for at, item in enumerate(items):
            # A comment would belong to an unquoted value: a comma or the end of the line ends it first.
            comma = self._one(",", " ,", f"\n{self.gap()},", f",{self.gap()},")
            if at == len(items) - 1:
                comma = self._one(comma, "", " ", "\n")
            text += f"{self.gap()}{item}{comma}"
        return text + (self.gap() if text.endswith((",", "\n")) else "")

    def key(self, key: str) -> str:
        if _KEY.match(key) and self._one("", "q"):
            return f"{key} "  # a comment would belong to it
        return self.string(key, quoted=True)

    def string(self, text: str, *, quoted: bool = False) -> str:
        plain = _UNQUOTED.match(text) and text == text.strip() and not _RESERVED.match(text)
        if plain and not quoted and self._one("", "u"):
            return text
        if self._one("", "s"):
            return self._single(text)
        dumped = json.dumps(text, ensure_ascii=bool(self._one("", "a")))
        return (
            dumped.replace("\\n", "\n") if self._one("", "r") and "\\\\" not in dumped else dumped
        )

    def _single(self, text: str) -> str:
        out = ""
        for at, char in enumerate(text):
            follows = text[at + 1 : at + 2]
            if char == "'" and not (follows.isalnum() and self._one("", "b")):
                out += "\\'"
            elif char == "\\":
                out += "\\\\"
            elif char == '"':
                out += self._one('"', '\\"')
            else:
                out += char
        return f"'{out}'"

    def _integer(self, value: int) -> str:
        plain = [str(value), f"{value}."]
        if value >= 0:
            plain += [f"+{value}", f"00{value}", f"0x{value:x}", f"0X{value:X}", f"0b{value:b}"]
        return self._one(*plain)

    def _float(self, value: float) -> str:
        text = repr(value)
        forms = [text, text.replace("e", "E")]
        if text.startswith("0.") and len(text) > 2:
            forms += [text[1:], f"+{text}"]
        return self._one(*forms)


@st.composite
def relaxed_texts(draw: st.DrawFn) -> tuple[dict[str, object], str]:
    """An object and one of its spellings in the dialect."""
    value: dict[str, object] = dict(draw(OBJECTS))
    writer = _Writer(draw)
    return value, f"{writer.gap()}{writer.value(value)}{writer.gap()}"


SCHEMAS: st.SearchStrategy[dict[str, Any]] = st.recursive(
    st.sampled_from(
        [
            {"type": kind}
            for kind in ("string", "integer", "number", "boolean", "null", "object", "array")
        ]
        + [
            {"type": ["integer", "boolean"]},
            {"type": ["string", "array"], "items": {"type": "integer"}},
            {"type": "array", "items": {"type": "string"}},
            {"type": "integer", "minimum": 3},
            {"type": "number", "exclusiveMaximum": 2.5},
            {"type": "string", "maxLength": 2},
            {"enum": ["a", 1, True, None]},
            {"const": 1},
            {},
        ]
    ),
    lambda inner: (
        st.fixed_dictionaries({"type": st.just("array"), "items": inner})
        | st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=3)})
        | st.fixed_dictionaries(
            {
                "type": st.just("object"),
                "properties": st.dictionaries(st.sampled_from("abc"), inner),
                "additionalProperties": st.booleans() | inner,
                "required": st.lists(st.sampled_from("abc"), unique=True),
            }
        )
    ),
    max_leaves=6,
)
"""Schemas that the compiled check knows."""

_SPELT = st.sampled_from(
    ["1", "true", "False", " 2 ", "2.5", "a", "[1]", '["1", true]', '{"a": "1"}', '{"\\"b\\"": 1}']
)
MISSPELT = st.recursive(
    _SPELT | SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "c", '"a"', '"b"']), inner, max_size=3)
    ),
    max_leaves=8,
)
"""Values as models write them."""

HOSTILE = st.lists(
    st.sampled_from(
        [
            *"{}[]:,'\"/\\*.+-019eExXbuaN \n\r\t\0\ud800\udc00\u2028é",
            *("//", "/*", "*/", "\\u", "1e9", "\\ud83d", '":"'),
            *("true", "None", "NaN", '{"a":', "{a:", "a.b/c"),
        ]
    ),
    max_size=40,
).map("".join)
