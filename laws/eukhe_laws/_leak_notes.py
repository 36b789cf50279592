"""The laws of the notes of a generation (S6.5, H4.7, H4.8): what is retried, how often, and what a note says."""

from __future__ import annotations

from typing import Annotated, Protocol

from eukhe_laws.engine.domain import Among, Range, Scope, Sized
from eukhe_laws.engine.law import law
from eukhe_spec import leak as spec
from eukhe_spec.leak import (
    Again,
    Answer,
    Block,
    Broken,
    Call,
    Course,
    End,
    Fail,
    Family,
    Looped,
    Note,
    Notes,
    Reply,
    Said,
    Segment,
    Space,
    Step,
    Stop,
    Trouble,
)

__all__ = [
    "Length",
    "leak_note_says",
    "leak_noted_twice",
    "leak_notes_capped",
    "leak_notes_in_a_row",
    "leak_redo_noted",
    "leak_trouble_noted",
]

AREA = "leak"

#: What is wrong with a reply that is no answer.
Wrong = Annotated[Trouble, Among((Trouble.REPEATING, Trouble.EMPTY, Trouble.LENGTH))]
#: The length of a line, in characters: short, or about what a note shows.
Length = Annotated[int, Among((0, 1, 199, 200, 201, 4096))]


class Noted(Protocol):
    """The functions under law."""

    def decide(self, notes: Notes, end: End, offered: int) -> Step: ...
    def course(self, ends: tuple[End, ...], offered: int) -> Course: ...
    def said(self, note: Note, length: Length) -> Said: ...


SPEC: Noted = spec

_NOTED = Scope(2, 1, over=(("spent", Scope(10)), ("leaks", Scope(4))))


def _unread(kind: bool, family: Family) -> Segment:
    return Broken(family, 0) if kind else Call(family, 1, 0, 0)


@law(
    section="S6.10",
    scope=_NOTED,
    reach={
        "noted": lambda S, notes, family, broken, stop: notes.leaks < 2 and notes.spent < 8,
        "in a row": lambda S, notes, family, broken, stop: notes.leaks >= 2,
        "spent": lambda S, notes, family, broken, stop: notes.leaks < 2 and notes.spent >= 8,
    },
    ours=True,
)
def leak_noted_twice(S: Noted, notes: Notes, family: Family, broken: bool, stop: Stop) -> bool:
    """A leak that is not rebuilt is retried with a leak note, two in a row at most; then it answers (S6.10)."""
    step = S.decide(notes, Reply(((_unread(broken, family),),), False, (), stop), 1)
    if notes.leaks in range(2) and notes.spent in range(8):
        note = Note(Trouble.LEAK, notes.spent + 1, 0, 0)
        return step == Again(note, Notes(notes.spent + 1, notes.leaks + 1))
    return step == Answer(stop == Stop.LENGTH)


def _end(
    trouble: Trouble, period: int, last: int, thinking: bool, blocks: tuple[Block, ...]
) -> End:
    """A reply with this trouble."""
    if trouble == Trouble.REPEATING:
        return Looped(period, last)
    if trouble == Trouble.LEAK:
        return Reply(((Broken(Family.OMP, 0),),), thinking, (), Stop.STOP)
    return Reply(blocks, thinking, (), Stop.LENGTH if trouble == Trouble.LENGTH else Stop.STOP)


@law(
    section="S6.5",
    scope=_NOTED,
    reach={
        "spent": lambda S, notes, wrong, period, last, thinking, blank: notes.spent >= 8,
        "only thinking": lambda S, notes, wrong, period, last, thinking, blank: thinking,
    },
    ours=True,
)
def leak_trouble_noted(
    S: Noted, notes: Notes, wrong: Wrong, period: int, last: int, thinking: bool, blank: bool
) -> bool:
    """A repeating stream and a reply without text and calls are retried with a note that says so, while notes
    are left; then the generation fails with that error (S6.5).
    """
    blocks: tuple[Block, ...] = ((Space(),),) if blank else ()
    loop = (period, last) if wrong == Trouble.REPEATING else (0, 0)
    step = S.decide(notes, _end(wrong, period, last, thinking, blocks), 1)
    if notes.spent in range(8):
        return step == Again(Note(wrong, notes.spent + 1, *loop), Notes(notes.spent + 1, 0))
    return step == Fail(wrong, *loop)


#: Three replies of a generation, as their troubles, that come again and again.
Cycle = Annotated[tuple[Trouble, ...], Sized(1, 4)]


def _cycle(cycle: tuple[Trouble, ...], replies: int) -> tuple[End, ...]:
    return (tuple([_end(one, 3, 4, False, ()) for one in cycle]) * replies)[:replies]


@law(
    section="S6.5",
    control=("replies",),
    reach={
        "all notes": lambda S, cycle, replies: len(S.course(_cycle(cycle, replies), 1).notes) == 8
    },
    ours=True,
)
def leak_notes_capped(S: Noted, cycle: Cycle, replies: Annotated[int, Range(0, 10)]) -> bool:
    """A generation spends 8 notes at most, and it ends with the ninth reply (S6.5)."""
    course = S.course(_cycle(cycle, replies), 1)
    return len(course.notes) < 9 and (replies < 9 or course.end is not None)


@law(
    section="S6.5",
    control=("replies",),
    reach={"noted": lambda S, cycle, replies: replies > 1},
    ours=True,
)
def leak_redo_noted(S: Noted, cycle: Cycle, replies: Annotated[int, Range(0, 10)]) -> bool:
    """Each retry has a note, and no two are equal: the same request never goes out twice unchanged (S6.5)."""
    course = S.course(_cycle(cycle, replies), 1)
    asked = len(course.notes) + (course.end is not None)
    first = list((cycle * 10)[: len(course.notes)])
    return all(
        (
            [note.attempt for note in course.notes] == [*range(1, len(course.notes) + 1)],
            [note.trouble for note in course.notes] == first,
            asked == replies or course.end is not None,
        )
    )


@law(
    section="S6.10",
    control=("replies",),
    reach={"a third leak": lambda S, cycle, replies: cycle == (Trouble.LEAK,) and replies > 2},
    ours=True,
)
def leak_notes_in_a_row(S: Noted, cycle: Cycle, replies: Annotated[int, Range(0, 10)]) -> bool:
    """A generation never has three leak notes in a row; the third leak in a row is its answer (S6.10)."""
    course = S.course(_cycle(cycle, replies), 1)
    letters = "".join(["L" if one == Trouble.LEAK else "." for one in (cycle * 10)[:replies]])
    third = letters.find("LLL")
    if third in range(7):
        return len(course.notes) == third + 2 and course.end == Answer(False)
    return len(course.notes) == min(replies, 8)


@law(
    section="S6.5",
    scope=Scope(4),
    reach={"a loop": lambda S, note, length: note.trouble == Trouble.REPEATING and note.period > 1},
    given=lambda S, note, length: note.period > 0,
    ours=True,
)
def leak_note_says(S: Noted, note: Note, length: Length) -> bool:
    """The note gives what was wrong and the attempt, and for a loop the period and the last line (S6.5)."""
    loop = note.trouble == Trouble.REPEATING
    shown = len(range(length)[:200])
    wanted = Said(note.attempt, note.period * loop, shown * loop, note.trouble)
    return S.said(note, length) == wanted
