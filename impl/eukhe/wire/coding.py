"""The coding of a body, undone piece by piece, so that a few bytes never become very many at once.

A body is asked for as it is; a proxy that compresses all the same is understood where it uses gzip or deflate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eukhe.wire.error_body import one_line
from eukhe.wire.errors import ErrorKind, WireError

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator

__all__ = ["decoded"]

_KNOWN: Final = ("gzip", "x-gzip", "deflate")
_PIECE: Final = 64 * 1024
_ANY_HEADER: Final = 47  # of gzip or of zlib, whichever comes


async def decoded(pieces: AsyncIterable[bytes], coding: str) -> AsyncIterator[bytes]:
    """Yield the bytes that a compressed body stands for, at most 64 KiB at a time.

    Args:
        pieces: The body as it comes.
        coding: The value of `content-encoding`.

    Raises:
        WireError: `PROTOCOL`: another coding, several of them, or a body that is not in it.
    """
    import zlib  # only a compressed body pays for the import

    if coding.strip().lower() not in _KNOWN:
        raise WireError(
            ErrorKind.PROTOCOL,
            f"the server sent a body in the coding {one_line(coding, 40)!r}, which was not asked for",
        )
    inflating = zlib.decompressobj(_ANY_HEADER)
    try:
        async for piece in pieces:
            more = _PIECE
            while (piece or more == _PIECE) and not inflating.eof:
                found = inflating.decompress(piece, _PIECE)
                piece, more = inflating.unconsumed_tail, len(found)
                if found:
                    yield found
    except zlib.error:
        raise WireError(
            ErrorKind.PROTOCOL, "the server sent a body that cannot be decompressed"
        ) from None
