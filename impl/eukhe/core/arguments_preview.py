"""The preview of arguments that are still coming (S6 argument repair, 1): for display only, it never runs a tool.

The preview reads each character once. It reads what the final parse reads, closes what is open at the edge, and
leaves out what is not yet sure there: a number or a word that may go on, a key without a value. From the first
fault on it stays as it is.
"""

from __future__ import annotations

import re
from enum import Enum, auto

from eukhe.core.arguments_text import LITERALS, MAX_DEPTH, read_number, read_string, word_fault

__all__ = ["Preview"]

GROWTH = 32
"""A preview is due when it grew by a 32nd since the last one: all previews of a stream cost linear time."""

_SPACE = re.compile(r"[ \t\n\r]*+")
_NAME = re.compile(r"[\w$]*+")
_NUMBER = re.compile(r"[^\s,}\]:/\"'{\[]*+")
_WORD = re.compile(r"[^,}\]\n\r]*+")
_KEY = re.compile(r"[^:,}\s]*+")
_LINE = re.compile(r"[^\n\r]*+")
_HEX = "[0-9a-fA-F]"
_LOW = rf"\\u[dD][c-fC-F]{_HEX}{{2}}"
_HIGH = rf"\\u[dD][89abAB]{_HEX}{{2}}"
_SURE = {
    quote: re.compile(
        rf"(?:[^{quote}\\]++|\\[^u]|{_HIGH}{_LOW}|\\u(?![dD][89abAB]){_HEX}{{4}})*+", re.DOTALL
    )
    for quote in "\"'"
}
"""What of a string can be read without what comes next."""

_UNSURE = re.compile(
    rf"\\(?:u{_HEX}{{0,3}})?\Z|{_HIGH}(?:\\(?:u(?:[dD](?:[c-fC-F]{_HEX}?)?)?)?)?\Z"
)
"""The start of an escape at the edge; a high surrogate waits for its low one."""


class _Mode(Enum):
    """What is being read."""

    GAP = auto()
    BLOCK = auto()
    LINE = auto()
    STRING = auto()
    QUOTE = auto()  # a single quote, which may close its string
    KEY = auto()
    NUMBER = auto()
    NAME = auto()  # a literal, or the start of a word
    WORD = auto()
    OVER = auto()


class _Place(Enum):
    """What comes next in the open object or list."""

    START = auto()
    ITEM = auto()
    COLON = auto()
    VALUE = auto()
    COMMA = auto()


