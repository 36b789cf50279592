"""The reference model of the text rules of leaked tool calls (S6.10): quoted code, layout, types and names."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

__all__ = [
    "Char",
    "Kind",
    "Mark",
    "Mode",
    "Name",
    "Piece",
    "Raw",
    "Value",
    "inner",
    "name",
    "read",
    "value",
]


class Piece(IntEnum):
    """A piece of text: backticks, tildes, line ends, white space, a word, a call in markup."""

    TICK = 0
    TICKS = 1
    TILDE = 2
    TILDES = 3
    NEWLINE = 4
    SPACE = 5
    MARGIN = 6
    WORD = 7
    CALL = 8


class Mark(IntEnum):
    """What a piece is made of."""

    TICK = 0
    TILDE = 1
    NEWLINE = 2
    SPACE = 3
    WORD = 4
    CALL = 5


Line = tuple[Mark, ...]


def _marks(piece: Piece) -> Line:
    match piece:
        case Piece.TICK:
            return (Mark.TICK,)
        case Piece.TICKS:
            return (Mark.TICK, Mark.TICK, Mark.TICK)
        case Piece.TILDE:
            return (Mark.TILDE,)
        case Piece.TILDES:
            return (Mark.TILDE, Mark.TILDE, Mark.TILDE)
        case Piece.NEWLINE:
            return (Mark.NEWLINE,)
        case Piece.SPACE:
            return (Mark.SPACE,)
        case Piece.MARGIN:
            return (Mark.SPACE, Mark.SPACE, Mark.SPACE)
        case Piece.WORD:
            return (Mark.WORD,)
        case Piece.CALL:
            return (Mark.CALL,)


def _lines(marks: Line) -> tuple[Line, ...]:
    lines: tuple[Line, ...] = ((),)
    for mark in marks:
        lines = (*lines, ()) if mark == Mark.NEWLINE else (*lines[:-1], (*lines[-1], mark))
    return lines


def _run(line: Line, place: int) -> int:
    """Return how many marks in a row, from `place`, are equal."""
    size = 0
    for mark in line[place:]:
        if mark != line[place]:
            return size
        size = size + 1
    return size


@dataclass(frozen=True)
class _Fence:
    """A fence: its character, how many of them, and what follows on its line."""

    mark: Mark
    size: int
    info: Line


def _fence(line: Line) -> _Fence | None:
    """Three or more backticks or tildes, with up to three spaces of indent, are a fence."""
    indent = _run(line, 0) if line[:1] == (Mark.SPACE,) else 0
    rest = line[indent:]
    if indent > 3 or rest == () or rest[0] not in (Mark.TICK, Mark.TILDE) or _run(rest, 0) < 3:
        return None
    return _Fence(rest[0], _run(rest, 0), rest[_run(rest, 0) :])


def _opens(line: Line) -> _Fence | None:
    """What follows an opening fence of backticks holds none: else it is inline code."""
    fence = _fence(line)
    if fence is None or (fence.mark == Mark.TICK and Mark.TICK in fence.info):
        return None
    return fence


def _closes(line: Line, open_: _Fence) -> bool:
    """A fence closes at a line with at least as many of the same character, and nothing else."""
    fence = _fence(line)
    if fence is None:
        return False
    blank = all(mark == Mark.SPACE for mark in fence.info)
    return all((fence.mark == open_.mark, fence.size >= open_.size, blank))


def _inline(paragraph: Line) -> tuple[bool, ...]:
    """Say of each call of a paragraph whether it is read: no run of N backticks up to the next holds it."""
    read: tuple[bool, ...] = ()
    closer = 0
    for place, mark in enumerate(paragraph):
        if mark == Mark.CALL:
            read = (*read, place >= closer)
        begins = mark == Mark.TICK and paragraph[place - 1 : place] != (Mark.TICK,)
        if begins and place >= closer:
            closer = _partner(paragraph, place)
    return read


def _partner(paragraph: Line, place: int) -> int:
    """Return where the next run of exactly as many backticks begins; 0 when there is none."""
    size = _run(paragraph, place)
    for at in range(place + size, len(paragraph)):
        begins = paragraph[at] == Mark.TICK and paragraph[at - 1] != Mark.TICK
        if begins and _run(paragraph, at) == size:
            return at + size
    return 0


def read(pieces: tuple[Piece, ...]) -> tuple[bool, ...]:
    """Say of each call of a text whether it stands outside of quoted code (S6.10)."""
    marks = tuple([mark for piece in pieces for mark in _marks(piece)])
    found: tuple[bool, ...] = ()
    paragraph: Line = ()
    fence: _Fence | None = None
    for line in _lines(marks):
        opens = _opens(line)
        calls = tuple([False for mark in line if mark == Mark.CALL])
        if fence is not None:
            found = (*found, *calls)
            fence = None if _closes(line, fence) else fence
        elif opens is not None:
            found, paragraph = (*found, *_inline(paragraph), *calls), ()
            fence = opens
        elif all(mark == Mark.SPACE for mark in line):
            found, paragraph = (*found, *_inline(paragraph)), ()
        else:
            paragraph = (*paragraph, Mark.NEWLINE, *line)
    return (*found, *_inline(paragraph))


class Char(IntEnum):
    """A character of a value: a line end, a carriage return, a blank, a letter."""

    NEWLINE = 0
    RETURN = 1
    SPACE = 2
    LETTER = 3


def inner(raw: tuple[Char, ...]) -> tuple[Char, ...]:
    """Take the layout off a value of Qwen3-Coder: one line end at its head, one at its tail with the tag's indent.

    Args:
        raw: What stands between the tags.
    """
    end = (Char.RETURN, Char.NEWLINE)
    for ending in (end, end[1:]):
        if raw[: len(ending)] == ending:
            return _tail(raw[len(ending) :])
    return _tail(raw)


def _tail(raw: tuple[Char, ...]) -> tuple[Char, ...]:
    end = (Char.RETURN, Char.NEWLINE)
    indents = [size for size in range(len(raw) + 1) if set(raw[len(raw) - size :]) <= {Char.SPACE}]
    body = raw[: len(raw) - max(indents)]
    for ending in (end, end[1:]):
        if body[-len(ending) :] == ending:
            return body[: len(body) - len(ending)]
    return raw


class Raw(IntEnum):
    """The raw text of a parameter."""

    WORD = 0
    WHOLE = 1
    WHOLE_FLOAT = 2
    FRACTION = 3
    TRUE = 4
    PYTHON_TRUE = 5
    FALSE = 6
    NULL = 7
    LOUD_NULL = 8
    ARRAY = 9
    OBJECT = 10
    STRING = 11
    NAN = 12
    TOO_LARGE = 13
    PYTHON_FALSE = 14


class Kind(IntEnum):
    """A declared type."""

    STRING = 0
    INTEGER = 1
    NUMBER = 2
    BOOLEAN = 3
    NULL = 4
    ARRAY = 5
    OBJECT = 6


class Mode(IntEnum):
    """How a family writes the values of parameters."""

    OMP = 0
    DSML_TEXT = 1
    DSML_JSON = 2
    DSML_BARE = 3
    CODER = 4


class Value(IntEnum):
    """What a parameter's value becomes: its text as it stands, or what the text says in JSON."""

    TEXT = 0
    DECODED = 1


