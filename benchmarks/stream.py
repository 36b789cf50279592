"""Text deltas a second through our stream loop, the `openai` SDK's and a bare httpx + json.loads loop.

All three read the same reply from the same loopback server in one run, in turns. The server has the reply ready
before it is asked, so that the reader is what is measured.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from pathlib import Path

from tests.servers.chat import Reply

from benchmarks.common import Line, at_least, in_turns, show

NAME = "stream"
DELTAS = 100_000
ROUNDS = 3
PIECE = 16 * 1024
_ASK = {"role": "user", "content": "count"}


async def ours(base_url: str) -> int:
    from eukhe.wire.events import TextDelta
    from eukhe.wire.messages import UserMessage
    from eukhe.wire.openai_completions import stream
    from eukhe.wire.request import Request

    count = 0
    async with aclosing(stream(Request(base_url, "m", (UserMessage.of("count"),)))) as events:
        async for event in events:
            if isinstance(event, TextDelta):
                count += 1
    return count


async def bare(base_url: str) -> int:
    import httpx

    count = 0
    body = {"model": "m", "stream": True, "messages": [_ASK]}
    async with (
        httpx.AsyncClient(timeout=60) as client,
        client.stream("POST", f"{base_url}/chat/completions", json=body) as response,
    ):
        async for line in response.aiter_lines():
            if line.startswith("data: ") and line != "data: [DONE]":
                choices = json.loads(line[6:])["choices"]
                if choices and choices[0]["delta"].get("content"):
                    count += 1
    return count


async def sdk(base_url: str) -> int:
    import openai

    count = 0
    async with openai.AsyncOpenAI(base_url=base_url, api_key="none") as client:
        chunks = await client.chat.completions.create(
            model="m", stream=True, messages=[{"role": "user", "content": "count"}]
        )
        async for chunk in chunks:
            if chunk.choices and chunk.choices[0].delta.content:
                count += 1
    return count


def run() -> list[Line]:
    return [*_measure("", PIECE, barred=True), *_measure(", one event a write", 0, barred=False)]


def _measure(suffix: str, piece: int, *, barred: bool) -> list[Line]:
    """Compare the three loops on a server that writes `piece` bytes at a time (0: one event)."""
    reply = Reply(text=[f"word{number % 97} " for number in range(DELTAS)])
    script: dict[str, object] = {"repeat_last": True}
    events = [event.decode() for event in reply.body("m")]
    script["replies"] = [{"raw": "".join(events), "piece": piece}] if piece else [{"parts": events}]
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "script.json")
        file.write_text(json.dumps(script), encoding="utf-8")
        server = subprocess.Popen(
            [sys.executable, "-m", "tests.servers.chat", "--script", str(file)],
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            port = server.stdout.readline().strip() if server.stdout else ""
            sides = [_side(loop, f"http://127.0.0.1:{port}/v1") for loop in (ours, bare, sdk)]
            seconds = in_turns(sides, ROUNDS)
        finally:
            server.terminate()
            server.communicate()
    mine, plain, theirs = (DELTAS / min(taken) for taken in seconds)
    detail = f"{mine:,.0f} deltas/s against"
    return [
        Line(
            f"our loop / openai SDK{suffix}",
            mine / theirs,
            at_least(10) if barred else None,
            f"{detail} {theirs:,.0f}",
        ),
        Line(
            f"our loop / bare httpx + json.loads{suffix}",
            mine / plain,
            at_least(0.5),
            f"{detail} {plain:,.0f}",
        ),
    ]


def _side(loop: Callable[[str], Coroutine[None, None, int]], base_url: str) -> Callable[[], None]:
    def once() -> None:
        count = asyncio.run(loop(base_url))
        if count != DELTAS:
            raise RuntimeError(f"{loop.__name__} read {count} of {DELTAS} deltas")

    return once


def main() -> None:
    show(NAME, run())


if __name__ == "__main__":
    main()
