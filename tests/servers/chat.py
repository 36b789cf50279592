"""A Chat Completions server on loopback with its own HTTP/1.1, so that every byte and every fault can be scripted.

In a test:

    with ChatServer([Reply(text="hello")]) as server:
        ...  # server.base_url, then server.requests and server.problems

As a process, which prints its port and serves until it is ended:

    python -m tests.servers.chat --port 0 --script FILE [--record FILE]
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import socket
import struct
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Self

from eukhe.agent.titles import INSTRUCTIONS
from tests.servers.api import CHAT, Api
from tests.servers.check import Recorded
from tests.servers.script import Call, Reply, Script, delta

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import TracebackType

__all__ = ["Api", "Call", "ChatServer", "Recorded", "Reply", "Script", "delta"]

_REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 429: "Too Many Requests"}


class _DeadError(Exception):
    """The scripted end of a connection: it closes, is reset or was left by the client."""


class ChatServer:
    """The server. As a context manager it runs in a thread of its own with its own event loop."""

    def __init__(
        self,
        script: Script | Iterable[Reply],
        *,
        port: int = 0,
        record: Path | None = None,
        api: Api = CHAT,
    ) -> None:
        self.api = api
        self.script = script if isinstance(script, Script) else Script(tuple(script))
        self.port = port
        self.requests: list[Recorded] = []
        self.titles: list[Recorded] = []
        """Requests for titles. They come beside the others, at any time, so they take none of the replies."""
        self.hung_up = threading.Event()
        """Set when a client closed its connection while a reply was hanging or being sent."""
        self._record = record
        self._served = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._ready = threading.Event()
        self._stop: asyncio.Event | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def base_url(self) -> str:
        """The base URL, with the path that the API has there (`/v1`)."""
        return f"http://127.0.0.1:{self.port}{self.api.path}"

    @property
    def problems(self) -> tuple[str, ...]:
        """What a strict server would refuse, over all requests so far."""
        return tuple(problem for request in self.requests for problem in request.problems)

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=lambda: asyncio.run(self.serve()), daemon=True)
        self._thread.start()
        if not self._ready.wait(10):
            raise RuntimeError("the chat server did not start")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._loop is not None and self._stop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
        if self._thread is not None:
            self._thread.join(10)

    async def serve(self) -> None:
        """Serve until the context ends or the task is cancelled."""
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._accept, "127.0.0.1", self.port, limit=2**26)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        try:
            await self._stop.wait()
        finally:
            # What is accepted by now gets to the task that closes it: a server that closes in between
            # would leave the connection to nobody.
            for _ in range(8):
                await asyncio.sleep(0)
            server.close()
            for task in tuple(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            for _ in range(8):  # and the transports get to close
                await asyncio.sleep(0)

    async def ready(self) -> None:
        """Wait until the port is known."""
        while not self._ready.is_set():
            await asyncio.sleep(0.005)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        try:
            while await self._one(reader, writer):
                pass
        except _DeadError:
            pass
        except (ConnectionError, asyncio.IncompleteReadError):
            self.hung_up.set()
        except asyncio.CancelledError:
            writer.transport.abort()
        finally:
            writer.close()
            try:
                await writer.wait_closed()
            except OSError:
                pass
            except asyncio.CancelledError:
                writer.transport.abort()  # what is still to be written has no reader

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Serve one request; `False` when the connection is to be closed."""
        request = await _read(reader, self.api)
        if request is None:
            return False
        if _asks_for_title(request):
            self.titles.append(request)
            if self.script.title is None:
                await reader.read()  # until the client gives up
                raise _DeadError
            reply = self.script.title
        else:
            self.requests.append(request)
            reply = self._choose(request)
        self._write_record(request)
        await self._answer(reply, request, reader, writer)
        return reply.framing != "close"

    def _choose(self, request: Recorded) -> Reply:
        key = self.script.key
        header, before = self.api.key
        if key is not None and request.headers.get(header) != before + key:
            return self._error(401, "Incorrect API key provided.", "invalid_api_key")
        if request.problems:
            return self._error(400, "; ".join(request.problems), "invalid_request")
        number = self._served
        self._served += 1
        if number < len(self.script.replies):
            return self.script.replies[number]
        if self.script.repeat_last and self.script.replies:
            return self.script.replies[-1]
        return self._error(500, "The script has no reply left.", "script_ended")

    def _error(self, status: int, message: str, code: str) -> Reply:
        return Reply(status=status, json=self.api.error(status, message, code))

    def _write_record(self, request: Recorded) -> None:
        if self._record is None:
            return
        line = {
            "method": request.method,
            "path": request.path,
            "headers": dict(request.headers),
            "body": request.raw.decode("utf-8", "replace"),
            "problems": request.problems,
        }
        with self._record.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    async def _answer(
        self,
        reply: Reply,
        request: Recorded,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        model = _model(request)
        await asyncio.sleep(reply.wait)
        if reply.sent == -1:
            await self._end(reply, reader, writer)
            return
        writer.write(_head(reply, model))
        if reply.sent is not None:
            await writer.drain()
        for piece in filter(None, reply.writes(model)):
            writer.write(
                b"%x\r\n%b\r\n" % (len(piece), piece) if reply.framing == "chunked" else piece
            )
            await writer.drain()
            if reply.delay:
                await asyncio.sleep(reply.delay)
        await self._end(reply, reader, writer)

    async def _end(
        self, reply: Reply, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        match reply.end:
            case "whole":
                if reply.framing == "chunked":
                    writer.write(b"0\r\n\r\n")
                await writer.drain()
            case "cut":
                raise _DeadError
            case "reset":
                # With a linger of 0 s the kernel sends RST in place of FIN and drops what was not sent yet, so
                # the bytes before it get the time to leave.
                await asyncio.sleep(0.05)
                raw = writer.get_extra_info("socket")
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                writer.transport.abort()
                raise _DeadError
            case "hang":
                await reader.read()
                self.hung_up.set()
                raise _DeadError


def _asks_for_title(request: Recorded) -> bool:
    return INSTRUCTIONS[:60].encode() in request.raw


def _model(request: Recorded) -> str:
    """The model of a request; empty where it stands in the path, or the body is no JSON."""
    try:
        return str(request.body.get("model", ""))
    except (ValueError, AttributeError):
        return ""


def _head(reply: Reply, model: str) -> bytes:
    kind = "application/json" if reply.json is not None else reply.content_type
    headers: dict[str, str] = {"content-type": kind}
    match reply.framing:
        case "chunked":
            headers["transfer-encoding"] = "chunked"
        case "length":
            headers["content-length"] = str(sum(map(len, reply.body(model))))
        case "close":
            headers["connection"] = "close"
    headers |= {name.lower(): value for name, value in reply.headers.items()}
    reason = _REASONS.get(reply.status, "Status")
    lines = [
        f"HTTP/1.1 {reply.status} {reason}",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


async def _read(reader: asyncio.StreamReader, api: Api) -> Recorded | None:
    """Read one request; `None` when the client is gone."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")[:-2]
    method, path, _ = first.split(" ")
    headers: Mapping[str, str] = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in lines)
    }
    raw = await reader.readexactly(int(headers.get("content-length", "0")))
    return Recorded(method, path, headers, raw, tuple(api.problems(method, path, headers, raw)))


async def _main(arguments: argparse.Namespace) -> None:
    server = ChatServer(Script.read(arguments.script), port=arguments.port, record=arguments.record)
    serving = asyncio.create_task(server.serve())
    await server.ready()
    sys.stdout.write(f"{server.port}\n")
    sys.stdout.flush()
    await serving


def main() -> None:
    """Run the server as a process."""
    parser = argparse.ArgumentParser(prog="tests.servers.chat", description=__doc__)
    parser.add_argument(
        "--port", type=int, default=0, help="the port; 0 takes a free one (default)"
    )
    parser.add_argument("--script", type=Path, required=True, help="the JSON file with the replies")
    parser.add_argument("--record", type=Path, help="a file that gets one JSON line a request")
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_main(parser.parse_args()))


if __name__ == "__main__":
    main()
