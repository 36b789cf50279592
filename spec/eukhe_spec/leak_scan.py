"""The reference model of leaked tool calls in a reply's text (S6.10): segments in, calls and segments out.

A text is a row of segments: words, white space, quoted code, a mention of an opener with nothing call-like behind
it, a call in the markup of a family, and markup that does not parse. How a family spells a call is no matter here;
the bridge writes segments in every accepted spelling.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

__all__ = [
    "Block",
    "Broken",
    "Call",
    "Code",
    "Family",
    "Found",
    "Made",
    "Mention",
    "Nothing",
    "Quote",
    "Rebuilt",
    "Segment",
    "Space",
    "Text",
    "Unread",
    "Why",
    "scan",
    "several",
]


class Family(IntEnum):
    """The five families of markup."""

    HERMES = 0
    CODER = 1
    OMP = 2
    KIMI = 3
    DSML = 4


class Quote(IntEnum):
    """How code is quoted; a fence that never closes quotes the rest of its text."""

    FENCE = 0
    TILDES = 1
    INLINE = 2
    DOUBLE = 3
    NESTED = 4
    UNCLOSED = 5


@dataclass(frozen=True)
class Text:
    """A word of prose."""

    word: int


@dataclass(frozen=True)
class Space:
    """White space."""


@dataclass(frozen=True)
class Code:
    """Quoted code that holds a call."""

    quote: Quote


@dataclass(frozen=True)
class Mention:
    """The opener of a family in prose, with nothing call-like behind it."""

    family: Family


@dataclass(frozen=True)
class Call:
    """A call in markup that parses.

    Attributes:
        family: Whose markup it is.
        tool: The tool that it names.
        arg: Its arguments.
        form: Which of the family's accepted spellings it has.
    """

    family: Family
    tool: int
    arg: int
    form: int


@dataclass(frozen=True)
class Broken:
    """Markup of a call that does not parse, or a closer without its opener.

    Attributes:
        family: Whose markup it is.
        form: What is wrong with it.
    """

    family: Family
    form: int


Segment = Text | Space | Code | Mention | Call | Broken
Block = tuple[Segment, ...]


class Why(IntEnum):
    """Why a leak is not rebuilt."""

    UNPARSED = 0
    NOT_OFFERED = 1


@dataclass(frozen=True)
class Made:
    """A call to run: the tool and its arguments."""

    tool: int
    arg: int


@dataclass(frozen=True)
class Nothing:
    """Nothing leaked."""


@dataclass(frozen=True)
class Unread:
    """The first leak that cannot be rebuilt: its family, why, in which text, and which segment of that."""

    family: Family
    why: Why
    block: int
    place: int


@dataclass(frozen=True)
class Rebuilt:
    """The calls in the order of the text, and the texts without their markup."""

    calls: tuple[Made, ...]
    blocks: tuple[Block, ...]


Found = Nothing | Unread | Rebuilt


def _outside(block: Block) -> int:
    """Return how many segments stand before a fence that never closes."""
    for place, one in enumerate(block):
        if one == Code(Quote.UNCLOSED):
            return place
    return len(block)


def _leaks(block: Block) -> Block:
    """Markup in quoted code is not read (S6.10)."""
    return tuple([one for one in block[: _outside(block)] if isinstance(one, (Call, Broken))])


def _refusal(leak: Segment, offered: int, block: int, place: int) -> Unread | None:
    if isinstance(leak, Broken):
        return Unread(leak.family, Why.UNPARSED, block, place)
    if isinstance(leak, Call) and leak.tool >= offered:
        return Unread(leak.family, Why.NOT_OFFERED, block, place)
    return None


def _leaves(block: Block, place: int) -> bool:
    """The markup leaves the text, with the white space before the first call and between two calls."""
    outside = block[: _outside(block)]
    if place >= len(outside):
        return False
    before = [one for one in outside[:place] if one != Space()]
    after = [one for one in outside[place:] if one != Space()]
    first = all(not isinstance(one, Call) for one in before)
    follows = first or isinstance(before[-1], Call)
    return isinstance(block[place], Call) or (follows and isinstance((*after, None)[0], Call))


def _rest(block: Block) -> Block:
    """Return what stays; text that is only white space then is no text."""
    if _leaks(block) == ():
        return block
    rest = tuple([block[place] for place in range(len(block)) if not _leaves(block, place)])
    return rest if any(one != Space() for one in rest) else ()


def scan(blocks: tuple[Block, ...], offered: int) -> Found:
    """Read the leaked calls of a reply's texts: all are rebuilt, or none (S6.10).

    Args:
        blocks: The texts, each read for itself.
        offered: How many tools are offered; they are numbered from 0.
    """
    for number, block in enumerate(blocks):
        for place, one in enumerate(block[: _outside(block)]):
            refusal = _refusal(one, offered, number, place)
            if refusal is not None:
                return refusal
    leaks = [leak for block in blocks for leak in _leaks(block)]
    if leaks == []:
        return Nothing()
    calls = tuple([Made(leak.tool, leak.arg) for leak in leaks if isinstance(leak, Call)])
    return Rebuilt(calls, tuple([_rest(block) for block in blocks]))


def several(family: Family, calls: tuple[Made, ...], offered: int) -> Found:
    """Read a block that holds several calls: they are read as if each had a block of its own (S6.10)."""
    return scan((tuple([Call(family, one.tool, one.arg, 0) for one in calls]),), offered)
