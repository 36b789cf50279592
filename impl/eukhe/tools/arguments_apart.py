"""Arguments read in a process of their own, for schemas with patterns that could take for ever on a text.

A regular expression of Python cannot be stopped once it runs, and it holds the whole program meanwhile.
"""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from typing import Final

from eukhe.core.arguments_repair import Repair, What
from eukhe.tools.arguments import ArgumentReader, BadArguments, GoodArguments

__all__ = ["LONGEST", "could_take_long", "patterns", "read_apart"]

LONGEST: Final = 5.0
"""Seconds that arguments may take; a process that starts and reads them takes well under one."""

_STEPS: Final = 1e7
"""Steps of a search that are over in moments."""

_REPEATED_GROUP = re.compile(r"\)[*+{]")
_CHOICES = re.compile(r"[*+{|?]")


def patterns(schema: object) -> Iterator[str]:
    """Yield what a schema could match texts with: its `pattern`s and the names of its `patternProperties`."""
    open_parts = [schema]
    while open_parts:
        part = open_parts.pop()
        if isinstance(part, Mapping):
            if isinstance(pattern := part.get("pattern"), str):
                yield pattern
            if isinstance(named := part.get("patternProperties"), Mapping):
                yield from (name for name in named if isinstance(name, str))
            open_parts += part.values()
        elif isinstance(part, (list, tuple)):
            open_parts += part


def could_take_long(pattern: str, length: int) -> bool:
    """Whether a search for a pattern could take long in a text of so many characters.

    A bound from above: with a repeated group each character can multiply the steps, else each choice can multiply
    them by the length.
    """
    choices = len(_CHOICES.findall(pattern)) + 1
    if _REPEATED_GROUP.search(pattern):
        return length * math.log(choices) > math.log(_STEPS)
    return choices * math.log(max(length, 1)) > math.log(_STEPS)


def longest_text(value: object) -> int:
    """Characters of the longest string in a value, keys among them."""
    longest, open_parts = 0, [value]
    while open_parts:
        part = open_parts.pop()
        if isinstance(part, str):
            longest = max(longest, len(part))
        elif isinstance(part, dict):
            open_parts += part
            open_parts += part.values()
        elif isinstance(part, list):
            open_parts += part
    return longest


def read_apart(
    schema: Mapping[str, object], text: str, seconds: float = LONGEST
) -> GoodArguments | BadArguments | None:
    """Read arguments as `ArgumentReader` does, in another process.

    Args:
        schema: the schema of the tool's arguments.
        text: what the model wrote.
        seconds: how long it may take.

    Returns:
        What came of them; None when that could not be told in time.
    """
    # -P: a module of the working folder is not to be taken for one of ours.
    program = (sys.executable, "-P", "-m", __name__)
    try:
        given = json.dumps({"schema": schema, "text": text}, default=dict).encode()
        done = subprocess.run(
            program, input=given, capture_output=True, timeout=seconds, check=True
        )
        return _from_json(json.loads(done.stdout))
    except (subprocess.SubprocessError, OSError, RecursionError, TypeError, ValueError):
        return None


def _from_json(form: Mapping[str, object]) -> GoodArguments | BadArguments:
    match form:
        case {"value": dict(value), "repairs": list(told), "reason": reason}:
            repairs = tuple(Repair(What(what), *rest) for what, *rest in told)
            if isinstance(reason, str):
                return BadArguments(reason, value, repairs)
            return GoodArguments(value, repairs)
    raise ValueError("the process that read the arguments told something else")


def main() -> None:
    """Read a schema and a text from standard input, and tell what comes of them."""
    given = json.load(sys.stdin.buffer)
    found = ArgumentReader(given["schema"], apart=False).read(given["text"])
    told = [(one.what.value, one.path, one.before, one.after) for one in found.repairs]
    reason = found.reason if isinstance(found, BadArguments) else None
    json.dump({"value": found.value, "repairs": told, "reason": reason}, sys.stdout)


if __name__ == "__main__":
    main()