class Preview:
    """Arguments as far as they have come.

    Example:
        `preview.feed(piece)` for each piece of the stream, and `preview.value()` whenever `preview.due`.
    """

    __slots__ = (
        "_after",
        "_at",
        "_key",
        "_mode",
        "_node",
        "_open",
        "_parts",
        "_place",
        "_quote",
        "_read",
        "_root",
        "_shown",
        "_text",
    )

    def __init__(self) -> None:
        self._root: dict[str, object] = {}
        self._node: dict[str, object] | list[object] = self._root
        self._open: list[dict[str, object] | list[object]] = []
        self._key: str | None = None
        self._place = _Place.START
        self._mode = _Mode.GAP
        self._quote = ""
        self._parts: list[str] = []
        self._after: list[str] = []
        self._text = ""
        self._at = 0
        self._read = 0
        self._shown = 0

    @property
    def due(self) -> bool:
        """Whether enough has come since the last `value` to look again."""
        return self._read > self._shown and (self._read - self._shown) * GROWTH >= self._shown

    def feed(self, piece: str) -> None:
        """Read the next piece of the text, of any size."""
        self._read += len(piece)
        if self._mode is _Mode.OVER:
            return
        self._text = self._text[self._at :] + piece if self._at < len(self._text) else piece
        self._at = 0
        while self._at < len(self._text) and self._step():
            pass

    def value(self) -> dict[str, object]:
        """The arguments with everything closed that is open; a new object each time."""
        self._shown = self._read
        copies: dict[int, dict[str, object] | list[object]] = {}
        root = {key: _copy(child, copies) for key, child in self._root.items()}
        node = root if self._node is self._root else copies[id(self._node)]
        if self._place is _Place.VALUE and self._mode in (_Mode.STRING, _Mode.QUOTE):
            text = "".join(self._parts)
            self._parts = [text]
            if isinstance(node, list):
                node.append(text)
            elif self._key is not None:
                node[self._key] = text
        return root

    def _step(self) -> bool:
        """Read on; False when what comes next must be known first."""
        match self._mode:
            case _Mode.GAP:
                return self._gap()
            case _Mode.BLOCK:
                return self._block()
            case _Mode.LINE:
                self._take(_LINE)
                self._mode = _Mode.GAP if self._at < len(self._text) else _Mode.LINE
            case _Mode.STRING:
                return self._string()
            case _Mode.QUOTE:
                return self._after_quote()
            case _Mode.KEY:
                if self._collect(_KEY):
                    self._end_plain_key()
            case _Mode.NUMBER:
                if self._collect(_NUMBER):
                    number = read_number(self._joined())
                    if number is None:
                        self._mode = _Mode.OVER
                    else:
                        self._end_value(number)
            case _Mode.NAME:
                if self._collect(_NAME):
                    self._end_name()
            case _Mode.WORD:
                if self._collect(_WORD):
                    self._end_word()
            case _Mode.OVER:
                return False
        return True

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._at)
        taken = "" if match is None else match[0]
        self._at += len(taken)
        return taken

    def _collect(self, pattern: re.Pattern[str]) -> bool:
        """Take what belongs to the token; True when it ends here."""
        self._parts.append(self._take(pattern))
        return self._at < len(self._text)

    def _joined(self) -> str:
        text = "".join(self._parts)
        self._parts = []
        return text

    def _gap(self) -> bool:
        self._take(_SPACE)
        if self._at == len(self._text):
            return True
        char = self._text[self._at]
        if char == "/":
            two = self._text[self._at : self._at + 2]
            if two == "/":
                return False
            if two in ("//", "/*"):
                self._at += 2
                self._mode = _Mode.LINE if two == "//" else _Mode.BLOCK
                return True
        self._token(char)
        return True

    def _block(self) -> bool:
        end = self._text.find("*/", self._at)
        if end < 0:
            self._at = len(self._text) - self._text.endswith("*")
            return False
        self._at = end + 2
        self._mode = _Mode.GAP
        return True

    def _token(self, char: str) -> None:
        """Begin what the character begins."""
        match self._place, char:
            case _Place.START, "{":
                self._place = _Place.ITEM
                self._at += 1
            case _Place.COLON, ":":
                self._place = _Place.VALUE
                self._at += 1
            case ((_Place.ITEM | _Place.COMMA), ","):
                self._place = _Place.ITEM
                self._at += 1
            case ((_Place.ITEM | _Place.COMMA), ("}" | "]")):
                self._close(char)
            case _Place.ITEM, _ if isinstance(self._node, dict):
                self._begin(char, _Mode.KEY)
            case ((_Place.ITEM | _Place.VALUE), ("{" | "[")):
                self._nest(char)
            case ((_Place.ITEM | _Place.VALUE), _) if char not in ",}]:":
                self._place = _Place.VALUE
                mode = _Mode.NUMBER if char in "0123456789+-." else _Mode.NAME
                self._begin(char, mode)
            case _:
                self._mode = _Mode.OVER

    def _begin(self, char: str, mode: _Mode) -> None:
        self._parts = []
        self._mode = mode
        if char in "\"'":
            self._mode, self._quote = _Mode.STRING, char
            self._at += 1

    def _nest(self, char: str) -> None:
        if len(self._open) + 1 >= MAX_DEPTH:
            self._mode = _Mode.OVER
            return
        child: dict[str, object] | list[object] = {} if char == "{" else []
        parent = self._node
        self._end_value(child)
        self._open.append(parent)
        self._node = child
        self._place = _Place.ITEM
        self._at += 1

    def _close(self, char: str) -> None:
        if (char == "}") is not isinstance(self._node, dict) or not self._open:
            self._mode = _Mode.OVER
            return
        self._node = self._open.pop()
        self._place = _Place.COMMA
        self._at += 1

    def _string(self) -> bool:
        self._parts.append(read_string(self._take(_SURE[self._quote])))
        rest = self._text[self._at : self._at + 12]
        if rest.startswith(self._quote):
            self._at += 1
            if self._quote == "'":
                self._mode = _Mode.QUOTE
            else:
                self._end_string()
            return True
        if not rest or _UNSURE.fullmatch(rest):
            return False
        # No escape after all, or half a pair of surrogates.
        size = 6 if re.match(_HIGH, rest) else 2
        self._parts.append(read_string(rest[:size]))
        self._at += size
        return True

    def _after_quote(self) -> bool:
        """Close the string when what follows the quote could follow a string; else the quote is in it."""
        self._after.append(self._take(_SPACE))
        two = self._text[self._at : self._at + 2]
        if two in ("", "/"):
            return False
        if two[0] in ",}]:" or two in ("//", "/*"):
            self._end_string()
        else:
            self._parts += ["'", *self._after]
            self._mode = _Mode.STRING
        self._after = []
        return True

    def _end_string(self) -> None:
        text = self._joined()
        if self._place is _Place.VALUE:
            self._end_value(text)
        else:
            self._end_key(text)

    def _end_key(self, key: str) -> None:
        self._key = key
        self._place = _Place.COLON
        self._mode = _Mode.GAP if key else _Mode.OVER

    def _end_plain_key(self) -> None:
        key = self._joined()
        self._end_key("" if any(char in key for char in "\"'{[]") else key)

    def _end_name(self) -> None:
        name = "".join(self._parts)
        if name in LITERALS:
            self._parts = []
            self._end_value(LITERALS[name])
        else:
            self._mode = _Mode.WORD

    def _end_word(self) -> None:
        word = self._joined().rstrip(" \t")
        if word and word_fault(word) is None:
            self._end_value(word)
        else:
            self._mode = _Mode.OVER

    def _end_value(self, value: object) -> None:
        if isinstance(self._node, list):
            self._node.append(value)
        elif self._key is not None:
            self._node[self._key] = value
            self._key = None
        self._place = _Place.COMMA
        self._mode = _Mode.GAP


def _copy(value: object, copies: dict[int, dict[str, object] | list[object]]) -> object:
    """A value with containers of its own; `copies` gets each of them by the id of the old one."""
    if isinstance(value, dict):
        named: dict[str, object] = {key: _copy(child, copies) for key, child in value.items()}
        copies[id(value)] = named
        return named
    if isinstance(value, list):
        items: list[object] = [_copy(child, copies) for child in value]
        copies[id(value)] = items
        return items
    return value
