"""Verdicts: the weakest claim that is true, with its evidence.

An engine gives findings: `Evidence` (what it looked at without finding anything), a `Counterexample`, or an
`EngineError` (the engine itself failed, which says nothing good or bad about the law). `merge` turns the findings
of all engines on one law and one subject into one `Verdict`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

__all__ = [
    "FLOOR",
    "REACH_CAP",
    "Counterexample",
    "EngineError",
    "ErrorKind",
    "Evidence",
    "Finding",
    "Verdict",
    "Word",
    "merge",
    "unknown",
]

#: So many inputs must meet a law's premise, unless its whole domain was enumerated: then one is enough.
FLOOR = 100

#: Engines count how often a witness was reached up to this number; more would only cost time.
REACH_CAP = 100


class Word(Enum):
    """The five words, from the weakest to the strongest; `<` compares strength."""

    BROKEN = "broken"
    UNKNOWN = "unknown"
    HOLDS = "holds"
    CONFIRMED = "confirmed"
    PROVED = "proved"

    @property
    def strength(self) -> int:
        """The rank: 0 for `broken` to 4 for `proved`."""
        return list(Word).index(self)

    @property
    def positive(self) -> bool:
        """Whether the word claims something good: `holds` and above."""
        return self >= Word.HOLDS

    def __lt__(self, other: Word) -> bool:
        return self.strength < other.strength

    def __le__(self, other: Word) -> bool:
        return self.strength <= other.strength

    def __gt__(self, other: Word) -> bool:
        return self.strength > other.strength

    def __ge__(self, other: Word) -> bool:
        return self.strength >= other.strength


@dataclass(frozen=True)
class Evidence:
    """What one engine looked at and found nothing wrong with.

    What an engine could merely not decide (an open shape, a budget that ran out) is evidence with
    `complete=False`, not an error.

    Attributes:
        engine: `exhaust`, `sample`, `crosshair`, `hypothesis` or `bridge`.
        scope: The bounds in words, `ints < 3, tuples <= 2`.
        inputs: How many inputs (scenarios for the bridge; 0 for shapes).
        premise: How many of them met the premise.
        complete: Whether that was every input within the scope, or every shape.
        finite: Whether the scope is the types' whole domain.
        seed: The seed of what was drawn, `None` when nothing was.
        shapes: How many shapes were decided, and how many there are; `None` for engines without shapes.
        paths: How many paths the solver followed.
        reached: How often each witness was reached, counted up to `REACH_CAP`.
        note: What else the reader must know, as `stopped after 5 s` or `3 of 9 shapes are open`.
    """

    engine: str
    scope: str
    inputs: int = 0
    premise: int = 0
    complete: bool = False
    finite: bool = False
    seed: int | None = None
    shapes: tuple[int, int] | None = None
    paths: int = 0
    reached: tuple[tuple[str, int], ...] = ()
    note: str = ""

    @property
    def word(self) -> Word:
        """The claim that this evidence supports alone, vacuity aside."""
        if not self.premise and not self.paths:
            return Word.UNKNOWN
        if not self.complete:
            return Word.HOLDS
        return Word.PROVED if self.finite else Word.CONFIRMED


@dataclass(frozen=True)
class Counterexample:
    """Inputs that meet the premise and break the law.

    An engine gives `engine`, `subject` and `values` (and `raised`); the runner shrinks the values, runs them again
    in plain Python and fills in the rest.

    Attributes:
        engine: The engine that found it.
        subject: `spec`, `core`, or `both` for agreement and bridge.
        values: The arguments after the subject, in order; empty when read back from the cache.
        raised: The exception when the law raised instead of giving false, as `IndexError: tuple index...`.
        python: A Python program that builds the inputs and fails.
        replay: The id for `eukhe laws --replay`; empty where nothing can be replayed (the bridge).
        minimal: Whether every smaller input was tried.
    """

    engine: str
    subject: str
    values: tuple[Any, ...] = ()
    raised: str = ""
    python: str = ""
    replay: str = ""
    minimal: bool = False


class ErrorKind(Enum):
    """How an engine failed."""

    CRASH = "crash"
    TIMEOUT = "timeout"
    PREMISE_RAISED = "premise-raised"
    WITNESS_RAISED = "witness-raised"
    NOT_REPLAYED = "not-replayed"
    DOMAIN = "domain"
    IMPORT = "import"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class EngineError:
    """An engine that failed, which is neither for nor against the law.

    Attributes:
        engine: The engine.
        kind: How it failed.
        message: One line: what happened, on which input, and what to do.
    """

    engine: str
    kind: ErrorKind
    message: str


Finding = Evidence | Counterexample | EngineError


@dataclass(frozen=True)
class Verdict:
    """What is known of one law on one subject.

    Attributes:
        area: The area.
        law: The law's name; `agree_FUNCTION` for agreement, `bridge` for the area's bridge.
        subject: `spec`, `core` or `both`.
        word: The claim.
        why: One line: the bounds of a positive word, or what keeps it from being one.
        evidence: What each engine looked at.
        counterexample: The smallest one known, when the word is `broken`.
        errors: The engines that failed.
        seconds: Wall time. For the reader only: it is never compared, never in the digest.
        cached: Whether the verdict was read from the cache.
    """

    area: str
    law: str
    subject: str
    word: Word
    why: str
    evidence: tuple[Evidence, ...] = ()
    counterexample: Counterexample | None = None
    errors: tuple[EngineError, ...] = ()
    seconds: float = 0.0
    cached: bool = False

    @property
    def key(self) -> tuple[str, str, str]:
        """Area, law and subject: what names a verdict in a report."""
        return self.area, self.law, self.subject

    @property
    def vacuous(self) -> bool:
        """Whether the law is unknown only because too few inputs said anything about it."""
        return self.word is Word.UNKNOWN and bool(self.evidence) and not self.errors

    @property
    def not_run(self) -> bool:
        """Whether the run ended before this law was through: it is skipped, not failed."""
        return any(error.kind is ErrorKind.INTERRUPTED for error in self.errors)

    @property
    def inputs(self) -> int:
        """The inputs of all engines together."""
        return sum(one.inputs for one in self.evidence)

    @property
    def premise(self) -> int:
        """The inputs that met the premise, of all engines together."""
        return sum(one.premise for one in self.evidence)


def unknown(area: str, law: str, subject: str, error: EngineError, seconds: float = 0.0) -> Verdict:
    """Give the verdict on a law that no engine got to look at."""
    return Verdict(
        area, law, subject, Word.UNKNOWN, error.message, errors=(error,), seconds=seconds
    )


def _reached(evidence: tuple[Evidence, ...]) -> Counter[str]:
    total: Counter[str] = Counter()
    for one in evidence:
        total.update(dict(one.reached))
    return total


def _vacuous(evidence: tuple[Evidence, ...], witnesses: Iterable[str]) -> str:
    """Say why the evidence is vacuous; empty when it is not."""
    whole = any(one.complete and one.finite for one in evidence)
    premise = sum(one.premise for one in evidence)
    tried = sum(one.inputs for one in evidence)
    if premise == 0:
        return f"vacuous: none of {tried:,} inputs meets the premise"
    if premise < FLOOR and not whole:
        return f"vacuous: {premise} of {tried:,} inputs meet the premise, at least {FLOOR} must"
    reached = _reached(evidence)
    missed = [name for name in witnesses if not reached[name]]
    if missed:
        return f"vacuous: {tried:,} inputs never reached " + ", ".join(map(repr, missed))
    return ""


def _why(word: Word, evidence: tuple[Evidence, ...]) -> str:
    """Say what the strongest evidence claims."""
    best = [one for one in evidence if one.word is word]
    match word:
        case Word.PROVED:
            return f"the whole domain, {best[0].inputs:,} inputs"
        case Word.CONFIRMED:
            parts = [
                f"{one.scope} ({one.shapes[1]} shapes)"
                if one.shapes
                else f"{one.scope} ({one.inputs:,} inputs)"
                for one in best
            ]
            return "every input with " + " | ".join(parts)
        case _:
            seeds = sorted({one.seed for one in best if one.seed is not None})
            seed = f", seed {', '.join(map(str, seeds))}" if seeds else ""
            return f"no counterexample in {sum(one.inputs for one in best):,} inputs{seed}"


def merge(
    area: str,
    law: str,
    subject: str,
    findings: Iterable[Finding],
    *,
    witnesses: Iterable[str] = (),
    seconds: float = 0.0,
) -> Verdict:
    """Merge what the engines found on one law and one subject.

    A counterexample by any engine wins, then an engine's failure, then vacuity, then the strongest positive word.

    Args:
        area: The area.
        law: The law's name.
        subject: `spec`, `core` or `both`.
        findings: What the engines gave; of several counterexamples the first is kept.
        witnesses: The names of the law's witnesses: each must have been reached by some engine.
        seconds: Wall time of the engines together.
    """
    every = tuple(findings)
    evidence = tuple(one for one in every if isinstance(one, Evidence))
    errors = tuple(one for one in every if isinstance(one, EngineError))
    broken = next((one for one in every if isinstance(one, Counterexample)), None)
    base = Verdict(area, law, subject, Word.UNKNOWN, "", evidence, broken, errors, seconds)
    if broken is not None:
        said = f", {broken.raised}" if broken.raised else ""
        return replace(base, word=Word.BROKEN, why=f"counterexample by {broken.engine}{said}")
    if errors:
        return replace(base, why=errors[0].message)
    if not evidence:
        return replace(base, why="no engine has run")
    vacuous = _vacuous(evidence, witnesses)
    if vacuous:
        return replace(base, why=vacuous)
    word = max((one.word for one in evidence), key=lambda one: one.strength)
    return replace(base, word=word, why=_why(word, evidence))
