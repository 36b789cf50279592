"""The core of `leak` under the signatures of its spec: segments become text, and what is left of it segments."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import accumulate

from eukhe.core import guard
from eukhe.core import leak as core
from eukhe_bridge import _leak_markup as markup
from eukhe_spec import leak as spec
from eukhe_spec.leak import Block, Family, Made, Quote, Segment
from eukhe_spec.leak_text import Char, Kind, Mode, Name, Piece, Raw, Value

__all__ = ["CORE", "ended", "notes_of", "offered_tools", "step_of", "texts_of", "tool_name"]

_TOOLS = ("read", "bash", "list_files")
_SCHEMA: Mapping[str, object] = {"type": "object", "properties": {"path": {"type": "string"}}}
_QUOTED = '<tool_call>{"name": "read", "arguments": {}}</tool_call>'

_CODE = {
    Quote.FENCE: f"\n```\n{_QUOTED}\n```\n.",
    Quote.TILDES: f"\n~~~~ text\n```\n{_QUOTED}\n~~~\n  ~~~~\n.",
    Quote.INLINE: f"`{_QUOTED}`.",
    Quote.DOUBLE: f"`` ` {_QUOTED} ` ``.",
    Quote.NESTED: f"\n````\n```\n{_QUOTED}\n```\n{_QUOTED}\n`````\n.",
    Quote.UNCLOSED: f"\n````````x\n{_QUOTED}",
}


def tool_name(tool: int) -> str:
    """Return the name of a tool."""
    return _TOOLS[tool] if tool < len(_TOOLS) else f"tool_{tool}"


def _tool(name: str) -> int:
    return _TOOLS.index(name) if name in _TOOLS else int(name.removeprefix("tool_"))


def offered_tools(count: int) -> core.Offered:
    """Return so many offered tools."""
    return dict.fromkeys(map(tool_name, range(count)), _SCHEMA)


def _text(one: Segment, last: bool) -> str:
    match one:
        case spec.Text(word=word):
            return f"w{word}."
        case spec.Space():
            return "\n "
        case spec.Code(quote=quote):
            return _CODE[quote]
        case spec.Mention(family=family):
            return markup.MENTIONS[family]
        case spec.Call(family=family, tool=tool, arg=arg, form=form):
            fill = markup.fill_end if last else markup.fill
            return fill(family, form, tool_name(tool), arg)
        case spec.Broken(family=family, form=form):
            return markup.broken(family, form, last)


def _pieces(block: Block) -> list[str]:
    return [_text(one, place == len(block) - 1) for place, one in enumerate(block)]


def texts_of(blocks: tuple[Block, ...]) -> tuple[str, ...]:
    """Write texts."""
    return tuple("".join(_pieces(block)) for block in blocks)


def _rest(block: Block, text: str) -> Block:
    """Read what is left of a text back as segments: those whose texts follow each other in it."""
    left: list[Segment] = []
    for one, piece in zip(block, _pieces(block), strict=True):
        if text.startswith(piece):
            left.append(one)
            text = text.removeprefix(piece)
    return (*left, spec.Text(-1)) if text else tuple(left)


def _place(block: Block, at: int) -> int:
    """Return which segment of a text stands at a character."""
    return sum(end <= at for end in accumulate(map(len, _pieces(block))))


def _made(call: core.Call) -> Made:
    known = [number for number in range(32) if _arguments(number) == json.loads(call.arguments)]
    plain = known and "\\u" not in call.arguments
    return Made(_tool(call.name), known[0] if plain else -1)


def _arguments(number: int) -> dict[str, object]:
    return {"path": markup.path(number)} if number else {}


_FAMILIES = {name: Family[name.upper()] for name in ("hermes", "coder", "omp", "kimi", "dsml")}
_WHY = {core.Why.UNPARSED: spec.Why.UNPARSED, core.Why.NOT_OFFERED: spec.Why.NOT_OFFERED}
_TROUBLES = {
    core.Trouble.REPEATING: spec.Trouble.REPEATING,
    core.Trouble.EMPTY: spec.Trouble.EMPTY,
    core.Trouble.LENGTH: spec.Trouble.LENGTH,
    core.Trouble.LEAK: spec.Trouble.LEAK,
}
_TROUBLES_BACK = {trouble: word for word, trouble in _TROUBLES.items()}
_STOPS = {spec.Stop.STOP: "stop", spec.Stop.TOOL_USE: "toolUse", spec.Stop.LENGTH: "length"}
_STOPS_BACK = {text: stop for stop, text in _STOPS.items()}


def _found(blocks: tuple[Block, ...], found: core.Rebuilt | core.Unread | None) -> spec.Found:
    match found:
        case None:
            return spec.Nothing()
        case core.Unread(family=family, why=why, text=text, at=at):
            place = _place(blocks[text], at)
            return spec.Unread(_FAMILIES[family.value], _WHY[why], text, place)
        case core.Rebuilt(calls=calls, texts=texts):
            return spec.Rebuilt(tuple(map(_made, calls)), _blocks(blocks, texts))


def _blocks(blocks: tuple[Block, ...], texts: tuple[str, ...]) -> tuple[Block, ...]:
    return tuple(_rest(block, text) for block, text in zip(blocks, texts, strict=True))


def ended(end: spec.End) -> core.Reply[Made] | guard.Repeat:
    """Write how a request ended in the core's types."""
    match end:
        case spec.Looped(period=period, last=last):
            return guard.Repeat(64, period, f"line {last}")
        case spec.Reply(blocks=blocks, calls=calls, stop=stop):
            return core.Reply(texts_of(blocks), calls, _STOPS[stop])


