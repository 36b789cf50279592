"""The five families of tool-call markup (S6.10): where a leak begins, and how its block is read.

A repetition in a pattern is possessive or ends at a character that it cannot hold, and a block that does not parse
ends the whole scan. So each character is read a bounded number of times, whatever the text is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, partial
from typing import TypeAlias

from eukhe.core.leak_values import Parse, Reading, json_text

__all__ = ["Block", "Family", "Leak", "Param", "Raw", "Reader", "leak_at"]


class Family(StrEnum):
    """The families, in the requirement's order."""

    HERMES = "hermes"
    CODER = "coder"
    OMP = "omp"
    KIMI = "kimi"
    DSML = "dsml"


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter as it is written.

    Attributes:
        key: Its name.
        raw: The text of its value.
        reading: How the text becomes a value.
    """

    key: str
    raw: str
    reading: Reading


@dataclass(frozen=True, slots=True)
class Raw:
    """A call as it is written.

    Attributes:
        name: The name of the tool.
        arguments: The text of a JSON object, or parameters that wait for the tool's schema.
        dotted: Whether any prefix up to a dot may stand before the tool's name.
        at: Where it begins in a block that can hold several.
    """

    name: str
    arguments: str | tuple[Param, ...]
    dotted: bool = False
    at: int = 0


@dataclass(frozen=True, slots=True)
class Block:
    """A block of markup: its calls, in order, and where the text goes on after it."""

    calls: tuple[Raw, ...]
    end: int


#: Reads a block from where its first call begins; `None` for one that does not parse.
Reader: TypeAlias = Callable[[str, int, Parse], Block | None]


@dataclass(frozen=True, slots=True)
class Leak:
    """The beginning of a leak.

    Attributes:
        family: Its family.
        begin: Where its first call begins.
        read: How to read its block.
    """

    family: Family
    begin: int
    read: Reader


def leak_at(text: str, at: int) -> Leak | None:
    """Tell whether a leak begins at `at`: an opener with something call-like behind it, or an orphan closer."""
    found = _OPENER.match(text, at)
    if found is None:
        return None
    family, read = _READERS[str(found.lastgroup)]
    return Leak(family, found.end(), read)


def _orphan(_text: str, _at: int, _parse: Parse) -> Block | None:
    """A closer without its opener: a leak that does not parse."""
    return None


def _hermes(text: str, at: int, parse: Parse) -> Block | None:
    """Read one JSON object in `<tool_call>` tags; the close tag may miss at the end of the text."""
    for block in _HERMES:
        found = block.match(text, at)
        call = _hermes_call(parse(found[1]), parse) if found else None
        if found and call:
            return Block((call,), found.end())
    return None


def _hermes_call(value: object, parse: Parse) -> Raw | None:
    if not isinstance(value, Mapping) or not isinstance(name := value.get("name"), str):
        return None
    if "arguments" not in value and len(value) > 1:
        return None  # they are under another key: a call without them is not what was meant
    given = value.get("arguments")
    text = given if isinstance(given, str) else "{}" if given is None else json_text(given)
    return _json_call(name, text, parse, dotted=False)


def _json_call(name: str, text: str | None, parse: Parse, *, dotted: bool) -> Raw | None:
    """Make a call whose arguments are the text of an object; an empty text is an empty object."""
    if text is None or (text.strip() and not isinstance(parse(text), Mapping)):
        return None
    return Raw(name, text if text.strip() else "{}", dotted)


def _calls(
    read: Callable[[str, int], tuple[Raw, int] | None], text: str, at: int
) -> tuple[tuple[Raw, ...], int]:
    """Read calls up to the first that does not parse: that one is the next leak."""
    calls: list[Raw] = []
    while found := read(text, at):
        calls.append(replace(found[0], at=text.find("<", at)))
        at = found[1]
    return tuple(calls), at


def _coder(text: str, at: int, _parse: Parse) -> Block | None:
    """Read the functions of a `<tool_call>` block, or one without its open tag (Qwen3-Coder)."""
    calls, end = _calls(_function, text, at)
    return Block(calls, end) if calls else None


def _function(text: str, at: int) -> tuple[Raw, int] | None:
    head = _FUNCTION.match(text, at)
    if head is None:
        return None
    params: list[Param] = []
    at = head.end()
    while key := _PARAMETER.match(text, at):
        close = _VALUE_END.search(text, key.end())
        if close is None:
            return None
        raw = text[key.end() : close.start()]
        if not close[0] and _NESTED.search(raw):
            return None  # cut off in a value, and another call begins
        params.append(Param(key[1], _inner(raw), Reading.TYPED))
        at = close.end()
    end = _FUNCTION_END.match(text, at)
    return (Raw(head[1], tuple(params)), end.end()) if end else None


def _inner(raw: str) -> str:
    """Take the layout off a value: one line end after the open tag, one before the close tag and its indent."""
    raw = raw.removeprefix("\r").removeprefix("\n") if raw.startswith(("\n", "\r\n")) else raw
    body = raw.rstrip(" \t")
    return body[:-1].removesuffix("\r") if body.endswith("\n") else raw


def _omp(text: str, at: int, _parse: Parse) -> Block | None:
    """Read the self-closing elements of a section; text between them is dropped with it."""
    calls, end = _calls(_element, text, at)
    close = _SECTION_END.match(text, end)
    return Block(calls, close.end()) if close else None


def _element(text: str, at: int) -> tuple[Raw, int] | None:
    found = _ELEMENT.match(text, at)
    if found is None:
        return None
    attributes = _ATTRIBUTE.finditer(found[2])
    params = tuple(Param(one[1], one[3], Reading.TEXT) for one in attributes)
    return Raw(found[1], params), found.end()


def _kimi(text: str, at: int, parse: Parse) -> Block | None:
    """Read the calls of a section, or calls without one."""

    def one(text: str, at: int) -> tuple[Raw, int] | None:
        found = _KIMI_CALL.match(text, at)
        if found is None:
            return None
        name = _KIMI_INDEX.sub("", found[1].strip())
        call = _json_call(name, found[2], parse, dotted=True)
        return (call, found.end()) if call else None

    calls, end = _calls(one, text, at)
    close = _KIMI_END.match(text, end)
    return Block(calls, close.end() if close else end) if calls else None


@dataclass(frozen=True, slots=True)
class _Tags:
    """The tags of DSML, with or without the special tokens of their mark."""

    invoke: re.Pattern[str]
    invoke_end: re.Pattern[str]
    parameter: re.Pattern[str]
    parameter_end: re.Pattern[str]
    wrapper_end: re.Pattern[str]
    nested: re.Pattern[str]


def _dsml(mark: str, unclosed: str, text: str, at: int, _parse: Parse) -> Block | None:
    """Read the invokes of a wrapper, or invokes without one."""
    tags = _tags(mark, unclosed)
    calls, end = _calls(partial(_invoke, tags), text, at)
    close = tags.wrapper_end.match(text, end)
    return Block(calls, close.end()) if calls and close else None


def _invoke(tags: _Tags, text: str, at: int) -> tuple[Raw, int] | None:
    head = tags.invoke.match(text, at)
    if head is None:
        return None
    params: list[Param] = []
    at = head.end()
    while start := tags.parameter.match(text, at):
        close = tags.parameter_end.search(text, start.end())
        written = dict(_DSML_ATTRIBUTE.findall(start[1]))
        reading = _DSML_READINGS.get(written.get("string"))
        if close is None or reading is None or "name" not in written:
            return None
        raw = text[start.end() : close.start()]
        if tags.nested.search(raw):
            return None  # cut off in a value, and another call begins
        params.append(Param(written["name"], raw, reading))
        at = close.end()
    end = tags.invoke_end.match(text, at)
    return (Raw(head[1], tuple(params)), end.end()) if end else None


_WRAPPER = "(?:function_calls|tool_calls|tool_use)"
_BARS = r"(?:[|\uff5c] *+){1,2}+"
_MARK = f" *+{_BARS}DSML *+{_BARS}"
_NAME = r"[A-Za-z_][A-Za-z0-9_.\-]*+"
_KIMI_BEGIN = r"<\|tool_call_begin\|>"

_OPENER = re.compile(
    rf"""<tool_call>\s*+(?:(?P<hermes>(?=[{{\[]))|(?P<coder>(?=<function)))
    |(?P<function>(?=<function\s*+=))
    |<(?:tool|function)_calls>\s*+(?:(?P<stripped>(?=<invoke\b))|(?P<omp>(?=<{_NAME}[\s/>])))
    |(?P<kimi>(?:<\|tool_calls?_section_begin\|>\s*+)?(?={_KIMI_BEGIN}))
    |(?P<dsml>(?:<{_MARK}{_WRAPPER}\s*+>\s*+)?(?=<{_MARK}(?:{_WRAPPER}|invoke|parameter)\b))
    |(?P<no_hermes></tool_call>)|(?P<no_coder></function>)
    |(?P<no_kimi><\|tool_call_end\|>)|(?P<no_dsml><[ ]*+/{_MARK}invoke\b)""".replace("\n    ", "")
)

#: A block up to its first close tag, else up to the first one outside a JSON string.
_HERMES_END = r"(?:</tool_call>|\Z)"
_HERMES = (
    re.compile(rf"((?:[^<]++|<(?!/tool_call>))*+){_HERMES_END}"),
    re.compile(rf'((?:[^"<]++|"(?:[^"\\]++|\\.)*+"|<(?!/tool_call>))*+){_HERMES_END}', re.DOTALL),
)

_FUNCTION = re.compile(r"""\s*+<function\s*+=\s*+["']?([^\s"'<>=]++)["']?\s*+>""")
_PARAMETER = re.compile(r"""\s*+<parameter(?:\s*+=\s*+|\s++)["']?([^\s"'<>=]++)["']?\s*+>""")
_VALUE_END = re.compile(r"</parameter>|(?=<parameter[\s=])|(?=</function>)")
_NESTED = re.compile(r"<function\s*+=|<tool_call>")
_FUNCTION_END = re.compile(r"\s*+(?:</function>(?:\s*+</tool_call>)?|</tool_call>)")

_ATTRIBUTE = re.compile(rf"""({_NAME})\s*+=\s*+(["'])(.*?)\2""", re.DOTALL)
_ELEMENT = re.compile(
    rf"""[^<]*+<({_NAME})((?:\s++{_NAME}\s*+=\s*+(?:"[^"<>]*+"|'[^'<>]*+'))*+)\s*+/>"""
)
_SECTION_END = re.compile("[^<]*+</(?:tool|function)_calls>")

_KIMI_CALL = re.compile(
    rf"\s*+{_KIMI_BEGIN}([^<]*+)<\|tool_call_argument_begin\|>"
    r"([^<]*+(?:<(?!\|tool_call)[^<]*+)*+)(?:<\|tool_call_end\|>|(?=<\|tool_calls?_section_end\|>))"
)
_KIMI_INDEX = re.compile(r":\d+\Z")
_KIMI_END = re.compile(r"\s*+<\|tool_calls?_section_end\|>")

_DSML_ATTRIBUTE = re.compile(r'(\w++)\s*+=\s*+"([^"]*+)"')
_DSML_READINGS = {"true": Reading.TEXT, "false": Reading.JSON, None: Reading.GUESSED}


@cache
def _tags(mark: str, unclosed: str) -> _Tags:
    """Build the tags; `unclosed` is what may follow the last invoke of a wrapper that does not close."""
    return _Tags(
        re.compile(rf'\s*+<{mark}invoke\s++name\s*+=\s*+"([^"]*+)"\s*+>'),
        re.compile(rf"\s*+<[ ]*+/{mark}invoke\s*+>"),
        re.compile(rf'\s*+<{mark}parameter((?:\s++\w++\s*+=\s*+"[^"]*+")*+)\s*+>'),
        re.compile(rf"<[ ]*+/{mark}parameter\s*+>"),
        re.compile(rf"\s*+<[ ]*+/{mark}{_WRAPPER}\s*+>|{unclosed}"),
        re.compile(rf"<{mark}(?:invoke|parameter)\b"),
    )


#: The group of a leak's beginning, and what reads it. Without its mark, an invoke that follows a block would
#: be text: a wrapper that is stripped of it closes, or ends the text.
_READERS: Mapping[str, tuple[Family, Reader]] = {
    "hermes": (Family.HERMES, _hermes),
    "coder": (Family.CODER, _coder),
    "function": (Family.CODER, _coder),
    "omp": (Family.OMP, _omp),
    "kimi": (Family.KIMI, _kimi),
    "dsml": (Family.DSML, partial(_dsml, _MARK, "")),
    "stripped": (Family.DSML, partial(_dsml, "", r"\s*+\Z")),
    "no_hermes": (Family.HERMES, _orphan),
    "no_coder": (Family.CODER, _orphan),
    "no_kimi": (Family.KIMI, _orphan),
    "no_dsml": (Family.DSML, _orphan),
}
