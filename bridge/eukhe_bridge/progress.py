"""The bridge of `progress` (S5.8): the core under the spec's signatures, goals followed to their pause."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from eukhe.core import progress as core
from eukhe_bridge.kit import Bridge
from eukhe_spec import progress as spec
from eukhe_spec.progress import Call, Checked, Item, Mark, Note, Said, Told

__all__ = ["BRIDGE", "CORE", "RULES", "Scenario"]

#: Arguments that are easily taken for one another; larger numbers get a list of their own.
_ARGUMENTS: tuple[object, ...] = (
    {},
    [],
    1,
    True,
    1.0,
    "1",
    None,
    {"a": 1},
    {"a": "1"},
    {"a": [1]},
    {"a": {"1": None}},
)
#: Texts that are easily taken for one another; larger numbers get a text of their own.
_TEXTS = ("", "a", "A", "a ", "\u2028", "\n", "\ud800", "\u00e4", "a\u0308", "None", "1")
_STALL = r"(\d+) goal continuations in a row made no tool call with a new result"
_REASON = re.compile(r"No progress: " + _STALL)
_NOTE = re.compile(
    _STALL + r"\. At (\d+) the goal pauses\. Take one concrete step now, with a tool\."
)


def _text(number: int) -> str:
    return _TEXTS[number] if number < len(_TEXTS) else f"text {number}"


def _arguments(number: int, turned: bool) -> object:
    """Give arguments by number; `turned` is how the keys are ordered, which makes no difference."""
    inner = _ARGUMENTS[number] if number < len(_ARGUMENTS) else [number]
    return {"to": 0, "of": inner} if turned else {"of": inner, "to": 0}


def _item(item: Item) -> core.Item:
    match item:
        case Call(id, time, text, tool, arguments, result, error):
            found = _arguments(arguments, turned=id % 2 == 1)
            return core.Call(
                f"call {id}", time, _text(text), _text(tool), found, _text(result), error
            )
        case Note(id, time, note, accepted):
            return core.Note(f"note {id}", time, _text(note), accepted)
        case Said(time, text):
            return core.Said(time, _text(text))


def _items(items: tuple[Item, ...]) -> list[core.Item]:
    return [_item(one) for one in items]


def _native(mark: Mark) -> core.Mark:
    return core.Mark(f"run {mark.run}", f"goal {mark.goal}", mark.work, mark.count)


def _mark(found: core.Mark) -> Mark:
    run, goal = found.run.removeprefix("run "), found.goal.removeprefix("goal ")
    return Mark(int(run), int(goal), found.work, found.count)


def _numbers(pattern: re.Pattern[str], text: str) -> list[int]:
    """Read the numbers of a message.

    Raises:
        ValueError: the message does not read as S5.8 says.
    """
    found = pattern.fullmatch(text)
    if found is None:
        raise ValueError(f"the core says {text!r}")
    return [int(one) for one in found.groups()]


def _checked(found: core.Proceed | core.Pause) -> Checked:
    match found:
        case core.Pause(mark, reason):
            return Checked(_mark(mark), _numbers(_REASON, reason)[0], None)
        case core.Proceed(mark, note):
            told = None if note is None else Told(*_numbers(_NOTE, note))
            return Checked(_mark(mark), None, told)


class _Core:
    """The core under the spec's signatures."""

    def work(self, transcript: tuple[Item, ...]) -> int:
        return core.Ledger(_items(transcript)).work

    def check(self, last: Mark | None, run: int, goal: int, work: int, cap: int) -> Checked:
        kept = None if last is None else _native(last)
        return _checked(core.check(kept, f"run {run}", f"goal {goal}", work, cap))

    def goal(
        self,
        done: tuple[Item, ...],
        last: Mark,
        continuations: tuple[tuple[Item, ...], ...],
        cap: int,
    ) -> Checked:
        ledger = core.Ledger(_items(done))
        found: core.Proceed | core.Pause = core.Proceed(_native(last), None)
        kept = found.mark
        for items in continuations:
            for one in _items(items):
                ledger.add(one)
            found = core.check(found.mark, kept.run, kept.goal, ledger.work, cap)
            if isinstance(found, core.Pause):
                break
        return _checked(found)


CORE = _Core()


@dataclass(frozen=True)
class Scenario:
    """A session, continuation after continuation.

    Attributes:
        done: What the session did before.
        steps: For each continuation, its run, its goal, and what the session did since the one before.
        cap: The setting `directors.stallSteps`.
    """

    done: tuple[Item, ...]
    steps: tuple[tuple[int, int, tuple[Item, ...]], ...]
    cap: int


_READ = Call(1, 10, 0, 1, 7, 1, error=False)
_SAID = Said(11, 1)
_NOTED = Note(2, 12, 1, accepted=True)


def _same(*items: tuple[Item, ...]) -> tuple[tuple[int, int, tuple[Item, ...]], ...]:
    return tuple((1, 1, one) for one in items)


