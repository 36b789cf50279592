"""The command language (S4): a line is read into words, and words into a command.

A line is a tuple of `Sign`s; a word that matters to a command is a `Lex`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Sign(Enum):
    """The characters that a line is read by; `LETTER` is any other, `EN` is an n, `BREAK` a line break."""

    LETTER = "a"
    EN = "n"
    SPACE = " "
    QUOTE = '"'
    SEMICOLON = ";"
    SLASH = "/"
    BACKSLASH = "\\"
    BREAK = "\n"


class Fault(Enum):
    """Why a line cannot be read."""

    OPEN_QUOTE = "OpenQuote"
    QUOTE_IN_WORD = "QuoteInWord"
    ARGUMENTS = "Arguments"
    NAME = "Name"
    KEY = "Key"


@dataclass(frozen=True)
class ParseError:
    """What is wrong with a line: the sign, or the word, at `column` (from 1)."""

    fault: Fault
    column: int


Text = tuple[Sign, ...]
Commands = tuple[tuple[Text, ...], ...]


def _comment(line: Text, at: int, cfg: bool) -> bool:
    return cfg and line[at : at + 2] == (Sign.SLASH, Sign.SLASH)


def _ends(line: Text, at: int, cfg: bool) -> bool:
    """Say whether a word cannot go on at a place of a line."""
    blank = (Sign.SPACE, Sign.BREAK, Sign.SEMICOLON)
    return at >= len(line) or line[at] in blank or _comment(line, at, cfg)


def _quoted(line: Text, at: int) -> tuple[Text, int] | None:
    """Return the word from an opening quote, and the place after the closing quote; None without one."""
    word: Text = ()
    escaped = False
    for place in range(at + 1, len(line)):
        sign = line[place]
        if escaped:
            plain = sign in (Sign.QUOTE, Sign.BACKSLASH)
            kept = (sign,) if plain else (Sign.BACKSLASH, sign)
            word = word + ((Sign.BREAK,) if sign is Sign.EN else kept)
            escaped = False
        elif sign is Sign.BACKSLASH:
            escaped = True
        elif sign is Sign.QUOTE:
            return word, place + 1
        else:
            word = (*word, sign)
    return None


def _bare(line: Text, at: int, cfg: bool) -> int:
    """Return the place after a word without quotes, at most before a quote."""
    while not _ends(line, at, cfg) and line[at] is not Sign.QUOTE:
        at = at + 1
    return at


def split(line: Text, cfg: bool) -> Commands | ParseError:
    """Return the commands of a line, each as its words; in a cfg file `//` outside quotes starts a comment.

    A quoted word stands alone: a quote inside a word, or a word right after a closing quote, is a fault.
    """
    commands: Commands = ()
    words: tuple[Text, ...] = ()
    at = 0
    while at < len(line) and not _comment(line, at, cfg):
        if line[at] in (Sign.SPACE, Sign.BREAK):
            at = at + 1
        elif line[at] is Sign.SEMICOLON:
            commands, words, at = (*commands, words), (), at + 1
        else:
            start = at
            word = line[at : _bare(line, at, cfg)]
            at = at + len(word)
            if not word:
                read = _quoted(line, at)
                if read is None:
                    return ParseError(Fault.OPEN_QUOTE, start + 1)
                word, at = read
            if not _ends(line, at, cfg):
                return ParseError(Fault.QUOTE_IN_WORD, at + 1)
            words = (*words, word)
    return tuple(one for one in (*commands, words) if one)


class Lex(Enum):
    """The words that commands tell apart: the five verbs, nothing, a name, a list of commands, a broken one."""

    SET = "set"
    TOGGLE = "toggle"
    ALIAS = "alias"
    BIND = "bind"
    ACTION = "action"
    EMPTY = ""
    NAME = "x"
    BODY = "set x y//z; x"
    BROKEN = "set x"


@dataclass(frozen=True)
class Understood:
    """A command: a verb with its words, or a lone name, which runs an alias."""

    verb: Lex
    words: tuple[Lex, ...]


_VERBS = (Lex.SET, Lex.TOGGLE, Lex.ALIAS, Lex.BIND, Lex.ACTION)


def _body_fault(body: Lex) -> Fault | None:
    """Return what is wrong with a list of commands in quotes: here a verb alone, or too few words."""
    return Fault.ARGUMENTS if body in (*_VERBS, Lex.BROKEN) else None


def read_command(words: tuple[Lex, ...]) -> Understood | ParseError:
    """Return the command that words make; the column of a fault counts words.

    A command with too few or too many words is faulty at its first word, a bad name or key at itself, a list of
    commands that cannot be read where it stands. A key is one character or has a key's name.
    """
    match words:
        case (Lex.SET, _, _) | (Lex.TOGGLE | Lex.ACTION, _):
            return Understood(words[0], words[1:])
        case (Lex.ALIAS, name, body):
            if name in (*_VERBS, Lex.EMPTY):
                return ParseError(Fault.NAME, 2)
            fault = _body_fault(body)
            return ParseError(fault, 3) if fault else Understood(Lex.ALIAS, (name, body))
        case (Lex.BIND, key, body):
            if key is not Lex.NAME:
                return ParseError(Fault.KEY, 2)
            fault = _body_fault(body)
            return ParseError(fault, 3) if fault else Understood(Lex.BIND, (key, body))
        case (only,) if only not in _VERBS:
            return Understood(Lex.NAME, (only,))
    return ParseError(Fault.ARGUMENTS, 1)
