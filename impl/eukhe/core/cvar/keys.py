"""The names of keys: one form for each key, however a user writes it."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["key_name"]

_MODIFIERS: Final = ("ctrl", "shift", "alt", "super")
_KEY: Final = re.compile(r"((?:(?:ctrl|shift|alt|super)\+)*)(.+)", re.DOTALL)
_NAMED: Final = re.compile(
    "escape|enter|tab|space|backspace|delete|insert|home|end|pageup|pagedown|up|down|left|right|"
    "f[1-9]|f1[0-2]"
)


def key_name(text: str) -> str | None:
    """Return the one form of a key, modifiers in a fixed order and all in lower case, like `ctrl+shift+pageup`.

    Args:
        text: Modifiers and a base key, joined with `+`, in any order and case; `esc` is `escape`. A base is one
            character, or the name of a key.

    Returns:
        The form, or None when there is no such key.
    """
    found = _KEY.fullmatch(text.lower())
    if found is None:
        return None
    held, base = found[1], found[2]
    if base == "esc":
        base = "escape"
    single = len(base) == 1 and base.isprintable() and base != " "
    if not single and not _NAMED.fullmatch(base):
        return None
    return "".join(f"{one}+" for one in _MODIFIERS if f"{one}+" in held) + base