_JSON = (
    Raw.WHOLE,
    Raw.WHOLE_FLOAT,
    Raw.FRACTION,
    Raw.TRUE,
    Raw.FALSE,
    Raw.NULL,
    Raw.ARRAY,
    Raw.OBJECT,
    Raw.STRING,
)


def _is(raw: Raw, kind: Kind) -> bool:
    """Whether a text is a value of a declared type that is not text."""
    match kind:
        case Kind.INTEGER:
            return raw in (Raw.WHOLE, Raw.WHOLE_FLOAT)
        case Kind.NUMBER:
            return raw in (Raw.WHOLE, Raw.WHOLE_FLOAT, Raw.FRACTION)
        case Kind.BOOLEAN:
            return raw in (Raw.TRUE, Raw.PYTHON_TRUE, Raw.FALSE, Raw.PYTHON_FALSE)
        case Kind.NULL:
            return raw in (Raw.NULL, Raw.LOUD_NULL)
        case Kind.ARRAY:
            return raw == Raw.ARRAY
        case Kind.OBJECT:
            return raw == Raw.OBJECT
    return False


def value(mode: Mode, kinds: tuple[Kind, ...], raw: Raw) -> Value:
    """Say what the raw text of a parameter becomes (S6.10).

    Args:
        mode: How it is written.
        kinds: The types that the tool's schema declares for it; none for an unknown parameter.
        raw: Its text.
    """
    null_is_null = Kind.STRING not in kinds and raw in (Raw.NULL, Raw.LOUD_NULL)
    match mode:
        case Mode.OMP | Mode.DSML_TEXT:
            decoded = False
        case Mode.DSML_JSON:
            decoded = raw in _JSON
        case Mode.DSML_BARE if kinds == ():
            decoded = raw in _JSON
        case Mode.CODER if kinds == ():
            decoded = False
        case _:
            decoded = null_is_null or any(_is(raw, kind) for kind in kinds)
    return Value.DECODED if decoded else Value.TEXT


Name = tuple[int, ...]


def name(written: Name, offered: tuple[Name, ...], dotted: bool) -> Name:
    """Return the offered tool that a written name means, the longest when several do; `()` for none (S6.10).

    Args:
        written: The parts of the name, with dots between; part 0 is `functions`.
        offered: The names of the offered tools.
        dotted: Whether every prefix may stand before the name (Kimi), or `functions` alone.
    """
    for start in range(len(written)):
        prefix = written[:start]
        if written[start:] in offered and (dotted or prefix in ((), (0,))):
            return written[start:]
    return ()
