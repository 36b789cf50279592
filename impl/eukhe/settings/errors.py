"""What can go wrong with settings, one class a cause, each with its fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from eukhe.core.config import Fault
    from eukhe.core.cvar import CvarError, RegistryError


class SettingsError(Exception):
    """Any failure of settings and config documents."""


class TableError(SettingsError):
    """The table of cvars is broken, so eukhe does not start (S4.1).

    Attributes:
        error: The first bad declaration.
    """

    def __init__(self, error: RegistryError) -> None:
        super().__init__(f"RegistryError: {error.message}; this eukhe is broken, install it again")
        self.error = error


class RefusedSetError(SettingsError):
    """A set that is not valid (S4.3); nothing was written.

    Attributes:
        error: The rule, the cvar and what it takes.
    """

    def __init__(self, error: CvarError, hint: str = "") -> None:
        super().__init__(error.message + (f"; {hint}" if hint else ""))
        self.error = error


class RefusedWriteError(SettingsError):
    """A document that must stay as it is: it could not be read, parsed or understood (S4b.1).

    Attributes:
        path: The document.
        fault: The rule; None for a cfg file, which knows only "cannot be read".
        why: What the reader said.
    """

    def __init__(self, path: Path, message: str, why: str, fault: Fault | None = None) -> None:
        super().__init__(message)
        self.path = path
        self.fault = fault
        self.why = why


class WriteFailedError(SettingsError):
    """A document that could not be written; it is as it was, and nothing is left beside it.

    Attributes:
        path: The document.
        cause: The error of the operating system.
    """

    def __init__(self, path: Path, cause: OSError) -> None:
        super().__init__(
            f"{path} could not be written: {cause.strerror or cause}; it is as it was before"
        )
        self.path = path
        self.cause = cause


class LockedError(SettingsError):
    """Another process held the lock of a document for too long; nothing was written.

    Attributes:
        path: The document.
        lock: The file of the lock.
    """

    def __init__(self, path: Path, lock: Path, seconds: float) -> None:
        super().__init__(
            f"{path} was not written: another process has held {lock.name} for {seconds:g} s; "
            "wait for it or end it, then try again"
        )
        self.path = path
        self.lock = lock
