"""From the text of a call's arguments to values that fit the tool's schema, or the reason why not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.core.arguments_repair import Repair


class Check(Protocol):
    """Checks values against one schema and its parts."""

    def fits(self, schema: Mapping[str, object], value: object) -> bool:
        """Whether a value passes the schema or a part of it. It raises nothing."""

    def problems(self, value: object) -> tuple[str, ...]:
        """What is wrong with a value; the first few of it."""


@dataclass(frozen=True, slots=True)
class GoodArguments:
    """The call may run.

    Attributes:
        value: the arguments; they fit the schema.
        repairs: what was put right, each one a warning on the result.
    """

    value: dict[str, object]
    repairs: tuple[Repair, ...] = ()


@dataclass(frozen=True, slots=True)
class BadArguments:
    """The call does not run; the model gets the reason.

    Attributes:
        reason: what is wrong, in words.
        value: what stands in the place of the arguments: `__parseError` and `__rawJson` when no parse
            read the text, else the arguments that do not fit.
        repairs: what was put right before that was found.
    """

    reason: str
    value: dict[str, object]
    repairs: tuple[Repair, ...] = ()


class ArgumentReader:
    """Reads the arguments of the calls of one tool (S6 argument repair).

    Args:
        schema: the JSON schema of the tool's arguments. It is made ready when the first call comes.
        apart: whether arguments that could take for ever are read in a process of their own, with a time limit.
    """

    def __init__(self, schema: Mapping[str, object], *, apart: bool = True) -> None:
        self._schema = schema
        self._apart = apart
        self._check: Check | None = None
        self._patterns: tuple[str, ...] = ()

    def read(self, text: str) -> GoodArguments | BadArguments:
        """Parse the whole text, repair what can be repaired, and check it.

        Args:
            text: what the model wrote.
        """
        # A run that calls no tool does not pay for these.
        from eukhe.core.arguments import Unparsed, parse
        from eukhe.core.arguments_repair import repair, text_repairs

        outcome = parse(text)
        if isinstance(outcome, Unparsed):
            return BadArguments(f"{outcome.error}\n{_began(outcome.raw)}", outcome.arguments)
        if self._check is None:
            self._check = check_of(self._schema)
            if self._apart:
                self._patterns = _patterns_of(self._schema, self._check)
        if self._patterns and (found := self._read_apart(text, outcome.value)) is not None:
            return found
        repaired = repair(self._schema, outcome.value, self._check.fits)
        repairs = (*text_repairs(text, outcome), *repaired.repairs)
        problems = self._check.problems(repaired.value)
        if problems:
            return BadArguments("; ".join(problems), repaired.value, repairs)
        return GoodArguments(repaired.value, repairs)

    def _read_apart(
        self, text: str, value: dict[str, object]
    ) -> GoodArguments | BadArguments | None:
        """Read in a process of its own what a pattern could take for ever on; None where none could."""
        from eukhe.tools import arguments_apart

        length = arguments_apart.longest_text(value)
        slow = (p for p in self._patterns if arguments_apart.could_take_long(p, length))
        if (pattern := next(slow, None)) is None:
            return None
        found = arguments_apart.read_apart(self._schema, text)
        if found is not None:
            return found
        reason = (
            f"the tool's own schema has a pattern that could not be tried in time: {pattern[:200]}"
        )
        return BadArguments(reason, value)


def _patterns_of(schema: Mapping[str, object], check: Check) -> tuple[str, ...]:
    """What the library could match texts with; the compiled check knows no patterns."""
    from eukhe.core.arguments_schema import CompiledCheck

    if isinstance(check, CompiledCheck):
        return ()
    from eukhe.tools.arguments_apart import patterns

    return tuple(patterns(schema))


def check_of(schema: Mapping[str, object]) -> Check:
    """A check of the schema: compiled when it keeps to the usual keywords, else by the library."""
    from eukhe.core.arguments_schema import compiled

    fast = compiled(schema)
    if fast is not None:
        return fast
    from eukhe.tools.schema_library import (
        LibraryCheck,
    )  # slow to import; the built-in tools need none

    return LibraryCheck(schema)


def _began(raw: str) -> str:
    return f"The call did not run. The arguments began with: {raw}"
