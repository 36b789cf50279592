"""What a run does: the laws that a selection names, as jobs."""

from __future__ import annotations

import contextlib
import difflib
import fnmatch
import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass

from eukhe_laws.engine.agree import PREFIX
from eukhe_laws.engine.areas import BRIDGE, Area, area_names, load
from eukhe_laws.engine.exhaust import FINITE, bounds, finite, size
from eukhe_laws.engine.law import Law
from eukhe_laws.engine.profile import Profile
from eukhe_laws.engine.registry import RegistryError, read_table, table_file
from eukhe_laws.engine.search import spelled
from eukhe_laws.engine.verdict import EngineError, ErrorKind, Verdict, unknown
from eukhe_laws.engine.work import Job

__all__ = ["Plan", "SelectionError", "jobs_of", "plan", "select"]


class SelectionError(ValueError):
    """A selection that names nothing, said in one line with the nearest names."""


@dataclass(frozen=True)
class Plan:
    """The laws that a run is about.

    Attributes:
        areas: The areas that could be imported, in the order of the report.
        chosen: For each area the names of the chosen laws, agreements and the bridge.
        failed: A verdict for each area that could not be imported.
        everything: Whether nothing was selected, so that the plan is the whole report.
    """

    areas: tuple[Area, ...]
    chosen: tuple[frozenset[str], ...]
    failed: tuple[Verdict, ...] = ()
    everything: bool = False

    @property
    def complete(self) -> tuple[str, ...]:
        """The areas of which every law, agreement and bridge is chosen."""
        return tuple(
            area.name
            for area, names in zip(self.areas, self.chosen, strict=True)
            if names == frozenset(_all_names(area))
        )

    def laws(self) -> tuple[tuple[Area, tuple[Law, ...]], ...]:
        """Return each area with its chosen laws, agreements left out."""
        return tuple(
            (area, tuple(law for law in area.laws if law.name in names))
            for area, names in zip(self.areas, self.chosen, strict=True)
        )


def _load(names: Sequence[str]) -> tuple[tuple[Area, ...], tuple[Verdict, ...]]:
    areas, failed = [], []
    for name in names:
        try:
            areas.append(load(name))
        except Exception as error:
            message = f"{name} could not be imported: {spelled(error)}"
            failed.append(
                unknown(name, "import", "both", EngineError("import", ErrorKind.IMPORT, message))
            )
    failed += [
        unknown(
            area.name, "agreement", "both", EngineError("agree", ErrorKind.DOMAIN, area.trouble)
        )
        for area in areas
        if area.trouble
    ]
    return tuple(areas), tuple(failed)


def _all_names(area: Area) -> tuple[str, ...]:
    """Name what an area is asked for: an area of the house also for its bridge, which must then be there."""
    laws = tuple([law.name for law in (*area.laws, *area.agree)])
    return laws if "." in area.name else (*laws, BRIDGE)


def _meant(failed: Verdict, words: Sequence[str]) -> bool:
    """Whether a selection is about what failed: all of an area, told by the table, or its agreement."""
    names: tuple[str, ...] = (failed.law, PREFIX, BRIDGE)
    if failed.law == "import":
        with contextlib.suppress(OSError, RegistryError):
            rows = read_table(table_file().read_text("utf-8"))
            names += tuple([row.name for row in rows if row.area == failed.area])
    spelled_out = (failed.area, *names, *(f"{failed.area}.{name}" for name in names))
    return any(fnmatch.fnmatchcase(name, word) for word in words for name in spelled_out)


