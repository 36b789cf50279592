"""A body that a server compresses though none was asked for: undone in small pieces, or refused."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from functools import cache

import pytest

from eukhe.wire.errors import ErrorKind
from eukhe.wire.request import Limits
from tests.servers.chat import Reply
from tests.wire.helpers import ask, failure, message

_PLAIN = b"".join(Reply(text="a").body("m"))
_MIB = 1024 * 1024


@cache
def _bomb(mebibytes: int) -> bytes:
    """Line ends, which say nothing in an event stream, in a thousandth of their bytes."""
    packing = zlib.compressobj(9, zlib.DEFLATED, 31)
    blocks = [packing.compress(b"\n" * _MIB) for _ in range(mebibytes)]
    return b"".join(blocks) + packing.flush()


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip", gzip.compress(_PLAIN)),
        ("GZIP ", gzip.compress(_PLAIN)),
        ("deflate", zlib.compress(_PLAIN)),
        ("identity", _PLAIN),
        ("", _PLAIN),
        ("gzip", gzip.compress(_PLAIN) + b"more"),
        ("gzip", gzip.compress(_PLAIN + b"\n" * 200_000 + _PLAIN)),
    ],
)
@pytest.mark.parametrize("piece", [0, 1])
def test_a_compressed_event_stream_is_read(coding: str, body: bytes, piece: int) -> None:
    reply = Reply(raw=body, headers={"content-encoding": coding}, piece=piece)
    assert message(ask(reply)).text == "a"


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd", "gzip, gzip", "snappy"])
def test_a_coding_that_the_body_is_not_in_or_nobody_knows_is_told(coding: str) -> None:
    error = failure(ask(Reply(raw=b"nothing of it", headers={"content-encoding": coding})))
    assert error.kind is ErrorKind.PROTOCOL
    assert "decompressed" in error.message or repr(coding.strip()) in error.message


@pytest.mark.parametrize("status", [200, 500])
def test_a_small_body_that_stands_for_a_large_one_takes_little_memory(status: int) -> None:
    reply = Reply(status=status, raw=_bomb(64), headers={"content-encoding": "gzip"})
    tracemalloc.start()
    try:
        error = failure(ask(reply, limits=Limits(event=_MIB, error=_MIB)))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert error.kind is (ErrorKind.PROTOCOL if status == 200 else ErrorKind.SERVER)
    assert most < 16 * _MIB
