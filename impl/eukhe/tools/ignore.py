"""What a search leaves out: directories that hold no one's own text, and what `.gitignore` names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eukhe.tools.files import open_file
from eukhe.tools.glob import BadGlobError, Glob
from eukhe.tools.tool import ToolFailedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

NEVER = frozenset(
    {".git", ".hg", ".svn", ".jj", "node_modules", "__pycache__", ".venv", ".tox", ".nox"}
    | {".mypy_cache", ".pytest_cache", ".ruff_cache"}
)
"""Directories that no search goes into on its own."""

_MAX_BYTES = 256 * 1024
_MAX_RULES = 2000
"""Of one file; what is above is not read."""


@dataclass(frozen=True, slots=True)
class _Rule:
    glob: Glob
    directories: bool
    keeps: bool


@dataclass(frozen=True, slots=True)
class Ignore:
    """The rules of one `.gitignore`.

    Attributes:
        depth: how many parts the directory of the file has, of the path that is asked about.
        rules: in the order of the file; the last that matches decides.
    """

    depth: int
    rules: tuple[_Rule, ...]

    def says(self, parts: Sequence[str], is_directory: bool) -> bool | None:
        """Whether the path is to be left out; None when no rule speaks of it."""
        below = parts[self.depth :]
        for rule in reversed(self.rules):
            if (is_directory or not rule.directories) and rule.glob.matches(below):
                return not rule.keeps
        return None


def ignored(parts: Sequence[str], is_directory: bool, files: Sequence[Ignore]) -> bool:
    """Whether a path is to be left out; the nearest file that speaks of it decides.

    Args:
        parts: the path, from the root that the files count from.
        is_directory: whether it is a directory.
        files: the `.gitignore` files above it, the outermost first.
    """
    if is_directory and parts[-1] in NEVER:
        return True
    for file in reversed(files):
        said = file.says(parts, is_directory)
        if said is not None:
            return said
    return False


def read_ignore(directory: Path, depth: int) -> Ignore | None:
    """The rules of the `.gitignore` of a directory; None when it has none that can be read."""
    try:
        with open_file(directory / ".gitignore", ".gitignore") as file:
            text = (file.read(_MAX_BYTES) or b"").decode("utf-8", "replace")
    except (OSError, ToolFailedError):
        return None
    rules = tuple(_rules(text))
    return Ignore(depth, rules) if rules else None


def repository_above(directory: Path) -> Path:
    """The nearest directory above, or this one, that holds `.git`; this one when none does."""
    for one in (directory, *directory.parents):
        try:
            if (one / ".git").exists():
                return one
        except OSError:
            break
    return directory


def _rules(text: str) -> Iterator[_Rule]:
    for line in text.splitlines()[:_MAX_RULES]:
        pattern = line if line.endswith("\\ ") else line.rstrip()
        if not pattern or pattern.startswith("#"):
            continue
        keeps = pattern.startswith("!")
        pattern = pattern.removeprefix("!").replace("\\ ", " ")
        if pattern.startswith(("\\#", "\\!")):
            pattern = pattern[1:]
        # Braces are plain characters here.
        pattern = pattern.replace("{", "[{]")
        try:
            yield _Rule(Glob.of(pattern), pattern.endswith("/"), keeps)
        except BadGlobError:
            continue
