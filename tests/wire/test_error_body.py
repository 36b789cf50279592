"""Error bodies of every shape become one error with the right kind."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eukhe.wire.error_body import failed, one_line, refused
from eukhe.wire.errors import ErrorKind, WireError


@pytest.mark.parametrize(
    ("body", "message", "code"),
    [
        ({"error": {"message": "no", "type": "t", "code": "c"}}, "no", "c"),
        ({"error": {"message": "no", "type": "t", "code": 400}}, "no", "t"),
        (
            {"object": "error", "message": "no", "type": "BadRequestError", "code": 400},
            "no",
            "BadRequestError",
        ),
        ({"error": "no"}, "no", ""),
        ({"message": "no"}, "no", ""),
        ({"detail": "no"}, "no", ""),
        ({"detail": [{"loc": ["body", "model"], "msg": "no"}]}, "body.model: no", ""),
        ({"errors": [{"message": "no"}]}, "no", ""),
        ([{"error": {"message": "no", "status": "INVALID_ARGUMENT"}}], "no", "INVALID_ARGUMENT"),
        (
            {"error": {"message": "Provider error", "metadata": {"raw": "no"}}},
            "Provider error: no",
            "",
        ),
        ("no", "no", ""),
    ],
)
def test_each_shape_gives_its_text_and_code(body: object, message: str, code: str) -> None:
    error = refused(400, json.dumps(body).encode())
    assert (error.provider_message, error.code, error.kind) == (
        message,
        code,
        ErrorKind.INVALID_REQUEST,
    )
    assert error.message == f"the server answered 400: {message}"


def test_a_web_page_is_named_by_its_title() -> None:
    error = refused(502, b"<!doctype html><html><head><TITLE> Bad gateway </TITLE></head>...")
    assert error.message == "the server answered 502: a web page, 'Bad gateway'"


@pytest.mark.timeout(10)
def test_a_page_of_titles_that_never_end_is_read_in_time() -> None:
    assert refused(502, b"<title" * 40_000).message.endswith("a web page")


def test_plain_text_is_shown_on_one_line_without_control_characters() -> None:
    error = refused(500, b"\x1b[31mno\r\n\tway\xff\x00")
    assert error.message == "the server answered 500: [31mno way\ufffd"


def test_a_long_text_is_cut() -> None:
    assert len(refused(500, b"x" * 100_000).message) < 700


@pytest.mark.parametrize(
    ("status", "text", "kind"),
    [
        (400, "no", ErrorKind.INVALID_REQUEST),
        (401, "no", ErrorKind.AUTH),
        (402, "no", ErrorKind.PAYMENT_REQUIRED),
        (403, "no", ErrorKind.PERMISSION),
        (404, "no", ErrorKind.NOT_FOUND),
        (408, "no", ErrorKind.TIMEOUT),
        (409, "no", ErrorKind.SERVER),
        (422, "no", ErrorKind.INVALID_REQUEST),
        (429, "slow down", ErrorKind.RATE_LIMIT),
        (429, "insufficient_quota: You exceeded your current quota", ErrorKind.PAYMENT_REQUIRED),
        (500, "no", ErrorKind.SERVER),
        (500, "Overloaded", ErrorKind.OVERLOADED),
        (501, "no", ErrorKind.INVALID_REQUEST),
        (503, "Loading model", ErrorKind.OVERLOADED),
        (529, "no", ErrorKind.OVERLOADED),
        (400, "This model's maximum context length is 8192 tokens", ErrorKind.CONTEXT_OVERFLOW),
        (400, "the request exceeds the available context size", ErrorKind.CONTEXT_OVERFLOW),
        (413, "request_too_large", ErrorKind.CONTEXT_OVERFLOW),
        (413, "", ErrorKind.CONTEXT_OVERFLOW),
        (413, "no", ErrorKind.INVALID_REQUEST),
        (429, "rate limit: maximum context length is not the point", ErrorKind.RATE_LIMIT),
        (400, "content management policy", ErrorKind.SAFETY),
    ],
)
def test_the_kind_follows_from_the_text_and_the_status(
    status: int, text: str, kind: ErrorKind
) -> None:
    body = json.dumps({"error": {"message": text}}).encode() if text else b""
    error = refused(status, body)
    assert (error.kind, error.status) == (kind, status)


def test_the_servers_word_decides_on_a_retry_except_where_it_cannot_help() -> None:
    assert WireError(ErrorKind.RATE_LIMIT, "").transient
    assert not WireError(ErrorKind.RATE_LIMIT, "", should_retry=False).transient
    assert WireError(ErrorKind.INVALID_REQUEST, "", should_retry=True).transient
    assert not WireError(ErrorKind.INVALID_REQUEST, "").transient
    assert not WireError(ErrorKind.CONTEXT_OVERFLOW, "", should_retry=True).transient


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "error",
                    "errors",
                    "message",
                    "detail",
                    "code",
                    "type",
                    "metadata",
                    "raw",
                    "loc",
                    "msg",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(_JSON, st.integers(300, 599))
def test_any_json_body_gives_an_error_of_one_line(body: object, status: int) -> None:
    error = refused(status, json.dumps(body).encode())
    assert error.message.isprintable()


@given(st.binary(), st.integers(300, 599))
def test_any_bytes_give_an_error_of_one_line(body: bytes, status: int) -> None:
    assert refused(status, body).message.isprintable()


def test_an_error_that_nests_as_deep_as_can_be_read_is_told() -> None:
    for depth in range(900, 1000):
        text = '{"error": {"x": ' + "[" * depth + "]" * depth + "}}"
        try:
            value = json.loads(text)
        except RecursionError:
            break
        assert failed(value).message.startswith("the server failed during the reply: ")


@given(st.text(), st.integers(1, 40))
def test_a_line_is_printable_and_not_above_its_limit(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert line.isprintable()
    assert len(line) <= limit
