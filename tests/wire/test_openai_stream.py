"""Whole exchanges over a loopback socket: what works, and what it costs."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from typing import TYPE_CHECKING

import pytest

from eukhe.wire.events import Done, Event, TextDelta
from eukhe.wire.http import open_client
from eukhe.wire.messages import (
    AssistantMessage,
    Origin,
    StopReason,
    ToolCall,
    ToolResultMessage,
    Usage,
    UserMessage,
)
from eukhe.wire.openai_completions import stream
from eukhe.wire.request import Request, Timeouts
from tests.servers.chat import Call, ChatServer, Reply, Script, delta
from tests.wire.helpers import HELLO, ask, collect, message, read

if TYPE_CHECKING:
    from pathlib import Path

_RICH = Reply(
    thinking=["hm ", "🤔"],
    text=["Zwölf", " €"],
    calls=[Call("bash", {"command": "ls"}, split=2), Call("read", {"path": "é"}, id="")],
    usage=(7, 3),
)


@pytest.mark.parametrize("framing", ["chunked", "length", "close"])
@pytest.mark.parametrize("piece", [0, 1, 7, 4096])
def test_the_reply_is_the_same_however_it_is_framed_and_cut(framing: str, piece: int) -> None:
    from dataclasses import replace

    events = ask(replace(_RICH, framing=framing, piece=piece))  # type: ignore[arg-type]  # parametrize loses the literal
    assert events[:-1] == read([b"".join(_RICH.body("m"))])[0][:-1]
    reply = message(events)
    assert (reply.thinking, reply.text, reply.usage) == (
        "hm 🤔",
        "Zwölf €",
        Usage(input=7, output=3),
    )
    assert reply.calls == (
        ToolCall("call_0", "bash", '{"command": "ls"}'),
        ToolCall("call_1", "read", '{"path": "\\u00e9"}'),
    )
    assert (reply.stop, reply.origin) == (
        StopReason.TOOL_USE,
        Origin("openai-completions", "", "m"),
    )


def test_slow_bytes_are_not_a_silent_server() -> None:
    reply = Reply(text="ab", piece=40, delay=0.02)
    assert message(ask(reply, timeouts=Timeouts(read=0.5))).text == "ab"


def test_comments_keep_a_slow_server_alive() -> None:
    body = [b": queued\n\n"] * 8 + list(Reply(text="a").body("m"))
    reply = Reply(parts=body, delay=0.1)
    assert message(ask(reply, timeouts=Timeouts(read=0.5))).text == "a"


def test_a_minted_id_is_none_that_the_conversation_has() -> None:
    old = ToolCall("call_0", "read", "{}")
    history = (
        *HELLO,
        AssistantMessage((old,), StopReason.TOOL_USE),
        ToolResultMessage.of(old, "r"),
    )
    events = ask(Reply(calls=[Call("read", {}, id="")]), messages=history)
    assert [call.id for call in message(events).calls] == ["call_1"]


def test_a_client_can_be_shared_by_requests() -> None:
    async def run(url: str) -> list[Event]:
        request = Request(url, "m", HELLO)
        async with open_client(url, request.timeouts) as client:
            return [event for _ in range(3) async for event in stream(request, client)]

    with ChatServer(Script([Reply(text="a")], repeat_last=True)) as server:
        events = asyncio.run(run(server.base_url))
        assert len(server.requests) == 3
    assert sum(isinstance(event, Done) for event in events) == 3


def test_closing_the_generator_closes_the_connection() -> None:
    async def run(url: str) -> None:
        async with aclosing(stream(Request(url, "m", HELLO))) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    return

    with ChatServer([Reply(text=["a", "b"], sent=500, end="hang")]) as server:
        asyncio.run(run(server.base_url))
        assert server.hung_up.wait(5)


def test_cancelling_the_task_closes_the_connection() -> None:
    async def run(url: str) -> None:
        async def consume() -> None:
            async with aclosing(stream(Request(url, "m", HELLO))) as events:
                async for _ in events:
                    begun.set()

        begun = asyncio.Event()
        task = asyncio.create_task(consume())
        await asyncio.wait_for(begun.wait(), 5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with ChatServer([Reply(text=["a", "b"], sent=500, end="hang")]) as server:
        asyncio.run(run(server.base_url))
        assert server.hung_up.wait(5)


def test_importing_the_wire_api_imports_neither_httpx_nor_pydantic() -> None:
    import subprocess
    import sys

    slow = "{'httpx', 'pydantic', 'ssl', 'click'}"
    code = f"import sys, eukhe.wire.openai_completions; print(*sorted({slow} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_the_server_as_a_process_serves_a_script_and_records(tmp_path: Path) -> None:
    import subprocess
    import sys

    script, record = tmp_path / "script.json", tmp_path / "requests.jsonl"
    script.write_text(
        '{"replies": [{"text": "a", "calls": [{"name": "read", "arguments": {}}]}]}',
        encoding="utf-8",
    )
    command = [
        sys.executable,
        "-m",
        "tests.servers.chat",
        "--script",
        str(script),
        "--record",
        str(record),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            url = f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
            reply = message(collect(Request(url, "m", (UserMessage.of("hi"),))))
        finally:
            process.terminate()
    assert (reply.text, len(reply.calls)) == ("a", 1)
    line = json.loads(record.read_text(encoding="utf-8"))
    assert json.loads(line["body"])["messages"] == [{"role": "user", "content": "hi"}]
    assert line["problems"] == []


def test_the_server_refuses_what_strict_servers_refuse() -> None:
    import httpx

    call = {"id": "x", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    bad = [
        {"model": "m", "messages": []},
        {"model": "", "messages": [{"role": "user", "content": "a"}]},
        {"model": "m", "messages": [{"role": "tool", "tool_call_id": "x", "content": "a"}]},
        {"model": "m", "messages": [{"role": "assistant", "content": None, "tool_calls": [call]}]},
        {"model": "m", "messages": [{"role": "assistant", "content": ""}]},
        {"model": "m", "tools": [], "messages": [{"role": "user", "content": "a"}]},
    ]
    with ChatServer(
        Script([Reply(text="a", chunks=[delta({}, "stop")])], repeat_last=True)
    ) as server:
        for body in bad:
            assert (
                httpx.post(
                    f"{server.base_url}/chat/completions", json=body, trust_env=False
                ).status_code
                == 400
            )
        assert len(server.problems) >= len(bad)
