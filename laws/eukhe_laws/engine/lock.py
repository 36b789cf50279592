"""The baseline `laws.lock`: what the project claims of each law. A weaker claim fails, even when nothing broke.

A line a law: `name = { spec = ["proved", 30618, "the whole domain"], core = [...] }`, in a table an area; the
number is the inputs that met the premise.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from eukhe_laws.engine.verdict import Verdict, Word

__all__ = ["Claim", "LockError", "Locked", "claim_of", "compare", "read_lock", "write_lock"]

_HEAD = """\
# What the project claims of each law, on each subject: word, inputs that meet the premise, scope.
# `eukhe laws` fails when a claim gets weaker. Written by `eukhe laws --update-lock`; review the difference.
"""


class LockError(ValueError):
    """A baseline that cannot be read, said in one line."""


@dataclass(frozen=True)
class Claim:
    """What is claimed of a law on a subject.

    Attributes:
        word: The word.
        inputs: The inputs that met the premise, of all engines together.
        scope: The bounds in words.
    """

    word: Word
    inputs: int
    scope: str


Locked = dict[tuple[str, str, str], Claim]


def claim_of(verdict: Verdict) -> Claim:
    """Return what a verdict claims."""
    best = [one for one in verdict.evidence if one.word is verdict.word]
    scope = " | ".join(one.scope for one in best)
    return Claim(verdict.word, verdict.premise, scope)


def read_lock(path: Path) -> Locked | None:
    """Read the baseline; `None` when there is none.

    Raises:
        LockError: the file is no baseline.
    """
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise LockError(f"{path} cannot be read: {error}") from None
    found: Locked = {}
    try:
        for area, laws in data.items():
            for law, subjects in laws.items():
                for subject, (word, inputs, scope) in subjects.items():
                    found[area, law, subject] = Claim(Word(word), int(inputs), str(scope))
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise LockError(f"{path} is no baseline: {error}") from None
    return found


def write_lock(path: Path, locked: Locked) -> None:
    """Write the baseline.

    Raises:
        OSError: the file cannot be written.
    """
    areas: dict[str, dict[str, list[str]]] = {}
    for (area, law, subject), claim in locked.items():
        said = json.dumps([claim.word.value, claim.inputs, claim.scope])
        areas.setdefault(area, {}).setdefault(law, []).append(f"{subject} = {said}")
    lines = [_HEAD]
    for area, laws in areas.items():
        lines.append(f"[{area if area.isidentifier() else json.dumps(area)}]")
        lines += [f"{law} = {{ {', '.join(parts)} }}" for law, parts in laws.items()]
        lines.append("")
    path.write_text("\n".join(lines), "utf-8")


def _weaker(was: Claim, now: Claim, counts: bool) -> str:
    """Say how a claim is weaker than the baseline; empty when it is not."""
    if now.word < was.word:
        return f"the baseline says {was.word.value}, this run says {now.word.value}"
    if counts and now.word is was.word and now.inputs < was.inputs:
        return (
            f"{now.word.value} on {now.inputs:,} inputs with {now.scope}; "
            f"the baseline has {was.inputs:,} with {was.scope}"
        )
    return ""


def compare(
    locked: Locked,
    verdicts: Iterable[Verdict],
    whole: Iterable[str],
    *,
    counts: bool = True,
) -> tuple[tuple[tuple[str, str, str], str], ...]:
    """Find what claims less than the baseline.

    Args:
        locked: The baseline.
        verdicts: What this run found.
        whole: The areas of which every law was run: a law that the baseline knows must be among them.
        counts: Whether fewer inputs under the same word are weaker too.

    Returns:
        Key and message of each weaker claim, in the order of the baseline.
    """
    found = {verdict.key: verdict for verdict in verdicts}
    complete = frozenset(whole)
    weaker: list[tuple[tuple[str, str, str], str]] = []
    for key, was in locked.items():
        if key in found:
            said = _weaker(was, claim_of(found[key]), counts)
        elif key[0] in complete:
            said = f"the baseline says {was.word.value}, but no such law was run"
        else:
            continue
        if said:
            weaker.append((key, said))
    return tuple(weaker)
