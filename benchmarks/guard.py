"""What the repetition guard costs on varied text, against reading the same stream from bytes to events."""

from __future__ import annotations

import json
import tracemalloc
from random import Random
from typing import TYPE_CHECKING

from benchmarks.common import Line, at_most, in_turns, show
from eukhe.core.guard import Guard
from eukhe.wire.messages import Origin
from eukhe.wire.openai_chunks import ChunkReader
from eukhe.wire.reply import ReplyReader
from eukhe.wire.request import Limits

if TYPE_CHECKING:
    from eukhe.wire.events import Event

NAME = "repetition guard"
ROUNDS = 7
DELTAS = 100_000
WINDOW = 64
PIECE = 64 * 1024


def _stream() -> list[str]:
    """Deltas as a provider sends them: short words, a line end about every twelve."""
    rng = Random(1)
    words = [
        "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randrange(1, 9)))
        for _ in range(4000)
    ]
    return [rng.choice(words) + ("\n" if rng.random() < 0.08 else " ") for _ in range(DELTAS)]


def _chunk(delta: str) -> dict[str, object]:
    choice = {"index": 0, "delta": {"content": delta}, "finish_reason": None}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "choices": [choice]}


def _kilobytes(deltas: list[str]) -> float:
    """Return what a guard holds after some deltas, in kilobytes."""
    tracemalloc.start()
    guard = Guard(WINDOW)
    for delta in deltas:
        guard.feed("text", delta)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return held / 1024


def run() -> list[Line]:
    deltas = _stream()
    body = b"".join(b"data: %s\n\n" % json.dumps(_chunk(delta)).encode() for delta in deltas)
    pieces = [body[start : start + PIECE] for start in range(0, len(body), PIECE)]

    def parse() -> None:
        reader = ReplyReader(ChunkReader(Origin()), Limits(), "text/event-stream")
        out: list[Event] = []
        for piece in pieces:
            reader.feed(piece, out)
            out.clear()

    def guard() -> None:
        one = Guard(WINDOW)
        for delta in deltas:
            one.feed("text", delta)

    parsed, guarded = in_turns([parse, guard], ROUNDS)
    first, whole = _kilobytes(deltas[: DELTAS // 10]), _kilobytes(deltas)
    return [
        Line(
            "guard / parse of the same stream",
            min(guarded) / min(parsed),
            at_most(0.10),
            f"{min(guarded) * 1e3:.0f} ms, {min(parsed) * 1e3:.0f} ms for {DELTAS:,} deltas",
        ),
        Line(
            "memory after the whole stream / after a tenth",
            whole / first,
            at_most(1.5),
            f"{whole:.1f} kB, {first:.1f} kB",
        ),
    ]


if __name__ == "__main__":
    show(NAME, run())
