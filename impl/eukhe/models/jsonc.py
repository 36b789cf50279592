"""JSON with `//` comments and trailing commas, as plain JSON of the same length: every line and column stays."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["plain_json"]

# A string is one token, so that nothing in it is taken for a comment or a comma. One that does not end is left to
# the parser, which says where it begins.
_TOKEN: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_COMMA: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"|,(?=[ \t\r\n]*[}\]])')


def plain_json(text: str) -> str:
    """Return the text without comments and trailing commas; spaces stand in their place."""
    return _COMMA.sub(_blank, _TOKEN.sub(_blank, text))


def _blank(found: re.Match[str]) -> str:
    token = found[0]
    return token if token.startswith('"') else re.sub(r"[^\n]", " ", token)
