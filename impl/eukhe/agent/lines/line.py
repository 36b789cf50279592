"""Which lines of a prompt are session commands. Apart from what runs them, so that other prompts pay nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from eukhe.agent.lines.model import MODEL_LINES
from eukhe.agent.lines.session import SESSION_LINES

__all__ = ["COMMANDS", "COMPACT", "SlashLine", "split_prompt"]

#: The command that asks the model; it runs behind all others, because they can choose the model.
COMPACT: Final = "compact"

#: The commands, beside the names of aliases.
COMMANDS: Final = (
    "set",
    "toggle",
    "alias",
    "cvar",
    "reload",
    COMPACT,
    *SESSION_LINES,
    *MODEL_LINES,
)

_LINE: Final = re.compile(r"/([A-Za-z][\w.:-]*)(?:[ \t]+(.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SlashLine:
    """A command as it was typed.

    Attributes:
        name: Its name, without the slash.
        args: What stands behind it.
        text: The whole line.
    """

    name: str
    args: str
    text: str


def split_prompt(text: str) -> tuple[tuple[SlashLine, ...], str]:
    """Return the commands at the start of a prompt, and the rest of it.

    The first line that is no command ends them; a path such as `/etc/hosts` is no command.
    """
    commands: list[SlashLine] = []
    rest = text
    while rest:
        line, _, below = rest.partition("\n")
        found = _LINE.fullmatch(line.strip())
        if found is None and line.strip():
            break
        if found is not None:
            commands.append(SlashLine(found[1], (found[2] or "").strip(), line.strip()))
        rest = below
    return tuple(commands), rest if commands else text