_AGAIN = replace(_READ, id=2, time=20, text=3)
_EDGES: tuple[Scenario, ...] = (
    Scenario((), (), 0),
    Scenario((), _same((), (), (), (), ()), 0),
    Scenario((_READ,), _same((), (_AGAIN,), (_AGAIN, _SAID), (_AGAIN,)), 0),
    Scenario((_READ,), _same((_AGAIN,), (_AGAIN,), (_AGAIN,)), 2),
    Scenario((_READ,), _same((), (_AGAIN,), (replace(_READ, error=True),), (), ()), 3),
    Scenario((_READ,), _same((), (replace(_READ, result=2),), ()), 1),
    Scenario((_READ,), _same((), (replace(_READ, arguments=8),), ()), 1),
    Scenario((_READ,), _same((), (replace(_READ, tool=2),), ()), 1),
    Scenario((_READ,), _same((), (_NOTED,), (_NOTED,)), 1),
    Scenario((_READ,), _same((), (replace(_NOTED, accepted=False),)), 1),
    Scenario((_READ,), ((1, 1, ()), (1, 1, ()), (2, 1, ()), (2, 1, ()), (2, 1, ()), (2, 1, ())), 3),
    Scenario((_READ,), ((1, 1, ()), (1, 1, ()), (1, 2, ()), (1, 2, ()), (1, 2, ()), (1, 2, ())), 3),
)


def _any_item(rng: Random, most: int) -> Item:
    match rng.randrange(5):
        case 0:
            return Said(rng.randrange(99), rng.randrange(12))
        case 1:
            return Note(
                rng.randrange(9), rng.randrange(99), rng.randrange(most), rng.random() < 0.7
            )
        case _:
            one, two, three = (rng.randrange(most) for _ in range(3))
            around = (rng.randrange(9), rng.randrange(99), rng.randrange(12))
            return Call(*around, one, two, three, rng.random() < 0.3)


def _any_items(rng: Random, most: int) -> tuple[Item, ...]:
    return tuple(_any_item(rng, most) for _ in range(rng.choice((0, 0, 1, 2, 5))))


def _scenarios(rng: Random, count: int) -> Iterator[Scenario]:
    yield from _EDGES[:count]
    for _ in range(count - len(_EDGES)):
        most = rng.choice((1, 2, 3, 12, 14))
        steps = tuple(
            (int(rng.random() < 0.1), int(rng.random() < 0.1), _any_items(rng, most))
            for _ in range(rng.randint(0, 9))
        )
        yield Scenario(_any_items(rng, most), steps, rng.choice((0, 0, 1, 2, 3, 5)))


def _transcript(subject: Any, run: Scenario) -> str:
    """Check at each continuation, the pause of a goal aside, and follow the goal of the first one."""
    done, last = run.done, None
    lines = [f"work: {subject.work(done)}\n"]
    for one, goal, items in run.steps:
        done += items
        work = subject.work(done)
        checked = subject.check(last, one, goal, work, run.cap)
        last = checked.mark
        lines.append(f"work: {work} {checked!r}\n")
    first = Mark(0, 0, subject.work(run.done), 0)
    followed = subject.goal(run.done, first, tuple(items for _, _, items in run.steps), run.cap)
    return "".join([*lines, f"goal: {followed!r}\n"])


RULES: tuple[str, ...] = (
    "the first continuation of a run",
    "the first continuation of a goal",
    "work that grew",
    "no new work under the cap",
    "no new work at the cap",
    "the default cap",
    "a call with another id, time or text",
    "the same call with another error flag",
    "a note that was accepted before",
    "a note that was not accepted",
    "a text that is no work",
    "a goal that pauses",
    "a goal that continues",
)


def _reached(run: Scenario, transcript: str) -> frozenset[str]:
    """Name the rules that a scenario reached."""
    found: set[str] = set()
    done, last = run.done, None
    for one, goal, items in run.steps:
        done += items
        checked = spec.check(last, one, goal, spec.work(done), run.cap)
        if last is None or last.run != one:
            found.add("the first continuation of a run")
        elif last.goal != goal:
            found.add("the first continuation of a goal")
        elif checked.stop is not None:
            found.add("no new work at the cap" if run.cap else "the default cap")
        else:
            found.add("no new work under the cap" if checked.told else "work that grew")
        last = checked.mark
    calls = [one for one in done if isinstance(one, Call)]
    notes = [one for one in done if isinstance(one, Note)]
    around = [replace(one, id=0, time=0, text=0) for one in calls]
    flagged = {replace(one, error=True) for one in around if not one.error}
    taken = [one.note for one in notes if one.accepted]
    rest = {
        "a call with another id, time or text": len(set(around)) < len(set(calls)),
        "the same call with another error flag": any(one in flagged for one in around),
        "a note that was accepted before": len(set(taken)) < len(taken),
        "a note that was not accepted": len(taken) < len(notes),
        "a text that is no work": any(isinstance(one, Said) for one in done),
        "a goal that continues": "stop=None" in transcript.split("goal: ")[1],
        "a goal that pauses": "stop=None" not in transcript.split("goal: ")[1],
    }
    return frozenset(found | {name for name, reached in rest.items() if reached})


BRIDGE: Bridge[Scenario] = Bridge(
    area="progress",
    rules=RULES,
    scenarios=_scenarios,
    spec=lambda run: _transcript(spec, run),
    core=lambda run: _transcript(CORE, run),
    reached=_reached,
    count=300,
)
