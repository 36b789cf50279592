"""Every way in which a server can refuse or break, over a loopback socket."""

from __future__ import annotations

import socket
import threading
import time

import pytest

from eukhe.wire.errors import ErrorKind
from eukhe.wire.events import Failed
from eukhe.wire.messages import (
    StopReason,
)
from eukhe.wire.request import Limits, Request, Timeouts
from tests.servers.chat import ChatServer, Reply, Script
from tests.wire.helpers import HELLO, KEY, QUICK, ask, collect, failure, message


def test_a_wrong_key_is_refused_with_what_the_server_said() -> None:
    with ChatServer(Script([Reply(text="a")], key="another")) as server:
        error = failure(collect(Request(server.base_url, "m", HELLO, api_key=KEY)))
    assert (error.kind, error.status) == (ErrorKind.AUTH, 401)
    assert error.message == "the server answered 401: Incorrect API key provided."
    assert (error.code, error.model) == ("invalid_api_key", "m")


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [({"Retry-After": "2"}, 2.0), ({"Retry-After-Ms": "1500"}, 1.5), ({}, None)],
)
def test_a_rate_limit_tells_how_long_to_wait(
    headers: dict[str, str], seconds: float | None
) -> None:
    error = failure(
        ask(Reply(status=429, headers=headers, json={"error": {"message": "slow down"}}))
    )
    assert (error.kind, error.status, error.retry_after) == (ErrorKind.RATE_LIMIT, 429, seconds)
    assert error.transient


def test_the_servers_word_on_a_retry_is_passed_on() -> None:
    error = failure(
        ask(Reply(status=500, headers={"x-should-retry": "false"}, json={"error": "no"}))
    )
    assert error.should_retry is False
    assert not error.transient


@pytest.mark.parametrize("body", [b"", b"oops", b"<html><h1>Oops</h1>", b"{", b"\xff\xfe"])
@pytest.mark.parametrize("framing", ["chunked", "close"])
def test_a_server_failure_with_any_body_is_one_error(body: bytes, framing: str) -> None:
    reply = Reply(status=500, raw=body, content_type="text/plain", framing=framing)  # type: ignore[arg-type]  # parametrize loses the literal
    error = failure(ask(reply))
    assert (error.kind, error.status) == (ErrorKind.SERVER, 500)


def test_an_endless_error_body_is_read_up_to_its_limit_and_no_further() -> None:
    reply = Reply(status=500, raw=b"x" * 300_000, sent=200_000, end="hang")
    error = failure(ask(reply, limits=Limits(error=1000), timeouts=QUICK))
    assert error.kind is ErrorKind.SERVER
    assert error.provider_message.startswith("xxx")


def test_an_error_body_that_drips_is_left_after_its_time() -> None:
    reply = Reply(status=503, raw=b"x" * 1000, piece=1, delay=0.05)
    begun = time.monotonic()
    error = failure(ask(reply, timeouts=Timeouts(error=0.5)))
    assert (error.kind, error.status) == (ErrorKind.OVERLOADED, 503)
    assert "xxx" in error.message
    assert time.monotonic() - begun < 20


def test_an_error_body_that_breaks_off_still_tells_the_status() -> None:
    error = failure(ask(Reply(status=503, raw=b'{"error":', sent=3, end="reset")))
    assert (error.kind, error.status) == (ErrorKind.OVERLOADED, 503)


def test_a_missing_page_names_the_address() -> None:
    error = failure(ask(Reply(status=404, json={"detail": "Not Found"})))
    assert error.kind is ErrorKind.NOT_FOUND
    assert error.message == f"the server answered 404: Not Found (asked for {error.url})"


def test_a_redirect_is_not_followed() -> None:
    with ChatServer([Reply(text="stolen")]) as other:
        place = f"{other.base_url}/chat/completions?key=1"
        error = failure(ask(Reply(status=307, headers={"Location": place}, raw=b"")))
        assert other.requests == []
    assert (error.kind, error.status) == (ErrorKind.NOT_FOUND, 307)
    assert place.partition("?")[0] in error.message
    assert "names no other place" in failure(ask(Reply(status=302, raw=b""))).message


def test_a_stream_that_dies_in_the_middle_keeps_what_came() -> None:
    with ChatServer([Reply(text=["one ", "two"], sent=400, end="cut")]) as server:
        last = collect(Request(server.base_url, "m", HELLO))[-1]
    assert isinstance(last, Failed)
    assert last.error.kind is ErrorKind.STREAM_ENDED
    assert last.partial.text == "one "
    assert last.partial.stop is StopReason.ERROR


