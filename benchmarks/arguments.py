"""What reading tool arguments costs: strict JSON against `json.loads`, the dialect against `json_repair`."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING

import json_repair

from benchmarks.common import Line, at_least, at_most, in_turns, show
from eukhe.core.arguments import Parsed, Reading, parse
from eukhe.core.arguments_preview import Preview

if TYPE_CHECKING:
    from collections.abc import Callable

NAME = "tool arguments"
ROUNDS = 15
CHARACTERS = 400_000


def _strict_texts() -> dict[str, str]:
    """Argument texts of the usual calls, and some that are mostly numbers."""
    rng = Random(1)
    line = 'def area(width: float, height: float) -> float:\n    return width * height  # "m2"\n'
    edits = [
        {"old": line * 2, "new": line + f"# {n}\n", "all": n % 2 == 0, "line": n} for n in range(40)
    ]
    points = [{"x": rng.random(), "y": rng.random(), "name": f"p{n}"} for n in range(500)]
    return {
        "read": json.dumps({"path": "src/eukhe/core/guard.py", "offset": 1, "limit": 200}),
        "bash": json.dumps({"command": "grep -rn 'area(' src | head -20", "timeout": 30}),
        "write": json.dumps({"path": "a.py", "content": line * 500}),
        "edit": json.dumps({"path": "a.py", "edits": edits}),
        "points": json.dumps({"points": points}),
        "floats": json.dumps({"values": [rng.random() * 100 for _ in range(2000)]}),
        "short floats": json.dumps({"values": [round(rng.random() * 10, 1) for _ in range(2000)]}),
        "integers": json.dumps({"values": [rng.randrange(1000) for _ in range(5000)]}),
    }


def _relaxed_texts() -> dict[str, str]:
    """Texts that both sides read to the same value, each in another spelling."""
    line = "for name in names: print(name.strip())\n"
    strict = json.dumps({"path": "a.py", "content": line * 200 + "pass", "mode": "w"})
    quoted = line.replace("'", "\\'").replace("\n", "\\n")
    edits = ", ".join(f"{{old: 'a{n}', new: 'b{n}', all: True, line: {n}}}" for n in range(60))
    return {
        "raw newlines": strict.replace("\\n", "\n"),
        "trailing commas": f'{{"path": "a.py", "edits": [{{"old": "a", "new": "b",}},{edits}]}}',
        "single quotes": "{'path': 'a.py', 'content': '" + quoted * 200 + "pass', 'mode': 'w'}",
        "unquoted keys": f"{{path: 'a.py', edits: [{edits}]}}",
        "comments": '{"a": 1, // one\n' + '"b": [1, /* two */ 2],\n' * 50 + '"c": 3}',
    }


def _many(read: Callable[[str], object], text: str) -> Callable[[], object]:
    times = range(max(1, CHARACTERS // len(text) // 8))

    def run() -> None:
        for _ in times:
            read(text)

    return run


def _compared(name: str, other: str, sides: tuple[Callable[[], object], ...]) -> tuple[float, str]:
    """The ratio of the least times of two sides, ours first, and the words for both."""
    ours, theirs = (min(seconds) for seconds in in_turns(sides, ROUNDS))
    words = f"{name}: {ours * 1e3:.2f} ms, {other} {theirs * 1e3:.2f} ms"
    return ours / theirs, words


def _strict() -> list[Line]:
    lines = []
    for name, text in _strict_texts().items():
        sides = (_many(parse, text), _many(json.loads, text))
        ratio, words = _compared(name, "json.loads", sides)
        lines.append(Line(f"strict {name} / json.loads", ratio, at_most(1.3), words))
    return lines


def _relaxed() -> list[Line]:
    lines = []
    for name, text in _relaxed_texts().items():
        outcome = parse(text)
        if not isinstance(outcome, Parsed) or outcome.reading is Reading.STRICT:
            raise RuntimeError(f"{name}: the text is not read as a repair")
        if json_repair.loads(text) != outcome.value:
            raise RuntimeError(f"{name}: the two sides read different values")
        sides = (_many(json_repair.loads, text), _many(parse, text))
        ratio, words = _compared("json_repair", "ours", sides)
        lines.append(Line(f"json_repair / {name}", ratio, at_least(1.0), words))
    return lines


def _preview() -> Line:
    """The previews of a stream, at a tenth of it and whole: the cost of a character must not grow."""
    text = json.dumps({"path": "a.py", "content": "x = 1\n" * (CHARACTERS // 7)})

    def stream(size: int) -> Callable[[], object]:
        pieces = [text[at : at + 8] for at in range(0, size, 8)]

        def run() -> None:
            preview = Preview()
            for piece in pieces:
                preview.feed(piece)
                if preview.due:
                    preview.value()

        return run

    tenth, whole = (min(t) for t in in_turns((stream(len(text) // 10), stream(len(text))), 5))
    words = f"{tenth * 1e3:.1f} ms, {whole * 1e3:.1f} ms for {len(text):,} characters"
    return Line("preview of a stream / of a tenth of it", whole / tenth, at_most(20), words)


def run() -> list[Line]:
    return [*_strict(), *_relaxed(), _preview()]


if __name__ == "__main__":
    show(NAME, run())
