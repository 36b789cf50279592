"""The laws of a reply's meaning (S6.10, H4.1, H4.7, H4.8): calls, leaked calls, notes.

The laws of text (quoted code, layout, types, names) are in `_leak_text`, those of the notes in `_leak_notes`; they
are bound here too.
"""

from __future__ import annotations

import re
from typing import Annotated, Protocol

from eukhe_bridge import leak as bridge
from eukhe_laws._leak_notes import (
    Length,
    leak_note_says,
    leak_noted_twice,
    leak_notes_capped,
    leak_notes_in_a_row,
    leak_redo_noted,
    leak_trouble_noted,
)
from eukhe_laws._leak_text import (
    leak_code_exact,
    leak_fences_exact,
    leak_inline_exact,
    leak_layout_exact,
    leak_names_exact,
    leak_values_exact,
)
from eukhe_laws.engine.agree import Agree
from eukhe_laws.engine.domain import Among, Range, Scope, Sized
from eukhe_laws.engine.law import law
from eukhe_spec import leak as spec
from eukhe_spec.leak import (
    Answer,
    Block,
    Broken,
    Call,
    Code,
    Course,
    End,
    Family,
    Found,
    Made,
    Mention,
    Note,
    Notes,
    Nothing,
    Quote,
    Rebuilt,
    Reply,
    Run,
    Said,
    Segment,
    Space,
    Step,
    Stop,
    Text,
    Truncate,
    Unread,
    Why,
)
from eukhe_spec.leak_text import Char, Kind, Mode, Name, Piece, Raw, Value

__all__ = [
    "leak_code_exact",
    "leak_fences_exact",
    "leak_inline_exact",
    "leak_layout_exact",
    "leak_names_exact",
    "leak_note_says",
    "leak_noted_twice",
    "leak_notes_capped",
    "leak_notes_in_a_row",
    "leak_redo_noted",
    "leak_trouble_noted",
    "leak_values_exact",
]

#: Quoted code that ends within its text.
Quoted = Annotated[Code, Among(tuple(Code(quote) for quote in Quote if quote != Quote.UNCLOSED))]
#: A few of them.
Prose = Text | Space | Annotated[Code, Among((Code(Quote.FENCE), Code(Quote.INLINE)))]
#: A fence that never closes.
OpenFence = Annotated[Code, Among((Code(Quote.UNCLOSED),))]
#: How many tools are offered: of two that calls name, none, one or both.
Offered = Annotated[int, Range(0, 2)]
#: The number of a spelling.
Form = Annotated[int, Range(0, 17)]
#: One or two calls.
Calls = Annotated[tuple[Made, ...], Sized(1, 2)]


#: Up to two texts.
Blocks = Annotated[tuple[Block, ...], Sized(0, 2)]


class Leak(Protocol):
    """The functions under law."""

    def scan(self, blocks: Blocks, offered: Offered) -> Found: ...
    def several(self, family: Family, calls: tuple[Made, ...], offered: Offered) -> Found: ...
    def decide(self, notes: Notes, end: End, offered: Offered) -> Step: ...
    def course(self, ends: tuple[End, ...], offered: Offered) -> Course: ...
    def said(self, note: Note, length: Length) -> Said: ...
    def read(self, pieces: tuple[Piece, ...]) -> tuple[bool, ...]: ...
    def inner(self, raw: tuple[Char, ...]) -> tuple[Char, ...]: ...
    def value(self, mode: Mode, kinds: tuple[Kind, ...], raw: Raw) -> Value | None: ...
    def name(self, written: Name, offered: tuple[Name, ...], dotted: bool) -> Name: ...


SPEC: Leak = spec
CORE: Leak = bridge.CORE

_ONE = Scope(1)
_TWO = Scope(2)
_SMALL = (
    ("form", _ONE),
    ("word", _ONE),
    ("arg", _ONE),
    ("tool", _TWO),
    ("spent", Scope(10)),
    ("leaks", Scope(4)),
)
_SCOPE = Scope(2, 2, over=_SMALL)
_BIG = Scope(3, 6, over=(("form", Scope(18)), ("arg", Scope(3)), ("tool", _TWO), ("word", _TWO)))
_NOTED = Scope(2, 1, over=_SMALL)

_AGREED = Scope(1, 1, over=(("spent", Scope(9)), ("leaks", Scope(3))))

AGREEMENT = {
    "scan": Agree(Scope(1, 1, over=_SMALL), _BIG),
    "several": Agree(_SCOPE),
    "decide": Agree(_AGREED, Scope(3, 3, over=_BIG.over)),
    "course": Agree(_AGREED, Scope(3, 3, over=_BIG.over)),
    "read": Agree(Scope(2, 3), Scope(2, 12)),
    "inner": Agree(Scope(2, 5), Scope(2, 8)),
}


def _outside(block: Block) -> Block:
    """The segments up to a fence that never closes, one by one."""
    found: Block = ()
    for one in block:
        if one == Code(Quote.UNCLOSED):
            break
        found = (*found, one)
    return found