def notes_of(notes: spec.Notes) -> core.Notes:
    """Write the notes of a generation in the core's types."""
    return core.Notes(notes.spent, notes.leaks)


def _number(line: str) -> int:
    return int(line.removeprefix("line ") or 0)


def _note(note: core.Note) -> spec.Note:
    return spec.Note(_TROUBLES[note.trouble], note.attempt, note.period, _number(note.last))


def _calls(calls: tuple[Made | core.Call, ...]) -> tuple[Made, ...]:
    return tuple(_made(call) if isinstance(call, core.Call) else call for call in calls)


def step_of(end: spec.End, step: core.Step[Made]) -> spec.Step:
    """Read a step of the core."""
    blocks = end.blocks if isinstance(end, spec.Reply) else ()
    own = isinstance(end, spec.Reply) and end.calls != ()
    match step:
        case core.Run(rebuilt=rebuilt) | core.Truncate(rebuilt=rebuilt) if rebuilt is own:
            return spec.Answer(True)  # it says that the calls are not whose they are
        case core.Run(calls=calls, texts=texts, stop=stop):
            return spec.Run(_calls(calls), _blocks(blocks, texts), _STOPS_BACK[stop])
        case core.Truncate(calls=calls, texts=texts):
            return spec.Truncate(_calls(calls), _blocks(blocks, texts))
        case core.Answer(cut=cut):
            return spec.Answer(cut)
        case core.Again(note=note, notes=notes):
            return spec.Again(_note(note), spec.Notes(notes.spent, notes.leaks))
        case core.Fail(trouble=trouble, period=period, last=last):
            return spec.Fail(_TROUBLES[trouble], period, _number(last))


_PIECES = {
    Piece.TICK: "`",
    Piece.TICKS: "```",
    Piece.TILDE: "~",
    Piece.TILDES: "~~~",
    Piece.NEWLINE: "\n",
    Piece.SPACE: " ",
    Piece.MARGIN: "   ",
    Piece.WORD: "<w",
}
_CHARS = {Char.NEWLINE: "\n", Char.RETURN: "\r", Char.SPACE: " ", Char.LETTER: "x"}
_CHARS_BACK = {text: char for char, text in _CHARS.items()}
_RAWS = {
    Raw.WORD: "a word",
    Raw.WHOLE: "42",
    Raw.WHOLE_FLOAT: "2.0",
    Raw.FRACTION: "1.5",
    Raw.TRUE: "true",
    Raw.PYTHON_TRUE: "True",
    Raw.FALSE: "false",
    Raw.NULL: "null",
    Raw.LOUD_NULL: " NULL ",
    Raw.ARRAY: "[1]",
    Raw.OBJECT: '{"a": 1}',
    Raw.STRING: '"a"',
    Raw.NAN: "NaN",
    Raw.TOO_LARGE: "1e999",
    Raw.PYTHON_FALSE: "False",
}
_SAYS: dict[Raw, object] = {
    Raw.WHOLE: 42,
    Raw.WHOLE_FLOAT: 2.0,
    Raw.FRACTION: 1.5,
    Raw.TRUE: True,
    Raw.PYTHON_TRUE: True,
    Raw.FALSE: False,
    Raw.NULL: None,
    Raw.LOUD_NULL: None,
    Raw.ARRAY: [1],
    Raw.OBJECT: {"a": 1},
    Raw.STRING: "a",
    Raw.PYTHON_FALSE: False,
}
_D = "|DSML|"


