"""How long a server asks to wait."""

from __future__ import annotations

import pytest

from eukhe.wire.retry_after import retry_after, should_retry

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
