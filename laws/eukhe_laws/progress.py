"""The laws of the progress check (S5.8): whatever the session did, and whatever the count stands at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import cycle, islice
from typing import Annotated, Protocol, TypeAlias

from eukhe_bridge import progress as bridge
from eukhe_laws.engine.agree import Agree
from eukhe_laws.engine.domain import Scope, Sized
from eukhe_laws.engine.law import law
from eukhe_spec import progress as spec
from eukhe_spec.progress import Call, Checked, Item, Mark, Note, Said, Told

__all__ = ["AGREEMENT", "BRIDGE", "CORE", "SPEC", "Progress"]


class Progress(Protocol):
    """The functions under law."""

    def work(self, transcript: tuple[Item, ...]) -> int: ...
    def check(self, last: Mark | None, run: int, goal: int, work: int, cap: int) -> Checked: ...
    def goal(
        self,
        done: tuple[Item, ...],
        last: Mark,
        continuations: tuple[tuple[Item, ...], ...],
        cap: int,
    ) -> Checked: ...


SPEC: Progress = spec
CORE: Progress = bridge.CORE
BRIDGE = bridge.BRIDGE

#: What is around an act, and the parts of an act, told apart by two values each at most.
_AROUND = (("id", Scope(1)), ("time", Scope(1)), ("text", Scope(1)))
_FEW = (*_AROUND, ("tool", Scope(1)), ("arguments", Scope(2)), ("result", Scope(1)))
_CHECK = Scope(3, 1, over=(("cap", Scope(5)), ("count", Scope(4))))
#: Wide enough for every pair of texts and arguments that the bridge makes easy to take for one another.
_WIDE = Scope(13, 4)

#: Where agreement of spec and core needs bounds of its own.
AGREEMENT = {
    "work": Agree(Scope(2, 2, over=_FEW), Scope(13, 6)),
    "check": Agree(Scope(2, 1), Scope(6, 1)),
    "goal": Agree(Scope(2, 1, over=_FEW), Scope(4, 3)),
}

#: A few continuations of a goal: what the session does in each.
Continuations: TypeAlias = Annotated[tuple[tuple[Item, ...], ...], Sized(0, 3)]
#: The parts by which acts are told apart.
Parts: TypeAlias = tuple[int, ...]


def _parts(item: Item) -> Parts | None:
    """Give the parts of an item that make it an act; `None` when it is no work."""
    if isinstance(item, Call):
        return (item.tool, item.arguments, item.result, int(item.error))
    return (item.note,) if isinstance(item, Note) and item.accepted else None


def _acts(items: tuple[Item, ...]) -> tuple[Parts, ...]:
    """Give each act once, the last time that it was done."""
    acts = [parts for parts in map(_parts, items) if parts is not None]
    return tuple([one for at, one in enumerate(acts) if one not in acts[at + 1 :]])


def _most(cap: int) -> int:
    return cap if cap > 0 else 3


@dataclass(frozen=True)
class Echo:
    """Something that the session did before, again: which one, with another id, time and text around it."""

    pick: int
    id: int
    time: int
    text: int


def _again(done: tuple[Item, ...], echo: Echo) -> Item:
    """Make an item whose act is in `done`; a text when nothing was done."""
    if not done:
        return Said(echo.time, echo.text)
    match done[echo.pick % len(done)]:
        case Call() as call:
            return replace(call, id=echo.id, time=echo.time, text=echo.text)
        case Note() as note:
            return replace(note, id=echo.id, time=echo.time)
        case Said():
            return Said(echo.time, echo.text)


@law(
    section="S5.8",
    scope=Scope(
        2,
        1,
        over=(
            ("echoes", Scope(2, 1, over=(("time", Scope(1)), ("text", Scope(1))))),
            ("done", Scope(2, 2, over=_FEW)),
            ("cap", Scope(4)),
            ("more", Scope(2)),
        ),
    ),
    wide=Scope(13, 4, over=(("cap", Scope(6)), ("more", Scope(3)))),
    control=("cap", "more"),
    reach={
        "acts that are done again": lambda _, done, count, echoes, cap, more: (
            len(_acts(done)) > 0 < sum(map(len, echoes))
        ),
        "the default cap": lambda _, done, count, echoes, cap, more: cap == 0,
    },
)
def goal_stops_without_progress(
    S: Progress,
    done: tuple[Item, ...],
    count: int,
    echoes: tuple[tuple[Echo, ...], ...],
    cap: int,
    more: int,
) -> bool:
    """Continuations in a row whose acts the session did before, at least as many as the cap, stop the goal
    from any count (S5.8).
    """
    steps = tuple(tuple([_again(done, one) for one in step]) for step in echoes)
    enough = tuple(islice(cycle(steps or ((),)), _most(cap) + more))
    return S.goal(done, Mark(0, 0, len(_acts(done)), count), enough, cap).stop is not None


@law(
    section="S5.8",
    given=lambda _, done, count, new, after, cap: (
        _parts(new) is not None and _parts(new) not in _acts(done)
    ),
    scope=Scope(
        2,
        1,
        over=(
            *_AROUND,
            ("after", Scope(1, 1)),
            ("cap", Scope(2)),
        ),
    ),
    wide=Scope(13, 3, over=(("cap", Scope(6)),)),
    control=("cap",),
    reach={
        "a count at its cap": lambda _, done, count, new, after, cap: count >= _most(cap) - 1,
        "only the error flag is new": lambda _, done, count, new, after, cap: (
            isinstance(new, Call) and replace(new, error=not new.error) in done
        ),
    },
)
def goal_progress_continues(
    S: Progress,
    done: tuple[Item, ...],
    count: int,
    new: Call | Note,
    after: tuple[Item, ...],
    cap: int,
) -> bool:
    """A continuation with an act the session never did before clears the count (S5.8)."""
    before = len(_acts(done))
    now = len(_acts((*done, new, *after)))
    found = S.goal(done, Mark(0, 0, before, count), ((new, *after),), cap)
    return found == Checked(Mark(0, 0, now, 0), None, None)


@law(section="S5.8", scope=Scope(2, 3, over=(*_AROUND, ("tool", Scope(1)))), wide=_WIDE, ours=True)
def progress_work_counts_distinct_acts(S: Progress, transcript: tuple[Item, ...]) -> bool:
    """Work is the number of acts that differ in tool, arguments, result or error flag, and of accepted notes
    that differ (S5.8).
    """
    return S.work(transcript) == len(_acts(transcript))


@law(
    section="S5.8",
    scope=Scope(2, 2, over=(("transcript", Scope(2, 2, over=_FEW)), ("echo", Scope(2)))),
    wide=_WIDE,
    ours=True,
)
def progress_the_rest_is_no_work(
    S: Progress, transcript: tuple[Item, ...], echo: Echo, note: int
) -> bool:
    """A call id, a time, the text around a call, a text and a note that was not accepted are no work (S5.8)."""
    more = (
        _again(transcript, echo),
        Said(echo.time, echo.text),
        Note(echo.id, echo.time, note, accepted=False),
    )
    return all(S.work((*transcript, one)) == S.work(transcript) for one in more)


@law(
    section="S5.8",
    given=lambda _, last, run, goal, work, cap: (
        last is None or (last.run, last.goal) != (run, goal)
    ),
    scope=Scope(2, 1, over=(("work", Scope(2)), ("count", Scope(3)), ("cap", Scope(3)))),
    ours=True,
    reach={
        "the same run": lambda _, last, run, goal, work, cap: last is not None and last.run == run,
        "the same goal": lambda _, last, run, goal, work, cap: (
            last is not None and last.goal == goal
        ),
        "no new work": lambda _, last, run, goal, work, cap: last is not None and last.work >= work,
    },
)
def progress_first_starts_the_count(
    S: Progress, last: Mark | None, run: int, goal: int, work: int, cap: int
) -> bool:
    """The first continuation of a run, or of a new goal, starts the count and goes on (S5.8)."""
    return S.check(last, run, goal, work, cap) == Checked(Mark(run, goal, work, 0), None, None)


@law(section="S5.8", scope=_CHECK, ours=True)
def progress_growth_clears_the_count(S: Progress, last: Mark, more: int, cap: int) -> bool:
    """When the work grew the count goes back to 0 and the goal continues (S5.8)."""
    work = last.work + 1 + more
    found = S.check(last, last.run, last.goal, work, cap)
    return found == Checked(Mark(last.run, last.goal, work, 0), None, None)


@law(
    section="S5.8",
    scope=_CHECK,
    ours=True,
    reach={
        "work that shrank": lambda _, last, less, cap: last.work > less > 0,
        "just under the cap": lambda _, last, less, cap: last.count + 2 == _most(cap),
        "just at the cap": lambda _, last, less, cap: last.count + 1 == _most(cap),
        "past the cap": lambda _, last, less, cap: last.count >= _most(cap),
    },
)
def progress_stall_pauses_at_the_cap(S: Progress, last: Mark, less: int, cap: int) -> bool:
    """When the work did not grow the count grows by 1: the goal pauses at the cap, 0 being 3, and else tells
    it (S5.8).
    """
    work, most, count = max(0, last.work - less), _most(cap), last.count + 1
    found = S.check(last, last.run, last.goal, work, cap)
    if count >= most:
        return found == Checked(Mark(last.run, last.goal, work, count), count, None)
    return found == Checked(Mark(last.run, last.goal, work, count), None, Told(count, most))


@law(
    section="S5.8",
    scope=Scope(
        2,
        1,
        over=(
            *_AROUND,
            *(
                (name, Scope(1))
                for name in ("tool", "arguments", "result", "note", "run", "goal", "work")
            ),
        ),
    ),
    wide=Scope(3, 4),
    control=("cap",),
    ours=True,
    reach={
        "a pause before the last continuation": lambda S, done, last, continuations, cap: (
            S.goal(done, last, continuations[:-1], cap).stop is not None
        )
    },
)
def progress_goal_is_its_checks(
    S: Progress,
    done: tuple[Item, ...],
    last: Mark,
    continuations: Continuations,
    cap: int,
) -> bool:
    """A goal is checked at each continuation, against the one before, until it pauses (S5.8)."""
    found = Checked(last, None, None)
    for items in continuations:
        done = done + items
        if found.stop is None:
            found = S.check(found.mark, last.run, last.goal, S.work(done), cap)
    return (
        S.goal(done[: len(done) - sum(map(len, continuations))], last, continuations, cap) == found
    )
