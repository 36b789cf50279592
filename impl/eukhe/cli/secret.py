"""Secrets on the command line: asked for or piped in, never an argument."""

from __future__ import annotations

import sys

import click

__all__ = ["read_secret"]


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
