"""A server on loopback that speaks the endpoints of the operations beside the chat stream (S6.7).

    with OperationServer({"POST /v1/embeddings": Answer({...})}) as server:
        ...  # server.url, then server.asked

It answers only what it was told to, and refuses a body that the real endpoint would refuse: a field that the
endpoint does not have, one that it needs, or a body that is no JSON.
"""

from __future__ import annotations

import http.server
import json
import re
import socket
import struct
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["Answer", "Asked", "OperationServer", "Routes"]


@dataclass(frozen=True)
class Answer:
    """One answer.

    Attributes:
        body: A JSON value, or bytes that go out as they are.
        status: The HTTP status.
        headers: More headers; they win over the server's own.
        wait: Seconds before the first byte.
        drip: Seconds between two bytes of the body; 0 for all at once.
        short: Bytes of the body that are promised and never sent.
        reset: Whether the connection is reset in place of an answer.
    """

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    wait: float = 0.0
    drip: float = 0.0
    short: int = 0
    reset: bool = False

    @property
    def raw(self) -> bytes:
        """The body as it goes out."""
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@dataclass(frozen=True)
class Asked:
    """A request that came in.

    Attributes:
        method: The method.
        path: The path, query included.
        headers: The headers, names in lower case.
        body: The body, read as JSON; None for none.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any = None


Routes = Mapping[str, Answer | Callable[[Asked], Answer]]
"""Answers by `METHOD /path?query`; `*` is every request that no other names."""

#: What an endpoint takes: the fields that it needs and those that it knows, by the end of its path.
_FIELDS: Mapping[str, tuple[str, str]] = {
    r"/v1/embeddings": ("model input", "dimensions output_dimension encoding_format"),
    r":embedContent": ("content", "taskType title outputDimensionality"),
    r":batchEmbedContents": ("requests", ""),
    r"/api/embed": ("model input", "dimensions truncate"),
    r"/api/show": ("model", ""),
    r"/v1/images/generations": ("model prompt", "n size quality output_format"),
    r":generateContent": ("contents", "tools systemInstruction generationConfig"),
    r"/v1beta/models/m:countTokens": ("generateContentRequest", ""),
    r"/publishers/google/models/m:countTokens": ("contents", "systemInstruction tools"),
    r"/publishers/google/models/m:computeTokens": ("contents", ""),
    r"/v1/chat/completions": (
        "model messages",
        "modalities image_config tools max_tokens tool_choice",
    ),
    r"/chat/completions/input_tokens": ("model messages", "tools"),
    r"/count-tokens": ("input", ""),
    r"/apply-template": ("messages", "model tools chat_template_kwargs"),
    r"/tokenize": (
        "",
        "content add_special parse_special with_pieces model prompt add_special_tokens messages tools "
        "add_generation_prompt",
    ),
    r"/v1/responses": (
        "model input",
        "tools tool_choice include max_output_tokens store instructions",
    ),
    r"/v1/responses/input_tokens": ("model input", "instructions tools"),
    r"/v1/responses/compact": ("model input", "instructions prompt_cache_key"),
    r"/v1/messages": ("model messages max_tokens", "tools system"),
    r"/v1/messages/count_tokens": ("model messages", "system tools"),
    r"/v1/conversations": ("model inputs", "tools completion_args store"),
    r"/api/web_search": ("query", "max_results"),
}


def _problem(asked: Asked) -> str:
    """What a strict server would refuse a request for; empty for nothing."""
    path = asked.path.partition("?")[0]
    if asked.method == "GET":
        return "a GET has a body" if asked.body is not None else ""
    if path == "/token":  # where an account gets its access token, no operation
        return ""
    if asked.headers.get("content-type") != "application/json":
        return "the content type is not application/json"
    if not isinstance(asked.body, dict):
        return "the body is not an object"
    found = max((one for one in _FIELDS if path.endswith(one)), key=len, default=None)
    if found is None:
        return f"no such endpoint: {path}"
    needs, knows = (names.split() for names in _FIELDS[found])
    if missing := [name for name in needs if name not in asked.body]:
        return f"{missing[0]} is missing"
    if unknown := [name for name in asked.body if name not in (*needs, *knows)]:
        return f"there is no field {unknown[0]}"
    return ""


class OperationServer:
    """The server, in threads of its own while the context lasts."""

    def __init__(self, routes: Routes) -> None:
        self.routes = routes
        self.asked: list[Asked] = []
        self.over = threading.Event()
        self._server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"owner": self}))
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.01,), daemon=True
        )

    @property
    def url(self) -> str:
        """The address of the root, without a slash."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, asked: Asked) -> Answer:
        """Return what a request gets."""
        self.asked.append(asked)
        found = self.routes.get(f"{asked.method} {asked.path}", self.routes.get("*"))
        if found is None:
            return Answer({"error": {"message": "File Not Found", "type": "not_found_error"}}, 404)
        if problem := _problem(asked):
            return Answer({"error": {"message": problem, "type": "invalid_request_error"}}, 400)
        return found(asked) if callable(found) else found


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # a client that went away is what some tests are about


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    owner: ClassVar[OperationServer]

    def _serve(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            body = json.loads(raw) if raw else None
        except ValueError:
            body = raw
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = self.owner.answer(Asked(self.command, self.path, headers, body))
        self.owner.over.wait(answer.wait)
        self.close_connection = True
        if answer.reset:
            # With a linger of 0 s the kernel sends RST in place of FIN.
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.connection.close()
            return
        out = answer.raw
        self.send_response(answer.status)
        own = {
            "Content-Type": "application/json",
            "Content-Length": str(len(out) + answer.short),
            "Connection": "close",
        }
        for name, value in {**own, **answer.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if not answer.drip:
            self.wfile.write(out)
            return
        for byte in re.findall(rb"(?s).", out):
            if self.owner.over.wait(answer.drip):
                return
            self.wfile.write(byte)

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def log_message(self, *_: object) -> None:
        pass
