"""Secrets on the command line: asked for or piped in, never an argument, and shown masked."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CREDENTIAL", "hidden", "masked", "read_secret"]

#: Names of variables and headers that hold a credential.
CREDENTIAL: Final = re.compile(
    r".*(api[-_]?key|token|secret|password|authorization|credential|cookie).*", re.IGNORECASE
)


def read_secret(what: str) -> str:
    """Ask for a secret without showing it; without a terminal it is the first line of stdin.

    Raises:
        click.UsageError: nothing came.
    """
    if sys.stdin.isatty():
        text = click.prompt(what, hide_input=True, default="", show_default=False, err=True)
    else:
        text = sys.stdin.readline()
    secret = str(text).strip()
    if not secret:
        raise click.UsageError(f"no {what} was given: type it at the prompt, or pipe it in")
    if not secret.isprintable():
        raise click.UsageError(f"the {what} holds a character that cannot be printed")
    return secret


def masked(secret: str) -> str:
    """A secret as it may be shown: its last four characters at most, and of a short one nothing."""
    return f"****{secret[-4:]}" if len(secret) >= 16 else "****"


def hidden(unit: Mapping[str, object]) -> dict[str, object]:
    """An MCP entry as it may be shown: the values of its variables and headers are masked."""
    return {
        key: {name: masked(str(inner)) for name, inner in value.items()}
        if key in ("env", "headers") and isinstance(value, dict)
        else value
        for key, value in unit.items()
    }
