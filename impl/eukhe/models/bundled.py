"""The bundled catalog: `models.bundled.json` beside the program, read strictly, on known transports alone (C1).

One bad row damages the whole file, and then the compiled catalog is used alone, with the fault told: half a
catalog would hide models in silence.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import eukhe
from eukhe.core.catalog import Cost, Entry
from eukhe.core.config import Missing, Parsed
from eukhe.core.effort import LADDER
from eukhe.models.compat import DIRECTIVE_OF, OTHER_KEYS, check_compat
from eukhe.models.compiled import compiled
from eukhe.models.fields import Fault, Fields
from eukhe.settings.disk import parse, read_text

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FILE", "PACKAGE_DIR", "Bundle", "bundle_path", "load_bundle", "read_row"]

#: The file's name.
FILE: Final = "models.bundled.json"

#: The variable that says where the program's files are.
PACKAGE_DIR: Final = "EUKHE_PACKAGE_DIR"

_MOST_ROWS = 20_000
_MOST_TOKENS = 100_000_000
_MOST_DOLLARS = 1_000_000
_KEYS: Final = (
    *("id", "name", "api", "provider", "baseUrl", "reasoning", "input", "cost", "contextWindow"),
    *("maxTokens", "thinkingLevelMap", "featured", "compat"),
)
_COST: Final = ("input", "output", "cacheRead", "cacheWrite")


@dataclass(frozen=True, slots=True)
class Bundle:
    """The bundled catalog as it was found.

    Attributes:
        path: The file.
        models: Its models, in order; None when there is no file, or it is damaged.
        faults: What damaged it.
    """

    path: Path
    models: tuple[Entry, ...] | None = None
    faults: tuple[Fault, ...] = ()

    @property
    def message(self) -> str:
        """The damage in a sentence; empty for none."""
        if not self.faults:
            return ""
        more = f" (and {len(self.faults) - 1} more faults)" if len(self.faults) > 1 else ""
        return (
            f"{self.path} is damaged, so the compiled catalog is used alone: {self.faults[0].text}{more}; "
            "install the catalog that belongs to this eukhe, or remove the file"
        )


def bundle_path(environ: Mapping[str, str]) -> Path:
    """Return where the bundled catalog is: in the package directory, else beside the program's own code."""
    given = environ.get(PACKAGE_DIR, "")
    return (Path(given) if given else Path(eukhe.__file__).parent) / FILE


def load_bundle(path: Path) -> Bundle:
    """Read the bundled catalog.

    Args:
        path: The file; one that is not there is no fault.
    """
    disk = parse(read_text(path))
    if isinstance(disk, Missing):
        return Bundle(path)
    if not isinstance(disk, Parsed):
        return Bundle(path, None, (Fault("", disk.why),))
    faults: list[Fault] = []
    document = Fields(disk.value, "", faults)
    document.whole("schemaVersion", 1, 1)
    rows = document.each("models")
    if not faults and not 1 <= len(rows) <= _MOST_ROWS:
        document.note("models", f"expected 1 to {_MOST_ROWS:,} models, found {len(rows):,}")
    models = tuple(read_row(row) for row in rows)
    seen: set[tuple[str, str]] = set()
    for row, one in zip(rows, models, strict=True):
        if (one.provider, one.id) in seen:
            row.note("id", f"{one.provider}/{one.id} stands twice")
        seen.add((one.provider, one.id))
    return Bundle(path, None if faults else models, tuple(faults))


def read_row(row: Fields) -> Entry:
    """Read a model; faults are noted in the row."""
    row.only(_KEYS)
    cost = row.inner("cost")
    cost.only(_COST)
    compat = None
    if "compat" in row:
        inner = row.inner("compat")
        inner.only((*DIRECTIVE_OF, *OTHER_KEYS))
        check_compat(inner)
        compat = inner.values
    entry = Entry(
        row.text("provider", longest=128),
        row.text("id"),
        row.text("api", longest=128),
        row.text("baseUrl", "", longest=2048),
        row.text("name"),
        row.flag("reasoning"),
        row.within("input", ("text", "image")),
        Cost(*(cost.number(name, _MOST_DOLLARS) for name in _COST)),
        row.whole("contextWindow", 1, _MOST_TOKENS),
        row.whole("maxTokens", 1, _MOST_TOKENS),
        _levels(row),
        compat,
        row.flag("featured") if "featured" in row else None,
    )
    _pinned(row, entry)
    return entry


def _levels(row: Fields) -> Mapping[str, str | None] | None:
    found = row.text_map("thinkingLevelMap", nulls=True)
    if found is not None:
        levels = row.inner("thinkingLevelMap")
        levels.only(LADDER)
        for level, text in found.items():
            if text is not None:
                levels.text(level, longest=128)
    return found


def _pinned(row: Fields, entry: Entry) -> None:
    """A bundle sends keys only where the compiled catalog sends that provider's keys (transport pinning)."""
    known = {(one.api, one.base_url) for one in compiled(entry.provider)}
    if (entry.api, entry.base_url) not in known:
        row.note(
            "baseUrl",
            f"this eukhe has no transport {entry.api} at {entry.base_url or '(no address)'} for {entry.provider}",
        )
