"""The laws of the text of leaked calls (S6.10): quoted code, the layout of values, their types, names of tools.

Each rule is restated over real text, with regular expressions or with JSON.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Annotated, Protocol

from eukhe_laws.engine.domain import Among, Range, Scope, Sized
from eukhe_laws.engine.law import law
from eukhe_spec import leak_text as spec
from eukhe_spec.leak_text import Char, Kind, Mode, Name, Piece, Raw, Value

__all__ = [
    "leak_code_exact",
    "leak_fences_exact",
    "leak_inline_exact",
    "leak_layout_exact",
    "leak_names_exact",
    "leak_values_exact",
]

AREA = "leak"

#: Up to two declared types.
Kinds = Annotated[tuple[Kind, ...], Sized(0, 2)]
#: A part of a name with dots; 0 is `functions`.
Part = Annotated[int, Range(0, 2)]
#: A name of one to three parts, and one of one or two.
Written = Annotated[tuple[Part, ...], Sized(1, 3)]
Tool = Annotated[tuple[Part, ...], Sized(1, 2)]


class Text(Protocol):
    """The functions under law."""

    def read(self, pieces: tuple[Piece, ...]) -> tuple[bool, ...]: ...
    def inner(self, raw: tuple[Char, ...]) -> tuple[Char, ...]: ...
    def value(self, mode: Mode, kinds: Kinds, raw: Raw) -> Value | None: ...
    def name(self, written: Name, offered: tuple[Name, ...], dotted: bool) -> Name: ...


SPEC: Text = spec

_PIECES = {
    Piece.TICK: "`",
    Piece.TICKS: "```",
    Piece.TILDE: "~",
    Piece.TILDES: "~~~",
    Piece.NEWLINE: "\n",
    Piece.SPACE: " ",
    Piece.MARGIN: "   ",
    Piece.WORD: "w",
    Piece.CALL: "C",
}


def _outside_code(text: str) -> str:
    """The text with its quoted calls in lower case, and all others in upper case."""
    lines: list[str] = []
    closing: re.Pattern[str] | None = None
    for line in text.split("\n"):
        opening = re.match(r" {0,3}(`{3,})[^`]*$| {0,3}(~{3,})", line)
        if closing is not None:
            lines += ["", line.lower(), ""]
            closing = None if closing.match(line) else closing
        elif opening:
            run = opening[1] or opening[2]
            lines += ["", line.lower().replace("`", "."), ""]
            closing = re.compile(rf" {{0,3}}{run[0]}{{{len(run)},}} *$")
        else:
            lines.append(line.strip(" ") and line)
    inline = re.compile(r"(?<!`)(`+)(?!`)((?:(?!\n\n).)*?)(?<!`)\1(?!`)", re.DOTALL)
    paragraphs = re.split(r"\n\n+", "\n".join(lines))
    return "\n\n".join(inline.sub(lambda found: found[0].lower(), one) for one in paragraphs)


@law(
    section="S6.10",
    scope=Scope(2, 4),
    wide=Scope(2, 12),
    reach={
        "inline": lambda S, pieces: pieces == (Piece.TICK, Piece.CALL, Piece.TICK),
        "a fence": lambda S, pieces: pieces == (Piece.TICKS, Piece.NEWLINE, Piece.CALL),
    },
    ours=True,
)
def leak_code_exact(S: Text, pieces: tuple[Piece, ...]) -> bool:
    """Quoted is what stands in a fence, or in a paragraph between two runs of as many backticks (S6.10)."""
    return _as_said(S, pieces)


def _as_said(S: Text, pieces: tuple[Piece, ...]) -> bool:
    said = _outside_code("".join([_PIECES[piece] for piece in pieces]))
    return S.read(pieces) == tuple([char == "C" for char in said if char in "cC"])


@dataclass(frozen=True)
class Fence:
    """A line that can open or close a fence: its indent, its run, and what follows it."""

    indent: Annotated[int, Range(2, 4)]
    tilde: bool
    size: Annotated[int, Range(2, 4)]
    info: Annotated[tuple[Piece, ...], Among(((), (Piece.SPACE,), (Piece.WORD,), (Piece.TICK,)))]

    def pieces(self) -> tuple[Piece, ...]:
        """The line with its end."""
        run = (Piece.TILDE if self.tilde else Piece.TICK,) * self.size
        info = self.info if self.info != (Piece.TICK,) else (Piece.WORD, Piece.TICK)
        return (*((Piece.SPACE,) * self.indent), *run, *info, Piece.NEWLINE)


@law(
    section="S6.10",
    reach={
        "closed": lambda S, opens, closes: (
            S.read((*opens.pieces(), *closes.pieces(), Piece.CALL)) == (True,)
        ),
        "open": lambda S, opens, closes: (
            S.read((*opens.pieces(), *closes.pieces(), Piece.CALL)) == (False,)
        ),
    },
    ours=True,
)
def leak_fences_exact(S: Text, opens: Fence, closes: Fence) -> bool:
    """A fence of three or more closes at a line with as many of its character, and nothing else (S6.10)."""
    middle = (Piece.CALL, Piece.NEWLINE)
    return _as_said(S, (*opens.pieces(), *middle, *closes.pieces(), Piece.CALL))


#: What stands between the parts of inline code: nothing, a line end, a blank line, a line with blanks, a fence.
Gap = Annotated[
    tuple[Piece, ...],
    Among(
        (
            (),
            (Piece.NEWLINE,),
            (Piece.NEWLINE, Piece.NEWLINE),
            (Piece.NEWLINE, Piece.SPACE, Piece.NEWLINE),
            (Piece.NEWLINE, Piece.TILDES, Piece.NEWLINE, Piece.TILDES, Piece.NEWLINE),
        )
    ),
]
Ticks = Annotated[
    tuple[Piece, ...], Among(((Piece.TICK,), (Piece.TICK, Piece.TICK), (Piece.TICKS,)))
]


@law(section="S6.10", ours=True)
def leak_inline_exact(S: Text, one: Ticks, gap: Gap, two: Ticks, last: Gap, three: Ticks) -> bool:
    """Inline code ends at the next run of as many backticks in its paragraph; without one it is none (S6.10)."""
    parts = (
        *one,
        Piece.CALL,
        *gap,
        Piece.WORD,
        *two,
        Piece.CALL,
        *last,
        Piece.WORD,
        *three,
        Piece.CALL,
    )
    return _as_said(S, (Piece.WORD, *parts))


@law(section="S6.10", scope=Scope(2, 5), wide=Scope(2, 9), ours=True)
def leak_layout_exact(S: Text, raw: tuple[Char, ...]) -> bool:
    """One line end after the open tag is layout, and one before the close tag with its indent; no more (S6.10)."""
    head = 2 if raw[:2] == (Char.RETURN, Char.NEWLINE) else int(raw[:1] == (Char.NEWLINE,))
    body = raw[head:]
    lines = [at for at, char in enumerate(body) if char == Char.NEWLINE]
    if not lines or any(char != Char.SPACE for char in body[lines[-1] + 1 :]):
        return S.inner(raw) == body
    end = body[: lines[-1]]
    return S.inner(raw) == (end[:-1] if end[-1:] == (Char.RETURN,) else end)


_RAWS = {
    Raw.WORD: "a word",
    Raw.WHOLE: "42",
    Raw.WHOLE_FLOAT: "2.0",
    Raw.FRACTION: "1.5",
    Raw.TRUE: "true",
    Raw.PYTHON_TRUE: "True",
    Raw.FALSE: "false",
    Raw.NULL: "null",
    Raw.LOUD_NULL: "NULL",
    Raw.ARRAY: "[1]",
    Raw.OBJECT: '{"a": 1}',
    Raw.STRING: '"a"',
    Raw.NAN: "a word",  # what JSON has no word for is read as a word
    Raw.TOO_LARGE: "a word",
    Raw.PYTHON_FALSE: "False",
}

_OF = {bool: "boolean", int: "integer number", type(None): "null", list: "array", dict: "object"}


def _kinds_of(text: str) -> str:
    """The declared types that a text in JSON is of; empty for a text that is none."""
    try:
        said = json.loads(text)
    except ValueError:
        return ""
    if isinstance(said, float):
        return "integer number" if said == round(said) else "number"
    return _OF.get(type(said), "any")


@law(
    section="S6.10",
    reach={
        "a declared text": lambda S, mode, kinds, raw: kinds == (Kind.STRING,) and raw == Raw.WHOLE,
        "a union": lambda S, mode, kinds, raw: len(set(kinds)) == 2,
    },
    ours=True,
)
def leak_values_exact(S: Text, mode: Mode, kinds: Kinds, raw: Raw) -> bool:
    """A parameter's text becomes a value of its declared types if it is one; else it stays as it is (S6.10)."""
    names = {kind.name.lower() for kind in kinds}
    text = _RAWS[raw]
    of = _kinds_of(text.lower()).split()
    if mode in (Mode.OMP, Mode.DSML_TEXT) or (mode == Mode.CODER and not names):
        decoded = False
    elif mode == Mode.DSML_JSON or not names:
        decoded = _kinds_of(text) != ""
    else:
        decoded = (of == ["null"] and "string" not in names) or not names.isdisjoint(of)
    return S.value(mode, kinds, raw) == (Value.DECODED if decoded else Value.TEXT)


@law(
    section="S6.10",
    reach={
        "the longer of two": lambda S, written, offered, dotted: (
            dotted and len(offered) == 2 and {written[1:], written[2:]} == set(offered)
        ),
        "not offered": lambda S, written, offered, dotted: offered == (),
    },
    ours=True,
)
def leak_names_exact(
    S: Text, written: Written, offered: Annotated[tuple[Tool, ...], Sized(0, 2)], dotted: bool
) -> bool:
    """A name means the offered tool that it is, or the one behind a prefix: any (Kimi) or `functions.` (S6.10)."""
    said = ".".join(map(str, written))
    fitting = [
        one
        for one in offered
        if said == ".".join(map(str, one))
        or said == ".".join(map(str, (0, *one)))
        or (dotted and said.endswith("." + ".".join(map(str, one))))
    ]
    return S.name(written, offered, dotted) == max(fitting, key=len, default=())
