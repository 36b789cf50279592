"""The command language (S4): the same in cfg files, in the `/set` family and in key binds.

Words are apart by spaces, commands by `;`. A word in double quotes keeps its spaces; in it a backslash before a
quote, a backslash, `n` or `r` stands for the quote, itself and the line ends, so that every text can be written.
Every fault is a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias

from eukhe.core.cvar.keys import key_name
from eukhe.core.cvar.kinds import show

__all__ = [
    "Action",
    "Alias",
    "Bind",
    "Command",
    "Fault",
    "Line",
    "ParseError",
    "Plain",
    "Run",
    "Script",
    "Set",
    "Toggle",
    "Words",
    "cfg_text",
    "parse_list",
    "parse_script",
    "quote",
    "split",
    "text_of",
]


@dataclass(frozen=True, slots=True)
class Set:
    """`set <id> <value>`; the word becomes a value when the type of the cvar is known."""

    id: str
    word: str


@dataclass(frozen=True, slots=True)
class Toggle:
    """`toggle <id>`."""

    id: str


@dataclass(frozen=True, slots=True)
class Alias:
    """`alias <name> "<commands>"`."""

    name: str
    body: tuple[Command, ...]


@dataclass(frozen=True, slots=True)
class Bind:
    """`bind <key> "<commands>"`; the key is in its one form."""

    key: str
    body: tuple[Command, ...]


@dataclass(frozen=True, slots=True)
class Action:
    """`action <id>`."""

    id: str


@dataclass(frozen=True, slots=True)
class Run:
    """A lone name: it runs the alias."""

    name: str


Plain: TypeAlias = Set | Toggle | Alias | Bind | Action
Command: TypeAlias = Plain | Run


class Fault(Enum):
    """Why a line cannot be read."""

    OPEN_QUOTE = "OpenQuote"
    QUOTE_IN_WORD = "QuoteInWord"
    ARGUMENTS = "Arguments"
    NAME = "Name"
    KEY = "Key"


_SAID: Final = {
    Fault.OPEN_QUOTE: "the quote is never closed",
    Fault.QUOTE_IN_WORD: "a quoted word stands alone: put a space here",
    Fault.ARGUMENTS: "the command has too few or too many words",
    Fault.NAME: "an alias needs a name that is no command",
    Fault.KEY: "there is no such key",
}


@dataclass(frozen=True, slots=True)
class ParseError:
    """What is wrong with a line.

    Attributes:
        fault: The rule.
        column: Where, in characters from 1.
        word: The word at fault, or what stands there.
        line: The line of the file, from 1.
    """

    fault: Fault
    column: int
    word: str
    line: int = 1

    @property
    def message(self) -> str:
        """The error in a sentence, with its place."""
        return f"line {self.line}, column {self.column}: {_SAID[self.fault]}: {quote(self.word)}"


@dataclass(frozen=True, slots=True)
class Line:
    """The commands of one line of a file."""

    number: int
    commands: tuple[Command, ...]


@dataclass(frozen=True, slots=True)
class Script:
    """A cfg file: its lines that can be read, and the faults of the others."""

    lines: tuple[Line, ...]
    errors: tuple[ParseError, ...]


_VERBS: Final = ("set", "toggle", "alias", "bind", "action")
_TOKENS: Final = r"""(?P<space>[ \t\r\n]+)|(?P<next>;)|(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<open>")|"""
_LIST: Final = re.compile(_TOKENS + r"""(?P<bare>[^ \t\r\n;"]+)""", re.DOTALL)
_BARE: Final = r"""(?P<bare>(?:(?!//)[^ \t\r\n;"])+)"""
_CFG: Final = re.compile(r"(?P<comment>//.*)|" + _TOKENS + _BARE, re.DOTALL)
_UNQUOTED: Final = re.compile(_BARE)
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES: Final = {"n": "\n", "r": "\r", '"': '"', "\\": "\\"}
_QUOTED: Final = str.maketrans({"\n": r"\n", "\r": r"\r", '"': r"\"", "\\": r"\\"})

#: The words of a command, each with its column from 1.
Words: TypeAlias = list[tuple[int, str]]


def _unescape(found: re.Match[str]) -> str:
    return _ESCAPES.get(found[1], found[0])


def split(text: str, cfg: bool) -> list[Words] | ParseError:
    """Return the words of each command with their columns, or the first fault.

    Args:
        text: A line.
        cfg: Whether `//` outside quotes starts a comment, as in a cfg file.
    """
    commands: list[Words] = [[]]
    touching = False
    for token in (_CFG if cfg else _LIST).finditer(text):
        column, word = token.start() + 1, token[0]
        match token.lastgroup:
            case "space" | "comment":
                touching = False
                continue
            case "next":
                commands.append([])
                touching = False
                continue
            case _ if touching:
                return ParseError(Fault.QUOTE_IN_WORD, column, word)
            case "open":
                return ParseError(Fault.OPEN_QUOTE, column, word)
            case "quoted":
                word = _ESCAPE.sub(_unescape, word[1:-1])
        commands[-1].append((column, word))
        touching = True
    return [words for words in commands if words]


def _command(words: Words) -> Command | ParseError:
    """Return the command that words make."""
    column, verb = words[0]
    match [word for _, word in words]:
        case ["set", id, word]:
            return Set(id, word)
        case ["toggle", id]:
            return Toggle(id)
        case ["action", id]:
            return Action(id)
        case ["alias", name, _]:
            if not name or name in _VERBS:
                return ParseError(Fault.NAME, words[1][0], name)
            body = _body(words[2])
            return body if isinstance(body, ParseError) else Alias(name, body)
        case ["bind", text, _]:
            key = key_name(text)
            if key is None:
                return ParseError(Fault.KEY, words[1][0], text)
            body = _body(words[2])
            return body if isinstance(body, ParseError) else Bind(key, body)
        case [name] if name not in _VERBS:
            return Run(name)
    return ParseError(Fault.ARGUMENTS, column, verb)


def _body(word: tuple[int, str]) -> tuple[Command, ...] | ParseError:
    """Return the commands in a quoted word; a fault in it is reported where the word stands."""
    found = parse_list(word[1])
    return ParseError(found.fault, *word) if isinstance(found, ParseError) else found


def _parse(text: str, cfg: bool) -> tuple[Command, ...] | ParseError:
    found = split(text, cfg)
    if isinstance(found, ParseError):
        return found
    commands: list[Command] = []
    for words in found:
        command = _command(words)
        if isinstance(command, ParseError):
            return command
        commands.append(command)
    return tuple(commands)


def parse_list(text: str) -> tuple[Command, ...] | ParseError:
    """Return the commands of a line that a user types or that stands in quotes, or its first fault."""
    return _parse(text, cfg=False)


def parse_script(text: str) -> Script:
    """Return the commands of a cfg file line by line; a line with a fault is left out and named.

    Only a line feed ends a line, and `//` outside quotes starts a comment.
    """
    lines: list[Line] = []
    errors: list[ParseError] = []
    for number, line in enumerate(text.split("\n"), start=1):
        found = _parse(line, cfg=True)
        if isinstance(found, ParseError):
            errors.append(ParseError(found.fault, found.column, found.word, number))
        else:
            lines.append(Line(number, found))
    return Script(tuple(lines), tuple(errors))


def quote(word: str) -> str:
    """Return a word as a line of a cfg file holds it: in quotes where it would not stand without."""
    return word if _UNQUOTED.fullmatch(word) else f'"{word.translate(_QUOTED)}"'


def text_of(commands: Iterable[Command]) -> str:
    """Return a list of commands as text that reads back as the same list."""
    return "; ".join(" ".join(quote(word) for word in _words(one)) for one in commands)


def _words(command: Command) -> tuple[str, ...]:
    match command:
        case Set(id, word):
            return ("set", id, word)
        case Toggle(id):
            return ("toggle", id)
        case Alias(name, body):
            return ("alias", name, text_of(body))
        case Bind(key, body):
            return ("bind", key, text_of(body))
        case Action(id):
            return ("action", id)
        case Run(name):
            return (name,)


def cfg_text(sets: Iterable[tuple[str, object]]) -> str:
    """Return the sets of an agent as the lines of a cfg file, one a line (S4.6)."""
    return "".join(text_of((Set(name, show(value)),)) + "\n" for name, value in sets)
