"""Settings errors: what is wrong with the files that settings come from, each with its file, line and key."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from eukhe.core.cvar import CvarError

__all__ = ["Issue", "of_entry"]


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
    return Issue(error.kind.value, file, f"{error.message}; this set has no effect", error.id, line)
