"""Changing one key in the text of a JSON document, so that everything else stays as a person wrote it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final, NamedTuple

from eukhe.core.config import Drop

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eukhe.core.config import Change, Document

__all__ = ["changed", "key_lines"]

_SPACE: Final = re.compile(r"[ \t\r\n]*")
_DECODER: Final = json.JSONDecoder()
_UNIT: Final = "  "


def changed(text: str, contents: Document, change: Change) -> str:
    """Return the text of a document after a change.

    Args:
        text: The text before; empty for a new document.
        contents: What the document holds after the change: the text that comes back says exactly that.
        change: The change.
    """
    try:
        edited = _edit(text, change)
        if json.dumps(json.loads(edited)) == json.dumps(contents):  # tells 1 from 1.0 and true
            return edited
    except (ValueError, RecursionError):
        pass
    # A new document, or one that the change touches in more than one place.
    return json.dumps(contents, ensure_ascii=False, indent=_UNIT) + "\n"


def key_lines(text: str) -> dict[str, int]:
    """Return the line of each key, from 1, by the id that the key has (its dotted path)."""
    found: dict[str, int] = {}
    try:
        start = _skip(text, 0)
        waiting = [("", start)] if text.startswith("{", start) else []
        while waiting:
            prefix, at = waiting.pop()
            for member in _members(text, at):
                word = json.dumps(member.key) if "." in member.key else member.key
                name = f"{prefix}{word}"
                found[name] = text.count("\n", 0, member.start) + 1
                if text.startswith("{", member.value):
                    waiting.append((f"{name}.", member.value))
    except (ValueError, RecursionError):
        pass
    return found


class _Member(NamedTuple):
    """A key and its value in an object, by their places in the text.

    Attributes:
        key: The key.
        start: Where the key begins.
        value: Where the value begins.
        end: Where it ends.
    """

    key: str
    start: int
    value: int
    end: int


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


def _members(text: str, at: int) -> Iterator[_Member]:
    """The members of the object that begins at a place."""
    at = _skip(text, at + 1)
    while text.startswith('"', at):
        key, colon = _DECODER.raw_decode(text, at)
        value = _skip(text, _skip(text, colon) + 1)
        _, end = _DECODER.raw_decode(text, value)
        yield _Member(key, at, value, end)
        at = _skip(text, end)
        if not text.startswith(",", at):
            return
        at = _skip(text, at + 1)


def _edit(text: str, change: Change) -> str:
    at = _skip(text, 0)
    path = (*change.within, change.key)
    for depth, key in enumerate(path):
        if not text.startswith("{", at):
            raise ValueError("there is no object on the way")
        members = list(_members(text, at))
        found = next((one for one in members if one.key == key), None)
        if found is None or depth == len(path) - 1:
            break
        at = found.value
    if isinstance(change, Drop):
        if found is None:
            raise ValueError("what the change removes is not there")
        return _without(text, at, members, found)
    if found is not None:
        shown = _shown(change.value, text, found.start)
        return text[: found.value] + shown + text[found.end :]
    value = change.value
    for key in reversed(path[depth + 1 :]):
        value = {key: value}
    return _with(text, at, members, path[depth], value)


def _with(text: str, at: int, members: list[_Member], key: str, value: object) -> str:
    """Put a new key at the end of the object that begins at a place."""
    if members:
        last = members[-1]
        before = members[-2].end if len(members) > 1 else at
        gap = text[before + 1 : last.start] if len(members) == 1 else text[before : last.start]
        gap = gap.replace(",", "", 1) if len(members) > 1 else gap
        new = f",{gap}{json.dumps(key, ensure_ascii=False)}: {_shown(value, text, last.start)}"
        return text[: last.end] + new + text[last.end :]
    close = _skip(text, at + 1)
    line = text[text.rfind("\n", 0, at) + 1 : at]
    outer = line[: len(line) - len(line.lstrip(" \t"))]
    unit = _unit(text)
    shown = _dump(value, outer + unit, unit)
    new = f"\n{outer}{unit}{json.dumps(key, ensure_ascii=False)}: {shown}\n{outer}"
    return text[: at + 1] + new + text[close:]


def _without(text: str, at: int, members: list[_Member], gone: _Member) -> str:
    number = members.index(gone)
    if number > 0:
        return text[: members[number - 1].end] + text[gone.end :]
    if len(members) > 1:
        return text[: gone.start] + text[members[1].start :]
    return text[: at + 1] + text[_skip(text, gone.end) :]


def _shown(value: object, text: str, start: int) -> str:
    """A value as text behind the key that begins at a place."""
    line = text[text.rfind("\n", 0, start) + 1 : start]
    if line.strip(" \t") or "\n" not in text:
        return json.dumps(value, ensure_ascii=False)  # the document is not one key a line
    return _dump(value, line, _unit(text))


def _dump(value: object, margin: str, unit: str) -> str:
    return json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", f"\n{margin}")


def _unit(text: str) -> str:
    """The indentation of the first level of a document."""
    found = re.search(r"\n([ \t]+)\"", text)
    return found[1] if found else _UNIT
