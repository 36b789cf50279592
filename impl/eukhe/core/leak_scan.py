"""Leaked tool calls (S6.10): finds the markup of calls in a reply's text and rebuilds the calls, all or none.

The scan goes from one character that can begin a leak or quoted code to the next. Quoted code is skipped, a block
of markup is read by its family, and the first one that does not parse ends the scan. So the time is linear.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from eukhe.core.leak_families import Family, Raw, leak_at
from eukhe.core.leak_values import (
    Offered,
    Parse,
    json_text,
    offered_name,
    read_value,
    strict_object,
)

__all__ = ["Call", "Rebuilt", "Unread", "Why", "scan"]


@dataclass(frozen=True, slots=True)
class Call:
    """A rebuilt call.

    Attributes:
        name: The name of an offered tool.
        arguments: The text of its arguments, for the final parse of arguments.
    """

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """Every leaked call parses and names an offered tool.

    Attributes:
        calls: The calls, in the order of the text.
        texts: The texts without the markup; one that held nothing else is empty.
    """

    calls: tuple[Call, ...]
    texts: tuple[str, ...]


class Why(StrEnum):
    """Why a leak is not rebuilt."""

    UNPARSED = "does not parse"
    NOT_OFFERED = "names a tool that was not offered"


@dataclass(frozen=True, slots=True)
class Unread:
    """A leak that cannot be rebuilt; the first one of the reply.

    Attributes:
        family: Its family.
        why: Why not.
        text: Which text it is in, from 0.
        at: Where it begins in that text, in characters; in a block of several calls, where its call begins.
        name: The tool that it names, where that is why.
    """

    family: Family
    why: Why
    text: int
    at: int
    name: str = ""


def scan(
    texts: Sequence[str], offered: Offered, parse: Parse = strict_object
) -> Rebuilt | Unread | None:
    """Look for leaked tool calls outside quoted code (S6.10).

    Args:
        texts: The texts of the reply, each scanned for itself.
        offered: The tools that the request offered.
        parse: Reads the text of a JSON object; what is no `Mapping` says that the text is none.

    Returns:
        The rebuilt calls, the first leak that cannot be rebuilt, or `None` when nothing leaked.
    """
    calls: list[Call] = []
    left: list[str] = []
    for number, text in enumerate(texts):
        spans: list[tuple[int, int]] = []
        at = 0
        code = _Code(text)
        while sign := _SIGN.search(text, at):
            at = sign.start()
            if sign[0] != "<":
                at = code.after(at, sign.end())
                continue
            leak = leak_at(text, at)
            if leak is None:
                at = sign.end()
                continue
            block = leak.read(text, leak.begin, parse)
            if block is None:
                return Unread(leak.family, Why.UNPARSED, number, at)
            for raw in block.calls:
                name = offered_name(raw.name, offered, dotted=raw.dotted)
                arguments = _arguments(raw, offered[name]) if name else None
                if arguments is None:
                    why = Why.UNPARSED if name else Why.NOT_OFFERED
                    return Unread(leak.family, why, number, max(at, raw.at), raw.name)
                calls.append(Call(name, arguments))
            spans.append((at, block.end))
            at = block.end
        left.append(_without(text, spans) if spans else text)
    return Rebuilt(tuple(calls), tuple(left)) if calls else None


def _arguments(raw: Raw, schema: Mapping[str, object]) -> str | None:
    """Return the text of a call's arguments, with parameters typed by the tool's schema."""
    if isinstance(raw.arguments, str):
        return raw.arguments
    rules = schema.get("properties")
    known = rules if isinstance(rules, Mapping) else {}
    return json_text(
        {one.key: read_value(one.raw, one.reading, known.get(one.key)) for one in raw.arguments}
    )


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    """Take blocks out, with the white space before the first and between two that follow each other."""
    parts = [text[: spans[0][0]].rstrip()]
    for (_, end), (start, _) in pairwise(spans):
        between = text[end:start]
        parts.append(between if between.strip() else "")
    parts.append(text[spans[-1][1] :])
    rest = "".join(parts)
    return rest if rest.strip() else ""


class _Code:
    """The quoted code of a text: fenced blocks and inline code.

    In a paragraph a run of backticks quotes up to the next run of the same length. The last run of each length is
    noted once a paragraph, so that a run without a partner costs nothing. In a text with a list, fences can stand
    behind the mark of an item, or as deep as its text.
    """

    __slots__ = ("_end", "_has_list", "_last", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._has_list: bool | None = None
        self._end = 0
        self._last: dict[int, int] = {}

    def after(self, at: int, end: int) -> int:
        """Return where the text goes on after the code that a run of backticks or tildes opens.

        Args:
            at: Where the run begins.
            end: Where it ends; also the answer when it quotes nothing.
        """
        margin = self._margin(at)
        if margin is not None and _FENCE.match(self._text, at):
            return self._after_fence(at, end, margin)
        return end if self._text[at] == "~" else self._after_run(at, end)

    def _margin(self, at: int) -> int | None:
        """How far in a fence at `at` would stand, in columns; None where none can stand."""
        _, line_end, line = self._text[max(0, at - _DEEPEST) : at].rpartition("\n")
        if not line_end and at > _DEEPEST:
            return None
        if len(line) < 4 and not line.strip(" "):
            return len(line)
        return len(line.expandtabs(4)) if self._in_list() and _ITEM.fullmatch(line) else None

    def _in_list(self) -> bool:
        if self._has_list is None:
            self._has_list = _LIST.search(self._text) is not None
        return self._has_list

    def _after_fence(self, at: int, end: int, margin: int) -> int:
        for close in _FENCE_END.finditer(self._text, end):
            run, deep = close[2], len(close[1].expandtabs(4))
            if run.startswith(self._text[at]) and len(run) >= end - at and deep <= max(3, margin):
                return close.end()
        return len(self._text)

    def _after_run(self, at: int, end: int) -> int:
        if at >= self._end:
            ends = _PARAGRAPH_END_IN_LIST if self._in_list() else _PARAGRAPH_END
            found = ends.search(self._text, at)
            self._end = found.start() if found else len(self._text)
            runs = _RUN.finditer(self._text, at, self._end)
            self._last = {len(run[0]): run.start() for run in runs}
        if self._last.get(end - at, at) > at:
            for run in _RUN.finditer(self._text, end, self._end):
                if len(run[0]) == end - at:
                    return run.end()
        return end


#: A character that can begin a leak, or a run that can quote code.
_SIGN = re.compile(r"<(?=[ |\uff5c/tf])|`++|~{3,}+")
_RUN = re.compile("`++")
_FENCE_LINE = r"(?:`{3,}+[^`\n]*+$|~{3,})"
_FENCE = re.compile(_FENCE_LINE, re.MULTILINE)
_FENCE_END = re.compile(r"^([ \t]*+)(`{3,}+|~{3,}+)[ \t\r]*+$", re.MULTILINE)
_PARAGRAPH_END = re.compile(rf"\n(?=[ \t\r]*+$| {{0,3}}{_FENCE_LINE})", re.MULTILINE)

#: The mark of an item, and what may stand before a fence in a list.
_MARK = r"(?:[-*+]|[0-9]{1,9}[.)])(?=[ \t])"
_LIST = re.compile(rf"^[ \t]*+{_MARK}", re.MULTILINE)
_MARKS = rf"(?:[ \t]*+{_MARK})*+[ \t]*+"
_ITEM = re.compile(_MARKS)
_PARAGRAPH_END_IN_LIST = re.compile(rf"\n(?=[ \t\r]*+$|{_MARKS}{_FENCE_LINE})", re.MULTILINE)
#: Characters of a line before a fence that are looked at, so that a long line costs no more than a short one.
_DEEPEST = 40
