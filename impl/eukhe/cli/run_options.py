"""The options of a run, as the command line gives them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from eukhe.agent.opening.options import RunOptions
from eukhe.core.cvar import Word

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["PrintOptions", "parse_sets"]


@dataclass(frozen=True, slots=True)
class PrintOptions:
    """The options of `eukhe -p`.

    Attributes:
        prompt: the text of `-p`; None to go on with an open run.
        mode: what is printed: `text` or `json`.
        of_run: the options of the session and its run.
        takes_lines: whether the standard input has JSON lines for the run, and no part of the prompt.
    """

    prompt: str | None
    mode: str
    of_run: RunOptions
    takes_lines: bool = False

    @classmethod
    def of(cls, options: Mapping[str, object]) -> PrintOptions:
        """Take the options of the command line; click has checked their types.

        Raises:
            click.UsageError: a value of `--set` is no ID=VALUE.
        """
        names = {field.name for field in fields(RunOptions)}
        chosen = {name: value for name, value in options.items() if name in names}
        for name in ("cwd", "session_dir", "agent_dir"):
            if chosen.get(name) is not None:
                chosen[name] = Path(cast("str", chosen[name]))
        chosen["sets"] = parse_sets(cast("tuple[str, ...]", chosen["sets"]))
        of_run = RunOptions(**cast("dict[str, Any]", chosen))
        return cls(
            cast("str | None", options["prompt"]),
            cast("str", options["mode"]),
            of_run,
            options["input_format"] == "json-lines",
        )


def parse_sets(given: Iterable[str]) -> tuple[tuple[str, object], ...]:
    """Read the values of `--set`.

    Raises:
        click.UsageError: one is no ID=VALUE.
    """
    found: list[tuple[str, object]] = []
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or not name:
            raise click.UsageError(f"--set: {one!r} is no ID=VALUE")
        found.append((name, Word(value)))
    return tuple(found)
