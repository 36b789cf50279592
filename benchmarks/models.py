"""What models cost: the shipped rulebook against its bar, and one model against the whole catalog."""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.common import Line, at_most, in_turns
from eukhe.core.default_model import Ref
from eukhe.models import compiled
from eukhe.models.registry import Registry
from eukhe.models.rulebook import SHIPPED_PATH, read_rulebook

NAME = "models"
ROUNDS = 7
COMPILE_BAR = 50e-3


def _forget() -> None:
    for remembered in (compiled.compiled, compiled.compiled_ids, compiled.transports):
        remembered.cache_clear()


def run() -> list[Line]:
    nowhere = Path("/nonexistent")

    def one() -> None:
        _forget()
        Registry.of(nowhere, {}).find(Ref("groq", "openai/gpt-oss-120b"))

    def every() -> None:
        _forget()
        Registry.of(nowhere, {}).every()

    def read() -> None:
        re.purge()  # a process that starts has no pattern compiled
        read_rulebook(SHIPPED_PATH)

    one_times, every_times = in_turns((one, every), ROUNDS)
    (reads,) = in_turns((read,), ROUNDS)
    return [
        Line(
            "read and compile the shipped rulebook, of 50 ms", min(reads) / COMPILE_BAR, at_most(1)
        ),
        Line("find one model, of reading all", min(one_times) / min(every_times), at_most(0.25)),
    ]
