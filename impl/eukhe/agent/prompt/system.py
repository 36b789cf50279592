"""The system prompt: the built-in text or the user's own, and what files add to it, each part with its source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from eukhe.settings.issues import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from eukhe.agent.who import Agent
    from eukhe.settings.issues import Issue

__all__ = ["BUILT_IN", "OPTION", "Part", "PromptFiles", "joined", "parts_of", "system_prompt"]

#: The sources of parts that come from no file.
BUILT_IN: Final = "built-in"
OPTION: Final = "--system-prompt"


class Part(NamedTuple):
    """A part of the system prompt.

    Attributes:
        source: Where it comes from: `BUILT_IN`, `OPTION` or the path of a file.
        text: What is sent of it.
    """

    source: str
    text: str


@dataclass(frozen=True, slots=True)
class PromptFiles:
    """What files say of the system prompt.

    Attributes:
        system: The `SYSTEM.md` that counts, in place of the built-in prompt; None for none.
        append: The `APPEND_SYSTEM.md` that counts; None for none.
        context: The `AGENTS.md` files, the outermost first.
        issues: What is wrong with the files, and what was left out.
    """

    system: Part | None = None
    append: Part | None = None
    context: tuple[Part, ...] = ()
    issues: tuple[Issue, ...] = ()


def parts_of(agent: Agent) -> tuple[Part, ...]:
    """The parts of the system prompt that an agent sends, in their order; an empty one is left out.

    The user's own instructions take the place of the built-in ones. The file that is nearest to the working
    directory comes last, so that it has the last word.
    """
    document, files = agent.document, agent.prompt_files
    if document.system_prompt is not None:
        first = Part(OPTION, document.system_prompt)
    else:
        first = files.system or Part(BUILT_IN, system_prompt(agent.context.cwd, agent.tools.names))
    found = (first, *((files.append,) if files.append else ()), *files.context)
    return tuple(part for part in found if part.text)


def joined(parts: Iterable[Part]) -> str:
    """The system prompt as it is sent; empty for none."""
    return "\n\n".join(part.text for part in parts)


def system_prompt(cwd: Path, tools: Sequence[str]) -> str:
    """The built-in prompt. It holds no time and nothing random, so that prompt caches hit.

    Args:
        cwd: The working directory of the tools.
        tools: Names of the tools on offer; the prompt speaks of no other.
    """
    lines = ["You are eukhe, a coding agent that works in a terminal for its user."]
    if tools:
        lines += [
            # A directory may be called anything, also what looks like more instructions.
            f"The working directory is {printable(str(cwd))}. Your tools are: {', '.join(tools)}.",
            "",
            *(f"- {rule}" for rule in _rules(frozenset(tools))),
            "",
        ]
    lines.append(
        "Answer briefly, in plain text, in the user's language. Say what you could not do or did not check."
    )
    return "\n".join(lines)


def _rules(tools: frozenset[str]) -> Iterable[str]:
    """How to work, for the tools that are there."""
    yield (
        "Look at things rather than guess: read what a change touches, and how its neighbours do it, "
        "before you make it."
    )
    yield "Calls that do not need each other's results belong in one reply."
    if tools & {"edit", "write", "bash"}:
        yield (
            "Do all of what was asked and no more. Keep to the style of the code around; leave alone what "
            "is not part of the task, and never discard work that is not yours."
        )
    if {"edit", "write"} <= tools:
        yield "Change a file with edit; write is for new files and for those that change throughout."
    if "bash" in tools:
        yield (
            "Check what you did by running it or its tests, and report the outcome as it was. Commands have "
            "no terminal and no input, so use flags that ask nothing."
        )
        yield (
            "Ask before you do what cannot be taken back or reaches beyond this directory, unless the user "
            "asked for just that: deleting, publishing, commits, changes to the system."
        )
    yield "When a call fails, read why and change the approach; do not repeat it as it was."
