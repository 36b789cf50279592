"""The values of keys and headers in `models.json`: a literal, an environment variable, or a command's output."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from eukhe.models.key_command import run

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "COMMAND_SECONDS",
    "MOST_BYTES",
    "Unresolved",
    "Value",
    "looks_like_a_variable",
    "resolve",
    "source_of",
    "variables_in",
]

#: How long a command for a key may run.
COMMAND_SECONDS: Final = 10.0

#: How much it may print; no key is as long.
MOST_BYTES: Final = 64 * 1024

_VARIABLE: Final = re.compile(r"\$(?:\$|!|\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))")
_NAME: Final = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_SHOWN: Final = 300


@dataclass(frozen=True, slots=True)
class Value:
    """A value; it may be a key, so it is not shown.

    Attributes:
        text: The value.
    """

    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Unresolved:
    """Why there is no value; the message never holds one.

    Attributes:
        message: What is missing or failed, and what to do.
    """

    message: str


def looks_like_a_variable(text: str, environ: Mapping[str, str]) -> bool:
    """Whether a literal is spelled like an environment variable that is not set: probably a mistake."""
    return bool(_NAME.fullmatch(text)) and text not in environ


def source_of(text: str, environ: Mapping[str, str]) -> str:
    """Say where a value comes from, without resolving it."""
    if text.startswith("!"):
        return "a command"
    names = variables_in(text, environ)
    return f"the environment variable {' and '.join(names)}" if names else "a text in the file"


def variables_in(text: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the environment variables that a value names."""
    if text.startswith("!"):
        return ()
    if text in environ:
        return (text,)
    names = (found[1] or found[2] for found in _VARIABLE.finditer(text))
    return tuple(name for name in names if name)


def resolve(
    text: str, environ: Mapping[str, str], seconds: float = COMMAND_SECONDS
) -> Value | Unresolved:
    """Resolve a value.

    Args:
        text: `!COMMAND` runs in a shell and gives what it prints, trimmed; `$NAME` and `${NAME}` stand for
            variables and are never literals, `$$` and `$!` for the signs; the exact name of a variable that is set
            gives its value; anything else is a literal.
        environ: The environment.
        seconds: How long a command may run.
    """
    if text.startswith("!"):
        return _printed(text[1:], environ, seconds)
    if text in environ:
        return Value(environ[text]) if environ[text] else Unresolved(_unset(text, "is empty"))
    missing: list[str] = []

    def one(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        if name is None:
            return found[0][1:]
        if not environ.get(name):
            missing.append(name)
        return environ.get(name, "")

    value = _VARIABLE.sub(one, text)
    if missing:
        return Unresolved(_unset(missing[0], "is not set"))
    return Value(value) if value else Unresolved("the value is empty")


def _unset(name: str, why: str) -> str:
    return f"the environment variable {name} {why}; set it, or write the value in another way"


def _printed(command: str, environ: Mapping[str, str], seconds: float) -> Value | Unresolved:
    """Run a command. Its output may be the key, so only its errors are ever shown."""
    try:
        done = run(command, environ, seconds, MOST_BYTES)
    except OSError as error:
        return Unresolved(f"the command for it cannot run: {error.strerror or error}")
    if done.status is None:
        why = f"did not end within {seconds:g} s" if done.whole else "printed too much for a key"
        return Unresolved(f"the command for it {why}; it was ended")
    if done.status:
        how = f"ended with {done.status}" if done.status > 0 else "was killed"
        return Unresolved(f"the command for it {how}{_said(done.errors)}")
    value = done.output.decode(errors="replace").strip()
    return (
        Value(value)
        if value
        else Unresolved(f"the command for it printed nothing{_said(done.errors)}")
    )


def _said(errors: bytes) -> str:
    text = " ".join(errors.decode(errors="replace").split())
    shown = "".join(one if one.isprintable() else "?" for one in text[:_SHOWN])
    return f" and said: {shown}" if shown else " and said nothing on stderr"
