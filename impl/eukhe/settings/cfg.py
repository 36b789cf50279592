"""Changing one set in the text of a cfg file; comments, other commands and their order stay."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from eukhe.core.cvar import ParseError, Run, Set, Toggle, cfg_text, parse_script, quote, show, split

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eukhe.core.cvar import Command, Line

__all__ = ["with_set"]

_QUOTED: Final = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


def with_set(
    text: str,
    id: str,  # noqa: A002 -- the requirement's word
    value: object,
    lines_read: Iterable[Line] | None = None,
) -> str:
    """Return the text of a cfg file that sets a cvar.

    The line that sets it last gets the new value; where there is none, or a line below it could change the cvar, a
    line is added at the end, where the last valid set wins.

    Args:
        text: The text before.
        id: The cvar.
        value: Its new value.
        lines_read: The lines of the text, where they were read already.
    """
    lines = text.split("\n")
    place = None
    for line in parse_script(text).lines if lines_read is None else lines_read:
        if [type(one) for one in line.commands] == [Set] and _sets(line.commands, id):
            place = line.number - 1
        elif any(_may_change(one, id) for one in line.commands):
            place = None
    if place is None:
        gap = "" if not text or text.endswith("\n") else "\n"
        return text + gap + cfg_text(((id, value),))
    lines[place] = _with_word(lines[place], quote(show(value)))
    return "\n".join(lines)


def _sets(commands: tuple[Command, ...], id: str) -> bool:  # noqa: A002 -- the requirement's word
    return any(isinstance(one, Set) and one.id == id for one in commands)


def _may_change(command: Command, id: str) -> bool:  # noqa: A002 -- the requirement's word
    match command:
        case Set(name, _) | Toggle(name):
            return name == id
        case Run():  # an alias can be defined in another file: what it does is not known here
            return True
    return False


def _with_word(line: str, word: str) -> str:
    """Put another third word into a line that is one `set`."""
    words = split(line, cfg=True)
    if isinstance(words, ParseError):
        raise TypeError("only a line that can be read is changed")
    column, old = words[0][2]
    start = column - 1
    quoted = _QUOTED.match(line, start)
    end = start + len(old) if quoted is None else quoted.end()
    return line[:start] + word + line[end:]