def _dsml(attribute: str, raw: str) -> str:
    return (
        f'<{_D}invoke name="t"><{_D}parameter name="k"{attribute}>{raw}</{_D}parameter>'
        f"</{_D}invoke>"
    )


def _parameter(mode: Mode, raw: str) -> str:
    """Write a call of the tool `t` with one parameter `k`."""
    match mode:
        case Mode.OMP:
            return f"<tool_calls><t k='{raw}'/></tool_calls>"
        case Mode.DSML_TEXT:
            return _dsml(' string="true"', raw)
        case Mode.DSML_JSON:
            return _dsml(' string="false"', raw)
        case Mode.DSML_BARE:
            return _dsml("", raw)
        case Mode.CODER:
            return f"<function=t><parameter=k>{raw}</parameter></function>"


#: Schemas that declare no type of `k`, some of them wrong.
_UNTYPED: tuple[Mapping[str, object], ...] = (
    {"properties": {"other": {"type": "integer"}}},
    {},
    {"properties": ["k"]},
    {"properties": {"k": True}},
    {"properties": {"k": {"type": 5, "anyOf": [True, {}]}}},
)


def _schema(kinds: tuple[Kind, ...], variant: int) -> Mapping[str, object]:
    """Declare the types of `k`: one by its name, several by a list or by the branches of a union."""
    names = [kind.name.lower() for kind in kinds]
    match names:
        case []:
            return _UNTYPED[variant % len(_UNTYPED)]
        case [one]:
            return {"properties": {"k": {"type": one}}}
        case [one, two] if kinds[0] < kinds[1]:
            return {"properties": {"k": {"type": [one, two] if variant % 2 else (one, two)}}}
        case [one, two]:
            union = "anyOf" if kinds[0] == kinds[1] else "oneOf"
            return {"properties": {"k": {union: [True, {"type": one}, {"type": two}]}}}
        case _:
            return {"properties": {"k": {"anyOf": [{"type": one} for one in names]}}}


def _same(one: object, other: object) -> bool:
    return type(one) is type(other) and one == other


def _only(text: str, offered: core.Offered) -> dict[str, object] | None:
    """Return the arguments of the one call of a text."""
    found = core.scan([text], offered)
    if not isinstance(found, core.Rebuilt) or len(found.calls) != 1:
        return None
    arguments = json.loads(found.calls[0].arguments)
    return arguments if isinstance(arguments, dict) else None


_FILLED = {
    Family.HERMES: ("", '<tool_call>{{"name": "{0}", "arguments": {2}}}</tool_call>', ""),
    Family.CODER: (
        "<tool_call>",
        "\n<function={0}>{1}\n</function>",
        "</tool_call>",
    ),
    Family.OMP: ("<tool_calls>", "<{0}{1}/> and", "</tool_calls>"),
    Family.KIMI: (
        "<|tool_calls_section_begin|>",
        "<|tool_call_begin|>functions.{0}:0<|tool_call_argument_begin|>{2}<|tool_call_end|>\n",
        "<|tool_calls_section_end|>",
    ),
    Family.DSML: (
        f"<{_D}tool_calls>",
        f'\n<{_D}invoke name="{{0}}">{{1}}</{_D}invoke>',
        f"</{_D}tool_calls>",
    ),
}
#: What a call that comes before another holds.
_BEGINS = {
    Family.HERMES: "<tool_call>",
    Family.CODER: "<function",
    Family.OMP: "/>",
    Family.KIMI: "<|tool_call_begin|>",
    Family.DSML: f"<{_D}invoke",
}
_PARAMETERS = {
    Family.CODER: "<parameter=path>{0}</parameter>",
    Family.OMP: ' path="{0}"',
    Family.DSML: f'<{_D}parameter name="path" string="true">{{0}}</{_D}parameter>',
}


def _wrapped(family: Family, calls: tuple[Made, ...]) -> str:
    """Write calls into one wrapper."""
    head, each, tail = _FILLED[family]
    parts = [
        each.format(
            tool_name(call.tool),
            _PARAMETERS.get(family, "").format(markup.path(call.arg)) if call.arg else "",
            json.dumps(_arguments(call.arg), ensure_ascii=False),
        )
        for call in calls
    ]
    return f"{head}{''.join(parts)}{tail}"


