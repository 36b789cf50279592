"""What a reply means (S6.10, H4.1, H4.7, H4.8): its calls run, it is the answer, or it is retried with a note.

    step = decide(Reply(texts, calls, stop), notes, offered)

A generation begins with `Notes()`. `Again` carries the note that the next request ends with, and the notes to
decide its reply with; every other step ends the generation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from eukhe.core.guard import Repeat
from eukhe.core.leak_notes import MAX_NOTES, Note, Trouble, note_text
from eukhe.core.leak_scan import Call, Rebuilt, Unread, Why, scan
from eukhe.core.leak_values import Offered, Parse, strict_object

__all__ = [
    "LEAK_NOTES",
    "MAX_NOTES",
    "TOOL_USE",
    "Again",
    "Answer",
    "Call",
    "Fail",
    "Note",
    "Notes",
    "Offered",
    "Parse",
    "Rebuilt",
    "Reply",
    "Run",
    "Step",
    "Trouble",
    "Truncate",
    "Unread",
    "Why",
    "decide",
    "note_text",
    "scan",
    "strict_object",
]

#: How many leak notes a generation gets in a row (H4.8).
LEAK_NOTES = 2

#: The stop reason of a reply that hit the output limit, and of one whose calls run.
LENGTH, TOOL_USE = "length", "toolUse"

C = TypeVar("C")


@dataclass(frozen=True, slots=True)
class Reply(Generic[C]):
    """A reply whose stream ended.

    Attributes:
        texts: Its text blocks, without thinking.
        calls: Its calls, as the caller holds them.
        stop: Why it ended, as sessions store it (`stop`, `length`, `toolUse`).
    """

    texts: tuple[str, ...]
    calls: tuple[C, ...]
    stop: str


@dataclass(frozen=True, slots=True)
class Notes:
    """What a generation has spent.

    Attributes:
        spent: Its notes.
        leaks: How many of the newest were leak notes, in a row.
    """

    spent: int = 0
    leaks: int = 0


@dataclass(frozen=True, slots=True)
class Run(Generic[C]):
    """The calls run (H4.1).

    Attributes:
        calls: The reply's own, or the rebuilt ones.
        texts: The text blocks of the reply to keep; one that held markup only is empty.
        rebuilt: Whether the calls are rebuilt.
        stop: The stop reason that the reply gets.
    """

    calls: tuple[C | Call, ...]
    texts: tuple[str, ...]
    rebuilt: bool
    stop: str = TOOL_USE


@dataclass(frozen=True, slots=True)
class Truncate(Generic[C]):
    """The reply hit the output limit: none of its calls runs, each gets a `truncated` result (H4.1).

    Attributes:
        calls: The reply's own, or the rebuilt ones.
        texts: The text blocks of the reply to keep.
        rebuilt: Whether the calls are rebuilt.
    """

    calls: tuple[C | Call, ...]
    texts: tuple[str, ...]
    rebuilt: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """The text is the answer.

    Attributes:
        cut: Whether it hit the output limit.
        leak: The leak that stays in the text, for want of leak notes (H4.8).
    """

    cut: bool
    leak: Unread | None = None


@dataclass(frozen=True, slots=True)
class Again:
    """The request goes out again at once, with a note at its end (H4.7).

    Attributes:
        note: The note.
        notes: What the generation has spent then.
        leak: The leak that is why, if one is.
    """

    note: Note
    notes: Notes
    leak: Unread | None = None


@dataclass(frozen=True, slots=True)
class Fail:
    """The notes are spent: the generation fails (H4.7).

    Attributes:
        trouble: The error of its last reply.
        period: The period of the loop in lines; 0 where there was none.
        last: The last line of the loop.
    """

    trouble: Trouble
    period: int = 0
    last: str = ""


Step: TypeAlias = Run[C] | Truncate[C] | Answer | Again | Fail


def decide(
    ended: Reply[C] | Repeat, notes: Notes, offered: Offered, parse: Parse = strict_object
) -> Step[C]:
    """Decide what becomes of a reply.

    Args:
        ended: The reply, or the repeat at which the guard cut its stream.
        notes: What the generation has spent so far.
        offered: The tools that the request offered: name and schema of the parameters.
        parse: Reads the text of a JSON object in leaked markup; what is no `Mapping` says that it is none.
    """
    if isinstance(ended, Repeat):
        return _again(notes, Trouble.REPEATING, ended.period, ended.last)
    cut = ended.stop == LENGTH
    found = None if ended.calls else scan(ended.texts, offered, parse)
    if isinstance(found, Unread):
        if notes.leaks >= LEAK_NOTES or notes.spent >= MAX_NOTES:
            return Answer(cut, found)
        spent = Notes(notes.spent + 1, notes.leaks + 1)
        return Again(Note(Trouble.LEAK, spent.spent), spent, found)
    rebuilt = found is not None
    calls: tuple[C | Call, ...] = found.calls if found is not None else ended.calls
    texts = found.texts if found is not None else ended.texts
    if calls:
        return Truncate(calls, texts, rebuilt) if cut else Run(calls, texts, rebuilt)
    if any(text.strip() for text in texts):
        return Answer(cut)
    return _again(notes, Trouble.LENGTH if cut else Trouble.EMPTY)


def _again(notes: Notes, trouble: Trouble, period: int = 0, last: str = "") -> Again | Fail:
    """Spend a note that is no leak note, or fail when none is left."""
    if notes.spent >= MAX_NOTES:
        return Fail(trouble, period, last)
    attempt = notes.spent + 1
    return Again(Note(trouble, attempt, period, last), Notes(attempt))