def _leaks(block: Block) -> Block:
    return tuple([one for one in _outside(block) if isinstance(one, Call | Broken)])


def _all(*blocks: Block) -> int:
    """More tools than any call of the texts names."""
    return 1 + sum([one.tool for block in blocks for one in block if isinstance(one, Call)])


def _good(leak: Segment, offered: int) -> bool:
    return isinstance(leak, Call) and leak.tool in range(offered)


def _calls(block: Block) -> tuple[Made, ...]:
    return tuple([Made(one.tool, one.arg) for one in _leaks(block) if isinstance(one, Call)])


def _kept(block: Block) -> Block:
    """What stays of a text with leaks, by editing a string with one letter a segment."""
    signs = "".join(
        "!"
        if isinstance(one, Call) and at < len(_outside(block))
        else " "
        if one == Space()
        else "x"
        for at, one in enumerate(block)
    )
    marked = re.sub(r" *!", lambda found: "-" * (len(found[0]) - 1) + "!", signs, count=1)
    marked = re.sub(r"(?<=!) +(?=!)", lambda found: "-" * len(found[0]), marked)
    left = tuple([one for one, sign in zip(block, marked, strict=True) if sign not in "!-"])
    return left if "x" in marked else ()


def _plain(block: Block) -> bool:
    """Whether a text is an answer: no leak, and more than white space."""
    return not _leaks(block) and any(one != Space() for one in block)


@law(section="S6.10", scope=_NOTED, control=("offered",))
def run_calls_never_answer(
    S: Leak, block: Block, thinking: bool, calls: Calls, stop: Stop, offered: Offered
) -> bool:
    """A reply with a tool call runs its calls; it never ends the turn as an answer, whatever its stop
    reason (S6.10).
    """
    step = S.decide(Notes(0, 0), Reply((block,), thinking, calls, stop), offered)
    ran = isinstance(step, Run) and step.calls == calls and step.stop == Stop.TOOL_USE
    return (isinstance(step, Truncate) and step.calls == calls) if stop == Stop.LENGTH else ran


@law(
    section="S6.10",
    scope=Scope(1, 1, over=_SMALL),
    wide=_BIG,
    reach={
        "two families": lambda S, before, calls, after, stop: (
            len({one.family for one in calls}) == 2
        ),
        "prose around": lambda S, before, calls, after, stop: before != () and after != (),
    },
)
def rec_leak_rebuilt_is_calls(
    S: Leak,
    before: Annotated[tuple[Prose, ...], Sized(0, 1)],
    calls: Annotated[tuple[Call, ...], Sized(1, 2)],
    after: Annotated[tuple[Prose, ...], Sized(0, 1)],
    stop: Annotated[Stop, Among((Stop.STOP, Stop.TOOL_USE))],
) -> bool:
    """A reply whose leaked calls all parse and name offered tools becomes a reply with those calls, and they
    run (S6.10).
    """
    step = S.decide(Notes(0, 0), Reply(((*before, *calls, *after),), False, (), stop), _all(calls))
    made = tuple([Made(one.tool, one.arg) for one in calls])
    return isinstance(step, Run) and step.calls == made and step.stop == Stop.TOOL_USE


@law(section="S6.10", scope=_NOTED, wide=_BIG, ours=True)
def leak_length_runs_nothing(S: Leak, calls: Annotated[tuple[Call, ...], Sized(1, 2)]) -> bool:
    """Rebuilt calls of a reply that hit the output limit do not run: each is truncated (S6.10)."""
    step = S.decide(Notes(0, 0), Reply((calls,), False, (), Stop.LENGTH), _all(calls))
    made = tuple([Made(one.tool, one.arg) for one in calls])
    return isinstance(step, Truncate) and (step.calls, step.blocks) == (made, ((),))


@law(
    section="S6.10",
    scope=Scope(2, over=(("form", Scope(18)),)),
    reach={"at the end": lambda S, call, ends: ends},
    ours=True,
)
def leak_spellings_read(S: Leak, call: Call, ends: bool) -> bool:
    """A call in any accepted spelling of its family is rebuilt, at the end of a text or within it (S6.10)."""
    after: Block = () if ends else (Text(0),)
    return S.scan(((call, *after),), _all((call,))) == Rebuilt(
        (Made(call.tool, call.arg),), (after,)
    )


@law(
    section="S6.10",
    scope=Scope(
        1, 1, over=(("broken", Scope(14)), ("after", Scope(1, 1, over=(("form", _TWO),))), *_SMALL)
    ),
    wide=Scope(2, 2, over=(("broken", Scope(14)), *_BIG.over)),
    ours=True,
)
def leak_broken_rebuilds_none(
    S: Leak, before: tuple[Call, ...], broken: Broken, after: tuple[Call, ...]
) -> bool:
    """Markup that does not parse rebuilds no call of the reply, not those that parse either (S6.10)."""
    found = S.scan(((*before, broken, *after),), _all(before, after))
    return found == Unread(broken.family, Why.UNPARSED, 0, len(before))


