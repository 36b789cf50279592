"""Settings errors: what is wrong with the files that settings come from, each with its file, line and key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from eukhe.core.config import IN_FLIGHT
from eukhe.core.cvar import ErrorKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eukhe.core.cvar import CvarError

_FAILS_CLOSED: Final = (
    f"{IN_FLIGHT} takes whole numbers by provider: an entry that is none limits its provider to 1 "
    "request, and a value that is no object limits every provider to 1"
)
"""The one set that has an effect though it is not valid."""

__all__ = ["Issue", "of_entry", "printable", "shown"]


def printable(text: str) -> str:
    """A text from a file as a terminal may show it: what could steer the terminal stands as its escape.

    A project's keys and values come from anyone, and they are shown before the project is trusted.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class Issue(NamedTuple):
    """One settings error, as the row `eukhe.settings_error` holds it.

    Attributes:
        kind: The rule: `Undeclared`, `BadValue`, `Global`, `NotBool`, `Unreadable`, `Withheld`, ...
        file: Where it stands.
        message: What happened and what to do, in a sentence that does not name the file again.
        id: The setting, or empty.
        line: The line of the file, from 1; None for the whole file.
    """

    kind: str
    file: str
    message: str
    id: str = ""
    line: int | None = None

    @property
    def text(self) -> str:
        """The error as a user reads it."""
        return f"{self.place}: {self.message}" if self.file else self.message

    @property
    def place(self) -> str:
        """The file and the line."""
        return self.file if self.line is None else f"{self.file}:{self.line}"

    def to_json(self) -> dict[str, str | int | None]:
        """The body of the row."""
        return {
            "kind": self.kind,
            "id": self.id,
            "file": self.file,
            "line": self.line,
            "message": self.message,
        }


def of_entry(error: CvarError, file: str, line: int | None) -> Issue:
    """Return the error of a set that was rejected where it stands in a file."""
    if error.id == IN_FLIGHT and error.kind is ErrorKind.BAD_VALUE:
        return Issue(error.kind.value, file, _FAILS_CLOSED, error.id, line)
    return Issue(error.kind.value, file, f"{error.message}; this set has no effect", error.id, line)


def shown(issues: Iterable[Issue]) -> tuple[Issue, ...]:
    """Return settings errors with messages that a terminal may show, a line each."""
    return tuple(
        one._replace(message=printable(one.message), id=printable(one.id)) for one in issues
    )