def select(
    areas: Sequence[Area], words: Sequence[str], excused: Sequence[str] = ()
) -> tuple[frozenset[str], ...]:
    """Choose laws by area, name, `AREA.NAME`, or a pattern of any of these with `*`, `?` and `[...]`.

    Args:
        areas: The areas to choose from.
        words: The selection; all of everything when empty.
        excused: Words that may name nothing: they are of an area that could not be imported.

    Returns:
        The chosen names of each area.

    Raises:
        SelectionError: a word names nothing.
    """
    chosen: list[set[str]] = [set() for _ in areas]
    known: set[str] = set()
    hit = set()
    for area, names in zip(areas, chosen, strict=True):
        every = _all_names(area)
        known |= {area.name, *(name for name in every if name != BRIDGE)}
        if not words:
            names.update(every)
        for word in words:
            if fnmatch.fnmatchcase(area.name, word):
                names.update(every)
                hit.add(word)
            for name in every:
                if fnmatch.fnmatchcase(name, word) or fnmatch.fnmatchcase(
                    f"{area.name}.{name}", word
                ):
                    names.add(name)
                    hit.add(word)
    for word in words:
        if word not in hit and word not in excused:
            near = difflib.get_close_matches(word, sorted(known), n=3, cutoff=0.5)
            hint = f"; the nearest are {', '.join(near)}" if near else ""
            raise SelectionError(
                f"no area or law is named {word!r}{hint} (see `eukhe laws --list`)"
            )
    return tuple(frozenset(names) for names in chosen)


def plan(words: Sequence[str] = ()) -> Plan:
    """Read a selection.

    Args:
        words: Areas, laws and patterns; the areas of the report when empty.

    Raises:
        SelectionError: a word names nothing.
    """
    import eukhe_laws

    known = area_names() if words else eukhe_laws.AREAS
    homes = [_home(word, known) for word in words]
    named = [one for one in known if one in homes]  # in the order of the report
    names = dict.fromkeys([*named, *(home for home in homes if home)])
    if not all(homes) or not words:  # a name or pattern may be of any area: import them all
        names = dict.fromkeys((*known, *names))
    areas, failed = _load(tuple(names))
    empty = [area.name for area in areas if "." in area.name and not area.laws]
    if empty:
        raise SelectionError(f"{empty[0]} is a module that states no law")
    torn = [one for one in failed if one.law == "import"]
    excused = [word for word in words if any(_meant(one, (word,)) for one in torn)]
    try:
        chosen = select(areas, words, excused)
    except SelectionError as error:
        broken = ", ".join(sorted(one.area for one in torn))
        also = f"; {broken} could not be imported" if broken else ""
        raise SelectionError(f"{error}{also}") from None
    kept = [(area, some) for area, some in zip(areas, chosen, strict=True) if some]
    shown = tuple(one for one in failed if not words or _meant(one, words))
    return Plan(tuple(area for area, _ in kept), tuple(some for _, some in kept), shown, not words)


def _home(word: str, known: Sequence[str]) -> str:
    """Return the area that a word is or begins with, or the module that states laws elsewhere; else nothing."""
    parts = word.split(".")
    if parts[0] in known and len(parts) <= 2:
        return parts[0]
    for length in range(len(parts), 1, -1):
        module = ".".join(parts[:length])
        with contextlib.suppress(ImportError, ValueError):
            if importlib.util.find_spec(module) is not None:
                return module
    return ""


def _expected(law: Law, profile: Profile) -> int:
    most = max(profile.exhaust, FINITE) if finite(law) else profile.exhaust
    inputs = size(law, bounds(law, profile.exhaust, grow=profile.grow))
    return min(inputs, most) + (0 if finite(law) else profile.sample)


def jobs_of(made: Plan, profile: Profile, transcripts: str = "") -> tuple[Job, ...]:
    """Turn a plan into jobs: every law on spec and core, agreements and bridges once."""
    jobs: list[Job] = []
    for area, names in zip(made.areas, made.chosen, strict=True):
        for law in (*area.laws, *area.agree):
            if law.name not in names:
                continue
            subjects = ("both",) if law in area.agree else ("spec", "core")
            inputs = _expected(law, profile)
            jobs += [Job(area.name, law.name, one, profile, inputs=inputs) for one in subjects]
        if BRIDGE in names:
            jobs.append(Job(area.name, BRIDGE, "both", profile, transcripts))
    return tuple(jobs)
