"""The cache: verdicts by digest, so that what did not change is not run again.

One file an area and profile, `.eukhe-laws/PROFILE-AREA.json`. A digest that differs, a file that cannot be read or
is damaged: each only means that the laws are run. A sum over what is kept tells damage, so that no changed letter
passes for a verdict. Verdicts with an engine's failure are never kept.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eukhe_laws.engine.record import read, write
from eukhe_laws.engine.verdict import Verdict

__all__ = ["Cache", "Stored", "project_root", "standard_directory"]


def project_root() -> Path | None:
    """Return the project that this package is run from; `None` when it is installed elsewhere."""
    root = Path(__file__).resolve().parents[3]
    return root if (root / "pyproject.toml").is_file() else None


def standard_directory() -> Path:
    """Return `$EUKHE_LAWS_CACHE`, else `.eukhe-laws` in the project, else the user's cache directory."""
    own = os.environ.get("EUKHE_LAWS_CACHE", "")
    if own:
        return Path(own)
    root = project_root()
    if root is not None:
        return root / ".eukhe-laws"
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if base else Path.home() / ".cache") / "eukhe" / "laws"


@dataclass(frozen=True)
class Stored:
    """What the cache holds of an area.

    Attributes:
        verdicts: The verdicts that still stand, by law and subject.
        seconds: How long each took when it was last run, standing or not: what the next run is scheduled by.
    """

    verdicts: dict[tuple[str, str], Verdict]
    seconds: dict[tuple[str, str], float]


def _sum(digest: Any, verdicts: Any) -> str:
    """Return the sum that tells whether a file still holds what was written."""
    text = json.dumps([digest, verdicts], sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Cache:
    """The cache in a directory, which need not exist."""

    directory: Path

    def _file(self, area: str, profile: str) -> Path:
        return self.directory / f"{profile}-{area}.json"

    def load(self, area: str, profile: str, digest: str) -> Stored:
        """Return what is held of an area.

        Args:
            area: The area.
            profile: The profile's name.
            digest: The digest of what the verdicts depend on now.
        """
        stored = Stored({}, {})
        try:
            data = json.loads(self._file(area, profile).read_text("utf-8"))
            if data["sum"] != _sum(data["digest"], data["verdicts"]):
                return stored
            for one in data["verdicts"]:
                verdict = read(one["verdict"], seconds=float(one["seconds"]))
                key = (verdict.law, verdict.subject)
                stored.seconds[key] = verdict.seconds
                if data["digest"] == digest:
                    stored.verdicts[key] = verdict
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return Stored({}, {})
        return stored

    def save(self, area: str, profile: str, digest: str, verdicts: Iterable[Verdict]) -> None:
        """Keep an area's verdicts, written whole or not at all.

        Args:
            area: The area.
            profile: The profile's name.
            digest: The digest of what the verdicts depend on.
            verdicts: Every verdict that stands; those with an engine's failure are left out.

        Raises:
            OSError: the directory cannot be written to.
        """
        kept = [
            {"verdict": write(verdict), "seconds": round(verdict.seconds, 3)}
            for verdict in verdicts
            if not verdict.errors
        ]
        self.directory.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self.directory, prefix=f"{area}-", suffix=".tmp")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                data = {"digest": digest, "sum": _sum(digest, kept), "verdicts": kept}
                json.dump(data, file, indent=1)
            Path(name).replace(self._file(area, profile))
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
