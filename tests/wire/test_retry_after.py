"""How long a server asks to wait."""

from __future__ import annotations

import pytest

from eukhe.wire.error_body import failed, refused
from eukhe.wire.errors import ErrorKind
from eukhe.wire.retry_after import retry_after, said_wait, should_retry

_NOON = 1_767_268_800.0  # Thu, 01 Jan 2026 12:00:00 GMT


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after": "Thu, 01 Jan 2026 12:00:07 GMT"}, 7.0),
        ({"retry-after": "Thu, 01 Jan 2026 11:00:00 GMT"}, 0.0),
        (
            {
                "retry-after": "Thu, 01 Jan 2026 13:00:07 GMT",
                "date": "Thu, 01 Jan 2026 13:00:00 GMT",
            },
            7.0,
        ),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Thu, 99 Foo 2026 12:00:07 GMT"}, None),
    ],
)
def test_the_wait_is_read(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, _NOON) == seconds


def test_the_servers_word_on_a_retry_is_read() -> None:
    assert should_retry({"x-should-retry": "true"}) is True
    assert should_retry({"x-should-retry": "False"}) is False
    assert should_retry({"x-should-retry": "maybe"}) is None
    assert should_retry({}) is None


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Rate limit reached. Please try again in 11.054s. Visit us.", 11.054),
        ("Please try again in 86ms.", 0.086),
        ("please try again in 6m0s", 360.0),
        ("Try again in 1h2m3s", 3723.0),
        ("Please retry in 34.5 seconds", 34.5),
        ("retry after 2 minutes, 5 secs", 125.0),
        ("try again in a moment", None),
        ("try again in 5 apples", None),
        ("I retry in vain", None),
        ("try again in 12", None),
        ("", None),
    ],
)
def test_the_words_of_an_error_say_how_long(text: str, seconds: float | None) -> None:
    assert said_wait(text) == (None if seconds is None else pytest.approx(seconds))


def test_only_a_limit_of_the_moment_is_waited_for() -> None:
    words = "Please try again in 3s."
    limit = failed({"error": {"code": "rate_limit_exceeded", "message": words}})
    assert (limit.kind, limit.retry_after) == (ErrorKind.RATE_LIMIT, 3.0)
    spent = failed({"error": {"code": "insufficient_quota", "message": words}})
    assert (spent.kind, spent.retry_after) == (ErrorKind.PAYMENT_REQUIRED, None)
    busy = refused(503, b'{"error": {"message": "Overloaded, retry in 2s"}}')
    assert (busy.kind, busy.retry_after) == (ErrorKind.OVERLOADED, 2.0)
    wrong = refused(400, b'{"error": {"message": "Your tool said: try again in 2s"}}')
    assert (wrong.kind, wrong.retry_after) == (ErrorKind.INVALID_REQUEST, None)