class _Core:
    """The core under the spec's signatures."""

    def scan(self, blocks: tuple[Block, ...], offered: int) -> spec.Found:
        return _found(blocks, core.scan(texts_of(blocks), offered_tools(offered)))

    def several(self, family: Family, calls: tuple[Made, ...], offered: int) -> spec.Found:
        text = _wrapped(family, calls) if calls else ""
        found = core.scan([text], offered_tools(offered))
        if isinstance(found, core.Rebuilt):
            rest: Block = (spec.Text(-1),) if found.texts != ("",) else ()
            return spec.Rebuilt(tuple(map(_made, found.calls)), (rest,))
        if isinstance(found, core.Unread):
            place = text.count(_BEGINS[family], 0, found.at)
            return spec.Unread(_FAMILIES[found.family.value], _WHY[found.why], found.text, place)
        return spec.Nothing()

    def decide(self, notes: spec.Notes, end: spec.End, offered: int) -> spec.Step:
        step = core.decide(ended(end), notes_of(notes), offered_tools(offered))
        return step_of(end, step)

    def course(self, ends: tuple[spec.End, ...], offered: int) -> spec.Course:
        notes, said = core.Notes(), list[spec.Note]()
        for end in ends:
            step = core.decide(ended(end), notes, offered_tools(offered))
            if not isinstance(step, core.Again):
                return spec.Course(tuple(said), step_of(end, step))
            notes = step.notes
            said.append(_note(step.note))
        return spec.Course(tuple(said), None)

    def read(self, pieces: tuple[Piece, ...]) -> tuple[bool, ...]:
        count, text = 0, ""
        for piece in pieces:
            if piece is Piece.CALL:
                text += f'<tool_call>{{"name": "read", "arguments": {{"n": {count}}}}}</tool_call>'
                count += 1
            else:
                text += _PIECES[piece]
        found = core.scan([text], offered_tools(1))
        calls = found.calls if isinstance(found, core.Rebuilt) else ()
        seen = {json.loads(call.arguments)["n"] for call in calls}
        return tuple(number in seen for number in range(count))

    def inner(self, raw: tuple[Char, ...]) -> tuple[Char, ...]:
        text = "".join(_CHARS[char] for char in raw)
        found = _only(
            f"<function=read><parameter=path>{text}</parameter></function>", offered_tools(1)
        )
        path = (found or {}).get("path")
        return (
            tuple(_CHARS_BACK[char] for char in path)
            if isinstance(path, str)
            else (Char.LETTER,) * 9
        )

    def value(self, mode: Mode, kinds: tuple[Kind, ...], raw: Raw) -> Value | None:
        found = _only(_parameter(mode, _RAWS[raw]), {"t": _schema(kinds, int(raw))})
        if found is None or "k" not in found:
            return None
        if _same(found["k"], _RAWS[raw]):
            return Value.TEXT
        return Value.DECODED if raw in _SAYS and _same(found["k"], _SAYS[raw]) else None

    def name(self, written: Name, offered: tuple[Name, ...], dotted: bool) -> Name:
        said = {_dots(one): one for one in offered}
        found = {
            _called(text.format(_dots(written)), dict.fromkeys(said, _SCHEMA))
            for text in (_DOTTED if dotted else _PLAIN)
        }
        return said.get(found.pop(), ()) if len(found) == 1 else (-1,)

    def said(self, note: spec.Note, length: int) -> spec.Said:
        last = "x" * length
        text = core.note_text(
            core.Note(_TROUBLES_BACK[note.trouble], note.attempt, note.period, last)
        )
        attempt = re.search(r"retry (\d+) of 8", text)
        period = re.search(r"repeated one (line|block of ([2-9]|\d\d+) lines) again", text)
        shown = re.search(r"last line was: '(x*)'", text)
        trouble = [one for one, word in _SIGNS.items() if word in text]
        return spec.Said(
            int(attempt[1]) if attempt else -1,
            int(period[2] or 1) if period else 0,
            len(shown[1]) if shown else 0,
            trouble[0] if len(trouble) == 1 else spec.Trouble(3 - note.trouble),
        )


_SIGNS = {
    spec.Trouble.REPEATING: "was cut: it repeated",
    spec.Trouble.EMPTY: "gave no text and no tool call",
    spec.Trouble.LENGTH: "hit the output limit",
    spec.Trouble.LEAK: "as markup in its text",
}
_PLAIN = ("<function={0}></function>", '<tool_call>{{"name": "{0}"}}</tool_call>')
_DOTTED = ("<|tool_call_begin|>{0}:7<|tool_call_argument_begin|>{{}}<|tool_call_end|>",)


def _called(text: str, offered: core.Offered) -> str:
    found = core.scan([text], offered)
    return found.calls[0].name if isinstance(found, core.Rebuilt) else ""


def _dots(parts: Name) -> str:
    return ".".join("functions" if part == 0 else f"part{part}" for part in parts)


CORE = _Core()
