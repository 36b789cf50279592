"""The reference model of a reply's meaning (S6.10, H4.1, H4.7, H4.8) and of leaked tool calls in its text.

A text is a row of segments: words, white space, quoted code, a mention of an opener with nothing call-like behind
it, a call in the markup of a family, and markup that does not parse. How a family spells a call is no matter here;
the bridge writes segments in every accepted spelling. What quotes code, what the white space of a value is, which
type a value gets and which tool a name means is modelled apart (`leak_text`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

from eukhe_spec.contracts import ensure
from eukhe_spec.leak_text import inner, name, read, value

__all__ = [
    "Again",
    "Answer",
    "Broken",
    "Call",
    "Code",
    "Course",
    "End",
    "Fail",
    "Family",
    "Found",
    "Looped",
    "Made",
    "Mention",
    "Note",
    "Notes",
    "Nothing",
    "Quote",
    "Rebuilt",
    "Reply",
    "Run",
    "Said",
    "Segment",
    "Space",
    "Step",
    "Stop",
    "Text",
    "Trouble",
    "Truncate",
    "Unread",
    "Why",
    "course",
    "decide",
    "inner",
    "name",
    "read",
    "said",
    "scan",
    "several",
    "value",
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
    found = scan((tuple([Call(family, one.tool, one.arg, 0) for one in calls]),), offered)
    return replace(found, place=0) if isinstance(found, Unread) else found


class Stop(IntEnum):
    """Why a reply ended."""

    STOP = 0
    TOOL_USE = 1
    LENGTH = 2


@dataclass(frozen=True)
class Reply:
    """A reply whose stream ended.

    Attributes:
        blocks: Its texts.
        thinking: Whether it thought; that makes it no answer.
        calls: Its tool calls.
        stop: Why it ended.
    """

    blocks: tuple[Block, ...]
    thinking: bool
    calls: tuple[Made, ...]
    stop: Stop


@dataclass(frozen=True)
class Looped:
    """A stream that the repetition guard cut: the period and the last line of its loop."""

    period: int
    last: int


End = Reply | Looped


@dataclass(frozen=True)
class Notes:
    """The notes that a generation has spent, and how many of the newest were leak notes."""

    spent: int
    leaks: int


class Trouble(IntEnum):
    """Why a reply is retried."""

    REPEATING = 0
    EMPTY = 1
    LENGTH = 2
    LEAK = 3


@dataclass(frozen=True)
class Note:
    """What the retry's request ends with: the trouble, the attempt, the loop's period and last line."""

    trouble: Trouble
    attempt: int
    period: int
    last: int


@dataclass(frozen=True)
class Run:
    """The calls run; the reply keeps these texts and gets this stop reason."""

    calls: tuple[Made, ...]
    blocks: tuple[Block, ...]
    stop: Stop


@dataclass(frozen=True)
class Truncate:
    """No call runs; each gets a `truncated` result."""

    calls: tuple[Made, ...]
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Answer:
    """The text is the answer; `cut` when it hit the output limit."""

    cut: bool


@dataclass(frozen=True)
class Again:
    """The request goes out again with the note."""

    note: Note
    notes: Notes


@dataclass(frozen=True)
class Fail:
    """The generation fails with this error."""

    trouble: Trouble
    period: int
    last: int


Step = Run | Truncate | Answer | Again | Fail

#: How much of a line a note shows, in characters.
_SHOWN = 200


@dataclass(frozen=True)
class Said:
    """What the text of a note says.

    Attributes:
        attempt: Which retry it is.
        period: The loop's period; 0 when it names none.
        shown: How much of the loop's last line it shows, in characters.
        trouble: What it says was wrong.
    """

    attempt: int
    period: int
    shown: int
    trouble: Trouble


def said(note: Note, length: int) -> Said:
    """Say what a note's text names: the attempt, and for a loop the period and the last line (H4.7).

    Args:
        note: The note.
        length: How long the last line is, in characters.
    """
    if note.trouble == Trouble.REPEATING:
        return Said(note.attempt, note.period, min(length, _SHOWN), note.trouble)
    return Said(note.attempt, 0, 0, note.trouble)


_MAX_NOTES = 8
_LEAK_NOTES = 2


def _noted(notes: Notes, trouble: Trouble, period: int, last: int) -> Again | Fail:
    """Retry with a note while one is left; else fail with that error (H4.7)."""
    if notes.spent >= _MAX_NOTES:
        return Fail(trouble, period, last)
    attempt = notes.spent + 1
    leaks = notes.leaks + 1 if trouble == Trouble.LEAK else 0
    return Again(Note(trouble, attempt, period, last), Notes(attempt, leaks))


def _leaked(reply: Reply, notes: Notes) -> Step:
    """A leak that is not rebuilt is retried at most twice in a row; then it answers as text (H4.8)."""
    if notes.leaks < _LEAK_NOTES and notes.spent < _MAX_NOTES:
        return _noted(notes, Trouble.LEAK, 0, 0)
    return Answer(reply.stop == Stop.LENGTH)


def _has_text(blocks: tuple[Block, ...]) -> bool:
    return any(one != Space() for block in blocks for one in block)


def _with_calls(calls: tuple[Made, ...], blocks: tuple[Block, ...], stop: Stop) -> Step:
    """Calls run whatever the stop reason; at the output limit none runs (H4.1)."""
    if stop == Stop.LENGTH:
        return Truncate(calls, blocks)
    return Run(calls, blocks, Stop.TOOL_USE)


def _without_calls(reply: Reply, notes: Notes, offered: int) -> Step:
    match scan(reply.blocks, offered):
        case Rebuilt(calls=calls, blocks=blocks):
            return _with_calls(calls, blocks, reply.stop)
        case Unread():
            return _leaked(reply, notes)
        case Nothing():
            pass
    if _has_text(reply.blocks):
        return Answer(reply.stop == Stop.LENGTH)
    return _noted(notes, Trouble.LENGTH if reply.stop == Stop.LENGTH else Trouble.EMPTY, 0, 0)


@ensure(
    lambda notes, result: not isinstance(result, Again) or result.notes.spent == notes.spent + 1,
    "each retry spends a note (H4.7)",
)
def decide(notes: Notes, end: End, offered: int) -> Step:
    """Decide what becomes of a reply, or of a stream that was cut (H4.1, H4.7, H4.8).

    Args:
        notes: What the generation has spent.
        end: How its newest request ended.
        offered: How many tools the request offered.
    """
    match end:
        case Looped(period=period, last=last):
            return _noted(notes, Trouble.REPEATING, period, last)
        case Reply(calls=()):
            return _without_calls(end, notes, offered)
        case Reply(calls=calls, blocks=blocks, stop=stop):
            return _with_calls(calls, blocks, stop)


@dataclass(frozen=True)
class Course:
    """A whole generation: its notes in order, and its end; `None` while the world has no more replies."""

    notes: tuple[Note, ...]
    end: Step | None


@ensure(lambda result: len(result.notes) <= _MAX_NOTES, "a generation has 8 notes (H4.7)")
def course(ends: tuple[End, ...], offered: int) -> Course:
    """Run a generation over what the world sends (H4.7)."""
    notes = Notes(0, 0)
    found: tuple[Note, ...] = ()
    for end in ends:
        step = decide(notes, end, offered)
        if not isinstance(step, Again):
            return Course(found, step)
        notes, found = step.notes, (*found, step.note)
    return Course(found, None)
