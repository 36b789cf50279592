"""A process that holds a slot of a provider: it says when it waits, when it has it, and when it gave it back.

    python -m tests.agent.in_flight_process DIRECTORY LIMIT NAME

It holds the slot until a line comes in.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from eukhe.agent.retry.events import ProviderWaitStart
from eukhe.agent.retry.in_flight import InFlight


def _say(word: str, name: str) -> None:
    sys.stdout.write(f"{word} {name}\n")
    sys.stdout.flush()


async def _hold(directory: Path, limit: int, name: str) -> None:
    slots = InFlight(directory, lambda _: limit)

    def emit(event: object) -> None:
        if isinstance(event, ProviderWaitStart):
            _say("waits", name)

    async with slots.slot("acme", emit, asyncio.sleep):
        _say("has", name)
        await asyncio.to_thread(sys.stdin.readline)
    _say("gave", name)


if __name__ == "__main__":
    asyncio.run(_hold(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