def test_a_stream_that_ends_early_without_a_broken_frame_is_noticed_too() -> None:
    error = failure(ask(Reply(text=["one ", "two"], sent=400, end="cut", framing="close")))
    assert error.kind is ErrorKind.STREAM_ENDED


@pytest.mark.parametrize("sent", [-1, 0, 400])
def test_a_reset_is_a_network_error(sent: int) -> None:
    error = failure(ask(Reply(text=["one ", "two"], sent=sent, end="reset")))
    assert error.kind is ErrorKind.NETWORK
    assert "Connection reset by peer" in error.message


def test_a_connection_that_closes_without_an_answer_is_a_network_error() -> None:
    error = failure(ask(Reply(sent=-1, end="cut")))
    assert error.kind is ErrorKind.NETWORK
    assert error.message.endswith("closed the connection without an answer")


@pytest.mark.parametrize("sent", [-1, 0, 400])
def test_a_server_that_hangs_is_given_up_after_the_read_timeout(sent: int) -> None:
    start = time.monotonic()
    error = failure(ask(Reply(text=["one ", "two"], sent=sent, end="hang"), timeouts=QUICK))
    assert error.kind is ErrorKind.TIMEOUT
    assert error.message.endswith("sent nothing for 0.3 s")
    assert time.monotonic() - start < 10


@pytest.mark.parametrize("end", ["cut", "reset", "hang"])
def test_what_breaks_after_the_finish_reason_costs_no_reply(end: str) -> None:
    whole = b"".join(Reply(text="done", usage=None, done=False).body("m"))
    reply = Reply(raw=whole + b": more", sent=len(whole), end=end)  # type: ignore[arg-type]  # parametrize loses the literal
    assert message(ask(reply, timeouts=QUICK)).text == "done"


def test_nobody_listening_is_a_network_error_that_names_the_server() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
        error = failure(collect(Request(f"{url}/v1", "m", HELLO)))
    assert error.kind is ErrorKind.NETWORK
    assert error.message.startswith(f"cannot connect to {url}: Connection refused")
    assert error.message.endswith("is the server running?")


def test_a_server_that_does_not_take_the_connection_is_given_up_after_the_connect_timeout() -> None:
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        url = f"http://127.0.0.1:{full.getsockname()[1]}/v1"
        waiting = [socket.socket() for _ in range(4)]
        try:
            for other in waiting:  # fill the queue of connections, so that the next gets no answer
                other.setblocking(False)
                other.connect_ex(full.getsockname())
            error = failure(
                collect(Request(url, "m", HELLO, timeouts=Timeouts(connect=0.3, read=0.5)))
            )
        finally:
            for other in waiting:
                other.close()
    assert error.kind is ErrorKind.TIMEOUT
    assert error.message.endswith("within 0.3 s")


@pytest.mark.parametrize(
    "answer", [b"SSH-2.0-OpenSSH_9.6\r\n", b"220 mail ready\r\n\r\n", b"\x15\x03\x01\x00\x02\x02F"]
)
def test_a_server_that_speaks_another_protocol_is_told_apart(answer: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(answer)
                connection.recv(65536)

        thread = threading.Thread(target=serve)
        thread.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        error = failure(collect(Request(url, "m", HELLO, timeouts=QUICK)))
        thread.join(5)
    assert error.kind in (ErrorKind.PROTOCOL, ErrorKind.NETWORK)


def test_a_header_of_the_users_takes_the_place_of_the_apis_whatever_its_case() -> None:
    sent: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def once() -> None:
            connection, _ = listening.accept()
            with connection:
                sent.append(connection.recv(65536))

        thread = threading.Thread(target=once)
        thread.start()
        port = listening.getsockname()[1]
        own = {"AUTHORIZATION": "Bearer my-own-token"}
        failure(
            collect(Request(f"http://127.0.0.1:{port}/v1", "m", HELLO, api_key=KEY, headers=own))
        )
        thread.join(5)
    names = [line.partition(b":")[0].lower() for line in sent[0].split(b"\r\n")]
    assert names.count(b"authorization") == 1
    assert b"my-own-token" in sent[0]
    assert KEY.encode() not in sent[0]
