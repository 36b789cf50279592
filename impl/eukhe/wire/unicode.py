"""Surrogates: halves of a code point that JSON can spell alone and UTF-8 cannot carry.

Some servers cut a reply between the two halves, so a half at the end of a delta waits for the next delta.
"""

from __future__ import annotations

import re

__all__ = ["Joiner", "encodable", "says"]

_SURROGATE = re.compile("[\ud800-\udfff]")
_LAST_HIGH = re.compile("[\ud800-\udbff]\\Z")


def encodable(text: str, *, instead: str = "") -> str:
    """Join halves that are neighbours and put `instead` in the place of every half that is alone."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    paired = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return _SURROGATE.sub(instead, paired)


def says(text: str) -> bool:
    """Whether a text holds more than blanks when it is sent; some servers refuse one that does not."""
    return bool(encodable(text).strip())


class Joiner:
    """Turns pieces of one text into pieces that can be encoded, each as early as possible."""

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held = ""

    def take(self, piece: str) -> str:
        """Return what can be shown of the text so far and was not yet returned; a lone half becomes U+FFFD."""
        if not self._held and (piece.isascii() or not _SURROGATE.search(piece)):
            return piece
        if not piece:
            return ""
        piece = self._held + piece
        self._held = ""
        if _LAST_HIGH.search(piece):
            self._held = piece[-1]
            piece = piece[:-1]
        return encodable(piece, instead="\ufffd")

    def rest(self) -> str:
        """Return what is left at the end of the text."""
        held, self._held = self._held, ""
        return "\ufffd" if held else ""
