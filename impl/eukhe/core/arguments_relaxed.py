"""The relaxed dialect of tool-call arguments (S6 argument repair, 1): an object, read whole or not at all.

The reader keeps a stack of its own and never goes back, so its time is linear in the text and its depth is no
matter of Python's recursion limit. A text that was cut is a fault: nothing is ever completed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from eukhe.core.arguments_text import LITERALS, MAX_DEPTH, read_number, read_string, word_fault

__all__ = ["Fault", "read_relaxed"]


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a text is no object of the dialect.

    Attributes:
        reason: what is wrong, in words.
        position: where, in characters from 0.
    """

    reason: str
    position: int

    def __str__(self) -> str:
        return f"{self.reason} at character {self.position + 1}"


def read_relaxed(text: str) -> dict[str, object] | Fault:
    """Read the whole text as one object of the dialect.

    Returns:
        The object, or the first fault.
    """
    try:
        return _Reader(text).read()
    except _FaultError as stop:
        return stop.fault


class _FaultError(Exception):
    """Ends the reader."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


def _stop(reason: str, position: int) -> NoReturn:
    raise _FaultError(Fault(reason, position))


_SPACE = re.compile(r"[ \t\n\r]*+")
_DOUBLE = re.compile(r'"((?:[^"\\]++|\\.)*+)"', re.DOTALL)
_PLAIN = re.compile(r'"([^"\\]*+)"')
# A single quote inside the string is one that nothing follows which could end a value or a key.
_IN_SINGLE = re.compile(
    r"(?:[^'\\]++|\\.|'(?![ \t\n\r]*+(?:[,}\]:]|/[*/]|\Z)))*+",
    re.DOTALL,
)
_KEY = re.compile(r"[^:,}\s]++")
_LITERAL = re.compile(r"(?:true|false|null|True|False|None)(?![\w$])")
_NUMBER = re.compile(r"[0-9+\-.][^\s,}\]:/\"'{\[]*+")
_WORD = re.compile(r"[^,}\]\n\r]*+")
_BLOCK_END = re.compile(r"\*/")
_LINE_END = re.compile(r"[\n\r]|\Z")


class _Next:
    """Where a mark comes next. Asked again before that place, it does not look again."""

    __slots__ = ("_asked", "_found", "_mark", "_text")

    def __init__(self, text: str, mark: re.Pattern[str]) -> None:
        self._text = text
        self._mark = mark
        self._asked = 0
        self._found: tuple[int, int] | None = (-1, -1)

    def end_after(self, at: int) -> int | None:
        """The end of the first mark from `at` on; None when there is none."""
        if self._found is not None and self._asked <= at <= self._found[0]:
            return self._found[1]
        if self._found is None and self._asked <= at:
            return None
        match = self._mark.search(self._text, at)
        self._asked, self._found = at, None if match is None else match.span()
        return None if match is None else match.end()


class _Reader:
    """One text on its way to an object."""

    __slots__ = ("_block_end", "_gap_ends", "_line_end", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._gap_ends: dict[int | None, int | None] = {}
        self._block_end = _Next(text, _BLOCK_END)
        self._line_end = _Next(text, _LINE_END)

    def read(self) -> dict[str, object]:
        """The object that the text is.

        Raises:
            _FaultError: it is none.
        """
        text = self._text
        at = self._gap(0)
        if not text.startswith("{", at):
            _stop("the arguments are no JSON object: there is no `{`", at)
        root: dict[str, object] = {}
        node: dict[str, object] | list[object] = root
        open_nodes: list[dict[str, object] | list[object]] = []
        separated = True
        at += 1
        while True:
            at = self._gap(at)
            char = text[at : at + 1]
            if char == ",":  # stray commas mean nothing
                separated = True
                at += 1
                continue
            if char == "}" or char == "]":
                if (char == "}") is not isinstance(node, dict):
                    _stop(f"`{char}` closes what it did not open", at)
                at += 1
                if not open_nodes:
                    break
                node = open_nodes.pop()
                separated = False
                continue
            if not char:
                _stop(f"the text ends inside {_kind(node)}", at)
            if not separated:
                _stop("a comma is missing", at)
            key = ""
            if isinstance(node, dict):
                key, at = self._key(at)
                at = self._gap(at)
                if not text.startswith(":", at):
                    _stop(f"the key {key[:40]!r} has no `:`", at)
                at = self._gap(at + 1)
                char = text[at : at + 1]
            value: object
            if char == "{" or char == "[":
                if len(open_nodes) + 1 >= MAX_DEPTH:
                    _stop(f"more than {MAX_DEPTH} objects and lists are nested", at)
                child: dict[str, object] | list[object] = {} if char == "{" else []
                value, at = child, at + 1
                open_nodes.append(node)
                separated = True
            else:
                child = node
                value, at = self._scalar(char, at)
                separated = False
            if isinstance(node, dict):
                node[key] = value
            else:
                node.append(value)
            node = child
        at = self._gap(at)
        if at < len(text):
            _stop("there is more text after the object", at)
        return root

    def _key(self, at: int) -> tuple[str, int]:
        text = self._text
        if text.startswith('"', at):
            key, end = self._double(at)
        elif text.startswith("'", at):
            key, end = self._single(at)
        else:
            end = _end(_KEY, text, at)
            key = text[at:end]
            if any(char in key for char in "\"'{[]"):
                _stop("an unquoted key holds a quote or a bracket", at)
        if not key:
            _stop("a key is missing or empty", at)
        return key, end

    def _scalar(self, char: str, at: int) -> tuple[object, int]:
        text = self._text
        if char == '"':
            return self._double(at)
        if char == "'":
            return self._single(at)
        if (number := _NUMBER.match(text, at)) is not None:
            value = read_number(number[0])
            if value is None:
                _stop(f"{number[0][:40]!r} is no finite number", at)
            return value, number.end()
        if (literal := _LITERAL.match(text, at)) is not None:
            return LITERALS[literal[0]], literal.end()
        return self._word(at)

    def _double(self, at: int) -> tuple[str, int]:
        plain = _PLAIN.match(self._text, at)
        if plain is not None:
            return plain[1], plain.end()
        match = _DOUBLE.match(self._text, at)
        if match is None:
            _stop("the text ends inside a string", at)
        return read_string(match[1]), match.end()

    def _single(self, at: int) -> tuple[str, int]:
        text = self._text
        end = at
        while True:
            end = _end(_IN_SINGLE, text, end + 1)
            if not text.startswith("'", end):
                _stop("the text ends inside a string", at)
            if self._closes(end + 1):
                return read_string(text[at + 1 : end]), end + 1

    def _closes(self, at: int) -> bool:
        """Whether a quote closes its string, by what follows it at `at`."""
        after = _end(_SPACE, self._text, at)
        if not self._text.startswith("/", after):
            return True
        end = self._comments(after)
        return end is not None and (end == len(self._text) or self._text[end] in ",}]:")

    def _word(self, at: int) -> tuple[str, int]:
        end = _end(_WORD, self._text, at)
        word = self._text[at:end].rstrip(" \t")
        if end == len(self._text):
            _stop("the text ends inside an unquoted value", at)
        if not word:
            _stop("a value is missing", at)
        fault = word_fault(word)
        if fault is not None:
            _stop(fault[0], at + fault[1])
        return word, end

    def _gap(self, at: int) -> int:
        """The end of white space and comments."""
        end = _end(_SPACE, self._text, at)
        if not self._text.startswith("/", end):
            return end
        after = self._comments(end)
        if after is None:
            _stop("the text ends inside a comment", end)
        return after

    def _comments(self, at: int) -> int | None:
        """The end of the comments and the white space at `at`; None when a comment does not end.

        Where comments lead is remembered: the quotes in a comment would else walk the same way again.
        """
        text, ends = self._text, self._gap_ends
        walked: list[int] = []
        place: int | None = at
        while place is not None:
            if text.startswith("/*", place):
                place = self._block_end.end_after(place + 2)
            elif text.startswith("//", place):
                place = self._line_end.end_after(place + 2)
            else:
                break
            if place in ends:
                place = ends[place]
                break
            if place is not None:
                walked.append(place)
                place = _end(_SPACE, text, place)
        for passed in walked:
            ends[passed] = place
        return place


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Where the match at `at` ends; `at` itself without one."""
    match = pattern.match(text, at)
    return at if match is None else match.end()


def _kind(node: dict[str, object] | list[object]) -> str:
    return "an object" if isinstance(node, dict) else "a list"
