"""Replies that are no event stream, and secrets that stay hidden whatever a server says."""

from __future__ import annotations

import json

import pytest

from eukhe.wire.errors import ErrorKind
from eukhe.wire.events import Failed
from eukhe.wire.messages import (
    TextBlock,
    ToolCall,
    Usage,
)
from eukhe.wire.openai_completions import Compat
from eukhe.wire.request import Limits, Request
from tests.servers.chat import ChatServer, Reply
from tests.wire.helpers import HELLO, KEY, ask, collect, failure, message


def test_a_whole_reply_in_json_is_read() -> None:
    whole = {
        "id": "r1",
        "model": "served",
        "choices": [
            {
                "index": 0,
                "finish_reason": "tool_calls",
                "message": {
                    "role": "assistant",
                    "content": "a",
                    "reasoning_content": "t",
                    "tool_calls": [
                        {
                            "id": "x",
                            "type": "function",
                            "function": {"name": "read", "arguments": "{}"},
                        }
                    ],
                },
            }
        ],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2},
    }
    reply = message(ask(Reply(json=whole, piece=11)))
    assert (reply.thinking, reply.text, reply.calls) == ("t", "a", (ToolCall("x", "read", "{}"),))
    assert (reply.served, reply.response_id, reply.usage) == (
        "served",
        "r1",
        Usage(input=3, output=2),
    )


def test_a_whole_reply_needs_no_finish_reason() -> None:
    assert message(ask(Reply(json={"choices": [{"message": {"content": "a"}}]}))).text == "a"


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (
            Reply(raw=b"<!doctype html><title>Welcome</title>", content_type="text/html"),
            "(text/html): a web page, 'Welcome'",
        ),
        (Reply(raw=b"hello\nthere\n", content_type="text/plain"), "(text/plain): hello"),
        (Reply(json={"status": "ok"}), '(application/json): {"status": "ok"}'),
        (Reply(json={"choices": [{"text": "old"}]}), "(application/json): "),
        (
            Reply(raw=b'{"a": 1}\n{"b": 2}\n', content_type="application/x-ndjson"),
            "(application/x-ndjson): ",
        ),
        (
            Reply(raw=b"\xff\xfe\x00 binary", content_type="application/octet-stream"),
            "(application/octet-stream): ",
        ),
    ],
)
def test_a_reply_that_is_no_event_stream_is_told_apart(reply: Reply, says: str) -> None:
    error = failure(ask(reply))
    assert error.kind is ErrorKind.PROTOCOL
    assert says in error.message
    assert error.message.isprintable()


@pytest.mark.parametrize("content_type", ["text/event-stream", "application/json", "text/html"])
def test_an_error_object_with_status_200_is_that_error(content_type: str) -> None:
    body = json.dumps({"error": {"message": "rate limit reached", "code": 429}}).encode()
    error = failure(ask(Reply(raw=body, content_type=content_type)))
    assert (error.kind, error.provider_message) == (ErrorKind.RATE_LIMIT, "rate limit reached")


@pytest.mark.parametrize("content_type", ["text/plain", "application/json; charset=utf-8", ""])
def test_an_event_stream_is_read_whatever_its_content_type(content_type: str) -> None:
    assert message(ask(Reply(text="a", content_type=content_type))).text == "a"


def test_an_empty_reply_is_an_ended_stream() -> None:
    error = failure(ask(Reply(raw=b"\n\n", framing="close")))
    assert (error.kind, error.message) == (
        ErrorKind.STREAM_ENDED,
        "the server ended the stream without a reply",
    )


def test_a_line_of_ten_megabytes_is_refused_and_what_came_before_is_kept() -> None:
    start = b"".join(Reply(text="a", finish="", usage=None, done=False).body("m"))
    reply = Reply(raw=start + b"data: " + b"x" * 10_000_000, piece=65536)
    with ChatServer([reply]) as server:
        last = collect(Request(server.base_url, "m", HELLO))[-1]
    assert isinstance(last, Failed)
    assert last.error.kind is ErrorKind.PROTOCOL
    assert last.partial.content == (TextBlock("a"),)


def test_a_whole_reply_above_the_limit_is_refused() -> None:
    error = failure(ask(Reply(json={"pad": "x" * 5000}), limits=Limits(body=4096)))
    assert (error.kind, "4096 bytes" in error.message) == (ErrorKind.PROTOCOL, True)


def test_a_stream_without_end_is_left_at_its_limit_and_what_came_is_kept() -> None:
    for reply in (Reply(text=["xyz"] * 5000), Reply(parts=[b"data: {}\n\n"] * 5000)):
        last = ask(reply, limits=Limits(reply=16_384))[-1]
        assert isinstance(last, Failed)
        assert last.error.kind is ErrorKind.PROTOCOL
        assert "16384 bytes" in last.error.message
    assert message(ask(Reply(text=["xyz"] * 5000))).text == "xyz" * 5000


def test_a_key_that_the_server_repeats_is_blotted_out() -> None:
    said = {"error": {"message": f"bad key {KEY}", "code": KEY}}
    for reply in (Reply(status=401, json=said), Reply(chunks=[said]), Reply(chunks=[KEY])):
        last = ask(reply)[-1]
        assert KEY not in repr(last)
        assert "[hidden]" in repr(last)


@pytest.mark.parametrize("key", [f"{KEY}\n", f"{KEY}é", f"{KEY}\x00"])
def test_a_key_that_no_header_can_carry_is_refused_without_being_shown(key: str) -> None:
    request = Request("http://127.0.0.1:1/v1", "m", HELLO, api_key=key)
    error = failure(collect(request))
    assert error.kind is ErrorKind.AUTH
    assert "the API key holds a character" in error.message
    assert KEY not in repr(error) + repr(request)


def test_secrets_in_headers_and_addresses_are_not_shown() -> None:
    secret = "another-secret"
    with ChatServer([Reply(status=400, json={"error": f"no {secret} and hidden-word"})]) as server:
        url = server.base_url.replace("//", "//user:hidden-word@") + "?key=query-word"
        request = Request(url, "m", HELLO, headers={"X-Key": f"Token {secret}"})
        error = failure(collect(request))
        assert server.requests[0].headers["x-key"] == f"Token {secret}"
    for text in (repr(error), str(error)):
        assert secret not in text
        assert "hidden-word" not in text
        assert "query-word" not in text
    assert secret not in repr(request)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:8080",
        "ftp://h/v1",
        "http://",
        "http://h:x/v1",
        "http://[::1/v1",
        "http://h\n/v1",
        "http://a b/v1",
        "http://xn--/v1",
        "http://\u00fc..\u00fc/v1",
        "http://h%41/v1",
    ],
)
def test_an_address_that_is_none_is_an_invalid_request(url: str) -> None:
    error = failure(collect(Request(url, "m", HELLO)))
    assert error.kind is ErrorKind.INVALID_REQUEST
    assert "is no base URL" in error.message


def test_a_server_that_is_known_to_send_no_finish_reason_is_understood() -> None:
    assert message(ask(Reply(text="a", finish=""), compat=Compat(needs_finish=False))).text == "a"
