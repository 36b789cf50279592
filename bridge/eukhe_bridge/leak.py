"""The bridge of `leak` (S6.10, H4.1, H4.7, H4.8): whole generations, replies with markup of all five families."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from eukhe.core import leak as core
from eukhe_bridge import _leak_markup as markup
from eukhe_bridge._leak_adapter import CORE, ended, offered_tools, step_of
from eukhe_bridge.kit import Bridge
from eukhe_spec import leak as spec
from eukhe_spec.leak import (
    Again,
    Answer,
    Broken,
    Call,
    Code,
    End,
    Fail,
    Family,
    Looped,
    Made,
    Mention,
    Note,
    Notes,
    Quote,
    Reply,
    Run,
    Segment,
    Space,
    Step,
    Stop,
    Text,
    Trouble,
    Truncate,
)

__all__ = ["BRIDGE", "CORE"]


@dataclass(frozen=True)
class Scenario:
    """A generation: what the world sends, and how many tools are offered."""

    ends: tuple[End, ...]
    offered: int


def _reply(*segments: Segment, stop: Stop = Stop.STOP) -> Reply:
    return Reply((segments,), False, (), stop)


_BASH = Made(1, 1)
_EMPTY = Reply((), True, (), Stop.STOP)
_LONG = Reply((), True, (), Stop.LENGTH)
_FLY = _reply(Text(0), Call(Family.HERMES, 2, 1, 0))
_GOOD = Call(Family.KIMI, 0, 1, 0)

_EDGES = (
    Scenario((_reply(Text(0)),), 0),
    Scenario((_reply(Text(0), stop=Stop.LENGTH),), 1),
    Scenario((Reply((), False, (_BASH, Made(0, 0)), Stop.STOP),), 2),
    Scenario((Reply(((Text(1),),), True, (_BASH,), Stop.LENGTH),), 2),
    Scenario((Reply(((_GOOD,),), False, (_BASH,), Stop.TOOL_USE),), 2),
    Scenario((_reply(_GOOD, stop=Stop.LENGTH),), 2),
    Scenario((_FLY, _FLY, _FLY), 2),
    Scenario((_FLY, _FLY, _EMPTY, _FLY, _FLY, _FLY), 2),
    Scenario((_EMPTY,) * 9, 2),
    Scenario((_LONG,) * 9, 2),
    Scenario((Looped(7, 3),) * 9, 2),
    Scenario((_LONG, Looped(1, 2), _EMPTY, _LONG, _EMPTY, _EMPTY, _EMPTY, _EMPTY, _FLY), 2),
    Scenario((_EMPTY, _reply(Space(), Space()), _reply(Text(2))), 2),
    Scenario((_reply(_GOOD, Broken(Family.HERMES, 0)), _reply(_GOOD)), 2),
    Scenario((_reply(Code(Quote.UNCLOSED), _GOOD, Broken(Family.DSML, 3)),), 2),
    Scenario((Reply(((Code(Quote.UNCLOSED),), (_GOOD,)), False, (), Stop.STOP),), 2),
    Scenario((_reply(Text(0), Space(), _GOOD, Space(), _GOOD, Space(), Text(1)),), 2),
)


def _segment(rng: Random) -> Segment:
    family = rng.choice(tuple(Family))
    match rng.randrange(12):
        case 0 | 1:
            return Text(rng.randrange(4))
        case 2 | 3:
            return Space()
        case 4:
            return Code(rng.choice(tuple(Quote)[: 5 + (rng.random() < 0.3)]))
        case 5:
            return Mention(family)
        case 6 if rng.random() < 0.4:
            return Broken(family, rng.randrange(20))
        case _:
            tool = rng.choice((0, 0, 0, 1, 1, 2))
            return Call(family, tool, rng.randrange(4), rng.randrange(20))


def _end(rng: Random) -> End:
    stop = rng.choice(tuple(Stop))
    match rng.randrange(10):
        case 0:
            return Looped(rng.randrange(1, 17), rng.randrange(9))
        case 1 | 2:
            return Reply((), rng.random() < 0.5, (), stop)
        case 3:
            calls = tuple(
                Made(rng.randrange(3), rng.randrange(3)) for _ in range(1 + rng.randrange(3))
            )
            return Reply(((_segment(rng),),), False, calls, stop)
        case _:
            blocks = tuple(
                tuple(_segment(rng) for _ in range(rng.randrange(7)))
                for _ in range(rng.choice((1, 1, 1, 2)))
            )
            return Reply(blocks, rng.random() < 0.5, (), stop)


def _spellings() -> Iterator[Scenario]:
    """Every accepted spelling and every broken one, alone in its text."""
    for family in Family:
        for form in range(len(markup.SPELLINGS[family]) + len(markup.LAST.get(family, ()))):
            for arg in (0, 1):
                yield Scenario((_reply(Call(family, 0, arg, form)),), 2)
        for form in range(len(markup.BROKEN[family])):
            yield Scenario((_reply(Text(0), Broken(family, form)), _reply(Text(1))), 2)


def _scenarios(rng: Random, count: int) -> Iterator[Scenario]:
    fixed = (*_EDGES, *_spellings())
    yield from fixed[:count]
    for _ in range(count - len(fixed)):
        ends = tuple(_end(rng) for _ in range(1 + rng.randrange(11)))
        yield Scenario(ends, rng.choice((0, 1, 2, 2, 2, 3)))


def _made(calls: tuple[Made, ...]) -> str:
    return ", ".join(f"tool {call.tool} with {call.arg}" for call in calls)


def _show_note(note: Note) -> str:
    loop = f", period {note.period}, line {note.last}" if note.trouble is Trouble.REPEATING else ""
    return f"retry {note.attempt}: {note.trouble.name.lower()}{loop}"


def _show(step: Step) -> str:
    match step:
        case Run(calls=calls, blocks=blocks, stop=stop):
            return f"run {_made(calls)}; text {blocks}; stop {stop.name}"
        case Truncate(calls=calls, blocks=blocks):
            return f"truncate {_made(calls)}; text {blocks}"
        case Answer(cut=cut):
            return "answer, cut" if cut else "answer"
        case Again(note=note, notes=notes):
            return f"{_show_note(note)} ({notes.leaks} leak notes in a row)"
        case Fail(trouble=trouble, period=period, last=last):
            return f"fail: {trouble.name.lower()}, period {period}, line {last}"


def _spec(scenario: Scenario) -> str:
    notes, lines = Notes(0, 0), list[str]()
    for end in scenario.ends:
        step = spec.decide(notes, end, scenario.offered)
        lines.append(f"{_show(step)}\n")
        if not isinstance(step, Again):
            break
        notes = step.notes
    return "".join(lines)


def _core(scenario: Scenario) -> str:
    notes, lines = core.Notes(), list[str]()
    for end in scenario.ends:
        step = core.decide(ended(end), notes, offered_tools(scenario.offered))
        lines.append(f"{_show(step_of(end, step))}\n")
        if not isinstance(step, core.Again):
            break
        notes = step.notes
    return "".join(lines)


def _reached(scenario: Scenario, transcript: str) -> frozenset[str]:
    lines = transcript.splitlines()
    heard = scenario.ends[: len(lines)]
    last, line = heard[-1], lines[-1]
    body = last.blocks if isinstance(last, Reply) else ()
    segments = [one for block in body for one in block]
    stop = last.stop if isinstance(last, Reply) else None
    own = isinstance(last, Reply) and last.calls != ()
    calls = [one for one in segments if isinstance(one, Call)]
    kinds = {type(one) for one in segments}
    rebuilt = line.startswith("run") and not own
    retried = [said for said in lines if said.startswith("retry")]
    quoted = {one.quote for one in segments if isinstance(one, Code)}
    found = {
        "calls run, stop reason stop": line.startswith("run") and own and stop is Stop.STOP,
        "calls at the output limit are truncated": line.startswith("truncate") and own,
        "markup beside calls stays text": line.startswith("run") and own and Call in kinds,
        "a leak is rebuilt": rebuilt,
        "a leak at the output limit is truncated": line.startswith("truncate") and not own,
        "several families in one reply": rebuilt and len({one.family for one in calls}) > 1,
        "two texts": rebuilt and len(body) == 2,
        "a leak that does not parse": any(
            isinstance(one, Broken)
            for end, said in zip(heard, lines, strict=True)
            if isinstance(end, Reply) and ": leak" in said
            for block in end.blocks
            for one in block
        ),
        "a tool that is not offered": any(
            isinstance(one, Call) and one.tool >= scenario.offered
            for end, said in zip(heard, lines, strict=True)
            if isinstance(end, Reply) and ": leak" in said
            for block in end.blocks
            for one in block
        ),
        "quoted code beside a leak": rebuilt and bool(quoted - {Quote.UNCLOSED}),
        "a fence that never closes": line.startswith("answer") and Quote.UNCLOSED in quoted,
        "a mention is text": line.startswith("answer") and Mention in kinds and Broken not in kinds,
        "a second leak note": any("(2 leak notes" in said for said in lines),
        "a third leak is the answer": "(2 leak notes" in "".join(lines[-2:-1]) and line == "answer",
        "another note ends the row of leaks": any(
            "(1 leak" in one and "(0 leak" in other for one, other in pairwise(lines)
        ),
        "an empty reply": any(": empty" in said for said in retried),
        "the output limit without an answer": any(": length" in said for said in retried),
        "a repeating stream": any(": repeating" in said for said in retried),
        "an answer": line == "answer",
        "an answer that is cut": line == "answer, cut",
        "spent notes fail: empty": line.startswith("fail: empty"),
        "spent notes fail: output limit": line.startswith("fail: length"),
        "spent notes fail: repeating": line.startswith("fail: repeating"),
        "a leak with spent notes is the answer": len(lines) == 9 and line.startswith("answer"),
        **{
            f"a rebuilt call of {family.name.lower()}": rebuilt
            and any(one.family is family for one in calls)
            for family in Family
        },
    }
    return frozenset(name for name, seen in found.items() if seen)


BRIDGE = Bridge(
    area="leak",
    rules=(
        "calls run, stop reason stop",
        "calls at the output limit are truncated",
        "markup beside calls stays text",
        "a leak is rebuilt",
        "a leak at the output limit is truncated",
        *(f"a rebuilt call of {family.name.lower()}" for family in Family),
        "several families in one reply",
        "two texts",
        "a leak that does not parse",
        "a tool that is not offered",
        "quoted code beside a leak",
        "a fence that never closes",
        "a mention is text",
        "a second leak note",
        "a third leak is the answer",
        "another note ends the row of leaks",
        "an empty reply",
        "the output limit without an answer",
        "a repeating stream",
        "an answer",
        "an answer that is cut",
        "spent notes fail: empty",
        "spent notes fail: output limit",
        "spent notes fail: repeating",
        "a leak with spent notes is the answer",
    ),
    scenarios=_scenarios,
    spec=_spec,
    core=_core,
    reached=_reached,
    count=600,
)
