"""The reference model of a reply's meaning (S6.10, H4.1, H4.7, H4.8): its calls, its answer, the notes of retries.

What leaks in its text is read by `leak_scan`; what quotes code, what the white space of a value is, which type a
value gets and which tool a name means by `leak_text`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from eukhe_spec.contracts import ensure
from eukhe_spec.leak_scan import (
    Block,
    Broken,
    Call,
    Code,
    Family,
    Found,
    Made,
    Mention,
    Nothing,
    Quote,
    Rebuilt,
    Segment,
    Space,
    Text,
    Unread,
    Why,
    scan,
    several,
)
from eukhe_spec.leak_text import inner, name, read, value

__all__ = [
    "Again",
    "Answer",
    "Block",
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
