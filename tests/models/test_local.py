"""Servers on this machine: what answers with a list of models is found, and nothing else."""

from __future__ import annotations

import http.server
import json
import socket
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, ClassVar

import pytest

from eukhe.core.default_model import Resolution
from eukhe.models.default import NoModel
from eukhe.models.local import Running, running_servers
from eukhe.models.provider_table import LOCAL_SERVERS, LocalServer

if TYPE_CHECKING:
    from collections.abc import Iterator


class _Answer(http.server.BaseHTTPRequestHandler):
    status: ClassVar[int] = 200
    body: ClassVar[bytes] = b""
    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        type(self).asked.append(self.path)
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(body: object, status: int = 200) -> Iterator[tuple[LocalServer, list[str]]]:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    asked: list[str] = []
    handler = type("Answer", (_Answer,), {"status": status, "body": raw, "asked": asked})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield LocalServer("Ollama", f"http://127.0.0.1:{server.server_port}/v1"), asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_a_server_that_lists_models_is_found_with_the_command_that_uses_it() -> None:
    with serving({"data": [{"id": "qwen3:8b"}, {"id": "llama:70b"}]}) as (server, asked):
        (found,) = running_servers([server])
        assert found == Running(server, ("qwen3:8b", "llama:70b"))
        assert asked == ["/v1/models"]
    message = NoModel(Resolution(None), (), (found,)).message
    assert "(Ollama's usual address) with the model qwen3:8b, llama:70b" in message
    assert message.endswith(f"--base-url {server.base_url} --model qwen3:8b")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"<html>", 200),
        ({"data": []}, 200),
        ({"data": "x"}, 200),
        ([], 200),
        ({"data": [{"id": 5}, 7, {"id": "a b"}, {"id": "\x1b[2J"}]}, 200),
        ({"data": [{"id": "m"}]}, 404),
    ],
)
def test_what_answers_otherwise_is_no_server(body: object, status: int) -> None:
    with serving(body, status) as (server, _):
        assert running_servers([server]) == ()


def test_the_command_is_safe_to_paste_whatever_the_server_calls_its_model() -> None:
    with serving({"data": [{"id": "m;touch${IFS}x"}]}) as (server, _):
        (found,) = running_servers([server])
    assert found.message.endswith(" --model 'm;touch${IFS}x'")


def test_a_server_that_answers_byte_by_byte_is_left() -> None:
    with socket.socket() as slow:
        slow.bind(("127.0.0.1", 0))
        slow.listen()

        def drip() -> None:
            with suppress(OSError):
                client, _ = slow.accept()
                with client:
                    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n")
                    while True:
                        client.sendall(b" ")
                        time.sleep(0.02)

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{slow.getsockname()[1]}/v1"
        started = time.monotonic()
        assert running_servers([LocalServer("x", url)], seconds=0.2) == ()
        assert time.monotonic() - started < 10
        thread.join(10)
        assert not thread.is_alive(), "the connection was closed"


def test_no_server_and_a_silent_one_cost_little() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        port = silent.getsockname()[1]
        url = f"http://127.0.0.1:{port}/v1"
        started = time.monotonic()
        assert running_servers([LocalServer("x", url)], seconds=0.1) == ()
        assert time.monotonic() - started < 10
    assert running_servers([LocalServer("x", url)]) == ()


def test_only_this_machine_is_looked_at() -> None:
    assert all(one.base_url.startswith("http://127.0.0.1:") for one in LOCAL_SERVERS)
