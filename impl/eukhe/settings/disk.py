"""What is on disk: the bytes of a document as the core wants to hear of them, and the lines of its keys."""

from __future__ import annotations

import codecs
import json
import math
import os
import stat
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn, TypeAlias

from eukhe.core.config import Disk, Invalid, Missing, Parsed, Unreadable

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["LARGEST", "Mark", "Text", "mark", "parse", "read_text"]

#: The most bytes of a config file. A project's files come from anyone, and are read before it is trusted.
LARGEST: Final = 16 * 1024 * 1024

#: What tells whether a file is still the one that was read: None for no file.
Mark: TypeAlias = tuple[int, int, int] | None


class Text(NamedTuple):
    """A file as text.

    Attributes:
        text: What it holds; empty when it is not there.
        missing: Whether it is not there.
        unreadable: Why it cannot be read; empty when it can.
        mark: The file that was read.
    """

    text: str
    missing: bool = False
    unreadable: str = ""
    mark: Mark = None


def mark(path: Path) -> Mark:
    """Return the mark of a file: one stat."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def read_text(path: Path) -> Text:
    """Read a file; nothing is raised, whatever is there, and nothing is waited for.

    A pipe, a device or a socket in the place of a file is never read: it could keep eukhe waiting without end.
    """
    before = mark(path)
    try:
        data = _bytes(path)
    except FileNotFoundError:
        return Text("", missing=True)
    except (OSError, ValueError) as error:
        return Text("", unreadable=getattr(error, "strerror", None) or str(error), mark=before)
    if data.startswith(codecs.BOM_UTF8):
        why = "it begins with a byte order mark; save it as UTF-8 without one"
        return Text("", unreadable=why, mark=before)
    try:
        return Text(data.decode(), mark=before)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Text("", unreadable=f"line {line} is not UTF-8", mark=before)


def _bytes(path: Path) -> bytes:
    # Without O_NONBLOCK, opening a pipe that nobody writes to never returns.
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    with open(fd, "rb", buffering=0) as file:  # noqa: PTH123 - a descriptor, not a path
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise ValueError("it is no regular file")
        data = file.read(LARGEST + 1) or b""
        while len(data) <= LARGEST and (more := file.read(LARGEST + 1 - len(data))):
            data += more
    if len(data) > LARGEST:
        raise ValueError(f"it has more than {LARGEST} bytes")
    return data


def parse(found: Text) -> Disk:
    """Return what a file holds as JSON.

    An object with a key twice, a number that no JSON has and nesting without end are no valid JSON: which of two
    values counts must not be a guess.
    """
    if found.missing:
        return Missing()
    if found.unreadable:
        return Unreadable(found.unreadable)
    try:
        return Parsed(
            json.loads(
                found.text,
                object_pairs_hook=_object,
                parse_constant=_constant,
                parse_float=_float,
            )
        )
    except json.JSONDecodeError as error:
        return Invalid(f"line {error.lineno}, column {error.colno}: {error.msg}")
    except ValueError as error:
        if "digits" in str(error) and "limit" in str(
            error
        ):  # the interpreter's own words are for programmers
            return Invalid("a number in it has too many digits")
        return Invalid(str(error))
    except RecursionError:
        return Invalid("it is nested too deep")


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {json.dumps(twice)} stands twice in one object")
    return found


def _constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text} is too large")
    return value