@law(
    section="S6.10",
    scope=_SCOPE,
    wide=_BIG,
    control=("offered",),
    given=lambda S, block, offered: not all(_good(one, offered) for one in _leaks(block)),
    reach={
        "a good call before": lambda S, block, offered: _good(_leaks(block)[0], offered),
        "not offered": lambda S, block, offered: not any(isinstance(one, Broken) for one in block),
    },
    ours=True,
)
def leak_first_bad_named(S: Leak, block: Block, offered: Offered) -> bool:
    """A leak that does not parse or names no offered tool rebuilds no call; the first one is named (S6.10)."""
    first = next(one for one in _leaks(block) if not _good(one, offered))
    family = first.family if isinstance(first, Call | Broken) else Family.HERMES
    why = Why.UNPARSED if isinstance(first, Broken) else Why.NOT_OFFERED
    found = S.scan(((Text(0),), block), offered)
    return found == Unread(family, why, 1, block.index(first))


@law(
    section="S6.10",
    scope=_SCOPE,
    wide=_BIG,
    given=lambda S, block: not _leaks(block),
    reach={
        "quoted": lambda S, block: any(isinstance(one, Code) for one in block),
        "after a fence that never closes": lambda S, block: any(
            isinstance(one, Call) for one in block
        ),
        "a mention": lambda S, block: any(isinstance(one, Mention) for one in block),
    },
    ours=True,
)
def leak_quoted_is_text(S: Leak, block: Block) -> bool:
    """Markup in quoted code is not read, nor an opener in prose with nothing call-like behind it (S6.10)."""
    return S.scan((block,), _all(block)) == Nothing()


@law(
    section="S6.10",
    scope=Scope(1, 3, over=(*_SMALL, ("family", _ONE))),
    wide=_BIG,
    given=lambda S, block: (
        _leaks(block) != () and all(isinstance(one, Call) for one in _leaks(block))
    ),
    reach={
        "space between calls": lambda S, block: (
            [type(one) for one in block[:3]] == [Call, Space, Call]
        ),
        "space around words": lambda S, block: Text(0) in block and Space() in block,
    },
    ours=True,
)
def leak_markup_leaves(
    S: Leak,
    block: tuple[
        Text | Space | Quoted | Call | Annotated[Code, Among((Code(Quote.UNCLOSED),))], ...
    ],
) -> bool:
    """Rebuilt markup leaves the text, with the space before the first call and between two; no more (S6.10)."""
    return S.scan((block,), _all(block)) == Rebuilt(_calls(block), (_kept(block),))


@law(
    section="S6.10",
    scope=Scope(1, 1, over=(*_SMALL, ("one", Scope(1, 2)))),
    wide=_BIG,
    reach={"an open fence before": lambda S, one, other: Code(Quote.UNCLOSED) in one},
    ours=True,
)
def leak_texts_apart(
    S: Leak,
    one: tuple[Text | Space | Call | OpenFence, ...],
    other: tuple[Text | Call | OpenFence, ...],
) -> bool:
    """Each text is read for itself, and the calls of all run in order (S6.10)."""
    calls = _calls(one) + _calls(other)
    kept = tuple([_kept(text) if _leaks(text) else text for text in (one, other)])
    return S.scan((one, other), _all(one, other)) == (Rebuilt(calls, kept) if calls else Nothing())


@law(
    section="S6.10",
    scope=Scope(2, 3, over=(("offered", Scope(3)),)),
    control=("offered",),
    reach={"rebuilt": lambda S, family, calls, offered: offered == 2 and len(calls) == 3},
    ours=True,
)
def leak_block_holds_several(
    S: Leak, family: Family, calls: Annotated[tuple[Made, ...], Sized(1, 3)], offered: Offered
) -> bool:
    """Several calls of one family, in one block where it can hold them, are read in their order (S6.10)."""
    bad = [place for place, call in enumerate(calls) if call.tool not in range(offered)]
    if not bad:
        return S.several(family, calls, offered) == Rebuilt(calls, ((),))
    return S.several(family, calls, offered) == Unread(family, Why.NOT_OFFERED, 0, bad[0])


@law(
    section="S6.10",
    scope=Scope(2, 2, over=_SMALL),
    given=lambda S, notes, block, thinking, stop: _plain(block),
    ours=True,
)
def leak_text_answers(
    S: Leak,
    notes: Annotated[Notes, Among((Notes(0, 0), Notes(8, 2)))],
    block: Block,
    thinking: bool,
    stop: Annotated[Stop, Among((Stop.STOP, Stop.LENGTH))],
) -> bool:
    """A reply with text, without calls and leaks, is the answer, cut or not (S6.10)."""
    step = S.decide(notes, Reply((block,), thinking, (), stop), 1)
    return step == Answer(stop == Stop.LENGTH)
